"""Break-even and sensitivity against worked examples; a fleet that cannot serve enough never breaks even."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models import cost
from models.build_or_buy import UTILIZATIONS, Overheads, Owned, SelfHosted, break_even, requests_per_s, sensitivity

NONE = Overheads()
H100 = SelfHosted(1825.0, 1.0, cost.figure(cost.monthly_capacity_tokens(5000)) or 0.0)


def test_w5_w4_four_h100_against_ten_dollars() -> None:
    """$4,608 a month, 3,400 tokens/s: 460.8 million tokens, 5.2 % of what they can serve (printed 0.46 million)."""
    fleet = SelfHosted(4608.0, 1.0, 3400 * 3600 * 730)
    found = break_even(fleet, NONE, 10.0)
    assert found is not None
    assert found.tokens_per_month == pytest.approx(460.8e6, rel=0.001)
    assert found.utilization == pytest.approx(0.0516, rel=0.005)
    prices = dict(sensitivity(fleet, NONE))
    assert [prices[share] for share in (1.0, 0.3, 0.1)] == pytest.approx([0.516, 1.719, 5.157], rel=0.005)


@pytest.mark.parametrize(("api", "rate"), [(0.1340, 5183), (0.71, 978)])
def test_w19_one_h100_and_what_it_would_have_to_serve(api: float, rate: float) -> None:
    """Against the cheapest host it needs 5,183 tokens/s around the clock: one that gives 5,000 never breaks even."""
    found = break_even(H100, NONE, api)
    assert found is not None
    assert found.tokens_per_month / (3600 * 730) == pytest.approx(rate, rel=0.005)
    assert found.never is (rate > 5000)


def test_overheads_are_lines_of_their_own_and_off_by_default() -> None:
    assert NONE.total(1000) == 0
    over = Overheads(0.3, 500.0, 20.0, 7.0)
    assert over.total(1000) == pytest.approx(827)
    plain, loaded = break_even(H100, NONE, 1.0), break_even(H100, over, 1.0)
    assert plain is not None
    assert loaded is not None
    assert loaded.tokens_per_month / plain.tokens_per_month == pytest.approx((1825 * 1.3 + 527) / 1825)


def test_f10_a_bought_machine() -> None:
    """62,000 over 48 months, 2,100 W at 0.22 a kWh: 1,291.67 + 337.26."""
    mine = Owned(62_000, 48, 2100, 0.22)
    assert mine.monthly == pytest.approx(1628.93, abs=0.01)
    assert Owned(62_000, 48, 2100, 0.22, pue=1.5, colocation=100).monthly == pytest.approx(
        1291.67 + 505.89 + 100, abs=0.01
    )


def test_w16_w17_energy() -> None:
    mine = Owned(1.0, 1, 1500, 0.15)
    assert mine.joules_per_token(53.9) == pytest.approx(27.8, rel=0.005)
    assert mine.kwh_per_m_tokens(53.9) == pytest.approx(7.73, rel=0.005)
    assert (mine.kwh_per_m_tokens(53.9) or 0) * 0.15 == pytest.approx(1.16, rel=0.005)


def test_tokens_a_month_as_a_rate() -> None:
    assert requests_per_s(300e6, 1366) == pytest.approx(300e6 / 1366 / (730 * 3600))


def test_a_missing_price_is_no_answer() -> None:
    assert break_even(H100, NONE, 0.0) is None
    assert break_even(H100, NONE, float("nan")) is None
    assert break_even(SelfHosted(100.0, 1.0, 0.0), NONE, 1.0) is None
    assert sensitivity(SelfHosted(float("nan"), 1.0, 1e9), NONE) == ()


@given(st.floats(1, 1e6), st.floats(1e6, 1e13), st.floats(0.001, 100), st.floats(0, 2))
def test_the_break_even_is_where_both_cost_the_same(month: float, capacity: float, api: float, share: float) -> None:
    fleet, over = SelfHosted(month, 1.0, capacity), Overheads(share)
    found = break_even(fleet, over, api)
    assert found is not None
    whole = month * (1 + share)
    assert found.tokens_per_month * api / 1e6 == pytest.approx(whole)
    prices = [price for _, price in sensitivity(fleet, over)]
    assert prices == sorted(prices, reverse=True)
    assert prices[-1] * UTILIZATIONS[-1] == pytest.approx(whole / capacity * 1e6)
    # At the break-even utilization a token costs what the API asks.
    assert whole / (capacity * found.utilization) * 1e6 == pytest.approx(api)
