"""Offers of instance types whose own llama.cpp speeds were measured: the measurement wins, with its licence."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import pytest

from models import catalog
from models.cpu_measured import by_instance, instance_of, measured
from models.estimate import ServerTable, estimate
from models.measured_near import measurements
from models.traffic import Workload
from pricing.compare import compare
from pricing.machines import distinct
from pricing.market import Market
from pricing.terms import CompareOptions

if TYPE_CHECKING:
    from collections.abc import Callable

    from pricing.offer import Offer


@pytest.fixture
def machine(make_offer: Callable[..., Offer]) -> Callable[..., Offer]:
    """An AWS type with 32 cores of Genoa."""

    def make(server: str, region: str = "eu", **changes: object) -> Offer:
        values: dict[str, object] = {
            "offer_id": f"aws-{server}-{region}",
            "provider": "aws",
            "server": server,
            "region": region,
            "kind": "cpu",
            "gpu_model": None,
            "gpu_count": None,
            "vram_gib_per_gpu": None,
            "cpu_model": "AMD EPYC 9R14",
            "vcpus": 32.0,
            "cores": 32.0,
            "ram_gib": 128.0,
        }
        return make_offer(**(values | changes))

    return make


def _work(model: str = "Llama-7B", quant: str = "q4_k_m") -> Workload:
    return Workload(catalog.llm(model), quant=quant, input_tokens=64, output_tokens=128).changed(
        concurrency=1, ttft_ms=None, tpot_ms=None
    )


def test_a_type_is_one_server_in_all_regions(machine: Callable[..., Offer]) -> None:
    """Two regions share a machine; a type that was not measured is another."""
    servers, index = distinct([machine("m7a.8xlarge"), machine("m7a.8xlarge", "us"), machine("m7a.8xlarge-like")])
    assert index.tolist() == [0, 0, 1]
    assert [server.instance for server in servers] == ["aws m7a.8xlarge", ""]
    assert instance_of("azure", "D2s_v5") == instance_of("azure", "Standard_D2s_v5") != ""
    assert by_instance("aws nothing") is None


def test_the_measurement_wins_over_the_formula(machine: Callable[..., Offer]) -> None:
    """Llama-7B generates as fast as it was measured, with a narrow band and the basis measured."""
    market = Market([machine("m7a.8xlarge")])
    found = compare(market, _work(), CompareOptions(today=date(2026, 11, 30)))
    own = found.row(0)
    assert own["basis"] == "measured"
    record = measured("aws", "m7a.8xlarge")
    assert record is not None
    speed = next(run.tokens_per_s for run in record.runs if run.model == "llama_7b")
    assert own["tokens_per_s_user"] == pytest.approx(speed, rel=0.12)
    (words,) = found.measurements(0)
    assert "aws m7a.8xlarge" in words
    assert "CC BY-SA 4.0" in words


def test_a_model_that_was_not_run_there_has_the_measured_rates(machine: Callable[..., Offer]) -> None:
    """The band is narrower than that of the same CPU under another name."""
    market = Market([machine("m7a.8xlarge"), machine("m7a.8xlarge-like")])
    found = compare(market, _work("Mistral-7B-v0.3"), CompareOptions(today=date(2026, 11, 30)))
    own, other = (found.row(at) for at in range(2))
    assert (own["basis"], other["basis"]) == ("measured", "calibrated")
    assert own["tpot_ms_high"] / own["tpot_ms_low"] < other["tpot_ms_high"] / other["tpot_ms_low"]
    assert found.measurements(1) == ()


def test_other_formats_keep_their_band(machine: Callable[..., Offer]) -> None:
    """Only 4-bit files were measured: 16 bits stream at the measured rate, their band stays."""
    table = ServerTable.build(distinct([machine("m7a.8xlarge")])[0])
    assert estimate(table, _work(quant="f16")).basis(0) == "calibrated"


def test_other_engines_are_not_llama_cpp(machine: Callable[..., Offer]) -> None:
    """On the same type vLLM has rates of its own."""
    table = ServerTable.build(distinct([machine("m7a.8xlarge"), machine("m7a.8xlarge-like")])[0])
    work = _work("Mistral-7B-v0.3", "16bit").changed(engine="vllm-cpu")
    found = estimate(table, work, pull=False)
    assert found.tpot_ms[0] == pytest.approx(found.tpot_ms[1])


def test_nothing_is_said_of_servers_without_an_estimate(machine: Callable[..., Offer]) -> None:
    """No RAM, no figure, no measurement."""
    table = ServerTable.build(distinct([machine("m7a.8xlarge", ram_gib=None)])[0])
    assert measurements(estimate(table, _work()), 0) == ()


def test_an_encoder_is_priced_by_what_it_reads(make_offer: Callable[..., Offer]) -> None:
    """A cost per million tokens read, none per token written."""
    work = Workload(catalog.llm("bge-reranker-v2-m3"), input_tokens=512, output_tokens=1, requests_per_s=20.0)
    offer = make_offer(gpu_model="L4", gpu_count=1.0, vram_gib_per_gpu=24.0, price_per_hour=0.72, price_per_month=None)
    row = compare(Market([offer]), work, CompareOptions(today=date(2026, 11, 30), hours_per_month=730)).row(0)
    assert row["cost_per_m_output_tokens"] is None
    assert row["cost_per_m_total_tokens"] == pytest.approx(0.72 / 3600 / (20 * 512) * 1e6)
