"""Speculative decoding: expected tokens, gains that were measured, and what must hold for any hardware."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.case_input import parse_case
from models.cases import sort_cases
from models.constants import constants
from models.speculative import ACCEPTANCE, BAND, DRAFT_COST, check_step, expected_tokens, gain, gain_of

LOADS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


def _speed(model: str, hardware: str, count: str = "1", quant: str = "fp8", engine: str = "vLLM") -> Any:
    row = {
        "model": model,
        "hardware": hardware,
        "count": count,
        "tp": count,
        "quant": quant,
        "engine": engine,
        "input_tokens": "1024",
        "output_tokens": "1024",
        "concurrency": "4",
    }
    case = parse_case(row)
    assert not case.error
    return sort_cases([case])[0].batch.speed(constants())


def _gain(speed: Any, n: float, method: str = "mtp", drafted: int = 3) -> float:
    return float(np.ravel(gain_of(speed, n, method, drafted).factor)[0])


def test_expected_tokens_by_hand() -> None:
    """(1 - a^(k+1)) / (1 - a); all drafts kept at a = 1, none at 0."""
    assert float(expected_tokens(0.5, 3)) == pytest.approx(1.875)
    assert float(expected_tokens(1.0, 4)) == 5.0
    assert float(expected_tokens(0.0, 4)) == 1.0
    assert expected_tokens([0.5, 1.0], 1).tolist() == [1.5, 2.0]


@given(st.floats(0, 1), st.floats(0, 1), st.integers(0, 16))
def test_more_acceptance_is_more_tokens(first: float, second: float, drafted: int) -> None:
    """Between one and all drafts and one, rising with the acceptance and with the draft."""
    low, high = sorted((first, second))
    few, many = float(expected_tokens(low, drafted)), float(expected_tokens(high, drafted))
    assert 1 - 1e-12 <= few <= many + 1e-9 <= drafted + 1 + 1e-6
    assert float(expected_tokens(low, drafted + 1)) >= few - 1e-12


@given(st.floats(1e-4, 1), st.floats(1, 20), st.floats(0, 1), st.integers(0, 8), st.floats(0, 0.5))
def test_a_gain_is_bounded(plain: float, longer: float, acceptance: float, drafted: int, cost: float) -> None:
    """At most the tokens kept; a longer check gains less; nothing drafted, nothing gained; the band holds the figure."""
    found = gain(plain, plain * longer, acceptance, drafted, cost)
    assert 0 < float(found.factor) <= float(found.tokens) + 1e-9
    assert float(found.factor) <= float(gain(plain, plain, acceptance, drafted, cost).factor) + 1e-9
    assert float(found.low) == pytest.approx(BAND[0] * float(found.factor))
    assert float(found.high) <= drafted + 1
    assert float(gain(plain, plain, acceptance, 0, cost).factor) == pytest.approx(1.0)


@pytest.mark.parametrize("model", ["DeepSeek-R1", "Qwen3-235B-A22B"])
def test_three_drafted_tokens_on_mi355x(model: str) -> None:
    """Measured 2.7x at 4 streams and 1.5x at 128: inside the band at both."""
    speed = _speed(model, "MI355X", "8")
    for streams, measured in ((4, 2.7), (128, 1.5)):
        found = gain_of(speed, streams, "mtp", 3)
        assert np.ravel(found.low)[0] <= measured <= np.ravel(found.high)[0]


def test_one_stream_of_llama_cpp() -> None:
    """Measured: median 1.79x over 32 pairs; one or two drafted tokens."""
    speed = _speed("Llama-3.1-8B", "RTX-3090", quant="q4_k_m", engine="llama.cpp")
    assert _gain(speed, 1, drafted=1) < 1.79 < _gain(speed, 1, drafted=2)


def test_eagle_at_one_stream() -> None:
    """Measured: 1.3 to 1.66x."""
    assert 1.3 <= _gain(_speed("Llama-3.1-70B", "H100-80GB-SXM", "4"), 1, "eagle") <= 1.7


@pytest.mark.parametrize("method", list(ACCEPTANCE))
@pytest.mark.parametrize(
    ("model", "hardware", "count"), [("Llama-3.1-70B", "H100-80GB-SXM", "4"), ("MiniMax-M2", "H200", "4")]
)
def test_the_gain_falls_with_the_batch(model: str, hardware: str, count: str, method: str) -> None:
    """Arithmetic of the checked positions costs more the more sequences run."""
    speed = _speed(model, hardware, count)
    gains = [_gain(speed, n, method) for n in LOADS]
    assert all(later <= earlier * 1.01 for earlier, later in pairwise(gains))
    assert gains[-1] < 0.8 * gains[0]


def test_a_check_is_never_shorter_than_a_step() -> None:
    """And a draft of nothing is a plain step."""
    speed = _speed("Llama-3.1-8B", "L40S")
    for n in LOADS:
        step = speed.step(float(n))
        assert (check_step(speed, n, 3) >= step).all()
        assert check_step(speed, n, 0) == pytest.approx(step)


def test_every_method_has_a_cost() -> None:
    """Acceptances are shares."""
    assert set(ACCEPTANCE) == set(DRAFT_COST)
    assert all(0 < each < 1 for each in ACCEPTANCE.values())
