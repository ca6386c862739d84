"""The same verdict with speeds at the ends of their error bands, and offers that hold with room to spare.

At an end the load of every server is solved anew (`models.band_ends`): a slow one carries less inside its targets than its rate alone
would say. Arrays over the offers of a comparison, NaN = no figure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from models.practical import MOST_SERVERS
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


def _ratio(view: View, name: str, end: str) -> Array:
    """The band's end over the figure, 1 where there is none."""
    with np.errstate(invalid="ignore", divide="ignore"):
        found = view.number(f"{name}_{end}") / view.number(name)
    return np.where(np.isfinite(found), found, 1.0)


def meets_at(view: View, end: str) -> Flags:
    """Which offers answer one request alone inside the targets if they are as slow ("low") or fast ("high") as their band allows."""
    latency = "high" if end == "low" else "low"
    inside = view.read("fits")[view.at].astype(bool)
    for name, alone, target in (
        ("ttft_ms", "ttft_solo_ms", view.ttft_target),
        ("tpot_ms", "tpot_solo_ms", view.tpot_target),
    ):
        if np.isfinite(target):
            with np.errstate(invalid="ignore"):
                inside = inside & (view.number(alone) * _ratio(view, name, latency) <= target * (1 + 1e-9))
    return inside


def month_at(view: View, end: str, traffic: float = 1.0) -> Array:
    """What `traffic` times the workload costs a month if every server is as slow or fast as its band allows; whole servers."""
    column, wanted = view.wanted
    able = view.number(column) * _ratio(view, "output_tokens_per_s", end) * view.utilization
    month = view.number("monthly_cost") / view.number("servers_needed")
    with np.errstate(invalid="ignore", divide="ignore"):
        needed = np.maximum(np.ceil(wanted * traffic / np.where(able > 0, able, np.nan) - 1e-9), 1.0)
    if view.no_targets:  # one server, or none
        return np.where(needed > 1, np.nan, month)
    return np.where(needed > MOST_SERVERS, np.nan, month * needed)


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
    return met & (view.number("servers_needed") <= MOST_SERVERS)


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
