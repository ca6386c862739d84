"""How far the estimates are from measurements: error by metric, hardware, engine, kind of model and load."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from models.accuracy_errors import SCORE_COLUMNS, Scored, summary
from models.accuracy_facts import GROUPS, facts_of
from models.case_input import SCENARIOS, number
from models.cases import estimate_rows
from models.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["DEFAULT_GROUPS", "GROUPS", "METRICS", "SCORE_COLUMNS", "check_groups", "score"]

METRICS = {
    "tpot_ms": "tpot_ms",
    "ttft_ms": "ttft_ms",
    "ttft_ms_p50": "ttft_ms",
    "ttft_ms_p95": "ttft_p95_ms",
    "output_tokens_per_s": "output_tokens_per_s",
    "total_tokens_per_s": "total_tokens_per_s",
    "tokens_per_s_per_user": "tokens_per_s_user",
    "prompt_tokens_per_s": "prompt_tokens_per_s",
    "requests_per_s": "requests_per_s",
}
"""Measured metric -> estimated column; other metrics (p99, pools, loading times) are not scored."""
DEFAULT_GROUPS = ("class", "scenario", "metric")
CHECKED = {"ttft_ms_p95"}
"""Metrics that no fit sees, whose rows say use=check: scored on lines of their own, never blended with what was fitted."""
_BANDS = {
    "tpot_ms": ("tpot_ms", False),
    "ttft_ms": ("ttft_ms", False),
    "ttft_p95_ms": ("ttft_ms", False),
    "output_tokens_per_s": ("output_tokens_per_s", False),
    "total_tokens_per_s": ("output_tokens_per_s", False),
    "requests_per_s": ("output_tokens_per_s", False),
    "tokens_per_s_user": ("tpot_ms", True),
    "prompt_tokens_per_s": ("ttft_ms", True),
}
"""Estimated column -> the column whose band is its own, and whether one is a rate where the other is a time."""


def check_groups(by: Sequence[str]) -> tuple[str, ...]:
    """The columns to group by, the usual ones for none. Raises InputError for an unknown one."""
    unknown = next((name for name in by if name not in GROUPS), None)
    if unknown is not None:
        raise InputError(f"--by {unknown} is not a group.", hint=f"Choose from {', '.join(GROUPS)}.")
    return tuple(by) or DEFAULT_GROUPS


def score(
    rows: Iterable[Mapping[str, str]],
    *,
    by: Sequence[str] = DEFAULT_GROUPS,
    ratios: Sequence[float | None] | None = None,
) -> list[dict[str, object]]:
    """Errors of the estimates on measured rows, one group a line and all together last.

    Args:
        rows: cases with `metric` and `value`; rows with a `use` column count only where it says fit (or is empty). Those of a
            CHECKED metric that say check count where the metric is a group, and not in the last line.
        by: columns of GROUPS to group by.
        ratios: predicted over measured of every row in place of the estimate's own, None where there is none: constants
            fitted without the row's group (`models.fitting.families.left_out`).

    Returns:
        dicts with the group's columns and SCORE_COLUMNS (see `accuracy_errors.summary`). Raises InputError on a file
        without metric and value, or an unknown group.
    """
    by = check_groups(by)
    given = list(rows)
    if given and ("metric" not in given[0] or "value" not in given[0]):
        raise InputError(
            "The file has no metric and value columns: it holds cases, not measurements.",
            hint="`rackrate estimate` answers cases.",
        )
    # Constants fitted without a group say nothing new of rows that no fit sees.
    beside = "metric" in by and ratios is None
    places = [i for i, row in enumerate(given) if _is_scored(row) and (beside or not _is_check(row))]
    groups: dict[tuple[str, ...], list[Scored]] = defaultdict(list)
    for i, answer in zip(places, estimate_rows([given[i] for i in places], pull=False), strict=True):
        facts = facts_of(given[i], answer)
        own = _own_ratio(given[i], answer)
        ratio = own if ratios is None or own is None else ratios[i]
        groups[tuple(facts[name] for name in by)].append(_scored(given[i], answer, facts, ratio))
    result = [dict(zip(by, key, strict=True)) | summary(values) for key, values in sorted(groups.items())]
    place = by.index("metric") if beside else None
    everything = [
        value for key, values in groups.items() if place is None or key[place] not in CHECKED for value in values
    ]
    if len(result) > 1 and everything:
        result.append(dict.fromkeys(by, "all") | summary(everything))
    return result


def _is_scored(row: Mapping[str, str]) -> bool:
    used = (row.get("use") or "fit") == "fit" or _is_check(row)
    return used and (row.get("metric") or "") in METRICS and row.get("scenario") in (*SCENARIOS, "", None)


def _is_check(row: Mapping[str, str]) -> bool:
    return row.get("use") == "check" and row.get("metric") in CHECKED


def _own_ratio(row: Mapping[str, str], answer: Mapping[str, object]) -> float | None:
    """The estimate over the measured value; None without either."""
    predicted = answer.get(METRICS[row["metric"]])
    try:
        value = number(row, "value")
    except InputError:
        return None
    return predicted / value if isinstance(predicted, float) and value else None


def _scored(
    row: Mapping[str, str], answer: Mapping[str, object], facts: Mapping[str, str], ratio: float | None
) -> Scored:
    try:
        repeats = max(number(row, "repeats") or 1.0, 1.0)
    except InputError:
        repeats = 1.0
    low, high = _band(METRICS[row["metric"]], answer)
    return Scored(facts["hardware"], facts["model"], 1 / repeats, ratio, low, high)


def _band(column: str, answer: Mapping[str, object]) -> tuple[float | None, float | None]:
    """A figure's band relative to the figure."""
    name, inverse = _BANDS[column]
    figure, low, high = (answer.get(each) for each in (name, f"{name}_low", f"{name}_high"))
    if not (isinstance(figure, float) and isinstance(low, float) and isinstance(high, float)) or min(figure, low) <= 0:
        return None, None
    return (figure / high, figure / low) if inverse else (low / figure, high / figure)
