"""What each provider has to offer for the present workload and filters."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from tui.session import Session

_TERM = "provider:"


class Seller(NamedTuple):
    """One provider's line in the chooser."""

    name: str
    offers: int
    """How many of its offers the other filters leave."""
    cheapest: float | None
    """Its lowest cost that meets the targets, by the usual order: of a million output tokens, with users of a month."""
    age_days: float | None
    """Of its newest price."""


def sellers(session: Session) -> list[Seller]:
    """All providers, the cheapest first; a filter for providers does not count, all others do."""
    comparison = session.comparison
    if comparison is None or not len(comparison):
        return []
    from pricing.filters import usual_sort

    view = session.view.changed(where=with_providers(session.view.where, ()))
    shown = session.filters(view).mask(comparison)
    names, place = np.unique(comparison.market.column("provider").astype(str), return_inverse=True)
    cost = comparison.column(usual_sort(comparison.workload))
    cheapest = np.full(len(names), np.inf)
    meets = shown & comparison.column("meets_targets").astype(bool) & ~np.isnan(cost)
    np.minimum.at(cheapest, place[meets], cost[meets])
    age = np.full(len(names), np.inf)
    dated = shown & ~np.isnan(comparison.price_age_days)
    np.minimum.at(age, place[dated], comparison.price_age_days[dated])
    offers = np.bincount(place[shown], minlength=len(names))
    found = [Seller(str(name), int(offers[at]), _known(cheapest[at]), _known(age[at])) for at, name in enumerate(names)]
    return sorted(
        found, key=lambda seller: (seller.cheapest is None, seller.cheapest or 0.0, not seller.offers, seller.name)
    )


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def providers_in(where: str) -> tuple[str, ...]:
    """The providers that a filter asks for."""
    found: list[str] = []
    for term in _terms(where):
        if _asks(term):
            found += [name.strip('"') for name in term[len(_TERM) :].split(",")]
    return tuple(dict.fromkeys(filter(None, found)))


def with_providers(where: str, names: tuple[str, ...]) -> str:
    """The same filter with these providers instead of those it asked for."""
    terms = [term for term in _terms(where) if not _asks(term)]
    wanted = [f'"{name}"' if set(name) & set(' |"') else name for name in names]
    return " ".join([*terms, *([_TERM + ",".join(wanted)] if wanted else [])])


def _asks(term: str) -> bool:
    return term.lower().startswith(_TERM) and "|" not in term


def _terms(where: str) -> list[str]:
    from pricing.where import terms_of

    return terms_of(where)
