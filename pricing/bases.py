"""The cheapest lasting price of each offer's very server: what a base that runs all month is paid by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pricing.compare import Comparison

    Array = np.ndarray[Any, Any]

LASTING = ("on_demand", "monthly", "reserved", "savings_plan")
"""Terms that nobody takes away in the middle of the month."""


def cheapest_bases(comparison: Comparison, usable: Array) -> tuple[Array, Array]:
    """(month of one server on its cheapest lasting term, the offer it is of), one entry an offer; NaN and -1 where there is none.

    Same server: same seller, server name and region, of the same hardware. Only offers of the mask `usable` are bases.
    """
    market = comparison.market
    month = comparison.server_monthly_cost
    best: dict[tuple[Any, ...], tuple[float, int]] = {}
    names = [market.column(name) for name in ("provider", "server", "region")]
    terms = market.column("term")
    keys = list(zip(*names, market.server_index.tolist(), strict=True))
    for at in np.flatnonzero(usable & np.isfinite(month)).tolist():
        if terms[at] not in LASTING:
            continue
        if keys[at] not in best or month[at] < best[keys[at]][0]:
            best[keys[at]] = (float(month[at]), at)
    found = [best.get(key, (np.nan, -1)) for key in keys]
    return np.array([cost for cost, _ in found], dtype=float), np.array([at for _, at in found], dtype=np.intp)
