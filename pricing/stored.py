"""Fetched prices of one feed, and how those of all feeds lie over each other and over the bundled ones.

A direct feed stands in for what it answers for. A catalogue of several providers fills what no direct feed has
answered, or answered longer ago; it never overrides a fresher direct feed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from pricing.offer_list import column, pick

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pricing.offer import Offer
    from pricing.store_mark import Mark


@dataclass(frozen=True)
class StoredPrices:
    """The last good prices of one feed."""

    feed: str
    offers: Sequence[Offer]
    mark: Mark

    @property
    def covers(self) -> frozenset[tuple[str, str]]:
        """(kind, term) pairs that the feed answers for."""
        return self.mark.covers

    @cached_property
    def fetched_at(self) -> str | None:
        """When the newest row was fetched (ISO)."""
        return max(filter(None, column(self.offers, "fetched_at")), default=None)

    @property
    def is_direct(self) -> bool:
        """Whether these are the provider's own prices, not a catalogue's of several."""
        return set(column(self.offers, "provider")) <= {self.feed}

    @cached_property
    def _answered(self) -> frozenset[tuple[str, str, str | None]]:
        return frozenset(zip(*(column(self.offers, name) for name in ("kind", "term", "region")), strict=True))

    @cached_property
    def _listed(self) -> frozenset[tuple[str, str, str]]:
        return frozenset(zip(*(column(self.offers, name) for name in ("server", "term", "currency")), strict=True))

    def _is_missing(self, other: Offer | Row) -> bool:
        """Whether an offer belongs to a part that was not answered, and is not listed by one that was.

        Where a part is no region, another list of the feed may have the same server under places written otherwise.
        """
        parts = [part for part in self.mark.missing if part.holds(other)]
        if not parts:
            return False
        return any(part.region for part in parts) or (other.server, other.term, other.currency) not in self._listed

    def answers_for(self, other: Offer | Row) -> bool:
        """Whether these prices stand in for another offer of the same provider."""
        if (other.kind, other.term) not in self.mark.covers:
            return False
        if self._is_missing(other):
            return False
        return not self.mark.regional or (other.kind, other.term, other.region) in self._answered


class Row(NamedTuple):
    """What laying prices over each other reads of an offer."""

    offer_id: str
    provider: str
    server: str
    region: str | None
    kind: str
    term: str
    currency: str
    source_date: str | None

    @property
    def day(self) -> str:
        """The day the price was seen, empty if unknown: the oldest of all."""
        return self.source_date or ""


def _rows(offers: Sequence[Offer]) -> list[Row]:
    return list(map(Row._make, zip(*(column(offers, name) for name in Row._fields), strict=True)))


def merge(bundled: Sequence[Offer], stored: Iterable[StoredPrices]) -> Sequence[Offer]:
    """Bundled offers with the fetched ones over them; each offer's id appears once."""
    fetched = list(stored)
    direct = {prices.feed: number for number, prices in enumerate(fetched) if prices.is_direct}
    answers = {feed: fetched[number] for feed, number in direct.items()}
    listed: dict[str, tuple[int, int, Row]] = {}
    for number, prices in enumerate(fetched):
        if prices.feed not in direct:
            for at, row in enumerate(_rows(prices.offers)):
                known = listed.get(row.offer_id)
                if known is None or row.day > known[2].day:
                    listed[row.offer_id] = (number, at, row)
    filled = {key: found for key, found in listed.items() if not _is_answered(found[2], answers)}
    result: dict[str, tuple[int, int]] = {}
    last = len(fetched)
    rows = _rows(bundled)
    for at, row in enumerate(rows):
        own = answers.get(row.provider)
        if own is None or not own.answers_for(row):
            result[row.offer_id] = (last, at)
    for key, (number, at, row) in filled.items():
        place = result.get(key)
        if place is None or row.day >= rows[place[1]].day:
            result[key] = (number, at)
    for number in direct.values():
        offers = fetched[number].offers
        ids = column(offers, "offer_id")
        if filled:
            days = column(offers, "source_date")
            newer = {at for at, key in enumerate(ids) if key in filled and filled[key][2].day > (days[at] or "")}
            result.update((key, (number, at)) for at, key in enumerate(ids) if at not in newer)
        else:
            result.update((key, (number, at)) for at, key in enumerate(ids))
    return pick([*(prices.offers for prices in fetched), bundled], result.values())


def _is_answered(row: Row, answers: dict[str, StoredPrices]) -> bool:
    """Whether a direct feed that is no older answers for an offer of a catalogue."""
    prices = answers.get(row.provider)
    if prices is None or not prices.answers_for(row):
        return False
    return (prices.fetched_at or "")[:10] >= row.day[:10]
