"""Step time, prefill and time to first token of a serving engine on GPUs: a closed form over arrays of cases.

Every field of `GpuCase` is a number or an array; all broadcast, so that one model on a thousand layouts and a
thousand different benchmark rows run through the same lines. Times are seconds, rates per second, sizes bytes or elements.
The form and its constants are explained in `data/constants/`; what it leaves out stands in CONTRIBUTING.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.streaming import Takes

Array = NDArray[np.float64]

PREFILL_CHUNK = 8192
"""Prompt tokens an engine takes into one step at most (vLLM's default on large cards)."""

ENGINES = ("vllm_new", "vllm_old", "trt_new", "trt_old", "sglang", "habana", "vllm_2026", "vllm_eager")
"""Engine classes: constants differ by engine and its generation."""

CHIPS = ("nvidia", "nvidia_hbm_blackwell", "amd", "intel", "gaudi")
"""Chip classes: which factors apply."""

LINKS = ("nvlink", "nvlink_blackwell", "pcie_p2p", "pcie_host", "fabric")
"""Links between the GPUs of a server; over `pcie_host` every transfer passes the host's memory."""

MEMORIES = ("hbm", "hbm_ampere", "hbm_blackwell", "gddr")
"""Memory generations: how much of the specified bandwidth weight reads reach."""

SPARSE_TOKENS = 2048
"""Tokens a sparse-attention layer attends to (index_topk of DeepSeek-V3.2 and GLM-5)."""
INDEX_SHARE = 0.11
"""Indexer cache of a token (128 one-byte elements) relative to the MLA latent (576 two-byte elements)."""
MLA_FLOP = 13.6
"""Decode FLOP per unit of MLA query width and token of context: 2 x heads x (2 x 512 + 64) over heads x 160."""

COMPUTE = ("bf16", "f8", "f4", "w8", "w4")
"""Compute classes of a weight format on a chip."""


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
    memory_class: Any
    """Index into MEMORIES."""
    before_hopper: Any
    """Whether attention runs in kernels that handle prompts and decodes of one step poorly (before compute capability 9)."""
    power_room: Any
    """Power limit over what the chip's generation needs for its peak, at most 1: starved chips run below it."""
    own_code: Any
    """Index into `own_names`."""
    own_names: tuple[str, ...]
    """Engine, model and bits: kernels of a model that an engine runs better or worse than the form says, see `own_name`."""
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


Constants = Mapping[str, float]

_VLLM = tuple(i for i, name in enumerate(ENGINES) if name in {"vllm_new", "vllm_2026", "vllm_eager"})
POLL_STEPS, LONG_POLL, LONG_POLL_FROM = 10, 3.0, 16
"""SGLang's rows of large MoE models in one source (InferenceX) wait about 10 steps for their first one on Hopper and below 16 clients,
about 30 on Blackwell from there on; its own cookbook's rows do not. Read off the rows, not stated by them: a scheduler that looks for
new requests every so many steps, which is a throughput setting. Only `ttft_closed` has it."""


def _table(k: Constants, name: str, classes: tuple[str, ...], index: Any, default: float | None = None) -> Array:
    """`name_class` of every case; a class without a constant of its own takes the pooled one (`name`)."""
    pooled = k.get(name, default)
    values = np.array([k.get(f"{name}_{each}", pooled) for each in classes], dtype=np.float64)
    picked: Array = values[np.asarray(index, dtype=np.intp)]
    return picked


def own_name(engine: str, model: str, bits: str) -> str:
    """Name of the factor on a step of a model in an engine: measured over what the form gives, shrunk towards one."""
    return f"own:{engine}:{model}:{bits}"


def either(reads: Array, computes: Array) -> Array:
    """Time of a kernel that reads and computes at once: between the longer of both and their sum."""
    result: Array = np.sqrt(reads * reads + computes * computes)
    return result


class GpuSpeed(Takes):
    """The coefficients of many cases, computed once; methods take the number of sequences and return seconds."""

    CROWD = (
        *("o", "weights", "dense_compute", "head_weights", "head_compute", "kv_per_sequence", "all_reduce_per_token"),
        *(
            "experts",
            "_log_miss",
            "expert_weights",
            "expert_compute",
            "fixed",
            "host",
            "per_sequence",
            "interference",
            "own",
        ),
        *("mixed", "fresh", "_chunk", "_chunk_share", "_marginal_rest", "arrival", "prefill_alone", "wait"),
    )

    def __init__(self, case: GpuCase, constants: Constants) -> None:
        self.s = np.asarray(case.input_tokens, dtype=np.float64)
        self.o = np.asarray(case.output_tokens, dtype=np.float64)
        self.fresh = self.s if case.fresh_tokens is None else np.asarray(case.fresh_tokens, dtype=np.float64)
        self.context = self.s + self.o / 2
        self._read_chip(case, constants)
        self._read_links(case, constants)
        self._read_engine(case, constants)

    def _read_chip(self, case: GpuCase, k: Constants) -> None:
        """Weights, arithmetic and cache of one token: bytes and FLOP over what the chip reaches."""
        g = np.asarray(case.gpus, dtype=np.float64)
        dpa = np.asarray(case.data_parallel, dtype=bool)
        chip, compute, engine = np.asarray(case.chip), np.asarray(case.compute), np.asarray(case.engine)
        amd = chip == CHIPS.index("amd")
        share = np.where(amd, _table(k, "em_amd", ENGINES, engine), _table(k, "em", MEMORIES, case.memory_class))
        dtype_read = np.array([1.0, k["em_f8"], k["em_f4"], k["em_f8"], k["em_w4"]])[compute]
        blackwell_f8 = (chip == CHIPS.index("nvidia_hbm_blackwell")) & (compute == COMPUTE.index("f8"))
        dtype_read = dtype_read * np.where(blackwell_f8, k["em_f8_blackwell"], 1.0)
        factor = np.where(amd, _table(k, "cf_amd", ENGINES, engine), _table(k, "cf", CHIPS, chip, 1.0))
        factor = factor * np.asarray(case.power_room) ** k["power"]
        mfu = np.array([k["mfu_bf"], k["mfu_f8"], k["mfu_f4"], k["mfu_w4"], k["mfu_w4"]])[compute]
        rate, rate_16 = case.peak_compute * mfu * factor, case.peak_16bit * k["mfu_bf"] * factor
        read = case.bandwidth * share
        b, ba = case.weight_bytes, case.attention_bytes
        sixteen = np.asarray(ba) == 2.0
        split = np.where(dpa, case.attention, case.attention / g)
        replicated = np.where(dpa, case.attention_replicated / g, case.attention_replicated)
        attention_read = np.where(sixteen, read, read * dtype_read)
        attention_rate = np.where(sixteen, rate_16, rate)
        self.weights = (split + case.attention_replicated) * ba / attention_read + case.dense * b / (
            g * read * dtype_read
        )
        self.dense_compute = 2 * ((case.attention / g + replicated) / attention_rate + case.dense / (g * rate))
        self.head_weights = 2 * case.head / (g * read)
        self.head_compute = 2 * case.head / (g * rate_16)
        expert_read = read * dtype_read * np.where(compute >= COMPUTE.index("f4"), k["em_moe_4bit"], k["em_moe"])
        self.expert_weights = case.moe_layers * case.expert * b / (g * expert_read)
        expert_rate = rate * np.where(compute >= COMPUTE.index("w8"), k["moe_cf_w4"], k["moe_cf"])
        self.expert_compute = 2 * case.moe_layers * case.experts_per_token * case.expert / (g * expert_rate)
        self.experts = np.asarray(case.experts, dtype=np.float64)
        self._moe = bool((self.experts > 0).any())
        picked = np.divide(case.experts_per_token, np.maximum(self.experts, 1.0))
        self._log_miss = np.log1p(-np.minimum(picked, 1 - 1e-12))
        self._read_cache(case, k, np.asarray(case.bandwidth * np.where(amd, k["ekv_amd"], k["ekv"])), rate_16)
        attention_peak = g * case.peak_16bit * k["mfu_att"] * factor
        self.attention = self._attention_time(case, k["att_half"]) / attention_peak

    def _read_cache(self, case: GpuCase, k: Constants, read: Array, rate: Array) -> None:
        """Cache reads of one sequence and step; an MLA latent is shared by all heads, so its arithmetic can be the limit."""
        g = np.asarray(case.gpus, dtype=np.float64)
        mla, sparse = np.asarray(case.mla_layers) > 0, np.asarray(case.sparse_layers) > 0
        shards = np.where(case.data_parallel, g, np.where(mla, 1.0, np.minimum(g, np.maximum(case.kv_heads, 1))))
        token = case.kv * case.kv_bytes / (shards * read)
        compute = np.where(mla, MLA_FLOP * np.asarray(case.query), 0.0) / (g * rate * k["mla_rate"])
        window = case.kv_window * case.kv_bytes / (shards * read) * np.minimum(self.context, case.window)
        seen = np.where(sparse, np.minimum(self.context, SPARSE_TOKENS), self.context)
        index = np.where(sparse, INDEX_SHARE * token * self.context, 0.0)
        self.kv_per_sequence = np.maximum(token, compute) * seen + index + window + 4 * case.state / (g * read)

    def _read_links(self, case: GpuCase, k: Constants) -> None:
        """All-reduces of a step: a part per token and a latency."""
        g = np.asarray(case.gpus, dtype=np.float64)
        count = np.where(case.data_parallel, 1.0, 2.0) * case.layers
        link = np.maximum(case.link, 1.0) * _table(k, "lb", LINKS, case.link_class)
        host = np.asarray(case.link_class) == LINKS.index("pcie_host")
        # Through the host's memory more cards share fewer paths.
        link = np.where(host, link * (2 / np.maximum(g, 2)) ** k["host_link_exp"], link)
        many = g > 1
        self.all_reduce_per_token = np.where(many, count * 2 * (g - 1) / g * case.hidden * 2 / link, 0.0)
        self.all_reduce_latency = np.where(many, count * _table(k, "ar_us", LINKS, case.link_class) * 1e-6, 0.0)

    def _read_engine(self, case: GpuCase, k: Constants) -> None:
        """Overheads and scheduling of the engine."""
        engine = np.asarray(case.engine)
        extra = case.mla_layers + 0.5 * np.asarray(case.linear_layers) + case.sparse_layers
        self.own = np.array([k.get(name, 1.0) for name in case.own_names])[np.asarray(case.own_code, dtype=np.intp)]
        self.layer_overhead = case.layers * _table(k, "layer", ENGINES, engine) * 1e-6
        self.kernel_overhead = (
            case.moe_layers * _table(k, "router", ENGINES, engine) + extra * _table(k, "mla", ENGINES, engine)
        ) * 1e-6
        self.fixed = self.layer_overhead + self.kernel_overhead + self.all_reduce_latency
        self.host = _table(k, "host_ms", ENGINES, engine, 0.0) * 1e-3
        self.per_sequence = _table(k, "seq", ENGINES, engine) * 1e-6
        old_attention = np.asarray(case.before_hopper) & np.isin(engine, _VLLM)
        self.interference = _table(k, "c_int", ENGINES, engine)
        # More than a whole prompt is charged only for what is no matrix multiply: those share the weights' read.
        poorly = np.where(old_attention, k["fa2"], 1.0)
        self.mixed = case.layers * k["mixed"] * 1e-6 * poorly
        self.schedule = _table(k, "sched", ENGINES, engine, k["sched_vllm_2026"]) * 1e-3
        self.tokenise = _table(k, "tok", ENGINES, engine) * 1e-6
        self.burst = _table(k, "burst", ENGINES, engine)
        self.wait = _table(k, "wait", ENGINES, engine)
        chip = np.asarray(case.chip)
        blackwell = chip == CHIPS.index("nvidia_hbm_blackwell")
        polls = (engine == ENGINES.index("sglang")) & (self.experts > 0) & (blackwell | (chip == CHIPS.index("nvidia")))
        self._poll = np.where(polls, k["poll"] * POLL_STEPS, 0.0)
        self._long_poll = np.where(blackwell, LONG_POLL, 1.0)
        self.queue = k["queue"]
        self.tail = k["tail"]
        self._chunk = np.minimum(self.fresh, PREFILL_CHUNK)
        self._chunk_share = self.fresh / self._chunk
        self._marginal_rest = self.attention * poorly + self.all_reduce_per_token * self.fresh
        self.prefill_alone = self.prefill()
        self.arrival = self.schedule + self.tokenise * self.s
        """Seconds from a request's arrival to its first prefill step on an idle server."""

    def active_experts(self, tokens: Any) -> Array:
        """Distinct experts of one layer that a step of `tokens` tokens reads."""
        # exp is twice as fast as expm1; one expert in thousands still leaves thirteen digits.
        result: Array = self.experts * (1 - np.exp(np.asarray(tokens, dtype=np.float64) * self._log_miss))
        return result

    def gemm(self, tokens: Any) -> Array:
        """Weight reads and matrix multiplies of one step, dense and expert parts apart."""
        result = either(self.weights, self.dense_compute * tokens)
        if self._moe:
            result = result + either(self.active_experts(tokens) * self.expert_weights, self.expert_compute * tokens)
        return result

    def _attention_time(self, case: GpuCase, half: float) -> Array:
        """FLOP of one prompt's fresh tokens over all before them, more where short prompts leave the chip idle."""
        reach = self.s - self.fresh / 2
        sparse = np.asarray(case.sparse_layers) > 0
        full = np.where(sparse, np.minimum(reach, SPARSE_TOKENS) + INDEX_SHARE * reach, reach)
        width = np.asarray(case.query) * full + np.asarray(case.query_window) * np.minimum(reach, case.window)
        result: Array = 4 * self.fresh * width * (1 + half / np.maximum(self.s, 1.0))
        return result

    def step(self, sequences: Any) -> Array:
        """One decode step of `sequences` running sequences."""
        n = np.asarray(sequences, dtype=np.float64)
        return self._step(n, self.gemm(n))

    def _step(self, n: Array, gemm: Array) -> Array:
        head = np.maximum(self.head_weights, n * self.head_compute)
        device = gemm + head + n * (self.kv_per_sequence + self.all_reduce_per_token) + self.fixed
        result: Array = (np.maximum(device, self.host) + n * self.per_sequence) * self.own
        return result

    def marginal_prefill(self, sequences: Any) -> Array:
        """What one prompt adds to the steps of `sequences` running decodes."""
        n = np.asarray(sequences, dtype=np.float64)
        return self._marginal(n, self.gemm(n))

    def _marginal(self, n: Array, gemm: Array) -> Array:
        added = self.gemm(self._chunk + n) - gemm + self.mixed
        result: Array = added * self._chunk_share + self._marginal_rest
        return result

    def interference_time(self, sequences: Any, prompts: Any = None) -> Array:
        """What the prompts of the other sequences add to one output token.

        Args:
            sequences: running; prompts: arriving a step, None = those of a closed loop, (n - 1)/o.
        """
        n = np.asarray(sequences, dtype=np.float64)
        arriving = np.maximum(n - 1, 0) / self.o if prompts is None else np.asarray(prompts, dtype=np.float64)
        return self._others(n, arriving, self.gemm(n))

    def _others(self, n: Array, prompts: Array, gemm: Array) -> Array:
        """Short prompts share a chunk; one chunk a step shares the decodes' weight reads, further ones read them again."""
        tokens = self.fresh * prompts
        chunk = np.minimum(np.maximum(tokens, self.fresh), PREFILL_CHUNK)
        chunks = self.interference * tokens / chunk
        shared = np.minimum(chunks, 1.0) * (self.gemm(chunk + n) - gemm + self.mixed)
        further = np.maximum(chunks - 1, 0.0) * (self.gemm(chunk) + self.mixed)
        result: Array = shared + further + self.interference * prompts * self._marginal_rest
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
        n = np.asarray(sequences, dtype=np.float64)
        gemm = self.gemm(n)
        return self._step(n, gemm) + self._others(n, np.maximum(n - 1, 0) / self.o, gemm)

    def ttft_closed(self, sequences: Any) -> Array:
        """Benchmark's closed loop with `sequences` clients, its start burst and its scheduler's polling included."""
        n = np.asarray(sequences, dtype=np.float64)
        polled = self._poll * np.where(n >= LONG_POLL_FROM, self._long_poll, 1.0)
        waits = (self.wait + polled) * np.clip(n - 1, 0.0, 1.0)
        # One process reads and tokenizes the prompts of a burst one after the other, as the GPU computes them.
        burst = self.burst * n * (self.prefill_alone + self.tokenise * self.s)
        result: Array = self.arrival + self.prefill_alone + burst + waits * self.tpot(n)
        return result

    def steady(self, sequences: Any) -> tuple[Array, Array, Array]:
        """(TPOT, TTFT without a queue, time one prompt takes of the server) at `sequences` running; no start burst."""
        n = np.asarray(sequences, dtype=np.float64)
        gemm = self.gemm(n)
        others = np.maximum(n - 1, 0)
        prompt = self._marginal(n, gemm)
        prompts = others / self.o
        # Where no step takes more than one prompt and chunk, theirs is the time above.
        rarely = not (prompts * np.maximum(self._chunk_share, 1.0) > 1).any()
        tpot = self._step(n, gemm) + (
            self.interference * prompts * prompt if rarely else self._others(n, prompts, gemm)
        )
        ttft = self.arrival + self.prefill_alone + self.wait * np.minimum(others, 1.0) * tpot
        return tpot, ttft, prompt

    def queue_unit(self) -> Array:
        """Seconds of waiting where prompts take half of the time: `queued` is this x rho / (1 - rho)."""
        result: Array = self.prefill_alone * (self.queue / 2)
        return result

    def queued(self, prefill_load: Any) -> Array:
        """Waiting behind other prompts that take `prefill_load` (0..1) of the time: a queue with random arrivals."""
        rho = np.clip(prefill_load, 0.0, 0.98)
        result: Array = self.prefill_alone * (self.queue * rho / (2 * (1 - rho)))
        return result

    def ttft_steady(self, sequences: Any, prefill_load: Any = 0.0) -> Array:
        """Without a start burst: queueing behind other prefills at `prefill_load` (0..1) of the time, then shared steps."""
        result: Array = self.steady(sequences)[1] + self.queued(prefill_load)
        return result
