"""N45, prefix caching: prompts take (1 - hit) of their work, decodes stay; gains stay below the ceiling 1 / (1 - hit)."""

from __future__ import annotations

import pytest

from models import catalog
from models.estimate import Estimates, ServerTable, estimate
from models.prefix_cache import saved_share
from models.server import Server
from models.traffic import Workload


def _ask(hit: float, input_tokens: int = 4000, output_tokens: int = 50) -> Estimates:
    table = ServerTable.build([Server("gpu", chip=catalog.chip("L40S"), gpu_count=1.0)])
    work = Workload(
        catalog.llm("Llama-3.1-8B"),
        quant="fp8",
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        ttft_ms=None,
        tpot_ms=None,
        prefix_hit=hit,
    )
    return estimate(table, work.changed(concurrency=32), pull=False)


@pytest.mark.parametrize(("hit", "measured"), [(0.49, 1.81), (0.665, 1.76)])
def test_the_gain_stays_below_its_ceiling(hit: float, measured: float) -> None:
    """VLLM pull 9668: 49 % of the prompt cached gave 1.81x on an L40S; 66.5 % gave 1.76x elsewhere."""
    factor = _ask(hit).requests_per_s[0] / _ask(0.0).requests_per_s[0]
    assert 1.2 < factor <= 1 / (1 - hit) * 1.001
    assert factor == pytest.approx(measured, rel=0.3)


def test_a_prompt_takes_the_share_that_is_fresh() -> None:
    """Measured: TTFT 0.44x at 66.5 %, ceiling 0.335x."""
    factor = _ask(0.665).ttft_solo_ms[0] / _ask(0.0).ttft_solo_ms[0]
    assert 0.3 < factor < 0.55


def test_decodes_gain_little() -> None:
    """Measured: 94.6 % cached gave 6 % where answers are long; one stream's token takes as long as before."""
    few, none = _ask(0.946, 1000, 4000), _ask(0.0, 1000, 4000)
    assert 1.0 < few.requests_per_s[0] / none.requests_per_s[0] < 1.2
    assert few.tpot_solo_ms[0] == pytest.approx(none.tpot_solo_ms[0], rel=0.01)


@pytest.mark.parametrize(
    ("hit", "batches", "saved"), [(0.5, 1, 0.25), (0.5, 3, 0.375), (0.5, 1e9, 0.5), (0.0, 5, 0.0), (0.9, 0, 0.0)]
)
def test_w22_a_cold_cache_saves_less_at_first(hit: float, batches: float, saved: float) -> None:
    """TTFT falls by k r / (k + 1) over k warm batches after a cold one; without end it is the steady state that an estimate gives."""
    assert saved_share(hit, batches) == pytest.approx(saved, abs=1e-6)


def test_w22_the_steady_state_is_the_estimates() -> None:
    warm, cold = _ask(0.5).ttft_solo_ms[0], _ask(0.0).ttft_solo_ms[0]
    assert 1 - warm / cold == pytest.approx(saved_share(0.5, 1e9), abs=0.12)
