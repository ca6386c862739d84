"""A batch job with a deadline: hours on a server as fast as it goes, servers for the deadline, the bill by begun hours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.cost import SECONDS_PER_HOUR

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Job:
    """One entry a server; NaN where it has no rate, or cannot finish in time."""

    servers: Array
    """Started together, as few as finish in time."""
    hours: Array
    """From the start to the end, starting included."""
    billed_hours: Array
    """Of all servers together, begun hours in full."""


def job(requests: float, deadline_h: float, requests_per_s: Any, start_s: Any) -> Job:
    """A job of `requests` on servers that each serve `requests_per_s` and are ready after `start_s`."""
    rate = np.asarray(requests_per_s, dtype=np.float64)
    start = np.nan_to_num(np.asarray(start_s, dtype=np.float64)) / SECONDS_PER_HOUR
    with np.errstate(divide="ignore", invalid="ignore"):
        work = requests / rate / SECONDS_PER_HOUR
        left = deadline_h - start
        servers = np.where((left > 0) & np.isfinite(work), np.maximum(np.ceil(work / left - 1e-9), 1.0), np.nan)
        hours = start + work / servers
    return Job(servers, hours, servers * np.maximum(np.ceil(hours - 1e-9), 1.0))
