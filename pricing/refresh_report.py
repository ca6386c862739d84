"""How a refresh went: one outcome a provider, one exit code, one sentence."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

GOOD = frozenset({"fresh", "unchanged", "recent"})
_OTHERS = {"held": "held back", "failed": "failed", "cancelled": "cancelled", "skipped": "not asked"}


@dataclass(frozen=True, slots=True)
class Plan:
    """The feeds that a refresh is going to ask."""

    providers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One more answer of a provider while a refresh runs."""

    provider: str
    answers: int
    bytes_read: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one provider's refresh ended."""

    provider: str
    status: str
    """fresh, unchanged (the feed says or shows that nothing moved), recent (younger than --max-age), skipped (needs a
    key), held, failed or cancelled."""
    offers: int = 0
    message: str = ""
    hint: str = ""
    skipped: dict[str, int] = field(default_factory=dict)
    """Rows of the feed that are no offers, by reason."""
    quality: dict[str, int] = field(default_factory=dict)
    """Offers that a quality rule left out or marked, by rule."""
    missing: tuple[str, ...] = ()
    """Parts of the feed that were not answered; their last good prices stay."""
    unmatched: tuple[str, ...] = ()
    """Servers whose hardware the catalogs do not know."""
    servers: int = 0
    """Distinct servers still sold."""
    seconds: float = 0.0
    fetched_at: str | None = None
    """When the prices now in use were fetched; None = only bundled ones."""
    unreachable: bool = False
    """Failed, and not one of its hosts could even be connected to."""

    @property
    def good(self) -> bool:
        """Whether the prices in use are fresh (or fresh enough)."""
        return self.status in GOOD

    @property
    def unmatched_share(self) -> float | None:
        """Share of the servers still sold whose hardware is not known; None where there are none."""
        return len(self.unmatched) / self.servers if self.servers else None

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader of the report should know besides: rules that struck, parts without an answer, unknown hardware."""
        found = []
        if self.quality:
            found.append("rules: " + ", ".join(f"{count} {rule}" for rule, count in self.quality.items()))
        if self.missing:
            more = f" and {len(self.missing) - 1} more parts" if len(self.missing) > 1 else ""
            found.append(f"not answered: {self.missing[0]}{more}; their last prices stay")
        if self.unmatched and self.unmatched_share is not None:
            names = ", ".join(self.unmatched[:2])
            more = ", ..." if len(self.unmatched) > 2 else ""
            found.append(f"unknown hardware: {self.unmatched_share:.1%} of the servers ({names}{more})")
        return tuple(found)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        share = self.unmatched_share
        return {
            "provider": self.provider,
            "status": self.status,
            "offers": self.offers,
            "message": self.message,
            "hint": self.hint,
            "skipped": self.skipped,
            "quality": self.quality,
            "missing": list(self.missing),
            "unmatched": list(self.unmatched),
            "unmatched_share": None if share is None else round(share, 4),
            "seconds": round(self.seconds, 2),
            "fetched_at": self.fetched_at,
            "unreachable": self.unreachable,
        }


@dataclass(frozen=True, slots=True)
class RefreshReport:
    """All outcomes, in the order of the providers asked for."""

    outcomes: tuple[Outcome, ...]

    @property
    def exit_code(self) -> int:
        """0 all fresh, 1 some failed, 2 nothing usable. A provider that only lacks its key is no failure."""
        counted = [entry for entry in self.outcomes if entry.status != "skipped"]
        if all(entry.good for entry in counted):
            return 0 if counted else 2
        return 1 if any(entry.good for entry in counted) else 2

    @property
    def offline(self) -> bool:
        """Whether every feed that was asked failed for want of a connection: there is no network."""
        asked = [entry for entry in self.outcomes if entry.status not in {"skipped", "recent"}]
        return bool(asked) and all(entry.status == "failed" and entry.unreachable for entry in asked)

    @property
    def conclusion(self) -> str:
        """The report in words: how many are fresh, and what the others are."""
        count = Counter(entry.status for entry in self.outcomes)
        said = [f"{sum(count[status] for status in GOOD)} of {len(self.outcomes)} fresh"]
        said += [f"{count[status]} {words}" for status, words in _OTHERS.items() if count[status]]
        if parts := sum(bool(entry.good and entry.missing) for entry in self.outcomes):
            said[0] += f" ({parts} in part)"
        kept = parts + count["held"] + count["failed"] + count["cancelled"]
        return f"{', '.join(said)}.{' Their last good prices stay.' if kept else ''}"

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        in_part = [entry.provider for entry in self.outcomes if entry.good and entry.missing]
        return {
            "exit_code": self.exit_code,
            "in_part": in_part,
            "providers": [entry.as_dict() for entry in self.outcomes],
        }
