"""llama.cpp and its relatives on server CPUs: weights streamed and multiplied, threads waiting for each other, compute-bound prompts.

A step reads the weights and multiplies them: cores overlap the two only in part. One socket is estimated: a second one made llama.cpp
slower on most platforms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from models.streaming import StreamSpeed

if TYPE_CHECKING:
    from collections.abc import Mapping

Array = NDArray[np.float64]

UBATCH = 512
"""Prompt tokens of one pass (llama.cpp's default)."""


@dataclass(slots=True)
class CpuCase:
    """Inputs of CPU serving; arrays broadcast against each other."""

    layers: Any
    stream_dense: Any
    stream_routed: Any
    experts: Any
    experts_per_token: Any
    active: Any
    active_layers: Any
    query: Any
    kv_bytes_per_token: Any
    state_bytes: Any
    moe: Any
    cores: Any
    """Cores used, one socket."""
    rate: Any
    """Effective streaming rate, bytes/s (`models.cpu_rates`)."""
    prefill_rate: Any
    """FLOP/s of prompts (`models.cpu_rates`)."""
    decode_rate: Any
    """FLOP/s of decode steps."""
    input_tokens: Any
    output_tokens: Any
    fresh_tokens: Any = None
    sync: Any = None
    """Seconds a layer of waiting threads (`CpuRates.sync`); None = an x86 server's with these cores."""


class CpuSpeed(StreamSpeed):
    """One process on one socket."""

    def __init__(self, case: CpuCase, constants: Mapping[str, float]) -> None:
        k = constants
        cores = np.asarray(case.cores, dtype=np.float64)
        moe_stream = np.where(case.moe, k["moe_dec"], 1.0)
        moe_prefill = np.where(case.moe, k["pf_moe"], 1.0)
        sync = (k["sync0_intel"] + k["sync1"] * cores) * 1e-6 if case.sync is None else np.asarray(case.sync)
        # Norms, rotations, activations: their number grows with the layers' width, matrix products with its square.
        small = 2 * k["pf_small"] * np.sqrt(case.active_layers * case.layers) / case.decode_rate
        self.overlap, self.many = k["overlap"], k["pf_many"]
        super().__init__(
            input_tokens=case.input_tokens,
            output_tokens=case.output_tokens,
            fresh_tokens=case.fresh_tokens,
            stream_dense_s=case.stream_dense / (case.rate * moe_stream),
            stream_routed_s=case.stream_routed / (case.rate * moe_stream),
            experts=case.experts,
            experts_per_token=case.experts_per_token,
            decode_compute_s=2 * case.active / case.decode_rate,
            prefill_token_s=2 * case.active_layers / (case.prefill_rate * moe_prefill) + small,
            attention_s=2 * case.query / (case.prefill_rate * moe_prefill),
            kv_token_s=case.kv_bytes_per_token / case.rate,
            state_s=2 * case.state_bytes / case.rate,
            overhead_s=case.layers * sync,
            slot_s=0.0,
            schedule_s=0.005,
        )

    def step(self, sequences: Any) -> Array:
        """One decode step of `sequences` running sequences: between the longer of streaming and multiplying, and their sum."""
        n = np.asarray(sequences, dtype=np.float64)
        p = self.overlap
        work = (self.stream(n) ** p + (n * self.decode_compute) ** p) ** (1 / p)
        result: Array = work + n * self.kv_per_sequence + self.overhead
        return result

    def prefill_parts(self) -> tuple[Array, Array, Array]:
        """Seconds of one prompt: arithmetic, reads, both at once."""
        reach = 2 * self.s - self.fresh
        compute = self.fresh * (self.prefill_token + self.attention * reach)
        read = np.maximum(self.fresh / UBATCH, 1.0) * self.stream(np.minimum(self.fresh, UBATCH))
        return compute, read, (compute**self.overlap + read**self.overlap) ** (1 / self.overlap)

    def prefill(self, prompts: Any = 1.0) -> Array:
        """`prompts` prompts in passes of UBATCH tokens that each read the weights; many at once keep more cores busy."""
        count = np.asarray(prompts, dtype=np.float64)
        once = self.prefill_parts()[2] + self.overhead
        result: Array = count * once * self.many ** (1 / np.maximum(count, 1.0) - 1)
        return result
