"""An offer of a comparison as one row of an advice's table: what it is, what it costs, how fast, and on what that rests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tui import format as fmt
from tui import rows
from tui.cli.output import plain
from tui.cli.table import Column

if TYPE_CHECKING:
    from pricing.compare import Comparison

FIGURES = (
    "servers_needed", "monthly_cost", "cost_per_m_output_tokens", "cost_per_m_total_tokens", "ttft_ms", "ttft_ms_low", "ttft_ms_high",
    "ttft_p95_ms", "tpot_ms", "tpot_ms_low", "tpot_ms_high", "tokens_per_s_user", "max_concurrency", "requests_per_s_at_target",
    "utilization", "price_age_days",
)  # fmt: skip


def offer_row(comparison: Comparison, at: int, **more: Any) -> dict[str, Any]:
    """The facts and figures of one offer, None where there is none; `more` comes first."""
    entry = comparison.market.offers[at]
    server = int(comparison.market.server_index[at])
    row: dict[str, Any] = {
        **more,
        "offer_id": entry.offer_id,
        "server": entry.server,
        "provider": entry.provider,
        "kind": entry.kind,
        "hardware": rows.hardware(entry),
        "region": entry.region or entry.region_group,
        "term": entry.term,
        "commitment_months": entry.commitment_months,
    }
    row |= {name: plain(comparison.column(name)[at]) for name in FIGURES}
    row |= {
        "currency": comparison.terms.currency,
        "engine": comparison.estimates.engine_used(server) or None,
        "quant": comparison.estimates.quant_used(server) or None,
        "bound_by": comparison.estimates.bound_by(server) or None,
        "basis": comparison.estimates.basis(server) or None,
        "meets_targets": bool(comparison.column("meets_targets")[at]),
        "warnings": list(comparison.warnings(at)),
        "source": entry.source,
        "source_url": entry.source_url,
        "source_date": entry.source_date,
    }
    return row


def with_band(value: float | None, low: float | None, high: float | None) -> str:
    """A latency with its error band: "964 ms (610 ms–1.52 s)"."""
    if value is None:
        return fmt.MISSING
    said = fmt.duration(value)
    return f"{said} ({fmt.duration(low)}–{fmt.duration(high)})" if low is not None and high is not None else said


def printed(row: dict[str, Any]) -> dict[str, Any]:
    """The row with the cells that are put together for reading."""
    count = int(row["servers_needed"] or 1)
    name = rows.name(row["server"], row["provider"])
    return {
        **row,
        "fleet": f"{count:,}× {name}" if count > 1 else name,
        "ttft": with_band(row["ttft_ms"], row["ttft_ms_low"], row["ttft_ms_high"]),
        "tpot": with_band(row["tpot_ms"], row["tpot_ms_low"], row["tpot_ms_high"]),
        "seen": row["source_date"] or "undated",
    }


def columns(currency: str, *first: Column, tail: bool = False) -> tuple[Column, ...]:
    """The printed columns of such rows, after those given; `tail`: the TTFT target is one of the 95th percentile."""
    p95 = (Column("ttft_p95_ms", "TTFT p95", 2, fmt.duration),) if tail else ()
    return (
        *first,
        Column("fleet", "Servers", 1, widest=30),
        Column("provider", "Provider", 2),
        Column("hardware", "Hardware", 2, widest=26),
        Column("region", "Where", 8, widest=14),
        Column("term", "Term", 9),
        Column("monthly_cost", f"{currency}/month", 1),
        Column("cost_per_m_output_tokens", f"{currency}/Mtok", 5),
        *p95,
        Column("ttft", "TTFT (band)", 3),
        Column("tpot", "TPOT (band)", 4),
        Column("max_concurrency", "Users", 7, fmt.count),
        Column("bound_by", "Limited by", 10),
        Column("basis", "Rests on", 11),
        Column("seen", "Price of", 7),
    )
