"""One panel at one size: lines, offers, points, and the words that name them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tui.plots.canvas import ACROSS, DOWN, Canvas
from tui.plots.places import above, beside, write_first
from tui.plots.plot import CHOSEN
from tui.text import sign

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tui.plots.axis import Axis
    from tui.plots.plot import Cloud, Panel, Point, Rule
    from tui.text import TextLine

    Array = np.ndarray[Any, Any]

Cell = tuple[int, int]


class Frame:
    """A panel drawn into so many cells."""

    def __init__(self, panel: Panel, x: Axis, width: int, height: int) -> None:
        self.panel, self._x = panel, x
        self._canvas = Canvas(width, height)
        self._through: list[Array] = []
        """The cells that each line runs through."""
        self.owners: dict[Cell, int] = {}
        """The offer that is drawn in a cell and is no point."""

    @property
    def height(self) -> int:
        """Lines of the picture."""
        return self._canvas.height

    # where

    def across(self, values: Any) -> Any:
        """Dots from the left."""
        return np.rint(self._x.share(values) * (self._canvas.width * ACROSS - 1))

    def down(self, values: Any) -> Any:
        """Dots from the top."""
        return np.rint((1 - self.panel.y.share(values)) * (self._canvas.height * DOWN - 1))

    def cell(self, x: float, y: float) -> Cell | None:
        """The cell of a place, None where it has none."""
        across, down = self.across(x), self.down(y)
        return (int(across) // ACROSS, int(down) // DOWN) if np.isfinite(across) and np.isfinite(down) else None

    # drawing: words come after everything that they must not cover

    def draw_lines(self) -> None:
        """The panel's own lines."""
        self._through = [
            self._canvas.line(self.across(line.x), self.down(line.y), line.tone, every=line.every)
            for line in self.panel.lines
        ]

    def draw_cloud(self, cloud: Cloud) -> None:
        """One glyph a cell: of the offers in it the first that is worth a look, or else the first."""
        width, height = self._canvas.width, self._canvas.height
        x, y = self._x.share(cloud.x) * (width * ACROSS - 1), (1 - self.panel.y.share(cloud.y)) * (height * DOWN - 1)
        known = np.isfinite(x) & np.isfinite(y)
        x, y = (np.rint(np.where(known, one, -8)).astype(np.intp) for one in (x, y))
        x, y = x // ACROSS, y // DOWN
        known &= (x >= 0) & (x < width) & (y >= 0) & (y < height)
        owner = np.full(width * height, -1, dtype=np.intp)
        for flag in (~cloud.good, cloud.good):
            # Of several written to one cell the last one stays: the first in the table's order.
            places = np.flatnonzero(known & flag)[::-1]
            owner[y[places] * width + x[places]] = places
        for cell in np.flatnonzero(owner >= 0).tolist():
            place = int(owner[cell])
            glyph, tone = sign(gpu=bool(cloud.gpu[place]))
            here = (cell % width, cell // width)
            self._canvas.put(*here, glyph, tone if cloud.good[place] else "faint")
            self.owners[here] = int(cloud.offer[place])

    def draw_point(self, point: Point, y: float) -> None:
        """A point at a height."""
        cell = self.cell(point.x, y)
        if cell is not None:
            self._canvas.put(*cell, point.glyph, point.tone)

    def name_lines(self) -> None:
        """The name of each line where it is last seen, or as near to that as no other line is nearer."""
        for number, line in enumerate(self.panel.lines):
            own = self._through[number]
            if line.name and len(own):
                others = [cells for n, cells in enumerate(self._through) if n != number and len(cells)]
                beside(self._canvas, own, np.concatenate(others) if others else own[:0], line.name, line.tone)

    def draw_levels(self) -> None:
        """Lines at values of y, each with its name."""
        canvas = self._canvas
        for rule in self.panel.rules:
            at = self.down(rule.value)
            if 0 <= at < canvas.height * DOWN:
                y, middle = int(at) // DOWN, canvas.width // 2
                write_first(canvas, (y, y - 1, y + 1), (1, -1, middle, middle // 2), _names(rule), rule.tone)
                canvas.row(y, rule.glyph, rule.tone)

    def draw_rules(self, rules: Iterable[Rule], *, named: bool) -> None:
        """Lines at values of x, behind everything else, with their names at the top."""
        canvas = self._canvas
        columns = []
        for rule in sorted(rules, key=lambda rule: rule.value):
            at = self.across(rule.value)
            if 0 <= at < canvas.width * ACROSS:
                x = int(at) // ACROSS
                columns.append((x, rule))
                if named:
                    above(canvas, x, _names(rule), rule.tone)
        for x, rule in columns:
            canvas.column(x, rule.glyph, rule.tone)

    def rows(self, chosen: list[Cell]) -> list[TextLine]:
        """The picture, with some cells marked as chosen."""
        if not chosen:
            return self._canvas.rows()
        canvas = self._canvas.copy()
        for cell in chosen:
            canvas.put(*cell, CHOSEN, "accent")
        return canvas.rows()


def _names(rule: Rule) -> tuple[str, ...]:
    return tuple(name for name in (rule.name, rule.short) if name)
