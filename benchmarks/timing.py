"""Small helpers of the benchmarks: medians of repeated runs, printed so that runs on two machines compare."""

from __future__ import annotations

import os
import statistics
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def median_ms(run: Callable[[], object], times: int = 10, warm: int = 1) -> float:
    """Median wall time in milliseconds, after `warm` runs that are not counted."""
    for _ in range(warm):
        run()
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        taken.append((time.perf_counter() - start) * 1000)
    return statistics.median(taken)


def say(name: str, value: float, unit: str, note: str = "") -> None:
    """One line of the report."""
    sys.stdout.write(f"{name:<58} {value:>12,.2f} {unit:<6} {note}\n")


def load() -> str:
    """How busy the machine is, in words: figures of a busy one do not compare with those of an idle one."""
    return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
