"""From candidate layouts to figures: largest concurrency inside the targets, servers for the traffic, the load's speed and memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from models import memory
from models.bands import BASES, factors
from models.bound import bound_codes, step_breakdown
from models.capacity import Capacity
from models.constants import constants
from models.groups import distinct
from models.layout import kv_bytes
from models.serving import Load, at_concurrency, largest_concurrency, open_loop
from models.tail import ttft_p95

if TYPE_CHECKING:
    from collections.abc import Mapping

    from models.estimates import Estimates
    from models.gpu_speed import GpuSpeed
    from models.layout import Layouts
    from models.streaming import StreamSpeed
    from models.traffic import Workload

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Codes = NDArray[np.intp]

_TIGHT = 0.10
"""Less of the KV pool than this left free is called tight."""


@dataclass(slots=True)
class Solved:
    """What the figures of some servers were read off, one entry a server."""

    pick: Codes
    """The layout taken, an index into the layouts."""
    speed: GpuSpeed | StreamSpeed
    load: Load
    limit: Array
    """Sequences one replica may run."""
    replicas: Array


def _any(server: Codes, flag: Flags, n: int) -> Flags:
    """For each layout, whether any layout of the same server has the flag."""
    some = np.zeros(n, dtype=bool)
    some[server[flag]] = True
    found: Flags = some[server]
    return found


def _best(server: Codes, fits: Flags, value: Array, ttft: Array) -> Codes:
    """The best layout of each server: fitting first, then most requests/s, then lowest TTFT; an index into the layouts."""
    order = np.lexsort((ttft, -value, ~fits, server))
    first = np.r_[True, server[order][1:] != server[order][:-1]]
    picked: Codes = order[first]
    return picked


@dataclass(slots=True)
class _Chosen:
    """The best layout of each server, and what it can do per server."""

    server: Codes
    pick: Codes
    speed: GpuSpeed | StreamSpeed
    fits: Flags
    meets: Flags
    replicas: Array
    limit: Array
    """Sequences one replica may run."""
    capacity: Array
    """Requests/s of one server: inside the targets, or its own best where it misses them."""
    streams: Array
    """Users of one server: inside the targets, or all that fit."""
    end: Capacity


def _choose(result: Estimates, layouts: Layouts) -> _Chosen:
    """Largest concurrency of every layout, then the best layout of every server."""
    workload, speed = result.workload, layouts.speed
    room = np.where(layouts.each > 0, layouts.pool / np.maximum(layouts.each, 1e-12), np.inf)
    limit = np.floor(np.minimum(np.maximum(room, 0), layouts.cap))
    limit = np.where(layouts.fits, np.maximum(limit, 1.0), 1.0)
    arrivals = workload.requests_per_s is not None
    targets = _seconds(workload.ttft_ms), _seconds(workload.tpot_ms)
    users, inside = largest_concurrency(speed, limit, *targets, arrivals=arrivals, tail=workload.ttft_at == "p95")
    meets = (users >= 1) & layouts.fits
    own = at_concurrency(speed, limit, arrivals=arrivals)
    capacity = np.where(meets, inside.requests_per_s, own.requests_per_s) * layouts.replicas
    streams = np.where(meets, users, limit) * layouts.replicas
    good = layouts.fits & (meets | ~_any(layouts.server, meets, len(result.table)))
    pick = _best(layouts.server, good, capacity, inside.ttft)
    picked = speed.take(pick)
    end = Capacity(
        layouts.server[pick],
        picked,
        inside.sequences[pick],
        limit[pick],
        room[pick],
        meets[pick],
        *targets,
        arrivals=arrivals,
        tail=workload.ttft_at == "p95",
    )
    return _Chosen(
        layouts.server[pick],
        pick,
        picked,
        layouts.fits[pick],
        meets[pick],
        layouts.replicas[pick],
        limit[pick],
        capacity[pick],
        streams[pick],
        end,
    )


def _seconds(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1e3


def _traffic(workload: Workload, chosen: _Chosen) -> tuple[Load, Array, Array, Array]:
    """(load of one replica, servers needed, requests/s served by all of them, traffic over what they could serve)."""
    one = np.ones(len(chosen.pick))
    able = chosen.capacity if workload.requests_per_s is not None else chosen.streams
    wanted = float(workload.requests_per_s or workload.concurrency or 1)
    # Without targets the question is what one server does.
    servers = np.maximum(np.ceil(wanted / (able * workload.utilization) - 1e-9), 1.0) if workload.has_targets else one
    if workload.requests_per_s is not None:
        each = np.minimum(wanted / servers, chosen.capacity) / chosen.replicas
        load = open_loop(chosen.speed, each, chosen.limit)
        served = np.minimum(servers * load.requests_per_s * chosen.replicas, wanted)
    else:
        users = wanted / (servers * chosen.replicas)
        load = at_concurrency(chosen.speed, np.clip(users, 1.0, chosen.limit))
        served = servers * chosen.replicas * load.requests_per_s * np.minimum(users, 1.0)
    return load, servers, served, wanted / (servers * able)


def solve(result: Estimates, layouts: Layouts) -> Solved:
    """Fill `result` for the servers of these layouts: best layout, servers for the traffic, speed, bands, memory."""
    chosen = _choose(result, layouts)
    load, servers, served, utilization = _traffic(result.workload, chosen)
    at = chosen.server
    overloaded = utilization > 1 + 1e-6
    result.answered[at] = True
    result.capacities.append(chosen.end)
    result.fits[at] = chosen.fits
    # Without latency targets the traffic itself is the target of the one server.
    result.meets_targets[at] = chosen.meets & ~overloaded
    result.tp_used[at] = layouts.tp[chosen.pick].astype(np.intp)
    result.replicas[at] = chosen.replicas.astype(np.intp)
    result.saturated[at] = load.saturated | overloaded
    parts = step_breakdown(chosen.speed, np.maximum(load.sequences, 1.0))
    result.bound_by_code[at] = bound_codes(parts)
    # Where measurements move the figure, they move all of its parts.
    result.tpot_parts_ms[:, at] = parts * (np.where(chosen.fits, load.tpot, np.nan) * 1e3 / parts.sum(axis=0))
    names, which = distinct([layouts.bands[i] for i in chosen.pick.tolist()])
    result.basis_code[at] = np.array([BASES.index(name.basis) for name in names], dtype=np.intp)[which]
    bands = np.stack(factors(names, constants().band))[:, which]
    if result.workload.speculative is not None:
        bands = _guessing(result, chosen, load, bands)
    _put_speed(result, bands, chosen, load, served / servers)
    figures = {
        "max_concurrency": np.where(chosen.meets, chosen.streams, 0.0),
        "requests_per_s_at_target": chosen.capacity,
        "servers_needed": servers,
        "utilization": np.minimum(utilization, 1.0),
        "requests_per_s_served": served,
    }
    _put(result, chosen, figures)
    _put_memory(result, layouts, chosen, load)
    return Solved(chosen.pick, chosen.speed, load, chosen.limit, chosen.replicas)


def _guessing(result: Estimates, chosen: _Chosen, load: Load, bands: Array) -> Array:
    """Bands as wide as acceptance makes them; the gain is kept, and rests on no fit."""
    from models import speculative

    gained: Array = chosen.speed.gained(np.maximum(load.sequences, 1.0))  # type: ignore[union-attr]  # speeds are guessed ones then
    result.speculative_gain[chosen.server] = np.where(chosen.fits, gained, np.nan)
    result.basis_code[chosen.server] = BASES.index(speculative.BASIS)
    low, high = speculative.BAND
    low_ttft, high_ttft, low_tpot, high_tpot, low_rate, high_rate = bands
    return np.stack([low_ttft, high_ttft, low_tpot / high, high_tpot / low, low_rate * low, high_rate * high])


def _put(result: Estimates, chosen: _Chosen, figures: Mapping[str, Array], *, always: bool = False) -> None:
    """Write columns; figures of a server that cannot hold the model stay empty unless `always`."""
    for name, values in figures.items():
        getattr(result, name)[chosen.server] = values if always else np.where(chosen.fits, values, np.nan)


def _put_speed(result: Estimates, bands: Array, chosen: _Chosen, load: Load, rate: Array) -> None:
    """Latencies and rates of one server at its share of the traffic (`rate` requests/s), with bands."""
    workload = result.workload
    alone = at_concurrency(chosen.speed, np.ones(len(chosen.pick)))
    never = np.zeros(len(chosen.pick), dtype=bool)
    ttft, tpot = _seconds(workload.ttft_ms), _seconds(workload.tpot_ms)
    late = alone.ttft > ttft if ttft is not None else never
    slow = alone.tpot > tpot if tpot is not None else never
    result.limit_code[chosen.server] = late + 2 * slow
    low_ttft, high_ttft, low_tpot, high_tpot, low_rate, high_rate = bands
    output = rate * workload.output_tokens
    figures = {
        "ttft_ms": load.ttft * 1e3,
        "ttft_ms_low": load.ttft * 1e3 * low_ttft,
        "ttft_ms_high": load.ttft * 1e3 * high_ttft,
        "ttft_solo_ms": alone.ttft * 1e3,
        "ttft_p95_ms": ttft_p95(chosen.speed, load) * 1e3,
        "tpot_solo_ms": alone.tpot * 1e3,
        "tpot_ms": load.tpot * 1e3,
        "tpot_ms_low": load.tpot * 1e3 * low_tpot,
        "tpot_ms_high": load.tpot * 1e3 * high_tpot,
        "tokens_per_s_user": 1 / load.tpot,
        "output_tokens_per_s": output,
        "output_tokens_per_s_low": output * low_rate,
        "output_tokens_per_s_high": output * high_rate,
        "total_tokens_per_s": rate * (workload.input_tokens + workload.output_tokens),
        "prompt_tokens_per_s": rate * workload.input_tokens,
        "requests_per_s": rate,
    }
    _put(result, chosen, figures)


def _put_memory(result: Estimates, layouts: Layouts, chosen: _Chosen, load: Load) -> None:
    """Pools per device, and weights, cache and overhead of the whole server for the memory bar."""
    pick = chosen.pick
    pool, each, token, weights = (
        layouts.pool[pick],
        layouts.each[pick],
        layouts.token_gib[pick],
        layouts.weights_each[pick],
    )
    devices = chosen.replicas * layouts.devices[pick]
    free = np.maximum(pool, 0)
    total = layouts.total[pick] * devices
    # What is neither weights nor pool is the engine's; a negative pool is what is missing, counted on top.
    overhead = (layouts.total[pick] - pool - weights) * devices
    cache = np.maximum(load.sequences, 1.0) * each * devices
    each_kv: dict[bool, float] = {}
    for choice in result.choices:
        if choice.quant and choice.gguf not in each_kv:
            each_kv[choice.gguf] = kv_bytes(result.workload, choice)
    kv = np.array([each_kv[choice.gguf] if choice.quant else np.nan for choice in result.choices])
    tokens = np.where(token > 0, free / np.maximum(token, 1e-30), np.nan)
    context = np.maximum(pool - layouts.fixed_gib[pick], 0) / np.maximum(token, 1e-30)
    sequences = np.where(each > 0, np.floor(free / np.maximum(each, 1e-12)), np.nan)
    figures = {
        "weights_gib_per_device": weights,
        "kv_bytes_per_token": memory.kv_bytes_per_token(result.workload.model, 1.0) * kv[layouts.choice[pick]],
        "kv_pool_gib_per_device": pool,
        "kv_pool_tokens": tokens,
        "max_context": np.where(token > 0, np.minimum(context, result.workload.model.max_context or np.inf), np.nan),
        "max_sequences": sequences * chosen.replicas,
        "memory_total_gib": total,
        "weights_gib": weights * devices,
        "kv_gib": cache,
        "overhead_gib": overhead,
        "memory_used_share": (weights * devices + overhead + cache) / total,
    }
    _put(result, chosen, figures, always=True)
    result.tight[chosen.server] = chosen.fits & (cache > (1 - _TIGHT) * free * devices)
