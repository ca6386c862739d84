"""When fresh prices look too wrong to take unseen: they are held back, and the last good ones stay."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pricing.money import Rates
    from pricing.offer import Offer
    from pricing.tokens import TokenPrice

MAX_LOST_SHARE = 0.3
MAX_PRICE_MOVE = 3.0
MIN_SOUND_SHARE = 0.5
MAX_RATE_MOVE = 1.5
"""No currency of the list has moved so far against the euro between two refreshes; a shifted decimal point moves ten times."""
HOURS = 730.0
MIN_SAME = 5


def suspicion(
    fresh: Sequence[Offer],
    previous: Sequence[Offer],
    rates: Rates,
    *,
    listed: Sequence[Offer] | None = None,
    compare_count: bool = True,
) -> str:
    """Why fresh prices should not be taken unseen; empty if nothing speaks against them.

    Empty feed, more than 30 % of the rows gone, most rows struck by the quality rules, the median price of a GPU family
    moved more than threefold, or so did the same CPU servers in the median. `previous` holds the rows of the same regions and terms only;
    `listed` are the feed's rows before the rules, which would hide a whole family priced in cents.
    """
    listed = fresh if listed is None else listed
    if not fresh:
        return "the feed lists no offers"
    if compare_count and len(fresh) < (1 - MAX_LOST_SHARE) * len(previous):
        return f"{len(fresh)} offers instead of {len(previous)} in what was answered"
    if len(fresh) < MIN_SOUND_SHARE * len(listed):
        return f"the quality rules strike {len(listed) - len(fresh)} of {len(listed)} offers"
    before, after = _medians(previous, rates), _medians(listed, rates)
    for family in sorted(before.keys() & after.keys()):
        ratio = after[family] / before[family]
        if not 1 / MAX_PRICE_MOVE <= ratio <= MAX_PRICE_MOVE:
            return f"the median price of {family} went from {before[family]:.3g} to {after[family]:.3g} USD per GPU and hour"
    moved = _cpu_move(previous, listed)
    if moved is not None and not 1 / MAX_PRICE_MOVE <= moved <= MAX_PRICE_MOVE:
        return f"CPU servers cost {moved:.3g} times what the same ones did"
    return ""


def _cpu_move(previous: Iterable[Offer], fresh: Iterable[Offer]) -> float | None:
    """Median of new over old price of the CPU offers in both; None with too few of them.

    CPU servers are no family: a list of other sizes has another median per vCPU without any price having moved.
    """
    before = {
        entry.offer_id: entry.price_per_hour or entry.price_per_month for entry in previous if entry.kind == "cpu"
    }
    ratios = [
        now / then
        for entry in fresh
        if entry.kind == "cpu"
        and (then := before.get(entry.offer_id))
        and (now := entry.price_per_hour or entry.price_per_month)
    ]
    return statistics.median(ratios) if len(ratios) >= MIN_SAME else None


def rate_suspicion(fresh: Rates, known: Rates) -> str:
    """Why fresh exchange rates should not be taken unseen: one moved more than 1.5x against the euro; empty if none did."""
    for code in sorted(fresh.per_euro.keys() & known.per_euro.keys()):
        ratio = fresh.per_euro[code] / known.per_euro[code]
        if not 1 / MAX_RATE_MOVE <= ratio <= MAX_RATE_MOVE:
            return f"the euro went from {known.per_euro[code]:.5g} to {fresh.per_euro[code]:.5g} {code}"
    return ""


def token_suspicion(fresh: Iterable[TokenPrice], known: Iterable[TokenPrice]) -> str:
    """Why fresh token prices should not be taken unseen: the same models cost another order of money; empty if not."""
    before = {
        (entry.provider, entry.model): entry.input_usd_per_m_tokens or entry.output_usd_per_m_tokens for entry in known
    }
    ratios = [
        now / then
        for entry in fresh
        if (then := before.get((entry.provider, entry.model)))
        and (now := entry.input_usd_per_m_tokens or entry.output_usd_per_m_tokens)
    ]
    moved = statistics.median(ratios) if len(ratios) >= MIN_SAME else 1.0
    return (
        "" if 1 / MAX_PRICE_MOVE <= moved <= MAX_PRICE_MOVE else f"models cost {moved:.3g} times what the same ones did"
    )


def _medians(offers: Iterable[Offer], rates: Rates) -> dict[str, float]:
    """Median dollars per GPU and hour of each GPU model, on demand or by the month."""
    factors: dict[str, float | None] = {}
    prices: dict[str, list[float]] = {}
    for entry in offers:
        if entry.kind != "gpu" or entry.term not in {"on_demand", "monthly"}:
            continue
        if entry.currency not in factors:
            factors[entry.currency] = rates.factor(entry.currency, "USD")
        factor = factors[entry.currency]
        hourly = entry.price_per_hour or (entry.price_per_month / HOURS if entry.price_per_month else None)
        if factor is not None and hourly is not None and entry.gpu_model and entry.gpu_count:
            prices.setdefault(entry.gpu_model, []).append(hourly * factor / entry.gpu_count)
    return {family: statistics.median(values) for family, values in prices.items()}
