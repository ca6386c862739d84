"""How far the estimates are from measurements: error by metric, hardware, engine and load."""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING

from models import catalog
from models.case_input import SCENARIOS
from models.cases import estimate_rows
from models.errors import InputError, UnknownNameError
from models.gpu_speed import ENGINES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

METRICS = {
    "tpot_ms": "tpot_ms",
    "ttft_ms": "ttft_ms",
    "ttft_ms_p50": "ttft_ms",
    "output_tokens_per_s": "output_tokens_per_s",
    "total_tokens_per_s": "total_tokens_per_s",
    "tokens_per_s_per_user": "tokens_per_s_user",
    "prompt_tokens_per_s": "prompt_tokens_per_s",
    "requests_per_s": "requests_per_s",
}
"""Measured metric -> estimated column; other metrics (p99, pools, loading times) are not scored."""
GROUPS = ("metric", "class", "engine", "scenario", "hardware", "model", "source", "source_group", "quant", "basis")
DEFAULT_GROUPS = ("class", "scenario", "metric")
_BANDS = {"tpot_ms": "tpot_ms", "ttft_ms": "ttft_ms", "output_tokens_per_s": "output_tokens_per_s"}
SCORE_COLUMNS = (
    "rows",
    "answered",
    "median_error_pct",
    "mean_error_pct",
    "bias",
    "inside_band_pct",
    "chips",
    "macro_median_error_pct",
)


def _class(row: Mapping[str, object], hardware: str) -> str:
    try:
        kind, found = catalog.hardware(hardware)
    except UnknownNameError:  # a class of its own; the row's error says which name
        return "unknown"
    if kind == "cpu":
        return "cpu"
    vendor = getattr(found, "vendor", "")
    if vendor == "Apple":
        return "apple"
    return "gpu serving" if row.get("engine_used") in ENGINES else "gpu llama.cpp"


def score(rows: Iterable[Mapping[str, str]], *, by: Sequence[str] = DEFAULT_GROUPS) -> list[dict[str, object]]:
    """Errors of the estimates on measured rows, one group a line and all together last.

    Args:
        rows: cases with `metric` and `value`; rows with a `use` column count only where it says fit (or is empty).
        by: columns of GROUPS to group by.

    Returns:
        dicts with the group's columns and SCORE_COLUMNS: median and mean absolute error in percent, median of
        predicted/measured, share inside the band, and the median over chips of their medians (so that a thousand rows
        of one chip count once). Raises InputError on a file without metric and value, or an unknown group.
    """
    by = tuple(by) or DEFAULT_GROUPS
    unknown = [name for name in by if name not in GROUPS]
    if unknown:
        raise InputError(f"--by {unknown[0]} is not a group.", hint=f"Choose from {', '.join(GROUPS)}.")
    measured = list(rows)
    if measured and ("metric" not in measured[0] or "value" not in measured[0]):
        raise InputError(
            "The file has no metric and value columns: it holds cases, not measurements.",
            hint="`rackrate estimate` answers cases.",
        )
    measured = [row for row in measured if (row.get("use") or "fit") == "fit"]
    groups: dict[tuple[str, ...], list[tuple[float | None, bool | None, str]]] = defaultdict(list)
    for row, answer in zip(measured, estimate_rows(measured), strict=True):
        metric = row.get("metric") or ""
        if metric not in METRICS or row.get("scenario") not in (*SCENARIOS, "", None):
            continue
        hardware = (row.get("hardware") or "").strip()
        facts = {
            "metric": metric,
            "class": _class(answer, hardware),
            "engine": str(answer.get("engine_used") or "none"),
            "scenario": row.get("scenario") or "",
            "hardware": hardware,
            "model": row.get("model") or "",
            "source": row.get("source") or "",
            "source_group": row.get("source_group") or "",
            "quant": row.get("quant") or "",
            "basis": str(answer.get("basis") or "none"),
        }
        groups[tuple(facts[name] for name in by)].append((*_one(row, answer, METRICS[metric]), hardware))
    result = [dict(zip(by, key, strict=True)) | _summary(values) for key, values in sorted(groups.items())]
    if len(result) > 1:
        everything = [value for values in groups.values() for value in values]
        result.append(dict.fromkeys(by, "all") | _summary(everything))
    return result


def _one(row: Mapping[str, str], answer: Mapping[str, object], name: str) -> tuple[float | None, bool | None]:
    """(predicted/measured, inside the band) of one row; None without an answer or a band."""
    predicted = answer.get(name)
    try:
        value = float(row.get("value") or "")
    except ValueError:
        return None, None
    if not isinstance(predicted, float) or value <= 0:
        return None, None
    inside = None
    if name in _BANDS:
        low, high = answer.get(f"{name}_low"), answer.get(f"{name}_high")
        if isinstance(low, float) and isinstance(high, float):
            inside = low <= value <= high
    return predicted / value, inside


def _summary(values: Sequence[tuple[float | None, bool | None, str]]) -> dict[str, object]:
    ratios = [ratio for ratio, _, _ in values if ratio is not None]
    inside = [flag for _, flag, _ in values if flag is not None]
    chips: dict[str, list[float]] = defaultdict(list)
    for ratio, _, hardware in values:
        if ratio is not None:
            chips[hardware].append(abs(ratio - 1))
    errors = [abs(ratio - 1) for ratio in ratios]
    return {
        "rows": len(values),
        "answered": len(ratios),
        "median_error_pct": round(100 * median(errors), 1) if errors else None,
        "mean_error_pct": round(100 * sum(errors) / len(errors), 1) if errors else None,
        "bias": round(median(ratios), 3) if ratios else None,
        "inside_band_pct": round(100 * sum(inside) / len(inside), 1) if inside else None,
        "chips": len(chips),
        "macro_median_error_pct": round(100 * median(median(each) for each in chips.values()), 1) if chips else None,
    }
