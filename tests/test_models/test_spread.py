"""Prompts that differ in length: parts of them, the queue they make, the tail they give."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from models import catalog
from models.estimate import Estimates, ServerTable, estimate
from models.lengths import Lengths, lengths_of
from models.server import Server
from models.tail import _spread_tail
from models.traffic import Workload

TABLE = ServerTable.build(
    [
        Server("gpu", chip=catalog.chip("RTX A4000"), gpu_count=1.0),
        Server("cpu", cpu=catalog.cpu("EPYC 9654"), ram_gib=256.0),
    ]
)
PROMPTS = np.maximum(np.random.default_rng(3).lognormal(np.log(1000), 0.665, 5000), 1)
WORK = Workload(
    catalog.llm("Llama-3.1-8B"), requests_per_s=0.2, input_tokens=round(PROMPTS.mean()), output_tokens=178, ttft_ms=None,
    tpot_ms=None, preset=None,
)  # fmt: skip


def ask(rate: float = 0.2, lengths: Lengths | None = None, **changes: object) -> Estimates:
    return estimate(TABLE, replace(WORK.changed(requests_per_s=rate, **changes), lengths=lengths))


def test_parts_keep_the_mean_and_the_95th_length() -> None:
    found = lengths_of(PROMPTS)
    assert found.mean == pytest.approx(PROMPTS.mean(), rel=1e-3)
    assert sum(found.shares) == pytest.approx(1)
    assert float(np.percentile(PROMPTS, 95, method="inverted_cdf")) in found.tokens
    assert lengths_of(np.array([7.0, 9.0])).tokens == (7.0, 9.0)


def test_an_idle_servers_tail_is_the_95th_length_alone() -> None:
    """What the user timed: with nobody before it the 95th prompt of 100 waits for itself."""
    quiet = ask(1e-4, lengths_of(PROMPTS))
    alone = ask(1e-4, input_tokens=round(float(np.percentile(PROMPTS, 95))))
    assert quiet.ttft_p95_ms == pytest.approx(alone.ttft_solo_ms, rel=2e-3)
    assert (ask(0.01, lengths_of(PROMPTS)).ttft_p95_ms >= alone.ttft_solo_ms * 0.998).all()


def test_a_spread_lengthens_waits_and_tails() -> None:
    even, uneven = ask(0.5), ask(0.5, lengths_of(PROMPTS))
    assert uneven.ttft_ms[0] > 1.05 * even.ttft_ms[0]
    assert uneven.ttft_p95_ms[0] > 1.4 * even.ttft_p95_ms[0]
    assert uneven.tpot_ms[0] == pytest.approx(even.tpot_ms[0], rel=0.02)


def test_prompts_all_alike_are_no_spread() -> None:
    same = ask(0.5, lengths_of(np.full(50, float(WORK.input_tokens))))
    assert same.ttft_p95_ms == pytest.approx(ask(0.5).ttft_p95_ms)


def test_another_length_is_not_the_traces() -> None:
    assert replace(WORK, lengths=lengths_of(PROMPTS)).changed(input_tokens=5).lengths is None


@pytest.mark.parametrize("rho", [0.1, 0.3, 0.6, 0.9])
def test_the_tail_of_a_simulated_queue_of_lengths(rho: float) -> None:
    """Random arrivals, one server, service by length: at most a fifth high, never more than 2 % low."""
    chance = np.random.default_rng(7)
    service = chance.lognormal(0, 0.665, 400_000)
    service /= service.mean()
    steps = np.concatenate(([0.0], np.cumsum(service - chance.exponential(1 / rho, len(service)))))[:-1]
    waits = steps - np.minimum.accumulate(steps)
    parts = lengths_of(service)
    unit = np.array([(service**2).mean() / 2])
    shares, alone = np.array(parts.shares), np.array([parts.tokens])
    found = float(_spread_tail(unit * rho / (1 - rho), unit, alone, shares)[0])
    assert 0.98 < found / np.quantile(service + waits, 0.95) < 1.2
