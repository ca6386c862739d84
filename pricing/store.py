"""Fetched prices on disk: one CSV per provider, always the last good one, laid over the bundled prices.

A file is the offers' CSV plus a last line that says how many rows it has and what they cover. A file without that
line, or with another count, was torn; it is set aside (never deleted) and the bundled prices are used instead.
"""

from __future__ import annotations

import contextlib
import json
import re
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from pricing import atomic, money, paths
from pricing.errors import OffersError, StoreError
from pricing.offer_csv import format_offers, parse_offers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from pricing.offer import Offer

CARRY_DAYS = 7
"""A row that a refresh no longer lists stays so long: feeds drop single rows for an hour (seen at RunPod)."""
UNLISTED = "not in the last refresh"

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_MARK = re.compile(r"# rackrate 1 rows=(\d+) covers=([a-z_:,]*) regional=([01])\n?\Z")


@dataclass(frozen=True, slots=True)
class StoredPrices:
    """The last good prices of one provider."""

    offers: tuple[Offer, ...]
    covers: frozenset[tuple[str, str]]
    """(kind, term) pairs that the feed answers for: bundled rows of these are replaced."""
    regional: bool = False
    """The feed was asked for some regions only: bundled rows of other regions stay."""

    @property
    def fetched_at(self) -> str | None:
        """When the newest row was fetched (ISO)."""
        return max((entry.fetched_at for entry in self.offers if entry.fetched_at), default=None)

    def replaced(self, bundled: Sequence[Offer]) -> set[str]:
        """The ids of the bundled offers of this provider that these prices stand in for."""
        regions = {entry.region for entry in self.offers}
        return {
            entry.offer_id
            for entry in bundled
            if (entry.kind, entry.term) in self.covers and (not self.regional or entry.region in regions)
        }


@dataclass
class Store:
    """The price folder. Reading never fails: what cannot be used is set aside and told in `messages`."""

    folder: Path = field(default_factory=paths.data_dir)
    messages: list[str] = field(default_factory=list)

    @property
    def prices(self) -> Path:
        """The folder of the providers' files."""
        return self.folder / "prices"

    def providers(self) -> tuple[str, ...]:
        """Providers with fetched prices."""
        with contextlib.suppress(OSError):
            return tuple(sorted(file.stem for file in self.prices.glob("*.csv") if _NAME.fullmatch(file.stem)))
        return ()

    def load(self, provider: str) -> StoredPrices | None:
        """The last good prices of a provider; None if there are none that can be used."""
        path = self._file(provider)
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except OSError as error:
            self.messages.append(f"Cannot read {path} ({error.strerror}); the bundled prices are used.")
            return None
        except UnicodeDecodeError:
            self._set_aside(path, "it is not text")
            return None
        mark = _MARK.search(text)
        if mark is None:
            self._set_aside(path, "its end is missing")
            return None
        try:
            offers = parse_offers(text[: mark.start()], path.name)
        except OffersError as error:
            self._set_aside(path, error.message)
            return None
        if len(offers) != int(mark[1]) or any(entry.provider != provider for entry in offers):
            self._set_aside(path, "its rows are not those it was written with")
            return None
        pairs = (pair.split(":") for pair in mark[2].split(",") if pair.count(":") == 1)
        return StoredPrices(offers, frozenset((kind, term) for kind, term in pairs), mark[3] == "1")

    def save(
        self, provider: str, offers: Sequence[Offer], covers: Iterable[tuple[str, str]], *, regional: bool = False
    ) -> StoredPrices:
        """Replace a provider's prices; rows that vanished within a week stay, marked. Raises StoreError."""
        if not offers:
            raise StoreError(f"There are no prices of {provider} to save.")
        kept = tuple(offers) + self._vanished(provider, offers)
        stored = StoredPrices(kept, frozenset(covers), regional)
        pairs = ",".join(sorted(f"{kind}:{term}" for kind, term in stored.covers))
        mark = f"# rackrate 1 rows={len(kept)} covers={pairs} regional={int(regional)}\n"
        atomic.write_text(self._file(provider), format_offers(kept) + mark)
        return stored

    def merged(self, bundled: Sequence[Offer]) -> tuple[Offer, ...]:
        """Bundled offers with every provider's fetched ones over them; what a feed does not cover stays, aged."""
        fetched = {name: stored for name in self.providers() if (stored := self.load(name)) is not None}
        if not fetched:
            return tuple(bundled)
        gone = {entry.offer_id for stored in fetched.values() for entry in stored.offers}
        for name, stored in fetched.items():
            gone |= stored.replaced([entry for entry in bundled if entry.provider == name])
        kept = [entry for entry in bundled if entry.offer_id not in gone]
        return (*kept, *(entry for stored in fetched.values() for entry in stored.offers))

    def rates(self) -> money.Rates:
        """Fetched exchange rates over the bundled ones."""
        path = self.folder / "rates.json"
        try:
            return money.load_rates(path)
        except FileNotFoundError:
            pass
        except OSError as error:
            self.messages.append(f"Cannot read {path} ({error.strerror}); the bundled rates are used.")
        except ValueError:
            self._set_aside(path, "it holds no exchange rates", "rates")
        return money.Rates.bundled()

    def save_rates(self, rates: money.Rates) -> None:
        """Keep fetched exchange rates. Raises StoreError."""
        money.save_rates(self.folder / "rates.json", self.rates().updated(rates))

    def status(self) -> dict[str, dict[str, str]]:
        """How each provider's last refresh went: fetched_at, and failed_at with error after a failure."""
        try:
            table = json.loads((self.folder / "refresh.json").read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        if not isinstance(table, dict):
            return {}
        return {
            str(name): {str(key): str(value) for key, value in row.items()}
            for name, row in table.items()
            if isinstance(row, dict)
        }

    def save_status(self, changes: Mapping[str, Mapping[str, str]]) -> None:
        """Note how the refresh of some providers went. Raises StoreError."""
        table = {**self.status(), **{name: dict(row) for name, row in changes.items()}}
        atomic.write_text(self.folder / "refresh.json", json.dumps(table, indent=1, sort_keys=True))

    def _file(self, provider: str) -> Path:
        if not _NAME.fullmatch(provider):
            raise StoreError(f"{provider!r} is not a provider's name.")
        return self.prices / f"{provider}.csv"

    def _vanished(self, provider: str, fresh: Sequence[Offer]) -> tuple[Offer, ...]:
        previous = self.load(provider)
        newest = max((entry.fetched_at for entry in fresh if entry.fetched_at), default=None)
        if previous is None or newest is None:
            return ()
        oldest = (datetime.fromisoformat(newest) - timedelta(days=CARRY_DAYS)).isoformat()
        ids = {entry.offer_id for entry in fresh}
        return tuple(
            replace(entry, availability=UNLISTED)
            for entry in previous.offers
            if entry.offer_id not in ids and (entry.fetched_at or "") >= oldest
        )

    def _set_aside(self, path: Path, reason: str, what: str = "prices") -> None:
        target = path.with_name(f"{path.name}.damaged")
        number = 1
        while target.exists():
            number += 1
            target = path.with_name(f"{path.name}.damaged-{number}")
        moved = f"it is kept as {target.name}"
        try:
            path.replace(target)
        except OSError:
            moved = "it could not be moved"
        self.messages.append(f"{path} was not used because {reason}; {moved}, the bundled {what} are used.")
