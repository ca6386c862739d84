"""Published answers that cannot be, worked out anew: W15, N61, F9 of one query, and what a million requests cost."""

from __future__ import annotations

import pytest

from models import catalog, cost
from models.estimate import Estimates, ServerTable, estimate
from models.server import Server
from models.traffic import Workload


def _on(chip: str, count: float, model: str = "Llama-3.3-70B", quant: str = "bf16") -> Estimates:
    table = ServerTable.build([Server("gpu", chip=catalog.chip(chip), gpu_count=count, interconnect="NVLink3")])
    asked = Workload(catalog.llm(model), quant=quant, input_tokens=1000, output_tokens=200, preset=None)
    return estimate(table, asked)


@pytest.mark.parametrize(("per_m", "needed"), [(0.17, 556), (0.05, 1889)])
def test_w15_a_price_that_needs_more_than_the_card_has(per_m: float, needed: float) -> None:
    """A100 at $0.34 an hour: the printed prices need 556 and 1,889 tokens/s of a 70B that one card of 80 GB does not hold."""
    assert cost.cost_per_m_tokens(0.34, needed) == pytest.approx(per_m, rel=0.005)
    assert not _on("A100-80GB-SXM4", 1).fits[0]


def test_n61_one_h100_does_not_run_a_70b_in_sixteen_bits() -> None:
    """131.4 GiB of weights on one card is no fit; two leave a few GiB for the cache (0.2 to 4.1 a card by engine version)."""
    assert not _on("H100-80GB-SXM5", 1).fits[0]
    two, four = _on("A100-80GB-SXM4", 2), _on("A100-80GB-SXM4", 4)
    assert 0 < two.kv_pool_gib_per_device[0] < 6
    assert two.max_context[0] < 45_000
    assert four.kv_pool_gib_per_device[0] > 30


def test_f9_watt_hours_of_one_query() -> None:
    """Wh = PUE x kW / (3.6 x tokens/s) x tokens, in the units of the paper; eight H100 draw 11.3 kW at most, 0.7 of it as a rule."""
    watts, pue, rate, tokens = 0.7 * 11_300, 1.2, 1200.0, 500
    joules = float(cost.energy_j_per_token(watts, rate, pue)) * tokens
    assert joules / 3600 == pytest.approx(pue * (watts / 1000) / (3.6 * rate) * tokens)


@pytest.mark.parametrize(
    ("days", "price_in", "price_out", "expected"), [(1, 0.10, 0.32, 183.0), (1, 0.71, 0.71, 969.9)]
)
def test_a_million_requests_are_compared_by_request(
    days: int, price_in: float, price_out: float, expected: float
) -> None:
    """F3: the API bills the prompt too, so a request's price is the fair unit."""
    blended = cost.blended_api_price(1155, 211, price_in, price_out)
    assert cost.cost_per_m_requests(blended, 1366) * days == pytest.approx(expected, rel=0.005)
    # Against the output price alone a tenth of the bill would be seen, or less.
    assert float(blended) * 1366 > price_out * 211 * 1.5
