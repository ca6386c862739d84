"""llama.cpp on GPUs and Apple chips: weight streaming or unpacking, layers split over cards, prompts in batches of 512.

Same methods as `models.gpu_speed.GpuSpeed`; all inputs broadcast. Seconds, bytes, FLOP/s.
Fitted by `models.fitting.gguf`; batches and queueing carry a wide band (`models.bands`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from models.streaming import Array, StreamSpeed, distinct_experts

if TYPE_CHECKING:
    from collections.abc import Mapping

MEMORY = ("gddr", "hbm", "apple")
KINDS = ("ampere", "turing", "volta", "dp4a", "old", "amd", "rdna3", "apple", "apple3", "intel")
"""How a chip multiplies packed weights: NVIDIA int8 tensor cores from Ampere on, in smaller pieces on Turing; fp16 tensor cores only
(Volta), int8 dot products only (Pascal 6.1), neither (older, P100, GTX 16); AMD, and from RDNA 3 on; Apple, and from M3 on; Intel."""
ENGINES = ("llama.cpp", "llama.cpp-2024", "llamafile")
"""With flash attention and int8 prompt kernels (2025 on); before both; llamafile 0.9: int8 kernels, no flash attention."""
UBATCH = 512
"""Prompt tokens of one pass (llama.cpp's default)."""
SLOT_SHARE = 0.35
"""A further parallel stream costs about this share of a step alone: 8B and 12B models of 4 to 6 bits with 2, 16 and 32 streams on an
RTX 3090 (llama-server, 2026; one kind of card, so the band is wide)."""
NORM = 4.0
"""Sharpness of the change from reading weights to unpacking them."""


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
    lanes: Any = None
    """Integer lanes x clock, operations/s; None = a twentieth of the peak, a middling chip."""
    kind: Any = 0
    """Index into KINDS."""
    weight_bytes: Any = 0.6
    """Bytes of one streamed weight."""
    graphs: Any = True
    """Whether CUDA graphs replay a step on one card (NVIDIA from Ampere)."""
    clock_ghz: Any = 1.7
    lanes_per_watt: Any = 0.0
    """Lane operations/s for each watt, 4 nm; 0 = never limited by power."""
    ecc: Any = False
    """GDDR that keeps its check bits in the same memory: data-centre cards as delivered."""
    engine: Any = 0
    """Index into ENGINES."""


def _pick(table: Mapping[str, float], names: tuple[str, ...], index: Any) -> Array:
    chosen: Array = np.array([table[name] for name in names])[np.asarray(index, dtype=np.intp)]
    return chosen


class GgufSpeed(StreamSpeed):
    """llama.cpp on one or more GPUs of one server."""

    def __init__(self, case: GgufCase, constants: Mapping[str, float]) -> None:
        k = constants
        kind = np.asarray(case.kind, dtype=np.intp)
        engine = np.asarray(case.engine, dtype=np.intp)
        sixteen = np.asarray(case.sixteen_bit)
        nvidia, tensor = kind < KINDS.index("amd"), kind < KINDS.index("volta")
        newer_amd = kind == KINDS.index("rdna3")
        old_kernels = np.where(((kind == KINDS.index("amd")) | newer_amd) & (engine > 0), k["g_amd_old"], 1.0)
        apple = (kind == KINDS.index("apple")) | (kind == KINDS.index("apple3"))
        old_rdna3 = np.where(newer_amd & (engine > 0), k["g_rdna3_old"], 1.0)
        held = 1 / np.maximum(np.asarray(case.lanes_per_watt) / (k["g_watt"] * 1e12), 1.0)
        peak = np.asarray(case.peak, dtype=np.float64) * held
        lanes = peak / 20 if case.lanes is None else np.asarray(case.lanes, dtype=np.float64) * held
        lanes = lanes * np.where(kind == KINDS.index("apple3"), k["g_apple3"], 1.0)
        gpus = np.asarray(case.gpus, dtype=np.float64)
        # Decode: a weight is read and unpacked by integer instructions.
        read = case.bandwidth * _pick(k, _STREAM, kind) * np.where(case.ecc, k["g_ecc"], 1.0)
        plain = np.where(nvidia & (engine > 0), k["g_unpack_16"], _pick(k, _UNPACK, kind) / 4)
        operations = np.where(sixteen, plain, _pick(k, _UNPACK, kind))
        unpack = lanes * np.asarray(case.weight_bytes) / operations
        rate = (read**-NORM + unpack**-NORM) ** (-1 / NORM) / old_kernels
        # Prompts: int8 kernels are limited by tensor cores and by the instructions around them.
        whole = peak * k["g_mfu"] * (peak / 1e14) ** -k["g_mfu_exp"]
        mma = 1 / (1 / (k["g_mma"] * 2 * peak) + 1 / (k["g_lanes"] * lanes))
        mma = mma * np.where(kind == KINDS.index("turing"), k["g_turing"], 1.0)
        other = np.where(kind == KINDS.index("volta"), peak * k["g_volta"], lanes * _pick(k, _PER_LANE, kind))
        packed = np.where(tensor, np.where(engine == 1, whole * k["g_2024"], mma), other)
        compute = np.where(sixteen & tensor, whole, packed) / (old_kernels * old_rdna3)
        compute = compute * np.where(nvidia & (engine == ENGINES.index("llamafile")), k["g_llamafile"], 1.0)
        attention = _pick(k, _ATTENTION, engine) * np.where(tensor | ~nvidia, 1.0, k["g_att_old"])
        replayed = (engine == 0) & np.asarray(case.graphs) & (gpus <= 1)
        clock = np.asarray(case.clock_ghz) * held / 1.7
        layer = np.where(
            nvidia,
            np.where(replayed, k["g_layer"], np.where(engine > 0, k["g_layer_old"], k["g_layer_launch"])) / clock,
            _pick(k, _LAYER, kind) * old_kernels,
        )
        several = np.maximum(gpus - 1, 0)
        kv = np.where(apple, k["g_kv_apple"], _pick(k, _KV, engine))
        overhead = case.layers * layer * 1e-6 + k["g_card"] * 1e-6 * several + k["g_step"] * 1e-6
        picked = np.divide(case.experts_per_token, np.maximum(case.experts, 1))
        alone = (case.stream_dense + case.stream_routed * picked) / rate + overhead
        super().__init__(
            input_tokens=case.input_tokens,
            output_tokens=case.output_tokens,
            fresh_tokens=case.fresh_tokens,
            stream_dense_s=case.stream_dense / rate,
            stream_routed_s=case.stream_routed / rate,
            experts=case.experts,
            experts_per_token=case.experts_per_token,
            decode_compute_s=2 * case.active / compute,
            prefill_token_s=2 * case.active_layers / compute,
            attention_s=2 * case.query / (compute * attention),
            kv_token_s=case.kv_bytes_per_token / (case.bandwidth * kv),
            state_s=2 * case.state_bytes / rate,
            overhead_s=overhead,
            slot_s=SLOT_SHARE * alone,
            schedule_s=0.005,
        )
        width = np.sqrt(case.active_layers / (12 * np.maximum(case.layers, 1)))
        each = np.where(nvidia, np.where(engine > 0, k["g_pass_old"], k["g_pass"]) / clock, k["g_pass_other"])
        moved = UBATCH * width * k["g_width"] / case.bandwidth
        self.pass_s = np.asarray(case.layers * (each * 1e-6 + moved))
        overlap = np.maximum(1 - UBATCH / np.maximum(self.fresh, UBATCH), 0.0)
        self.pipeline = np.where(gpus > 1, 1 + k["g_pipe"] / np.maximum(gpus, 1) ** 2 * overlap, 1.0)

    def prefill_parts(self) -> tuple[Array, Array, Array, Array, Array]:
        """Seconds of one prompt on cards that wait for each other: arithmetic, reads, both at once, attention, passes."""
        tokens = np.minimum(self.fresh, UBATCH)
        passes = np.ceil(self.fresh / UBATCH)
        reach = 2 * self.s - self.fresh
        work = self.fresh * self.prefill_token
        read = passes * (
            self.weights + self.routed * distinct_experts(self.experts, self.per_token, tokens) / self.experts
        )
        both = (work**NORM + read**NORM) ** (1 / NORM)
        share = np.minimum(self.fresh / UBATCH, 1.0)
        return work, read, both, self.fresh * self.attention * reach, passes * self.pass_s * share

    def prefill(self, prompts: Any = 1.0) -> Array:
        """`prompts` prompts one after the other, in passes of UBATCH tokens that each read the weights once."""
        _, _, both, attention, passes = self.prefill_parts()
        result: Array = prompts * (both + attention + passes + self.overhead) / self.pipeline
        return result


_NVIDIA = KINDS.index("amd")
_STREAM = ("g_em",) * _NVIDIA + ("g_em_amd", "g_em_amd", "g_em_apple", "g_em_apple", "g_em_intel")
_UNPACK = (
    *("g_unpack", "g_unpack_turing", "g_unpack"),
    *(
        "g_unpack_old",
        "g_unpack_old",
        "g_unpack_amd",
        "g_unpack_amd",
        "g_unpack_apple",
        "g_unpack_apple",
        "g_unpack_amd",
    ),
)
_PER_LANE = (
    *("g_lanes",) * (_NVIDIA - 2),
    *("g_lanes_dp4a", "g_lanes_old", "g_lanes_amd", "g_lanes_amd", "g_lanes_apple", "g_lanes_apple", "g_lanes_intel"),
)
_ATTENTION = ("g_att", "g_att_plain", "g_att_plain")
_KV = ("g_kv", "g_kv_plain", "g_kv_plain")
_LAYER = ("g_layer",) * _NVIDIA + ("g_layer_amd", "g_layer_amd", "g_layer_apple", "g_layer_apple", "g_layer_amd")
