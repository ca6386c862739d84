"""Bills of fleets by hand, and that a mix is never dearer than what it is mixed of."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.demand import parse_day
from models.fleet_plan import kept_on, plans, servers_by_hour, start_hours

OFFICE = parse_day([1.0] * 8 + [10.0] * 8 + [1.0] * 8)
DAYS = 730 / 24


def one(**changes: float) -> object:
    facts = {"able": 2.0, "month": 730.0, "hour": 1.0, "base_month": 400.0, "start_s": 0.0} | changes
    spare = int(facts.pop("spare", 0))
    able = np.array([facts.pop("able")])
    return plans(OFFICE, able, spare=spare, **{name: np.array([value], dtype=float) for name, value in facts.items()})


def test_servers_of_each_hour() -> None:
    assert servers_by_hour(OFFICE, np.array([2.0])).tolist() == [[1.0] * 8 + [5.0] * 8 + [1.0] * 8]
    assert servers_by_hour(OFFICE, np.array([2.0]), spare=1)[0, 10] == 6
    assert np.isnan(servers_by_hour(OFFICE, np.array([np.nan]))).all()


def test_a_start_is_paid_in_begun_hours() -> None:
    by_hour = servers_by_hour(OFFICE, np.array([2.0]))
    assert start_hours(by_hour, np.array([0.0])).tolist() == [4.0], "a minute of engine start is an hour begun"
    assert start_hours(by_hour, np.array([3600.0])).tolist() == [8.0]


def test_three_ways_to_pay() -> None:
    """Always on: 5 x 400. By the hour: (16 x 1 + 8 x 5 + 4) x 30.4 days. Base of one, and four for eight hours with their starts."""
    found = one()
    assert found.at_mean[0] == 2
    assert found.at_peak[0] == 5
    assert found.always_on[0] == pytest.approx(2000)
    assert found.by_hour[0] == pytest.approx(60 * DAYS)
    assert found.base[0] == 1
    assert found.base_and_peak[0] == pytest.approx(400 + (32 + 4) * DAYS)


def test_without_an_hourly_price_there_is_nothing_to_stop() -> None:
    found = one(hour=np.nan)
    assert np.isnan(found.by_hour[0])
    assert found.base_and_peak[0] == pytest.approx(found.always_on[0])


def test_a_spare_server_is_one_in_every_hour() -> None:
    assert one(spare=1).always_on[0] - one().always_on[0] == pytest.approx(400)
    assert one(spare=1).by_hour[0] - one().by_hour[0] == pytest.approx(24 * DAYS)


def test_a_pause_no_longer_than_a_start_is_not_worth_stopping_for() -> None:
    """Hours 3 and 4 without the second server: a start of two hours keeps it, one of an hour does not; so across midnight."""
    day = np.array([[2.0, 2, 2, 1, 1, 2, 2, *[1.0] * 16, 1]])
    long, short = np.array([3600.0]), np.array([0.0])
    assert kept_on(day, long).tolist() == [[2.0] * 7 + [1.0] * 17]
    assert kept_on(day, short).tolist() == day.tolist()
    turned = np.roll(day, -4, axis=1)
    assert kept_on(turned, long).tolist() == np.roll(kept_on(day, long), -4, axis=1).tolist()
    assert kept_on(day, np.array([30 * 3600.0])).tolist() == [[2.0] * 24], "who takes a day to start is never stopped"


def test_a_long_start_is_paid_by_hand() -> None:
    """Five servers for 8 hours, one for 16: the four are started for two hours, or kept through a pause of two."""
    assert one(start_s=3600).by_hour[0] == pytest.approx((16 + 40 + 8) * DAYS)
    rates = [10.0, 1.0, 1.0] + [10.0] * 21
    found = plans(
        parse_day(rates), np.array([2.0]),
        month=np.array([730.0]), hour=np.array([1.0]), base_month=np.array([730.0]), start_s=np.array([3600.0]),
    )  # fmt: skip
    assert found.by_hour[0] == pytest.approx(5 * 730), "kept on: as dear as to stop and start for two hours"


def bill(rates: list[float], able: float, hour: float, share: float, start: float, spare: int = 0) -> object:
    return plans(
        parse_day(rates), np.array([able]), spare=spare,
        month=np.array([hour * 730]), hour=np.array([hour]), base_month=np.array([hour * 730 * share]), start_s=np.array([start]),
    )  # fmt: skip


RATES = st.lists(st.floats(0, 50), min_size=24, max_size=24).filter(lambda rates: max(rates) > 0.1)


@given(RATES, st.floats(1.5, 20), st.floats(0.1, 10), st.floats(0.2, 1.0), st.floats(0, 40_000), st.integers(0, 2))
def test_a_mix_is_never_dearer_than_what_it_is_mixed_of(
    rates: list[float], able: float, hour: float, share: float, start: float, spare: int
) -> None:
    found = bill(rates, able, hour, share, start, spare)
    assert found.at_peak[0] <= 50
    assert found.base_and_peak[0] <= found.always_on[0] * (1 + 1e-9)
    assert found.base_and_peak[0] <= found.by_hour[0] * (1 + 1e-9)


@given(
    RATES,
    st.lists(st.floats(0, 20), min_size=24, max_size=24),
    st.floats(2, 20),
    st.floats(0.1, 10),
    st.floats(0.2, 1.0),
    st.floats(0, 40_000),
)
def test_more_traffic_at_any_hour_never_costs_less(
    rates: list[float], more: list[float], able: float, hour: float, share: float, start: float
) -> None:
    less = bill(rates, able, hour, share, start)
    full = bill([one + other for one, other in zip(rates, more, strict=True)], able, hour, share, start)
    assert (full.costs >= less.costs * (1 - 1e-9)).all()
    assert full.at_mean[0] >= less.at_mean[0]


@given(RATES, st.floats(2, 20), st.floats(0.1, 10), st.floats(0.2, 1.0))
def test_the_base_is_the_best_of_all_that_can_be_tried(
    rates: list[float], able: float, hour: float, share: float
) -> None:
    """Counted once more by hand, server by server: with starts of an hour each server of the day stands alone."""
    servers = np.maximum(np.ceil(np.array(rates) / able - 1e-9), 1)
    cost = 0.0
    for level in range(1, int(servers.max()) + 1):
        on = servers >= level
        starts = int((on & ~np.roll(on, 1)).sum())
        cost += min((int(on.sum()) + starts) * DAYS * hour, hour * 730 * share)
    assert bill(rates, able, hour, share, 0.0).base_and_peak[0] == pytest.approx(cost)
