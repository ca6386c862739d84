"""A grid of terminal cells to draw on: braille dots for lines, glyphs and words above them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from tui.text import TextLine

    Array = np.ndarray[Any, Any]

ACROSS, DOWN = 2, 4
"""Dots of a cell."""
_BITS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]], dtype=np.uint8)
"""The dot at (row, column) of a braille cell in Unicode's order."""
_BRAILLE = 0x2800


class Canvas:
    """Cells with (0, 0) at the top left; what is put later covers what is there, glyphs cover dots."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._dots = np.zeros((height, width), dtype=np.uint8)
        self._tones: dict[tuple[int, int], str] = {}
        self._glyphs: dict[tuple[int, int], tuple[str, str]] = {}

    def copy(self) -> Canvas:
        """The same picture to draw on further."""
        other = Canvas(self.width, self.height)
        other._dots = self._dots.copy()
        other._tones, other._glyphs = dict(self._tones), dict(self._glyphs)
        return other

    def put(self, x: int, y: int, glyph: str, tone: str) -> None:
        """One glyph."""
        if 0 <= x < self.width and 0 <= y < self.height:
            self._glyphs[x, y] = (glyph, tone)

    def write(self, x: int, y: int, text: str, tone: str) -> None:
        """A text of glyphs one cell wide."""
        for place, char in enumerate(text):
            self.put(x + place, y, char, tone)

    def free(self, x: int, y: int, length: int) -> bool:
        """Whether nothing stands in some cells of a line."""
        if not (0 <= y < self.height and 0 <= x <= self.width - length):
            return False
        taken = any((x + place, y) in self._glyphs for place in range(length))
        return not taken and not self._dots[y, x : x + length].any()

    def column(self, x: int, glyph: str, tone: str, *, top: int = 0) -> None:
        """A line from the top to the bottom behind everything else."""
        for y in range(top, self.height):
            if (x, y) not in self._glyphs and 0 <= x < self.width and not self._dots[y, x]:
                self.put(x, y, glyph, tone)

    def row(self, y: int, glyph: str, tone: str) -> None:
        """A line from the left to the right behind everything else."""
        for x in range(self.width):
            if (x, y) not in self._glyphs and 0 <= y < self.height and not self._dots[y, x]:
                self.put(x, y, glyph, tone)

    def line(self, xs: Array, ys: Array, tone: str, *, every: int = 1) -> Array:
        """A line of dots through points in dots (x from the left, y from the top); `every` third dot makes it dotted.

        Returns the cells (x, y) it runs through, whether or not a dot of it is set there.
        """
        through: list[Array] = []
        for k in range(len(xs) - 1):
            (x0, x1), (y0, y1) = xs[k : k + 2], ys[k : k + 2]
            if not np.isfinite([x0, x1, y0, y1]).all():
                continue
            # Never more dots than the canvas is long, however far outside an end lies.
            count = min(int(max(abs(x1 - x0), abs(y1 - y0))) + 1, 16 * (self.width + self.height))
            along = np.linspace(0.0, 1.0, count + 1)
            through.append(self._set(np.rint(x0 + along * (x1 - x0)), np.rint(y0 + along * (y1 - y0)), tone, every))
        return np.unique(np.concatenate(through), axis=0) if through else np.empty((0, 2), dtype=np.intp)

    def _set(self, xs: Array, ys: Array, tone: str, every: int) -> Array:
        inside = (xs >= 0) & (xs < self.width * ACROSS) & (ys >= 0) & (ys < self.height * DOWN)
        x, y = xs[inside].astype(np.intp), ys[inside].astype(np.intp)
        through = np.stack((x // ACROSS, y // DOWN), axis=1)
        if every > 1:
            kept = (x if np.ptp(x) > 0 else y) % every == 0 if len(x) else slice(0)
            x, y = x[kept], y[kept]
        np.bitwise_or.at(self._dots, (y // DOWN, x // ACROSS), _BITS[y % DOWN, x % ACROSS])
        for cell in zip((x // ACROSS).tolist(), (y // DOWN).tolist(), strict=True):
            self._tones[cell] = tone
        return through

    def rows(self) -> list[TextLine]:
        """The picture as lines of (text, tone), neighbours of one tone together."""
        made: list[TextLine] = []
        dots = self._dots.tolist()
        for y in range(self.height):
            line: TextLine = []
            for x in range(self.width):
                glyph = self._glyphs.get((x, y))
                if glyph is None:
                    bits = dots[y][x]
                    glyph = (
                        (chr(_BRAILLE + bits), self._tones[x, y]) if bits else (" ", line[-1][1] if line else "text")
                    )
                if line and line[-1][1] == glyph[1]:
                    line[-1] = (line[-1][0] + glyph[0], glyph[1])
                else:
                    line.append(glyph)
            made.append(line)
        return made
