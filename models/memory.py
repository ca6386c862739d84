"""Does it fit: weights, KV cache and what the engine itself takes, against the memory an engine really gets.

All functions take and return arrays (or numbers) and broadcast; sizes are GiB unless the name says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from models.engine_limits import Planner, planner_of, sglang_reserve_gib

if TYPE_CHECKING:
    from models.llm import LLM

Array = NDArray[np.float64]
GIB = 2.0**30
GB = 1e9

_USABLE_SHARE = 0.985
"""Usable of nominal where nobody measured it: the median of the ten cards that were (0.95-0.99)."""
_ROCM_NON_TORCH_GIB = 2.1 * GB / GIB
"""What ROCm keeps beyond CUDA's driver memory: pools logged on 24-32 GB cards end 2.7 GB below the share there, 0.6 GB on NVIDIA
(2025-26)."""
ACTIVATION_FLOOR_GIB = 0.05
"""Small buffers of a step: what remains of the logged peaks beside the terms below."""
VISION_EMBEDDING_GIB = 0.2
"""Image embeddings held while the language model is profiled: Gemma 3, Mistral 3 and Kimi-VL log 0.15-0.3 above text models (vLLM 0.19)."""
_NATIVE_VISION_GIB = 2.51
_NATIVE_VISION = ("qwen2-vl", "qwen2.5-vl")
"""Encoders of images in native resolution profile 16k patches: Qwen2.5-VL-72B 2.51 GiB on an A100 (vLLM issue 16570, 2025-04)."""
_RANK_SPREAD_GIB = 0.1
"""Each doubling of a tensor-parallel group adds this to its fullest rank, which decides: four cards logged 34.43 GiB of weights where a
quarter is 34.27, and 0.34-0.43 GiB beside torch (vLLM issue 16570, 2025-04); H100 2.07 at TP 2, 2.13-2.21 at 4 (2026-04)."""
_GRAPH_GIB_PER_LAYER = (0.014, 0.028)
_GRAPH_MOST_GIB = 1.85
"""CUDA graphs of one layer at 256 and 1,024 sequences: 0.45 GiB logged on an RTX 5090, 0.84-0.91 for 32 layers on an H100, 1.85 at most."""
CHUNK_LARGE, CHUNK_SMALL = 8192, 2048
SEQUENCES_LARGE, SEQUENCES_SMALL = 1024, 256
"""Prompt tokens and sequences of vLLM's profiling step: cards from 70 GiB that are not an A100, and all others (arg_utils.py,
2025-04 on)."""
_LARGE_FROM_GIB = 70.0
_HABANA_GRAPHS = 0.1
"""Of what is free on a Gaudi, the share kept for captured graphs (vllm-fork README_GAUDI, 2025-02)."""
_SGLANG_VISION = 0.95
"""SGLang takes this much of its share for vision models (adjust_mem_fraction_for_vlm, 2025-11)."""
SIXTEEN = 2
"""Bytes of an activation."""
DEFAULT = planner_of("vllm_new")
"""Engine version not stated: vLLM before 0.17, whose sampler takes most."""
BLOCK_TOKENS = 16
"""KV caches are handed out in blocks of this many tokens (vLLM)."""
GGUF_COMPUTE_GIB = 0.8
"""llama.cpp's compute buffer and CUDA context of one GPU at 512-token batches (logged 0.17-2.2 GiB)."""
GGUF_BATCH = 512
"""llama.cpp's physical batch: since 2025-05 a sliding layer keeps its window and one of these, not all of the context (PR 13194)."""
CPU_COMPUTE_GIB = 0.5
OS_RESERVE_GIB = 1.0
"""RAM the operating system and the runtime keep on a CPU server (assumed; small VMs need about this)."""


def has_vision(llm: LLM) -> bool:
    """Whether a vision tower is loaded with the model."""
    return llm.params_extra - llm.params_mtp > 0


def valid_tp(heads: int, kv_heads: int, vocab: int | None, tp: int) -> bool:
    """Whether an engine splits this model over `tp` GPUs: heads, KV heads and the (64-padded) vocabulary must divide."""
    if tp == 1:
        return True
    if tp < 1 or heads % tp:
        return False
    if kv_heads % tp and tp % kv_heads:
        return False
    return vocab is None or (-(-vocab // 64) * 64) % tp == 0


def kv_shards(kv_heads: int, mla: bool, tp: Any, *, data_parallel: Any = False) -> Array:
    """Over how many GPUs one token's KV cache is spread: KV heads repeat beyond their number, an MLA latent is whole on each."""
    tp = np.asarray(tp, dtype=np.float64)
    spread = np.ones_like(tp) if mla else np.minimum(tp, float(max(kv_heads, 1)))
    result: Array = np.where(data_parallel, tp, spread)
    return result


def kv_bytes_per_token(llm: LLM, bytes_per_element: float = 2.0) -> float:
    """KV-cache bytes of one token inside the sliding window, whole model, one copy."""
    return (llm.kv_elements_full + llm.kv_elements_sliding) * bytes_per_element


def _full_copies(llm: LLM, shards: Any) -> Array:
    """How often the full layers' cache is repeated where they have fewer KV heads than the sliding ones (Gemma 4 12B: one)."""
    heads = float(llm.global_kv_heads or llm.kv_heads or 1)
    result: Array = np.maximum(np.minimum(shards, float(max(llm.kv_heads, 1))) / heads, 1.0)
    return result


def token_gib(llm: LLM, bytes_per_element: Any, shards: Any, *, sliding: bool = False) -> Array:
    """Cache of one more token of context on one GPU; with `sliding` layers that keep a window count too."""
    shards = np.asarray(shards, dtype=np.float64)
    full = llm.kv_elements_full * _full_copies(llm, shards)
    result: Array = (full + (llm.kv_elements_sliding if sliding else 0)) * bytes_per_element / shards / GIB
    return result


def _layers(llm: LLM, *mixers: str) -> int:
    return sum(count for mixer, _, count in llm.layer_groups if mixer in mixers)


def _state_pages(llm: LLM, tokens: Array, bytes_per_element: Any, shards: Any, tp: Any) -> Array | None:
    """GiB of a hybrid's sequence where state and cache share pages; None for other models.

    A page holds one layer's state, so a page of cache is hundreds of tokens; every group of layers takes whole pages
    (vLLM's hybrid KV-cache manager, 0.11 on).
    """
    linear, full = _layers(llm, "linear"), _layers(llm, "full")
    if not linear or not full or not llm.kv_elements_full or not llm.state_bytes_per_sequence:
        return None
    state = llm.state_bytes_per_sequence / linear / np.asarray(tp, dtype=np.float64)
    token = llm.kv_elements_full / full * np.asarray(bytes_per_element) / np.asarray(shards, dtype=np.float64)
    page = np.ceil(state / token / BLOCK_TOKENS) * BLOCK_TOKENS
    pages = np.ceil(tokens / page) * full + np.ceil(linear / full) * full
    result: Array = pages * page * token / GIB
    return result


def sequence_gib(
    llm: LLM,
    context: Any,
    bytes_per_element: Any,
    shards: Any,
    tp: Any,
    *,
    full_window: bool = False,
    chunk: Any = 0.0,
    paged_state: bool = False,
) -> Array:
    """Cache of one sequence of `context` tokens on one GPU.

    Args:
        llm: whose layers keep all of the context, a window of it, or a state.
        context: tokens; bytes_per_element: of the cache; shards: GPUs that share a token's cache; tp: GPUs that share the state.
        full_window: sliding layers keep the whole context (llama.cpp before 2025-05, ik_llama.cpp).
        chunk: tokens a prefill step adds to the window; an engine admits a request only with room for them.
        paged_state: state and cache share pages (vLLM).
    """
    tokens = np.ceil(np.asarray(context, dtype=np.float64) / BLOCK_TOKENS) * BLOCK_TOKENS
    held = float(llm.sliding_window or 0) + np.where(np.asarray(chunk) > 0, chunk + BLOCK_TOKENS, 0.0)
    window = tokens if full_window or not llm.sliding_window else np.minimum(tokens, held)
    if paged_state and (pages := _state_pages(llm, tokens, bytes_per_element, shards, tp)) is not None:
        return pages
    sliding = llm.kv_elements_sliding * window * bytes_per_element / shards / GIB
    result: Array = (
        token_gib(llm, bytes_per_element, shards) * tokens
        + sliding
        + llm.state_bytes_per_sequence / np.asarray(tp, dtype=np.float64) / GIB
    )
    return result


def usable_gib(nominal: Any, measured: Any) -> Array:
    """Memory an engine can address: measured where known, else the usual share of the nominal size."""
    nominal = np.asarray(nominal, dtype=np.float64)
    measured = np.asarray(measured, dtype=np.float64)
    result: Array = np.where(np.isnan(measured), nominal * _USABLE_SHARE, measured)
    return result


@dataclass(frozen=True, slots=True)
class Cards:
    """Devices as a planner sees them; every field a number or an array."""

    nominal: Any
    """Memory in GiB as sold."""
    usable: Any = np.nan
    """What an engine gets of it, NaN where nobody measured."""
    amd: Any = False
    """ROCm keeps more for itself."""
    small_chunk: Any = False
    """Profiles small steps although it is large (A100)."""

    @property
    def large(self) -> NDArray[np.bool_]:
        """Whether vLLM takes its larger defaults."""
        size = np.asarray(self.nominal, dtype=np.float64)
        result: NDArray[np.bool_] = (size >= _LARGE_FROM_GIB) & ~np.asarray(self.small_chunk, dtype=bool)
        return result

    @property
    def chunk_tokens(self) -> Array:
        """Prompt tokens of a prefill step by default."""
        result: Array = np.where(self.large, CHUNK_LARGE, CHUNK_SMALL).astype(np.float64)
        return result


def prefill_bytes(llm: LLM, tp: Any = 1.0) -> Any:
    """Activations of one token of a prompt step on one GPU: gate, up and their product of one layer, three times the hidden state.

    The 110,592 bytes of Llama-3.1-8B reproduce the 0.06, 2.07 and 2.99 GiB logged at 512, 20,000 and 29,000 tokens.
    """
    ffn = llm.ffn or (llm.moe.moe_ffn * llm.moe.experts_per_token if llm.moe else 0)
    return 3 * SIXTEEN * (ffn / tp + llm.hidden)


def activation_gib(llm: LLM, cards: Cards, planner: Planner = DEFAULT, tp: Any = 1) -> Array:
    """Peak of one profiling step on one GPU: the larger of sampling a full batch and prefilling a chunk.

    Sampling: sequences x vocabulary x bytes a logit, hidden state and residual of the chunk still held. Prefill: `prefill_bytes`.
    """
    tp = np.asarray(tp, dtype=np.float64)
    tokens = planner.step_tokens or (CHUNK_LARGE if planner.unchunked_to else cards.chunk_tokens)
    prefill = tokens * prefill_bytes(llm, tp)
    vision = has_vision(llm)
    small = planner.logit_bytes if planner.logit_bytes_small is None else planner.logit_bytes_small
    logit = np.where(cards.large, planner.logit_bytes, small)
    if vision:
        logit = np.minimum(logit, planner.logit_bytes_vision)
    sequences = np.where(cards.large, SEQUENCES_LARGE, SEQUENCES_SMALL)
    sampling = sequences * llm.vocab * logit + 2 * SIXTEEN * llm.hidden * tokens
    if planner.workspace and llm.moe is not None:
        width = llm.moe.moe_ffn / tp
        routed = tokens * llm.moe.experts_per_token * SIXTEEN
        sampling = sampling + routed * (np.maximum(2 * width, llm.hidden) + np.maximum(width, llm.hidden))
    peak = np.where(logit > 0, np.maximum(sampling, prefill), prefill)
    found: Array = peak / GIB + ACTIVATION_FLOOR_GIB + (VISION_EMBEDDING_GIB if vision else 0.0)
    return np.maximum(found, _NATIVE_VISION_GIB) if llm.family in _NATIVE_VISION else found


def non_torch_gib(cards: Cards, planner: Planner, tp: Any) -> Array:
    """Driver, NCCL and ROCm memory of one GPU."""
    alone, several, wide = planner.non_torch_gib
    amd = np.asarray(cards.amd, dtype=bool)
    group = np.asarray(tp, dtype=np.float64)
    shared = np.where(cards.large & ~amd, wide, several) + _RANK_SPREAD_GIB * np.log2(np.maximum(group, 1.0))
    result: Array = np.where(group > 1, shared, alone) + np.where(amd, _ROCM_NON_TORCH_GIB, 0.0)
    return result


def graph_gib(llm: LLM, cards: Cards, planner: Planner) -> Array:
    """CUDA graphs that come out of the KV pool (vLLM from 0.21 on)."""
    layer = np.where(cards.large, _GRAPH_GIB_PER_LAYER[1], _GRAPH_GIB_PER_LAYER[0])
    result: Array = np.minimum(layer * llm.layers, _GRAPH_MOST_GIB) * planner.graphs_inside
    return result


def _sglang_static_gib(usable: Array, nominal: Any, tp: Any) -> Array:
    """SGLang's share for weights and cache: the card less a reserve by its size."""
    sizes, groups = np.broadcast_arrays(np.asarray(nominal, dtype=np.float64), np.asarray(tp, dtype=np.float64))
    kept = [sglang_reserve_gib(n, t) for n, t in zip(sizes.ravel().tolist(), groups.ravel().tolist(), strict=True)]
    result: Array = usable - np.reshape(kept, sizes.shape)
    return result


def pool_gib(
    llm: LLM, weights_gib: Any, cards: Cards, tp: Any, planner: Planner = DEFAULT, utilization: Any = None
) -> Array:
    """KV pool of one GPU under a serving engine of one version.

    vLLM: usable x utilisation - weights - activation peak - driver memory (- CUDA graphs). SGLang: what its reserve by card size leaves.
    TensorRT-LLM and Gaudi: a share of what is free after loading and a trial step.

    Args:
        llm: decides the activation peak.
        weights_gib: weights on one GPU.
        cards: the GPUs.
        tp: GPUs of the tensor-parallel group.
        planner: engine and version (`engine_limits.planner_of`).
        utilization: the engine's share of memory (0..1); None takes the engine's default.

    Returns:
        GiB, negative where the weights alone do not fit.
    """
    usable = usable_gib(cards.nominal, cards.usable)
    share = planner.utilization if utilization is None else utilization
    result: Array
    if planner.kind == "sglang":
        static = _sglang_static_gib(usable, cards.nominal, tp) if utilization is None else usable * share
        result = static * (_SGLANG_VISION if has_vision(llm) else 1.0) - weights_gib
        return result
    taken = weights_gib + activation_gib(llm, cards, planner, tp) + non_torch_gib(cards, planner, tp)
    if planner.kind == "vllm":
        result = usable * share - taken - graph_gib(llm, cards, planner)
        return result
    free = usable - taken
    kept = _HABANA_GRAPHS if planner.kind == "habana" else 0.0
    result = np.where(free > 0, free * share * (1 - kept), free)
    return result


def fitted_room_gib(weights_gib: Any, nominal: Any) -> Array:
    """KV pool by the rule the speed constants were fitted with: (0.955 x nominal x 0.92 - 3 GB) - weights, one GPU.

    A benchmark that was published did run: where the planner above leaves less, this room stands in for it.
    """
    result: Array = 0.955 * np.asarray(nominal, dtype=np.float64) * 0.92 - 3 * GB / GIB - weights_gib
    return result
