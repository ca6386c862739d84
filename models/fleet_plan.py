"""Servers for a day's traffic, and what they cost a month: always on, started and stopped by the hour, or a base with a peak on top.

Arrays over offers; costs of a month, NaN where an offer has no price of the kind. A month has as many days as its hours say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from models.cost import HOURS_PER_MONTH, ROUNDING
from models.demand import HOURS
from models.start import ENGINE_START_S

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from models.demand import Demand

    Array = NDArray[np.float64]

PLANS = ("always on", "by the hour", "base and peak")
MOST = 50
"""Servers of one offer that are still enumerated as a base."""


@dataclass(frozen=True, slots=True)
class Plans:
    """What each plan comes to for each offer: one entry an offer."""

    at_mean: Array
    """Servers that the mean would need: what is paid for nothing but an even day."""
    at_peak: Array
    """Servers in the busiest hour, spare ones included."""
    hours: Array
    """Server-hours a month if servers follow the hours, start-up hours included."""
    always_on: Array
    by_hour: Array
    base_and_peak: Array
    base: Array
    """Servers of the base that is the cheapest."""
    peak_hours: Array
    """Server-hours a month on top of it."""

    @property
    def costs(self) -> Array:
        """Of the plans, in the order of PLANS: one row a plan."""
        return np.stack([self.always_on, self.by_hour, self.base_and_peak])


def servers_by_hour(demand: Demand, able: Array, spare: int = 0, least: int = 1) -> Array:
    """Servers of each hour: one row an offer, 24 columns; never fewer than `least`, an idle hour keeps them.

    Args:
        able: requests/s that one server is planned for (its rate inside the targets times the planned utilization).
        spare: servers on top, in every hour.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = demand.needed()[None, :] / np.where(able > 0, able, np.nan)[:, None]
    found: Array = np.maximum(np.ceil(ratio - ROUNDING), float(least)) + spare
    return found


def hours_to_start(start_s: Array) -> Array:
    """Hours that are paid before a server answers, begun hours whole; an unknown time to read the weights counts as none."""
    found: Array = np.ceil((np.where(np.isfinite(start_s), start_s, 0.0) + ENGINE_START_S) / 3600.0)
    return found


def kept_on(by_hour: Array, start_s: Array) -> Array:
    """Servers that run in each hour: a pause no longer than a start takes is not worth stopping for.

    Pauses of `hours_to_start` hours or fewer are filled, server by server and across midnight: the largest of the hours before,
    then the least of the hours after (a closing). So more traffic never takes fewer hours.
    """
    paid = np.minimum(hours_to_start(start_s), HOURS).astype(np.intp)
    found = by_hour.copy()
    for length in np.unique(paid).tolist():
        rows = paid == length
        if length >= HOURS:
            found[rows] = by_hour[rows].max(axis=1, keepdims=True)
            continue
        wide = np.max([np.roll(by_hour[rows], step, axis=1) for step in range(length + 1)], axis=0)
        found[rows] = np.min([np.roll(wide, -step, axis=1) for step in range(length + 1)], axis=0)
    return found


def start_hours(by_hour: Array, start_s: Array) -> Array:
    """Hours a day that are paid while servers start: each start is paid for the hours it takes."""
    starts = np.maximum(by_hour - np.roll(by_hour, 1, axis=1), 0).sum(axis=1)
    found: Array = starts * hours_to_start(start_s)
    return found


def plans(
    demand: Demand,
    able: Array,
    *,
    month: Array,
    hour: Array,
    base_month: Array,
    start_s: Array,
    spare: int = 0,
    hours_per_month: float = HOURS_PER_MONTH,
) -> Plans:
    """All plans for all offers.

    Args:
        able: requests/s one server is planned for.
        month: a month of one server as it is offered; hour: an hour of it where it is billed by the hour, else NaN.
        base_month: a month of the same server on the cheapest lasting term (reserved, monthly, on demand).
        start_s: seconds from the start to the first answer, engine start apart.
    """
    days = hours_per_month / 24.0
    by_hour = servers_by_hour(demand, able, spare)
    at_peak = by_hour.max(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        at_mean = np.maximum(np.ceil(demand.mean / np.where(able > 0, able, np.nan) - ROUNDING), 1.0) + spare
    by_hour = kept_on(by_hour, start_s)
    hours = (by_hour.sum(axis=1) + start_hours(by_hour, start_s)) * days
    cost, base, on_top = _base(by_hour, hour, np.fmin(base_month, month), start_s, days)
    return Plans(at_mean, at_peak, hours, at_peak * np.fmin(base_month, month), hours * hour, cost, base, on_top)


def _base(by_hour: Array, hour: Array, base_month: Array, start_s: Array, days: float) -> tuple[Array, Array, Array]:
    """(cost, servers of the base, server-hours on top) of the cheapest base, every number of servers tried."""
    best = np.full(len(by_hour), np.nan)
    base, on_top = np.full(len(by_hour), np.nan), np.full(len(by_hour), np.nan)
    known = np.nan_to_num(by_hour, nan=0.0)
    most = int(min(known.max(initial=0.0), MOST))
    for count in range(most + 1):
        above = np.maximum(by_hour - count, 0.0)
        hours = (above.sum(axis=1) + start_hours(above, start_s)) * days
        cost = count * base_month + np.where(hours > 0, hours * hour, 0.0)
        better = np.isfinite(cost) & ~(best <= cost) & (count <= by_hour.max(axis=1))
        best, base, on_top = (
            np.where(better, cost, best),
            np.where(better, count, base),
            np.where(better, hours, on_top),
        )
    return best, base, on_top
