"""Mistakes of the program itself: whatever raises, the dashboard says so, keeps a report, and takes the next key."""

from __future__ import annotations

import asyncio

import pytest
from textual import events
from textual.containers import Vertical
from textual.widgets import Static

from tui import failures
from tui.app import RackrateApp
from tui.failures import Failure
from tui.screens.dialog import Dialog
from tui.screens.failure_screen import FailureScreen
from tui.widgets.line import Line
from tui.widgets.offer_table import OfferTable

SIZES = [(80, 24), (120, 36)]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("RACKRATE_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data"


def surprise(*_args: object, **_kwargs: object):
    raise ValueError("surprise")


def shown(app) -> str:
    """The screen's text with its line breaks and frames undone."""
    return " ".join(" ".join(app.screen_text()).replace("│", " ").split())


async def told(app):
    """Wait for the report of an error."""
    for _ in range(100_000):
        if isinstance(app.app.screen, FailureScreen) and app.app.screen.is_mounted:
            await app.pilot.pause()
            return
        await asyncio.sleep(0)  # the pilot waits for screens that cannot answer any more
    raise AssertionError("nothing was said")


async def goes_on(app):
    """Close the report, and see that keys and the workload still work."""
    await app.pilot.press("enter")
    await app.settle()
    assert app.app.screen is app.dashboard
    before = app.session.workload.requests_per_s
    await app.press("=")
    assert app.session.workload.requests_per_s > before
    app.app.failures.clear()


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "120x36"])
async def test_a_failing_key_is_told_and_the_next_one_works(dashboard, folder, monkeypatch, size):
    monkeypatch.setattr("tui.screens.dialogs.sort_picker", surprise)
    async with dashboard(size) as app:
        await app.pilot.press("s")
        await told(app)
        text = shown(app)
        assert "ValueError: surprise" in text
        assert "you can go on" in text
        assert "errors.log" in text.replace(" ", "")
        assert "enter goes on" in text
        assert (folder / "errors.log").read_text().count("surprise") >= 1
        assert len(app.app.failures) == 1
        await goes_on(app)


async def test_a_failing_worker(dashboard, monkeypatch):
    async with dashboard() as app:
        app.dashboard.compare_ms = 1000.0  # from now on in a thread
        with monkeypatch.context() as broken:
            broken.setattr(app.session, "compare", surprise)
            await app.pilot.press("=")
            await told(app)
        await goes_on(app)


async def test_a_failing_timer_and_callback(dashboard):
    async with dashboard() as app:
        app.dashboard.set_timer(0.001, surprise)
        await told(app)
        await goes_on(app)

        def elsewhere():
            raise KeyError("other")

        app.app.call_later(elsewhere)
        await told(app)
        assert "KeyError" in shown(app)
        await goes_on(app)


@pytest.mark.parametrize("handler", ["show", "mouse", "message"])
async def test_a_failing_handler_of_a_message(dashboard, monkeypatch, handler):
    async with dashboard() as app:
        with monkeypatch.context() as broken:
            if handler == "show":
                broken.setattr(type(app.dashboard), "_show_details", surprise)
                await app.pilot.press("down")
            elif handler == "mouse":
                broken.setattr(OfferTable, "column_at", surprise)
                await app.pilot.click(OfferTable, offset=(20, 0))
            else:
                broken.setattr(type(app.dashboard), "sort_by", surprise)
                app.table.post_message(OfferTable.SortRequested("server"))
            await told(app)
        await goes_on(app)
        await app.press("down", "down")
        assert app.table.cursor >= 2


async def test_what_cannot_be_painted_is_said_in_its_place(dashboard, monkeypatch):
    async with dashboard((80, 24)) as app:
        with monkeypatch.context() as broken:
            broken.setattr(OfferTable, "_offer", surprise)
            app.table.restyle(app.app.tones)
            text = "\n".join(app.screen_text())
            assert "! this part could not be shown" in text
            assert "rackrate" in text  # the header is there
            await told(app)
        await goes_on(app)


async def test_errors_during_the_report_only_count(dashboard, monkeypatch):
    async with dashboard() as app:
        for kind in (ValueError, KeyError, TypeError):

            def fail(kind=kind):
                raise kind("surprise")

            app.app.call_later(fail)
        await told(app)
        await app.pilot.pause()
        assert len(app.app.screen_stack) == 2
        assert "2 more since" in shown(app)
        assert len(app.app.failures) == 3
        await goes_on(app)


async def test_the_same_error_again_is_a_note_and_no_second_dialog(dashboard, monkeypatch):
    async with dashboard() as app:
        monkeypatch.setattr("tui.screens.dialogs.sort_picker", surprise)
        await app.pilot.press("s")
        await told(app)
        await app.pilot.press("enter", "s")
        await app.settle()
        assert app.app.screen is app.dashboard
        assert any("again ValueError: surprise" in note.message for note in app.app._notifications)
        app.app.failures.clear()


async def test_a_loop_of_errors_ends_in_order(dashboard):
    async with dashboard() as app:

        def again():
            app.app.call_later(again)
            raise ValueError("surprise")

        app.app.call_later(again)
        for _ in range(500):
            if app.app._exit:
                break
            await app.pilot.pause()
        assert app.app.return_code == 1
        assert any("ValueError: surprise" in str(text) for text in app.app._exit_renderables)
        app.app.failures.clear()


async def test_a_screen_that_cannot_be_painted_at_all_ends_in_order(dashboard):
    """Nothing could be read on it."""
    async with dashboard() as app:
        trace = 'File "textual/_compositor.py", line 1'
        for _ in range(3):
            error = ValueError("surprise")
            with pytest.MonkeyPatch.context() as faked:
                faked.setattr(Failure, "of", classmethod(lambda cls, error: cls(str(error), "x:1", trace)))
                app.app.failed(error)
        assert app.app.return_code == 1
        app.app.failures.clear()


class Broken(Dialog[None]):
    """A dialog that fails while it is set up."""

    def __init__(self, stage) -> None:
        super().__init__()
        self.stage = stage

    def compose(self):
        with Vertical(classes="dialog"):
            if self.stage == "compose":
                raise ValueError("surprise")
            yield Static("text")

    def on_mount(self):
        self.query_one(Static)
        if self.stage == "mount":
            raise ValueError("surprise")


@pytest.mark.parametrize("stage", ["compose", "mount"])
async def test_a_dialog_that_cannot_be_set_up_is_taken_away(dashboard, stage):
    async with dashboard() as app:
        app.app.push_screen(Broken(stage))
        await told(app)
        assert not any(isinstance(screen, Broken) for screen in app.app.screen_stack)
        await goes_on(app)


async def test_a_main_screen_that_cannot_be_set_up_ends_in_order(make_session, monkeypatch):
    monkeypatch.setattr("tui.screens.dashboard.Dashboard._show_lines", surprise)
    app = RackrateApp(make_session())
    await app.run_async(headless=True)
    assert app.return_code == 1
    assert "surprise" in app.failures[0].sentence


async def test_the_report_is_copied(dashboard, monkeypatch):
    async with dashboard() as app:
        app.app.call_later(surprise)
        await told(app)
        copied = []
        monkeypatch.setattr(app.app, "copy_to_clipboard", copied.append)
        await app.pilot.press("c")
        await app.pilot.pause()
        assert "Traceback" in copied[0]
        assert "Llama-3.1-8B" in copied[0]
        assert "textual 8" in copied[0]
        await goes_on(app)


async def test_a_log_that_cannot_be_written_is_said(dashboard, folder):
    folder.parent.mkdir(exist_ok=True)
    folder.write_text("a file where the folder should be")
    async with dashboard() as app:
        app.app.call_later(surprise)
        await told(app)
        assert "could not be kept" in shown(app)
        await goes_on(app)


def test_reports_hold_no_secrets(session, monkeypatch):
    monkeypatch.setenv("ACME_API_KEY", "s3cr3t-value-1")
    monkeypatch.setenv("HARMLESS", "visible")
    failure = Failure.of(ValueError("GET https://user:pass@example.com/x?token=abc with s3cr3t-value-1 failed"))
    text = failure.sentence + failures.report(failure, session, "80x24", "2026-11-30")
    assert "s3cr3t" not in text
    assert "pass@" not in text
    assert "abc" not in text
    assert "visible" not in text
    assert "https://***@example.com/x?***" in text


def test_the_log_keeps_the_newest_reports(tmp_path):
    for number in range(8):
        text = f"{failures.MARK}{number}\n" + "x" * 60_000
        path = failures.keep(text, tmp_path)
    kept = path.read_text()
    assert len(kept.encode()) <= failures.LOG_BYTES
    assert kept.startswith(failures.MARK)
    assert f"{failures.MARK}7\n" in kept
    assert f"{failures.MARK}2\n" not in kept
    failures.keep(failures.MARK + "huge\n" + "y" * 500_000, tmp_path)
    assert len(path.read_bytes()) <= failures.LOG_BYTES + 1


def test_control_characters_of_a_message_stay_out():
    assert Failure.of(ValueError("a\x1b[31mb\nc")).sentence == "ValueError: a [31mb c"


async def test_a_message_of_a_line_takes_clicks_after_an_error(dashboard, monkeypatch):
    async with dashboard() as app:
        with monkeypatch.context() as broken:
            broken.setattr(Line, "on_click", surprise)
            app.dashboard.line("header").post_message(events.Blur())
            await app.pilot.click("#header", offset=(2, 0))
            await told(app)
        await goes_on(app)


async def test_what_runs_on_while_the_program_leaves_is_no_mistake(dashboard):
    async with dashboard() as app:
        app.app.call_later(app.app._shutdown)
        app.app.call_later(surprise)
        app.dashboard.call_later(surprise)
    assert not app.app.failures
