"""Weights in memory against real checkpoints: file sizes and what engines logged when they loaded them."""

from __future__ import annotations

import csv
from pathlib import Path
from statistics import median

import pytest

from models import catalog
from models.memory import GIB
from models.quantize import format_for, weight_bytes
from models.shape import shape_of

with (Path(__file__).parent / "data" / "checkpoint_sizes.csv").open(encoding="utf-8", newline="") as file:
    CHECKPOINTS = list(csv.DictReader(file))


def _error(row: dict[str, str]) -> float:
    ours = weight_bytes(catalog.llm(row["model"]), catalog.quant(row["quant"])).total
    return abs(ours / float(row["bytes"]) - 1)


@pytest.mark.parametrize(
    "row", CHECKPOINTS, ids=[f"{place}-{row['model']}-{row['quant']}" for place, row in enumerate(CHECKPOINTS)]
)
def test_a_real_checkpoint_within_three_percent(row: dict[str, str]) -> None:
    """Every measured file or load."""
    assert _error(row) < 0.03


def test_the_median_checkpoint_within_one_percent() -> None:
    """And typically much closer."""
    assert len(CHECKPOINTS) >= 60
    assert median(_error(row) for row in CHECKPOINTS) < 0.01


@pytest.mark.parametrize(
    ("model", "quant", "gib"),
    [
        ("gpt-oss-20b", "mxfp4", 13.47),
        ("gpt-oss-120b", "mxfp4", 64.38),
        ("Mistral-Small-3.2-24B", "bf16", 44.76),
        ("Llama-3.1-8B", "fp16", 14.9888),
    ],
)
def test_weights_that_vllm_logged(model: str, quant: str, gib: float) -> None:
    """N05-N07: within 1 %."""
    assert weight_bytes(catalog.llm(model), catalog.quant(quant)).total / GIB == pytest.approx(gib, rel=0.01)


def test_moe_memory_counts_all_parameters() -> None:
    """N17: a 122B mixture of experts at 4 bits takes 73 GB, not its active 10B's worth; DeepSeek-V3 about 390."""
    assert weight_bytes(catalog.llm("Qwen3.5-122B-A10B"), catalog.quant("q4_k_m")).total / 1e9 == pytest.approx(
        72.6, rel=0.04
    )
    assert weight_bytes(catalog.llm("DeepSeek-V3"), catalog.quant("q4_k_m")).total / 1e9 == pytest.approx(390, rel=0.06)


def test_an_encoder_is_small_and_has_no_cache() -> None:
    """N19: bge-reranker-v2-m3 loads in about 1.07 GiB."""
    model = catalog.llm("bge-reranker-v2-m3")
    assert weight_bytes(model, catalog.quant("fp16")).total / GIB < 2
    assert model.kv_elements_full == model.kv_elements_sliding == 0


def test_shapes_add_up_to_published_parameters() -> None:
    """Layer by layer sums meet the published totals, encoders with their type and position tables within 2 %."""
    for model in catalog.llms():
        if model.name == "Gemma-3n-E4B":  # its per-layer embeddings stay in CPU memory and are no part of the sums
            continue
        shape = shape_of(model)
        computed = (
            shape.attention
            + shape.attention_replicated
            + shape.dense
            + shape.shared
            + shape.router
            + shape.head
            + shape.embedding
            + shape.routed
        )
        assert computed == pytest.approx(model.params_total - model.params_extra, rel=0.02), model.name


def test_a_class_means_each_chips_native_format() -> None:
    """4bit is nvfp4 on a B200, awq on an A100, q4_k_m in llama.cpp; gpt-oss stays mxfp4."""
    llama, oss = catalog.llm("Llama-3.1-8B"), catalog.llm("gpt-oss-20b")
    assert format_for(llama, "4bit", catalog.chip("B200"), gguf=False) == "nvfp4"
    assert format_for(llama, "4bit", catalog.chip("A100-80GB-SXM4"), gguf=False) == "awq"
    assert format_for(llama, "8bit", catalog.chip("L4"), gguf=False) == "fp8"
    assert format_for(llama, "8bit", catalog.chip("A10G"), gguf=False) == "int8"
    assert format_for(llama, "16bit", catalog.chip("T4"), gguf=False) == "fp16"
    assert format_for(llama, "4bit", None, gguf=True) == "q4_k_m"
    assert format_for(oss, "4bit", catalog.chip("A100-80GB-SXM4"), gguf=False) == "mxfp4"
    assert format_for(llama, "q6_k", None, gguf=True) == "q6_k"
