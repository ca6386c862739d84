"""Typing a filter: completion, what was used before, near words, chips that go by a click."""

from __future__ import annotations

import pytest

from tui.completion import completion, nearest


def typed(session, text):
    """What the end of a text can become."""
    return completion(text, len(text), session.comparison)


def hint(app):
    return str(app.dashboard.query_one("#filter-hint").render())


@pytest.fixture
def everything(session):
    session.set_view(session.view.changed(terms="everything"))
    return session


@pytest.mark.parametrize(
    ("text", "first", "whole"),
    [
        ("prov", "provider:", "provider:"),
        ("gpu ra", "ram>=", "gpu ram>="),
        ("!spo", "spot", "!spot"),
        ("provider:a", "acme", "provider:acme"),
        ("provider:acme,b", "bolt", "provider:acme,bolt"),
        ("!provider:b", "bolt", "!provider:bolt"),
        ("region:us", "us", "region:us"),
        ("region:EUR", "europe", "region:europe"),
        ("region:ame", "america", "region:america"),
        ("term:res", "reserved", "term:reserved"),
        ("chip:h1", "H100-SXM5-80GB", "chip:H100-SXM5-80GB"),
        ("processor:epyc", '"AMD EPYC 9454P"', 'processor:"AMD EPYC 9454P"'),
        ("h100|t4-u", "t4-undated", "h100|t4-undated"),
        ("bo", "bound:", "bound:"),
        ("bol", "bolt", "bolt"),
        ("kind:g", "gpu", "kind:gpu"),
    ],
)
def test_the_word_at_the_end_is_completed(everything, text, first, whole):
    found = typed(everything, text)
    assert found.options[0] == first
    assert found.apply(text, first) == whole
    from pricing.where import compile_where

    if not whole.endswith((":", "=")):
        compile_where(whole)  # what is offered can be read


def test_the_word_at_the_cursor_is_completed_and_the_rest_stays(session):
    found = completion("prov gpu", 4, session.comparison)
    assert found.apply("prov gpu", found.options[0]) == "provider: gpu"


@pytest.mark.parametrize("text", ["", "gpu ", "gpu>=2", "zzzz", "nofield:x"])
def test_nothing_is_offered_where_nothing_is_known(session, text):
    assert not typed(session, text).options


def test_a_number_field_says_what_it_is(session):
    assert typed(session, "ram>=6").meaning == "ram: host memory, GiB (g, gb, gib, t, tb, tib)"


@pytest.mark.parametrize(
    ("word", "near"), [("h10O", "h100"), ("epic", "epyc"), ("bollt", "bolt"), ("mistery", "mystery")]
)
def test_the_nearest_name_to_a_word(session, word, near):
    assert near in nearest(word.lower(), session.market)


async def test_tab_completes_and_again_takes_the_next(dashboard):
    async with dashboard() as app:
        field = app.dashboard.query_one("#filter")
        await app.press("slash")
        await app.type("prov")
        await app.press("tab")
        assert field.value == "provider:"
        assert "acme  bolt" in hint(app)
        await app.press("tab")
        assert field.value == "provider:acme"
        assert "[acme]" in hint(app)
        await app.press("tab")
        assert field.value == "provider:bolt"
        assert {app.session.rows.offer(int(i)).provider for i in app.session.rows.order} == {"bolt"}
        await app.press("shift+tab")
        assert field.value == "provider:acme"
        assert app.app.focused is field
        await app.type(" zzz")
        await app.press("tab")  # nothing to complete: nothing happens
        assert field.value == "provider:acme zzz"
        assert app.app.focused is field


async def test_the_arrows_go_through_the_filters_used_before(dashboard):
    async with dashboard() as app:
        field = app.dashboard.query_one("#filter")
        for text in ("h100", "acme", "h100"):
            await app.press("slash")
            field.value = ""
            await app.type(text)
            await app.press("enter")
        assert app.session.wheres == ["h100", "acme"]
        await app.press("escape", "slash")
        await app.type("ne")
        await app.press("up")
        assert field.value == "h100"
        await app.press("up")
        assert field.value == "acme"
        await app.press("up")
        assert field.value == "acme"
        assert {app.session.rows.offer(int(i)).provider for i in app.session.rows.order} == {"acme"}
        await app.press("down", "down")
        assert field.value == "ne"
        await app.press("down")
        assert field.value == "ne"


async def test_up_skips_the_filter_that_stands_there(dashboard):
    async with dashboard() as app:
        for text in ("acme", "h100"):
            await app.press("slash")
            app.dashboard.query_one("#filter").value = ""
            await app.type(text)
            await app.press("enter")
        await app.press("slash", "up")
        assert app.dashboard.query_one("#filter").value == "acme"


def test_fifty_filters_are_kept(session):
    for number in range(60):
        session.set_where(f"gpu>={number}")
        session.remember_where()
    assert len(session.wheres) == 50
    assert session.wheres[0] == "gpu>=59"


async def test_typing_q_does_not_quit(dashboard):
    async with dashboard() as app:
        await app.press("slash")
        await app.type("qvJi.")
        assert app.app.is_running
        assert app.dashboard.query_one("#filter").value == "qvJi."


async def test_a_cleared_filter_is_named_and_comes_back(dashboard):
    async with dashboard() as app:
        await app.press("slash")
        await app.type("acme")
        await app.press("enter", "t", "escape")
        view = app.session.view
        assert (view.where, view.kind) == ("", "any")
        assert any("Cleared acme" in toast.message and "/ ↑" in toast.message for toast in app.app._notifications)
        await app.press("slash", "up", "enter")
        assert app.session.view.where == "acme"


async def test_type_and_fit_are_cleared_without_a_word(dashboard):
    async with dashboard() as app:
        await app.press("t", "f", "i", "escape")
        assert not app.session.view.filtered
        assert app.session.view.terms == "standard"
        assert not list(app.app._notifications)


async def test_a_click_on_its_cross_takes_a_term_away(dashboard):
    async with dashboard() as app:
        await app.press("slash")
        await app.type("acme !spot gpu > 20 gb")
        await app.press("enter")
        line = app.dashboard.line("filter-line")
        assert "/acme × !spot × gpu>20gb ×" in line.plain
        x = next(x for x, part, _ in line.placed if part.action == "drop_term(1)")
        await app.pilot.click("#filter-line", offset=(x + 2, 0))
        await app.settle()
        assert app.session.view.where == "acme gpu>20gb"
        assert app.session.wheres[0] == "acme !spot gpu > 20 gb"


async def test_a_word_in_no_name_is_told_with_the_nearest(dashboard):
    async with dashboard() as app:
        await app.press("slash")
        await app.type("epycc")
        text = "\n".join(app.screen_text())
        assert "0 of 12 offers: epycc removes" in text
        assert "No name holds epycc. Did you mean epyc" in text


async def test_the_term_that_hides_most_is_named(dashboard):
    async with dashboard() as app:
        await app.press("slash")
        await app.type("acme gpu>=999")
        assert any("0 of 12 offers: gpu>=999 removes" in line for line in app.screen_text())


async def test_many_offers_are_filtered_in_a_thread(dashboard, monkeypatch):
    import threading

    from tui.screens import recomputing

    monkeypatch.setattr(recomputing, "THREADED_OFFERS", 5)
    async with dashboard() as app:
        where = []
        arranged = type(app.session).arranged
        monkeypatch.setattr(
            type(app.session),
            "arranged",
            lambda self, view: where.append(threading.current_thread()) or arranged(self, view),
        )
        await app.press("slash")
        await app.type("h100")
        await app.press("enter", "1")
        assert where
        assert threading.main_thread() not in where
        assert set(app.servers()) == {"h100-big", "h100-x8"}
        assert app.servers() == sorted(app.servers())


async def test_a_filter_of_the_region_says_how_many_offers_state_none(dashboard, make_session):
    from dataclasses import replace

    market = make_session().market
    offers = [
        replace(offer, region=None, region_group=None) if offer.server == "l4-small" else offer
        for offer in market.offers
    ]
    async with dashboard((80, 24), session=make_session(offers)) as app:
        assert "region" not in app.line("status")
        await app.press("slash")
        await app.type("region:us")
        await app.press("enter")
        assert app.session.regionless == 1
        assert any(words in app.line("status") for words in ("1 more states no region", "1 without region"))
        await app.press("escape")
        assert "region" not in app.line("status")
