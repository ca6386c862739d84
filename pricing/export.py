"""Comparisons and offers as CSV, JSON and Markdown.

Texts come from feeds and files: a cell that a spreadsheet would run as a formula is written with an apostrophe in
front; numbers stay numbers.
"""

from __future__ import annotations

import csv
import json
import math
import re
from typing import TYPE_CHECKING, Any, TextIO

from pricing.asked import COLUMNS as ASKED
from pricing.asked import workload_text
from pricing.compare import COMPARE_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pricing.compare import Comparison

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "＝", "＋", "－", "＠")

EXPORT_COLUMNS: tuple[str, ...] = (*COMPARE_COLUMNS, *ASKED)
"""What a file of a comparison holds: its figures, and behind them what was asked."""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\r(?!\n)")
"""Control and direction characters but tabs and line ends, which belong to a text in quotes."""
MARKDOWN_COLUMNS = (
    "server",
    "provider",
    "region",
    "term",
    "servers_needed",
    "cost_currency",
    "cost_per_m_output_tokens",
    "monthly_cost",
    "ttft_ms",
    "tokens_per_s_user",
    "max_concurrency",
    "price_age_days",
    "meets_targets",
    "reason",
)


def rows(comparison: Comparison, chosen: Iterable[int], selection: str | None = None) -> Iterable[dict[str, Any]]:
    """All columns of the chosen offers, in that order; `selection` says how they were chosen, None = not said."""
    asked = {"workload": workload_text(comparison.workload, comparison.terms), "selection": selection}
    return (comparison.row(int(at)) | asked for at in chosen)


def safe(value: object) -> object:
    """A cell: None empty, booleans in small letters, floats as written, dangerous texts defused."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        if not value.isprintable():  # a CSV is printed as well, and a terminal would obey
            value = _CONTROL.sub("", value)
        return f"'{value}" if value.lstrip(" ").startswith(_FORMULA) else value
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 1e15 else float(f"{value:.10g}")
    return value


def write_csv(out: TextIO, table: Iterable[Mapping[str, Any]], columns: Sequence[str] = EXPORT_COLUMNS) -> int:
    """Write rows as CSV with a header; how many there were."""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    count = 0
    for row in table:
        writer.writerow([safe(row.get(name)) for name in columns])
        count += 1
    return count


def rows_json(table: Iterable[Mapping[str, Any]], columns: Sequence[str] | None = None) -> str:
    """Rows as a JSON list; a missing figure is null, never NaN."""
    names = None if columns is None else set(columns)
    clean = [{name: _finite(value) for name, value in row.items() if names is None or name in names} for row in table]
    return json.dumps(clean, indent=1, ensure_ascii=False, allow_nan=False)


def markdown(table: Iterable[Mapping[str, Any]], columns: Sequence[str] = MARKDOWN_COLUMNS) -> str:
    """Rows as a Markdown table; bars and line breaks in texts are escaped."""
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(_short(row.get(name)) for name in columns) + " |" for row in table]
    return "\n".join(lines) + "\n"


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _short(value: Any) -> str:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    text = "".join(char if char.isprintable() else " " for char in str(value))
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
