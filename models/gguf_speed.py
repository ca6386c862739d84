"""llama.cpp on GPUs and Apple chips: weight streaming, layers split over cards, batches by decode-of-B.

Same methods as `models.gpu_speed.GpuSpeed`; all inputs broadcast. Seconds, bytes, FLOP/s.
Fitted on single streams of 2024-25; batches and queueing carry a wide band (`models.bands`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from models.streaming import StreamSpeed

if TYPE_CHECKING:
    from collections.abc import Mapping

MEMORY = ("gddr", "hbm", "apple")
_STREAM = ("g_em_g", "g_em_h", "g_em_m")
_MFU = ("g_mfu_g", "g_mfu_h", "g_mfu_m")
SLOT_S = 0.0045
"""A further parallel slot costs about this much a step (llama-server, one case, 2026)."""


@dataclass(slots=True)
class GgufCase:
    """Inputs of llama.cpp on GPUs; arrays broadcast against each other."""

    layers: Any
    stream_dense: Any
    """Bytes every token reads: all weights but the input embedding and the routed experts."""
    stream_routed: Any
    """Bytes of all routed experts."""
    experts: Any
    experts_per_token: Any
    active: Any
    """Weights one token passes through (elements)."""
    active_layers: Any
    """The same without the output head: what a prompt token passes through."""
    query: Any
    """Query width over full and sliding layers (llama.cpp's sliding layers attend to their window; kept full here)."""
    kv_bytes_per_token: Any
    state_bytes: Any
    sixteen_bit: Any
    bandwidth: Any
    peak: Any
    """fp16-accumulate tensor rate, FLOP/s."""
    memory: Any
    """Index into MEMORY."""
    gpus: Any
    input_tokens: Any
    output_tokens: Any
    fresh_tokens: Any = None
    """Prompt tokens not in the prefix cache; None = all."""


class GgufSpeed(StreamSpeed):
    """llama.cpp on one or more GPUs of one server."""

    def __init__(self, case: GgufCase, constants: Mapping[str, float]) -> None:
        k = constants
        memory = np.asarray(case.memory, dtype=np.intp)
        rate = case.bandwidth * np.array([k[name] for name in _STREAM])[memory]
        packed = np.where(case.sixteen_bit, 1.0, k["g_kq"])
        peak = np.asarray(case.peak, dtype=np.float64)
        share = np.array([k[name] for name in _MFU])[memory] * (peak / 1e14) ** -k["g_mfu_exp"]
        compute = peak * share
        gpus = np.asarray(case.gpus, dtype=np.float64)
        super().__init__(
            input_tokens=case.input_tokens,
            output_tokens=case.output_tokens,
            fresh_tokens=case.fresh_tokens,
            stream_dense_s=case.stream_dense / (rate * packed),
            stream_routed_s=case.stream_routed / (rate * packed),
            experts=case.experts,
            experts_per_token=case.experts_per_token,
            decode_compute_s=2 * case.active / compute,
            prefill_token_s=2 * case.active_layers / compute,
            attention_s=2 * case.query / compute,
            kv_token_s=case.kv_bytes_per_token / (rate * k["g_kvd"]),
            state_s=2 * case.state_bytes / rate,
            overhead_s=case.layers * k["g_layer"] * 1e-6 * (1 + k["g_split"] * (gpus - 1)),
            slot_s=SLOT_S,
            schedule_s=0.005,
        )
