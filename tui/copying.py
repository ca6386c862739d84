"""Offers as text for the clipboard: tab-separated values and Markdown tables with plain numbers, safe for spreadsheets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tui import format as fmt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tui.rows import Rows

COLUMNS = (
    "server", "provider", "region", "term", "hardware", "engine_used", "quant_used", "memory_used_share", "ttft_ms", "tpot_ms",
    "tokens_per_s_user", "max_concurrency", "servers_needed", "cost_currency", "hourly_cost", "monthly_cost", "cost_per_m_output_tokens",
    "price_age_days", "meets_targets", "reason", "source_url",
)  # fmt: skip
"""What a copied row holds; the names of the CSV export, and the hardware in words."""


def table(rows: Rows, chosen: Sequence[int]) -> list[dict[str, Any]]:
    """The chosen offers as plain values, None = no figure."""
    return [
        {
            **rows.comparison.row(i),
            "hardware": rows.hardware(i),
            "memory_used_share": rows.value("memory_used_share", i),
        }
        for i in chosen
    ]


def tsv(rows: Rows, chosen: Sequence[int]) -> str:
    """A header and a line an offer."""
    return tsv_lines([COLUMNS, *([row[name] for name in COLUMNS] for row in table(rows, chosen))])


def tsv_lines(lines: Sequence[Sequence[Any]]) -> str:
    """Any table with tabs between its cells: no cell holds a tab, a line break or a formula."""
    return "".join("\t".join(cell(value) for value in line) + "\n" for line in lines)


def markdown(rows: Rows, chosen: Sequence[int]) -> str:
    """A Markdown table of the offers."""
    return markdown_lines([COLUMNS, *([row[name] for name in COLUMNS] for row in table(rows, chosen))])


def markdown_lines(lines: Sequence[Sequence[Any]]) -> str:
    """Any table as Markdown, the first line as its head: bars and line breaks in cells cannot break it."""
    head, *body = ([_escaped(cell(value)) for value in line] for line in lines)
    shown = [head, ["---"] * len(head), *body]
    return "".join(f"| {' | '.join(line)} |\n" for line in shown)


def cell(value: Any) -> str:
    """One value as text: numbers plain, text without control characters and with an apostrophe before what looks like a formula."""
    from pricing.export import safe

    if isinstance(value, str):
        value = " ".join(fmt.clean(value).split())
    return str(safe(value))


def _escaped(text: str) -> str:
    """Text that stands in a cell of a Markdown table as it is."""
    for sign in ("\\", "|", "`", "<", "*", "_", "["):
        text = text.replace(sign, f"\\{sign}")
    return text
