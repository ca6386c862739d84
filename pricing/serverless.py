"""What serverless APIs ask for the workload's tokens: stored token prices of exactly this model, blended by its mix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from models import cost

if TYPE_CHECKING:
    from collections.abc import Iterable

    from models.traffic import Workload
    from pricing.terms import CompareOptions
    from pricing.tokens import TokenPrice


@dataclass(frozen=True, slots=True)
class Asked:
    """What one provider asks for a million tokens of a request's mix, prompt included, in the comparison's currency."""

    provider: str
    per_m_tokens: float
    price: TokenPrice
    """The price list's own entry: dollars a million tokens, source, date."""
    factor: float = 1.0
    """A dollar of that list in the comparison's currency, tax included where it counts."""

    def costs(self, usd_per_m: float | None) -> float | None:
        """A price of the list in the comparison's currency."""
        return None if usd_per_m is None else usd_per_m * self.factor


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


def asked_by_all(prices: Iterable[TokenPrice], work: Workload, terms: CompareOptions) -> tuple[Asked, ...]:
    """The cheapest price of each provider that serves this model with this prompt today, the cheapest first.

    Prices past their deprecation date, for shorter contexts or answers, and those of 0 are none. Cached prompt tokens cost what
    the provider asks for them, or as fresh ones where it says nothing. Empty without an exchange rate.
    """
    factor = dollar(terms)
    if factor is None:
        return ()
    output = output_tokens(work)
    today, best = terms.today.isoformat(), dict[str, Asked]()
    for entry in prices:
        if entry.llm != work.model.name or (entry.deprecation_date and entry.deprecation_date <= today):
            continue
        if entry.context_tokens and entry.context_tokens < work.input_tokens + output:
            continue
        if entry.max_output_tokens and entry.max_output_tokens < output:
            continue
        blended = blended_per_m(
            work,
            entry.input_usd_per_m_tokens,
            entry.output_usd_per_m_tokens if output else 0.0,
            entry.cached_input_usd_per_m_tokens,
        )
        if blended and (entry.provider not in best or blended * factor < best[entry.provider].per_m_tokens):
            best[entry.provider] = Asked(entry.provider, blended * factor, entry, factor)
    return tuple(sorted(best.values(), key=lambda one: (one.per_m_tokens, one.provider)))


def dollar(terms: CompareOptions) -> float | None:
    """What a dollar of a list of token prices costs in the comparison's currency; the lists are without tax. None = no rate."""
    factor = terms.rates.factor("USD", terms.currency)
    return None if factor is None else factor * (1 + (terms.vat or 0.0))


def blended_per_m(
    work: Workload, input_per_m: float | None, output_per_m: float | None, cached_per_m: float | None = None
) -> float | None:
    """An API's price of a million tokens of the workload's mix, in the currency of its prices; None where a price is missing."""
    return cost.figure(
        cost.blended_api_price(
            work.input_tokens,
            output_tokens(work),
            input_per_m,
            output_per_m,
            work.input_tokens * work.prefix_hit,
            cached_per_m,
        )
    )


def output_tokens(work: Workload) -> int:
    """Tokens of an answer; an encoder writes none."""
    return work.output_tokens if work.model.kv_cache else 0


def api_prices(prices: Iterable[TokenPrice], work: Workload, terms: CompareOptions) -> ApiPrices | None:
    """The cheapest and the median of all providers' prices; None where there is none."""
    found = asked_by_all(prices, work, terms)
    if not found:
        return None
    return ApiPrices(
        cheapest=found[0].per_m_tokens,
        median=float(np.median([one.per_m_tokens for one in found])),
        provider=found[0].provider,
        providers=len(found),
        day=min(one.price.source_date for one in found),
    )


def monthly_slope(price_per_m: float, work: Workload, terms: CompareOptions) -> float:
    """A month's price of one request a second through all used hours."""
    return price_per_m * tokens_per_month(work, terms, 1.0) / cost.MILLION


def tokens_per_month(work: Workload, terms: CompareOptions, requests_per_s: float) -> float:
    """Tokens of a month at so many requests a second through all used hours, prompts included."""
    tokens = work.input_tokens + output_tokens(work)
    return requests_per_s * tokens * cost.SECONDS_PER_HOUR * terms.hours_per_month
