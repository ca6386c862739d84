"""What nothing beats in both of two figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]


def frontier(value: Array, cost: Array) -> Array:
    """Indices of the points for which none of at least the value is as cheap, in ascending order of both."""
    order = np.lexsort((cost, -value))
    sorted_cost = cost[order]
    cheapest_before = np.r_[np.inf, np.minimum.accumulate(sorted_cost)[:-1]] if len(order) else sorted_cost
    kept: Array = order[sorted_cost < cheapest_before][::-1]
    return kept
