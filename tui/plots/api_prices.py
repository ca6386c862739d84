"""Token prices of the session's market, read once for each set of prices."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from pricing.market import Market
    from pricing.tokens import TokenPrice
    from tui.session import Session

_KEPT: WeakKeyDictionary[Market, tuple[TokenPrice, ...]] = WeakKeyDictionary()
"""Read once for each set of prices."""


def stored(session: Session) -> tuple[TokenPrice, ...]:
    """All token prices at hand, the bundled ones where no others can be read."""
    from pricing import tokens

    market = session.market
    assert market is not None  # noqa: S101 - rows were made from one
    found = _KEPT.get(market)
    if found is None:
        found = _KEPT[market] = tokens.at_hand(session.store)
    return found
