"""Akash: a decentralised market; what one GPU of each card costs on average.

The feed sums up the bids of many hosts over a month: an offer here is a market's average, not a machine that can be ordered
at that price. Its note says from where to where bids go.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pricing.feed import Harvest, number, rows, text
from pricing.provider import About, Fetched, register

if TYPE_CHECKING:
    from datetime import datetime

    from pricing.answers import Answers
    from pricing.asking import Asker

URL = "https://console-api.akash.network/v1/gpu-prices"
PAGE = "https://akash.network/pricing/gpus/"
SHARED_HOST = "host share, not stated by the provider"
_MEMORY = re.compile(r"(\d+(?:\.\d+)?)\s*(Gi|GiB|GB)")


@register
class Akash:
    """Average prices of single GPUs."""

    about = About(
        "akash",
        "Akash",
        "prices",
        kinds=("gpu",),
        covers=(("gpu", "on_demand"),),
        hosts=("console-api.akash.network",),
        gpus_alone=True,
        cannot=("prices of single hosts", "the host behind a GPU", "regions"),
        page=PAGE,
    )

    def fetch(self, ask: Asker) -> None:
        """One request. Raises FeedError."""
        ask.get("prices", URL)

    def parse(self, answers: Answers, now: datetime) -> Fetched:
        """One offer a card, memory size and interface. Raises FeedError if the list is not in the known shape."""
        harvest = Harvest.at("akash", "Akash console API, average of the market's bids", PAGE, now)
        answer = answers.first("prices")
        seen: set[str] = set()
        harvest.each(rows("akash", answer.json() if answer else None, "models"), lambda row: _model(row, seen, harvest))
        return harvest.done(answers.missing)


def _model(row: Any, seen: set[str], harvest: Harvest) -> None:
    model, memory, link = text(row, "model"), text(row, "ram"), text(row, "interface")
    price = number(row, "price", "avg")
    if model is None or price is None:
        harvest.skip("card without an average price")
        return
    if (text(row, "price", "currency") or "USD").upper() != "USD":
        harvest.skip("not in dollars")
        return
    name = " ".join(filter(None, (model, memory, link)))
    if name.lower() in seen:
        harvest.skip("listed twice")
        return
    seen.add(name.lower())
    size = _MEMORY.fullmatch(memory or "")
    free, total = number(row, "availability", "available", zero=True), number(row, "availability", "total")
    harvest.add(
        server=name,
        # The link is part of the spelling: "h100" alone means the SXM board to the catalog.
        gpu_model=f"{model} {link}" if link else model,
        gpu_count=1.0,
        vram_gib_per_gpu=float(size.group(1)) if size else None,
        interconnect=link,
        price_per_hour=price,
        price_basis="derived",
        availability=_stock(free, total),
        cpu_basis=SHARED_HOST,
        note=_note(number(row, "price", "min"), number(row, "price", "max")),
    )


def _stock(free: float | None, total: float | None) -> str | None:
    if free is None:
        return None
    if free == 0:
        return "out of stock"
    return f"{free:.0f} of {total:.0f} free" if total else f"{free:.0f} free"


def _note(least: float | None, most: float | None) -> str:
    between = f", from {least:.2f} to {most:.2f} USD" if least and most else ""
    return f"market average{between}"
