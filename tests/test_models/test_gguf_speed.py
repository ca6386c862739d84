"""llama.cpp on GPUs: what must hold for any chip and file, and which of two chips must win for a kernel's reason."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models import catalog
from models.build import GgufModel, gguf_case
from models.constants import constants
from models.devices import Device, device_of
from models.errors import known
from models.gguf_speed import ENGINES, KINDS, GgufCase, GgufSpeed

CHIPS = ["T4", "L4", "A10G", "RTX-4090", "L40S", "A100-80GB-SXM4", "H100-80GB-SXM5", "V100-16GB-SXM2", "P40"]
OTHERS = ["RX-7900-XTX", "MI300X", "Apple-M2-Ultra-76GPU", "Apple-M4-Max-40GPU", "Arc-B580", "RTX-5090"]
MODELS = ["Llama-3.2-1B", "Llama-3.1-8B", "Llama-3.3-70B", "Qwen3-30B-A3B", "gpt-oss-20b", "Qwen3.5-27B"]
FEW = settings(max_examples=80, deadline=None, derandomize=True)
chips, models = st.sampled_from(CHIPS + OTHERS), st.sampled_from(MODELS)


def device(name: str) -> Device:
    """The device of a chip that has one."""
    return known(device_of(catalog.chip(name)))


def file(model: str, quant: str = "q4_k_m") -> GgufModel:
    """A model file."""
    return GgufModel(catalog.llm(model), catalog.quant(quant))


def case(
    chip: str,
    model: str,
    quant: str = "q4_k_m",
    *,
    s: float = 512,
    o: float = 128,
    gpus: float = 1,
    engine: str = ENGINES[0],
) -> GgufCase:
    """One case of one chip."""
    return gguf_case(
        file(model, quant),
        kv_bytes=2.0,
        devices=[device(chip)],
        gpus=gpus,
        input_tokens=s,
        output_tokens=o,
        engine=engine,
    )


def speed(what: GgufCase) -> GgufSpeed:
    """The formulas with the bundled constants."""
    return GgufSpeed(what, constants().gguf)


def step(what: GgufCase, n: float = 1) -> float:
    """Seconds of a step of a one-case array."""
    return float(np.ravel(speed(what).step(n))[0])


def prefill(what: GgufCase) -> float:
    """Seconds of a prompt of a one-case array."""
    return float(np.ravel(speed(what).prefill())[0])


@FEW
@given(chips, models, st.sampled_from(ENGINES), st.floats(1.0, 3.0), st.sampled_from(["bandwidth", "peak", "lanes"]))
def test_more_hardware_is_never_slower(chip: str, model: str, engine: str, factor: float, what: str) -> None:
    """More bandwidth, tensor rate or lanes at the same power limit leave no step or prompt slower."""
    base = case(chip, model, engine=engine)
    more = replace(base, **{what: getattr(base, what) * factor})
    assert step(more) <= step(base) * (1 + 1e-9)
    assert prefill(more) <= prefill(base) * (1 + 1e-9)


@FEW
@given(chips, models, st.floats(1, 100_000), st.floats(1.01, 4), st.integers(1, 32))
def test_time_grows_with_context_and_streams(chip: str, model: str, s: float, longer: float, n: int) -> None:
    """A longer context and one more stream cost time; so does a longer prompt."""
    short, long = case(chip, model, s=s), case(chip, model, s=s * longer)
    assert step(long, n) > step(short, n)
    assert prefill(long) > prefill(short) or np.ceil(s / 512) < np.ceil(s * longer / 512)
    assert step(short, n + 1) > step(short, n)
    assert float(np.ravel(speed(short).tpot(n + 1))[0]) > float(np.ravel(speed(short).tpot(n))[0])


@pytest.mark.parametrize("chip", [*CHIPS, *OTHERS])
@pytest.mark.parametrize("model", ["Llama-3.1-8B", "Qwen3-30B-A3B"])
def test_fewer_bits_are_never_slower_in_decode(chip: str, model: str) -> None:
    """Unpacking never costs what the smaller file saves."""
    times = [step(case(chip, model, quant)) for quant in ("q4_k_m", "q5_k_m", "q6_k", "q8_0", "f16")]
    assert times == sorted(times)


@FEW
@given(
    st.lists(st.tuples(chips, models, st.floats(16, 20_000), st.sampled_from([1.0, 2.0, 8.0])), min_size=1, max_size=6)
)
def test_an_array_answers_like_its_cases(rows: list[tuple[str, str, float, float]]) -> None:
    """Each case of an array has the figures it has alone; cutting an array keeps them."""
    together = speed(
        gguf_case(
            [file(model) for _, model, _, _ in rows],
            kv_bytes=np.full(len(rows), 2.0),
            devices=[device(chip) for chip, _, _, _ in rows],
            gpus=np.array([gpus for _, _, _, gpus in rows]),
            input_tokens=np.array([s for _, _, s, _ in rows]),
            output_tokens=np.full(len(rows), 128.0),
            engine=["llama.cpp"] * len(rows),
        )
    )
    alone = [case(chip, model, s=s, gpus=gpus) for chip, model, s, gpus in rows]
    assert together.step(2.0) == pytest.approx([step(one, 2.0) for one in alone])
    assert together.prefill() == pytest.approx([prefill(one) for one in alone])
    last = together.take(np.array([len(rows) - 1]))
    assert last.prefill() == pytest.approx(together.prefill()[-1:])


def test_a_hundred_gb_s_less_do_not_matter_where_unpacking_limits() -> None:
    """A100-40 and A100-80 decode q4_K_M alike (6.7 and 6.8 ms measured): lanes limit both; 16-bit files tell them apart."""
    slow, fast = "A100-40GB-SXM4", "A100-80GB-SXM4"
    assert step(case(slow, "Llama-3.1-8B")) / step(case(fast, "Llama-3.1-8B")) < 1.1
    assert step(case(slow, "Llama-3.1-8B", "f16")) / step(case(fast, "Llama-3.1-8B", "f16")) > 1.15


def test_engines_of_2024_are_slower_at_long_contexts() -> None:
    """Without flash attention the KV cache is read slowly; on AMD everything was slower."""
    new, old = case("RTX-4090", "Llama-3.1-8B", s=30_000), case("RTX-4090", "Llama-3.1-8B", s=30_000, engine=ENGINES[1])
    assert step(old) > 1.3 * step(new)
    assert step(case("RX-7900-XTX", "Llama-3.1-8B", engine="llamafile")) > 1.5 * step(
        case("RX-7900-XTX", "Llama-3.1-8B")
    )


def test_more_cards_slow_one_stream_and_speed_long_prompts() -> None:
    """A layer split hands over from card to card; passes of a long prompt overlap on two cards, hardly on eight."""
    one, two, eight = (case("L40S", "Llama-3.1-8B", s=8192, gpus=n) for n in (1, 2, 8))
    assert step(one) < step(two) < step(eight)
    assert prefill(two) < prefill(eight) < prefill(one) * 1.2


def test_small_models_are_bound_by_launches() -> None:
    """A model of a sixtieth the size is nowhere near sixty times as fast."""
    small, large = step(case("H100-80GB-SXM5", "SmolLM2-135M")), step(case("H100-80GB-SXM5", "Llama-3.1-8B"))
    assert 1 < large / small < 5


def test_a_short_prompt_reads_the_weights_once() -> None:
    """Sixteen tokens cost about a decode step, not a thirty-second of 512 tokens."""
    assert prefill(case("RTX-4090", "Llama-3.1-8B", s=16)) > 0.7 * step(case("RTX-4090", "Llama-3.1-8B", s=16))


@pytest.mark.parametrize(
    ("chip", "kind"),
    [
        ("RTX-4090", "ampere"),
        ("B200-180GB-SXM", "ampere"),
        ("T4", "turing"),
        ("V100-16GB-SXM2", "volta"),
        ("P40", "dp4a"),
        ("P100-16GB-PCIe", "old"),
        ("M60", "old"),
        ("GTX-1660", "old"),
        ("RX-6900-XT", "amd"),
        ("MI300X", "amd"),
        ("RX-7900-XTX", "rdna3"),
        ("Apple-M1-Max-32GPU", "apple"),
        ("Apple-M4-Max-40GPU", "apple3"),
        ("Arc-B580", "intel"),
    ],
)
def test_kind_of_a_chip(chip: str, kind: str) -> None:
    """The kernels a chip gets follow from its generation."""
    assert KINDS[device(chip).gguf_kind] == kind


def test_integer_lanes() -> None:
    """Multiprocessors x 64 x clock: 9.75e12/s on A100 (108 x 1.41 GHz), a quarter of the fp32 rate on Ada and RDNA 3."""
    assert device("A100-80GB-SXM4").lanes == pytest.approx(108 * 64 * 1.41e9, rel=0.01)
    assert device("RTX-4090").lanes == pytest.approx(128 * 64 * 2.52e9, rel=0.02)
    assert device("RX-7900-XTX").lanes == pytest.approx(61.4e12 / 4)


def test_cards_without_a_power_connector_lose_clock() -> None:
    """T4 and L4 cannot hold their boost clock; doubling the limit makes prompts faster. An A100 can."""
    for chip, limited in (("T4", True), ("L4", True), ("A100-80GB-SXM4", False)):
        base = case(chip, "Llama-3.1-8B")
        assert (prefill(replace(base, lanes_per_watt=base.lanes_per_watt / 2)) < 0.95 * prefill(base)) == limited


def test_defaults_answer() -> None:
    """A case without the optional facts still has a figure near the full one: callers may leave them out."""
    full = case("L40S", "Llama-3.1-8B")
    optional = {"lanes", "kind", "weight_bytes", "graphs", "clock_ghz", "lanes_per_watt", "ecc", "engine"}
    bare = GgufCase(**{f.name: getattr(full, f.name) for f in fields(full) if f.name not in optional})
    assert step(bare) == pytest.approx(step(full), rel=0.3)
    assert prefill(bare) == pytest.approx(prefill(full), rel=0.5)
