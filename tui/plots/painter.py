"""Draws a plot into any number of cells, and knows what stands where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from rich.cells import cell_len

from tui import format as fmt
from tui.plots.canvas import ACROSS, DOWN, Canvas
from tui.plots.plot import CHOSEN, Point, sign
from tui.text import shorten, wrap

if TYPE_CHECKING:
    from tui.plots.plot import Cloud, Panel, Plot
    from tui.text import TextLine

    Array = np.ndarray[Any, Any]

REACH = 1
"""Cells beside a point that still count as it for the mouse."""
LEAST_PANEL = 3
"""Lines below which a panel is left out."""


class Picture:
    """A plot at one size; only the chosen point changes between two drawings."""

    def __init__(self, plot: Plot, width: int, height: int) -> None:
        self.plot, self.width, self.height = plot, max(width, 1), max(height, 1)
        self._head = self.height >= 4
        self._foot = self.height >= 6
        self._body = self.height - self._head - self._foot
        self._first_bar = 0
        self._panels: list[tuple[int, int]] = []
        """(first line, lines) of each panel."""
        self._canvases: list[Canvas] = []
        self._owners: dict[tuple[int, int], int] = {}
        self._left = 0
        if plot.panels and plot.x is not None and not plot.message:
            self._lay_out()

    # what is drawn

    def lines(self, chosen: int | None = None, offer: int | None = None) -> list[TextLine]:
        """All lines; the chosen point, or else the place of the table's offer, is marked and described."""
        if self.plot.message:
            return self._fill([line for text in self.plot.message for line in wrap([(text, "muted")], self.width)])
        number = chosen if chosen is not None else self.plot.number(offer)
        point = None if self.plot.bars else self._point(number, offer)
        body = self._bars(number) if self.plot.bars else self._picture(point)
        words = (
            self.plot.words(number) if number is not None else point.words if point is not None else self.plot.caption
        )
        if len(self.plot.bars) > self._body:
            words = f"{self._first_bar + 1}-{self._first_bar + self._body} of {len(self.plot.bars)}: {words}"
        foot = [[(words, "muted" if words == self.plot.caption else "strong")]] if self._foot else []
        head = [self._heading()] if self._head else []
        return [shorten(line, self.width) for line in (*head, *body, *foot)]

    def _point(self, number: int | None, offer: int | None) -> Point | None:
        if number is not None:
            return self.plot.points[number]
        return self.plot.place(offer) if offer is not None else None

    def _fill(self, lines: list[TextLine]) -> list[TextLine]:
        return (lines + [[] for _ in range(self.height)])[: self.height]

    def _heading(self) -> TextLine:
        """What is drawn, and as much of the legend as there is room for."""
        line: TextLine = [(self.plot.heading, "muted")]
        used = cell_len(self.plot.heading)
        for glyph, tone, word in self.plot.legend:
            text = f" {word}" if word else ""
            size = 2 + cell_len(glyph + text)
            if used + size > self.width:
                break
            line += [("  ", "text"), (glyph, tone), (text, "muted")]
            used += size
        return line

    # panels

    def _lay_out(self) -> None:
        plot, x = self.plot, self.plot.x
        assert x is not None  # noqa: S101 - the caller has looked
        axis = 2 if self.height >= 8 else 1 if self.height >= 5 else 0
        rest = max(self._body - axis, 1)
        count = max(min(len(plot.panels), rest // LEAST_PANEL), 1)
        sizes = [rest // count + (k < rest % count) for k in range(count)]
        ticks = [
            panel.y.ticks(size, upright=True, gap=2 if size > 4 else 1)
            for panel, size in zip(plot.panels, sizes, strict=False)
        ]
        self._left = max(len(text) for one in ticks for _, _, text in one) + 1
        if self._left > self.width // 2:
            self._left = 0
        self._ticks = [{cell: text for cell, _, text in one} for one in ticks]
        width = self.width - self._left
        self._x_ticks = x.ticks(width)
        self._axis = axis
        top = 0
        for k, size in enumerate(sizes):
            self._panels.append((top, size))
            top += size
            canvas = Canvas(width, size)
            self._canvases.append(canvas)
            self._draw(canvas, plot.panels[k], k)
            if plot.cloud is not None and k == 0:
                self._scatter(canvas, plot.cloud, plot.panels[k])
            for point in plot.points:
                if point.panel == k:
                    canvas.put(*self._cell(point), point.glyph, point.tone)

    def _dots(self, values: Any, axis: str, k: int) -> Any:
        """Dots of values from the left, or from the top."""
        canvas, x = self._canvases[k], self.plot.x
        assert x is not None  # noqa: S101 - only plots with an axis get here
        if axis == "x":
            made = x.share(values) * (canvas.width * ACROSS - 1)
        else:
            made = (1 - self.plot.panels[k].y.share(values)) * (canvas.height * DOWN - 1)
        return np.rint(made)

    def _cell(self, point: Point) -> tuple[int, int]:
        """The cell of a point in its panel; (-1, -1) where it has none."""
        if point.panel >= len(self._canvases):
            return -1, -1
        x, y = self._dots(point.x, "x", point.panel), self._dots(point.y, "y", point.panel)
        if not (np.isfinite(x) and np.isfinite(y)):
            return -1, -1
        return int(x) // ACROSS, int(y) // DOWN

    def _draw(self, canvas: Canvas, panel: Panel, k: int) -> None:
        for line in panel.lines:
            canvas.line(self._dots(line.x, "x", k), self._dots(line.y, "y", k), line.tone, every=line.every)
        for line in panel.lines:
            self._name(canvas, line.x, line.y, line.name, line.tone, k)
        for rule in sorted(self.plot.rules, key=lambda rule: rule.value):
            at = self._dots(rule.value, "x", k)
            if 0 <= at < canvas.width * ACROSS:
                x = int(at) // ACROSS
                if k == 0:  # beside the line, on the side where there is room
                    _write(canvas, 0, (x + 1, x - len(rule.name)), rule.name, rule.tone)
                canvas.column(x, rule.glyph, rule.tone)
        for rule in panel.rules:
            at = self._dots(rule.value, "y", k)
            if 0 <= at < canvas.height * DOWN:
                y = int(at) // DOWN
                _write(canvas, y, (1, canvas.width - len(rule.name) - 1), rule.name, rule.tone)
                canvas.row(y, rule.glyph, rule.tone)
        if len(self.plot.panels) > 1:
            _write(canvas, 0, (1, canvas.width - len(panel.y.name) - 1), panel.y.name, "muted")

    def _name(self, canvas: Canvas, x: Array, y: Array, name: str, tone: str, k: int) -> None:
        """Write a line's name above or below its right end."""
        xs, ys = self._dots(x, "x", k), self._dots(y, "y", k)
        seen = np.flatnonzero((xs >= 0) & (xs < canvas.width * ACROSS) & (ys >= 0) & (ys < canvas.height * DOWN))
        if not name or not len(seen):
            return
        right, row = int(xs[seen[-1]]) // ACROSS, int(ys[seen[-1]]) // DOWN
        for line in (row + 1, row - 1, row + 2, row - 2):
            if _write(canvas, line, (right - len(name) + 1, right - len(name) - 2), name, tone):
                return

    def _scatter(self, canvas: Canvas, cloud: Cloud, panel: Panel) -> None:
        """One glyph a cell: of the offers in it the first that is worth a look, or else the first."""
        assert self.plot.x is not None  # noqa: S101 - a cloud has axes
        x = self.plot.x.share(cloud.x) * (canvas.width * ACROSS - 1)
        y = (1 - panel.y.share(cloud.y)) * (canvas.height * DOWN - 1)
        known = np.isfinite(x) & np.isfinite(y)
        x, y = (np.rint(np.where(known, one, -8)).astype(np.intp) for one in (x, y))
        x, y = x // ACROSS, y // DOWN
        known &= (x >= 0) & (x < canvas.width) & (y >= 0) & (y < canvas.height)
        owner = np.full(canvas.width * canvas.height, -1, dtype=np.intp)
        for flag in (~cloud.good, cloud.good):
            # Of several written to one cell the last one stays: the first in the table's order.
            places = np.flatnonzero(known & flag)[::-1]
            owner[y[places] * canvas.width + x[places]] = places
        for cell in np.flatnonzero(owner >= 0).tolist():
            place = int(owner[cell])
            glyph, tone = sign(gpu=bool(cloud.gpu[place]))
            here = (cell % canvas.width, cell // canvas.width)
            canvas.put(*here, glyph, tone if cloud.good[place] else "faint")
            self._owners[here] = int(cloud.offer[place])

    def _picture(self, point: Point | None) -> list[TextLine]:
        made: list[TextLine] = []
        for k, (_, size) in enumerate(self._panels):
            canvas = self._canvases[k]
            if point is not None and point.panel == k:
                canvas = canvas.copy()
                canvas.put(*self._cell(point), CHOSEN, "accent")
            for y, line in enumerate(canvas.rows()):
                if not self._left:
                    made.append(line)
                    continue
                text = self._ticks[k].get(size - 1 - y, "")
                made.append([(f"{text:>{self._left - 1}}{'┤' if text else '│'}", "muted"), *line])
        if self._axis == 2:
            scale = ["─"] * (self.width - self._left)
            for cell, _, _ in self._x_ticks:
                scale[cell] = "┬"
            made.append([(" " * (self._left - 1) + "└" * (self._left > 0) + "".join(scale), "muted")])
        if self._axis:
            text = " " * self._left
            for _, start, name in self._x_ticks:
                text += " " * (self._left + start - len(text)) + name
            made.append([(text[: self.width], "muted")])
        return made

    # bars

    def _bars(self, number: int | None) -> list[TextLine]:
        """As many bars as there is room for, around the chosen one."""
        bars, room = self.plot.bars, self._body
        at = number or 0
        self._first_bar = max(0, min(at - room // 2, len(bars) - room))
        shown = bars[self._first_bar : self._first_bar + room]
        name = min(max(cell_len(bar.name) for bar in bars), max(self.width // 3, 6))
        note = max(cell_len(bar.note) for bar in bars)
        name = max(min(name, self.width - note - 12), 6)  # figures and a short picture before long names
        width = max(self.width - name - note - 4, 0)
        made: list[TextLine] = []
        for place, bar in enumerate(shown, self._first_bar):
            chosen = place == number
            line: TextLine = [
                (f"{CHOSEN if chosen else bar.glyph} ", "accent" if chosen else bar.tone),
                (fmt.fit_width(fmt.shorten_middle(bar.name, name), name) + " ", "strong" if chosen else "text"),
            ]
            used, total = 0, 0.0
            for share, glyph, tone in bar.parts:
                total += share
                cells = max(min(round(total * width), width) - used, 1 if share > 0 and used < width else 0)
                line.append((glyph * cells, tone))
                used += cells
            line += [(" " * (width - used + 1), "text"), (f"{bar.note:>{note}}", "miss" if bar.missed else "text")]
            made.append(line)
        return (made + [[] for _ in range(room)])[:room]

    # the mouse

    def at(self, x: int, y: int) -> tuple[int | None, int | None]:
        """(number of the point or bar, offer) under a cell or right beside it."""
        y -= self._head
        if self.plot.bars:
            place = self._first_bar + y
            return (place, self.plot.offer(place)) if y >= 0 and place < len(self.plot.bars) else (None, None)
        for k, (top, size) in enumerate(self._panels):
            if top <= y < top + size:
                return self._nearest(x - self._left, y - top, k)
        return None, None

    def _nearest(self, x: int, y: int, k: int) -> tuple[int | None, int | None]:
        def distance(cell: tuple[int, int]) -> int:
            return max(abs(cell[0] - x), abs(cell[1] - y))

        found: list[tuple[int, int, int | None, int | None]] = [
            (distance(self._cell(point)), 0, number, point.offer)
            for number, point in enumerate(self.plot.points)
            if point.panel == k
        ]
        found += [(distance(cell), 1, None, offer) for cell, offer in self._owners.items() if k == 0]
        near = min(found, key=lambda one: one[:2], default=(REACH + 1, 0, None, None))
        return (near[2], near[3]) if near[0] <= REACH else (None, None)


def _write(canvas: Canvas, y: int, starts: tuple[int, ...], text: str, tone: str) -> bool:
    """Write a text at the first of some places of a line where nothing stands or touches it; False where there is none."""
    for start in starts:
        left = max(start - 1, 0)
        right = start + len(text)
        inside = start >= 0 and right <= canvas.width
        if text and inside and canvas.free(left, y, min(right + 1, canvas.width) - left):
            canvas.write(start, y, text, tone)
            return True
    return False
