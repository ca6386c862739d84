"""How much nearer the estimates come to measured rows with the rows beside them, their own configuration or source left out."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from models.accuracy_errors import weighted_median
from models.near_bands import DECODE, OUTPUT
from models.nearest import FARTHEST, OTHER_FIGURE, REACH, SHRINK, WIDTH, Points, points_of, squared_distance

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Array = NDArray[np.float64]

_NAMES = ("decode", "prompt", "output")


@dataclass(frozen=True, slots=True)
class Left:
    """Errors of one kind of formulas and figure on rows that have others within reach."""

    kind: str
    figure: str
    rows: int
    before_pct: float
    """Median error of the formulas alone."""
    after_pct: float
    low: float
    """Measured over pulled, tenth and ninetieth percentile (times for decode and prompt, a rate for output)."""
    high: float


def left_out(
    rows: Iterable[dict[str, str]], leave: Sequence[str], *, width: float = WIDTH, shrink: float = SHRINK
) -> list[Left]:
    """Errors with all rows left out that share the columns `leave` with the one looked at.

    Args:
        rows: measured rows (`models.measured_rows`), any models.
        leave: columns, as ("source", "concurrency", "input_tokens", ...) for one configuration or ("source_group",) for one source.
        width: of the kernel; shrink: weight of no deviation.
    """
    models: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in rows:
        models[row["model"]].append(row)
    parts: dict[tuple[str, str], list[Array]] = defaultdict(list)
    for some in models.values():
        found = points_of(some)
        if found is not None:
            for key, start in found.start.items():
                _one_key(found, slice(start, start + found.count[key]), leave, (width, shrink), parts)
    return [_summary(kind, figure, np.concatenate(arrays, axis=1)) for (kind, figure), arrays in sorted(parts.items())]


CONFIGURATION = (
    *("source", "quant", "kv_quant", "engine", "engine_version", "hardware", "note"),
    *("input_tokens", "output_tokens", "concurrency", "request_rate_rps", "scenario"),
)
"""Columns that rows of one configuration share."""


def _one_key(
    found: Points,
    where: slice,
    leave: Sequence[str],
    form: tuple[float, float],
    parts: dict[tuple[str, str], list[Array]],
) -> None:
    """(deviation before, after, weight) of the rows of one key, added to `parts`."""
    rows = found.rows[where]
    labels: dict[tuple[str, ...], int] = {}
    label = np.array([labels.setdefault(tuple(row[name] for name in leave), len(labels)) for row in rows])
    n = len(rows)
    mine, other = np.repeat(np.arange(n), n), np.tile(np.arange(n), n)
    load, test = found.load[where], found.test[where]
    squared = squared_distance(load[mine], test[mine], load[other], test[other]).reshape(n, n)
    near = np.exp(squared / (-2 * form[0] ** 2)) * (squared <= FARTHEST**2) * (label[:, None] != label)
    figure, ratio = found.figure[where], found.log_ratio[where]
    kind = found.kind[where][0]
    both = (figure[:, None] + figure == DECODE + OUTPUT) & (figure[:, None] != figure)
    cross = OTHER_FIGURE if kind == "serving" else 1.0
    speaks = (figure[:, None] == figure) + cross * both
    kernel = near * found.weight[where] * speaks
    weight = kernel.sum(axis=1)
    # As in `models.nearest.pull`: many rows far away say no more than the nearest of them can.
    best = np.where(speaks > 0, near, 0.0).max(axis=1)
    after = ratio - best * (kernel @ ratio) / (weight + form[1])
    for which, name in enumerate(_NAMES):
        some = (figure == which) & (weight >= REACH)
        if some.any():
            parts[kind, name].append(np.stack([ratio[some], after[some], found.weight[where][some]]))


def _summary(kind: str, figure: str, values: Array) -> Left:
    before, after, weight = values
    sign = -1.0 if figure == "output" else 1.0

    def error(deviation: Array) -> float:
        pairs = zip(np.abs(np.expm1(-sign * deviation)).tolist(), weight.tolist(), strict=True)
        return 100 * (weighted_median(list(pairs)) or 0.0)

    order = np.argsort(sign * after)
    share = np.cumsum(weight[order]) / weight.sum()
    low, high = (float(np.exp(sign * after[order][np.searchsorted(share, at)])) for at in (0.1, 0.9))
    return Left(kind, figure, values.shape[1], error(before), error(after), low, high)
