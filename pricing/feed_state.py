"""How a feed's last refresh went, as it is kept beside the prices: what was said, and when."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from pricing.refresh_report import GOOD

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pricing.refresh_report import Outcome

MOST_NAMED = 20
"""Names of servers with unknown hardware that are kept; the count is kept in full."""


@dataclass(frozen=True, slots=True)
class FeedState:
    """One feed's last outcome."""

    provider: str
    status: str
    """As in Outcome; "" where it was never asked."""
    asked_at: str = ""
    """ISO time of the refresh; the same for all feeds of one refresh."""
    offers: int = 0
    message: str = ""
    hint: str = ""
    remarks: tuple[str, ...] = ()
    skipped: tuple[tuple[str, int], ...] = ()
    missing: tuple[str, ...] = ()
    unmatched: tuple[str, ...] = ()
    seconds: float = 0.0
    fetched_at: str = ""
    """When the prices in use were fetched; "" = only bundled ones."""
    unreachable: bool = False

    @property
    def good(self) -> bool:
        """Whether the prices in use are those of that refresh."""
        return self.status in GOOD

    @classmethod
    def of(cls, outcome: Outcome, moment: str) -> FeedState:
        """What is kept of an outcome."""
        return cls(
            outcome.provider,
            outcome.status,
            moment,
            outcome.offers,
            outcome.message.removeprefix(f"{outcome.provider}: "),
            outcome.hint,
            outcome.remarks,
            tuple(outcome.skipped.items()),
            outcome.missing,
            outcome.unmatched[:MOST_NAMED],
            round(outcome.seconds, 2),
            outcome.fetched_at or "",
            outcome.unreachable,
        )

    def text(self) -> str:
        """For the feed's status file."""
        return json.dumps(asdict(self))

    @classmethod
    def read(cls, provider: str, row: Mapping[str, str]) -> FeedState:
        """The state in a feed's status file; one without it, or with a broken one, tells by its other fields what it can."""
        try:
            return cls._of(provider, json.loads(row.get("last", "")))
        except (ValueError, TypeError, AttributeError, RecursionError):
            failed_at, fetched_at = row.get("failed_at", ""), row.get("fetched_at", "")
            if failed_at > fetched_at:
                said = row.get("error", "").removeprefix(f"{provider}: ")
                return cls(provider, "failed", failed_at, message=said, fetched_at=fetched_at)
            return cls(provider, "fresh" if fetched_at else "", fetched_at, fetched_at=fetched_at)

    @classmethod
    def _of(cls, provider: str, table: Any) -> FeedState:
        known = {field.name for field in fields(cls)}
        values = {key: value for key, value in table.items() if key in known and key != "provider"}
        for name in ("remarks", "missing", "unmatched"):
            values[name] = tuple(map(str, values.get(name, ())))
        for name in ("status", "asked_at", "message", "hint", "fetched_at"):
            values[name] = str(values.get(name, ""))
        values["skipped"] = tuple((str(reason), int(count)) for reason, count in values.get("skipped", ()))
        values["offers"], values["seconds"] = int(values.get("offers", 0)), float(values.get("seconds", 0.0))
        values["unreachable"] = values.get("unreachable") is True
        return cls(provider, **values)
