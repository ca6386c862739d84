"""Refreshing from the dashboard: progress, report, cancel, failure; the table never goes away."""

from __future__ import annotations

import threading

import pytest

from models.errors import RackrateError
from pricing.refresh_report import Outcome, RefreshReport
from tui.screens import dialogs

OUTCOMES = (
    Outcome("runpod", "fresh", 120, skipped={"no price": 3}),
    Outcome("lium", "failed", message="lium: HTTP 503.", hint="Try again later."),
)


@pytest.fixture
def feed(monkeypatch):
    """A refresh that waits for `go`, then ends as told."""

    class Feed:
        go = threading.Event()
        cancelled: threading.Event | None = None
        error: Exception | None = None

    Feed.go = threading.Event()

    def refresh(names, *, store, on_progress, mirror, cancelled, bundled, regions):
        Feed.cancelled = cancelled
        for outcome in OUTCOMES:
            on_progress(outcome.provider)
        on_progress(OUTCOMES[0])
        while not Feed.go.wait(0.01):
            if cancelled.is_set():
                return RefreshReport((OUTCOMES[0], Outcome("lium", "cancelled", message="stopped")))
        if Feed.error is not None:
            raise Feed.error
        return RefreshReport(OUTCOMES)

    monkeypatch.setattr("pricing.refresh.refresh", refresh)
    yield Feed
    Feed.go.set()


async def until(app, true):
    """Let the loop run until something holds."""
    for _ in range(2000):
        if true():
            return
        await app.pilot.pause()
    raise AssertionError("it never came")


async def test_progress_then_report(dashboard, feed):
    async with dashboard() as app:
        before = app.servers()
        await app.pilot.press("r")
        await until(app, lambda: "1/2" in app.line("header"))
        assert "lium" in app.line("header")
        assert app.servers() == before
        await app.pilot.press("j", "=")  # everything else goes on
        assert app.session.workload.requests_per_s == 2
        feed.go.set()
        await until(app, lambda: app.app.screen is not app.dashboard)
        await app.settle()
        report = app.app.screen.query_one("TextPane").plain
        assert "1 of 2 fresh" in report
        assert "HTTP 503" in report
        assert "3 left out" in report
        await app.press("escape")
        assert app.dashboard.refreshing is None
        assert "refreshing" not in app.line("header")
        assert len(app.servers()) > 1000  # the bundled prices were read again


async def test_escape_cancels(dashboard, feed):
    async with dashboard() as app:
        await app.pilot.press("r")
        await until(app, lambda: feed.cancelled is not None)
        before = app.servers()
        await app.pilot.press("escape")
        assert feed.cancelled.is_set()
        assert "refreshing" not in app.line("header")
        feed.go.set()  # an answer that comes later is not listened to
        await app.pilot.pause(0.1)
        await app.settle()
        assert app.app.screen is app.dashboard
        assert app.servers() == before
        assert "refreshing" not in app.line("header")


async def test_a_stopped_refresh_does_not_end_the_next_one(dashboard, feed):
    async with dashboard() as app:
        await app.pilot.press("r")
        await until(app, lambda: feed.cancelled is not None)
        first = feed.cancelled
        await app.pilot.press("escape", "r")
        await until(app, lambda: feed.cancelled is not first)
        await app.pilot.pause(0.1)
        assert not feed.cancelled.is_set()
        assert "refreshing" in app.line("header")
        feed.go.set()
        await until(app, lambda: app.app.screen is not app.dashboard)
        await app.settle()


async def test_a_second_refresh_is_refused_once(dashboard, feed):
    async with dashboard() as app:
        await app.pilot.press("r", "r", "r")
        await until(app, lambda: feed.cancelled is not None)
        told = [note for note in app.app._notifications if "running already" in note.message]
        assert len(told) == 1


async def test_a_refresh_runs_where_leaving_does_not_wait_for_it(dashboard, feed, monkeypatch):
    ran_in = []
    run = dialogs.run_refresh
    monkeypatch.setattr(
        dialogs, "run_refresh", lambda *args: (ran_in.append(threading.current_thread()), run(*args))[1]
    )
    async with dashboard() as app:
        await app.pilot.press("r")
        await until(app, lambda: feed.cancelled is not None)
    assert ran_in[0].daemon


def test_exchange_rates_are_not_called_prices():
    report = RefreshReport((Outcome("ecb", "fresh", 2), Outcome("runpod", "fresh", 120)))
    text = "\n".join("".join(part for part, _ in line) for line in dialogs.report_lines(report, 80))
    assert "2 rates" in text
    assert "120 prices" in text


@pytest.mark.parametrize("error", [RackrateError("No network."), ValueError("surprise")])
async def test_a_failing_refresh_is_told_and_changes_nothing(dashboard, feed, error):
    async with dashboard() as app:
        before = app.servers()
        feed.error = error
        feed.go.set()
        await app.pilot.press("r")
        await until(app, lambda: app.dashboard.refreshing is None and feed.cancelled is not None)
        await app.settle()
        assert app.servers() == before
        assert any(str(error.args[0]) in str(note.message) for note in app.app._notifications)


async def test_leaving_stops_the_refresh(dashboard, feed):
    async with dashboard() as app:
        await app.pilot.press("r")
        await until(app, lambda: feed.cancelled is not None)
    assert feed.cancelled.is_set()
