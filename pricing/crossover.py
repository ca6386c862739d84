"""What carries which traffic at what price: the cheapest CPU and GPU fleets, the serverless API, and where one beats another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from models.fleets import Cheaper, Stairs, cheaper, crossings, merged, stairs, turns
from models.practical import MOST_SERVERS
from pricing.serverless import api_prices, monthly_slope

if TYPE_CHECKING:
    from collections.abc import Iterable

    from models.traffic import Workload
    from pricing.compare import Comparison
    from pricing.serverless import ApiPrices
    from pricing.tokens import TokenPrice

    Array = np.ndarray[Any, Any]

KINDS = ("CPU", "GPU")


@dataclass(frozen=True, slots=True)
class Crossover:
    """Fleets of both kinds over all traffics, and the API beside them."""

    fleets: tuple[Stairs, Stairs]
    changes: list[tuple[float, int]]
    """(traffic, which kind is the cheaper one from there on)."""
    traffic: float
    unit: str
    """users or req/s."""
    api: ApiPrices | None
    slopes: tuple[float, float]
    """A month of one request a second by the API: cheapest, median."""
    turns: tuple[list[float], list[float]]
    """Where the cheapest fleet of either kind becomes cheaper than the API at its median and at its least, dearer, ..."""
    pays: tuple[Cheaper | None, Cheaper | None]
    """The same turns as an answer: from where on, and from where on without a gap."""
    alone: bool
    """Without targets one server has to carry the traffic."""

    @property
    def leaders(self) -> list[tuple[float, str]]:
        """(traffic, the kind of the cheapest fleet from there on)."""
        if self.changes:
            return [(at, KINDS[kind]) for at, kind in self.changes]
        return [(0.0, KINDS[0] if len(self.fleets[0]) else KINDS[1])]

    @property
    def missing_kind(self) -> str:
        """The kind that has no fleet at all, as an answer; empty where both have some."""
        kind = next((kind for kind, fleet in zip(KINDS, self.fleets, strict=True) if not len(fleet)), "")
        return f"no {kind} server {'holds the model' if self.alone else 'meets the targets'}" if kind else ""


def most_servers(work: Workload) -> int:
    """Servers of one offer that a fleet may have."""
    return MOST_SERVERS if work.has_targets else 1


def usable(comparison: Comparison, asked: Array) -> Array:
    """Those of the offers asked about that fleets are made of: in stock, inside the targets (holding the model without any)."""
    can = comparison.column("meets_targets" if comparison.workload.has_targets else "fits").astype(bool)
    found: Array = asked[(can & ~comparison.market.out_of_stock)[asked]]
    return found


def own_fleets(
    comparison: Comparison,
    places: Array,
    *,
    users: bool = False,
    month: float | None = None,
) -> Stairs:
    """The cheapest fleet of one of the offers `places` for every traffic, each server at the planned share of its rate.

    Traffic is in requests/s, or in `users`. `month` is what one server costs where it is not rented.
    """
    work = comparison.workload
    able = comparison.column("max_concurrency" if users else "requests_per_s_at_target").astype(float)
    able = (able * work.utilization)[places]
    cost = comparison.server_monthly_cost[places] if month is None else np.full(len(places), month)
    most = comparison.market.most_servers[places] if work.has_targets else 1
    return stairs(able, cost, places, most)


def crossover(
    comparison: Comparison,
    asked: Array,
    prices: Iterable[TokenPrice] | None,
    carried: tuple[Comparison, Comparison] | None = None,
) -> Crossover:
    """The answer for the offers `asked`, in stock; without `prices` (or over users) no API.

    `carried`: comparisons that say what CPU and what GPU servers carry, where that is not the estimate but an end of its error band.
    """
    work = comparison.workload
    users = work.concurrency is not None
    gpu = comparison.market.is_gpu
    fleets = []
    for kind, says in zip((~gpu, gpu), carried or (comparison, comparison), strict=True):
        places = usable(says, asked)
        fleets.append(own_fleets(says, places[kind[places]], users=users))
    api = None if users or prices is None else api_prices(prices, work, comparison.terms)
    slopes = (0.0, 0.0)
    if api is not None:
        slopes = (
            monthly_slope(api.cheapest, work, comparison.terms),
            monthly_slope(api.median, work, comparison.terms),
        )
    own, most = merged(*fleets), most_servers(work)
    cheap, middle = (turns(own, slope) if slope else [] for slope in slopes)
    cheaper_cheap, cheaper_middle = (cheaper(own, slope, most) for slope in slopes)
    return Crossover(
        (fleets[0], fleets[1]),
        crossings(fleets[0], fleets[1]) if all(len(fleet) for fleet in fleets) else [],
        float(work.concurrency if work.concurrency is not None else work.requests_per_s or 0.0),
        "users" if users else "req/s",
        api,
        slopes,
        turns=(middle, cheap),
        pays=(cheaper_middle, cheaper_cheap),
        alone=not work.has_targets,
    )
