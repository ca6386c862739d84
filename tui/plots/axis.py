"""A logarithmic axis: round ends around the data, and the most ticks whose labels do not touch."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    Array = np.ndarray[Any, Any]

STEPS = (1, 2, 5)
_SUFFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"))
_NOISE = 1e-9
"""A logarithm this near to a whole number is one: ends that lie on a tick stay on it."""


def label(value: float) -> str:
    """A tick's number: 0.0001, 0.5, 20, 2k, 500k, 1M, 10G; beyond those as a power of ten."""
    for scale, suffix in _SUFFIXES:
        if scale <= value < 1e12:
            return f"{value / scale:.4g}{suffix}"
    if 0.9e-4 <= value < 1e12:
        return f"{value:.6f}".rstrip("0").rstrip(".") if value < 1 else f"{value:.4g}"
    return f"{value:.0e}".replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")


class Axis:
    """Values on a logarithmic scale with round ends; base 10 has the ticks 1 2 5, base 2 the powers of two."""

    def __init__(self, low: float, high: float, *, base: int = 10, name: str = "") -> None:
        """An axis that holds `low` to `high`, both positive; it is always at least one tick long."""
        self.base = base
        self.name = name
        """What is measured, with its unit."""
        first, last = self._below(low), -self._below(-high)
        if first == last:
            first, last = first - 1, last + 1
        self._first, self._last = first, last
        self.low, self.high = self._value(first), self._value(last)

    def _below(self, value: float) -> int:
        """Number of the last tick at or below a value; for a negative one minus that of the first at or above its size."""
        size, sign = abs(value), -1 if value < 0 else 1
        if self.base == 2:
            return math.floor(sign * math.log2(size) + _NOISE)
        decade = math.floor(math.log10(size) + _NOISE)
        part = size / 10.0**decade
        under = sum(part >= step * (1 - _NOISE) for step in STEPS) - 1
        over = sum(part > step * (1 + _NOISE) for step in STEPS)
        return sign * (decade * len(STEPS) + (under if sign > 0 else over))

    def _value(self, number: int) -> float:
        if self.base == 2:
            return float(2.0**number)
        decade, inside = divmod(number, len(STEPS))
        return float(f"{STEPS[inside]}e{decade}")  # 2e-1 exactly, where 2 x 10 ** -1 is not

    def share(self, values: Any) -> Array:
        """How far along the axis values lie, 0 to 1 inside; NaN for what has no logarithm."""
        array = np.asarray(values, dtype=float)
        with np.errstate(invalid="ignore", divide="ignore"):
            logs = np.log(np.where(array > 0, array, np.nan))
        made: Array = (logs - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        return made

    def cell(self, value: float, cells: int) -> int:
        """The cell of a value on an axis of so many cells."""
        return round(float(self.share(value)) * (2 * cells - 1)) // 2

    def _choices(self) -> Iterator[list[int]]:
        """Sets of ticks from the densest to the two ends alone."""
        numbers = range(self._first, self._last + 1)
        steps = len(STEPS) if self.base == 10 else 1
        if self.base == 10:
            yield list(numbers)
        for apart in (1, 2, 3, 4, 5, 6, 8, 10, 12):
            chosen = [number for number in numbers if number % (apart * steps) == 0]
            if len(chosen) > 1:
                yield chosen
        yield [self._first, self._last]

    def ticks(self, cells: int, *, upright: bool = False, gap: int = 2) -> list[tuple[int, int, str]]:
        """(cell of the tick, first cell of its label, label) in ascending order; labels are centred below the ticks.

        Upright, labels stand beside the ticks, one a line, cell 0 being the lowest, and `gap` is the lines from tick to tick.
        """
        made: list[tuple[int, int, str]] = []
        for numbers in self._choices():
            made = []
            for number in numbers:
                text = label(self._value(number))
                cell = self.cell(self._value(number), cells)
                start = cell if upright else max(0, min(cell - len(text) // 2, cells - len(text)))
                made.append((cell, start, text))
            if upright:
                clear = all(after[0] - before[0] >= gap for before, after in pairwise(made))
            else:
                ends = [start + len(text) for _, start, text in made]
                clear = all(after[1] - end >= gap for end, after in zip(ends, made[1:], strict=False))
            if clear:
                return made
        return made


def around(*arrays: Any, base: int = 10, name: str = "", least: float = 1.0) -> Axis | None:
    """An axis that holds all positive numbers of some arrays, at least `least` times from end to end; None where there is none."""
    parts = [np.asarray(array, dtype=float).ravel() for array in arrays]
    values = np.concatenate(parts) if parts else np.empty(0)
    values = values[np.isfinite(values) & (values > 0)]
    if not len(values):
        return None
    low, high = float(values.min()), float(values.max())
    if high < low * least:
        low, high = math.sqrt(low * high / least), math.sqrt(low * high * least)
    return Axis(low, high, base=base, name=name)
