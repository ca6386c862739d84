"""Quick hands: keys that arrive in one burst, before the dashboard has drawn what the first one did."""

from __future__ import annotations

import webbrowser
from typing import TYPE_CHECKING

import pytest
from textual import events
from textual.messages import InvokeLater

from tui.screens.details_screen import DetailsScreen, has_browser
from tui.screens.narrowing import nearness
from tui.theme import tones
from tui.widgets.choice_list import Choice

if TYPE_CHECKING:
    from tui.app import RackrateApp


def burst(app: RackrateApp, *keys: str) -> None:
    """Send several keys before the app has acted on the first, as a terminal does with what was typed ahead."""
    for key in keys:
        app.post_message(events.Key(key, None))


@pytest.mark.parametrize("opens", ["m", "w", "s", "x", "question_mark", "enter"])
@pytest.mark.parametrize("closes", ["enter", "escape"])
async def test_a_dialog_closes_once(dashboard, tmp_path, monkeypatch, opens, closes):
    monkeypatch.chdir(tmp_path)
    async with dashboard() as app:
        await app.press(opens)
        assert app.app.screen is not app.dashboard
        burst(app.app, closes, closes)
        await app.settle()
        assert app.app.is_running
        assert app.app.screen_stack[0] is app.dashboard
        # A key that comes after the screen has closed is the table's: enter opens the details there.
        assert len(app.app.screen_stack) == 1 or isinstance(app.app.screen, DetailsScreen)
        assert len(list(tmp_path.iterdir())) == (opens == "x" and closes == "enter")


async def test_two_clicks_on_a_line_choose_once(dashboard):
    async with dashboard() as app:
        await app.press("s")
        choices = app.app.screen.options
        choices.action_choose()
        choices.action_choose()
        await app.settle()
        assert app.app.screen_stack == [app.dashboard]


async def test_the_list_of_commands_runs_one_once(dashboard):
    async with dashboard() as app:
        await app.press("ctrl+p")
        await app.type("traffic double")
        before = app.session.workload
        burst(app.app, "enter", "enter")
        await app.settle()
        # The second enter is the table's.
        assert app.session.workload.requests_per_s == 2
        await app.press("escape", "u")
        assert app.session.workload == before


@pytest.mark.parametrize("key", ["pagedown", "pageup", "down", "up", "end", "home"])
async def test_paging_in_the_list_of_commands_while_it_opens(dashboard, key):
    async with dashboard() as app:
        burst(app.app, "ctrl+p", *[key] * 100)
        await app.settle()
        await app.press("escape")
        assert app.app.screen is app.dashboard


async def test_every_theme_can_be_chosen(dashboard):
    async with dashboard() as app:
        for name in app.app.available_themes:
            app.app.theme = name
            await app.pilot.pause()
            assert app.table.paint.tones == tones(app.app.current_theme)
            assert all(style.color is not None for style in app.table.paint.tones.values())
        assert "$muted" not in "".join(app.screen_text())


async def test_the_details_take_another_theme(dashboard):
    async with dashboard() as app:
        await app.press("enter")
        app.app.theme = "nord"
        await app.pilot.pause()
        assert app.app.screen.query_one("TextPane").tones == tones(app.app.current_theme)


async def test_a_name_typed_whole_is_chosen(dashboard):
    async with dashboard() as app:
        await app.press("m")
        await app.type("DeepSeek-R1")
        await app.press("enter")
        assert app.session.workload.model.name == "DeepSeek-R1"


def test_names_that_begin_as_typed_come_before_the_rest():
    names = ["other-abc", "abc-long", "abc"]
    assert [nearness("ABC ", Choice(name, name)) for name in names] == [2, 1, 0]


async def test_the_same_is_said_once_at_a_time(dashboard):
    async with dashboard() as app:
        await app.press("u", "u", "u")
        assert [note.message for note in app.app._notifications] == ["Nothing to undo."]


async def test_escape_brings_the_usual_terms_back(dashboard):
    async with dashboard() as app:
        before = app.servers()
        await app.press("i", "i")
        assert app.servers() != before
        await app.press("escape")
        assert app.servers() == before


async def test_no_browser_is_said_with_the_address(dashboard, monkeypatch):
    def none():
        raise webbrowser.Error("could not locate runnable browser")

    monkeypatch.setattr(webbrowser, "get", none)
    async with dashboard() as app:
        await app.press("o")
        (note,) = app.app._notifications
        assert "no browser" in note.message
        assert "https://example.com/prices" in note.message


@pytest.mark.parametrize(("path", "works"), [("/usr/bin/w3m", False), ("lynx", False), ("xdg-open", True)])
def test_a_browser_in_the_terminal_is_none(monkeypatch, path, works):
    monkeypatch.setattr(webbrowser, "get", lambda: webbrowser.GenericBrowser([path, "%s"]))
    assert has_browser() is works


async def test_what_waits_for_a_repaint_outlives_the_dialog_over_it(dashboard):
    async with dashboard() as app:
        await app.press("m")
        later = InvokeLater(lambda: None)
        app.dashboard._on_invoke_later(later)
        assert later.callback in [callback for callback, _ in app.dashboard._callbacks]
        assert later._no_default_action  # Textual's own handler would hand it to the dialog as well


async def test_details_follow_a_model_chosen_at_once(dashboard):
    async with dashboard() as app:
        for name in ("m", *"qwen3-0.6b", "enter"):
            app.app.post_message(
                events.Key({".": "full_stop", "-": "minus"}.get(name, name), name if len(name) == 1 else None)
            )
        await app.settle()
        assert app.session.workload.model.name == "Qwen3-0.6B"
        assert app.dashboard.idle
