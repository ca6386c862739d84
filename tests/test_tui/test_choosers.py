"""The choosers of columns and providers, and the jump."""

from __future__ import annotations

import pytest

from tui.columns import chosen
from tui.sellers import providers_in, sellers, with_providers


def shown(app):
    return [column.id for column in chosen(app.session.view)]


async def to(app, name):
    """Move the chooser's cursor to a line."""
    options = app.app.screen.options
    ids = [choice.id for choice in options.choices]
    await app.press(*["down"] * (ids.index(name) - options.cursor), *["up"] * (options.cursor - ids.index(name)))


# columns


async def test_a_column_is_hidden_and_shown_and_the_table_follows(dashboard):
    async with dashboard((140, 40)) as app:
        await app.press("full_stop")
        await to(app, "ttft")
        await app.press("space")
        assert "ttft" not in shown(app)
        assert "ttft" not in app.table.visible_columns
        assert app.app.screen.options.current.id == "ttft"  # the line stays where it is
        await app.press("space")
        assert "ttft" in app.table.visible_columns
        await to(app, "ram")
        await app.press("space")
        assert "ram" in app.table.visible_columns
        await app.press("0")
        assert app.session.view.columns == ()
        await app.press("escape")
        assert app.app.screen is app.dashboard


async def test_server_and_unit_cannot_be_hidden(dashboard):
    async with dashboard() as app:
        await app.press("full_stop", "space")
        assert "server" in shown(app)
        await to(app, "per_million")
        await app.press("space")
        assert "per_million" in shown(app)
        assert not app.session.view.columns
        assert "always shown" in "\n".join(toast.message for toast in app.app._notifications)


async def test_columns_move_and_the_server_stays_first(dashboard):
    async with dashboard() as app:
        await app.press("full_stop", "down", "J")
        assert shown(app)[:3] == ["server", "region", "provider"]
        await app.press("right_square_bracket")
        assert shown(app)[1:4] == ["region", "hardware", "provider"]
        await app.press("K", "left_square_bracket", "shift+up")
        assert shown(app)[:3] == ["server", "provider", "region"]
        await app.press("up", "J")
        assert shown(app)[0] == "server"
        await app.press("enter")
        assert app.table.visible_columns[:2] == ["server", "provider"]


async def test_widths_start_from_what_is_seen(dashboard):
    async with dashboard() as app:
        before = {place.column.id: place.width for place in app.table.placed}
        await app.press("full_stop")
        await to(app, "hardware")
        await app.press("equals_sign", "equals_sign")
        assert dict(app.session.view.widths) == {"hardware": before["hardware"] + 2}
        await app.press("minus")
        assert dict(app.session.view.widths) == {"hardware": before["hardware"] + 1}
        await app.press("full_stop")
        assert app.app.screen is app.dashboard
        assert (
            next(place.width for place in app.table.placed if place.column.id == "hardware") == before["hardware"] + 1
        )


async def test_a_column_without_room_says_so(dashboard):
    async with dashboard((80, 24)) as app:
        await app.press("full_stop")
        lines = {choice.id: choice.text for choice in app.app.screen.options.choices}
        assert "(no room)" in lines["age"]
        assert "(no room)" not in lines["fit"]
        assert lines["ram"].startswith("[ ]")


@pytest.mark.parametrize("size", [(60, 15), (80, 24), (120, 36), (200, 50)])
async def test_the_tables_head_stays_in_sight(dashboard, size):
    async with dashboard(size) as app:
        await app.press("full_stop")
        assert any("$/Mtok" in line and "Server" in line for line in app.screen_text())


# providers


def test_providers_are_counted_with_their_best_price(session):
    found = {seller.name: seller for seller in sellers(session)}
    rows = session.rows
    for name, seller in found.items():
        mine = [int(i) for i in rows.order if rows.offer(int(i)).provider == name]
        assert seller.offers == len(mine)
        costs = [rows.value("cost_per_m_output_tokens", i) for i in mine if rows.flag("meets_targets", i)]
        costs = [cost for cost in costs if cost is not None]
        assert seller.cheapest == (pytest.approx(min(costs)) if costs else None)
        ages = [rows.value("price_age_days", i) for i in mine]
        assert seller.age_days == min(age for age in ages if age is not None)
    order = [seller.cheapest for seller in sellers(session)]
    assert order == sorted(order, key=lambda cost: (cost is None, cost))


def test_a_filter_for_providers_does_not_count_for_their_list(session):
    before = sellers(session)
    session.set_where("provider:bolt")
    assert sellers(session) == before
    session.set_where("provider:bolt gpu")
    assert sum(seller.offers for seller in sellers(session)) == sum(
        1 for i in range(len(session.market)) if session.market.is_gpu[i] and session.filters(
            session.view.changed(where="")).mask(session.comparison)[i])  # fmt: skip


@pytest.mark.parametrize(
    ("where", "names", "after"),
    [
        ("", ("a", "b"), "provider:a,b"),
        ("gpu provider:x !spot", ("a",), "gpu !spot provider:a"),
        ("gpu provider:x,y", (), "gpu"),
        ("provider:x|cpu", ("a",), "provider:x|cpu provider:a"),
        ("!provider:x", ("a",), "!provider:x provider:a"),
        ("", ("two words",), 'provider:"two words"'),
        ("ram >= 64 gb", ("a",), "ram>=64gb provider:a"),
    ],
)
def test_providers_take_the_place_of_those_before(where, names, after):
    made = with_providers(where, names)
    assert made == after
    if "|" not in where:
        assert providers_in(made) == names


async def test_one_provider_is_chosen_by_enter(dashboard):
    async with dashboard() as app:
        await app.press("v")
        await app.type("bol")
        await app.press("enter")
        assert app.session.view.where == "provider:bolt"
        assert {app.session.rows.offer(int(i)).provider for i in app.session.rows.order} == {"bolt"}
        assert "provider:bolt" in app.line("filter-line")
        assert app.session.wheres[0] == "provider:bolt"


async def test_several_are_ticked_and_any_takes_the_ticks_away(dashboard):
    async with dashboard() as app:
        await app.press("v")
        await to(app, "acme")
        await app.press("space")
        await to(app, "bolt")
        await app.press("space", "enter")
        assert set(providers_in(app.session.view.where)) == {"acme", "bolt"}
        await app.press("v")
        assert set(app.app.screen.ticked) == {"acme", "bolt"}
        await to(app, "")
        await app.press("space", "enter")
        assert app.session.view.where == ""
        await app.press("v", "down", "escape")
        assert app.session.view.where == ""


async def test_unticking_the_last_one_is_no_choice_of_it(dashboard):
    async with dashboard() as app:
        await app.press("v")
        await app.type("bolt")
        await app.press("enter", "v", "space", "enter")
        assert app.session.view.where == ""


# the jump


async def test_the_cursor_follows_what_is_typed(dashboard):
    async with dashboard() as app:
        count = len(app.servers())
        await app.press("J")
        await app.type("epyc")
        assert "epyc" in app.session.rows.offer(app.table.current).server
        assert len(app.servers()) == count  # nothing is hidden
        assert any("1 of 2" in line for line in app.screen_text())
        first = app.table.cursor
        await app.press("down")
        assert any("2 of 2" in line for line in app.screen_text())
        assert app.table.cursor > first
        await app.press("down")
        assert app.table.cursor == first  # round
        await app.press("up", "enter")
        assert "epyc" in app.session.rows.offer(app.table.current).server
        assert app.table.cursor != first
        assert app.app.focused is app.table


async def test_escape_goes_back_to_where_it_was(dashboard):
    async with dashboard() as app:
        await app.press("j", "j", "J")
        await app.type("bolt")
        assert app.session.rows.offer(app.table.current).provider == "bolt"
        await app.press("escape")
        assert app.table.cursor == 2
        assert app.app.focused is app.table


async def test_a_name_that_is_not_there_is_said(dashboard):
    async with dashboard() as app:
        await app.press("j", "J")
        await app.type("qqq")  # q types, it does not quit
        assert app.app.is_running
        assert app.table.cursor == 1
        assert any("in no name" in line for line in app.screen_text())
        await app.press("down", "enter")
        assert app.table.cursor == 1


async def test_the_search_starts_where_the_cursor_is(dashboard):
    async with dashboard() as app:
        await app.press("G")
        last = app.table.cursor
        provider = app.session.rows.offer(app.table.current).provider
        await app.press("J")
        await app.type(provider)
        assert app.table.cursor == last
