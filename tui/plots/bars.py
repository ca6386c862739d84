"""Bars with their names, figures and, where there is room, a second line for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len

from tui import format as fmt
from tui.plots.plot import CHOSEN
from tui.text import shorten, wrap

if TYPE_CHECKING:
    from tui.plots.plot import Bar
    from tui.text import TextLine

WIDE = 100
"""Cells from which there is room for what is behind a name."""
INDENT = 2


class Bars:
    """Bars at one size: as many as there is room for, around the chosen one."""

    def __init__(self, bars: tuple[Bar, ...], width: int, room: int) -> None:
        self._bars, self._width, self._room = bars, width, room
        self.first = 0
        """Number of the first one seen."""
        self._more = [self._below(bar) for bar in bars]
        lines = max(len(more) for more in self._more)
        if len(bars) * (1 + lines) > room:  # what is said below is cut, or else left out
            lines = min(lines, 1) if len(bars) * 2 <= room else 0
            self._more = [[shorten([(bar.more, "muted")], max(width - INDENT, 1))][:lines] for bar in bars]
        self.height = 1 + lines
        """Lines of one."""
        self.height += self.height > 1 and len(bars) * (self.height + 1) <= room
        self.seen = max(room // self.height, 1)
        """How many there is room for."""
        self._note = max(cell_len(bar.note) for bar in bars)
        name = min(max(cell_len(bar.name) for bar in bars), max(width // 3, 6))
        self._name = max(min(name, width - self._note - 12), 6)  # figures and a short picture before long names
        detail = max(cell_len(bar.detail) for bar in bars) if width >= WIDE else 0
        self._detail = min(detail, width // 3)
        self._drawn = max(width - self._name - self._note - 4 - self._detail - 2 * bool(self._detail), 0)

    def _below(self, bar: Bar) -> list[TextLine]:
        return wrap([(bar.more, "muted")], max(self._width - INDENT, 1)) if bar.more else []

    def lines(self, chosen: int | None) -> list[TextLine]:
        """What is seen, filled up to the room."""
        at = chosen or 0
        self.first = max(0, min(at - self.seen // 2, len(self._bars) - self.seen))
        made: list[TextLine] = []
        for number in range(self.first, min(self.first + self.seen, len(self._bars))):
            made.append(self._line(self._bars[number], chosen=number == chosen))
            below = [[(" " * INDENT, "text"), *line] for line in self._more[number]]
            made += (below + [[] for _ in range(self.height)])[: self.height - 1]
        return (made + [[] for _ in range(self._room)])[: self._room]

    def _line(self, bar: Bar, *, chosen: bool) -> TextLine:
        line: TextLine = [
            (f"{CHOSEN if chosen else bar.glyph} ", "accent" if chosen else bar.tone),
            (fmt.fit_width(fmt.shorten_middle(bar.name, self._name), self._name) + " ", "strong" if chosen else "text"),
        ]
        if self._detail:
            line.append((f"{fmt.fit_width(bar.detail, self._detail)}  ", "muted"))
        used, total = 0, 0.0
        for number, (share, glyph, tone) in enumerate(bar.parts):
            total += share
            later = sum(after > 0 for after, _, _ in bar.parts[number + 1 :])
            cells = min(max(round(total * self._drawn) - used, int(share > 0), 0), max(self._drawn - used - later, 0))
            line.append((glyph * cells, tone))
            used += cells
        note = (f"{bar.note:>{self._note}}", "miss" if bar.missed else "text")
        return [*line, (" " * (self._drawn - used + 1), "text"), note]

    def at(self, y: int) -> int | None:
        """Number of the bar on a line."""
        number = self.first + y // self.height
        return number if 0 <= y < self.seen * self.height and number < len(self._bars) else None
