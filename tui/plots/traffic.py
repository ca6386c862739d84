"""What carries which traffic at what price: the cheapest CPU and GPU fleets, the serverless API, and where one beats another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from models.practical import MOST_SERVERS
from tui.plots.api_prices import api_prices, monthly_slope, stored
from tui.plots.fleets import Stairs, crossings, merged, stairs, turns

if TYPE_CHECKING:
    from tui.plots.api_prices import ApiPrices
    from tui.rows import Rows
    from tui.session import Session

KINDS = ("CPU", "GPU")


@dataclass(frozen=True, slots=True)
class Answer:
    """What picture and text of the crossover are made of."""

    rows: Rows
    fleets: tuple[Stairs, Stairs]
    changes: list[tuple[float, int]]
    traffic: float
    unit: str
    api: ApiPrices | None
    slopes: tuple[float, float]
    """A month of one request a second by the API: cheapest, median."""
    turns: tuple[list[float], list[float]]
    """Where the cheapest fleet of either kind becomes cheaper than the API at its median and at its least, dearer, ..."""
    alone: bool
    """Without targets one server has to carry the traffic."""


def answer(session: Session, rows: Rows) -> Answer:
    """The answer for all offers that the terms and the filter leave, whatever type and fit the table shows of them."""
    comparison, work = rows.comparison, rows.workload
    asked = comparison.select(session.filters(session.view.changed(kind="any", fit="all")))
    targets = work.ttft_ms is not None or work.tpot_ms is not None
    users = work.concurrency is not None
    able = rows.array("max_concurrency" if users else "requests_per_s_at_target").astype(float) * work.utilization
    can = rows.array("meets_targets" if targets else "fits").astype(bool) & ~comparison.market.out_of_stock
    gpu = comparison.market.is_gpu
    fleets = []
    for kind in (~gpu, gpu):
        places = asked[(can & kind)[asked]]
        month = comparison.server_monthly_cost[places]
        fleets.append(stairs(able[places], month, places, MOST_SERVERS if targets else 1))
    api = None if users else api_prices(stored(session), work, comparison.terms)
    slopes = (0.0, 0.0)
    if api is not None:
        slopes = (
            monthly_slope(api.cheapest, work, comparison.terms),
            monthly_slope(api.median, work, comparison.terms),
        )
    return Answer(
        rows,
        (fleets[0], fleets[1]),
        crossings(fleets[0], fleets[1]) if all(len(fleet) for fleet in fleets) else [],
        float(work.concurrency if work.concurrency is not None else work.requests_per_s or 0.0),
        "users" if users else "req/s",
        api,
        slopes,
        turns=_turns(fleets, slopes),
        alone=not targets,
    )


def _turns(fleets: list[Stairs], slopes: tuple[float, float]) -> tuple[list[float], list[float]]:
    own = merged(*fleets)
    cheap, middle = (turns(own, slope) if slope else [] for slope in slopes)
    return middle, cheap


def leaders(found: Answer) -> list[tuple[float, str]]:
    """(traffic, the kind of the cheapest fleet from there on)."""
    if found.changes:
        return [(at, KINDS[kind]) for at, kind in found.changes]
    return [(0.0, KINDS[0] if len(found.fleets[0]) else KINDS[1])]


def missing_kind(found: Answer) -> str:
    """The kind that has no fleet at all, as an answer; empty where both have some."""
    kind = next((kind for kind, fleet in zip(KINDS, found.fleets, strict=True) if not len(fleet)), "")
    return f"no {kind} server {'holds the model' if found.alone else 'meets the targets'}" if kind else ""
