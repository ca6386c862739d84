"""The same verdict with speeds at the ends of their error bands, and offers that hold with room to spare.

Arrays over the offers of a comparison, NaN = no figure. What a server carries is scaled by its rate's band: a slower one
reaches its targets a little earlier than that, so the slow end is still a little kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from models.verdict_view import cheapest, in_stock, kinds, look

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from models.verdict_view import Compared, View

    Array = NDArray[np.float64]
    Flags = NDArray[np.bool_]

HEADROOM = 1.5
"""A pick with headroom carries this many times the traffic, at the slow end of its band (our rule, not measured)."""
ENDS = ("low", "high")


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
    return np.where(needed > view.number("most_servers"), np.nan, month * needed)


def corners(compared: Compared, rows: NDArray[np.intp] | None = None) -> tuple[Corner, Corner]:
    """(CPUs slow and GPUs fast, CPUs fast and GPUs slow): between them lies what the error bands allow."""
    view = look(compared, rows)
    stock = in_stock(view)
    kind = dict(zip(("cpu", "gpu"), kinds(view), strict=True))
    met = view.read("meets_targets")[view.at].astype(bool)
    found = []
    for slow in ("cpu", "gpu"):
        costs = {}
        for name, of_kind in kind.items():
            end = "low" if name == slow else "high"
            # One that misses at its estimate has no capacity inside the targets to scale: it is told apart, not priced.
            usable = month_at(view, end)[of_kind & met & meets_at(view, end) & stock]
            usable = usable[np.isfinite(usable)]
            costs[name] = float(usable.min()) if len(usable) else np.inf
        found.append(Corner(slow, costs["cpu"], costs["gpu"]))
    return found[0], found[1]


def would_meet(compared: Compared, rows: NDArray[np.intp] | None, kind: str) -> int:
    """How many offers of a kind miss the targets and would meet them, one request at a time, at the fast end of their band."""
    view = look(compared, rows)
    of_kind = kinds(view)[0 if kind == "cpu" else 1]
    met = view.read("meets_targets")[view.at].astype(bool)
    return int((of_kind & ~met & meets_at(view, "high") & in_stock(view)).sum())


def with_headroom(compared: Compared, rows: NDArray[np.intp] | None = None) -> int | None:
    """The cheapest offer that meets the targets at the slow end of its band and carries HEADROOM times the traffic there; None = none."""
    view = look(compared, rows)
    met = view.read("meets_targets")[view.at].astype(bool)
    cost = month_at(view, "low", HEADROOM)
    return cheapest(view, met & meets_at(view, "low"), cost, in_stock(view))
