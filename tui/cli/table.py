"""A text table fitted to the terminal: whole columns give way by priority, no word is cut without a mark."""

from __future__ import annotations

import os
import shutil
import sys
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len

from tui import format as fmt
from tui.text import wrap

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

GAP = 2
WIDEST_CELL = 36
"""A longer text is shortened with an ellipsis; the other formats hold it whole."""
FILE_CELLS = 200
"""Line length of a table that goes into a file."""
NARROWEST_NOTE = 18
"""Below this the wrapped last column is not worth its lines."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a printed table."""

    key: str
    header: str
    """With its unit: cells hold bare numbers."""
    priority: int = 5
    """1 is kept longest."""
    show: Callable[[Any], str] | None = None
    widest: int = WIDEST_CELL
    wrap: bool = False
    """A sentence: takes the rest of the line and wraps on words (last column only)."""
    mark: str = ""
    """Key of a yes or no of the row: where it is yes, an asterisk follows the figure."""
    mark_means: str = ""
    told: bool = False
    """Said as a line under the table where the column itself found no room."""


def figure(value: object) -> str:
    """A number with three significant digits, a whole number in full, text as it is, a dash for nothing."""
    if value is None or value == "":
        return fmt.MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return fmt.count(value)
    if isinstance(value, float):
        return fmt.number(value)
    if isinstance(value, (list, tuple)):
        return ", ".join(figure(item) for item in value)
    return fmt.clean(str(value))


def shorten(text: str, cells: int) -> str:
    """The text, or its beginning with an ellipsis."""
    return text if cell_len(text) <= cells else fmt.fit_width(text, cells).rstrip()


def terminal_width() -> int:
    """Columns of the terminal; 80 when nobody says."""
    return shutil.get_terminal_size((80, 24)).columns


def render(
    rows: Sequence[Mapping[str, object]], columns: Sequence[Column], *, cells: int, bold: bool = False
) -> tuple[list[str], list[str]]:
    """Lines of the table, and the headers of the columns that found no room; a column without any value is left out."""
    columns = [c for c in columns if c.priority == 1 or any(_has_value(row.get(c.key)) for row in rows)]
    text = {column.key: _cells(column, rows) for column in columns}
    widths = {column.key: max([cell_len(column.header), *map(cell_len, text[column.key])]) for column in columns}
    numeric = {column.key: _is_numeric(row.get(column.key) for row in rows) for column in columns}
    shown, note = _fit([c for c in columns if not c.wrap], [c for c in columns if c.wrap], widths, cells)
    hidden = [column.header for column in columns if column not in shown and column is not note]
    used = sum(widths[c.key] for c in shown) + GAP * len(shown)
    room = cells - used
    head = _line([(c.header, widths[c.key], numeric[c.key]) for c in shown], note.header if note else "")
    lines = [f"\x1b[1m{head}\x1b[0m" if bold else head]
    for index in range(len(rows)):
        wrapped = _wrap(text[note.key][index], room) if note else []
        body = [(text[c.key][index], widths[c.key], numeric[c.key]) for c in shown]
        lines.append(_line(body, wrapped[0] if wrapped else ""))
        lines.extend(" " * used + more for more in wrapped[1:])
    return lines, hidden


def _wrap(text: str, cells: int) -> list[str]:
    """Broken between words by terminal cells: the standard library counts a wide character as one."""
    return ["".join(part for part, _ in line).rstrip() for line in wrap([(text, "text")], cells)]


def _has_value(value: object) -> bool:
    return value is not None and value not in ("", ()) and value == value


def _cells(column: Column, rows: Sequence[Mapping[str, object]]) -> list[str]:
    cells = [_cell(column, row) for row in rows]
    if not _is_marked(column, rows):
        return cells
    return [f"{cell}{'*' if row.get(column.mark) else ' '}" for cell, row in zip(cells, rows, strict=True)]


def _is_marked(column: Column, rows: Sequence[Mapping[str, object]]) -> bool:
    return bool(column.mark) and any(row.get(column.mark) for row in rows)


def _cell(column: Column, row: Mapping[str, object]) -> str:
    value = row.get(column.key)
    text = (column.show or figure)(value)
    if column.wrap:
        return "" if text == fmt.MISSING else text
    return shorten(text, column.widest)


def _fit(
    plain: list[Column], notes: list[Column], widths: dict[str, int], cells: int
) -> tuple[list[Column], Column | None]:
    """The columns that find room, the most important first; one too wide makes room for a lesser, narrower one."""
    room, chosen = cells + GAP, set[str]()
    for column in sorted([*plain, *notes], key=lambda c: c.priority):
        needs = GAP + (min(widths[column.key], NARROWEST_NOTE) if column.wrap else widths[column.key])
        if needs <= room or not chosen:
            chosen.add(column.key)
            room -= needs
    note = next((c for c in notes if c.key in chosen), None)
    return [c for c in plain if c.key in chosen], note


def _line(cells: Sequence[tuple[str, int, bool]], note: str) -> str:
    parts = []
    for text, cell_width, right in cells:
        space = " " * (cell_width - cell_len(text))
        parts.append(space + text if right else text + space)
    return (" " * GAP).join([*parts, note]).rstrip()


def _is_numeric(values: object) -> bool:
    some = [v for v in values if v is not None and v != ""]  # type: ignore[attr-defined]
    return bool(some) and all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in some)


def table_width() -> int:
    """Columns that a printed table may fill: the terminal's, more where it goes into a file."""
    return terminal_width() if sys.stdout.isatty() or os.environ.get("COLUMNS") else FILE_CELLS


def print_table(rows: Sequence[Mapping[str, object]], columns: Sequence[Column]) -> list[str]:
    """Write the table to stdout; the answer, for stderr, says what its marks mean and which columns found no room."""
    bold = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    lines, hidden = render(rows, columns, cells=table_width(), bold=bold)
    text = "\n".join(lines) + "\n"
    utf = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")
    sys.stdout.write(text if utf else fmt.to_ascii(text))
    notes = [f"* {c.mark_means}" for c in columns if c.header not in hidden and _is_marked(c, rows)]
    for column in columns:
        if column.told and column.header in hidden:
            values = Counter(str(row[column.key]) for row in rows if row.get(column.key))
            notes.append(f"{column.header}: {', '.join(f'{name} ({n})' for name, n in values.most_common())}.")
            hidden.remove(column.header)
    if hidden:
        notes.append(f"No room for: {', '.join(hidden)}. A wider terminal or --format csv shows them.")
    return notes
