"""Error bands by class, from rows predicted by constants that never saw their source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from models.bands import band_names
from models.case_input import parse_case
from models.cases import sort_cases

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from models.bands import BandNames
    from models.constants import Band
    from models.fitting.least_squares import Array, Fit

INSIDE = 0.80
"""Share of unseen rows that a band is to hold."""
_AT_LEAST = 0.76
"""Share it must hold of rows of a source that the fit left out, and of rows the fit saw."""
_FEWEST = 20
"""A class with fewer rows keeps the band it has: a tenth of them is one row or two."""
_TIMES = {"tpot_ms": "tpot", "ttft_ms": "ttft", "ttft_ms_p50": "ttft"}
_RATES = {
    "prompt_tokens_per_s": "ttft",
    "tokens_per_s_per_user": "tpot",
    "output_tokens_per_s": "output",
    "total_tokens_per_s": "output",
    "requests_per_s": "output",
}
_STEPS = 41


@dataclass(frozen=True, slots=True)
class FittedBand:
    """A band and what it was found from."""

    low: float
    high: float
    rows: int
    sources: int
    coverage_left_out: float
    coverage_fit: float


def _names(rows: Iterable[Mapping[str, str]]) -> dict[str, BandNames]:
    """Bands of every answered row, by id."""
    cases = [parse_case({key: value for key, value in row.items() if key != "case_id"}) for row in rows]
    found: dict[str, BandNames] = {}
    for group in sort_cases(cases):
        for case, names in zip(group.cases, band_names(group.kind, group.cases, group.rates), strict=True):
            found[case.raw.get("case_id", "")] = names
    return found


def _class(names: BandNames, metric: str) -> tuple[str, bool]:
    """(band of a row's figure, whether measured over predicted must be turned over to compare with it)."""
    which = _TIMES.get(metric) or _RATES[metric]
    is_time = which != "output" or names.output_is_time
    return getattr(names, which), is_time and metric in _RATES


def narrowest(left_out: Array, seen: Array) -> tuple[float, float]:
    """The narrowest (low, high) round 1 that holds enough of both sets of ln(measured/predicted).

    Quantiles of the left-out rows are tried from both ends; a band that holds more than it must is not narrower.
    """
    shares = np.linspace(0.02, 0.22, _STEPS)
    lows = np.minimum(np.quantile(left_out, shares), -0.02)
    highs = np.maximum(np.quantile(left_out, 1 - shares), 0.02)
    best, width = (float(lows[0]), float(highs[0])), np.inf
    for low in lows:
        for high in highs:
            inside = np.mean((left_out >= low) & (left_out <= high))
            kept = np.mean((seen >= low) & (seen <= high))
            if high - low < width and inside >= INSIDE - 0.01 and kept >= _AT_LEAST:
                best, width = (float(low), float(high)), high - low
    return best


def fitted_bands(rows: Sequence[Mapping[str, str]], fits: Iterable[tuple[Fit, Array]]) -> dict[str, FittedBand]:
    """Bands of the classes with enough rows.

    Args:
        rows: measured rows with ids; fits: of every family the fit and ln(predicted/measured) of its rows left out by source.
    """
    names = _names(rows)
    metric = {row.get("id", ""): row.get("metric") or "" for row in rows}
    groups: dict[str, list[tuple[float, float, str]]] = {}
    for fit, left_out in fits:
        labels, scored = fit.problem.labels, fit.problem.weight > 0
        for i in np.flatnonzero(scored):
            key = str(labels["id"][i])
            if key not in names or metric.get(key, "") not in _TIMES | _RATES:
                continue
            band, turned = _class(names[key], metric[key])
            sign = 1.0 if turned else -1.0
            one = (sign * float(left_out[i]), sign * float(fit.residual[i]), str(labels["source"][i]))
            groups.setdefault(band, []).append(one)
    result = {}
    for band, found in sorted(groups.items()):
        if len(found) < _FEWEST:
            continue
        out, seen = np.array([each[0] for each in found]), np.array([each[1] for each in found])
        low, high = narrowest(out, seen)
        result[band] = FittedBand(
            float(np.exp(low)),
            float(np.exp(high)),
            len(found),
            len({each[2] for each in found}),
            float(np.mean((out >= low) & (out <= high))),
            float(np.mean((seen >= low) & (seen <= high))),
        )
    return result


def text(bands: Mapping[str, FittedBand], kept: Mapping[str, Band], chips: Iterable[str], date: str) -> str:
    """The bands file: fitted classes with what they hold, those without enough rows as they were, and the measured chips."""
    lines = [
        "# Measured over predicted, from rows of sources that the fit left out; `inside` = share of those rows that a band holds,",
        "# `inside_seen` = of rows the fit saw. Classes without rows or with too few: judgement, see CONTRIBUTING.md.",
    ]
    for name in sorted({*bands, *kept}):
        band = bands.get(name)
        if band is None:
            lines += ["", f"[band.{name}]", f"low = {kept[name].low:g}", f"high = {kept[name].high:g}"]
            continue
        lines += [
            "",
            f"[band.{name}]",
            f"low = {band.low:.2f}",
            f"high = {band.high:.2f}",
            f"rows = {band.rows}",
            f"sources = {band.sources}",
            f"inside = {band.coverage_left_out:.2f}",
            f"inside_seen = {band.coverage_fit:.2f}",
        ]
    lines += ["", "[measured]", f'source_date = "{date}"', "chips = ["]
    lines += [f'  "{name}",' for name in sorted(set(chips))]
    return "\n".join([*lines, "]"]) + "\n"
