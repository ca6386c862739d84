"""Draws a plot into any number of cells, and knows what stands where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len

from tui.plots.bars import Bars
from tui.plots.frame import Frame
from tui.text import shorten, wrap

if TYPE_CHECKING:
    from tui.plots.axis import Axis
    from tui.plots.frame import Cell
    from tui.plots.plot import Band, Entry, Panel, Plot, Point
    from tui.text import TextLine

REACH = 1
"""Cells beside a point that still count as it for the mouse."""
LEAST_PANEL = 6
"""Lines below which panels become one."""
LEAST_BANDS = (7, 14)
"""Lines of the picture from which there is room for one line below that says what holds where, and for two."""
TWO_WORDS = 16
"""Lines from which the caption and what is chosen are both said."""


class Picture:
    """A plot at one size; only the chosen point changes between two drawings."""

    def __init__(self, plot: Plot, width: int, height: int) -> None:
        self.plot, self.width, self.height = plot, max(width, 1), max(height, 1)
        self._head = self.height >= 4
        self._foot = 2 if self.height >= TWO_WORDS else int(self.height >= 6)
        self._body = self.height - self._head - self._foot
        self._bars = Bars(plot.bars, self.width, self._body) if plot.bars else None
        self._frames: list[tuple[int, Frame]] = []
        """(first line of the picture, panel)."""
        self._left = 0
        if plot.panels and plot.x is not None and not plot.message:
            self._lay_out(plot.x)

    # what is drawn

    def lines(self, chosen: int | None = None, offer: int | None = None) -> list[TextLine]:
        """All lines; the chosen point, or else the place of the table's offer, is marked and described."""
        if self.plot.message:
            return self._fill([line for text in self.plot.message for line in wrap([(text, "muted")], self.width)])
        number = chosen if chosen is not None else self.plot.number(offer)
        if self._bars is not None:
            body, point = self._bars.lines(number), None
        else:
            point = self._point(number, offer)
            body = self._picture(point)
        words = self.plot.words(number) if number is not None else point.words if point is not None else ""
        head = [self._heading()] if self._head else []
        lines = [*head, *body, *self._said(words, by_itself=chosen is None)]
        return [shorten(line, self.width) for line in lines]

    def _said(self, words: str, *, by_itself: bool) -> list[TextLine]:
        """The caption and what is chosen; where there is one line the more important one."""
        caption, bars = self.plot.caption, self._bars
        if bars is not None and len(self.plot.bars) > bars.seen:
            place = f"{bars.first + 1}-{bars.first + bars.seen} of {len(self.plot.bars)}: "
            caption = place + caption
            words = place + words if words and self._foot == 1 else words
        answer = not words or (self.plot.answers and by_itself)
        if self._foot < 2:
            return [[(caption, "muted") if answer else (words, "strong")]] * self._foot
        told = wrap([(caption, "muted")], self.width)
        if len(told) > 1 and answer:
            return [told[0], shorten([span for line in told[1:] for span in (*line, (" ", "muted"))], self.width)]
        return [[(caption, "muted")], [(words, "strong")]]

    def _point(self, number: int | None, offer: int | None) -> Point | None:
        if number is not None:
            return self.plot.points[number]
        return self.plot.place(offer) if offer is not None else None

    def _fill(self, lines: list[TextLine]) -> list[TextLine]:
        return (lines + [[] for _ in range(self.height)])[: self.height]

    def _heading(self) -> TextLine:
        """What is drawn, and as much of the legend as there is room for."""
        legend = self.plot.legend
        words = [entry.word for entry in legend]
        if self._size(legend, words) > self.width:
            words = [entry.short or entry.word for entry in legend]
        while legend and self._size(legend, words) > self.width:
            legend, words = legend[:-1], words[:-1]
        line: TextLine = [(self.plot.heading, "muted")]
        for entry, word in zip(legend, words, strict=True):
            line += [("  ", "text"), (entry.glyph, entry.tone), (f" {word}", "muted")]
        return line

    def _size(self, legend: tuple[Entry, ...], words: list[str]) -> int:
        return cell_len(self.plot.heading) + sum(3 + cell_len(e.glyph + w) for e, w in zip(legend, words, strict=True))

    # panels

    def _lay_out(self, x: Axis) -> None:
        plot = self.plot
        self._axis = 2 if self.height >= 8 else 1 if self.height >= 5 else 0
        room = max(self._body - self._axis, 1)
        self._bands = plot.bands[: sum(room >= least for least in LEAST_BANDS)]
        room -= len(self._bands)
        panels: tuple[Panel, ...] = plot.panels
        if room // len(panels) < LEAST_PANEL:
            panels = (plot.joint or panels[0],)
        self._titles = len(panels) > 1
        sizes = [room // len(panels) + (k < room % len(panels)) - self._titles for k in range(len(panels))]
        ticks = [
            panel.y.ticks(size, upright=True, gap=2 if size > 4 else 1)
            for panel, size in zip(panels, sizes, strict=True)
        ]
        self._left = max(len(text) for one in ticks for _, _, text in one) + 1
        if self._bands:
            self._left = max(self._left, *(len(band.name) + 1 for band in self._bands))
        if self._left > self.width // 2:
            self._left = 0
        self._ticks = [{cell: text for cell, _, text in one} for one in ticks]
        width = self.width - self._left
        self._x_ticks = x.ticks(width)
        top = 0
        for k, (panel, size) in enumerate(zip(panels, sizes, strict=True)):
            frame = Frame(panel, x, width, size)
            self._frames.append((top + self._titles, frame))
            top += size + self._titles
            frame.draw_lines()
            if plot.cloud is not None and k == 0:
                frame.draw_cloud(plot.cloud)
        for point in plot.points:
            for frame, y in self._places(point):
                frame.draw_point(point, y)
        for k, (_, frame) in enumerate(self._frames):
            frame.draw_levels()
            frame.name_lines()
            frame.draw_rules(plot.rules, named=k == 0)

    def _places(self, point: Point) -> list[tuple[Frame, float]]:
        """The panels in which a point stands, and its height in each."""
        frames = [frame for _, frame in self._frames]
        return list(zip(frames if len(frames) > 1 else frames * 2, (point.y, point.below), strict=False))

    def _cells(self, point: Point, frame: Frame) -> list[Cell]:
        found = [frame.cell(point.x, y) for one, y in self._places(point) if one is frame]
        return [cell for cell in found if cell is not None]

    def _picture(self, point: Point | None) -> list[TextLine]:
        made: list[TextLine] = []
        for (_, frame), ticks in zip(self._frames, self._ticks, strict=True):
            if self._titles:
                made.append([(" " * self._left + frame.panel.y.name, "text")])
            chosen = self._cells(point, frame) if point is not None else []
            for y, line in enumerate(frame.rows(chosen)):
                text = ticks.get(frame.height - 1 - y, "")
                made.append([self._gutter(text, "┤" if text else "│"), *line] if self._left else line)
        made += [self._band(band) for band in self._bands]
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

    def _gutter(self, text: str, end: str) -> tuple[str, str]:
        return (f"{text:>{self._left - 1}}{end}", "muted")

    def _band(self, band: Band) -> TextLine:
        """What holds where: words in the middle of their stretch, a stroke where the next one begins."""
        assert self.plot.x is not None  # noqa: S101 - bands are along an axis
        line: TextLine = [self._gutter(band.name, "│")] if self._left else []
        x, width, at = self.plot.x, self.width - self._left, 0
        for part in band.parts:
            end = max(x.cell(part.end, width), at) if part.end < x.high else width
            word = next((word for word in part.words if cell_len(word) + 2 <= end - at), "")
            text = f" {word} " if word else ""
            line.append((f"{text:─^{end - at}}", part.tone))
            if end < width:
                line.append(("┊", "muted"))
            at = end + 1
        return line

    # the mouse

    def at(self, x: int, y: int) -> tuple[int | None, int | None]:
        """(number of the point or bar, offer) under a cell or right beside it."""
        y -= self._head
        if self._bars is not None:
            place = self._bars.at(y)
            return (None, None) if place is None else (place, self.plot.offer(place))
        for top, frame in self._frames:
            if top <= y < top + frame.height:
                return self._nearest(x - self._left, y - top, frame)
        return None, None

    def _nearest(self, x: int, y: int, frame: Frame) -> tuple[int | None, int | None]:
        def distance(cell: Cell) -> int:
            return max(abs(cell[0] - x), abs(cell[1] - y))

        found: list[tuple[int, int, int | None, int | None]] = [
            (distance(cell), 0, number, point.offer)
            for number, point in enumerate(self.plot.points)
            for cell in self._cells(point, frame)
        ]
        found += [(distance(cell), 1, None, offer) for cell, offer in frame.owners.items()]
        near = min(found, key=lambda one: one[:2], default=(REACH + 1, 0, None, None))
        return (near[2], near[3]) if near[0] <= REACH else (None, None)
