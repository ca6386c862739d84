"""Traffic over a day, read off hand-written hours and traces."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.demand import HOURS, Demand, facts_of, flat, parse_day
from models.errors import WorkloadError


def test_a_flat_day_with_a_peak() -> None:
    found = flat(3.0, 12.0)
    assert (found.mean, found.peak) == (3.0, 12.0)
    assert found.needed().tolist() == [12.0] * HOURS
    assert flat(3.0).peak == 3.0


def test_a_day_of_hours() -> None:
    found = parse_day([1.0] * 12 + [5.0] * 12, peak=7.5)
    assert found.mean == 3.0
    assert found.peak == 7.5
    assert found.needed()[0] == pytest.approx(1.5), "every hour has its share of the burst"


@pytest.mark.parametrize(
    "make",
    [
        lambda: parse_day([1.0] * 23),
        lambda: parse_day([0.0] * 24),
        lambda: parse_day([-1.0] + [1.0] * 23),
        lambda: parse_day([float("nan")] + [1.0] * 23),
        lambda: parse_day([5.0] * 24, peak=4.0),
        lambda: flat(3.0, 2.0),
        lambda: Demand((1.0,) * HOURS, 0.5),
        lambda: facts_of(np.array([1.0]), np.array([1.0]), np.array([1.0])),
        lambda: facts_of(np.array([5.0, 5.0]), np.array([1.0, 1.0]), np.array([1.0, 1.0])),
    ],
    ids=[f"case {number}" for number in range(9)],
)
def test_what_is_no_demand(make) -> None:
    with pytest.raises(WorkloadError):
        make()


def test_rates_of_a_short_trace() -> None:
    """Ten minutes: one request a second, and sixty more in the third minute."""
    seconds = np.r_[np.arange(600.0), np.linspace(120, 179, 60)]
    found = facts_of(seconds, np.full(660, 1000.0), np.full(660, 100.0))
    assert found.mean == pytest.approx(660 / 599)
    assert found.busiest_minute == pytest.approx(2.0)
    assert found.demand.peak == pytest.approx(2.0)
    assert found.demand.mean == pytest.approx(found.mean)
    assert (found.input_mean, found.output_p99) == (1000.0, 100.0)


def test_hours_of_the_day_are_those_of_the_clock() -> None:
    """Two days from 18:00 on, one request a minute at night and ten between 9 and 10."""
    minutes = np.arange(0, 2 * 1440)
    of_day = (minutes * 60 + 18 * 3600) % 86_400 // 3600
    seconds = np.concatenate(
        [m * 60 + np.linspace(0, 50, 10 if hour == 9 else 1) for m, hour in zip(minutes, of_day, strict=True)]
    )
    found = facts_of(seconds + 18 * 3600.0, np.ones(len(seconds)), np.ones(len(seconds)))
    assert found.demand.hourly[9] == pytest.approx(10 / 60, rel=0.02)
    assert found.demand.hourly[3] == pytest.approx(1 / 60, rel=0.02)
    assert found.demand.mean == pytest.approx(len(seconds) / (2 * 86_400), rel=0.02)


@pytest.mark.parametrize(("peak", "expected"), [("minute", 2.0), ("hour", 1.0)])
def test_what_a_peak_is(peak: str, expected: float) -> None:
    seconds = np.r_[np.arange(0.0, 7200.0), np.linspace(120, 179, 60)]
    found = facts_of(seconds, np.ones(7260), np.ones(7260), peak=peak)
    assert found.demand.peak == pytest.approx(expected, rel=0.02)


@given(st.lists(st.floats(0, 1e5), min_size=2, max_size=200).filter(lambda some: max(some) - min(some) > 1))
def test_a_peak_is_never_below_the_mean_and_order_does_not_matter(seconds: list[float]) -> None:
    ones = np.ones(len(seconds))
    found = facts_of(np.array(seconds), ones, ones)
    again = facts_of(np.array(seconds[::-1]), ones, ones)
    assert found == again
    assert found.demand.peak >= found.demand.mean * (1 - 1e-9)
    assert found.busiest_minute >= found.p99_minute


def test_a_trace_has_one_mean() -> None:
    """A part of a second day makes one hour longer observed, not the mean another one: requests over span."""
    seconds = np.linspace(0, 24.16 * 3600, 5000)
    facts = facts_of(seconds, np.ones(5000), np.ones(5000))
    assert facts.demand.mean == pytest.approx(facts.mean, rel=1e-9)
    uneven = facts_of(np.sort(np.random.default_rng(1).uniform(0, 130_000, 4000) ** 1.02), np.ones(4000), np.ones(4000))
    assert uneven.demand.mean == pytest.approx(uneven.mean, rel=1e-3)
