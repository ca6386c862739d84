"""Many users at once: load at a request rate, and the largest concurrency inside the latency targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from models.tail import tail_ttft

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from models.gpu_speed import GpuSpeed
    from models.streaming import StreamSpeed

Array = NDArray[np.float64]

_BLOCK = 8192
"""Cases looked at together: the arrays of a step then stay in a core's cache."""
_FULL = 0.98
"""Share of the time that prompts take at most: beyond it a queue has no steady length."""
_LONGEST = _FULL / (1 - _FULL)
_ROUNDS = 60
"""Never reached: every third round halves what is left of at most some thousand steps."""
_STEP = 1e-3
"""Resolution of ln N where N is an average over random arrivals and no whole number."""
_KEPT = 0.75
"""Cases that are answered are left out once fewer than this share is still open: cutting arrays costs as much as a round."""
_FLAT = 1e-12
"""Difference of the ends of a bracket below which no line is drawn."""
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
    read_at: Array | None = None
    """Sequences at which an iteration read the latencies; None = `sequences`."""


def _blocks(size: int) -> list[slice]:
    return [slice(at, at + _BLOCK) for at in range(0, size, _BLOCK)]


def _loaded(speed: GpuSpeed | StreamSpeed, n: Array, *, arrivals: bool) -> tuple[Array, Array, Array]:
    """(TPOT, TTFT, seconds of one request) with `n` requests in the server.

    Prompts take rho = n prompt / (TTFT + o TPOT) of the time and wait unit x rho / (1 - rho) for each other: a quadratic equation in
    the wait, solved as it stands.
    """
    tpot, idle, prompt = speed.steady(np.maximum(n, 1.0))
    wait = _wait(speed, n, tpot, idle, prompt, arrivals=arrivals)
    return tpot, idle + wait, idle + speed.o * tpot + wait


def _wait(speed: GpuSpeed | StreamSpeed, n: Array, tpot: Array, idle: Array, prompt: Array, *, arrivals: bool) -> Array:
    """Mean seconds that a prompt waits for others, with `n` requests in the server."""
    busy = n * prompt if arrivals else n * prompt * (n > 1)
    unit = speed.queue_unit()
    apart = idle + speed.o * tpot - busy
    wait = (np.sqrt(apart * apart + 4 * unit * busy) - apart) / 2
    found: Array = np.minimum(wait, _LONGEST * unit)
    return found


def at_concurrency(speed: GpuSpeed | StreamSpeed, sequences: Any, *, arrivals: bool = False) -> Load:
    """`sequences` requests in the server on average, no start burst: rate, TTFT and TPOT that belong together.

    A closed loop's only user never waits for another prompt. With `arrivals` requests come at random instead: they
    queue even where fewer than one is there on average.
    """
    n = np.asarray(sequences, dtype=np.float64)
    tpot, ttft, whole = _loaded(speed, n, arrivals=arrivals)
    rate = n / whole
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
    tpot, ttft = np.where(saturated, full.tpot, tpot), np.where(saturated, full.ttft, ttft)
    return Load(n, tpot, ttft, served, saturated, np.where(saturated, limit, running))


def _judged(speed: GpuSpeed | StreamSpeed, n: Array, *, arrivals: bool, tail: bool) -> tuple[Array, Array]:
    """(TPOT, TTFT) that targets are compared with: the mean, or with `tail` what 95 of 100 requests stay below."""
    if not tail:
        tpot, ttft, _ = _loaded(speed, n, arrivals=arrivals)
        return tpot, ttft
    tpot, idle, prompt = speed.steady(np.maximum(n, 1.0))
    wait = _wait(speed, n, tpot, idle, prompt, arrivals=arrivals)
    return tpot, tail_ttft(speed, idle, wait)


def _excess(
    speed: GpuSpeed | StreamSpeed, n: Array, ttft_s: Any, tpot_s: Any, *, arrivals: bool, tail: bool = False
) -> Array:
    """The larger of TTFT and TPOT over their targets; at most 1 is inside."""
    tpot, ttft = _judged(speed, n, arrivals=arrivals, tail=tail)
    parts: list[Array] = [time / aim for time, aim in ((tpot, tpot_s), (ttft, ttft_s)) if aim is not None]
    return parts[0] if len(parts) == 1 else np.maximum(*parts)


def largest_concurrency(
    speed: GpuSpeed | StreamSpeed, limit: Any, ttft_s: Any, tpot_s: Any, *, arrivals: bool = False, tail: bool = False
) -> tuple[Array, Load]:
    """Largest N <= limit whose TTFT and TPOT stay inside the targets, for all cases at once.

    N meets the targets and N + 1 does not: a bracket shrinks by interpolation, in every third round by half, until it is
    one user wide. Only cases that are still open are computed.

    Args:
        speed: the cases, numbers or arrays of one dimension.
        limit: most sequences of a replica.
        ttft_s: target in seconds, a number or one a case; None = none.
        tpot_s: the same for the time between tokens.
        arrivals: random arrivals (N is an average and may lie below one) instead of a closed loop (whole users).
        tail: the TTFT target is for 95 of 100 requests, not for the mean.

    Returns:
        (users, load at N); users is whole, 0 where one request alone misses a target or limit < 1.
    """
    limit = np.floor(np.asarray(limit, dtype=np.float64))
    shape = np.broadcast(limit, speed.o, speed.weights, *(each for each in (ttft_s, tpot_s) if each is not None)).shape
    count = int(np.prod(shape))
    limits = np.broadcast_to(limit, shape).reshape(count)
    users, n = np.empty(count), np.empty(count)
    for block in _blocks(count):
        cases = _Search(
            speed.part(block, count),
            limits[block],
            _part(ttft_s, block),
            _part(tpot_s, block),
            arrivals=arrivals,
            tail=tail,
        )
        users[block], n[block] = cases.run()
    return users.reshape(shape), _load_in_blocks(speed, n.reshape(shape), arrivals=arrivals)


def further(speed: GpuSpeed | StreamSpeed, n: Array, *, arrivals: bool, tail: bool = False) -> tuple[Array, Array]:
    """(TPOT, TTFT) one step of `largest_concurrency` above `n`: what it would not let in."""
    return _judged(speed, n * np.exp(_STEP) if arrivals else np.floor(n) + 1, arrivals=arrivals, tail=tail)


def _part(values: Any, index: Any) -> Any:
    """Targets of some cases."""
    return values[index] if isinstance(values, np.ndarray) and values.ndim else values


def _load_in_blocks(speed: GpuSpeed | StreamSpeed, n: Array, *, arrivals: bool) -> Load:
    if n.size <= _BLOCK or n.ndim != 1:
        return at_concurrency(speed, n, arrivals=arrivals)
    load = Load(n, np.empty_like(n), np.empty_like(n), np.empty_like(n), np.zeros(n.shape, dtype=bool))
    for block in _blocks(n.size):
        tpot, ttft, whole = _loaded(speed.part(block, n.size), n[block], arrivals=arrivals)
        load.tpot[block], load.ttft[block], load.requests_per_s[block] = tpot, ttft, n[block] / whole
    return load


class _Search:
    """The largest N of one block of cases."""

    def __init__(
        self, speed: GpuSpeed | StreamSpeed, limit: Array, ttft_s: Any, tpot_s: Any, *, arrivals: bool, tail: bool
    ) -> None:
        self._speed, self._arrivals, self._tail = speed, arrivals, tail
        self._limit, self._most = limit, np.maximum(limit, 1.0)
        self._targets = ttft_s, tpot_s

    def run(self) -> tuple[Array, Array]:
        """(users, N); N is whole in a closed loop, 1 where not even one request is inside."""
        limit, most = self._limit, self._most
        if all(each is None for each in self._targets):
            return np.where(limit >= 1, most, 0.0), most
        single = _excess(self._speed, np.ones_like(most), *self._targets, arrivals=False, tail=self._tail)
        top = _excess(self._speed, most, *self._targets, arrivals=self._arrivals, tail=self._tail)
        alone = (single <= 1) & (limit >= 1)
        index = np.flatnonzero(alone & (top > 1))
        n = most.copy()
        if len(index):
            n[index] = self._between(index, single[index], top[index])
        users = np.maximum(np.floor(n + 1e-9), 1.0)
        return np.where(alone, users, 0.0), np.where(alone, n, 1.0)

    def _between(self, index: NDArray[np.intp], single: Array, top: Array) -> Array:
        """N of the cases `index`, which miss the targets at their limit; `single`, `top`: what they come to at both ends."""
        targets = [_part(each, index) for each in self._targets]
        speed, most = self._speed.crowd(index), self._most[index]
        if not self._arrivals:
            return _bracket(
                lambda n, s, t: _excess(s, n, *t, arrivals=False, tail=self._tail),
                speed,
                targets,
                (np.ones_like(most), most),
                (single, top),
            )
        steps = np.ceil(np.log(most / _RARELY) / _STEP)

        def at(step: Array, some: GpuSpeed | StreamSpeed, aims: Sequence[Any]) -> Array:
            return _excess(some, _RARELY * np.exp(step * _STEP), *aims, arrivals=True, tail=self._tail)

        none = np.zeros_like(steps)
        rarely = at(none, speed, targets)
        # Where even rare requests miss, the bracket is closed from the start.
        found = _bracket(at, speed, targets, (none, np.where(rarely <= 1, steps, 0.0)), (rarely, top), _STEP)
        return np.minimum(_RARELY * np.exp(found * _STEP), most)


def _bracket(
    excess: Callable[[Array, Any, Sequence[Any]], Array],
    speed: GpuSpeed | StreamSpeed,
    targets: Sequence[Any],
    ends: tuple[Array, Array],
    values: tuple[Array, Array],
    growth: float = 0.0,
) -> Array:
    """The last whole number from which `excess` is at most 1 while it is above 1 one further on.

    `values` are those at `ends`; the line between them is drawn over exp(growth x), over x itself where that is 0.
    """
    (low, high), (at_low, at_high) = ends, values
    found, place = low.copy(), np.arange(len(low))
    for round_ in range(_ROUNDS):
        going = high - low > 1
        left = np.count_nonzero(going)
        if not left:
            break
        if left < _KEPT * len(going):
            found[place] = low
            kept = np.flatnonzero(going)
            place = place[kept]
            low, high, at_low, at_high = (each[kept] for each in (low, high, at_low, at_high))
            speed, targets = speed.crowd(kept), [_part(each, kept) for each in targets]
        wide = high - low
        if round_ % 3 == 2:
            ahead = wide / 2
        else:
            share = np.clip((1 - at_low) / np.maximum(at_high - at_low, _FLAT), 0.0, 1.0)
            ahead = np.log1p(share * np.expm1(wide * growth)) / growth if growth else share * wide
        middle = np.floor(low + ahead)
        # A bracket that is closed looks at its lower end again.
        middle = np.maximum(np.minimum(np.maximum(middle, low + 1), high - 1), low)
        value = excess(middle, speed, targets)
        good = value <= 1
        low, at_low = np.where(good, middle, low), np.where(good, value, at_low)
        high, at_high = np.where(good, high, middle), np.where(good, at_high, value)
    found[place] = low
    return found
