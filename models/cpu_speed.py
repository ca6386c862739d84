"""llama.cpp and its relatives on server CPUs: streaming rate per core by platform, thread synchronisation, compute-bound prompts.

Two forms. Platforms measured over thousands of cloud instances (`cpu_family` in data/constants/cpu.toml) use the harmonic form
1/eff = 1/(cores b1) + 1/lim, with lim a chiplet limit for VMs packed on AMD chiplets; every other CPU uses a share of its
socket's theoretical bandwidth. One socket is estimated: a second one made llama.cpp slower on most platforms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from models.streaming import StreamSpeed

if TYPE_CHECKING:
    from collections.abc import Mapping


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
    """FLOP/s of batched decode."""
    input_tokens: Any
    output_tokens: Any
    fresh_tokens: Any = None


class CpuSpeed(StreamSpeed):
    """One process on one socket."""

    def __init__(self, case: CpuCase, constants: Mapping[str, float]) -> None:
        k = constants
        cores = np.asarray(case.cores, dtype=np.float64)
        moe_stream = np.where(case.moe, k["moe_dec"], 1.0)
        moe_prefill = np.where(case.moe, k["pf_moe"], 1.0)
        sync = case.layers * (k["sync0"] + k["sync1"] * cores ** k["sync_exp"]) * 1e-6
        super().__init__(
            input_tokens=case.input_tokens,
            output_tokens=case.output_tokens,
            fresh_tokens=case.fresh_tokens,
            stream_dense_s=case.stream_dense / (case.rate * moe_stream),
            stream_routed_s=case.stream_routed / (case.rate * moe_stream),
            experts=case.experts,
            experts_per_token=case.experts_per_token,
            decode_compute_s=2 * case.active / case.decode_rate,
            prefill_token_s=2 * case.active_layers / (case.prefill_rate * moe_prefill),
            attention_s=2 * case.query / (case.prefill_rate * moe_prefill),
            kv_token_s=case.kv_bytes_per_token / case.rate,
            state_s=2 * case.state_bytes / case.rate,
            overhead_s=sync,
            slot_s=0.0,
            schedule_s=0.005,
        )
