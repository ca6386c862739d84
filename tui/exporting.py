"""What an export writes: which offers, in which format, to which file; no widget."""

from __future__ import annotations

import io
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from pricing.filters import Filters
    from tui.session import Session

FORMATS = {"csv": ".csv", "json": ".json", "markdown": ".md"}
"""The formats with the endings of their files."""
FONT = "DejaVu Sans Mono"
"""Has every box, block and sign glyph of the screen; a viewer without it takes its own monospace font."""


class ExportStoppedError(InputError):
    """The user stopped an export before its file was written."""


def offers(session: Session, scope: str) -> list[int]:
    """The offers of a scope: `visible` and `marked` in the table's order, `all` by cost."""
    comparison, rows = session.comparison, session.rows
    if comparison is None or rows is None:
        return []
    if scope == "all":
        chosen: NDArray[Any] = comparison.select(_filters(session, scope))
        return [int(at) for at in chosen]
    if scope == "marked":
        marked = set(session.marked())
        shown = [int(at) for at in rows.order if int(at) in marked]
        # A mark that the filter hides is still marked: it follows behind.
        return [*shown, *sorted(marked - set(shown))]
    return [int(at) for at in rows.order]


def _filters(session: Session, scope: str) -> Filters:
    """What the offers of a scope pass."""
    from pricing.filters import Filters

    if scope == "visible":
        return session.filters(session.view)
    return Filters(terms=("all",), undated=True, max_age_months=None)


def write(session: Session, scope: str, form: str, path: Path, stopped: Callable[[], bool] = lambda: False) -> int:
    """Write the offers of a scope, whole or not at all; how many there were.

    Raises ExportStoppedError where `stopped` says so before the end, OSError or StoreError where nothing can be written.
    """
    from pricing import atomic, export
    from pricing.asked import selection_text
    from tui.cli.question import markdown_line, question

    comparison = session.comparison
    if comparison is None:
        raise InputError("There is nothing to export yet.")
    chosen = offers(session, scope)
    asked = selection_text(_filters(session, scope), first="marked by hand" if scope == "marked" else "")
    table = _until(_told(session, chosen, export.rows(comparison, chosen, asked)), stopped)
    if form == "csv":
        out = io.StringIO()
        export.write_csv(out, table)
        text = out.getvalue()
    elif form == "json":
        text = export.rows_json(table) + "\n"
    else:
        asked = markdown_line(question(comparison.workload, comparison.terms))
        text = f"{asked}\n\n{export.markdown(table)}"
    atomic.write_text(path, text)
    return len(chosen)


def _told(session: Session, chosen: list[int], table: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The rows with what only the last refresh knows of their prices."""
    for at, row in zip(chosen, table, strict=True):
        failed = session.rows.failure(at) if session.rows is not None else ""
        yield row | {"warnings": "; ".join(filter(None, (row["warnings"], failed)))} if failed else row


def _until(rows: Iterable[dict[str, Any]], stopped: Callable[[], bool]) -> Iterator[dict[str, Any]]:
    for row in rows:
        if stopped():
            raise ExportStoppedError("The export was stopped; nothing was written.")
        yield row


def new_path(session: Session, ending: str) -> Path:
    """A file name that says what is in it and when it was made, where the last export went; never one that exists."""
    work, day = session.workload, session.options.today
    safe = "".join(char if char.isalnum() or char in "-._" else "-" for char in f"{work.model.name}-{work.quant}")
    folder = session.export_folder
    # A folder that was kept may be gone by now.
    base = Path(folder) if folder and Path(folder).is_dir() else Path()
    stem = f"rackrate-{safe}-{day:%Y-%m-%d}"
    candidates = (base / f"{stem}{'' if number == 1 else f'-{number}'}{ending}" for number in range(1, 1000))
    return next((path for path in candidates if not path.exists()), base / f"{stem}{ending}")


def form_of(path: Path, chosen: str) -> str:
    """The format to write: that of the file's ending where it has one of ours, since readers go by it; else the chosen one."""
    return next((form for form, ending in FORMATS.items() if path.suffix.lower() == ending), chosen)


def target(typed: str) -> Path:
    """The file that is meant. Raises InputError where nothing can be written: no name, a folder, no such folder."""
    if not typed.strip():
        raise InputError("A file name is missing.")
    try:
        path = Path(typed.strip()).expanduser()
        if path.is_dir():
            raise InputError(f"{path} is a folder: add a file name.")
        # As the command line does: a folder with a typing error in its name must not come into being.
        if not path.parent.is_dir():
            raise InputError(f"There is no folder {path.parent}.")
        with suppress(FileNotFoundError):
            path.lstat()
    except OSError as error:
        raise InputError(f"This cannot be a file: {error.strerror or error}.") from None
    except (RuntimeError, ValueError) as error:  # no such home directory, a zero byte
        raise InputError(f"This cannot be a file: {error!s:.80}") from None
    return path


def plain_svg(svg: str) -> str:
    """A picture of the screen without fonts from the network; braille is drawn, since the font has none."""
    from tui.plots.svg_dots import with_dots

    return with_dots(re.sub(r"@font-face\s*\{[^}]*\}", "", svg).replace("Fira Code", FONT))


def write_svg(session: Session, svg: str) -> Path:
    """Write a picture of the screen to a new file; its absolute path. Raises OSError or StoreError where it cannot."""
    from pricing import atomic

    path = new_path(session, ".svg")
    atomic.write_text(path, plain_svg(svg))
    return path.absolute()
