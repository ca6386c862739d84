"""Costs against worked examples; several published ones are wrong by 100 or 1000 times, these are the right figures."""

from __future__ import annotations

import numpy as np
import pytest

from models import cost


@pytest.mark.parametrize(
    ("price", "rate", "utilization", "expected"),
    [
        (2.50, 700, 1, 0.992),
        (2.50, 700, 0.1, 9.92063),
        (6.40, 3400, 1, 0.52288),
        (8.84, 2400, 0.7, 1.46164),
        (4.50, 4800, 1, 0.26042),
        (2.21, 2900, 1, 0.212),
        (1.01, 850, 1, 0.330),
        (0.54, 620, 1, 0.242),
        (0.38, 350, 1, 0.302),
        (6.00, 3000, 1, 0.556),
        (0.20, 80, 1, 0.69444),
        (0.80, 50, 1, 4.44444),
        (32, 1500, 1, 5.92593),
        (98, 3000, 1, 9.07407),
        (98, 4000, 1, 6.81),
        (2.00, 1111, 1, 0.50),
        (2.00, 1111, 0.1, 5.00),
        (2.50, 30, 1, 23.15),
        (2.50, 40, 1, 17.36),
        (2.50, 1500, 1, 0.463),
        (2.50, 2500, 1, 0.278),
        (2.50, 50, 1, 13.88889),
        (1.50, 30, 1, 13.89),
        (0.34, 120, 1, 0.78704),
    ],
)
def test_cost_per_m_tokens(price: float, rate: float, utilization: float, expected: float) -> None:
    assert cost.figure(cost.cost_per_m_tokens(price, rate, utilization)) == pytest.approx(expected, rel=0.005)


def test_cost_per_m_tokens_takes_arrays() -> None:
    found = cost.cost_per_m_tokens(np.array([4.50, 2.21, np.nan]), np.array([4800.0, 2900.0, 100.0]))
    assert found[:2] == pytest.approx([0.260, 0.212], rel=0.005)
    assert np.isnan(found[2])


@pytest.mark.parametrize(("utilization", "expected"), [(1.0, 0.516), (0.3, 1.719), (0.1, 5.157)])
def test_month_of_720_hours_against_a_capacity_of_730(utilization: float, expected: float) -> None:
    month = 6.40 * 720
    capacity = cost.monthly_capacity_tokens(3400)
    assert capacity / 1e6 == pytest.approx(8935.2, rel=0.005)
    assert month / (capacity * utilization) * 1e6 == pytest.approx(expected, rel=0.005)


def test_break_even_against_an_api() -> None:
    tokens = cost.break_even_tokens_per_month(4608, 10)
    assert tokens == pytest.approx(460.8e6, rel=0.001)
    assert tokens / cost.monthly_capacity_tokens(3400) == pytest.approx(0.052, rel=0.01)
    assert cost.break_even_tokens_per_month(1825, 0.13398) == pytest.approx(13_621.19e6, rel=0.005)
    assert cost.break_even_tokens_per_month(1825, 0.71) == pytest.approx(2570e6, rel=0.005)


@pytest.mark.parametrize(("api_price", "rate"), [(0.1340, 5183), (0.71, 978)])
def test_break_even_utilization_is_one_at_the_rate_that_pays(api_price: float, rate: float) -> None:
    assert cost.break_even_utilization(2.50, rate, api_price) == pytest.approx(1.0, rel=0.005)
    assert cost.break_even_utilization(2.50, rate / 2, api_price) == pytest.approx(2.0, rel=0.005)


def test_tokens_of_a_day() -> None:
    assert cost.monthly_capacity_tokens(3000, 1) == pytest.approx(10.8e6)
    assert cost.monthly_capacity_tokens(3000, 24) == pytest.approx(259.2e6)


@pytest.mark.parametrize(
    ("price_in", "price_out", "blended", "per_m_requests"),
    [
        (0.10, 0.32, 0.13398, 183.0),
        (0.23, 0.40, 0.2563, 350.1),
        (0.71, 0.71, 0.71, 969.9),
        (1.04, 1.04, 1.04, 1420.6),
    ],
)
def test_blended_api_price(price_in: float, price_out: float, blended: float, per_m_requests: float) -> None:
    found = cost.blended_api_price(1155, 211, price_in, price_out)
    assert found == pytest.approx(blended, rel=0.001)
    assert cost.cost_per_m_requests(found, 1155 + 211) == pytest.approx(per_m_requests, rel=0.001)


def test_cached_prompt_tokens_have_their_own_price() -> None:
    assert cost.blended_api_price(1000, 0, 1.0, 2.0, 400, 0.1) == pytest.approx(0.64)
    assert cost.blended_api_price(1000, 0, 1.0, 2.0, 400) == pytest.approx(1.0)


@pytest.mark.parametrize(("given", "out", "ratio"), [(1155, 211, 6.5), (2048, 28, 74.1)])
def test_total_against_output_tokens(given: int, out: int, ratio: float) -> None:
    assert cost.total_tokens_per_output_token(given, out) == pytest.approx(ratio, rel=0.005)


@pytest.mark.parametrize(
    ("watts", "rate", "joules", "kwh"),
    [
        (1500, 53.9, 27.8, 7.7304),
        (3000, 319.8, 9.38, 2.61),
        (1500, 41.8, 35.9, 9.97),
        (3000, 41.8, 71.8, 19.9),
    ],
)
def test_energy(watts: float, rate: float, joules: float, kwh: float) -> None:
    assert cost.energy_j_per_token(watts, rate) == pytest.approx(joules, rel=0.005)
    assert cost.energy_kwh_per_m_tokens(watts, rate) == pytest.approx(kwh, rel=0.005)


def test_electricity_alone_can_cost_more_than_an_api() -> None:
    assert cost.energy_kwh_per_m_tokens(1500, 53.9) * 0.15 == pytest.approx(1.16, rel=0.005)


def test_owned_machine() -> None:
    # 4x A100, 817 kWh a month at 0.10 a kWh: 81.67 of power.
    power = cost.owned_hourly(1e-9, 1, 817e3 / 730, 0.10) * cost.HOURS_PER_MONTH
    assert power == pytest.approx(81.7, rel=0.005)
    assert cost.owned_hourly(7300, 10, 0, 0.3, colocation_per_month=73) == pytest.approx(1.1)
    assert np.isnan(cost.owned_hourly(None, 10, 500, 0.3))


@pytest.mark.parametrize(
    ("rps", "at_target", "utilization", "servers"),
    [
        (1.0, 1.0, 1.0, 1),
        (1.0, 0.99, 1.0, 2),
        (0.3, 0.1, 1.0, 3),
        (0.01, 5.0, 1.0, 1),
        (10, 4, 0.5, 5),
    ],
)
def test_servers_are_whole(rps: float, at_target: float, utilization: float, servers: int) -> None:
    assert cost.servers_needed(rps, at_target, utilization) == servers


def test_a_server_without_capacity_is_no_answer() -> None:
    assert np.isnan(cost.servers_needed(1.0, 0.0))
    assert np.isnan(cost.servers_needed(1.0, np.nan))


def test_cost_at_traffic() -> None:
    # 1 request/s of 211 tokens for 730 h is 554.5 million tokens.
    assert cost.cost_per_m_at_traffic(1000, 1.0, 211) == pytest.approx(1000 / 554.508)


@pytest.mark.parametrize(
    ("month", "hour", "setup", "setup_months", "hours", "expected"),
    [
        (None, 1.0, None, 12, 730, 730.0),  # hourly only
        (100.0, None, None, 12, 200, 100.0),  # a monthly price is paid whatever the hours
        (94.99, 0.263, None, 12, 730, 94.99),  # the month caps the hours
        (94.99, 0.263, None, 12, 300, 78.9),  # and below the break-even the hours win
        (None, 0.01, None, 12, 0.33, 0.01),  # an hour begun is an hour paid
        (999.0, None, 999.0, 1, 730, 1998.0),  # setup doubles the first month
        (999.0, None, 999.0, 12, 730, 1082.25),  # and is 8.3 % over a year
        (214.0, None, 209.0, 12, 730, 231.4167),
    ],
)
def test_effective_monthly(
    month: float | None, hour: float | None, setup: float | None, setup_months: float, hours: float, expected: float
) -> None:
    assert cost.figure(cost.effective_monthly(month, hour, setup, setup_months, hours)) == pytest.approx(expected)


def test_effective_hourly_of_a_month() -> None:
    assert cost.effective_hourly(730.0) == pytest.approx(1.0)
    assert cost.effective_hourly(730.0, 365) == pytest.approx(2.0)


@pytest.mark.parametrize(("month", "hour", "hours"), [(94.99, 0.263, 361), (189, 0.3238, 584), (89.00, 0.1426, 624)])
def test_break_even_hours(month: float, hour: float, hours: float) -> None:
    assert cost.break_even_hours(month, hour) == pytest.approx(hours, rel=0.001)


def test_impossible_values_give_no_figure() -> None:
    impossible = [
        cost.cost_per_m_tokens(0, 100),
        cost.cost_per_m_tokens(-1, 100),
        cost.cost_per_m_tokens(1, 0),
        cost.cost_per_m_tokens(1, 100, 0),
        cost.cost_per_m_tokens(1, 100, 1.2),
        cost.cost_per_m_tokens(None, 100),
        cost.cost_per_m_tokens(1, float("inf")),
        cost.effective_monthly(None, None),
        cost.effective_monthly(0, 0),
        cost.effective_monthly(100, None, -5),
        cost.effective_monthly(100, None, 5, 0),
        cost.break_even_tokens_per_month(100, 0),
        cost.blended_api_price(0, 0, 1, 1),
        cost.energy_j_per_token(1000, 10, 0.5),
        cost.cost_per_m_at_traffic(100, 0, 211),
    ]
    assert [cost.figure(one) for one in impossible] == [None] * len(impossible)


def test_none_inside_a_list_is_not_known() -> None:
    found = cost.effective_monthly([None, 100.0], [1.0, None])
    assert found.tolist() == [730.0, 100.0]
