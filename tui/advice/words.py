"""A report as lines: for a terminal, for the dashboard, and toned by what each says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui import format as fmt
from tui.cli.table import render
from tui.text import wrap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tui.advice.report import Part, Report
    from tui.text import TextLine

INDENT = 2


def report_lines(found: Report, width: int, *, table: int = 0, more: str = "") -> list[TextLine]:
    """All parts for a pane of `width` cells; tables may be wider (`table` cells). `more` says how to see the columns without room."""
    return [line for part in found.parts for line in part_lines(part, width, max(table, width), more)]


def part_lines(part: Part, width: int, table: int, more: str) -> Iterator[TextLine]:
    """Heading, sentences, table, notes, an empty line."""
    yield from wrap([(part.title, "accent")], width)
    for place, sentence in enumerate(part.sentences):
        tone = "strong" if place == 0 else "text"
        yield from _indented(sentence, tone, width)
    if part.table is not None and part.table.rows:
        lines, hidden = render(part.table.rows, part.table.columns, cells=max(table - INDENT, 10))
        for place, line in enumerate(lines):
            yield [
                (" " * INDENT + fmt.fit_width(line, max(table - INDENT, 1)).rstrip(), "muted" if place == 0 else "text")
            ]
        if hidden:
            yield from _indented(f"No room for: {', '.join(hidden)}.{more and f' {more}'}", "muted", width)
    for note in part.notes:
        yield from _indented(note, "muted", width)
    yield [("", "text")]


def _indented(text: str, tone: str, width: int) -> Iterator[TextLine]:
    for line in wrap([(text, tone)], max(width - INDENT, 1)):
        yield [(" " * INDENT, "text"), *line]


def plain(found: Report, width: int, *, table: int = 0, more: str = "", ascii_only: bool = False) -> str:
    """The report as text, its widths as in `report_lines`."""
    lines = ("".join(text for text, _ in line).rstrip() for line in report_lines(found, width, table=table, more=more))
    return fmt.shown("\n".join(lines).rstrip() + "\n", ascii_only=ascii_only)
