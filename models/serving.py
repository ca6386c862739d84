"""Many users at once: load at a request rate, and the largest concurrency inside the latency targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from models.gpu_speed import GpuSpeed
    from models.streaming import StreamSpeed

Array = NDArray[np.float64]

_ROUNDS = 12
"""Halvings of ln N: 1,024 sequences are resolved to better than one."""
_INNER = 3
_RARELY = 0.02
"""Requests in the server on average at the rarest traffic looked at: one at a time, a fiftieth of the time."""
_FIXED_POINT = 24


@dataclass(slots=True)
class Load:
    """A server under traffic, per replica; seconds and requests/s."""

    sequences: Array
    tpot: Array
    ttft: Array
    requests_per_s: Array
    saturated: NDArray[np.bool_]
    """The rate is above what `limit` sequences serve: TTFT grows with the length of the test and is no figure."""


def at_concurrency(speed: GpuSpeed | StreamSpeed, sequences: Any, *, arrivals: bool = False) -> Load:
    """`sequences` requests in the server on average, no start burst: rate, TTFT and TPOT that belong together.

    A closed loop's only user never waits for another prompt. With `arrivals` requests come at random instead: they
    queue even where fewer than one is there on average.
    """
    n = np.asarray(sequences, dtype=np.float64)
    running = np.maximum(n, 1.0)
    tpot, idle, prompt = speed.steady(running)
    decode = speed.o * tpot
    queues = prompt if arrivals else prompt * (n > 1)
    ttft = idle
    rate = n / (idle + decode)
    for _ in range(_INNER):
        ttft = idle + speed.queued(rate * queues)
        rate = n / (ttft + decode)
    return Load(n, tpot, ttft, rate, np.zeros(np.shape(rate), dtype=bool))


def open_loop(speed: GpuSpeed | StreamSpeed, rate: Any, limit: Any) -> Load:
    """Requests arriving at `rate` a second: N = rate x (TTFT + o TPOT(N)) by damped iteration in ln N, N <= limit."""
    rate = np.asarray(rate, dtype=np.float64)
    limit = np.asarray(limit, dtype=np.float64)
    n = np.ones(np.broadcast(rate, limit, speed.o).shape)
    ttft = tpot = np.ones_like(n)
    for _ in range(_FIXED_POINT):
        running = np.maximum(n, 1.0)
        tpot, idle, prompt = speed.steady(running)
        ttft = idle + speed.queued(rate * prompt)
        wanted = np.clip(rate * (ttft + speed.o * tpot), 1e-9, limit)
        n = np.sqrt(n * wanted)
    saturated = n >= limit * 0.98
    full = at_concurrency(speed, limit)
    served = np.where(saturated, np.minimum(full.requests_per_s, rate), rate)
    return Load(n, np.where(saturated, full.tpot, tpot), np.where(saturated, full.ttft, ttft), served, saturated)


def largest_concurrency(
    speed: GpuSpeed | StreamSpeed, limit: Any, ttft_s: float | None, tpot_s: float | None, *, arrivals: bool = False
) -> tuple[Array, Load]:
    """Largest N <= limit whose TTFT and TPOT stay inside the targets, by bisection on ln N over all cases at once.

    Args:
        speed: the cases; limit: most sequences of a replica; ttft_s, tpot_s: targets in seconds, None = none.
        arrivals: random arrivals (N is an average and may lie below one) instead of a closed loop (whole users).

    Returns:
        (users, load at N); users is whole, 0 where one request alone misses a target or limit < 1.
    """
    limit = np.floor(np.asarray(limit, dtype=np.float64))

    def inside(load: Load) -> NDArray[np.bool_]:
        good = np.ones(np.shape(load.tpot), dtype=bool)
        if ttft_s is not None:
            good &= load.ttft <= ttft_s
        if tpot_s is not None:
            good &= load.tpot <= tpot_s
        return good

    zero = np.zeros(np.broadcast(limit, speed.o, speed.weights).shape)
    alone = inside(at_concurrency(speed, 1.0 + zero)) & (limit >= 1)
    low = zero + (np.log(_RARELY) if arrivals else 0.0)
    high = np.log(np.maximum(limit, 1.0)) + zero
    top = inside(at_concurrency(speed, np.exp(high), arrivals=arrivals))
    for _ in range(_ROUNDS):
        middle = (low + high) / 2
        good = inside(at_concurrency(speed, np.exp(middle), arrivals=arrivals))
        low = np.where(good, middle, low)
        high = np.where(good, high, middle)
    found = np.where(top, np.maximum(limit, 1.0), np.exp(low))
    whole = np.maximum(np.floor(found + 1e-9), 1.0)
    n = found if arrivals else whole
    return np.where(alone, whole, 0.0), at_concurrency(speed, np.where(alone, n, 1.0), arrivals=arrivals)
