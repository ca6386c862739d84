"""What a refresh brought, kept: prices held to the rules and to the last good ones, rates, token prices, machines."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pricing import identity, quality
from pricing.errors import FeedError, RefreshHeldError
from pricing.http import Cancelled
from pricing.provider import Missing
from pricing.refresh_report import Outcome
from pricing.suspicion import MAX_LOST_SHARE, rate_suspicion, suspicion, token_suspicion

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from pricing.offer import Offer
    from pricing.provider import About, Fetched
    from pricing.store import Store


@dataclass
class Keeper:
    """Takes what is sound into the store; safe to use from several threads."""

    store: Store
    moment: str
    """ISO time of the refresh."""
    accept: Collection[str]
    """Feeds whose prices are taken however much they moved."""
    cancelled: threading.Event
    bundled: Callable[[], Iterable[Offer]] | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def keep(self, about: About, fetched: Fetched, regions: tuple[str, ...]) -> Outcome:
        """Keep what a feed brought. Raises FeedError if that is nothing, RefreshHeldError, StoreError, Cancelled."""
        match about.what:
            case "prices":
                return self._prices(about, fetched, regions)
            case "rates":
                return self._rates(about.name, fetched)
            case "tokens":
                return self._tokens(about.name, fetched)
            case _:
                return self._machines(about.name, fetched)

    def _prices(self, about: About, fetched: Fetched, regions: tuple[str, ...]) -> Outcome:
        missing = tuple(dict.fromkeys(fetched.missing))
        offers, found = quality.check(fetched.offers, about, self.store.rates())
        if not offers:
            why = missing[0].reason if missing else "the answer holds no offers."
            raise FeedError(about.name, why, hint="Old prices stay in use.")
        if about.name not in self.accept:
            self._hold(about, offers, fetched.offers, missing, regions)
        if self.cancelled.is_set():
            raise Cancelled
        kept_regions = self._not_asked(about.name, regions) if about.regional and regions else ()
        self.store.save(about.name, offers, about.covers, regional=about.regional, missing=(*missing, *kept_regions))
        strange, servers = identity.unmatched(offers) if about.known_hardware else (set(), 0)
        return Outcome(
            about.name,
            "fresh",
            len(offers),
            skipped=dict(fetched.skipped),
            quality=found,
            missing=tuple(_said(part) for part in missing if part.asked),
            unmatched=tuple(sorted(strange)),
            servers=servers,
            fetched_at=self.moment,
        )

    def _not_asked(self, name: str, regions: Sequence[str]) -> tuple[Missing, ...]:
        """Regions of an earlier refresh that this one was not asked for: their rows stay, with their age."""
        stored = self.store.load(name)
        known = {entry.region for entry in stored.offers} if stored else set()
        return tuple(Missing("not asked for", region=region) for region in sorted(filter(None, known - set(regions))))

    def _rates(self, name: str, fetched: Fetched) -> Outcome:
        if fetched.rates is None or not fetched.rates.per_euro:
            raise FeedError(name, "the answer holds no rates.", hint="The last rates stay in use.")
        with self.lock:  # two sources write one file, and setting aside a damaged one must happen once
            if name not in self.accept and (reason := rate_suspicion(fetched.rates, self.store.rates())):
                raise RefreshHeldError(name, reason)
            if self.cancelled.is_set():
                raise Cancelled
            self.store.save_rates(fetched.rates)
        return Outcome(name, "fresh", len(fetched.rates.per_euro), fetched_at=self.moment)

    def _tokens(self, name: str, fetched: Fetched) -> Outcome:
        if not fetched.tokens:
            raise FeedError(name, "the answer holds no token prices.", hint="Old prices stay in use.")
        known = [entry for entry in self.store.tokens() if entry.source == name]
        if name not in self.accept:
            if len(fetched.tokens) < (1 - MAX_LOST_SHARE) * len(known):
                raise RefreshHeldError(name, f"{len(fetched.tokens)} models instead of {len(known)}")
            if reason := token_suspicion(fetched.tokens, known):
                raise RefreshHeldError(name, reason)
        self.store.save_tokens(name, fetched.tokens)
        return Outcome(name, "fresh", len(fetched.tokens), skipped=dict(fetched.skipped), fetched_at=self.moment)

    def _machines(self, name: str, fetched: Fetched) -> Outcome:
        missing = tuple(dict.fromkeys(fetched.missing))
        if not fetched.machines:
            raise FeedError(name, missing[0].reason if missing else "the answer holds no machines.")
        self.store.save_machines(fetched.machines)
        told = tuple(_said(part) for part in missing)
        return Outcome(name, "fresh", len(fetched.machines), missing=told, fetched_at=self.moment)

    def _hold(
        self,
        about: About,
        fresh: Sequence[Offer],
        listed: Sequence[Offer],
        missing: Sequence[Missing],
        regions: Sequence[str],
    ) -> None:
        with self.lock:  # setting aside a damaged file must happen once
            stored, rates = self.store.load(about.name), self.store.rates()
        previous: Iterable[Offer] = ()
        if stored is not None:
            # Rows carried over from an older refresh are not what the feed last listed.
            previous = [entry for entry in stored.offers if entry.fetched_at == stored.fetched_at]
        elif self.bundled is not None:
            # A bundled price of no known day is no measure of what is on sale now.
            previous = [entry for entry in self.bundled() if entry.provider == about.name and entry.source_date]
        asked = set(regions) if about.regional else None
        previous = [
            entry
            for entry in previous
            if (asked is None or entry.region in asked or entry.region is None)
            and not any(part.holds(entry) for part in missing)
        ]
        reason = suspicion(fresh, previous, rates, listed=listed, compare_count=stored is not None)
        if reason:
            raise RefreshHeldError(about.name, reason)


def _said(part: Missing) -> str:
    what = " ".join(filter(None, (part.provider, part.kind, part.term, part.region))) or "a part"
    return f"{what}: {part.reason}".rstrip(".")
