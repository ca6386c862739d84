"""The table's lines as strips: the header, an offer, the explanation of an empty table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from tui import format as fmt
from tui.column_layout import LEAD, Layout, Placed
from tui.text import sign

if TYPE_CHECKING:
    from tui.cells import Cell
    from tui.rows import Rows


class _Run:
    """Collects text, joining neighbours of one style: half the escape sequences that a terminal far away must read."""

    def __init__(self) -> None:
        self._parts: list[tuple[str, Style]] = []

    def add(self, text: str, style: Style) -> None:
        """Append a text."""
        if self._parts and self._parts[-1][1] == style:
            self._parts[-1] = (self._parts[-1][0] + text, style)
        elif text:
            self._parts.append((text, style))

    def strip(self, width: int) -> Strip:
        """What was collected, as wide as the table."""
        return Strip([Segment(text, style) for text, style in self._parts]).crop(0, width)


@dataclass(slots=True)
class Paint:
    """Colours and place of everything on a line."""

    tones: dict[str, Style] = field(default_factory=dict)
    ascii_only: bool = False
    layout: Layout = field(default_factory=lambda: Layout([], left=False, right=False))

    def tone(self, name: str) -> Style:
        """A text style of the theme."""
        return self.tones.get(name) or Style()

    def text(self, text: str) -> str:
        """A text as the terminal can show it."""
        return fmt.shown(text, ascii_only=self.ascii_only)

    def header(self, base: Style, width: int, *, currency: str, sort: str, descending: bool) -> Strip:
        """The titles; the column that the table is sorted by has an arrow."""
        active = base + self.tone("accent")
        line = _Run()
        line.add(self.text(f"{'‹' if self.layout.left else ' '}{' ' * (LEAD - 1)}"), base)
        sign, used = fmt.symbol(currency), LEAD
        for place in self.layout.placed:
            sorted_by = place.column.id == sort
            arrow = ("↓" if descending else "↑") if sorted_by else ""
            line.add(" " * (place.x - used), base)
            text = title(self.text(place.column.title(sign)), arrow, place)
            line.add(self.text(text), active if sorted_by else base)
            used = place.x + place.width
        if used < width:
            more = "›" if self.layout.right else " "
            line.add(self.text(" " * (width - used - 1) + more), base)
        return line.strip(width)

    def offer(self, rows: Rows, i: int, base: Style, width: int, *, selected: bool, marked: bool) -> Strip:
        """One offer's cells."""
        line = _Run()
        kind_glyph, tone = sign(gpu=rows.offer(i).kind == "gpu")
        kind = base + self.tone(tone)
        accent = base + self.tone("accent")
        for glyph, shown in (("▸", selected), ("■", marked)):
            line.add(self.text(glyph) if shown else " ", accent if shown else kind)
        line.add(self.text(f"{kind_glyph} "), kind)
        used = LEAD
        for place in self.layout.placed:
            column = place.column
            cell = (column.wide_cell if place.wide and column.wide_cell else column.cell)(rows, i)
            line.add(" " * max(place.x - used, 0) + self.cell(cell, place), base + self.tone(cell.tone))
            used = place.x + place.width
        line.add(" " * max(width - used, 0), base)
        return line.strip(width)

    def cell(self, cell: Cell, place: Placed) -> str:
        """A cell's text, exactly as wide as its column."""
        column, text, mark = place.column, cell.text, cell.mark
        if self.ascii_only:
            words = text.replace("✓ ", "ok").replace("✗ ", "NO")  # a letter alone would not say it
            text, mark = fmt.to_ascii(words), fmt.to_ascii(mark)
        room = place.width - (1 if column.marked else 0)
        ellipsis = "~" if self.ascii_only else fmt.ELLIPSIS
        if column.tail is not None:
            text = fmt.shorten_middle(text, room, tail=column.tail, ellipsis=ellipsis)
        text = fmt.fit_width(text, room, right=column.right, ellipsis=ellipsis)
        return text + (mark or " ") if column.marked else text

    def explanation(self, text: str, base: Style, width: int, *, first: bool) -> Strip:
        """A line of why there is no offer."""
        style = base + self.tone("miss" if first else "muted")
        return Strip([Segment(self.text(fmt.fit_width("  " + text, width)), style)], width)


def title(text: str, arrow: str, place: Placed) -> str:
    """A header's text; the arrow takes the place of the mark, or stands beside the title."""
    if not place.column.right:
        room = place.width - len(arrow)
        return fmt.fit_width((text if len(text) <= room else fmt.fit_width(text, room)) + arrow, place.width)
    if place.column.marked:
        return fmt.fit_width(text, place.width - 1, right=True) + (arrow or " ")
    room = place.width - len(arrow)
    return fmt.fit_width(arrow + (text if len(text) <= room else fmt.fit_width(text, room)), place.width, right=True)
