"""What a price feed is to rackrate: a description of itself, `fetch` (does the asking) and `parse` (pure).

A provider is one file in pricing/providers/ whose class is decorated with @register; there is no list to keep.
`fetch` only asks and collects answers; `parse` makes offers of them without any I/O, so that it can be skipped when
the answers are those of last time, and tested without a network.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

from models.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from pricing.answers import Answers
    from pricing.asking import Asker
    from pricing.money import Rates
    from pricing.offer import Offer
    from pricing.stored import Row
    from pricing.tokens import TokenPrice


@dataclass(frozen=True, slots=True)
class About:
    """A feed's description of itself, as `rackrate catalog providers` shows it."""

    name: str
    title: str
    what: str
    """prices, rates, tokens or machines."""
    kinds: tuple[str, ...] = ()
    covers: tuple[tuple[str, str], ...] = ()
    """(kind, term) pairs the feed answers for; its bundled rows of these are replaced by a refresh."""
    regional: bool = False
    """Asked for some regions only: bundled rows of other regions stay."""
    regions: tuple[str, ...] = ()
    """Regions asked for unless the settings name others; () = the feed knows no choice."""
    hosts: tuple[str, ...] = ()
    """The only hosts it may be asked at; a page or an answer that names another is refused."""
    key_variable: str | None = None
    """Environment variable of an API key."""
    key_needed: bool = False
    serves: tuple[str, ...] = ()
    """Providers whose offers it brings; () = only those of its own name. Such a catalogue never overrides a direct feed."""
    on_request: bool = False
    """Refreshed only when named: large, or of use to few."""
    known_hardware: bool = True
    """The feed says which CPU or GPU it sells: the share that the catalogs do not know is reported."""
    gpus_alone: bool = False
    """A marketplace that sells single GPUs with an unstated share of a host: rows without a host are offers."""
    time_limit_s: float = 60.0
    """For all its requests together, retries included."""
    pace_s: float = 0.0
    """Least seconds between two requests to one of its hosts."""
    verified: str | None = None
    """Month of a real answer that the parser was checked against; None = written from documentation only."""
    cannot: tuple[str, ...] = ()
    """What the feed does not tell, in words for a user."""
    page: str = ""
    version: int = 1
    """Raised when `parse` changes: answers like last time's are then read again."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A part of a feed that was not answered: the last good rows it stands for stay. None = any."""

    reason: str
    kind: str | None = None
    term: str | None = None
    region: str | None = None
    provider: str | None = None
    asked: bool = True
    """False where the feed is never asked for it (AWS's reserved prices of most regions): nothing to tell a user."""

    def holds(self, offer: Offer | Row) -> bool:
        """Whether an offer belongs to the part that is missing."""
        return (
            self.kind in {None, offer.kind}
            and self.term in {None, offer.term}
            and self.region in {None, offer.region}
            and self.provider in {None, offer.provider}
        )


@dataclass(frozen=True, slots=True)
class Fetched:
    """What one refresh of one provider brought."""

    offers: tuple[Offer, ...] = ()
    rates: Rates | None = None
    tokens: tuple[TokenPrice, ...] = ()
    machines: Mapping[str, bytes] = field(default_factory=dict)
    """Measured machines: file name -> content, kept as they are (their licence asks for a file of their own)."""
    skipped: Mapping[str, int] = field(default_factory=dict)
    """Rows that are no offers, by reason."""
    missing: tuple[Missing, ...] = ()
    """The parts without an answer: those of `Answers.missing` that nothing else made up for, and any found while reading."""


class Provider(Protocol):
    """A price feed."""

    about: About

    def fetch(self, ask: Asker) -> None:
        """Ask the feed; every answer is kept in `ask.answers`. Raises FeedError if there is nothing to go on."""
        ...

    def parse(self, answers: Answers, now: datetime) -> Fetched:
        """Offers of the answers, without I/O. Raises FeedError if they are not in the known shape."""
        ...


_REGISTRY: dict[str, Provider] = {}
P = TypeVar("P", bound=type)


def register(cls: P) -> P:
    """Make a provider class known under its name."""
    instance = cls()
    _REGISTRY[instance.about.name] = instance
    return cls


def providers() -> dict[str, Provider]:
    """All providers by name."""
    import pricing.providers

    for module in pkgutil.iter_modules(pricing.providers.__path__):
        if not module.name.startswith("_"):
            importlib.import_module(f"pricing.providers.{module.name}")
    return dict(sorted(_REGISTRY.items()))


def provider(name: str) -> Provider:
    """One provider. Raises UnknownNameError with the nearest names."""
    import difflib

    known = providers()
    found = known.get(name.strip().lower())
    if found is None:
        raise UnknownNameError("provider", name, tuple(difflib.get_close_matches(name, known, 3, 0.4)))
    return found
