"""The search for the largest concurrency against a count one by one, and rows alone against rows together."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.random_cases import random_case
from models.build import cut
from models.constants import constants
from models.gpu_speed import GpuSpeed
from models.serving import at_concurrency, largest_concurrency, open_loop

COUNT, LIMIT = 400, 300


def _speed(seed: int, count: int = COUNT) -> GpuSpeed:
    return GpuSpeed(random_case(count, seed), constants().gpu)


def _limits(seed: int, count: int = COUNT) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, LIMIT, count).astype(float)


@pytest.mark.parametrize(
    ("seed", "ttft_s", "tpot_s"), [(1, 2.0, 0.05), (2, 0.5, None), (3, None, 0.02), (4, 10.0, 0.2), (5, None, None)]
)
def test_the_search_finds_what_counting_finds(seed: int, ttft_s: float | None, tpot_s: float | None) -> None:
    """N meets both targets and N + 1 does not (or is above the limit), as trying 1, 2, 3, ... says."""
    speed, limit = _speed(seed), _limits(seed)
    users, load = largest_concurrency(speed, limit, ttft_s, tpot_s)
    counted = np.zeros(COUNT)
    going = limit >= 1
    for n in range(1, LIMIT + 1):
        at = at_concurrency(speed, np.full(COUNT, float(n)))
        going = going & (n <= limit) & (at.ttft <= (ttft_s or np.inf)) & (at.tpot <= (tpot_s or np.inf))
        counted[going] = n
    np.testing.assert_array_equal(users, counted)
    np.testing.assert_array_equal(load.sequences, np.maximum(counted, 1.0))
    assert len(np.unique(users)) > 5


def test_targets_may_differ_from_case_to_case() -> None:
    speed, limit = _speed(6), _limits(6)
    targets = np.random.default_rng(6).uniform(0.01, 0.2, COUNT)
    users, _ = largest_concurrency(speed, limit, None, targets)
    for i in range(0, COUNT, 40):
        one = speed.take(np.array([i]))
        assert largest_concurrency(one, limit[[i]], None, float(targets[i]))[0] == users[i]


def test_random_arrivals_come_close_to_the_target() -> None:
    """The average N is no whole number: a quarter of a percent more misses."""
    speed, limit = _speed(7), np.maximum(_limits(7), 1.0)
    users, load = largest_concurrency(speed, limit, 1.0, 0.04, arrivals=True)
    answered = users > 0
    n = load.sequences
    rare = n <= 0.0201
    assert (((load.ttft <= 1.0) & (load.tpot <= 0.04)) | rare)[answered].all()
    more = at_concurrency(speed, n * 1.0025, arrivals=True)
    full = n * 1.0025 > limit
    assert ((more.ttft > 1.0) | (more.tpot > 0.04) | full)[answered].all()
    assert ((users == np.maximum(np.floor(n + 1e-9), 1)) | ~answered).all()


@pytest.mark.parametrize("arrivals", [False, True])
def test_rate_and_latency_belong_together(arrivals: bool) -> None:
    """N = rate x time in the server, and the wait is the one that this rate makes."""
    speed, n = _speed(8), np.maximum(_limits(8), 1.0)
    load = at_concurrency(speed, n, arrivals=arrivals)
    tpot, idle, prompt = speed.steady(n)
    np.testing.assert_allclose(load.requests_per_s * (load.ttft + speed.o * tpot), n, rtol=1e-12)
    queues = prompt if arrivals else prompt * (n > 1)
    np.testing.assert_allclose(load.ttft, idle + speed.queued(load.requests_per_s * queues), rtol=1e-6)


def test_a_row_alone_and_rows_together_give_the_same_numbers() -> None:
    """More rows than one block, cut in two, and single ones."""
    count = 9_000
    case = random_case(count, 9)
    limit = _limits(9, count)
    speed = GpuSpeed(case, constants().gpu)
    users, load = largest_concurrency(speed, limit, 2.0, 0.05)
    for index in (np.arange(8_000, 9_000), *(np.array([i]) for i in range(0, count, 450))):
        some = GpuSpeed(cut(case, index), constants().gpu)
        fewer, its = largest_concurrency(some, limit[index], 2.0, 0.05)
        np.testing.assert_array_equal(fewer, users[index])
        for name in ("ttft", "tpot", "requests_per_s"):
            np.testing.assert_allclose(getattr(its, name), getattr(load, name)[index], rtol=1e-9)
        for name in ("prefill_alone", "kv_per_sequence", "fixed", "weights", "expert_weights"):
            np.testing.assert_allclose(getattr(some, name), getattr(speed, name)[index], rtol=1e-9)


def test_numbers_instead_of_arrays() -> None:
    """One case without any array has one answer without a dimension."""
    speed = _speed(10, 1).take(np.array([0]))
    users, load = largest_concurrency(speed, 64, 2.0, 0.05)
    assert users.shape == load.tpot.shape == (1,)


def test_an_open_loop_is_the_closed_loop_of_its_own_load() -> None:
    """The N that a rate leads to gives that rate back, as near as the damped iteration comes."""
    speed = _speed(11)
    full = at_concurrency(speed, np.full(COUNT, 64.0), arrivals=True)
    load = open_loop(speed, full.requests_per_s * 0.5, np.full(COUNT, 64.0))
    calm = ~load.saturated & (load.sequences > 0.01)
    back = at_concurrency(speed, load.sequences, arrivals=True)
    np.testing.assert_allclose(back.requests_per_s[calm], load.requests_per_s[calm], rtol=0.03)
