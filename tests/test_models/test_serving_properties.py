"""What physics says of a serving engine on GPUs, on random chips, models and loads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models import catalog
from models.bound import PARTS, merged, step_breakdown
from models.build import attention_bytes, gpu_case
from models.constants import constants
from models.devices import device_of, link_of
from models.errors import known
from models.gpu_speed import COMPUTE, ENGINES, GpuSpeed
from models.quantize import compute_class, weight_bytes
from models.shape import shape_of

CHIPS = st.sampled_from(["H100-80GB-SXM5", "A100-80GB-SXM4", "L4", "L40S", "B200-180GB-SXM", "MI300X", "RTX-4090"])
MODELS = st.sampled_from(
    ["Llama-3.1-8B", "Llama-3.1-70B", "Qwen3-30B-A3B", "DeepSeek-V3", "gpt-oss-120b", "Qwen3-Next-80B-A3B"]
)
ENGINE = st.sampled_from(["vllm_2026", "vllm_new", "sglang", "trt_new"])
LENGTH = st.integers(16, 60_000)
STREAMS = st.integers(1, 512)


def _speed(model: str, chip: str, engine: str, prompt: float, output: float, **changes: Any) -> GpuSpeed:
    """One case; `quant`, `gpus`, and any field of the case by name, as a factor on it."""
    llm, card = catalog.llm(model), catalog.chip(chip)
    quant = catalog.quant(changes.pop("quant", "fp8" if card.compute_capability != 8.0 else "bf16"))
    link, link_class, _ = link_of(card)
    case = gpu_case(
        shape_of(llm),
        weight_bytes_each=quant.bytes_per_weight,
        attention_bytes_each=attention_bytes(llm, quant),
        compute=COMPUTE.index(compute_class(quant, card)),
        kv_bytes=2.0,
        devices=[known(device_of(card))],
        link=link,
        link_class=link_class,
        gpus=float(changes.pop("gpus", 1)),
        data_parallel=False,
        engine=ENGINES.index(engine),
        input_tokens=float(prompt),
        output_tokens=float(output),
    )
    for name, factor in changes.items():
        setattr(case, name, getattr(case, name) * factor)
    return GpuSpeed(case, constants().gpu)


def _not_slower(new: GpuSpeed, old: GpuSpeed, n: int, slack: float = 1e-9) -> None:
    assert (new.step(n) <= old.step(n) * (1 + slack)).all()
    assert (new.prefill() <= old.prefill() * (1 + slack)).all()
    assert (new.tpot(n) <= old.tpot(n) * (1 + slack)).all()
    assert (new.ttft_closed(n) <= old.ttft_closed(n) * (1 + slack)).all()


@settings(max_examples=60, deadline=None)
@given(MODELS, CHIPS, ENGINE, LENGTH, STREAMS, st.floats(1.0, 4.0))
def test_more_compute_is_never_slower(model: str, chip: str, engine: str, s: int, n: int, factor: float) -> None:
    """Step, prompt, TPOT and TTFT."""
    fast = _speed(model, chip, engine, s, 200, peak_16bit=factor, peak_compute=factor)
    _not_slower(fast, _speed(model, chip, engine, s, 200), n)


@settings(max_examples=60, deadline=None)
@given(MODELS, CHIPS, ENGINE, LENGTH, STREAMS, st.floats(1.0, 4.0))
def test_more_bandwidth_is_never_slower(model: str, chip: str, engine: str, s: int, n: int, factor: float) -> None:
    """Step and prompt alone, and TPOT with the prompts of others."""
    _not_slower(_speed(model, chip, engine, s, 200, bandwidth=factor), _speed(model, chip, engine, s, 200), n)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(["Llama-3.1-8B", "Llama-3.1-70B", "DeepSeek-V3"]), LENGTH, STREAMS, st.sampled_from([1, 2, 4]))
def test_more_nvlinked_gpus_are_not_slower(model: str, s: int, n: int, gpus: int) -> None:
    """Twice the cards of a large model over NVLink: step and prompt."""
    wide, narrow = (_speed(model, "H100-80GB-SXM5", "vllm_2026", s, 200, gpus=g) for g in (2 * gpus, gpus))
    # From one card to two the all-reduces come in: they cost less than half of an 8B model's reads.
    assert wide.step(n) <= narrow.step(n) * 1.001
    assert wide.prefill() <= narrow.prefill() * 1.001


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(["Llama-3.1-8B", "Llama-3.1-70B"]), CHIPS, ENGINE, LENGTH)
def test_fewer_bits_are_never_slower_for_one_stream(model: str, chip: str, engine: str, s: int) -> None:
    """One stream reads weights: half the bytes are less time, whatever the kernels."""
    steps = [float(_speed(model, chip, engine, s, 200, quant=quant).step(1).item()) for quant in ("awq", "fp8", "bf16")]
    assert steps[0] <= steps[1] * 1.1
    assert steps[1] <= steps[2]


@settings(max_examples=60, deadline=None)
@given(MODELS, CHIPS, ENGINE, LENGTH, STREAMS)
def test_time_grows_with_streams_and_context(model: str, chip: str, engine: str, s: int, n: int) -> None:
    """TPOT and TTFT in streams, prompt and output."""
    here = _speed(model, chip, engine, s, 200)
    longer = _speed(model, chip, engine, s * 1.5, 200)
    assert here.tpot(n) <= here.tpot(n + 1) * (1 + 1e-9)
    assert here.ttft_closed(n) <= here.ttft_closed(n + 1) * (1 + 1e-9)
    assert here.ttft_steady(n, 0.3) <= here.ttft_steady(n, 0.6)
    assert here.step(n) <= longer.step(n) * (1 + 1e-9)
    assert here.ttft_closed(n) < longer.ttft_closed(n)


@settings(max_examples=60, deadline=None)
@given(MODELS, CHIPS, ENGINE, LENGTH, STREAMS)
def test_nothing_exceeds_the_roofline(model: str, chip: str, engine: str, s: int, n: int) -> None:
    """A step reads its weights and cache at no more than the specified bandwidth, and multiplies at no more than the peak."""
    speed = _speed(model, chip, engine, s, 200, quant="bf16")
    llm, device = catalog.llm(model), known(device_of(catalog.chip(chip)))
    shape = shape_of(llm)
    total = weight_bytes(llm, catalog.quant("bf16")).total
    if not shape.is_moe:
        floor = (total - 2 * shape.embedding) / device.bandwidth
        # A tower for images is loaded and not read.
        assert speed.step(n) > 0.95 * floor
    assert speed.step(n) * device.peak_16bit > 2 * n * shape.active * 0.95
    assert speed.prefill() * device.peak_16bit > 2 * s * (shape.active - shape.head) * 0.95


@settings(max_examples=60, deadline=None)
@given(MODELS, CHIPS, ENGINE, LENGTH, STREAMS)
def test_the_parts_of_a_step_sum_to_it(model: str, chip: str, engine: str, s: int, n: int) -> None:
    """Weights, experts, cache, compute, links, overhead and the prompts of others: none negative, TPOT together."""
    speed = _speed(model, chip, engine, s, 200, gpus=2)
    parts = step_breakdown(speed, float(n))
    assert parts.shape[0] == len(PARTS)
    assert (parts >= -1e-12).all()
    assert parts.sum(axis=0) == pytest.approx(speed.tpot(n), rel=1e-9)
    assert merged(parts).sum(axis=0) == pytest.approx(parts.sum(axis=0), rel=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(MODELS, CHIPS, LENGTH, STREAMS), min_size=2, max_size=5))
def test_an_array_answers_like_its_cases(rows: list[tuple[str, str, int, int]]) -> None:
    """Many cases at once give what each gives alone."""
    shapes = [shape_of(catalog.llm(model)) for model, _, _, _ in rows]
    cards = [catalog.chip(chip) for _, chip, _, _ in rows]
    links = [link_of(card) for card in cards]
    many = GpuSpeed(
        gpu_case(
            shapes,
            weight_bytes_each=np.full(len(rows), 2.0),
            attention_bytes_each=np.full(len(rows), 2.0),
            compute=[0] * len(rows),
            kv_bytes=np.full(len(rows), 2.0),
            devices=[known(device_of(card)) for card in cards],
            link=np.array([link[0] for link in links]),
            link_class=np.array([link[1] for link in links]),
            gpus=np.full(len(rows), 2.0),
            data_parallel=np.zeros(len(rows), dtype=bool),
            engine=np.zeros(len(rows), dtype=np.intp),
            input_tokens=np.array([float(s) for _, _, s, _ in rows]),
            output_tokens=np.full(len(rows), 200.0),
        ),
        constants().gpu,
    )
    n = np.array([float(streams) for _, _, _, streams in rows])
    for i, (model, chip, s, streams) in enumerate(rows):
        one = _speed(model, chip, "vllm_new", s, 200, quant="bf16", gpus=2)
        assert many.tpot(n)[i] == pytest.approx(one.tpot(streams).item(), rel=1e-12)
        assert many.ttft_closed(n)[i] == pytest.approx(one.ttft_closed(streams).item(), rel=1e-12)
