"""LiteLLM's table of what hosted models cost per token, kept by its community (MIT licence) from the providers' pages.

Prices are dollars per token. Only plain token prices are read: not those of batches, caches alone, tiers, pictures or sound.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from pricing.errors import FeedError
from pricing.feed import BrokenRowError, Harvest, number, table, text
from pricing.provider import About, Fetched, register
from pricing.tokens import MAX_TOKENS, MAX_USD_PER_M_TOKENS, TokenPrice, same_llm

if TYPE_CHECKING:
    from datetime import datetime

    from pricing.answers import Answers
    from pricing.asking import Asker

URL = "https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json"
PAGE = "https://github.com/BerriAI/litellm/blob/main/model_prices_and_context_window.json"
MODES = frozenset({"chat", "completion", "responses", "embedding", "rerank"})
SAMPLE = "sample_spec"
"""An entry that explains the fields with words where numbers belong."""


@register
class LiteLLM:
    """Serverless token prices of some hundred providers."""

    about = About(
        "litellm",
        "LiteLLM price table",
        "tokens",
        hosts=("raw.githubusercontent.com",),
        verified="2026-11",
        cannot=("prices of tiers, batches and free quotas", "when a price was last checked"),
        page=PAGE,
    )

    def fetch(self, ask: Asker) -> None:
        """One file. Raises FeedError."""
        ask.get("prices", URL)

    def parse(self, answers: Answers, now: datetime) -> Fetched:
        """Token prices of the table. Raises FeedError if it is not in the known shape."""
        answer = answers.first("prices")
        models = table("litellm", answer.json() if answer else None)
        harvest = Harvest.at("litellm", "LiteLLM price table", PAGE, now)
        prices: list[TokenPrice] = []

        def take(entry: tuple[str, Any]) -> None:
            price = _price(*entry, harvest)
            if price is not None:
                prices.append(price)

        harvest.each(((name, row) for name, row in models.items() if name != SAMPLE), take)
        return fetched_tokens(prices, harvest)


def fetched_tokens(prices: list[TokenPrice], harvest: Harvest) -> Fetched:
    """What a refresh of token prices brought. Raises FeedError if too many rows were broken, or none is left."""
    done = harvest.done()
    if not prices:
        raise FeedError(harvest.provider, "the answer holds no prices.", hint="Old prices stay in use.")
    return Fetched(tokens=tuple(prices), skipped=done.skipped)


def per_million(harvest: Harvest, usd_per_token: float | None) -> float | None:
    """Dollars per million tokens; None, and counted, if that is no price of tokens."""
    if usd_per_token is None:
        return None
    price = round(usd_per_token * 1e6, 6)
    if not 0 < price <= MAX_USD_PER_M_TOKENS:
        harvest.skip("price beyond any model's")
        return None
    return price


def whole(value: float | None) -> int | None:
    """A number of tokens; None if it cannot be one."""
    return int(value) if value is not None and 1 <= value <= MAX_TOKENS else None


def _price(name: str, row: Any, harvest: Harvest) -> TokenPrice | None:
    mode = text(row, "mode")
    if mode not in MODES:
        harvest.skip("not a text model")
        return None
    dollars = number(row, "input_cost_per_token")
    out = number(row, "output_cost_per_token")
    if dollars is None and out is None:
        harvest.skip("free, priced in tiers or not priced")
        return None
    provider = text(row, "litellm_provider")
    model = text({"id": name}, "id")
    price_in, price_out = per_million(harvest, dollars), per_million(harvest, out)
    if provider is None or model is None or (price_in is None and price_out is None):
        harvest.skip("without a name or a price")
        return None
    page = text(row, "source") or ""
    return TokenPrice(
        source="litellm",
        provider=provider,
        model=model,
        llm=same_llm(model),
        input_usd_per_m_tokens=price_in,
        output_usd_per_m_tokens=price_out,
        cached_input_usd_per_m_tokens=per_million(harvest, number(row, "cache_read_input_token_cost")),
        context_tokens=whole(number(row, "max_input_tokens")),
        max_output_tokens=whole(number(row, "max_output_tokens")),
        source_url=page if page.startswith("https://") else PAGE,
        source_date=harvest.now[:10],
        deprecation_date=_day(text(row, "deprecation_date")),
    )


def _day(value: str | None) -> str | None:
    if value is None:
        return None
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError:
        raise BrokenRowError("deprecation_date is no date") from None
