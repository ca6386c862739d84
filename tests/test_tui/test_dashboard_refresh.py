"""Refreshing from the dashboard: progress, merging, cancel, failure, no network; the table never goes away."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from models.errors import RackrateError
from pricing.feed_state import FeedState
from pricing.market import Market
from pricing.refresh_report import Outcome, Plan, RefreshReport, Step
from tui.prices import Prices
from tui.progress import Progress
from tui.rows import Texts
from tui.screens import refresh_keys

FRESH = Outcome("runpod", "fresh", 120, skipped={"no price": 3})
FAILED = Outcome("lium", "failed", message="lium: HTTP 503.", hint="Try again later.")
OUT_OF_REACH = replace(FAILED, message="lium: no connection to lium.io.", unreachable=True)


class Feed:
    """A refresh that waits for `go`, then ends as told; reading prices again gives `offers`."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.cancelled: threading.Event | None = None
        self.asked: list[object] = []
        self.error: Exception | None = None
        self.outcomes: tuple[Outcome, ...] = (FRESH, FAILED)
        self.reads = 0

    def refresh(self, names, *, on_progress, cancelled, **_: object):
        self.cancelled = cancelled
        self.asked.append(names)
        on_progress(Plan(tuple(outcome.provider for outcome in self.outcomes)))
        for outcome in self.outcomes:
            on_progress(outcome.provider)
        on_progress(Step("lium", 2, 3_400_000))
        on_progress(self.outcomes[0])
        while not self.go.wait(0.01):
            if cancelled.is_set():
                return RefreshReport((self.outcomes[0], Outcome("lium", "cancelled", message="stopped")))
        if self.error is not None:
            raise self.error
        return RefreshReport(self.outcomes)


@pytest.fixture
def feed(monkeypatch, session):
    made = Feed()
    monkeypatch.setattr("pricing.refresh.refresh", made.refresh)
    offers = [*session.market.offers]
    offers[0] = replace(offers[0], server="came-in", offer_id="acme_came-in", price_per_hour=0.01)
    states = {one.provider: FeedState.of(one, "2026-11-30T11:51:00+00:00") for one in (FRESH, FAILED)}

    def read(settings, store, market, today=None):
        made.reads += 1
        market = Market(offers) if market is None else market
        return Prices(settings, store, market, None, Texts(market.offers), states, ())

    made.read = read
    yield made
    made.go.set()


@pytest.fixture
def merging(feed, monkeypatch):
    """From now on reading prices again gives other offers."""
    return lambda: monkeypatch.setattr("tui.prices.read", feed.read)


async def until(app, true):
    """Let the loop run until something holds."""
    for _ in range(2000):
        if true():
            return
        await app.pilot.pause()
    raise AssertionError("it never came")


def over(app):
    return app.dashboard.refreshing is None and not app.dashboard._merging


def notes(app) -> list[str]:
    return [str(note.message) for note in app.app._notifications]


@pytest.mark.parametrize("size", [(80, 24), (120, 36)], ids=["80x24", "120x36"])
async def test_progress_then_the_new_prices(dashboard, feed, merging, size):
    async with dashboard(size) as app:
        merging()
        before = app.servers()
        await app.pilot.press("r")
        await until(app, lambda: "1/2" in app.line("header"))
        assert "▮▮▯▯▯" in app.line("header")
        if size[0] > 100:
            assert "lium 3 MB" in app.line("header")
        assert app.servers() == before
        await app.pilot.press("j", "=")  # everything else goes on
        await app.settle()
        assert app.session.workload.requests_per_s == 2
        feed.go.set()
        await until(app, lambda: over(app) and feed.reads)
        await app.settle()
        assert app.app.screen is app.dashboard  # no dialog jumps at whoever is working
        assert "came-in" in app.servers()
        assert any("1 of 2 fresh, 1 failed" in note and "F tells what happened" in note for note in notes(app))
        assert "1/2" in app.line("header")
        assert "refreshing" not in app.line("header")


async def test_what_has_come_in_is_merged_while_others_are_asked(dashboard, feed, merging, monkeypatch):
    monkeypatch.setattr(refresh_keys, "MERGE_S", 0.0)
    async with dashboard() as app:
        merging()
        await app.press("down", "down")
        followed = app.session.rows.offer(app.table.current).offer_id
        app.session.marks.append(followed)
        await app.pilot.press("r")
        await until(app, lambda: "came-in" in app.servers())
        assert app.dashboard.refreshing is not None
        assert app.session.rows.offer(app.table.current).offer_id == followed
        assert app.session.marks == [followed]
        feed.go.set()
        await until(app, lambda: over(app))
        await app.settle()


async def test_a_workload_changed_during_a_merge_is_the_one_compared(dashboard, feed, merging):
    async with dashboard() as app:
        merging()
        compare, first = app.session.compare, []

        def slow(workload, found=None):
            if found is not None and not first:
                first.append(workload)
                app.app.call_from_thread(app.dashboard.change, workload.changed(requests_per_s=50.0))
            return compare(workload, found)

        app.session.compare = slow
        feed.go.set()
        await app.pilot.press("r")
        await until(app, lambda: "came-in" in app.servers() and over(app))
        await app.settle()
        assert first
        assert app.session.comparison.workload.requests_per_s == 50.0
        assert app.session.comparison.market is app.session.market


async def test_a_comparison_of_the_old_market_that_comes_late_is_not_shown(dashboard, feed, merging):
    async with dashboard() as app:
        merging()
        late = app.session.comparison
        feed.go.set()
        await app.pilot.press("r")
        await until(app, lambda: "came-in" in app.servers() and over(app))
        app.dashboard._accept(late)
        await app.settle()
        assert "came-in" in app.servers()
        assert app.session.comparison.market is app.session.market


async def test_escape_cancels_and_keeps_what_has_come_in(dashboard, feed, merging):
    async with dashboard() as app:
        merging()
        await app.pilot.press("r")
        await until(app, lambda: "1/2" in app.line("header"))
        await app.pilot.press("escape")
        assert feed.cancelled.is_set()
        assert "refreshing" not in app.line("header")
        feed.go.set()  # an answer that comes later is not listened to
        await until(app, lambda: feed.reads and over(app))
        await app.settle()
        assert app.app.screen is app.dashboard
        assert "came-in" in app.servers()
        assert any("what one had sent is in" in note for note in notes(app))
        assert "refreshing" not in app.line("header")


async def test_a_stopped_refresh_does_not_end_the_next_one(dashboard, feed, merging):
    async with dashboard() as app:
        merging()
        await app.pilot.press("r")
        await until(app, lambda: feed.cancelled is not None)
        first = feed.cancelled
        await app.pilot.press("escape", "r")
        await until(app, lambda: feed.cancelled is not first)
        await app.pilot.pause(0.1)
        assert not feed.cancelled.is_set()
        assert "refreshing" in app.line("header")
        feed.go.set()
        await until(app, lambda: over(app))
        await app.settle()


async def test_a_second_refresh_is_refused_once(dashboard, feed):
    async with dashboard() as app:
        await app.pilot.press("r", "r", "r")
        await until(app, lambda: feed.cancelled is not None)
        assert len([note for note in notes(app) if "running already" in note]) == 1


async def test_a_refresh_runs_where_leaving_does_not_wait_for_it(dashboard, feed, monkeypatch):
    ran_in = []
    run = refresh_keys.run_refresh
    monkeypatch.setattr(
        refresh_keys, "run_refresh", lambda *args: (ran_in.append(threading.current_thread()), run(*args))[1]
    )
    async with dashboard() as app:
        await app.pilot.press("r")
        await until(app, lambda: feed.cancelled is not None)
    assert ran_in[0].daemon


@pytest.mark.parametrize("error", [RackrateError("No disk."), ValueError("surprise")], ids=["told", "bug"])
async def test_a_failing_refresh_is_told_and_changes_nothing(dashboard, feed, merging, error):
    async with dashboard() as app:
        merging()
        before = app.servers()
        feed.error = error
        feed.go.set()
        await app.pilot.press("r")
        await until(app, lambda: app.dashboard.refreshing is None and feed.cancelled is not None)
        await app.settle()
        assert app.servers() == before
        assert any(str(error.args[0]) in note and note.startswith("Failed: ") for note in notes(app))


@pytest.mark.parametrize("size", [(80, 24), (120, 36)], ids=["80x24", "120x36"])
async def test_without_a_network_the_prices_stay_and_the_header_says_offline(dashboard, feed, monkeypatch, size):
    async with dashboard(size) as app:
        before = app.servers()
        feed.outcomes = (OUT_OF_REACH, replace(OUT_OF_REACH, provider="runpod"))
        states = {one.provider: FeedState.of(one, "2026-11-30T12:00:00+00:00") for one in feed.outcomes}
        read = app.session.read
        monkeypatch.setattr(app.session, "read", lambda **_: read()._replace(feed_states=states))
        feed.go.set()
        await app.pilot.press("r")
        await until(app, lambda: feed.cancelled is not None and over(app))
        await app.settle()
        assert any(note.startswith("No network: kept 12 prices of 20") for note in notes(app))
        assert "offline" in app.line("header")
        assert app.servers() == before
        await app.press("=", "down")  # nothing else suffers
        assert app.session.workload.requests_per_s == 2
        text = "\n".join(app.screen_text())
        assert "offline" in text


async def test_leaving_stops_the_refresh(dashboard, feed):
    async with dashboard() as app:
        await app.pilot.press("r")
        await until(app, lambda: feed.cancelled is not None)
    assert feed.cancelled.is_set()


def test_progress_says_what_each_feed_does():
    progress = Progress()
    progress.take(Plan(("a", "b", "c", "d")))
    assert progress.state("a") == "waiting"
    assert progress.state("e") == ""
    progress.take("a")
    assert progress.state("a") == "asking"
    progress.take(Step("a", 1, 900))
    assert progress.state("a") == "1 answer"
    progress.take(Step("a", 7, 9000))
    assert progress.state("a") == "7 answers"
    progress.take(Step("a", 9, 12_340_000))
    assert progress.state("a") == "12.3 MB read"
    progress.take(replace(FRESH, provider="a"))
    assert progress.state("a") == ""
    assert progress.text == "refreshing 1/4 ▮▯▯▯▯"


@pytest.mark.parametrize("width", [60, 80, 100, 160])
async def test_a_refresh_leaves_the_currency_in_the_header(dashboard, feed, width):
    async with dashboard((width, 24)) as app:
        assert "USD" in app.line("header")
        progress = Progress(tuple(f"provider-{n}" for n in range(24)))
        progress.started += ["skypilot-catalogue", "sparecores-prices"]
        progress.read["skypilot-catalogue"] = 12_000_000
        app.dashboard.refreshing = progress
        app.dashboard.show()
        header = app.line("header")
        assert "refreshing 0/24" in header
        assert "USD" in header
        assert "10 of 12" in header
        assert width < 80 or ("rackrate" in header and "? help" in header)
        app.dashboard.refreshing = None
