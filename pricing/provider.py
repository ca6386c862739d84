"""What a price feed is to rackrate: a name, a description of itself, and `fetch`.

A provider is one file in pricing/providers/ whose class is decorated with @register; there is no list to keep.
`fetch` does the requests, `parse` (pure) makes offers of the answer.
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

    from pricing.http import Client
    from pricing.money import Rates
    from pricing.offer import Offer


@dataclass(frozen=True, slots=True)
class About:
    """A feed's description of itself, as `rackrate catalog providers` shows it."""

    name: str
    title: str
    what: str
    """prices or rates."""
    kinds: tuple[str, ...] = ()
    covers: tuple[tuple[str, str], ...] = ()
    """(kind, term) pairs the feed answers for; its bundled rows of these are replaced by a refresh."""
    regional: bool = False
    key_variable: str | None = None
    """Environment variable of an API key."""
    key_needed: bool = False
    verified: str | None = None
    """Month of a real answer that the parser was checked against; None = written from documentation only."""
    page: str = ""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What one refresh of one provider brought."""

    offers: tuple[Offer, ...] = ()
    rates: Rates | None = None
    skipped: Mapping[str, int] = field(default_factory=dict)
    """Rows that are no offers, by reason."""


class Provider(Protocol):
    """A price feed."""

    about: About

    def fetch(self, client: Client, now: datetime) -> Fetched:
        """Ask the feed. Raises FeedError."""
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
