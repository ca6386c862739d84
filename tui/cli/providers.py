"""The rows of `rackrate catalog providers`: who is in the prices, who has a feed, how new it is."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from pricing.bundled import load_bundled
from pricing.provider import providers
from pricing.store import Store
from tui.cli.output import say

if TYPE_CHECKING:
    from pricing.offer import Offer
    from pricing.provider import About


def _kind(feed: About) -> str:
    """What a feed brings, and whether it is one of several providers or asked by name only."""
    what = f"{feed.what} of {len(feed.serves)} providers" if feed.serves else feed.what
    return f"{what}, by name only" if feed.on_request else what


def _key(feed: About) -> str | None:
    if feed.key_variable is None:
        return None
    return feed.key_variable if feed.key_needed else f"{feed.key_variable} (optional)"


def provider_rows() -> list[dict[str, object]]:
    """One row per provider, bundled prices and fetched ones together; feeds of exchange rates have no offers."""
    feeds = providers()
    by_provider: dict[str, list[Offer]] = defaultdict(list)
    store = Store()
    for offer in store.merged(load_bundled()):
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
            "feed": _kind(feed) if feed else None,
            "serves": " ".join(feed.serves) or None if feed else None,
            "sells": ", ".join(feed.kinds) or None if feed else None,
            "terms": ", ".join(dict.fromkeys(term for _, term in feed.covers)) or None if feed else None,
            "regions": " ".join(feed.regions) or None if feed else None,
            "offers": len(offers),
            "cpu_offers": kinds.count("cpu"),
            "gpu_offers": kinds.count("gpu"),
            "newest": max((offer.source_date for offer in offers if offer.source_date), default=None),
            "key": _key(feed) if feed else None,
            "verified": (feed.verified or "documents only") if feed else None,
            "cannot": "; ".join(feed.cannot) or None if feed else None,
            "page": feed.page if feed else None,
        })  # fmt: skip
    return rows
