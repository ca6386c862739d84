"""What is kept from one start to the next: read with suspicion, written whole, told in a sentence where it cannot be."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from models.errors import RackrateError
from pricing import atomic, paths
from tui import columns
from tui.state import FITS, KINDS, MOST_WHERES, PLOTS, TERMS, ViewState

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

NAME = "state.json"
LARGEST = 1_000_000
"""Bytes of a file that can be ours."""
MOST_MARKS, LONGEST = 200, 500
"""Entries and characters that are kept."""
MOST_BROKEN = 99
"""Broken files that are kept beside each other."""


@dataclass(slots=True)
class Saved:
    """All that is kept."""

    view: ViewState = field(default_factory=ViewState)
    workload: dict[str, Any] = field(default_factory=dict)
    """As tui.workload_table writes it; empty = the default."""
    marks: list[str] = field(default_factory=list)
    wheres: list[str] = field(default_factory=list)
    theme: str | None = None
    currency: str | None = None
    """Chosen in the dashboard; None = that of the settings."""
    export_folder: str | None = None

    def to_json(self) -> str:
        """The file's text."""
        table = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        table["view"] = {entry.name: getattr(self.view, entry.name) for entry in fields(self.view)}
        return json.dumps(table, indent=1)


def state_file() -> Path:
    """Where it is kept; it need not exist."""
    return paths.data_dir() / NAME


# reading


def read(path: Path) -> tuple[Saved, list[str]]:
    """What was kept, and a sentence where something of it could not be used; a broken file is set aside."""
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return Saved(), []
    except OSError as error:
        return Saved(), [f"Cannot read {path}: {error.strerror or error}. The dashboard starts with its defaults."]
    try:
        table = json.loads(text) if len(text) <= LARGEST else None
    except (ValueError, RecursionError):
        table = None
    if not isinstance(table, dict):
        return Saved(), [f"{_set_aside(path)} The dashboard starts with its defaults."]
    saved, dropped = _from_table(table)
    if dropped:
        return saved, [f"Not restored, because it is not valid here: {', '.join(dropped)}."]
    return saved, []


def _set_aside(path: Path) -> str:
    names = (f"{path.name}.broken{'' if number == 1 else f'.{number}'}" for number in range(1, MOST_BROKEN + 1))
    aside = next((one for one in map(path.with_name, names) if not one.exists()), path.with_name(f"{path.name}.broken"))
    try:
        path.replace(aside)
    except OSError:
        return f"{path} is damaged."
    return f"{path} was damaged and is kept as {aside.name}."


def _from_table(table: Mapping[str, Any]) -> tuple[Saved, list[str]]:
    saved, dropped = Saved(), []
    for name, value in table.items():
        if name == "view" and isinstance(value, dict):
            saved.view, bad = _view(value)
            dropped += bad
        elif name in _KEPT and _KEPT[name](value):
            setattr(saved, name, value)
        else:
            dropped.append(_brief(name))
    return saved, dropped


def _view(table: Mapping[str, Any]) -> tuple[ViewState, list[str]]:
    view, dropped = ViewState(), []
    for name, value in table.items():
        try:
            view = view.changed(**{name: VIEW[name](value)})
        except (RackrateError, KeyError, TypeError, ValueError, RecursionError):
            dropped.append(_brief(name))
    return view, dropped


def _brief(name: str) -> str:
    return "".join(char for char in name if char.isprintable())[:30] or "a field without a name"


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST and value.isprintable()


def _texts(most: int) -> Callable[[object], bool]:
    return lambda value: isinstance(value, list) and len(value) <= most and all(map(_is_text, value))


_KEPT: dict[str, Callable[[object], bool]] = {
    "workload": lambda value: isinstance(value, dict),
    "marks": _texts(MOST_MARKS),
    "wheres": _texts(MOST_WHERES),
    "theme": lambda value: value is None or _is_text(value),
    "currency": lambda value: value is None or (_is_text(value) and len(str(value)) == 3),
    "export_folder": lambda value: value is None or _is_text(value),
}


def _one_of(choices: tuple[str, ...] | Mapping[str, object]) -> Callable[[object], str]:
    def read(value: object) -> str:
        if not isinstance(value, str) or value not in choices:
            raise ValueError
        return value

    return read


def _where(value: object) -> str:
    if not isinstance(value, str) or not _is_text(value):
        raise ValueError
    if value.strip():
        from pricing.where import compile_where  # a start without a filter does not need it yet

        compile_where(value)
    return value


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _columns(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) and one in columns.BY_ID for one in value):
        raise ValueError
    return tuple(dict.fromkeys(value))


def _widths(value: object) -> tuple[tuple[str, int], ...]:
    if not isinstance(value, list):
        raise TypeError
    found: dict[str, int] = {}
    for name, width in value:
        if isinstance(width, bool) or not isinstance(width, int):
            raise TypeError
        found[name] = columns.clamp_width(columns.BY_ID[name], width)
    return tuple(found.items())


VIEW: dict[str, Callable[[Any], Any]] = {
    "kind": _one_of(KINDS),
    "fit": _one_of(FITS),
    "terms": _one_of(TERMS),
    "where": _where,
    "sort": _one_of(columns.BY_ID),
    "descending": _flag,
    "columns": _columns,
    "widths": _widths,
    "unit": _one_of(columns.COSTS),
    "plot": _one_of(PLOTS),
}
"""How each field of the view is read; raises where the value is none."""


# writing


class Keeper:
    """Writes what changed, a moment after it did and at the end; a folder that takes nothing is told once."""

    def __init__(self, path: Path, saved: Saved, *, tell: Callable[[str], None] | None = None) -> None:
        self.path = path
        self.tell = tell
        self._written = saved.to_json()
        self._seen = self._written
        self._lock = threading.Lock()
        self.failed = False

    def note(self, saved: Saved) -> None:
        """Look whether something changed; what has come to rest since the last look is written, in a thread."""
        text = saved.to_json()
        settled, self._seen = text == self._seen, text
        if settled and text != self._written and not self.failed:
            threading.Thread(target=self._write, args=(text,), daemon=True).start()

    def finish(self, saved: Saved) -> None:
        """Write what is not written yet."""
        text = saved.to_json()
        if text != self._written:
            self._write(text)

    def _write(self, text: str) -> None:
        with self._lock:
            try:
                atomic.write_text(self.path, text)
            except RackrateError as error:
                told, self.failed = self.failed, True
                if not told and self.tell is not None:
                    with suppress(RuntimeError):  # the app has left
                        self.tell(f"What you set here is not kept for the next start. {error}")
            else:
                self._written, self.failed = text, False
