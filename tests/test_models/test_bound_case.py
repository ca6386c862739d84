"""Chips without a measured engine: memory is answered, times are limits and say so."""

from __future__ import annotations

import pytest

from models.bound_case import bound_columns
from models.case_input import parse_case


def _bound(hardware: str, **cells: str) -> dict[str, object]:
    row = {"model": "Llama-3.1-8B", "quant": "bf16", "engine": "vLLM", "input_tokens": "1024", "output_tokens": "128"}
    case = parse_case({**row, "hardware": hardware, **cells})
    assert not case.error
    return bound_columns(case)


def test_times_are_reads_and_operations_of_the_sheet() -> None:
    """Inferentia 2: 820 GB/s and 190 TFLOPS; 7.5 B weights are read for a token and multiplied for a prompt."""
    found = _bound("Inferentia2")
    assert found["fits"] is True
    assert found["tpot_ms"] == pytest.approx(7.505e9 * 2 / 820e9 * 1e3, rel=0.02)
    assert found["ttft_ms"] == pytest.approx(2 * 7.505e9 * 1024 / 190e12 * 1e3, rel=0.02)
    assert found["basis"] == "bound"
    assert "lower bounds" in str(found["error"])


def test_what_the_catalog_lacks_is_named() -> None:
    """Nobody agrees on an Ascend 910B's bandwidth: memory and prompts are answered, tokens are not."""
    found = _bound("Ascend 64GB NPU")
    assert found["tpot_ms"] is None
    assert found["ttft_ms"] is not None
    assert str(found["error"]).endswith("the catalog has no memory bandwidth of this chip")


def test_a_model_too_large_does_not_fit() -> None:
    """Sixteen GB do not hold an 8B in 16 bits and its cache."""
    assert _bound("TPU-v5e")["fits"] is False
    assert _bound("TPU-v5e", count="4", tp="4")["fits"] is True


def test_start_up_cases_have_memory_alone() -> None:
    """As everywhere."""
    assert _bound("Trainium2", scenario="startup")["tpot_ms"] is None
