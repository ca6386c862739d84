"""The list of price feeds: what each said last, its age, what to do; live while a refresh runs."""

from __future__ import annotations

import csv
import io
import threading
from datetime import UTC, datetime

import pytest

from pricing.feed_state import FeedState
from pricing.provider import About
from pricing.refresh_report import Outcome, Plan, RefreshReport, Step
from tui import clock, exporting, feeds
from tui.cells import CHECK_PRICE
from tui.columns import COLUMNS
from tui.details import details
from tui.progress import Progress
from tui.screens.feeds_screen import FeedsScreen
from tui.screens.help import SIGNS

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
RECENT, EARLIER = "2026-11-30T11:51:00+00:00", "2026-11-21T12:00:00+00:00"
SIZES = [(80, 24), (120, 36)]
BOTH = pytest.mark.parametrize("size", SIZES, ids=["80x24", "120x36"])

STATES = {
    state.provider: state
    for state in (
        FeedState("runpod", "fresh", RECENT, 120, skipped=(("no price", 3),), seconds=1.4, fetched_at=RECENT),
        FeedState("vast", "unchanged", RECENT, 900, fetched_at=RECENT),
        FeedState("lium", "failed", RECENT, 0, "lium.io answered 429.", "It limits how often it is asked; try again in 60 s.",
                  fetched_at=EARLIER),
        FeedState("oci", "held", RECENT, 0, "held back, 40 % of the prices moved.",
                  "If that is right: rackrate refresh oci --accept oci", fetched_at=EARLIER),
        FeedState("azure", "fresh", RECENT, 4000, remarks=("not answered: azure spot: it answered 500; their last prices stay",),
                  missing=("azure spot: it answered 500",), fetched_at=RECENT),
        FeedState("hetzner", "failed", RECENT, 0, "unexpected answer (KeyError: 'price')",
                  "The feed may have changed; old prices stay in use."),
        FeedState("skypilot", "skipped", RECENT, 0, "not needed: all its providers answered"),
    )
}  # fmt: skip


@pytest.fixture(autouse=True)
def _day(monkeypatch):
    monkeypatch.setenv("RACKRATE_TODAY", "2026-11-30")
    for name in ("LAMBDA_API_KEY", "DIGITALOCEAN_TOKEN"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def with_states(make_session):
    def make():
        made = make_session()
        made.feed_states = dict(STATES)
        made.read = lambda **_: pytest.fail("nothing is to be read")
        made.load = lambda: None
        return made

    return make


def text(app) -> str:
    return "\n".join(line.rstrip() for line in app.screen_text())


def line_of(app, name: str) -> str:
    return next((line for line in app.screen_text() if f"  {name} " in line), "")


@BOTH
async def test_the_header_counts_the_feeds_and_opens_the_list(dashboard, with_states, size):
    async with dashboard(size, session=with_states()) as app:
        shown = "3/6 ok, 9 min ago" if size[0] < 100 else "3/6 feeds ok, 9 min ago"
        assert shown in app.line("header")
        x = next(x for x, part, _ in app.dashboard.line("header").placed if part.text.startswith("3/6"))
        await app.pilot.click("#header", offset=(x + 2, 0))
        await app.settle()
        assert isinstance(app.app.screen, FeedsScreen)


@BOTH
async def test_each_feed_says_what_happened_how_old_it_is_and_what_to_do(dashboard, with_states, size):
    async with dashboard(size, session=with_states()) as app:
        await app.press("F")
        assert "3/6 feeds ok, 9 min ago." in text(app)
        seen = text(app)
        assert "ok" in line_of(app, "azure")
        assert "ok, 1 part without an answer" in line_of(app, "azure")
        assert "9 min ago" in line_of(app, "azure")
        assert "4,000" in line_of(app, "azure")
        assert "never asked" in line_of(app, "aws")
        lium = line_of(app, "lium")
        if size[1] > 30:
            assert "9 d ago" in lium
            assert "answered 429" in lium
            assert "held back: 40 % of the" in line_of(app, "oci")
            assert "not asked: not needed" in line_of(app, "skypilot")
        assert "esc closes" in seen


@BOTH
async def test_enter_shows_all_that_is_known_of_a_feed(dashboard, with_states, size):
    async with dashboard(size, session=with_states()) as app:
        await app.press("F")
        pane = app.app.screen.query_one("ChoiceList")
        pane.cursor = [choice.id for choice in pane.choices].index("lium")
        await app.press("enter")
        shown = " ".join(app.app.screen.query_one("TextPane").plain.split())
        assert "failed: lium.io answered 429." in shown
        assert "what to do It limits how often it is asked; try again in 60 s." in shown
        assert "asked 9 min ago (2026-11-30 11:51 UTC)" in shown
        assert "in use fetched 9 d ago (2026-11-21 12:00 UTC)" in shown
        assert "Price feed lium" in text(app)
        await app.press("escape", "escape")
        assert app.app.screen is app.dashboard


async def test_a_broken_or_missing_store_is_an_empty_list_of_states(dashboard):
    async with dashboard((80, 24)) as app:
        await app.press("F")
        assert "Nothing was fetched so far" in text(app)


@pytest.fixture
def asked(monkeypatch):
    """A refresh that goes on as far as the test lets it."""

    class Asked:
        names: object = "nobody"
        go = threading.Event()
        cancelled: threading.Event | None = None

    Asked.go = threading.Event()

    def refresh(names, *, on_progress, cancelled, **_: object):
        Asked.names, Asked.cancelled = names, cancelled
        on_progress(Plan(("runpod", "vast", "lium")))
        on_progress("runpod")
        on_progress("vast")
        on_progress(Step("vast", 3, 4_200_000))
        failed = Outcome("runpod", "failed", message="runpod: it answered 503.", hint="Try again later.")
        on_progress(failed)
        while not Asked.go.wait(0.01) and not cancelled.is_set():
            pass
        return RefreshReport((failed, Outcome("vast", "fresh", 900), Outcome("lium", "fresh", 30)))

    monkeypatch.setattr("pricing.refresh.refresh", refresh)
    yield Asked
    Asked.go.set()


async def until(app, true):
    for _ in range(2000):
        if true():
            return
        await app.pilot.pause()
    raise AssertionError("it never came")


@pytest.mark.parametrize("size", [(80, 40), (120, 36)], ids=["80x40", "120x36"])
async def test_the_list_is_live_while_a_refresh_runs(dashboard, asked, size):
    async with dashboard(size) as app:
        await app.pilot.press("F", "R")
        await until(app, lambda: "4.2 MB read" in line_of(app, "vast"))
        assert asked.names is None
        assert "waiting" in line_of(app, "lium")
        assert "failed: it answered 503." in line_of(app, "runpod")
        assert "refreshing 1/3" in text(app)
        assert "stops the refresh" in text(app)
        await app.pilot.press("escape")  # the refresh goes on
        await app.pilot.pause()
        assert app.app.screen is app.dashboard
        assert app.dashboard.refreshing is not None
        await app.pilot.press("F")
        await app.pilot.pause()
        await app.pilot.press("x")
        await app.pilot.pause()
        assert asked.cancelled.is_set()
        assert app.dashboard.refreshing is None
        assert "stops the refresh" not in text(app)


async def test_one_feed_is_fetched_alone(dashboard, asked):
    async with dashboard() as app:
        await app.pilot.press("F", "down", "down", "r")
        await until(app, lambda: asked.names != "nobody")
        pane = app.app.screen.query_one("ChoiceList")
        assert asked.names == (pane.choices[2].id,)


def test_what_the_states_amount_to():
    found = feeds.summarize(STATES)
    assert (found.good, found.asked, found.moment, found.offline) == (3, 6, RECENT, False)
    assert found.text(NOW) == "3/6 feeds ok, 9 min ago"
    later = {**STATES, "vast": FeedState("vast", "fresh", "2026-11-30T11:59:30+00:00")}
    assert feeds.summarize(later).moment == RECENT  # one feed asked alone makes the others no younger
    assert feeds.summarize({}) is None
    assert feeds.summarize({"skypilot": STATES["skypilot"]}) is None
    gone = FeedState("lium", "failed", RECENT, unreachable=True)
    assert feeds.summarize({"lium": gone}).offline
    assert not feeds.summarize({"lium": gone, "oci": STATES["oci"]}).offline


def test_a_missing_key_is_named_and_its_value_never(monkeypatch):
    about = About("acme", "Acme", "prices", key_variable="ACME_KEY", key_needed=True, page="https://example.com")
    monkeypatch.delenv("ACME_KEY", raising=False)
    assert feeds.happened(about, None) == "needs a key in ACME_KEY"
    monkeypatch.setenv("ACME_KEY", "s3cr3t-value")
    assert feeds.happened(about, None) == "never asked"
    lines = "".join(span for line in feeds.report(about, None, NOW, 80) for span, _ in line)
    assert "ACME_KEY, needed; set in the environment" in lines
    assert "s3cr3t" not in lines


def test_lines_of_a_running_refresh():
    about, progress = About("acme", "Acme", "prices"), Progress(("acme",))
    assert feeds.row(about, None, progress, NOW).endswith("waiting")
    progress.take("acme")
    assert feeds.row(about, None, progress, NOW).startswith("›")


@pytest.mark.parametrize(
    ("moment", "said"),
    [
        ("2026-11-30T11:59:40+00:00", "just now"),
        ("2026-11-30T12:00:40+00:00", "just now"),
        (RECENT, "9 min ago"),
        ("2026-11-30T10:30:00", "90 min ago"),
        ("2026-11-30T02:00:00+00:00", "10 h ago"),
        (EARLIER, "9 d ago"),
        ("2026-06-01", "6 mo ago"),
        ("2023-06-01", "3.5 y ago"),
        ("", ""),
        ("soon", ""),
    ],
)
def test_ages_in_plain_words(moment, said):
    assert clock.ago(moment, NOW) == said


def test_the_clock_stands_still_on_a_fixed_day(monkeypatch):
    monkeypatch.setenv("RACKRATE_TODAY", "2026-11-30")
    assert clock.now() == NOW
    monkeypatch.setenv("RACKRATE_TODAY", "2020-02-02")
    assert clock.now() == datetime(2020, 2, 2, 12, tzinfo=UTC)


async def test_an_export_says_that_the_feed_of_a_price_failed(dashboard, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    async with dashboard() as app:
        app.session.rows.texts.unrefreshed = {"bolt": "2026-12-01T10:00:00+00:00"}
        exporting.write(app.session, "visible", "csv", tmp_path / "out.csv")
        rows = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text(encoding="utf-8"))))
        words = "feed failed on 2026-12-01, so the price may have changed"
        assert {row["provider"] for row in rows if words in row["warnings"]} == {"bolt"}
        assert {row["provider"] for row in rows if words not in row["warnings"]} == {"acme"}
        i = next(int(i) for i in app.session.rows.order if app.session.rows.offer(int(i)).provider == "bolt")
        text = "".join(span for line in details(app.session.rows, i, 400) for span, _ in line)
        assert f"; its {words}" in text


def test_the_star_means_one_thing_wherever_it_is_told():
    told = [column.help for column in COLUMNS if "*" in column.help]
    assert len(told) == 3
    assert all(CHECK_PRICE in text for text in told)
    assert CHECK_PRICE in dict(SIGNS)["*"]
