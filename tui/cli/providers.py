"""The rows of `rackrate catalog providers`: who is in the prices, who has a feed, how new it is."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from pricing.provider import providers
from pricing.snapshot import load_snapshot
from pricing.store import Store
from tui.cli.output import say

if TYPE_CHECKING:
    from pricing.offer import Offer


def provider_rows() -> list[dict[str, object]]:
    """One row per provider, bundled prices and fetched ones together; feeds of exchange rates have no offers."""
    feeds = providers()
    by_provider: dict[str, list[Offer]] = defaultdict(list)
    store = Store()
    for offer in store.merged(load_snapshot()):
        by_provider[offer.provider].append(offer)
    for message in store.messages:
        say(message)
    rows: list[dict[str, object]] = []
    for name in sorted({*feeds, *by_provider}):
        feed = feeds[name].about if name in feeds else None
        offers = by_provider.get(name, [])
        kinds = [offer.kind for offer in offers]
        rows.append({
            "provider": name,
            "title": feed.title if feed else None,
            "feed": feed.what if feed else None,
            "offers": len(offers),
            "cpu_offers": kinds.count("cpu"),
            "gpu_offers": kinds.count("gpu"),
            "newest": max((offer.source_date for offer in offers if offer.source_date), default=None),
            "needs_key": feed.key_variable if feed and feed.key_needed else None,
            "verified": feed.verified if feed else None,
            "page": feed.page if feed else None,
        })  # fmt: skip
    return rows
