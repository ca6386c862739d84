"""The offer that a few words name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from models.errors import InputError, brief

if TYPE_CHECKING:
    from tui.advice.question import Question


def named_offer(question: Question, name: str, *, priced: bool = True) -> int:
    """The cheapest offer whose server, provider or hardware holds the words; one with a price. Raises InputError."""
    comparison, words = question.comparison, name.lower().split()
    asked = question.asked()
    fits = comparison.column("fits")[asked].astype(bool)
    found = [int(at) for at in asked if all(word in comparison.market.haystack[int(at)] for word in words)]
    if not found:
        raise InputError(
            f"No offer asked about is called {brief(name)}.", hint="`rackrate compare` lists them; filters may hide it."
        )
    meets, cost = comparison.column("meets_targets"), comparison.column("monthly_cost")
    with_price = [at for at in found if np.isfinite(cost[at])]
    if not with_price:
        if not priced:
            return found[0]
        held = fits[np.isin(asked, found)].any()
        raise InputError(f"No offer called {brief(name)} {'has a price' if held else 'holds the model'}.")
    return min(with_price, key=lambda at: (not meets[at], float(cost[at])))
