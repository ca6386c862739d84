"""Fetched prices of one feed, and how those of all feeds lie over each other and over the bundled ones.

A direct feed stands in for what it answers for. A catalogue of several providers fills what no direct feed has
answered, or answered longer ago; it never overrides a fresher direct feed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pricing.offer import Offer
    from pricing.store_mark import Mark


@dataclass(frozen=True)
class StoredPrices:
    """The last good prices of one feed."""

    feed: str
    offers: tuple[Offer, ...]
    mark: Mark

    @property
    def covers(self) -> frozenset[tuple[str, str]]:
        """(kind, term) pairs that the feed answers for."""
        return self.mark.covers

    @cached_property
    def fetched_at(self) -> str | None:
        """When the newest row was fetched (ISO)."""
        return max((entry.fetched_at for entry in self.offers if entry.fetched_at), default=None)

    @property
    def is_direct(self) -> bool:
        """Whether these are the provider's own prices, not a catalogue's of several."""
        return all(entry.provider == self.feed for entry in self.offers)

    @cached_property
    def _answered(self) -> frozenset[tuple[str, str, str | None]]:
        return frozenset((entry.kind, entry.term, entry.region) for entry in self.offers)

    @cached_property
    def _listed(self) -> frozenset[tuple[str, str, str]]:
        return frozenset((entry.server, entry.term, entry.currency) for entry in self.offers)

    def _is_missing(self, other: Offer) -> bool:
        """Whether an offer belongs to a part that was not answered, and is not listed by one that was.

        Where a part is no region, another list of the feed may have the same server under places written otherwise.
        """
        parts = [part for part in self.mark.missing if part.holds(other)]
        if not parts:
            return False
        return any(part.region for part in parts) or (other.server, other.term, other.currency) not in self._listed

    def answers_for(self, other: Offer) -> bool:
        """Whether these prices stand in for another offer of the same provider."""
        if (other.kind, other.term) not in self.mark.covers:
            return False
        if self._is_missing(other):
            return False
        return not self.mark.regional or (other.kind, other.term, other.region) in self._answered


def merge(bundled: Sequence[Offer], stored: Iterable[StoredPrices]) -> tuple[Offer, ...]:
    """Bundled offers with the fetched ones over them; each offer's id appears once."""
    fetched = list(stored)
    direct = {prices.feed: prices for prices in fetched if prices.is_direct}
    listed: dict[str, Offer] = {}
    for prices in fetched:
        if prices.feed not in direct:
            for entry in prices.offers:
                known = listed.get(entry.offer_id)
                if known is None or (entry.source_date or "") > (known.source_date or ""):
                    listed[entry.offer_id] = entry
    filled = {entry.offer_id: entry for entry in listed.values() if not _is_answered(entry, direct)}
    result: dict[str, Offer] = {}
    for entry in bundled:
        own = direct.get(entry.provider)
        if own is None or not own.answers_for(entry):
            result[entry.offer_id] = entry
    for key, entry in filled.items():
        known = result.get(key)
        if known is None or (entry.source_date or "") >= (known.source_date or ""):
            result[key] = entry
    for prices in direct.values():
        for entry in prices.offers:
            if not _is_newer(filled.get(entry.offer_id), entry):
                result[entry.offer_id] = entry
    return tuple(result.values())


def _is_answered(entry: Offer, direct: dict[str, StoredPrices]) -> bool:
    """Whether a direct feed that is no older answers for an offer of a catalogue."""
    prices = direct.get(entry.provider)
    if prices is None or not prices.answers_for(entry):
        return False
    return (prices.fetched_at or "")[:10] >= (entry.source_date or "")[:10]


def _is_newer(one: Offer | None, other: Offer) -> bool:
    return one is not None and (one.source_date or "") > (other.source_date or "")
