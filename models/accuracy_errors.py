"""Errors of a group of measured rows: weighted medians, means over chips and models, bands."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SCORE_COLUMNS = (
    "rows",
    "answered",
    "median_error_pct",
    "mean_error_pct",
    "bias",
    "inside_band_pct",
    "band_width",
    "chips",
    "macro_median_error_pct",
    "models",
    "macro_median_models_error_pct",
)


@dataclass(frozen=True, slots=True)
class Scored:
    """One measured row beside its estimate."""

    hardware: str
    model: str
    weight: float
    """One over the rows that repeat its configuration."""
    ratio: float | None = None
    """Predicted over measured; None without an answer."""
    low: float | None = None
    """The band relative to the estimate; None where the figure has none."""
    high: float | None = None

    @property
    def error(self) -> float:
        """Absolute error as a share of the measured value."""
        return abs((self.ratio or 0.0) - 1)

    @property
    def inside(self) -> bool:
        """Whether the measured value lies inside the band."""
        return self.ratio is not None and (self.low or 0.0) <= 1 / self.ratio <= (self.high or 0.0)


def summary(rows: Sequence[Scored]) -> dict[str, object]:
    """SCORE_COLUMNS of a group; None where no row has an answer or a band.

    Median, mean and coverage weigh a row by one over its repeats; `bias` is the median of predicted/measured,
    `band_width` the median of a band's upper over its lower end. The macro medians are over chips and over models, of
    their medians: a thousand rows of one chip count once.
    """
    answered = [row for row in rows if row.ratio is not None]
    banded = [row for row in answered if row.low and row.high]
    errors = [(row.error, row.weight) for row in answered]
    chips, models = _medians(answered, lambda row: row.hardware), _medians(answered, lambda row: row.model)
    values = (
        len(rows),
        len(answered),
        _percent(weighted_median(errors)),
        _percent(_mean(errors)),
        _rounded(weighted_median([(row.ratio or 0.0, row.weight) for row in answered]), 3),
        _percent(_mean([(float(row.inside), row.weight) for row in banded])),
        _rounded(weighted_median([((row.high or 0.0) / (row.low or 1.0), row.weight) for row in banded]), 2),
        len(chips),
        _percent(median(chips) if chips else None),
        len(models),
        _percent(median(models) if models else None),
    )
    return dict(zip(SCORE_COLUMNS, values, strict=True))


def _medians(rows: Sequence[Scored], key: Callable[[Scored], str]) -> list[float]:
    """Median error of every group of the rows."""
    groups: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append((row.error, row.weight))
    return [found for found in map(weighted_median, groups.values()) if found is not None]


def weighted_median(pairs: Sequence[tuple[float, float]]) -> float | None:
    """The value in the middle of the weight, the mean of two where it falls between them; None of nothing."""
    if not pairs:
        return None
    ordered = sorted(pairs)
    half = sum(weight for _, weight in ordered) / 2
    below = 0.0
    for i, (value, weight) in enumerate(ordered):
        below += weight
        # weights are sums of shares such as 1/3: equal up to rounding
        if abs(below - half) <= 1e-9 * half and i + 1 < len(ordered):
            return (value + ordered[i + 1][0]) / 2
        if below > half:
            return value
    return ordered[-1][0]


def _mean(pairs: Sequence[tuple[float, float]]) -> float | None:
    total = sum(weight for _, weight in pairs)
    return sum(value * weight for value, weight in pairs) / total if total else None


def _percent(share: float | None) -> float | None:
    return None if share is None else round(100 * share, 1)


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
