"""Which of Azure's prices stand: one for each size, region and term, and none that the other regions contradict."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from pricing.providers._azure_sizes import from_name

if TYPE_CHECKING:
    from pricing.feed import Harvest

Key = tuple[str, str, str, int | None]
"""Size, region, term, months of commitment."""

BAND = (0.2, 5.0)
"""A price's share of the same size's median over regions. In the bundled prices a size costs 1.5 times more in Azure's dearest
region than in its cheapest, 2.4 times in AWS's."""
REGIONS_FOR_MEDIAN = 3
SPOT_FLOOR = 0.05
"""Share of on-demand below which a spot price is taken for a placeholder: half of the 90 % discount that Azure advertises at most."""
COMMITTED_BAND = (0.1, 1.0)
"""A commitment's share of on-demand; in the bundled prices 12 and 36 months cost 0.43 to 0.86 of it."""
PLACEHOLDER_USD = 0.01
PLACEHOLDER_FROM_VCPUS = 4
ACCELERATOR_FLOOR_USD = 0.02
"""A judgement: Azure's smallest slice in the bundle, a sixth of an A10, costs 0.45 on demand and 0.08 as spot."""


@dataclass
class Best:
    """The price to go by of each size, region and term, of those that the list has."""

    harvest: Harvest
    prices: dict[Key, float] = field(default_factory=dict)
    _primary: dict[Key, bool] = field(default_factory=dict)

    def keep(self, key: Key, price: float, primary: bool | None) -> None:
        """Note a price: a primary meter goes before another; of two alike, the lower, since what is added is an extra."""
        first = primary is not False
        known = self.prices.get(key)
        if known is None:
            self.prices[key], self._primary[key] = price, first
            return
        if known != price:
            self.harvest.skip("second price of a size")
        if (first, -price) > (self._primary[key], -known):
            self.prices[key], self._primary[key] = price, first


def sane(best: Best, harvest: Harvest) -> dict[Key, float]:
    """The prices without placeholders and those that contradict the size's other prices."""
    over_regions: defaultdict[tuple[str, str, int | None], list[float]] = defaultdict(list)
    for (server, _, term, months), price in best.prices.items():
        over_regions[server, term, months].append(price)
    medians = {key: median(prices) for key, prices in over_regions.items() if len(prices) >= REGIONS_FOR_MEDIAN}
    full = {key: median(prices) for key, prices in over_regions.items() if key[1] == "on_demand"}
    kept: dict[Key, float] = {}
    for key, price in best.prices.items():
        server, region, term, months = key
        on_demand = best.prices.get((server, region, "on_demand", None))
        why = _placeholder(server, price)
        if why is None and term == "spot":
            why = _spot(price, on_demand, full.get((server, "on_demand", None)))
        elif why is None:
            middle = medians.get((server, term, months))
            if middle is not None and not BAND[0] <= price / middle <= BAND[1]:
                why = "price far from the other regions'"
            elif months and on_demand is not None and not COMMITTED_BAND[0] <= price / on_demand <= COMMITTED_BAND[1]:
                why = "commitment out of proportion to on-demand"
        if why is None:
            kept[key] = price
        else:
            harvest.skip(why)
    return kept


def _placeholder(server: str, price: float) -> str | None:
    if price < ACCELERATOR_FLOOR_USD and server.lower().startswith("standard_n"):
        return "placeholder price"
    if price <= PLACEHOLDER_USD and (from_name(server).vcpus or 0) >= PLACEHOLDER_FROM_VCPUS:
        return "placeholder price"
    return None


def _spot(price: float, here: float | None, anywhere: float | None) -> str | None:
    if here is not None and price > here:
        return "spot above on-demand"
    if anywhere is not None and price < SPOT_FLOOR * anywhere:
        return "spot far below on-demand"
    return None
