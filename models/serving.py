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


def at_concurrency(speed: GpuSpeed | StreamSpeed, sequences: Any) -> Load:
    """Steady closed loop of `sequences` users, no start burst: rate, TTFT and TPOT that belong together."""
    n = np.asarray(sequences, dtype=np.float64)
    tpot = speed.tpot(n)
    ttft = speed.ttft_steady(n)
    decode = speed.o * tpot
    prompt = speed.marginal_prefill(n)
    rate = n / (ttft + decode)
    for _ in range(_INNER):
        ttft = speed.ttft_steady(n, np.where(n > 1, rate * prompt, 0.0))
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
        tpot = speed.tpot(running)
        ttft = speed.ttft_steady(running, rate * speed.marginal_prefill(running))
        wanted = np.clip(rate * (ttft + speed.o * tpot), 1e-9, limit)
        n = np.sqrt(n * wanted)
    saturated = n >= limit * 0.98
    full = at_concurrency(speed, limit)
    served = np.where(saturated, np.minimum(full.requests_per_s, rate), rate)
    return Load(n, np.where(saturated, full.tpot, tpot), np.where(saturated, full.ttft, ttft), served, saturated)


def largest_concurrency(
    speed: GpuSpeed | StreamSpeed, limit: Any, ttft_s: float | None, tpot_s: float | None
) -> tuple[Array, Load]:
    """Largest whole N <= limit whose TTFT and TPOT stay inside the targets, by bisection on ln N over all cases at once.

    Returns:
        (N, load at max(N, 1)); N is 0 where not even one user is served inside the targets or limit < 1.
    """
    limit = np.floor(np.asarray(limit, dtype=np.float64))

    def inside(load: Load) -> NDArray[np.bool_]:
        good = np.ones(np.shape(load.tpot), dtype=bool)
        if ttft_s is not None:
            good &= load.ttft <= ttft_s
        if tpot_s is not None:
            good &= load.tpot <= tpot_s
        return good

    low = np.zeros(np.broadcast(limit, speed.o, speed.weights).shape)
    high = np.log(np.maximum(limit, 1.0)) + low
    first = inside(at_concurrency(speed, 1.0 + low)) & (limit >= 1)
    top = inside(at_concurrency(speed, np.exp(high)))
    for _ in range(_ROUNDS):
        middle = (low + high) / 2
        good = inside(at_concurrency(speed, np.exp(middle)))
        low = np.where(good, middle, low)
        high = np.where(good, high, middle)
    found = np.where(top, np.maximum(limit, 1.0), np.floor(np.exp(low) + 1e-9))
    n = np.where(first, np.maximum(found, 1.0), 0.0)
    return n, at_concurrency(speed, np.maximum(n, 1.0))
