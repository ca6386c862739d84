"""OpenRouter's list of models: the price it routes a request at, its margin included, not each provider's own.

Prices are texts in dollars per token. A variant ending in ":free" is rationed and no price; -1 means "depends on the route".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pricing.feed import Harvest, decimal, number, rows, text, value_at
from pricing.provider import About, Fetched, register
from pricing.providers.litellm import fetched_tokens, per_million, whole
from pricing.tokens import TokenPrice, same_llm

if TYPE_CHECKING:
    from datetime import datetime

    from pricing.answers import Answers
    from pricing.asking import Asker

URL = "https://openrouter.ai/api/v1/models"
PAGE = "https://openrouter.ai/models"


@register
class OpenRouter:
    """Serverless token prices of one broker."""

    about = About(
        "openrouter",
        "OpenRouter",
        "tokens",
        hosts=("openrouter.ai",),
        verified="2026-09",
        cannot=("which provider answers at that price", "the providers' own prices"),
        page=PAGE,
    )

    def fetch(self, ask: Asker) -> None:
        """One list. Raises FeedError."""
        ask.get("models", URL)

    def parse(self, answers: Answers, now: datetime) -> Fetched:
        """Token prices of the list. Raises FeedError if it is not in the known shape."""
        answer = answers.first("models")
        harvest = Harvest.at("openrouter", "OpenRouter models", PAGE, now)
        prices: dict[str, TokenPrice] = {}

        def take(row: Any) -> None:
            price = _price(row, harvest)
            if price is not None and prices.setdefault(price.model, price) is not price:
                harvest.skip("listed twice")

        harvest.each(rows("openrouter", answer.json() if answer else None, "data"), take)
        return fetched_tokens(list(prices.values()), harvest)


def _price(row: Any, harvest: Harvest) -> TokenPrice | None:
    model = text(row, "id")
    if model is None or model.endswith(":free"):
        harvest.skip("free variant" if model else "without a name")
        return None
    if any(str(value_at(row, "pricing", name)).startswith("-") for name in ("prompt", "completion")):
        harvest.skip("the price depends on the route")
        return None
    price_in = per_million(harvest, decimal(row, "pricing", "prompt"))
    price_out = per_million(harvest, decimal(row, "pricing", "completion"))
    if price_in is None and price_out is None:
        harvest.skip("free or not priced")
        return None
    return TokenPrice(
        source="openrouter",
        provider="openrouter",
        model=model,
        # Only some entries name the weights they serve.
        llm=same_llm(text(row, "hugging_face_id") or model),
        input_usd_per_m_tokens=price_in,
        output_usd_per_m_tokens=price_out,
        cached_input_usd_per_m_tokens=per_million(harvest, decimal(row, "pricing", "input_cache_read")),
        context_tokens=whole(number(row, "context_length")),
        max_output_tokens=whole(number(row, "top_provider", "max_completion_tokens")),
        source_url=f"https://openrouter.ai/{model}" if model.isascii() and " " not in model else PAGE,
        source_date=harvest.now[:10],
        deprecation_date=None,
    )
