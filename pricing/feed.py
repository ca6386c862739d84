"""Reading values out of a feed's answer without trusting its types, and making offers of them."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from pricing import offer as schema
from pricing.errors import FeedError
from pricing.identity import identify
from pricing.offer_csv import clean_text, impossible
from pricing.provider import Fetched
from pricing.regions import region_group

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pricing.answers import Answer
    from pricing.offer import Offer
    from pricing.provider import Missing

MAX_BROKEN_SHARE = 0.2
"""More rows with wrong types than this and the feed has changed: nothing of it is taken."""
MIB_PER_GIB = 1024.0
BYTES_PER_GIB = 1024.0**3
MAX_PRICE_PER_HOUR = 10_000.0
"""No server on sale comes near; a price above it is a unit mixed up or a placeholder."""


class BrokenRowError(ValueError):
    """A row whose field has another type than the feed's."""


def number(row: Any, *path: str, zero: bool = False) -> float | None:
    """A number at a path of a row; None if absent, null or 0 (a placeholder, unless `zero`). Raises BrokenRowError."""
    value = value_at(row, *path)
    if value is None:
        return None
    name = path[-1]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise BrokenRowError(f"{name} is {type(value).__name__}")
    return _sane(value, name, zero=zero)


def decimal(row: Any, *path: str, zero: bool = False) -> float | None:
    """A number that the feed writes as a text ("3.95", "9.0E-4"); None if absent, empty, "N/A..." or 0. Raises BrokenRowError."""
    value = value_at(row, *path)
    if value is None:
        return None
    name = path[-1]
    if not isinstance(value, str):
        raise BrokenRowError(f"{name} is {type(value).__name__}")
    text = value.strip()
    if not text or text.upper().startswith("N/A"):
        return None
    try:
        return _sane(float(text), name, zero=zero) if "_" not in text else _refuse(name, text)
    except ValueError:
        raise BrokenRowError(f"{name} is no number") from None


def _refuse(name: str, text: str) -> float:
    raise BrokenRowError(f"{name} is {text[:20]!r}")


def _sane(value: float, name: str, *, zero: bool) -> float | None:
    try:
        result = float(value)
    except OverflowError:
        raise BrokenRowError(f"{name} is {value!s:.20}") from None
    if not math.isfinite(result) or result < 0:
        raise BrokenRowError(f"{name} is {result}")
    return result if zero else result or None


def text(row: Any, *path: str) -> str | None:
    """A text at a path of a row without control characters; None if absent or empty. Raises BrokenRowError."""
    value = value_at(row, *path)
    if value is None:
        return None
    if not isinstance(value, str):
        raise BrokenRowError(f"{path[-1]} is {type(value).__name__}")
    return clean_text(value)[:200] or None


def flag(row: Any, *path: str) -> bool | None:
    """A yes/no at a path of a row; None if absent. Raises BrokenRowError: the text "false" must not count as true."""
    value = value_at(row, *path)
    if value is not None and not isinstance(value, bool):
        raise BrokenRowError(f"{path[-1]} is {type(value).__name__}")
    return value


def value_at(row: Any, *path: str) -> Any:
    """Whatever is at a path of a row; None where a step is absent. Raises BrokenRowError where a step is no object."""
    for name in path:
        if row is None:
            return None
        if not isinstance(row, dict):
            raise BrokenRowError(f"{name} is asked of {type(row).__name__}")
        row = row.get(name)
    return row


def items(row: Any, *path: str) -> list[Any]:
    """The list at a path of a row; empty if absent. Raises BrokenRowError."""
    value = value_at(row, *path)
    if value is None:
        return []
    if not isinstance(value, list):
        raise BrokenRowError(f"{path[-1]} is {type(value).__name__}")
    return value


@dataclass
class Harvest:
    """Collects one feed's offers and the reasons of the rows that are none."""

    provider: str
    source: str
    """What was read, in words: "Vultr API plans"."""
    source_url: str
    """Where a reader can look the price up."""
    now: str
    """ISO time of the request."""
    offers: list[Offer] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    broken: Counter[str] = field(default_factory=Counter)
    seen: int = 0
    _usual: dict[str, Any] = field(init=False)
    """What an offer says unless its row says otherwise."""

    def __post_init__(self) -> None:
        self._usual = dict.fromkeys(schema.OFFER_COLUMNS) | {
            "provider": self.provider,
            "source": self.source,
            "source_url": self.source_url,
            "source_date": self.now[:10],
            "fetched_at": self.now,
            "price_basis": "listed",
            "vat_included": False,
            "term": "on_demand",
            "currency": "USD",
            "kind": "cpu",
        }

    @classmethod
    def at(cls, provider: str, source: str, source_url: str, now: datetime) -> Harvest:
        """A harvest of answers that came at a moment."""
        return cls(provider, source, source_url, now.isoformat(timespec="seconds"))

    def dated_by(self, answer: Answer) -> None:
        """Date the offers to come by the day the answer came, where a cache has kept it since."""
        seen = datetime.fromisoformat(self.now) - timedelta(seconds=answer.age_s)
        self._usual["source_date"] = seen.date().isoformat()

    def skip(self, reason: str, count: int = 1) -> None:
        """Count rows that are no offers."""
        self.skipped[reason] += count

    def each(self, rows: Iterable[Any], take: Callable[[Any], None]) -> None:
        """Give each row to a function; one with wrong types is counted, and does not stop the others."""
        for row in rows:
            self.seen += 1
            try:
                take(row)
            except BrokenRowError as error:
                self.broken[str(error)] += 1

    def add(self, **facts: Any) -> None:
        """Add an offer. Prices are plain numbers in `currency` (USD); what is not given is not stated.

        `gpu_model` and `cpu_model` are the provider's spellings, `vram_gib_per_gpu` what it states: the catalogs' names
        and sizes are put in their place where these know the hardware. `kind` is "gpu" where a `gpu_model` is given.
        """
        values = self._usual.copy()
        if facts.get("gpu_model"):
            values["kind"] = "gpu"
        values.update(facts)
        hourly, monthly = values["price_per_hour"], values["price_per_month"]
        if not hourly and not monthly:
            self.skip("no price")
            return
        if hourly and hourly > MAX_PRICE_PER_HOUR:
            self.skip("price beyond any server's")
            return
        identify(values)
        if (column := impossible(facts)) is not None:
            self.skip(f"{column} beyond any server's")
            return
        values["region_group"] = values["region_group"] or region_group(values["region"])
        values["offer_id"] = schema.offer_id(
            values["provider"],
            values["server"],
            values["region"],
            values["term"],
            values["commitment_months"],
            values["tier"],
            values["currency"],
        )
        self.offers.append(schema.from_facts(values))

    def check(self) -> None:
        """Refuse the whole answer if too many rows had wrong types. Raises FeedError."""
        broken = self.broken.total()
        if self.seen and broken / self.seen > MAX_BROKEN_SHARE:
            why = self.broken.most_common(1)[0][0]
            raise FeedError(
                self.provider,
                f"{broken} of {self.seen} rows are not in the known shape ({why}).",
                hint="The feed has changed; old prices stay in use, a newer rackrate may read it.",
            )

    def part(
        self,
        take: Callable[[Harvest], None],
        *stands_for: Missing,
        source: str = "",
        source_url: str = "",
    ) -> tuple[Missing, ...]:
        """Take one of a feed's lists; if it is in no known shape, what it stands for is missing and the others go on.

        `take` fills a harvest of its own. Returns what is missing now: nothing, or `stands_for` with the reason.
        """
        own = Harvest(self.provider, source or self.source, source_url or self.source_url, self.now)
        missing: tuple[Missing, ...] = ()
        try:
            take(own)
            own.check()
        except FeedError as error:
            reason = error.message.removeprefix(f"{self.provider}: ")
            missing = tuple(replace(entry, reason=reason) for entry in stands_for)
        else:
            self.offers += own.offers
        self.skipped += own.skipped + own.broken
        return missing

    def done_with_some(self, missing: Sequence[Missing]) -> Fetched:
        """What the refresh brought of several lists. Raises FeedError if there is nothing of those that were read."""
        why = next((entry.reason for entry in missing if entry.asked), None)
        if not self.offers and why is not None:
            raise FeedError(self.provider, why, hint="Old prices stay in use.")
        return self.done(missing)

    def done(self, missing: Iterable[Missing] = ()) -> Fetched:
        """What the refresh brought. Raises FeedError if too many rows had wrong types."""
        self.check()
        return Fetched(tuple(self.offers), skipped=dict(self.skipped + self.broken), missing=tuple(missing))


def rows(provider: str, value: Any, *path: str) -> Sequence[Any]:
    """The list at a path of an answer. Raises FeedError if there is none."""
    return _at(provider, value, path, list, "list")  # type: ignore[no-any-return]


def table(provider: str, value: Any, *path: str) -> dict[str, Any]:
    """The object at a path of an answer. Raises FeedError if there is none."""
    return _at(provider, value, path, dict, "object")  # type: ignore[no-any-return]


def _at(provider: str, value: Any, path: tuple[str, ...], kind: type, word: str) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    if not isinstance(value, kind):
        raise FeedError(
            provider,
            f"the answer has no {word} {'.'.join(path)}.".replace(" .", "."),
            hint="The feed has changed; old prices stay in use, a newer rackrate may read it.",
        )
    return value
