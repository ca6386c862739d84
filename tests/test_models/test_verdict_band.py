"""Verdicts at the ends of the error bands, and offers with room to spare, on columns written by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models import catalog
from models.traffic import Workload
from models.verdict_band import HEADROOM, corners, meets_at, month_at, with_headroom, would_meet
from models.verdict_view import look


class Columns:
    """A comparison of a few offers: CPU at 100 a month for 1 request/s, GPU at 150 for 10, one CPU just too slow."""

    def __init__(self, **changes: Any) -> None:
        self.workload = Workload(catalog.llm("Llama-3.1-8B"), requests_per_s=1.0, ttft_ms=2000.0, tpot_ms=200.0)
        base = {
            "kind": ["cpu", "gpu", "cpu"],
            "cost_currency": ["USD"] * 3,
            "provider": ["a", "b", "c"],
            "server": ["one", "two", "three"],
            "availability": [None] * 3,
            "fits": [True] * 3,
            "meets_targets": [True, True, False],
            "monthly_cost": [100.0, 150.0, 90.0],
            "servers_needed": [1.0, 1.0, 1.0],
            "most_servers": [50.0] * 3,
            "requests_per_s_at_target": [1.2, 10.0, 1.0],
            "ttft_ms": [1000.0, 100.0, 2500.0], "ttft_ms_low": [700.0, 80.0, 1800.0], "ttft_ms_high": [1500.0, 140.0, 4000.0],
            "tpot_ms": [100.0, 20.0, 100.0], "tpot_ms_low": [80.0, 18.0, 80.0], "tpot_ms_high": [130.0, 26.0, 130.0],
            "ttft_solo_ms": [900.0, 90.0, 2500.0], "tpot_solo_ms": [80.0, 10.0, 90.0],
            "output_tokens_per_s": [211.0] * 3, "output_tokens_per_s_low": [150.0] * 3, "output_tokens_per_s_high": [260.0] * 3,
        }  # fmt: skip
        self.columns = {
            name: np.array(values, dtype=object if isinstance(values[0], (str, type(None))) else None)
            for name, values in (base | changes).items()
        }

    def column(self, name: str) -> Any:
        return self.columns[name]


def test_a_slow_cpu_needs_a_second_server_and_loses() -> None:
    slow_cpu, slow_gpu = corners(Columns())
    # 1.2 requests/s x 150/211 is 0.85: two servers.
    assert (slow_cpu.cpu_cost, slow_cpu.gpu_cost, slow_cpu.cheaper) == (200.0, 150.0, "gpu")
    assert (slow_gpu.cpu_cost, slow_gpu.gpu_cost, slow_gpu.cheaper) == (100.0, 150.0, "cpu")


def test_one_that_misses_its_target_may_meet_it_at_the_fast_end() -> None:
    assert would_meet(Columns(), None, "cpu") == 1
    assert would_meet(Columns(), None, "gpu") == 0
    assert meets_at(look(Columns(), None), "low").tolist() == [True, True, False]
    assert meets_at(look(Columns(), None), "high").tolist() == [True, True, True]


def test_headroom_is_at_the_slow_end_with_half_again_the_traffic() -> None:
    # CPU: 1.5 / 0.853 is two servers, 200; GPU: one, 150.
    assert with_headroom(Columns()) == 1
    assert month_at(look(Columns(), None), "low", HEADROOM)[:2].tolist() == [200.0, 150.0]
    late = Columns(ttft_ms_high=[1500.0, 4000.0, 4000.0])
    assert with_headroom(late) == 0, "a GPU that may take 3.6 s for one request has no headroom"


def test_none_meets_at_all() -> None:
    slow_cpu, slow_gpu = corners(Columns(meets_targets=[False, False, False]))
    assert slow_cpu.cheaper == slow_gpu.cheaper == ""
    assert with_headroom(Columns(meets_targets=[False, False, False])) is None


@given(st.floats(0.05, 40), st.floats(0.05, 1.0))
def test_more_traffic_and_slower_servers_never_cost_less(traffic: float, share: float) -> None:
    view = look(Columns(output_tokens_per_s_low=[211.0 * share] * 3), None)
    once, more = month_at(view, "low", traffic), month_at(view, "low", traffic * 1.5)
    both = np.isfinite(once) & np.isfinite(more)
    assert (more[both] >= once[both]).all()
    fast = month_at(view, "high", traffic)
    both = np.isfinite(once) & np.isfinite(fast)
    assert (fast[both] <= once[both] + 1e-9).all()


def test_without_targets_one_server_carries_it_or_none_does() -> None:
    alone = Columns()
    alone.workload = alone.workload.changed(ttft_ms=None, tpot_ms=None)
    assert month_at(look(alone, None), "low")[1] == pytest.approx(150.0)
    assert np.isnan(month_at(look(alone, None), "low")[0])
