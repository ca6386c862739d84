"""Verdicts at the ends of the error bands, and offers with room to spare, on columns written by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from models import catalog
from models.traffic import Workload
from models.verdict_band import HEADROOM, Roomy, corners, with_headroom, would_meet

if TYPE_CHECKING:
    from collections.abc import Sequence


class Columns:
    """A comparison of a few offers: CPU at 100 a month for 1 request/s, GPU at 150 for 10, one CPU just too slow."""

    def __init__(self, low: Any = None, high: Any = None, roomy: Any = None, **changes: Any) -> None:
        self.ends = {("low", 1.0): low or {}, ("high", 1.0): high or {}, ("low", HEADROOM): roomy or {}}
        self.changes = changes
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

    def at_end(self, end: str, times: float = 1.0) -> Columns:
        return Columns(**(self.changes | self.ends[end, times]))

    def months_at(self, offers: Sequence[int], end: str) -> tuple[float, ...]:
        return tuple(self.at_end(end).column("monthly_cost")[list(offers)].tolist())


def test_a_slow_cpu_needs_a_second_server_and_loses() -> None:
    slow_cpu, slow_gpu = corners(Columns(low={"monthly_cost": [200.0, 150.0, 90.0], "servers_needed": [2.0, 1.0, 1.0]}))
    assert (slow_cpu.cpu_cost, slow_cpu.gpu_cost, slow_cpu.cheaper) == (200.0, 150.0, "gpu")
    assert (slow_gpu.cpu_cost, slow_gpu.gpu_cost, slow_gpu.cheaper) == (100.0, 150.0, "cpu")


def test_more_servers_than_anybody_runs_are_no_answer_at_an_end() -> None:
    slow_cpu, _ = corners(Columns(low={"servers_needed": [60.0, 1.0, 1.0], "monthly_cost": [6000.0, 150.0, 90.0]}))
    assert np.isinf(slow_cpu.cpu_cost)


def test_one_that_misses_its_target_may_meet_it_at_the_fast_end() -> None:
    found = Columns(high={"meets_targets": [True, True, True]})
    assert would_meet(found, None, "cpu") == 1
    assert would_meet(found, None, "gpu") == 0
    assert would_meet(Columns(), None, "cpu") == 0


def test_headroom_counts_its_own_servers() -> None:
    found = with_headroom(Columns(roomy={"monthly_cost": [200.0, 150.0, 180.0], "servers_needed": [2.0, 1.0, 2.0]}))
    assert found == Roomy(1, 1, 150.0)
    dear = with_headroom(Columns(roomy={"monthly_cost": [200.0, 450.0, 180.0], "servers_needed": [2.0, 3.0, 2.0]}))
    assert dear == Roomy(0, 2, 200.0), "the third misses its targets at the estimate"
    late = with_headroom(Columns(roomy={"meets_targets": [False, False, True]}))
    assert late is None


def test_none_meets_at_all() -> None:
    slow_cpu, slow_gpu = corners(Columns(meets_targets=[False, False, False]))
    assert slow_cpu.cheaper == slow_gpu.cheaper == ""
    assert with_headroom(Columns(meets_targets=[False, False, False])) is None
