"""p95 of TTFT: against measured rows, against the queue it comes from, and as a target."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models import catalog
from models.cases import estimate_rows
from models.errors import WorkloadError
from models.estimate import Estimates, ServerTable, estimate
from models.server import Server
from models.tail import tail_wait
from models.traffic import Workload

H100 = ServerTable.build([Server("gpu", chip=catalog.chip("H100-80GB-SXM5"), gpu_count=1.0)])
MEASURED = [
    ("google/gemma-2-2b-it", "bf16", "A10G 24GB", 256, 128, 4.4669, 65.3288),
    ("meta-llama/Llama-3.1-8B-Instruct", "bf16", "A10G 24GB", 256, 128, 1.5635, 187.718),
    ("meta-llama/Llama-3.1-8B-Instruct", "bf16", "A100 PCIe 80GB", 256, 128, 5.9823, 59.9372),
    ("meta-llama/Llama-3.1-8B-Instruct", "bf16", "A100 SXM 40GB", 256, 128, 8.6434, 66.5243),
    ("google/gemma-2-2b-it", "bf16", "A100 SXM 80GB", 256, 128, 20.3925, 33.1008),
    ("meta-llama/Llama-3.1-8B-Instruct", "bf16", "A100 SXM 80GB", 256, 128, 9.7371, 63.621),
    ("google/gemma-2-2b-it", "bf16", "H100 SXM 80GB", 256, 128, 25.9463, 19.5887),
    ("meta-llama/Llama-3.1-8B-Instruct", "bf16", "H100 SXM 80GB", 256, 128, 13.7706, 29.8142),
    ("microsoft/phi-4", "bf16", "H100 SXM 80GB", 256, 128, 7.8544, 45.8839),
    ("google/gemma-2-2b-it", "bf16", "L4 24GB", 256, 128, 3.3445, 90.0624),
]
"""(model, format, chip, prompt, answer, requests/s, measured p95 ms): GuideLLM sweeps, evenly spaced requests
(SpareCores/sc-inspector-data 804d3c7, CC BY-SA 4.0, 2026-08)."""


def ask(rate: float, **changes: object) -> Estimates:
    work = Workload(
        catalog.llm("Llama-3.1-8B"), quant="fp8", requests_per_s=rate, ttft_ms=None, tpot_ms=None, preset=None
    )
    return estimate(H100, work.changed(**changes))


def test_a_quiet_server_has_no_tail() -> None:
    found = ask(0.001)
    assert found.ttft_p95_ms[0] == pytest.approx(found.ttft_solo_ms[0], rel=0.01)


def test_the_tail_grows_with_the_traffic_and_is_never_below_the_mean() -> None:
    tails = [float(ask(rate).ttft_p95_ms[0]) for rate in (0.01, 1, 5, 10, 20, 30)]
    means = [float(ask(rate).ttft_ms[0]) for rate in (0.01, 1, 5, 10, 20, 30)]
    assert tails == sorted(tails)
    assert all(tail >= mean for tail, mean in zip(tails, means, strict=True))
    assert tails[-1] > 1.2 * means[-1]


@given(st.floats(1e-4, 10), st.floats(0, 1e3))
def test_the_tail_of_a_wait(unit: float, ratio: float) -> None:
    """By hand: P(wait > t) = rho exp(-t / (unit + mean))."""
    mean = unit * ratio
    found = float(tail_wait(mean, unit))
    assert found >= mean
    rho = mean / (unit + mean)
    if rho > 0.15:
        assert rho * np.exp(-found / (unit + mean)) == pytest.approx(0.05, rel=1e-6)


@pytest.mark.parametrize("rho", [0.3, 0.5, 0.8, 0.9])
@pytest.mark.parametrize(("constant", "unit", "low", "high"), [(False, 1.0, 0.97, 1.03), (True, 0.5, 1.0, 1.2)])
def test_the_tail_of_a_simulated_queue(rho: float, constant: bool, unit: float, low: float, high: float) -> None:
    """Random arrivals, one server, 400,000 requests: service of one second, or one on average."""
    chance = np.random.default_rng(7)
    count = 400_000
    service = np.ones(count) if constant else chance.exponential(1.0, count)
    steps = np.concatenate(([0.0], np.cumsum(service - chance.exponential(1.0 / rho, count))))
    waits = steps - np.minimum.accumulate(steps)
    assert low < float(tail_wait(waits.mean(), unit)) / np.quantile(waits, 0.95) < high


def test_a_target_for_the_tail_needs_more_servers() -> None:
    mean, tail = (ask(60.0, ttft_ms=120.0, ttft_at=at) for at in ("mean", "p95"))
    assert tail.requests_per_s_at_target[0] < mean.requests_per_s_at_target[0]
    assert tail.servers_needed[0] >= mean.servers_needed[0]
    assert tail.meets_targets[0]
    assert tail.ttft_p95_ms[0] <= 120 * 1.001


def test_a_target_for_something_else_is_refused() -> None:
    with pytest.raises(WorkloadError, match="p95"):
        ask(1.0, ttft_at="p42")


def test_an_encoder_waits_for_the_batch_before_it() -> None:
    work = Workload(catalog.llm("bge-m3"), requests_per_s=50.0, input_tokens=256, ttft_ms=1000.0, preset=None)
    found = estimate(H100, work)
    assert found.ttft_p95_ms[0] >= found.ttft_ms[0] >= found.ttft_solo_ms[0]


@pytest.mark.parametrize(("model", "quant", "chip", "prompt", "output", "rate", "measured"), MEASURED)
def test_measured_tails(
    model: str, quant: str, chip: str, prompt: int, output: int, rate: float, measured: float
) -> None:
    row = {
        "model": model, "quant": quant, "hardware": chip, "engine": "vLLM", "engine_version": "0.27.1", "input_tokens": str(prompt),
        "output_tokens": str(output), "request_rate_rps": str(rate), "scenario": "server", "count": "1", "tp": "1",
    }  # fmt: skip
    found = estimate_rows([row])[0]["ttft_p95_ms"]
    assert found is not None
    assert 0.5 < float(str(found)) / measured < 2.0
