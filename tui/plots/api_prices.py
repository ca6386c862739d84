"""What serverless APIs ask for the workload's tokens: stored token prices of exactly this model, blended by its mix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from models import cost

if TYPE_CHECKING:
    from models.traffic import Workload
    from pricing.market import Market
    from pricing.terms import CompareOptions
    from pricing.tokens import TokenPrice
    from tui.session import Session

_KEPT: WeakKeyDictionary[Market, tuple[TokenPrice, ...]] = WeakKeyDictionary()
"""Read once for each set of prices."""


@dataclass(frozen=True, slots=True)
class ApiPrices:
    """Prices of a million tokens of a request's mix, prompt included, in the comparison's currency."""

    cheapest: float
    median: float
    provider: str
    """Who asks the least."""
    providers: int
    day: str
    """When the oldest of the prices was seen."""


def stored(session: Session) -> tuple[TokenPrice, ...]:
    """All token prices at hand, the bundled ones where no others can be read."""
    from pricing import tokens

    market = session.market
    assert market is not None  # noqa: S101 - rows were made from one
    found = _KEPT.get(market)
    if found is None:
        try:
            found = session.store.tokens() if session.store is not None else tokens.bundled()
        except OSError:  # a folder that cannot be listed
            found = tokens.bundled()
        _KEPT[market] = found
    return found


def api_prices(prices: tuple[TokenPrice, ...], work: Workload, terms: CompareOptions) -> ApiPrices | None:
    """The cheapest price of each provider that serves this model with this prompt today; None where there is none."""
    factor = terms.rates.factor("USD", terms.currency)
    if factor is None:
        return None
    output = work.output_tokens if work.model.kv_cache else 0
    today, best = terms.today.isoformat(), dict[str, tuple[float, str]]()
    for entry in prices:
        if entry.llm != work.model.name or (entry.deprecation_date and entry.deprecation_date <= today):
            continue
        if entry.context_tokens and entry.context_tokens < work.input_tokens + output:
            continue
        if entry.max_output_tokens and entry.max_output_tokens < output:
            continue
        blended = cost.figure(
            cost.blended_api_price(
                work.input_tokens,
                output,
                entry.input_usd_per_m_tokens,
                entry.output_usd_per_m_tokens if output else 0.0,
                work.input_tokens * work.prefix_hit,
                entry.cached_input_usd_per_m_tokens,
            )
        )
        if blended and (entry.provider not in best or blended < best[entry.provider][0]):
            best[entry.provider] = (blended, entry.source_date)
    if not best:
        return None
    # Lists of token prices are without tax.
    factor *= 1 + (terms.vat or 0.0)
    provider = min(best, key=lambda name: best[name][0])
    return ApiPrices(
        cheapest=best[provider][0] * factor,
        median=float(np.median([price for price, _ in best.values()])) * factor,
        provider=provider,
        providers=len(best),
        day=min(day for _, day in best.values()),
    )


def monthly_slope(price_per_m: float, work: Workload, terms: CompareOptions) -> float:
    """A month's price of one request a second through all used hours."""
    tokens = work.input_tokens + (work.output_tokens if work.model.kv_cache else 0)
    return price_per_m * tokens * cost.SECONDS_PER_HOUR * terms.hours_per_month / cost.MILLION
