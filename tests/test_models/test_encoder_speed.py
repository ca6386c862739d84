"""Embedding and reranking throughput: published figures within the band, and what must hold for any case."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models import catalog
from models.devices import device_of
from models.encoder_speed import BASIS, EncoderCase, EncoderSpeed, cpu_peak, encoder_case
from models.errors import known

FEW = settings(max_examples=80, deadline=None, derandomize=True)
cases = st.builds(
    EncoderCase,
    weights=st.floats(1e6, 1e9),
    layers=st.integers(1, 48),
    query=st.floats(1e3, 1e5),
    weight_bytes=st.sampled_from([1.0, 2.0, 4.0]),
    tokens=st.floats(1, 8192),
    documents=st.integers(1, 256),
    peak=st.floats(1e11, 1e15),
    bandwidth=st.floats(1e10, 8e12),
    cpu=st.booleans(),
    copies=st.integers(1, 8),
)
RATES = ("documents_per_s", "tokens_per_s")


def on_chip(model: str, chip: str, **more: float) -> EncoderSpeed:
    """A model on one chip of the catalog."""
    device = known(device_of(catalog.chip(chip)))
    return EncoderSpeed(
        encoder_case(
            catalog.llm(model),
            peak=device.peak_16bit,
            bandwidth=device.bandwidth,
            tokens=more.pop("tokens", 449.0),
            documents=more.pop("documents", 256.0),
            **more,
        )
    )


@pytest.mark.parametrize(
    ("chip", "requests_per_s", "within"), [("L4", 0.54, 1.15), ("L4", 0.17, 4.0), ("MI210", 0.75, 1.15)]
)
def test_published_gpu_figures(chip: str, requests_per_s: float, within: float) -> None:
    """bge-large, requests of 256 sentences and 115,000 tokens (michaelfeil/infinity, 2024); the slowest engine is in the band."""
    speed = on_chip("bge-large-en-v1.5", chip)
    rate = float(speed.tokens_per_s()) / 115_000
    assert 1 / within < rate / requests_per_s < within
    assert speed.low < requests_per_s / rate < speed.high
    assert speed.basis == BASIS


def test_published_cpu_figure() -> None:
    """bge-small on eight Cascade Lake cores, ONNX in fp32: 0.08 requests/s."""
    case = encoder_case(
        catalog.llm("bge-small-en-v1.5"),
        tokens=449,
        documents=256,
        peak=cpu_peak(8, 3.0),
        bandwidth=60e9,
        cpu=True,
        weight_bytes=4.0,
    )
    assert float(EncoderSpeed(case).tokens_per_s()) / 115_000 == pytest.approx(0.08, rel=0.15)


@FEW
@given(cases, st.floats(1.0, 4.0), st.sampled_from(["peak", "bandwidth", "copies"]))
def test_more_hardware_is_never_slower(case: EncoderCase, factor: float, what: str) -> None:
    """More of anything leaves no rate lower."""
    more = EncoderSpeed(replace(case, **{what: getattr(case, what) * factor}))
    base = EncoderSpeed(case)
    for rate in RATES:
        assert getattr(more, rate)() >= getattr(base, rate)() * (1 - 1e-12)


@FEW
@given(cases, st.floats(1.01, 8.0))
def test_longer_documents_and_larger_models_take_longer(case: EncoderCase, factor: float) -> None:
    """Neither raises documents a second; both raise or keep the latency."""
    base = EncoderSpeed(case)
    for more in (replace(case, tokens=case.tokens * factor), replace(case, weights=case.weights * factor)):
        assert EncoderSpeed(more).documents_per_s() <= base.documents_per_s() * (1 + 1e-12)
        assert EncoderSpeed(more).latency_s() >= base.latency_s() * (1 - 1e-12)


@FEW
@given(cases)
def test_figures_are_finite_and_agree(case: EncoderCase) -> None:
    """Tokens are documents times length; a larger batch is never less efficient; hours invert the rate."""
    speed = EncoderSpeed(case)
    assert float(speed.tokens_per_s()) == pytest.approx(float(speed.documents_per_s()) * case.tokens)
    assert np.isfinite(speed.latency_s())
    larger = EncoderSpeed(replace(case, documents=case.documents * 2))
    assert larger.documents_per_s() >= speed.documents_per_s() * (1 - 1e-12)
    assert float(speed.hours(3600)) == pytest.approx(1 / float(speed.documents_per_s()))


@FEW
@given(st.lists(cases, min_size=1, max_size=5))
def test_an_array_answers_like_its_cases(some: list[EncoderCase]) -> None:
    """Each case of an array has the figure it has alone."""
    names = EncoderCase.__dataclass_fields__
    together = EncoderSpeed(EncoderCase(**{name: np.array([getattr(case, name) for case in some]) for name in names}))
    assert together.documents_per_s() == pytest.approx([float(EncoderSpeed(case).documents_per_s()) for case in some])


def test_small_requests_are_bound_by_the_host() -> None:
    """One query of thirty tokens on an H100: hundreds a second, not the hundred thousand of the arithmetic alone."""
    speed = on_chip("bge-base-en-v1.5", "H100-80GB-SXM5", tokens=30, documents=1)
    assert 100 < float(speed.documents_per_s()) < 1000
    assert float(speed.latency_s()) < 0.01


def test_documents_are_cut_at_the_context() -> None:
    """A model of 512 tokens computes no more than 512 of a longer document; bge-m3 takes 8,192."""
    assert on_chip("bge-large-en-v1.5", "L4", tokens=5000).tokens == 512
    assert on_chip("bge-m3", "L4", tokens=5000).tokens == 5000
