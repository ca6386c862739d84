"""Step time, prefill and time to first token of a serving engine on GPUs: a closed form over arrays of cases.

Every field of `GpuCase` is a number or an array; all broadcast, so that one model on a thousand layouts and a
thousand different benchmark rows run through the same lines. Times are seconds, rates per second, sizes bytes or elements.
The form and its constants are explained in `data/constants/`; what it leaves out stands in CONTRIBUTING.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from models.streaming import Takes

if TYPE_CHECKING:
    from collections.abc import Mapping

Array = NDArray[np.float64]

PREFILL_CHUNK = 8192
"""Prompt tokens an engine takes into one step at most (vLLM's default on large cards)."""

# Engine classes: constants differ by engine and its generation.
ENGINES = ("vllm_new", "vllm_old", "trt_new", "trt_old", "sglang", "habana", "vllm_2026")
_LAYER = (
    "layer_vllm_new",
    "layer_vllm_old",
    "layer_trt_new",
    "layer_trt_old",
    "layer_sglang",
    "layer_habana",
    "layer_vllm_new",
)
_SCHED = ("sched_vllm", "sched_vllm", "sched_trt", "sched_trt", "sched_sglang", "sched_vllm", "sched_vllm_2026")
_SEQUENCE = ("seq_us", "seq_us_old", "seq_us", "seq_us", "seq_us", "seq_us", "seq_us")
_TOKENISE = ("tok_us", "tok_us", "tok_us", "tok_us", "tok_us", "tok_us", "tok_us_2026")
_INTERFERENCE = ("c_int", "c_int", "c_int", "c_int", "c_int", "c_int", "c_int_2026")
_BURST = ("burst", "burst", "burst", "burst", "burst_sglang", "burst", "burst_2026")

# Chip classes: which factors apply.
CHIPS = ("nvidia", "nvidia_hbm_blackwell", "amd", "intel", "gaudi")
_COMPUTE = (None, "cf_nv_bw", "cf_amd", "cf_intel", "cf_gaudi")

LINKS = ("nvlink", "nvlink_blackwell", "other")
_ALL_REDUCE = ("ar_nvlink_us", "ar_bw_us", "ar_oth_us")

# Compute classes of a weight format on a chip.
COMPUTE = ("bf16", "f8", "f4", "w8", "w4")
_MFU = ("mfu_bf", "mfu_f8", "mfu_f4", "mfu_w4", "mfu_w4")


@dataclass(slots=True)
class GpuCase:
    """Inputs of the closed form; arrays broadcast against each other."""

    # model (elements, see models.shape.Shape)
    layers: Any
    hidden: Any
    kv_heads: Any
    attention: Any
    attention_replicated: Any
    dense: Any
    """Dense and shared-expert weights together: both are read by every token."""
    moe_layers: Any
    experts: Any
    experts_per_token: Any
    expert: Any
    head: Any
    kv: Any
    kv_window: Any
    window: Any
    state: Any
    query: Any
    query_window: Any
    mla_layers: Any
    linear_layers: Any
    sparse_layers: Any
    # weights and cache
    weight_bytes: Any
    """Bytes a weight, scales included."""
    attention_bytes: Any
    compute: Any
    """Index into COMPUTE."""
    kv_bytes: Any
    # chip
    bandwidth: Any
    """Bytes/s of one device."""
    peak_16bit: Any
    """FLOP/s."""
    peak_compute: Any
    """FLOP/s of the compute class."""
    chip: Any
    """Index into CHIPS."""
    link: Any
    """Bytes/s, one direction."""
    link_class: Any
    """Index into LINKS."""
    # layout
    gpus: Any
    """GPUs of one replica."""
    data_parallel: Any
    """Attention split by sequences instead of heads."""
    # engine and traffic
    engine: Any
    """Index into ENGINES."""
    input_tokens: Any
    output_tokens: Any
    fresh_tokens: Any = None
    """Prompt tokens that are not in the prefix cache; None = all of them."""


def _pick(names: tuple[str | None, ...], index: Any, values: Mapping[str, float]) -> Array:
    table = np.array([1.0 if name is None else values[name] for name in names])
    picked: Array = table[np.asarray(index, dtype=np.intp)]
    return picked


class GpuSpeed(Takes):
    """The coefficients of many cases, computed once; methods take the number of sequences and return seconds."""

    def __init__(self, case: GpuCase, constants: Mapping[str, float]) -> None:
        k = constants
        g = np.asarray(case.gpus, dtype=np.float64)
        dpa = np.asarray(case.data_parallel, dtype=bool)
        amd = np.asarray(case.chip) == CHIPS.index("amd")
        compute = np.asarray(case.compute)
        stream = np.where(amd, k["em_amd"], k["em"])
        dtype_stream = np.array([1.0, k["em_f8"], 1.0, k["em_f8"], k["em_w4"]])[compute]
        factor = _pick(_COMPUTE, case.chip, k)
        rate = case.peak_compute * _pick(_MFU, compute, k) * factor
        rate_16 = case.peak_16bit * k["mfu_bf"] * factor
        read = case.bandwidth * stream
        b, ba = case.weight_bytes, case.attention_bytes
        sixteen = np.asarray(ba) == 2.0
        attention_read = np.where(sixteen, read, read * dtype_stream)
        attention_rate = np.where(sixteen, rate_16, rate)
        split = np.where(dpa, case.attention, case.attention / g)
        self.s = np.asarray(case.input_tokens, dtype=np.float64)
        self.o = np.asarray(case.output_tokens, dtype=np.float64)
        self.fresh = self.s if case.fresh_tokens is None else np.asarray(case.fresh_tokens, dtype=np.float64)
        self.attention_weights = (split + case.attention_replicated) * ba / attention_read
        self.dense_weights = case.dense * b / (g * read * dtype_stream)
        self.weights = self.attention_weights + self.dense_weights
        replicated = np.where(dpa, case.attention_replicated / g, case.attention_replicated)
        self.dense_compute = 2 * ((case.attention / g + replicated) / attention_rate + case.dense / (g * rate))
        self.head_weights = 2 * case.head / (g * read)
        self.head_compute = 2 * case.head / (g * rate_16)
        self.expert_weights = case.moe_layers * case.expert * b / (g * read * dtype_stream)
        self.expert_compute = 2 * case.moe_layers * case.experts_per_token * case.expert / (g * rate * k["moe_cf"])
        self.experts = np.asarray(case.experts, dtype=np.float64)
        share = np.divide(case.experts_per_token, np.maximum(self.experts, 1.0))
        self._log_miss = np.log1p(-np.minimum(share, 1 - 1e-12))
        kv_read = case.bandwidth * k["ekv"]
        shards = np.where(
            dpa, g, np.where(np.asarray(case.mla_layers) > 0, 1.0, np.minimum(g, np.maximum(case.kv_heads, 1)))
        )
        self._kv_per_token = case.kv * case.kv_bytes / (shards * kv_read)
        self._kv_window_per_token = case.kv_window * case.kv_bytes / (shards * kv_read)
        self._window = np.asarray(case.window, dtype=np.float64)
        self.state_read = 4 * case.state / (g * kv_read)
        all_reduces = np.where(dpa, 1.0, 2.0)
        many = g > 1
        self.all_reduce_per_token = np.where(
            many,
            all_reduces * case.layers * 2 * (g - 1) / g * case.hidden * 2 / (k["lb"] * np.maximum(case.link, 1.0)),
            0.0,
        )
        self.layer_overhead = case.layers * _pick(_LAYER, case.engine, k) * 1e-6
        extra = case.mla_layers + 0.5 * np.asarray(case.linear_layers) + case.sparse_layers
        self.kernel_overhead = (case.moe_layers * k["router_us"] + extra * k["mla_us"]) * 1e-6
        self.all_reduce_latency = np.where(
            many, all_reduces * case.layers * _pick(_ALL_REDUCE, case.link_class, k) * 1e-6, 0.0
        )
        self.fixed = self.layer_overhead + self.kernel_overhead + self.all_reduce_latency
        self.per_sequence = _pick(_SEQUENCE, case.engine, k) * 1e-6
        self._attention_rate = g * case.peak_16bit * k["mfu_att"] * factor
        self._query = np.asarray(case.query, dtype=np.float64)
        self._query_window = np.asarray(case.query_window, dtype=np.float64)
        self.interference = _pick(_INTERFERENCE, case.engine, k)
        self.schedule = _pick(_SCHED, case.engine, k) * 1e-3
        self.tokenise = _pick(_TOKENISE, case.engine, k) * 1e-6
        self.burst = _pick(_BURST, case.engine, k)
        self.tail = k["tail"]
        self.context = self.s + self.o / 2
        self.kv_per_sequence = (
            self._kv_per_token * self.context
            + self._kv_window_per_token * np.minimum(self.context, self._window)
            + self.state_read
        )
        self._chunk = np.minimum(self.fresh, PREFILL_CHUNK)
        self._chunk_share = self.fresh / self._chunk
        self.attention = self._attention_time()
        self._marginal_rest = self.attention + self.all_reduce_per_token * self.fresh

    def active_experts(self, tokens: Any) -> Array:
        """Distinct experts of one layer that a step of `tokens` tokens reads."""
        result: Array = self.experts * -np.expm1(np.asarray(tokens, dtype=np.float64) * self._log_miss)
        return result

    def gemm(self, tokens: Any) -> Array:
        """Weight reads or matrix multiplies of one step, whichever is longer, dense and expert parts apart."""
        dense = np.maximum(self.weights, self.dense_compute * tokens)
        expert = np.maximum(self.active_experts(tokens) * self.expert_weights, self.expert_compute * tokens)
        result: Array = dense + expert
        return result

    def _attention_time(self) -> Array:
        """Attention of one prompt's fresh tokens over all before them (quadratic; sliding layers see their window only)."""
        reach = self.s - self.fresh / 2
        width = self._query * reach + self._query_window * np.minimum(reach, self._window)
        result: Array = 4 * self.fresh * width / self._attention_rate
        return result

    def step(self, sequences: Any) -> Array:
        """One decode step of `sequences` running sequences."""
        n = np.asarray(sequences, dtype=np.float64)
        result: Array = (
            self.gemm(n)
            + np.maximum(self.head_weights, n * self.head_compute)
            + n * self.kv_per_sequence
            + self.all_reduce_per_token * n
            + self.fixed
            + n * self.per_sequence
        )
        return result

    def marginal_prefill(self, sequences: Any, together: Any = 1.0) -> Array:
        """What one prompt adds to the steps of `sequences` running decodes, when `together` prompts share a step."""
        n = np.asarray(sequences, dtype=np.float64)
        added = (self.gemm(self._chunk * together + n) - self.gemm(n)) / together
        result: Array = added * self._chunk_share + self._marginal_rest
        return result

    def interference_time(self, sequences: Any) -> Array:
        """What the prompts of the other sequences add to one output token.

        (n - 1)/o prompts arrive a step; more than one share its weight reads, so short outputs are not charged twice.
        """
        prompts = np.maximum(np.asarray(sequences, dtype=np.float64) - 1, 0) / self.o
        shared = self.marginal_prefill(sequences, np.maximum(prompts, 1.0))
        result: Array = self.interference * shared * prompts
        return result

    def prefill(self, prompts: Any = 1.0) -> Array:
        """`prompts` prompts alone on the GPUs, in chunks."""
        tokens = self.fresh * prompts
        steps = np.ceil(tokens / PREFILL_CHUNK)
        result: Array = (
            steps * self.gemm(tokens / steps)
            + self.head_weights
            + self.attention * prompts
            + self.all_reduce_per_token * tokens
            + steps * self.fixed
        )
        return result

    def tpot(self, sequences: Any) -> Array:
        """Mean time between a request's output tokens with `sequences` running, prefills of the others included."""
        result: Array = self.step(sequences) + self.interference_time(sequences)
        return result

    def ttft_closed(self, sequences: Any) -> Array:
        """Benchmark's closed loop with `sequences` clients, its start burst included."""
        n = np.asarray(sequences, dtype=np.float64)
        result: Array = (
            self.schedule
            + self.tokenise * self.s
            + self.prefill() * (1 + self.burst * n)
            + np.where(n > 1, self.step(n), 0.0)
        )
        return result

    def ttft_steady(self, sequences: Any, prefill_load: Any = 0.0) -> Array:
        """Without a start burst: queueing behind other prefills at `prefill_load` (0..1) of the time, then one step."""
        n = np.asarray(sequences, dtype=np.float64)
        rho = np.clip(prefill_load, 0.0, 0.98)
        result: Array = (
            self.schedule
            + self.tokenise * self.s
            + self.prefill() * (1 + rho / (2 * (1 - rho)))
            + np.where(n > 1, self.step(n), 0.0)
        )
        return result
