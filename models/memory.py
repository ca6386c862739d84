"""Does it fit: weights, KV cache and what the engine itself takes, against the memory an engine really gets.

All functions take and return arrays (or numbers) and broadcast; sizes are GiB unless the name says otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from models.llm import LLM

Array = NDArray[np.float64]
GIB = 2.0**30
GB = 1e9

LARGE_CARD_GIB = 48.0
"""From here on the engine's activation peak is modelled; below, logged pools follow a flat reserve."""
_USABLE_SHARE = 0.985
"""Usable of nominal where nobody measured it: the median of the ten cards that were (0.95-0.99)."""
_SMALL_CARD_SHARE = 0.98
_SMALL_CARD_RESERVE_GB = {"nvidia": 0.6, "amd": 2.7}
"""Pools logged by vLLM on 24-32 GB cards = 0.98 x nominal x utilisation - 0.6 GB (NVIDIA) or - 2.7 GB (ROCm); logs of 2025-26."""
ACTIVATION_DENSE_GIB = 4.84
ACTIVATION_MOE_GIB = 7.38
ACTIVATION_VISION_GIB = 2.12
"""Peak of one 8,192-token prefill step on an H100: Llama-3.3-70B 4.84, gpt-oss 7.38, Mistral-Small-3.2 (vision) 2.12 GiB
(llm-d planner logs, 2026-01..04). Older releases logged 0.2-1.6: a pool can be that much larger."""
ACTIVATION_VISION_SMALL_GIB = 2.51
"""The same on smaller cards, their image encoder's profile included: Qwen2.5-VL-72B on 40 GB cards (vLLM issue 16570, 2025-04)."""
ACTIVATION_FLOOR_GIB = 0.3
NON_TORCH_GIB = (0.13, 0.55)
"""Driver and NCCL memory of one GPU, alone and with tensor parallelism."""
CHUNK_LARGE, CHUNK_SMALL = 8192, 2048
"""Prompt tokens of a prefill step: vLLM's defaults on cards from 70 GiB that are not an A100, and on all others. An A100 logged
1.1 GiB for gpt-oss-20b where an H100 logged 7.4 (2026-01 and 2026-04)."""
_CHUNK_LARGE_FROM_GIB = 70.0
BLOCK_TOKENS = 16
"""KV caches are handed out in blocks of this many tokens (vLLM)."""
GGUF_COMPUTE_GIB = 0.8
"""llama.cpp's compute buffer and CUDA context of one GPU at 512-token batches (logged 0.17-2.2 GiB)."""
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


def sequence_gib(
    llm: LLM, context: Any, bytes_per_element: Any, shards: Any, tp: Any, *, full_window: bool = False
) -> Array:
    """Cache of one sequence of `context` tokens on one GPU; llama.cpp gives sliding layers the whole context (`full_window`)."""
    tokens = np.ceil(np.asarray(context, dtype=np.float64) / BLOCK_TOKENS) * BLOCK_TOKENS
    window = tokens if full_window or not llm.sliding_window else np.minimum(tokens, float(llm.sliding_window))
    cache = (llm.kv_elements_full * tokens + llm.kv_elements_sliding * window) * bytes_per_element / shards
    result: Array = (cache + llm.state_bytes_per_sequence / np.asarray(tp, dtype=np.float64)) / GIB
    return result


def usable_gib(nominal: Any, measured: Any) -> Array:
    """Memory an engine can address: measured where known, else the usual share of the nominal size."""
    nominal = np.asarray(nominal, dtype=np.float64)
    measured = np.asarray(measured, dtype=np.float64)
    result: Array = np.where(np.isnan(measured), nominal * _USABLE_SHARE, measured)
    return result


def activation_gib(llm: LLM, nominal: Any, small_chunk: Any = False) -> Array:
    """Activation peak of one prefill step on large cards; it follows the tokens of the step, not the model's maximum."""
    base = ACTIVATION_VISION_GIB if has_vision(llm) else ACTIVATION_MOE_GIB if llm.moe else ACTIVATION_DENSE_GIB
    large = (np.asarray(nominal, dtype=np.float64) >= _CHUNK_LARGE_FROM_GIB) & ~np.asarray(small_chunk, dtype=bool)
    chunk = np.where(large, CHUNK_LARGE, CHUNK_SMALL)
    result: Array = np.maximum(base * chunk / CHUNK_LARGE, ACTIVATION_FLOOR_GIB)
    return result


def kv_pool_gib(
    llm: LLM,
    weights_gib: Any,
    nominal: Any,
    measured_usable: Any,
    tp: Any,
    utilization: Any,
    *,
    amd: Any = False,
    small_chunk: Any = False,
) -> Array:
    """KV pool of one GPU under a serving engine: usable x utilisation - weights - activation peak - driver memory.

    Args:
        llm: decides the activation peak (dense, MoE, vision).
        weights_gib: weights on one GPU.
        nominal: card memory; `measured_usable`: what an engine gets of it, NaN where nobody measured.
        tp: GPUs of the tensor-parallel group; utilization: the engine's share of memory (0..1).
        amd: ROCm keeps more for itself on small cards.
        small_chunk: the card prefills in small chunks although it is large (A100).

    Returns:
        GiB, negative where the weights alone do not fit.
    """
    nominal = np.asarray(nominal, dtype=np.float64)
    non_torch = np.where(np.asarray(tp) > 1, NON_TORCH_GIB[1], NON_TORCH_GIB[0])
    large = (
        usable_gib(nominal, measured_usable) * utilization
        - weights_gib
        - activation_gib(llm, nominal, small_chunk)
        - non_torch
    )
    reserve = np.where(amd, _SMALL_CARD_RESERVE_GB["amd"], _SMALL_CARD_RESERVE_GB["nvidia"]) * GB / GIB
    vision = ACTIVATION_VISION_SMALL_GIB if has_vision(llm) else 0.0
    small = _SMALL_CARD_SHARE * nominal * utilization - reserve - weights_gib - vision
    result: Array = np.where(nominal >= LARGE_CARD_GIB, large, small)
    return result


def fitted_room_gib(weights_gib: Any, nominal: Any) -> Array:
    """KV pool by the rule the speed constants were fitted with: (0.955 x nominal x 0.92 - 3 GB) - weights, one GPU.

    A benchmark that was published did run: where the planner above leaves less, this room stands in for it.
    """
    result: Array = 0.955 * np.asarray(nominal, dtype=np.float64) * 0.92 - 3 * GB / GIB - weights_gib
    return result
