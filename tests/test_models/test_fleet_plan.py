"""Bills of fleets by hand, and that a mix is never dearer than what it is mixed of."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.demand import parse_day
from models.fleet_plan import plans, servers_by_hour, start_hours

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


@given(
    st.lists(st.floats(0, 50), min_size=24, max_size=24).filter(lambda rates: max(rates) > 0.1),
    st.floats(0.5, 20),
    st.floats(0.1, 10),
    st.floats(0.2, 1.0),
    st.floats(0, 7200),
)
def test_a_mix_is_never_dearer_than_what_it_is_mixed_of(
    rates: list[float], able: float, hour: float, share: float, start: float
) -> None:
    month = hour * 730
    found = plans(
        parse_day(rates), np.array([able]),
        month=np.array([month]), hour=np.array([hour]), base_month=np.array([month * share]), start_s=np.array([start]),
    )  # fmt: skip
    if found.at_peak[0] <= 50:
        assert found.base_and_peak[0] <= found.always_on[0] * (1 + 1e-9)
        assert found.base_and_peak[0] <= found.by_hour[0] * (1 + 1e-9)
    more = plans(
        parse_day([rate * 1.5 for rate in rates]), np.array([able]),
        month=np.array([month]), hour=np.array([hour]), base_month=np.array([month * share]), start_s=np.array([start]),
    )  # fmt: skip
    assert more.always_on[0] >= found.always_on[0] * (1 - 1e-9)
