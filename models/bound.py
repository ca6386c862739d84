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


def step_parts(speed: GpuSpeed | StreamSpeed, sequences: Any) -> Array:
    """Seconds of one output token by part, first axis in the order of BOUND_BY; the parts sum to TPOT."""
    n = np.asarray(sequences, dtype=np.float64)
    zero = np.zeros(np.broadcast(n, speed.weights, speed.o).shape)
    if isinstance(speed, GpuSpeed):
        expert_read = speed.active_experts(n) * speed.expert_weights
        expert_compute = speed.expert_compute * n
        dense_compute = speed.dense_compute * n
        head_compute = n * speed.head_compute
        read = (
            np.where(speed.weights >= dense_compute, speed.weights, 0.0)
            + np.where(expert_read >= expert_compute, expert_read, 0.0)
            + np.where(speed.head_weights >= head_compute, speed.head_weights, 0.0)
        )
        compute = (
            np.where(speed.weights >= dense_compute, 0.0, dense_compute)
            + np.where(expert_read >= expert_compute, 0.0, expert_compute)
            + np.where(speed.head_weights >= head_compute, 0.0, head_compute)
        )
        link = speed.all_reduce_per_token * n + speed.all_reduce_latency
        overhead = speed.layer_overhead + speed.kernel_overhead + n * speed.per_sequence
    else:
        stream, work = speed.stream(n), n * speed.decode_compute
        link, overhead = zero, speed.overhead + speed.slot * np.maximum(n - 1, 0)
        # Reading and multiplying overlap in part: the longer one stands for both.
        weights = speed.step(n) - n * speed.kv_per_sequence - overhead
        read, compute = np.where(stream >= work, weights, 0.0), np.where(stream >= work, 0.0, weights)
    others = speed.interference_time(n)
    return np.stack([part + zero for part in (read, compute, n * speed.kv_per_sequence, link, overhead, others)])


def bound_codes(speed: GpuSpeed | StreamSpeed, sequences: Any) -> NDArray[np.intp]:
    """Index into BOUND_BY of each case's largest part."""
    codes: NDArray[np.intp] = step_parts(speed, sequences).argmax(axis=0)
    return codes


def bound_words(speed: GpuSpeed | StreamSpeed, sequences: Any) -> list[str]:
    """The same as words."""
    return [BOUND_BY[code] for code in np.atleast_1d(bound_codes(speed, sequences))]
