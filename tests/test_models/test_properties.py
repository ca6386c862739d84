"""What must hold for any workload on any hardware, tried on hundreds of random ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models import catalog
from models.estimate import ServerTable, estimate
from models.server import Server
from models.traffic import Workload

if TYPE_CHECKING:
    from models.chip import Chip

MODELS = ["Llama-3.1-8B", "Qwen3-30B-A3B", "Gemma-3-27B", "Llama-3.3-70B", "DeepSeek-V3", "gpt-oss-20b", "Qwen3.5-27B"]
CHIPS = [
    "L4",
    "A10G",
    "RTX-4090",
    "L40S",
    "A100-80GB-SXM4",
    "H100-80GB-SXM5",
    "H200-141GB-SXM",
    "B200-180GB-SXM",
    "MI300X",
    "T4",
    "V100-16GB-SXM2",
]
CPUS = ["AMD EPYC 9354", "Intel Xeon Platinum 8480+", "AWS Graviton4", "AMD Ryzen 9 7950X", "AMD EPYC 7763"]

workloads = st.builds(
    lambda model, quant, prompt, output, rate, ttft, tpot: Workload(
        catalog.llm(model),
        quant=quant,
        input_tokens=prompt,
        output_tokens=output,
        requests_per_s=rate,
        ttft_ms=ttft,
        tpot_ms=tpot,
        preset=None,
    ),
    st.sampled_from(MODELS),
    st.sampled_from(["4bit", "8bit", "16bit"]),
    st.integers(1, 20_000),
    st.integers(1, 2_000),
    st.floats(0.01, 50),
    st.one_of(st.none(), st.floats(100, 60_000)),
    st.one_of(st.none(), st.floats(5, 500)),
)
FEW = settings(max_examples=60, deadline=None, derandomize=True)
FIGURES = (
    "ttft_ms",
    "tpot_ms",
    "output_tokens_per_s",
    "requests_per_s_at_target",
    "max_concurrency",
    "memory_used_share",
    "ttft_solo_ms",
)


def _gpu(chip: Chip, count: float = 1.0) -> Server:
    return Server("gpu", chip=chip, gpu_count=count)


def _cpu(name: str, cores: int, ram_gib: float = 512.0, **more: object) -> Server:
    return Server("cpu", cpu=catalog.cpu(name), cores=cores, ram_gib=ram_gib, **more)  # type: ignore[arg-type]


@FEW
@given(workload=workloads, chip=st.sampled_from(CHIPS), factor=st.floats(1.05, 4))
def test_more_bandwidth_is_never_slower(workload: Workload, chip: str, factor: float) -> None:
    """One request alone, and the best throughput."""
    card = catalog.chip(chip)
    assert card.memory_bandwidth_gb_s is not None
    fast = replace(card, memory_bandwidth_gb_s=card.memory_bandwidth_gb_s * factor)
    found = estimate(ServerTable.build([_gpu(card), _gpu(fast)]), workload)
    if found.fits.all():
        assert found.ttft_solo_ms[1] <= found.ttft_solo_ms[0] * (1 + 1e-9)
        assert found.tpot_solo_ms[1] <= found.tpot_solo_ms[0] * (1 + 1e-9)
        # Whole users and a fuller prompt queue at the same number of users leave a few percent of play.
        if found.meets_targets[0]:
            assert found.meets_targets[1]
            assert found.requests_per_s_at_target[1] >= found.requests_per_s_at_target[0] * 0.9


@FEW
@given(workload=workloads, chip=st.sampled_from(CHIPS), more=st.floats(1, 200))
def test_more_memory_never_fits_less(workload: Workload, chip: str, more: float) -> None:
    """Fit, sequences and context only grow."""
    card = catalog.chip(chip)
    large = replace(
        card, memory_gib=card.memory_gib + more, usable_gib=(card.usable_gib + more) if card.usable_gib else None
    )
    # Cards of another class prefill in larger chunks: compare inside one.
    if (card.memory_gib < 48) != (large.memory_gib < 48) or (card.memory_gib < 70) != (large.memory_gib < 70):
        return
    found = estimate(ServerTable.build([_gpu(card), _gpu(large)]), workload)
    assert found.fits[1] >= found.fits[0]
    assert found.kv_pool_gib_per_device[1] >= found.kv_pool_gib_per_device[0]


@FEW
@given(workload=workloads, name=st.sampled_from(CPUS), cores=st.integers(2, 32))
def test_more_cores_read_the_prompt_faster(workload: Workload, name: str, cores: int) -> None:
    """A prompt is compute: twice the cores are never slower."""
    found = estimate(ServerTable.build([_cpu(name, cores), _cpu(name, cores * 2)]), workload)
    if found.fits.all():
        assert found.ttft_solo_ms[1] <= found.ttft_solo_ms[0] * 1.05


@FEW
@given(workload=workloads, chip=st.sampled_from(CHIPS), factor=st.floats(1.2, 5))
def test_looser_targets_never_serve_fewer(workload: Workload, chip: str, factor: float) -> None:
    """Twice the patience is at least as many users."""
    table = ServerTable.build([_gpu(catalog.chip(chip), 8)])
    strict = estimate(table, workload)
    loose = estimate(
        table,
        workload.changed(
            ttft_ms=None if workload.ttft_ms is None else workload.ttft_ms * factor,
            tpot_ms=None if workload.tpot_ms is None else workload.tpot_ms * factor,
        ),
    )
    if strict.fits[0] and strict.tp_used[0] == loose.tp_used[0]:
        assert loose.max_concurrency[0] >= strict.max_concurrency[0]


@FEW
@given(workload=workloads, data=st.data())
def test_one_server_alone_gives_what_it_gives_in_a_crowd(workload: Workload, data: st.DataObject) -> None:
    """The same numbers for one row and for arrays."""
    gpus = [_gpu(catalog.chip(chip), count) for chip in CHIPS for count in (1.0, 2.0, 8.0)]
    cpus = [_cpu(name, 16) for name in CPUS] + [Server("cpu", cores=8, ram_gib=64.0, arch="arm")]
    crowd = [*gpus, *cpus]
    place = data.draw(st.integers(0, len(crowd) - 1))
    together, alone = (
        estimate(ServerTable.build(crowd), workload),
        estimate(ServerTable.build([crowd[place]]), workload),
    )
    for name in FIGURES:
        np.testing.assert_allclose(getattr(together, name)[place], getattr(alone, name)[0], rtol=1e-9)
    assert together.reason(place) == alone.reason(0)


@FEW
@given(workload=workloads)
def test_every_figure_is_sane(workload: Workload) -> None:
    """Positive, finite, inside its band; a missing figure has a reason."""
    crowd = (
        [_gpu(catalog.chip(chip), 8) for chip in CHIPS]
        + [_cpu(name, 32) for name in CPUS]
        + [Server("gpu", chip=None, gpu_count=1)]
    )
    found = estimate(ServerTable.build(crowd), workload)
    for i in range(len(crowd)):
        row = found.row(i)
        if not found.answered[i] or not found.fits[i]:
            assert row["tpot_ms"] is None
            assert found.reason(i)
            continue
        for name in ("ttft_ms", "tpot_ms", "output_tokens_per_s"):
            low, middle, high = (row[name + end] for end in ("_low", "", "_high"))
            assert isinstance(low, float)
            assert isinstance(middle, float)
            assert isinstance(high, float)
            assert 0 < low <= middle <= high
        assert 0 < found.utilization[i] <= 1.0 + 1e-6 or found.saturated[i]
        assert found.memory_used_share[i] > 0
        if found.meets_targets[i]:
            assert found.max_concurrency[i] >= 1
            # What is shown at the user's traffic holds what was promised.
            if workload.ttft_ms is not None:
                assert found.ttft_ms[i] <= workload.ttft_ms * 1.001
            if workload.tpot_ms is not None:
                assert found.tpot_ms[i] <= workload.tpot_ms * 1.001
        elif workload.ttft_ms is not None or workload.tpot_ms is not None:
            assert found.max_concurrency[i] == 0


def test_a_fraction_of_a_card_has_a_fraction_of_its_speed() -> None:
    """An eighth of an L4 decodes at an eighth of its bandwidth, in the slice's own memory."""
    workload = Workload(catalog.llm("SmolLM2-1.7B"), quant="4bit", ttft_ms=None, tpot_ms=None)
    card = catalog.chip("L4")
    whole = _gpu(card)
    slice_ = Server("gpu", chip=card, gpu_count=0.125, vram_gib_per_gpu=3.0)
    found = estimate(ServerTable.build([whole, slice_]), workload)
    assert found.fits.all()
    assert found.memory_total_gib[1] == pytest.approx(3 * 0.985)
    assert found.ttft_solo_ms[1] > 4 * found.ttft_solo_ms[0]


def test_a_prefix_cache_takes_prompt_work_away_and_no_memory() -> None:
    """N45: prefill x (1 - hit); decode and cache stay."""
    workload = Workload(catalog.llm("Llama-3.1-8B"), input_tokens=8000, output_tokens=200, ttft_ms=None, tpot_ms=None)
    table = ServerTable.build([_gpu(catalog.chip("L40S"))])
    cold, warm = estimate(table, workload), estimate(table, workload.changed(prefix_hit=0.6))
    assert 0.35 < warm.ttft_solo_ms[0] / cold.ttft_solo_ms[0] < 0.6
    assert warm.kv_pool_gib_per_device[0] == cold.kv_pool_gib_per_device[0]
