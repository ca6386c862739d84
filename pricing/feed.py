"""Reading values out of a feed's answer without trusting its types."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pricing import offer as schema
from pricing.errors import FeedError
from pricing.offer import Offer
from pricing.offer_csv import clean_text
from pricing.regions import region_group

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_BROKEN_SHARE = 0.2
"""More rows with wrong types than this and the feed has changed: nothing of it is taken."""


class BrokenRowError(ValueError):
    """A row whose field has another type than the feed's."""


def number(row: dict[str, Any], name: str) -> float | None:
    """A number of a row; None if absent, null or 0 (a placeholder). Raises BrokenRowError."""
    value = row.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise BrokenRowError(f"{name} is {type(value).__name__}")
    try:
        result = float(value)
    except OverflowError:
        raise BrokenRowError(f"{name} is {value!s:.20}") from None
    if not math.isfinite(result) or result < 0:
        raise BrokenRowError(f"{name} is {result}")
    return result or None


def text(row: dict[str, Any], name: str) -> str | None:
    """A text of a row without control characters; None if absent or empty. Raises BrokenRowError."""
    value = row.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise BrokenRowError(f"{name} is {type(value).__name__}")
    return clean_text(value)[:200] or None


def flag(row: dict[str, Any], name: str) -> bool | None:
    """A yes/no of a row; None if absent. Raises BrokenRowError: the text "false" must not count as true."""
    value = row.get(name)
    if value is not None and not isinstance(value, bool):
        raise BrokenRowError(f"{name} is {type(value).__name__}")
    return value


@dataclass
class Harvest:
    """Collects one feed's offers and the reasons of the rows that are none."""

    provider: str
    source: str
    source_url: str
    now: str
    """ISO time of the request."""
    offers: list[Offer] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    broken: Counter[str] = field(default_factory=Counter)
    seen: int = 0

    def skip(self, reason: str) -> None:
        """Count a row that is no offer."""
        self.skipped[reason] += 1

    def add(self, **facts: Any) -> None:
        """Add an offer; prices are plain numbers in `currency`, fields not given are not stated."""
        values: dict[str, Any] = dict.fromkeys(schema.OFFER_COLUMNS)
        values |= {
            "provider": self.provider,
            "source": self.source,
            "source_url": self.source_url,
            "source_date": self.now[:10],
            "fetched_at": self.now,
            "price_basis": "listed",
            "vat_included": False,
            "term": "on_demand",
            "currency": "USD",
        }
        values |= facts
        values["region_group"] = values["region_group"] or region_group(values["region"])
        values["offer_id"] = schema.offer_id(
            self.provider,
            values["server"],
            values["region"],
            values["term"],
            values["commitment_months"],
            values["tier"],
            values["currency"],
        )
        self.offers.append(Offer(**values))

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


def rows(provider: str, value: Any, *path: str) -> Sequence[Any]:
    """The list at a path of an answer. Raises FeedError if there is none."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    if not isinstance(value, list):
        raise FeedError(
            provider,
            f"the answer has no list {'.'.join(path)}.",
            hint="The feed has changed; old prices stay in use, a newer rackrate may read it.",
        )
    return value
