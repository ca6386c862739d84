"""Quick by structure, no clock involved: what a start loads, what is painted first, what a held-down key leaves out."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tui.screens import base, recomputing
from tui.screens.panes import Panes
from tui.widgets.offer_table import OfferTable

ROOT = Path(__file__).resolve().parents[2]
START = """
import asyncio, json, sys
from tui.app import RackrateApp
from tui.widgets.offer_table import OfferTable
paint = OfferTable.render_line
def first(table, y):
    if table.rows is not None:
        print(json.dumps(sorted(sys.modules)))
        OfferTable.render_line = paint
    return paint(table, y)
OfferTable.render_line = first
async def start():
    async with RackrateApp().run_test(size=(120, 36)) as pilot:
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
asyncio.run(start())
"""
NOT_FOR_A_TABLE = {
    *("pandas", "httpx", "pydantic", "pricing.refresh", "pricing.http", "models.fitting"),
    "numpy.ma",  # numpy.unique loads it
    "statistics",  # loads fractions, decimals and random numbers
    *("tui.plots.painter", "tui.plots.pareto", "models.checks", "models.measured_near"),  # told after the table
    *("tui.screens.export", "tui.screens.compare_screen", "tui.screens.help"),
}


def test_a_start_loads_only_what_its_first_table_needs() -> None:
    done = subprocess.run(
        [sys.executable, "-c", START], capture_output=True, text=True, check=True, cwd=ROOT, timeout=120
    )
    loaded = set(json.loads(done.stdout.splitlines()[0]))
    assert {"textual", "numpy", "pricing.compare", "tui.screens.dashboard"} <= loaded
    assert not loaded & NOT_FOR_A_TABLE


def test_a_start_reads_the_prepared_forms() -> None:
    """The slow ways to the same data are not gone."""
    code = """
from models import catalog, constants, cpu_measured, measured_rows
from pricing import bundled, bundled_servers
def slow(*words):
    raise AssertionError("run: make prepare")
constants._values = measured_rows._lines = measured_rows._sources = bundled.read_bundled = slow
bundled_servers.distinct = catalog._spellings = catalog._cpu_index = catalog._llm_index = cpu_measured._index = slow
from tui.session import Session
session = Session(); session.load(); session.recompute()
assert len(session.rows) > 1000
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, timeout=120)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was painted or made, in order."""
    order: list[str] = []
    paint, details, draw = OfferTable.render_line, base.details, Panes._draw_plot

    def painted(table: OfferTable, y: int) -> Any:
        if table.rows is not None and order[-1:] != ["table"]:
            order.append("table")
        return paint(table, y)

    def made(*words: Any) -> Any:
        order.append("details")
        return details(*words)

    def drawn(panes: Panes) -> None:
        order.append("plot")
        draw(panes)

    monkeypatch.setattr(OfferTable, "render_line", painted)
    monkeypatch.setattr(base, "details", made)
    monkeypatch.setattr(Panes, "_draw_plot", drawn)
    return order


async def test_the_first_table_is_painted_before_details_and_plot(dashboard: Any, told: list[str]) -> None:
    async with dashboard((120, 36)):
        assert told[0] == "table"
        assert {"details", "plot"} <= set(told)


async def test_a_cursor_that_passes_rows_tells_only_the_last(dashboard: Any, told: list[str]) -> None:
    async with dashboard((120, 36)) as app:
        told.clear()
        for _ in range(6):
            app.table.action_move(1)
        await app.settle()
        assert told.count("details") == 1
        assert told.index("table") < told.index("details")


async def test_keys_that_wait_are_compared_once(dashboard: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    async with dashboard((120, 36)) as app:
        asked = []
        compare = app.session.compare
        monkeypatch.setattr(app.session, "compare", lambda workload: asked.append(workload) or compare(workload))
        for _ in range(5):
            app.dashboard.change(app.session.workload.changed(requests_per_s=app.session.workload.requests_per_s * 2))
        await app.settle()
        assert asked == [app.session.workload]
        assert app.session.comparison.workload == app.session.workload


async def test_slow_comparisons_follow_each_other_and_the_latest_wins(
    dashboard: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with dashboard((120, 36)) as app:
        asked: list[float] = []
        begun, go_on = threading.Event(), threading.Event()
        compare = app.session.compare

        def slow(workload: Any) -> Any:
            asked.append(workload.requests_per_s)
            begun.set()
            assert go_on.wait(30)
            return compare(workload)

        monkeypatch.setattr(app.session, "compare", slow)
        app.dashboard.compare_ms = recomputing.INLINE_MS + 1
        for rate in (1.5, 2.5, 3.5, 4.5):
            app.dashboard.change(app.session.workload.changed(requests_per_s=rate))
            await asyncio.to_thread(begun.wait, 30)
        go_on.set()
        await app.settle()
        assert asked == [1.5, 4.5]
        assert app.session.comparison.workload.requests_per_s == 4.5
