"""The list of everything by name: what is in it, that it does what it says, and that it is quick."""

from __future__ import annotations

import time

import pytest

from models import catalog
from pricing import money
from tui import named
from tui.columns import COLUMNS
from tui.key_list import BINDINGS
from tui.screens.command_screen import SELF_EVIDENT, commands
from tui.theme import THEMES


async def choose(app, text: str) -> None:
    """Open the list, type, and take the first line."""
    await app.press("ctrl+p")
    await app.type(text)
    await app.press("enter")


async def test_everything_is_in_it(dashboard, llama):
    named.save("mine", llama)
    async with dashboard() as app:
        await app.press("ctrl+p")
        ids = {choice.id for choice in app.app.screen.choices}
        assert len(ids) == len(app.app.screen.choices)
        for key in BINDINGS:
            if key.where in {"dashboard", "app"}:
                assert (f"command:{key.id}" in ids) == (key.id not in SELF_EVIDENT)
        assert {f"model:{model.name}" for model in catalog.llms()} <= ids
        assert {f"preset:{preset.name}" for preset in catalog.presets()} <= ids
        assert {f"sort:{column.id}" for column in COLUMNS} <= ids
        assert {f"theme:{theme.name}" for theme in THEMES} <= ids
        assert {"workload:mine", "currency:EUR", "currency:USD"} <= ids
        keys = {choice.id: choice.text for choice in app.app.screen.choices}
        assert " x " in keys["command:export"]


@pytest.mark.parametrize(
    ("text", "look", "value"),
    [
        ("qwen3-8b", lambda app: app.session.workload.model.name, "Qwen3-8B"),
        ("model qwen3-8b", lambda app: app.session.workload.model.name, "Qwen3-8B"),
        ("preset rag", lambda app: app.session.workload.preset, "rag"),
        ("mine", lambda app: app.session.workload.input_tokens, 777),
        ("sort ttft", lambda app: app.session.view.sort, "ttft"),
        ("currency eur", lambda app: app.session.comparison.terms.currency, "EUR"),
        ("theme rackrate-light", lambda app: app.app.theme, "rackrate-light"),
        ("traffic double", lambda app: app.session.workload.requests_per_s, 2),
    ],
)
async def test_it_does_what_it_says(dashboard, llama, text, look, value):
    named.save("mine", llama.changed(input_tokens=777, preset=None))
    async with dashboard() as app:
        await choose(app, text)
        assert app.app.screen is app.dashboard
        assert look(app) == value


async def test_a_currency_recomputes_every_cost_and_is_kept(dashboard):
    async with dashboard() as app:
        before = app.session.comparison.column("cost_per_m_output_tokens")
        await choose(app, "currency eur")
        after = app.session.comparison.column("cost_per_m_output_tokens")
        factor = app.session.options.rates.factor("USD", "EUR")
        known = before == before
        assert after[known] == pytest.approx(before[known] * factor)
        assert app.app.kept().currency == "EUR"
        assert app.line("header").count("EUR") == 1
        assert money.BASE == "EUR"


async def test_a_theme_is_tried_on_and_taken_off(dashboard):
    async with dashboard() as app:
        first = app.app.theme
        await app.press("ctrl+p")
        await app.type("theme nord")
        assert app.app.theme == "nord"
        assert app.table.paint.tones == app.app.tones
        await app.press("escape")
        assert app.app.theme == first
        await choose(app, "theme nord")
        assert app.app.theme == "nord"
        await choose(app, "theme nord")
        assert app.app.theme == "nord"
        await app.press("ctrl+p")
        await app.type("theme dracula")
        await app.press(*["backspace"] * 13, *"undo")
        assert app.app.theme == "nord"


async def test_over_the_details_it_offers_what_they_can_do(dashboard):
    async with dashboard() as app:
        await app.press("enter", "ctrl+p")
        details = app.app.screen_stack[1]
        assert {key.where for key in commands(details)} <= {"details", "app", "text"}
        ids = {choice.id for choice in app.app.screen.choices}
        assert "command:details.back" in ids
        assert not any(one.startswith("model:") for one in ids)
        await app.type("back")
        await app.press("enter")
        assert app.app.screen is app.dashboard


async def test_each_key_is_quick(dashboard):
    """Narrowing three hundred lines is far from what a person notices; the bound is loose for a busy machine."""
    async with dashboard() as app:
        await app.press("ctrl+p")
        screen = app.app.screen
        assert len(screen.choices) > 250
        started = time.process_time()
        for text in ("q", "qw", "qwe", "qwen", "qwen3", "qwen3 8", "theme", "e"):
            screen.query_one("Input").value = text
            screen.narrow()
        assert (time.process_time() - started) / 8 < 0.06


@pytest.mark.parametrize(
    ("where", "told"),
    [("$/mo<90000", True), ("gpu !price>=9000", True), ("cpu|$mtok<9000", True), ("", False), ("gpu>=1 !spot", False)],
)
async def test_another_currency_says_what_costs_in_the_filter_count_in(dashboard, where, told):
    async with dashboard() as app:
        assert app.session.set_where(where)
        app.dashboard.take("currency", "EUR")
        await app.settle()
        said = [str(note.message) for note in app.app._notifications]
        assert ("Costs in the filter now count in EUR." in said) == told
        app.app.clear_notifications()
        app.dashboard.take("currency", "EUR")
        await app.settle()
        assert not list(app.app._notifications)
