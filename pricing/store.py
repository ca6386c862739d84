"""Fetched prices on disk: one file per feed, always the last good one, laid over the bundled prices.

A file is a line that says how many rows it has and what they cover, and a line of packed columns. A file that holds
anything else was torn; it is set aside (never deleted) and the bundled prices are used instead.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from pricing import atomic, money, paths
from pricing.errors import OffersError, StoreError
from pricing.offer_columns import pack, unpack
from pricing.offer_csv import parse_offers
from pricing.offer_list import column, offer_list
from pricing.store_mark import NAME, Mark, NewerFormatError
from pricing.stored import StoredPrices, merge

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from pricing.feed_state import FeedState
    from pricing.offer import Offer
    from pricing.provider import Missing
    from pricing.tokens import TokenPrice

CARRY_DAYS = 7
"""A row that a refresh no longer lists stays so long: feeds drop single rows for an hour (seen at RunPod)."""
UNLISTED = "not in the last refresh"
STALE_ANSWER_S = 30 * 86400.0
"""Some addresses name the edition of a list: its answer is never asked for again."""
STALE_PART_S = 3600.0
"""A half-written file this old has no writer any more: its process was killed."""


@dataclass
class Store:
    """The price folder. Reading never fails: what cannot be used is set aside and told in `messages`."""

    folder: Path = field(default_factory=paths.data_dir)
    messages: list[str] = field(default_factory=list)

    @property
    def prices(self) -> Path:
        """The folder of the feeds' files."""
        return self.folder / "prices"

    @property
    def machines(self) -> Path:
        """The folder of measured machines, each file with its own licence."""
        return self.folder / "machines"

    def providers(self) -> tuple[str, ...]:
        """Feeds with fetched prices."""
        with contextlib.suppress(OSError):
            files = (file for pattern in ("*.json", "*.csv") for file in self.prices.glob(pattern))
            return tuple(sorted({file.stem for file in files if NAME.fullmatch(file.stem)}))
        return ()

    def load(self, provider: str) -> StoredPrices | None:
        """The last good prices of a feed; None if there are none that can be used."""
        path = self._file(provider)
        older = path.with_suffix(".csv")
        if older.exists() and not path.exists():
            path = older
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
        try:
            mark, rows = Mark.read_csv(text) if path is older else Mark.read(text)
            offers = parse_offers(rows, path.name) if path is older else unpack(rows, mark.rows)
        except NewerFormatError:
            self.messages.append(
                f"{path} was written by a newer rackrate and is left alone; the bundled prices are used."
            )
            return None
        except OffersError as error:
            self._set_aside(path, error.message)
            return None
        except ValueError as error:
            self._set_aside(path, str(error))
            return None
        if not mark.fits(offers, provider):
            self._set_aside(path, "its rows are not those it was written with")
            return None
        return StoredPrices(provider, self._dated(provider, offers), mark)

    def save(
        self,
        provider: str,
        offers: Sequence[Offer],
        covers: Iterable[tuple[str, str]],
        *,
        regional: bool = False,
        missing: Sequence[Missing] = (),
    ) -> StoredPrices:
        """Replace a feed's prices. Raises StoreError.

        Rows of parts that were not answered (`missing`) stay as they are; rows that the feed no longer lists stay a week,
        marked as such.
        """
        if not offers:
            raise StoreError(f"There are no prices of {provider} to save.")
        path = self._file(provider)
        listed = {entry.offer_id: entry for entry in offers}
        kept = (*listed.values(), *self._left_over(provider, offers, missing))
        names = frozenset(entry.provider for entry in kept)
        rows = f"{pack(kept)}\n".encode()
        mark = Mark(len(kept), frozenset(covers), regional, tuple(missing), names, len(rows))
        if path.exists() and _is_newer(path):
            self._set_aside(path, "it was written by a newer rackrate")
        atomic.write_bytes(path, mark.line().encode() + rows)
        with contextlib.suppress(OSError):
            path.with_suffix(".csv").unlink()
        return StoredPrices(provider, kept, mark)

    def count(self, provider: str) -> int | None:
        """How many offers of a feed there are, by the file's first line and its size; None if there is no whole one."""
        try:
            with self._file(provider).open("rb") as file:
                first = file.readline()
                mark, _ = Mark.read(first.decode())
                whole = file.seek(0, 2) == len(first) + (mark.size or 0)
                own = len(mark.providers) > 1 or mark.providers == {provider}
                return mark.rows if whole and own else None
        except (OSError, ValueError):
            return None

    def merged(self, bundled: Sequence[Offer]) -> Sequence[Offer]:
        """Bundled offers with every feed's fetched ones over them; what a feed does not cover stays, aged."""
        stored = [found for name in self.providers() if (found := self.load(name)) is not None]
        return merge(bundled, stored) if stored else bundled

    # exchange rates, token prices, measured machines

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
        """Keep fetched exchange rates: of two sources each currency's newest. Raises StoreError."""
        path = self.folder / "rates.json"
        try:
            fetched = money.Rates.from_json(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            fetched = money.Rates.bundled().only(())
        money.save_rates(path, fetched.newest(rates))

    def tokens(self) -> tuple[TokenPrice, ...]:
        """Token prices of serverless APIs: each source's fetched list, the bundled ones of sources never fetched."""
        from pricing import tokens

        found: list[TokenPrice] = []
        for path in sorted((self.folder / "tokens").glob("*.csv")):
            try:
                found += self._redated(path.stem, tokens.parse_tokens(path.read_text(encoding="utf-8"), path.name))
            except (OSError, UnicodeDecodeError):
                self.messages.append(f"Cannot read {path}; the bundled token prices are used.")
            except OffersError as error:
                self._set_aside(path, error.message, "token prices")
        # "LiteLLM price table 1.110.2" is a bundled edition of the list that "litellm" fetches.
        fetched = {entry.source for entry in found}
        bundled = (entry for entry in tokens.bundled() if entry.source.split()[0].lower() not in fetched)
        return (*found, *bundled)

    def _redated(self, source: str, prices: Sequence[TokenPrice]) -> Sequence[TokenPrice]:
        """Token prices as of the last refresh that brought the very same list."""
        row = self._status_of(source)
        read_on, seen_on = row.get("read_at", "")[:10], row.get("fetched_at", "")[:10]
        if not read_on or seen_on <= read_on:
            return prices
        return [replace(entry, source_date=seen_on) if entry.source_date == read_on else entry for entry in prices]

    def count_tokens(self, source: str) -> int | None:
        """How many token prices of a source were fetched, by the lines of its file; None if there are none."""
        try:
            return (self.folder / "tokens" / f"{_checked(source)}.csv").read_bytes().count(b"\n") - 1
        except OSError:
            return None

    def save_tokens(self, source: str, prices: Sequence[TokenPrice]) -> None:
        """Replace a source's token prices. Raises StoreError."""
        from pricing import tokens

        atomic.write_text(self.folder / "tokens" / f"{_checked(source)}.csv", tokens.format_tokens(prices))

    def save_machines(self, files: Mapping[str, bytes]) -> None:
        """Keep measured machines, one file each; figures of tasks that are not answered now stay. Raises StoreError."""
        from pricing.measured_machines import with_others

        for name, fresh in files.items():
            content = fresh
            plain = "".join(char if char.isascii() and (char.isalnum() or char in "._-") else "_" for char in name)
            path = self.machines / plain.lstrip(".")[:120]
            with contextlib.suppress(OSError, UnicodeDecodeError):
                content = with_others(fresh, path.read_text(encoding="utf-8"))
            atomic.write_bytes(path, content)

    # how refreshes went

    def status(self) -> dict[str, dict[str, str]]:
        """How each feed's last refresh went: fetched_at and digest, and failed_at with error after a failure."""
        found: dict[str, dict[str, str]] = {}
        for path in sorted((self.folder / "status").glob("*.json")):
            if row := self._status_of(path.stem):
                found[path.stem] = row
        return found

    def feed_states(self) -> dict[str, FeedState]:
        """How each feed's last refresh went, as its report said it."""
        from pricing.feed_state import FeedState

        return {name: FeedState.read(name, row) for name, row in self.status().items()}

    def _status_of(self, name: str) -> dict[str, str]:
        try:
            row = json.loads((self.folder / "status" / f"{name}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        return {str(key): str(value) for key, value in row.items()} if isinstance(row, dict) else {}

    def save_status(self, changes: Mapping[str, Mapping[str, str]]) -> None:
        """Note how the refresh of some feeds went; one file each, so that two refreshes at once keep both. Raises StoreError."""
        for name, row in changes.items():
            path = self.folder / "status" / f"{_checked(name)}.json"
            atomic.write_text(path, json.dumps(dict(row), indent=1, sort_keys=True))

    def sweep(self, now_s: float) -> None:
        """Remove half-written files of killed processes, and kept answers of old; `now_s` is the time as files have it."""
        for pattern, oldest_s in (("**/.*.part", STALE_PART_S), ("cache/*/*.gz", STALE_ANSWER_S)):
            for path in self.folder.glob(pattern):
                with contextlib.suppress(OSError):
                    if now_s - path.stat().st_mtime > oldest_s:
                        path.unlink()

    def _file(self, provider: str) -> Path:
        return self.prices / f"{_checked(provider)}.json"

    def _dated(self, provider: str, offers: Sequence[Offer]) -> Sequence[Offer]:
        """The offers as of the last refresh that brought the very same answers: seen then, though not written again."""
        row = self._status_of(provider)
        read_at, seen = row.get("read_at", ""), row.get("seen_at") or row.get("fetched_at", "")
        fetched = column(offers, "fetched_at")
        newest = max(filter(None, fetched), default=None)
        if not read_at or newest != read_at or seen <= read_at:
            return offers
        days = zip(fetched, column(offers, "source_date"), strict=True)
        dated = {
            "fetched_at": [seen if at == newest else at for at in fetched],
            "source_date": [seen[:10] if at == newest and day == read_at[:10] else day for at, day in days],
        }
        return offer_list(offers).with_columns(dated)

    def _left_over(self, provider: str, fresh: Sequence[Offer], missing: Sequence[Missing]) -> tuple[Offer, ...]:
        previous = self.load(provider)
        newest = max((entry.fetched_at for entry in fresh if entry.fetched_at), default=None)
        if previous is None or newest is None:
            return ()
        oldest = (datetime.fromisoformat(newest) - timedelta(days=CARRY_DAYS)).isoformat()
        ids = {entry.offer_id for entry in fresh}
        kept = []
        for entry in previous.offers:
            if entry.offer_id in ids:
                continue
            if any(part.holds(entry) for part in missing):
                kept.append(entry)
            elif (entry.fetched_at or "") >= oldest:
                kept.append(replace(entry, availability=UNLISTED))
        return tuple(kept)

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


def _checked(name: str) -> str:
    if not NAME.fullmatch(name):
        raise StoreError(f"{name!r} is not a provider's name.")
    return name


def _is_newer(path: Path) -> bool:
    try:
        Mark.read(path.read_text(encoding="utf-8"))
    except NewerFormatError:
        return True
    except (OSError, ValueError):
        pass
    return False
