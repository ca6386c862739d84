"""What several plots ask of the rows: which offers are worth a look, and what an offer is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tui import format as fmt

if TYPE_CHECKING:
    import numpy as np

    from tui.rows import Rows

    Array = np.ndarray[Any, Any]


def good(rows: Rows) -> Array:
    """True for offers that meet the targets, can be had, and need a practical number of servers: those a verdict picks."""
    found: Array = (
        rows.array("meets_targets").astype(bool) & rows.comparison.practical & ~rows.comparison.market.out_of_stock
    )
    return found


def who(rows: Rows, i: int) -> str:
    """Provider and server, the server alone where it names the provider already."""
    offer = rows.offer(i)
    name = fmt.clean(rows.server(i)) or fmt.MISSING
    return name if name.lower().startswith(offer.provider.lower()) else f"{fmt.clean(offer.provider)} {name}"


def sign_of_money(rows: Rows) -> str:
    """The currency's sign."""
    return fmt.symbol(rows.comparison.terms.currency)


def money(rows: Rows, value: float | None) -> str:
    """A cost with its sign."""
    return fmt.money(value, rows.comparison.terms.currency, decimals=3)
