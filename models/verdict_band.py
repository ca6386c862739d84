"""The same verdict with speeds at the ends of their error bands, and offers that hold with room to spare.

At an end the load of every server is solved anew (`models.band_ends`): a slow one carries less inside its targets than its rate alone
would say. Arrays over the offers of a comparison, NaN = no figure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from models.verdict_view import cheapest, in_stock, kinds, look

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from models.band_ends import End
    from models.verdict_view import Compared, View

    Array = NDArray[np.float64]
    Flags = NDArray[np.bool_]

HEADROOM = 1.5
"""A pick with headroom carries this many times the traffic, at the slow end of its band (our rule, not measured)."""
ENDS: tuple[End, End] = ("low", "high")


@dataclass(frozen=True, slots=True)
class Corner:
    """The cheapest of each kind with one kind slow and the other fast; a cost is infinite where none meets the targets."""

    slow: str
    """cpu or gpu: the kind taken at the slow end of its band, the other at the fast one."""
    cpu_cost: float
    gpu_cost: float

    @property
    def cheaper(self) -> str:
        """cpu, gpu, or nothing where neither meets."""
        if np.isinf(self.cpu_cost) and np.isinf(self.gpu_cost):
            return ""
        return "cpu" if self.cpu_cost <= self.gpu_cost else "gpu"


def corners(compared: Compared, rows: NDArray[np.intp] | None = None) -> tuple[Corner, Corner]:
    """(CPUs slow and GPUs fast, CPUs fast and GPUs slow): between them lies what the error bands allow."""
    views: dict[End, View] = {end: look(compared.at_end(end), rows) for end in ENDS}
    stock = in_stock(views["low"])
    kind = dict(zip(("cpu", "gpu"), kinds(views["low"]), strict=True))
    costs = {(name, end): _least(views[end], of_kind & stock) for name, of_kind in kind.items() for end in ENDS}
    return (
        Corner("cpu", costs["cpu", "low"], costs["gpu", "high"]),
        Corner("gpu", costs["cpu", "high"], costs["gpu", "low"]),
    )


def _meets(view: View) -> Flags:
    """Which meet the targets with as many servers as somebody runs."""
    met: Flags = view.read("meets_targets")[view.at].astype(bool)
    return met & (view.number("servers_needed") <= view.number("most_servers"))


def _least(view: View, among: Flags) -> float:
    """The lowest monthly cost of those that meet the targets; infinite where none does."""
    costs = view.number("monthly_cost")[among & _meets(view)]
    costs = costs[np.isfinite(costs)]
    return float(costs.min()) if len(costs) else np.inf


def would_meet(compared: Compared, rows: NDArray[np.intp] | None, kind: str) -> int:
    """How many offers of a kind miss the targets and would meet them at the fast end of their band."""
    view = look(compared, rows)
    of_kind = kinds(view)[0 if kind == "cpu" else 1]
    fast = _meets(look(compared.at_end("high"), rows))
    return int((of_kind & ~_meets(view) & fast & in_stock(view)).sum())


@dataclass(frozen=True, slots=True)
class Roomy:
    """The cheapest offer with headroom, and what it takes of it."""

    offer: int
    servers: int
    monthly_cost: float


def with_headroom(compared: Compared, rows: NDArray[np.intp] | None = None) -> Roomy | None:
    """The cheapest that meets the targets with HEADROOM times the traffic at the slow end of its band; None = no offer does."""
    now, slow = look(compared, rows), look(compared.at_end("low", HEADROOM), rows)
    pick = cheapest(slow, _meets(now) & _meets(slow), slow.number("monthly_cost"), in_stock(slow))
    if pick is None:
        return None
    return Roomy(pick, int(slow.value("servers_needed", pick)), slow.value("monthly_cost", pick))
