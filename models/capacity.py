"""What ends a server's capacity: the target that one more user would miss, the memory for sequences, or the most that is run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from models.serving import further

if TYPE_CHECKING:
    from models.gpu_speed import GpuSpeed
    from models.streaming import StreamSpeed

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Codes = NDArray[np.intp]

ENDS = ("ttft", "tpot", "memory", "most")


@dataclass(frozen=True, slots=True)
class Capacity:
    """Where the search for the largest concurrency stopped, one entry a server."""

    server: Codes
    """Index into the table, ascending."""
    speed: GpuSpeed | StreamSpeed
    most: Array
    """Sequences that one replica runs at the largest concurrency."""
    limit: Array
    """Sequences that one replica may run: `room`, but no more than the engine admits or the estimator counts."""
    room: Array
    """Sequences that its memory holds."""
    meets: Flags
    """Whether one request alone is inside the targets."""
    ttft_s: float | None
    tpot_s: float | None
    arrivals: bool
    tail: bool = False
    """Whether the TTFT target is for 95 of 100 requests."""

    def end(self, i: int) -> str:
        """One of ENDS for server i of the table, worked out when asked for; "" where it has no capacity or is not among these."""
        place = int(np.searchsorted(self.server, i))
        if place >= len(self.server) or self.server[place] != i or not self.meets[place]:
            return ""
        n = float(self.most[place])
        if n >= self.limit[place]:
            return "memory" if np.floor(self.room[place]) <= self.limit[place] else "most"
        one = self.speed.crowd(np.array([place], dtype=np.intp))
        tpot, ttft = further(one, np.array([n]), arrivals=self.arrivals, tail=self.tail)
        over_ttft = float(ttft[0]) / self.ttft_s if self.ttft_s is not None else 0.0
        over_tpot = float(tpot[0]) / self.tpot_s if self.tpot_s is not None else 0.0
        return "ttft" if over_ttft > over_tpot else "tpot"
