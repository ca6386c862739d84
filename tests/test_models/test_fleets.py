"""The cheapest fleets of random offers: never cheaper for more traffic, and exact on both sides of a crossing."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from models.fleets import Cheaper, Stairs, cheaper, crossings, merged, stairs, turns

MOST = 6
OFFERS = st.lists(st.tuples(st.floats(0.01, 100), st.floats(1, 10_000)), min_size=1, max_size=8)


def fleet(offers: list[tuple[float, float]]) -> Stairs:
    able, month = np.array(offers).T
    return stairs(able, month, np.arange(len(offers)), MOST)


def by_hand(offers: list[tuple[float, float]], traffic: float) -> float:
    counts = ((max(math.ceil(traffic / able - 1e-9), 1), month) for able, month in offers)
    return min((count * month for count, month in counts if count <= MOST), default=math.inf)


@given(OFFERS, st.floats(0.001, 700))
def test_the_cheapest_fleet_is_the_least_of_whole_servers(offers: list[tuple[float, float]], traffic: float) -> None:
    assert math.isclose(fleet(offers).cost_at(traffic), by_hand(offers, traffic)) or any(
        abs(traffic / able - round(traffic / able)) < 1e-6 for able, _ in offers
    )


@given(OFFERS, st.floats(0.001, 700), st.floats(1, 10))
def test_more_traffic_never_costs_less(offers: list[tuple[float, float]], traffic: float, times: float) -> None:
    assert fleet(offers).cost_at(traffic * times) >= fleet(offers).cost_at(traffic)


@given(OFFERS, OFFERS)
def test_who_is_cheaper_changes_at_a_crossing_and_nowhere_else(
    first: list[tuple[float, float]], second: list[tuple[float, float]]
) -> None:
    one, other = fleet(first), fleet(second)
    found = crossings(one, other)
    assert found[0][0] == 0
    for (_, before), (at, after) in pairwise(found):
        costs = one.cost_at(at), other.cost_at(at)
        assert costs[before] <= costs[after], "at the crossing itself the one from before still carries it as cheaply"
        above = np.nextafter(at, math.inf)
        costs = one.cost_at(above), other.cost_at(above)
        assert costs[after] < costs[before], "the next number above it the other one is cheaper"
    starts = np.array([at for at, _ in found])
    for end in np.r_[one.most, other.most].tolist():
        leader = found[int(np.searchsorted(starts, end)) - 1][1]
        costs = one.cost_at(end), other.cost_at(end)
        assert costs[leader] <= costs[1 - leader]


@given(OFFERS, OFFERS, st.floats(0.1, 10_000))
def test_an_api_is_dearer_on_one_side_of_each_turn_only(
    first: list[tuple[float, float]], second: list[tuple[float, float]], slope: float
) -> None:
    own = merged(fleet(first), fleet(second))
    cheaper = False
    for at in turns(own, slope):
        below, above = at * (1 - 1e-9), at * (1 + 1e-9)
        if not cheaper:
            assert own.cost_at(above) <= slope * above * (1 + 1e-6)
            assert own.cost_at(below) >= slope * below * (1 - 1e-6)
        else:
            assert own.cost_at(above) >= slope * above * (1 - 1e-6)
            assert own.cost_at(below) <= slope * below * (1 + 1e-6)
        cheaper = not cheaper


def test_from_where_on_fleets_are_cheaper_than_an_api() -> None:
    """One server a request/s at 100: the API costs 80 a request/s, so the first server pays from 1.25 - where there is none."""
    one = fleet([(1.0, 100.0)])
    assert cheaper(one, 80.0, MOST) is None
    # At 150: cheaper from 0.67, dearer again from 1 to 1.33, then for good: three servers pay from 2, which is where they begin.
    assert cheaper(one, 150.0, MOST) == Cheaper(100 / 150, 200 / 150, None)
    assert cheaper(one, 1000.0, MOST) == Cheaper(0.1, 0.1, None)
    assert cheaper(one, 0.0, MOST) is None


def test_what_only_the_limit_of_servers_makes_dearer_ends_the_answer() -> None:
    """Six small servers carry 6; beyond, one that costs ten times as much: more small ones would have been cheaper."""
    own = fleet([(1.0, 100.0), (20.0, 5000.0)])
    found = cheaper(own, 150.0, MOST)
    assert found is not None
    assert (found.first, found.stays) == (100 / 150, 200 / 150)
    assert found.until == float(own.most[MOST - 1])
    # With one server there is no such limit: they take turns.
    alone = stairs(np.array([1.0, 20.0]), np.array([100.0, 5000.0]), np.arange(2), 1)
    assert cheaper(alone, 150.0, 1) == Cheaper(100 / 150, None, float(alone.most[0]))


@given(OFFERS, st.floats(0.1, 10_000), st.floats(0, 2), st.floats(0, 500))
def test_extras_are_paid_by_every_fleet(
    offers: list[tuple[float, float]], slope: float, share: float, fixed: float
) -> None:
    own = fleet(offers)
    loaded = own.with_extras(share, fixed)
    assert np.allclose(loaded.cost, own.cost * (1 + share) + fixed)
    plain, more = cheaper(own, slope, MOST), cheaper(loaded, slope, MOST)
    assert more is None or (plain is not None and more.first >= plain.first)
