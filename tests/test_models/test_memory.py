"""Fit and KV cache: public questions whose right answer was logged (the case numbers are ours)."""

from __future__ import annotations

import numpy as np
import pytest

from models import catalog, memory
from models.memory import GIB
from models.quantize import weight_bytes


def _pool(
    model: str, quant: str, tp: int, nominal: float, usable: float, utilization: float, *, small_chunk: bool = False
) -> float:
    llm = catalog.llm(model)
    weights = weight_bytes(llm, catalog.quant(quant)).total / GIB
    cards = memory.Cards(nominal, usable, False, small_chunk)
    return float(memory.pool_gib(llm, weights / tp, cards, tp, utilization=utilization))


def _context(model: str, pool: float, kv_bytes: float = 2.0) -> float:
    return pool * GIB / (catalog.llm(model).kv_elements_full * kv_bytes)


def test_n04_a_70b_in_fp8_does_not_fit_one_h100_at_16k() -> None:
    """The planner that forgot activations passed it; it failed. Room for about 8.3k tokens."""
    pool = _pool("Llama-3.3-70B", "fp8", 1, 80, 79.18, 0.95)
    assert _context("Llama-3.3-70B", pool) < 16_000
    assert _context("Llama-3.3-70B", pool) == pytest.approx(8_300, rel=0.15)


def test_n05_gpt_oss_pools() -> None:
    """20b leaves 50.3 GiB on an H100; 120b fits tightly at 0.95 and not at 0.90."""
    assert _pool("gpt-oss-20b", "mxfp4", 1, 80, 79.18, 0.90) == pytest.approx(50.28, abs=1)
    assert _pool("gpt-oss-120b", "mxfp4", 1, 80, 79.18, 0.95) == pytest.approx(3.33, abs=1)
    assert _pool("gpt-oss-120b", "mxfp4", 1, 80, 79.18, 0.90) < 1


def test_n06_mistral_small_pool_and_concurrency() -> None:
    """163,840 bytes a token exactly; 11.55 sequences of 16,000 tokens."""
    model = catalog.llm("Mistral-Small-3.2-24B")
    assert memory.kv_bytes_per_token(model) == 163_840
    pool = _pool("Mistral-Small-3.2-24B", "bf16", 1, 80, 79.18, 0.95)
    assert pool * GIB / 163_840 / 16_000 == pytest.approx(11.55, rel=0.06)


@pytest.mark.parametrize(
    ("model", "kv", "expected"),
    [("Llama-3.1-8B", 2.0, 131_072), ("Qwen3-30B-A3B", 1.0, 49_152), ("Qwen2.5-7B", 2.0, 57_344)],
)
def test_n07_n09_n12_cache_bytes_are_exact(model: str, kv: float, expected: int) -> None:
    """KV heads and the config's own head size, not hidden size over heads."""
    assert memory.kv_bytes_per_token(catalog.llm(model), kv) == expected


def test_n07_blocks() -> None:
    """3.8125 GiB hold 31,232 tokens of Llama-3.1-8B; a 24 GB card holds it in 16 bits with 20,000 tokens."""
    assert 3.8125 * GIB / 131_072 == 31_232
    assert _context("Llama-3.1-8B", _pool("Llama-3.1-8B", "fp16", 1, 24, 23.58, 0.90)) > 45_000


def test_n10_a_72b_vision_model_does_not_fit_four_40_gb_cards() -> None:
    """160 GB in total is more than its 137 GiB, and still no."""
    assert _pool("Qwen2.5-VL-72B", "bf16", 4, 40, 39.38, 0.95, small_chunk=True) < 0


def test_n11_cache_of_a_405b_on_eight_gpus() -> None:
    """64,512 bytes a token on each GPU."""
    model = catalog.llm("Llama-3.1-405B")
    shards = float(memory.kv_shards(model.kv_heads, False, 8))
    assert memory.kv_bytes_per_token(model) / shards == 64_512


def test_n18_a_9b_at_8k_context_fits_8_gb() -> None:
    """Fit is judged at the context that is asked for, not at the model's maximum."""
    model = catalog.llm("Qwen3.5-9B")
    weights = weight_bytes(model, catalog.quant("q4_k_m")).total / GIB
    cache = float(memory.sequence_gib(model, 8192, 2.0, 1, 1, full_window=True))
    assert weights + cache + memory.GGUF_COMPUTE_GIB < 8 * 0.985


def test_n61_a_70b_in_16_bits() -> None:
    """Not on one H100; on two A100 80 GB only just, at 0.95."""
    assert _pool("Llama-3.3-70B", "bf16", 1, 80, 79.18, 0.90) < 0
    assert _pool("Llama-3.3-70B", "bf16", 2, 80, 79.2, 0.90) < 0.5
    pool = _pool("Llama-3.3-70B", "bf16", 2, 80, 79.2, 0.95)
    assert pool > 0
    assert 2 * _context("Llama-3.3-70B", pool) == pytest.approx(27_000, rel=0.05)


@pytest.mark.parametrize(
    ("heads", "kv_heads", "valid"),
    [(52, 52, {1, 2, 4}), (40, 40, {1, 2, 4, 8}), (40, 8, {1, 2, 4, 8}), (28, 4, {1, 2, 4}), (64, 8, {1, 2, 4, 8})],
)
def test_n20_valid_tensor_parallelism(heads: int, kv_heads: int, valid: set[int]) -> None:
    """Of 1 to 8 GPUs: three and six are never right here."""
    found = {tp for tp in range(1, 9) if memory.valid_tp(heads, kv_heads, 128_256, tp)}
    assert found - {5} == valid
    assert not found & {3, 6, 7}


def test_mla_cache_is_not_divided() -> None:
    """N63: DeepSeek's latent is whole on every GPU; with attention split by sequences the room multiplies."""
    assert float(memory.kv_shards(128, True, 8)) == 1
    assert float(memory.kv_shards(128, True, 8, data_parallel=True)) == 8
    assert float(memory.kv_shards(8, False, 16)) == 8


def test_sliding_layers_count_their_window() -> None:
    """Gemma 3 at 32k: most layers keep 1,024 tokens, in llama.cpp all of them."""
    model = catalog.llm("Gemma-3-27B")
    windowed = float(memory.sequence_gib(model, 32_768, 2.0, 1, 1))
    full = float(memory.sequence_gib(model, 32_768, 2.0, 1, 1, full_window=True))
    assert windowed == pytest.approx((model.kv_elements_full * 32_768 + model.kv_elements_sliding * 1_024) * 2 / GIB)
    assert full > 4 * windowed


def test_recurrent_state_is_constant() -> None:
    """N22: a hybrid's sequence is a constant plus a slope."""
    model = catalog.llm("Qwen3.5-27B")
    sizes = memory.sequence_gib(model, np.array([1_600.0, 3_200.0, 4_800.0]), 2.0, 1, 1)
    assert sizes[2] - sizes[1] == pytest.approx(sizes[1] - sizes[0])
    assert sizes[0] - (sizes[1] - sizes[0]) == pytest.approx(model.state_bytes_per_sequence / GIB)


def test_small_rocm_cards_keep_more_for_themselves() -> None:
    """2.7 GB against 0.6 on cards below 48 GiB."""
    model = catalog.llm("Llama-3.1-8B")
    nvidia, amd = (
        float(memory.pool_gib(model, 5.0, memory.Cards(32, np.nan, rocm, False), 1, utilization=0.92))
        for rocm in (False, True)
    )
    assert nvidia - amd == pytest.approx(2.1e9 / GIB)
