"""Where words stand in a picture: beside what they name, and never over anything else."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tui.plots.canvas import Canvas

    Array = np.ndarray[Any, Any]

BACK = (1.0, 0.85, 0.7, 0.5, 0.3)
"""How far along a line its name may stand: at its end, or else before it."""
AROUND = 3
"""Lines above and below such a place, and cells beside it, where a name is still near."""
NEAR = 4.0
"""How far a name may be from its line, in cells; a line of the screen is as high as two."""


def write(canvas: Canvas, y: int, starts: Iterable[int], text: str, tone: str) -> bool:
    """Write a text at the first of some places of a line where nothing stands or touches it; False where there is none."""
    for start in starts:
        left = max(start - 1, 0)
        right = start + len(text)
        inside = start >= 0 and right <= canvas.width
        if text and inside and canvas.free(left, y, min(right + 1, canvas.width) - left):
            canvas.write(start, y, text, tone)
            return True
    return False


def write_first(
    canvas: Canvas, lines: Iterable[int], starts: tuple[int, ...], texts: tuple[str, ...], tone: str
) -> bool:
    """Write the first of some texts that has room on one of some lines; negative starts count from the right end."""
    return any(
        write(canvas, y, (start if start >= 0 else canvas.width - len(text) + start for start in starts), text, tone)
        for text, y in product(texts, lines)
    )


def _apart(cells: Array, x: int, y: int, length: int) -> float:
    """How far a word is from the nearest of some cells."""
    if not len(cells):
        return float("inf")
    across = np.maximum(np.maximum(x - cells[:, 0], cells[:, 0] - (x + length - 1)), 0)
    return float(np.hypot(across, 2 * (cells[:, 1] - y)).min())


def beside(canvas: Canvas, own: Array, others: Array, text: str, tone: str) -> bool:
    """Write a line's name near its end; False where there is no room that is nearer to it than to other lines.

    `own` are the cells (x, y) of the line, `others` those of all others.
    """
    order = np.argsort(own[:, 0], kind="stable")
    length = len(text)
    for share in BACK:
        at, row = own[order[int(share * (len(own) - 1))]].tolist()
        found = []
        for y, x in product(range(row - AROUND, row + AROUND + 1), range(at - length - AROUND, at + AROUND + 1)):
            if canvas.free(x, y, length):
                apart = _apart(own, x, y, length)
                if apart <= min(NEAR, _apart(others, x, y, length) - 1):
                    found.append((apart, -x, y))
        for _, x, y in sorted(found):
            if write(canvas, y, (-x,), text, tone):
                return True
    return False


def above(canvas: Canvas, x: int, texts: tuple[str, ...], tone: str) -> bool:
    """Write the first of some texts that has room beside a line from top to bottom, near its top."""
    return any(
        write(canvas, y, (x + 1, x - len(text)), text, tone) for text, y in product(texts, range(min(3, canvas.height)))
    )
