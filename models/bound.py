"""What limits a step: its parts, and the word for the largest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from models.gpu_speed import GpuSpeed

if TYPE_CHECKING:
    from models.streaming import StreamSpeed

Array = NDArray[np.float64]

BOUND_BY = (
    "memory bandwidth",
    "compute",
    "KV cache reads",
    "interconnect",
    "engine overhead",
    "prompts of other requests",
)


PARTS = ("weights", "experts", "KV cache", "compute", "interconnect", "engine overhead", "prompts of other requests")
"""Where the time of one output token goes."""
_MERGED = (0, 0, 2, 1, 3, 4, 5)
"""Place in BOUND_BY of each of PARTS."""


def _shares(reads: Array, computes: Array) -> tuple[Array, Array]:
    """How a kernel's time splits into its reads and its arithmetic; both sum to the time."""
    both = np.maximum(np.sqrt(reads * reads + computes * computes), 1e-30)
    return reads * reads / both, computes * computes / both


def step_breakdown(speed: GpuSpeed | StreamSpeed, sequences: Any) -> Array:
    """Seconds of one output token by part, first axis in the order of PARTS; the parts sum to TPOT."""
    n = np.asarray(sequences, dtype=np.float64)
    zero = np.zeros(np.broadcast(n, speed.weights, speed.o).shape)
    experts = zero
    if isinstance(speed, GpuSpeed):
        weights, compute = _shares(speed.weights + zero, speed.dense_compute * n)
        experts, routed = _shares(speed.active_experts(n) * speed.expert_weights, speed.expert_compute * n)
        head_reads = speed.head_weights >= n * speed.head_compute
        weights = weights + np.where(head_reads, speed.head_weights, 0.0)
        compute = compute + routed + np.where(head_reads, 0.0, n * speed.head_compute)
        link = speed.all_reduce_per_token * n + speed.all_reduce_latency
        weights, experts, compute, link = (part * speed.own for part in (weights, experts, compute, link))
        cache = n * speed.kv_per_sequence * speed.own
        step = weights + experts + compute + link + cache
        # The rest of a step is the engine's: kernels' launches, the host where it is slower, work per sequence.
        overhead = speed.step(n) - step
    else:
        stream, work = speed.stream(n), n * speed.decode_compute
        reads = stream >= work
        weights = np.where(reads, speed.weights + zero, 0.0)
        experts = np.where(reads, stream - speed.weights, 0.0)
        compute = np.where(reads, 0.0, work)
        cache = n * speed.kv_per_sequence
        link, overhead = zero, speed.step(n) - np.maximum(stream, work) - cache
    others = speed.interference_time(n)
    parts = (weights, experts, cache, compute, link, overhead, others)
    return np.stack([part + zero for part in parts])


def merged(parts: Array) -> Array:
    """Parts of a step in the order of BOUND_BY."""
    result = np.zeros((len(BOUND_BY), *parts.shape[1:]))
    for place, part in zip(_MERGED, parts, strict=True):
        result[place] += part
    return result


def bound_codes(parts: Array) -> NDArray[np.intp]:
    """Index into BOUND_BY of the largest of a step's parts."""
    codes: NDArray[np.intp] = merged(parts).argmax(axis=0)
    return codes


def bound_words(speed: GpuSpeed | StreamSpeed, sequences: Any) -> list[str]:
    """The same as words."""
    return [BOUND_BY[code] for code in np.atleast_1d(bound_codes(step_breakdown(speed, sequences)))]
