"""Measured rows near a question: distance, pull, bands, names; small rows of its own, and the shipped ones."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from models import catalog, nearest, pulled
from models.bands import BandNames
from models.cases import estimate_rows
from models.estimate import ServerTable, choices, estimate
from models.estimates import Estimates
from models.fitting.nearest import CONFIGURATION, left_out
from models.measured_near import measurements
from models.measured_rows import COLUMNS
from models.near_bands import DECODE, NEAR, OUTPUT, PROMPT, near_bands
from models.nearest import SHRINK, Questions, coordinates, family, points_of, pull, squared_distance
from models.server import Server
from models.serving import at_concurrency
from models.serving_layout import serving_layouts
from models.traffic import Workload

if TYPE_CHECKING:
    from models.gpu_speed import GpuSpeed

EMPTY = dict.fromkeys(COLUMNS.values(), "")
ROW = EMPTY | {
    "case_id": "n1",
    "model": "Llama-3.1-8B",
    "quant": "bf16",
    "engine": "vLLM",
    "engine_version": "0.22",
    "hardware": "L40S",
    "count": "1",
    "tp": "1",
    "input_tokens": "1024",
    "output_tokens": "256",
    "concurrency": "16",
    "scenario": "online",
    "metric": "tpot_ms",
    "repeats": "1",
    "use": "fit",
    "source": "someone's benchmark",
    "source_date": "2026-11-01",
    "source_group": "someone",
}
KEY = ("L40S", 1.0, 1, "vllm", "16bit")


def _rows(factor: float, **changes: str) -> list[dict[str, str]]:
    """A row measured at `factor` times what the formulas say."""
    row = ROW | changes
    value = estimate_rows([row], pull=False)[0]["tpot_ms"]
    assert isinstance(value, float)
    return [row | {"value": f"{value * factor:.6f}"}]


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one measured row of the world: a fifth slower than the formulas."""
    found = points_of(_rows(1.2))
    monkeypatch.setattr(nearest, "points", lambda model, _=None: found if model == "Llama-3.1-8B" else None)
    monkeypatch.setattr(pulled, "points", lambda model, _=None: found if model == "Llama-3.1-8B" else None)


def test_a_row_at_the_very_load_moves_the_estimate_by_two_thirds() -> None:
    """exp(r / (1 + SHRINK)) for one row; nothing for another key; three rows move it more."""
    found = points_of(_rows(1.2))
    asked = Questions(
        [KEY, ("L4", 1.0, 1, "vllm", "16bit")], coordinates([16.0, 16.0], 1024, 256), np.zeros(2, dtype=int)
    )
    said = pull(found, asked)
    assert said.factor[0, DECODE] == pytest.approx(1.2 ** (1 / (1 + SHRINK)), rel=1e-3)
    assert said.factor[0, PROMPT] == 1.0
    assert said.factor[1].tolist() == [1.0, 1.0, 1.0]
    assert said.within[:, DECODE].tolist() == [True, False]
    more = pull(points_of(_rows(1.2) * 3), asked)
    assert said.factor[0, DECODE] < more.factor[0, DECODE] < 1.2


def test_a_far_load_is_out_of_reach() -> None:
    """Sixteen users say little about a thousand."""
    asked = Questions([KEY] * 3, coordinates([16.0, 32.0, 1024.0], 1024, 256), np.zeros(3, dtype=int))
    said = pull(points_of(_rows(1.2)), asked)
    assert said.within[:, DECODE].tolist() == [True, True, False]
    assert said.factor[0, DECODE] > said.factor[1, DECODE] > said.factor[2, DECODE] == 1.0


def test_distance_is_symmetric_and_zero_at_home() -> None:
    """Loads as points; another kind of test is one away."""
    loads = coordinates([1.0, 8.0, 64.0], [100, 1000, 4000], [10, 200, 900])
    test = np.array([0, 1, 1])
    for i in range(3):
        for j in range(3):
            one, other = (
                squared_distance(loads[[i]], test[[i]], loads[[j]], test[[j]]),
                squared_distance(loads[[j]], test[[j]], loads[[i]], test[[i]]),
            )
            assert one == other
            assert (one[0] == 0) == (i == j)


def test_an_outlier_moves_by_three_at_most() -> None:
    """A row at a hundred times the estimate is of something else."""
    asked = Questions([KEY], coordinates([16.0], 1024, 256), np.zeros(1, dtype=int))
    assert pull(points_of(_rows(100.0)), asked).factor[0, DECODE] < 3.0


def test_repeats_count_once() -> None:
    """Two rows that say so of each other weigh as one."""
    asked = Questions([KEY], coordinates([16.0], 1024, 256), np.zeros(1, dtype=int))
    once = pull(points_of(_rows(1.2)), asked).factor
    twice = pull(points_of(_rows(1.2, repeats="2") * 2), asked).factor
    assert once == pytest.approx(twice)


def test_a_throughput_at_a_request_rate_says_nothing() -> None:
    """The server answers what arrives."""
    row = ROW | {
        "scenario": "server",
        "concurrency": "",
        "request_rate_rps": "1",
        "metric": "requests_per_s",
        "value": "1",
    }
    assert points_of([row]) is None


def test_engines_without_their_generation() -> None:
    """Families."""
    assert [
        family(name) for name in ("vllm_2026", "trt_old", "sglang", "llama.cpp-2024", "ik_llama.cpp", "vllm-cpu")
    ] == [
        "vllm",
        "trt",
        "sglang",
        "llama.cpp",
        "ik_llama.cpp",
        "vllm-cpu",
    ]


@pytest.mark.usefixtures("measured")
def test_a_case_near_a_row_is_measured_and_its_band_narrow() -> None:
    """Basis, figure, band; `pull=False` is the formulas alone."""
    (alone,), (near,) = estimate_rows([ROW], pull=False), estimate_rows([ROW])
    assert (alone["basis"], near["basis"]) == ("calibrated", "measured")
    assert near["tpot_ms"] == pytest.approx(1.2 ** (1 / 1.5) * float(str(alone["tpot_ms"])), rel=1e-3)
    assert near["ttft_ms"] == alone["ttft_ms"]
    band = NEAR["near_serving_decode"]
    assert near["tpot_ms_high"] == pytest.approx(float(str(near["tpot_ms"])) * band.high)
    (far,) = estimate_rows([ROW | {"hardware": "L4"}])
    assert far["basis"] == "calibrated"


def _ask(chip: str, **changes: object) -> tuple[ServerTable, Workload]:
    server = Server("gpu", chip=catalog.chip(chip), gpu_count=1.0)
    work = Workload(catalog.llm("Llama-3.1-8B"), quant="16bit", input_tokens=1024, output_tokens=256)
    return ServerTable.build([server]), work.changed(**({"concurrency": 16} | changes))


@pytest.mark.usefixtures("measured")
def test_a_server_near_a_row_is_measured() -> None:
    """The factor is on TPOT and on the capacity that follows from it; the row is named."""
    table, work = _ask("L40S", ttft_ms=None, tpot_ms=None)
    alone, near = estimate(table, work, pull=False), estimate(table, work)
    assert (alone.basis(0), near.basis(0)) == ("calibrated", "measured")
    factor = near.tpot_ms[0] / alone.tpot_ms[0]
    assert 1.02 < factor < 1.2
    assert near.tpot_solo_ms[0] / alone.tpot_solo_ms[0] == pytest.approx(factor)
    assert near.requests_per_s[0] < alone.requests_per_s[0]
    (words,) = measurements(near, 0)
    assert words.startswith("TPOT ")
    assert "16 at once; someone's benchmark, 2026-11-01" in words
    assert measurements(estimate(*_ask("L4")), 0) == ()


@pytest.mark.usefixtures("measured")
@pytest.mark.parametrize("tpot_ms", [25.0, 30.0, 60.0])
def test_the_largest_load_belongs_to_the_pulled_figures(tpot_ms: float) -> None:
    """A slower server holds fewer users inside the same target, and at them it meets it."""
    table, work = _ask("L40S", tpot_ms=tpot_ms, ttft_ms=None)
    alone, near = estimate(table, work, pull=False), estimate(table, work)
    assert near.max_concurrency[0] < alone.max_concurrency[0]
    full = estimate(table, work.changed(concurrency=max(int(near.max_concurrency[0]), 1), tpot_ms=None))
    assert full.tpot_ms[0] <= tpot_ms * 1.06


@pytest.mark.usefixtures("measured")
def test_latency_rises_with_load_at_a_pulled_speed() -> None:
    """One factor a server: nothing is faster with more users."""
    table, work = _ask("L40S")
    result = Estimates.empty(work, table)
    layouts = serving_layouts(result, choices(result))
    assert layouts is not None
    plain = layouts.speed
    pulled.pull_layouts(result, layouts)
    speed: GpuSpeed = layouts.speed  # type: ignore[assignment]
    assert isinstance(speed, pulled.PulledGpu)
    previous = 0.0
    for n in (1.0, 2.0, 7.0, 40.0, 300.0):
        load = at_concurrency(speed, np.array([n]))
        tpot, ttft, _ = speed.steady(np.array([n]))
        before = plain.steady(np.array([n]))
        assert tpot == pytest.approx(before[0] * speed.near_decode)
        assert ttft == pytest.approx(before[1] * speed.near_prompt)
        assert load.tpot[0] >= previous
        previous = load.tpot[0]
    cut = speed.take(np.array([0])).crowd(np.array([0]))
    assert cut.steady(np.array([4.0]))[0] == pytest.approx(speed.steady(np.array([4.0]))[0])


def test_bands_are_no_narrower_than_a_tenth() -> None:
    """What one row leaves open."""
    assert all(band.low <= 0.9 and band.high >= 1.1 for band in NEAR.values())


def test_rows_of_one_configuration_do_not_speak_for_themselves() -> None:
    """Left out with its like a row stands alone; a second configuration beside it helps."""
    rows = _rows(1.3) + _rows(1.3, concurrency="17", case_id="n2")
    (left,) = left_out(rows, CONFIGURATION)
    assert (left.kind, left.figure, left.rows) == ("serving", "decode", 2)
    assert left.after_pct < left.before_pct
    assert left_out(rows, ("source",)) == []


def test_the_shipped_rows_are_near_themselves() -> None:
    """A model with rows: measured where they are, and the key of a server finds them."""
    found = nearest.points("Phi-4")
    assert found is not None
    assert set(found.figure.tolist()) <= {DECODE, PROMPT, OUTPUT}
    assert np.isfinite(found.load).all()
    assert (np.abs(found.log_ratio) <= math.log(3) + 1e-9).all()
    (first,) = nearest.nearest("Phi-4", next(iter(found.start)), found.load[0], int(found.test[0]), 1)
    assert first.distance == 0.0
    assert nearest.points("no such model") is None


def test_several_streams_on_a_cpu_keep_their_band() -> None:
    """Too few rows stand beside each other there."""
    batch = BandNames("cpu_prefill_x86", "cpu_batch", "cpu_batch", output_is_time=True, basis="calibrated")
    assert near_bands("cpu", batch, (True, False, True)) == batch
    assert near_bands("cpu", batch, (True, True, True)).ttft == "near_cpu_prompt"
    one = BandNames("cpu_prefill_x86", "cpu_decode_x86", "cpu_decode_x86", output_is_time=True, basis="calibrated")
    assert near_bands("cpu", one, (True, False, True)).tpot == "near_cpu_decode"
