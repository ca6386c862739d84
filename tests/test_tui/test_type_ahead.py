"""Keys in one burst do what they would do one by one: what opens has them, nothing else does."""

from __future__ import annotations

import pytest
from textual import events

NAMES = {
    " ": "space",
    ">": "greater_than_sign",
    "=": "equals_sign",
    "/": "slash",
    ":": "colon",
    "-": "minus",
    "\n": "enter",
}


async def burst(app, *parts: str) -> None:
    """Send keys as a terminal far away delivers them, all at once; letters alone or names of keys."""
    for part in parts:
        for char in [part] if part in {"escape", "tab"} else part:
            name = NAMES.get(char, char)
            app.app.post_message(events.Key(name, char if len(char) == 1 and char != "\n" else None))
    await app.settle()


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_a_filter_typed_behind_its_key(dashboard, size):
    async with dashboard(size) as app:
        await burst(app, "/region:eu\n")
        assert app.session.view.where == "region:eu"
        assert app.dashboard.refreshing is None
        assert app.app.screen is app.dashboard


async def test_a_model_typed_behind_its_key(dashboard):
    async with dashboard() as app:
        await burst(app, "mqwen3-32b\n")
        assert app.session.workload.model.name == "Qwen3-32B"
        assert app.app.is_running


async def test_a_q_behind_a_key_that_opens_a_field_does_not_quit(dashboard):
    async with dashboard() as app:
        for keys in ("eqqq", "/q x", "wq", "Jq", "vq", "bq"):
            await burst(app, keys)
            assert app.app.is_running, keys
            await app.press("escape", "escape", "escape")


async def test_a_value_typed_behind_the_editor_and_its_tabs(dashboard):
    async with dashboard() as app:
        await burst(app, "e", "tab", "4bit\n")
        assert app.session.workload.quant == "4bit"


async def test_what_closes_gives_the_next_key_back(dashboard):
    async with dashboard() as app:
        await burst(app, "m", "escape", "=")
        assert app.session.workload.requests_per_s == 2
        await burst(app, "\n", "escape", "jj")
        assert app.table.cursor == 2


async def test_steps_are_not_held_back(dashboard, monkeypatch):
    async with dashboard() as app:
        asked = []
        compare = app.session.compare
        monkeypatch.setattr(app.session, "compare", lambda workload: asked.append(workload) or compare(workload))
        await burst(app, "=======")
        assert app.session.workload.requests_per_s == 200
        assert len(asked) <= 2


async def test_a_paste_behind_a_key_goes_where_it_opens(dashboard):
    async with dashboard() as app:
        app.app.post_message(events.Key("slash", "/"))
        app.app.post_message(events.Paste("acme"))
        await app.settle()
        await app.press("enter")
        assert app.session.view.where == "acme"


async def test_ctrl_c_does_not_wait(dashboard):
    async with dashboard() as app:
        for name, char in (("m", "m"), ("x", "x"), ("ctrl+c", None)):
            app.app.post_message(events.Key(name, char))
        await app.pilot.pause()
        assert not app.app.is_running
