"""The cheapest fleet of whole servers at every traffic, exact to the step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from models.cost import ROUNDING
from models.frontier import frontier

if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Stairs:
    """Steps in ascending traffic: up to `most[k]` a month costs `cost[k]`, for `count[k]` servers of `offer[k]`."""

    most: Array
    cost: Array
    offer: Array
    count: Array

    def __len__(self) -> int:
        return len(self.most)

    def step(self, traffic: float) -> int | None:
        """The step that carries a traffic, None where no fleet does."""
        found = int(np.searchsorted(self.most, traffic))
        return found if found < len(self.most) else None

    def cost_at(self, traffic: float) -> float:
        """What the cheapest fleet for a traffic costs a month; infinite where there is none."""
        step = self.step(traffic)
        return float("inf") if step is None else float(self.cost[step])

    def with_extras(self, share: float, fixed: float) -> Stairs:
        """The same fleets with what comes on top of their price: a share of it, and an amount that every fleet pays."""
        return replace(self, cost=self.cost * (1 + share) + fixed)

    def start(self, step: int) -> float:
        """The traffic above which a step begins."""
        return float(self.most[step - 1]) if step else 0.0

    def corners(self, low: float, high: float) -> tuple[Array, Array]:
        """The line from `low` to `high` as points for drawing."""
        if not len(self.most):
            return self.most, self.cost
        end = int(np.searchsorted(self.most, high)) + 1
        x = np.r_[low, np.repeat(self.most[:end], 2)[:-1]]
        y = np.repeat(self.cost[:end], 2)
        begun = int(np.searchsorted(self.most, low)) * 2
        return np.clip(x, low, high)[begun:], y[begun:]


def stairs(able: Array, month: Array, offer: Array, most_servers: Array | int) -> Stairs:
    """The cheapest fleets of one offer each, of up to `most_servers` of it; `able` is what one server carries.

    An offer that another one of no fewer servers beats in both is in no cheapest fleet, so few are multiplied.
    """
    known = np.flatnonzero(np.isfinite(able) & (able > 0) & np.isfinite(month) & (month > 0))
    most_of = np.broadcast_to(most_servers, np.shape(able))
    limits = np.unique(most_of[known]) if len(known) else np.empty(0)
    alike = [known[most_of[known] == limit] for limit in limits]
    kept = np.concatenate([some[frontier(able[some], month[some])] for some in alike]) if alike else known
    longest = int(limits[-1]) if len(limits) else 1
    counts = np.arange(1, longest + 1)
    most = (able[kept, None] * (counts + ROUNDING)).ravel()
    cost = (month[kept, None] * counts).ravel()
    # Fleets of more than there are of an offer cost more than any.
    cost[(counts[None, :] > most_of[kept][:, None]).ravel()] = np.inf
    real = np.flatnonzero(np.isfinite(cost))
    steps = real[frontier(most[real], cost[real])]
    which, count = np.divmod(steps, longest)
    return Stairs(most[steps], cost[steps], offer[kept][which], count + 1)


def crossings(first: Stairs, second: Stairs) -> list[tuple[float, int]]:
    """(traffic, which one is the cheaper from there on: 0 or 1), the first entry from no traffic on.

    Where both cost the same the one from before stays. Ends where neither has a fleet.
    """
    found: list[tuple[float, int]] = []
    below = 0.0
    for end in np.unique(np.r_[first.most, second.most]).tolist():
        one, other = first.cost_at(end), second.cost_at(end)
        if one != other or not found:
            cheaper = int(other < one)
            if not found or found[-1][1] != cheaper:
                found.append((below, cheaper))
        below = end
    return found


def merged(first: Stairs, second: Stairs) -> Stairs:
    """The cheapest fleets of both kinds."""
    parts = zip(
        (first.most, first.cost, first.offer, first.count),
        (second.most, second.cost, second.offer, second.count),
        strict=True,
    )
    most, cost, offer, count = (np.r_[one, other] for one, other in parts)
    kept = frontier(most, cost)
    return Stairs(most[kept], cost[kept], offer[kept], count[kept])


def turns(fleets: Stairs, slope: float) -> list[float]:
    """The traffics at which fleets become cheaper than `slope` x traffic, then dearer, and so on; ends with what they carry."""
    found: list[float] = []
    cheaper = False
    for step, (most, cost) in enumerate(zip(fleets.most.tolist(), fleets.cost.tolist(), strict=True)):
        start, reached = fleets.start(step), cost / slope
        if cheaper and reached > start:
            found.append(start)
            cheaper = False
        if not cheaper and reached <= most:
            found.append(max(start, reached))
            cheaper = True
    return found


@dataclass(frozen=True, slots=True)
class Cheaper:
    """From which traffic on fleets cost less than a price by traffic."""

    first: float
    """From here on, though perhaps dearer again where one more server is begun."""
    stays: float | None
    """From here on without a gap; None where they only take turns."""
    until: float | None
    """Dearer above, since no more servers of an offer are counted; None = cheaper as far as the fleets reach."""


def cheaper(fleets: Stairs, slope: float, most_servers: int) -> Cheaper | None:
    """Where fleets become cheaper than `slope` x traffic, and where they stay so; None = nowhere.

    A fleet of `most_servers` of one offer would go on if more were counted: what is dearer above the first of them is so by
    that limit, not by the step of a server, and ends the answer instead of belonging to its turns.
    """
    if not slope > 0:
        return None
    places = turns(fleets, slope)
    if not places:
        return None
    full = fleets.most[fleets.count >= most_servers] if most_servers > 1 else fleets.most[:0]
    limit = float(full[0]) if len(full) else float("inf")
    ends = [*places[1::2], None] if len(places) % 2 else places[1::2]
    for start, end in zip(places[::2], ends, strict=True):
        if end is None or end >= limit * (1 - ROUNDING):
            return Cheaper(places[0], start, end)
    return Cheaper(places[0], None, places[-1])
