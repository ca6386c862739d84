"""What carries which traffic at what price: the cheapest CPU and GPU fleets, the serverless API, and where one beats another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from models.fleets import Stairs, crossings, merged, stairs, turns
from pricing.serverless import api_prices, monthly_slope

if TYPE_CHECKING:
    from collections.abc import Iterable

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


def band_ends(comparison: Comparison) -> tuple[Array, Array]:
    """(low, high) end of each offer's error band over its estimate, by its output tokens/s; 1 where there is no band."""
    rate = comparison.column("output_tokens_per_s").astype(float)
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = (
            np.nan_to_num(comparison.column(f"output_tokens_per_s_{end}").astype(float) / rate, nan=1.0, posinf=1.0)
            for end in ("low", "high")
        )
    return low, high


def crossover(
    comparison: Comparison, asked: Array, prices: Iterable[TokenPrice] | None, speed: Array | float = 1.0
) -> Crossover:
    """The answer for the offers `asked`, in stock; without `prices` (or over users) no API.

    `speed` scales what every offer carries: the ends of its error band over its estimate, one figure an offer.
    """
    work = comparison.workload
    targets = work.ttft_ms is not None or work.tpot_ms is not None
    users = work.concurrency is not None
    able = comparison.column("max_concurrency" if users else "requests_per_s_at_target").astype(float)
    able = able * work.utilization * speed
    can = comparison.column("meets_targets" if targets else "fits").astype(bool) & ~comparison.market.out_of_stock
    gpu = comparison.market.is_gpu
    fleets = []
    for kind in (~gpu, gpu):
        places = asked[(can & kind)[asked]]
        month = comparison.server_monthly_cost[places]
        most = comparison.market.most_servers[places] if targets else np.ones(len(places))
        fleets.append(stairs(able[places], month, places, most))
    api = None if users or prices is None else api_prices(prices, work, comparison.terms)
    slopes = (0.0, 0.0)
    if api is not None:
        slopes = (
            monthly_slope(api.cheapest, work, comparison.terms),
            monthly_slope(api.median, work, comparison.terms),
        )
    own = merged(*fleets)
    cheap, middle = (turns(own, slope) if slope else [] for slope in slopes)
    return Crossover(
        (fleets[0], fleets[1]),
        crossings(fleets[0], fleets[1]) if all(len(fleet) for fleet in fleets) else [],
        float(work.concurrency if work.concurrency is not None else work.requests_per_s or 0.0),
        "users" if users else "req/s",
        api,
        slopes,
        turns=(middle, cheap),
        alone=not targets,
    )
