"""Columns that the user asks for, their order, widths and the cost unit; what a row shows is always its own offer's."""

from __future__ import annotations

import itertools
import random

import pytest
from rich.cells import cell_len

from tui import format as fmt
from tui.column_layout import GAP, LEAD, layout
from tui.columns import BY_ID, COLUMNS, COSTS, chosen, clamp_width
from tui.state import ViewState
from tui.widgets.offer_lines import Paint


def ids(columns):
    return [column.id for column in columns]


def placed(width, view, *, wide=False):
    return layout(width, 0, chosen(view), widths=dict(view.widths), unit=view.unit, wide=wide).placed


def test_the_usual_columns_have_no_optional_one():
    assert not any(column.optional for column in chosen(ViewState()))
    assert ids(chosen(ViewState(unit="hour"))) == [
        column.id for column in COLUMNS if not column.optional or column.id == "hour"
    ]


def test_server_comes_first_and_the_unit_is_never_missing():
    view = ViewState(columns=("ram", "server", "ram", "no such column", "fit"))
    assert ids(chosen(view)) == ["server", "ram", "fit", "per_million"]
    assert ids(chosen(view.changed(unit="month"))) == ["server", "ram", "fit", "month"]


@pytest.mark.parametrize("unit", COSTS)
@pytest.mark.parametrize("width", [30, 40, 60, 80, 120, 200])
def test_server_and_unit_stay_to_the_last(unit, width):
    for view in (ViewState(unit=unit), ViewState(unit=unit, columns=tuple(column.id for column in COLUMNS))):
        shown = [place.column.id for place in placed(width, view)]
        assert shown[0] == "server"
        assert unit in shown


def test_what_was_asked_for_has_room_before_what_is_there_by_default():
    usual = ids(chosen(ViewState()))
    view = ViewState(columns=(*usual[1:], "ram", "bandwidth"))
    shown = [place.column.id for place in placed(118, view)]
    assert {"ram", "bandwidth"} <= set(shown)
    assert "term" not in shown


@pytest.mark.parametrize("width", range(8, 220, 7))
@pytest.mark.parametrize("seed", range(12))
def test_no_column_is_clipped_whatever_is_chosen(width, seed):
    chance = random.Random(seed)  # noqa: S311 - no secret
    columns = tuple(chance.sample(ids(COLUMNS), chance.randint(1, len(COLUMNS))))
    widths = tuple((name, chance.randint(1, 80)) for name in chance.sample(ids(COLUMNS), 5))
    view = ViewState(columns=columns, widths=widths, unit=chance.choice(COSTS))
    places = placed(width, view, wide=chance.random() < 0.5)
    for one, two in itertools.pairwise(places):
        assert two.x == one.x + one.width + GAP
    assert places[-1].x + places[-1].width <= max(width, LEAD + 1)
    own = dict(widths)
    for place in places[1:]:
        column = BY_ID[place.column.id]
        assert place.width >= (min(clamp_width(column, own[column.id]), 60) if column.id in own else column.width)


def test_a_width_of_ones_own_is_kept_exactly():
    places = {
        place.column.id: place.width for place in placed(200, ViewState(widths=(("hardware", 25), ("server", 40))))
    }
    assert places["hardware"] == 25
    assert places["server"] == 40


def test_numbers_are_never_cut():
    for column in COLUMNS:
        assert clamp_width(column, 1) == (column.width if column.right else 5)
        assert clamp_width(column, 999) == 60


def test_the_memory_bar_is_there_on_wide_terminals_where_it_costs_no_firm_column():
    def fit(width, *, wide):
        return next(place for place in placed(width, ViewState(), wide=wide) if place.column.id == "fit")

    assert fit(131, wide=True).wide
    assert not fit(131, wide=False).wide
    for width in range(40, 140):
        narrow = {place.column.id for place in placed(width, ViewState())}
        wide = {place.column.id for place in placed(width, ViewState(), wide=True)}
        assert narrow & {"ttft", "user_speed", "month", "servers", "hardware"} <= wide


async def test_the_bar_shows_the_share_with_its_text(dashboard):
    async with dashboard((200, 50)) as app:
        rows = app.session.rows
        for place in app.table.placed:
            if place.column.id == "fit":
                for i in rows.order:
                    used, cell = rows.value("memory_used_share", int(i)), place.column.wide_cell(rows, int(i))
                    if used is not None:
                        assert cell.text.endswith(f" {fmt.share(used)}")
                        assert cell.text.count("▮") == max(1, min(round(used * 6), 6))
        assert any("▮" in app.table.render_line(y).text for y in range(1, 12))
    async with dashboard((164, 50)) as app:
        assert not any("▮" in app.table.render_line(y).text for y in range(1, 12))


@pytest.mark.parametrize("ascii_only", [False, True])
async def test_marks_are_painted(dashboard, ascii_only):
    async with dashboard(ascii_only=ascii_only) as app:
        rows = app.session.rows
        app.table.mark([rows.offer(rows.index(1)).offer_id, "gone"])
        sign = "#" if ascii_only else "■"
        heads = [app.table.render_line(y).text[:LEAD] for y in (1, 2, 3)]
        assert [head[1] for head in heads] == [" ", sign, " "]
        app.table.mark([])
        assert sign not in app.table.render_line(2).text[:LEAD]


def test_every_column_shows_its_own_value(session):
    """Cells and sort keys of a column are one thing: in order, its numbers ascend."""
    for column in COLUMNS:
        session.set_view(ViewState(sort=column.id, terms="everything"))
        cells = [column.cell(session.rows, int(i)).text for i in session.rows.order]
        missing = [text in {fmt.MISSING, "undated"} for text in cells]
        if column.id not in COSTS:
            assert missing == sorted(missing), column.id


@pytest.mark.parametrize("seed", range(25))
def test_filter_sort_and_columns_commute(session, seed):
    """Whatever is filtered, sorted and shown, a row's cells are those of its offer."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    rows = session.rows
    truth = {
        rows.offer(i).offer_id: {column.id: column.cell(rows, i) for column in COLUMNS}
        for i in range(len(session.market.offers))
    }
    for _ in range(6):
        view = ViewState(
            kind=chance.choice(["any", "gpu", "cpu"]),
            terms="everything",
            where=chance.choice(["", "acme", "gpu>=20", "!h100", "ram>=60|gpus>=2"]),
            sort=chance.choice(ids(COLUMNS)),
            descending=chance.random() < 0.5,
            columns=tuple(chance.sample(ids(COLUMNS), chance.randint(0, len(COLUMNS)))),
            unit=chance.choice(COSTS),
        )
        session.set_view(view)
        width = chance.choice([60, 100, 160, 240])
        paint = Paint(layout=layout(width, 0, chosen(view), unit=view.unit))
        for position in range(len(session.rows)):
            i = session.rows.index(position)
            offer = session.rows.offer(i)
            strip = paint.offer(session.rows, i, _plain(), width, selected=False, marked=False)
            assert cell_len(strip.text) == width
            for place in paint.layout.placed:
                cell = truth[offer.offer_id][place.column.id]
                assert _cut(strip.text, place.x, place.width) == paint.cell(cell, place)
    assert {rows.offer(int(i)).offer_id for i in session.rows.order} <= set(truth)


def _plain():
    from rich.style import Style

    return Style()


def _cut(text, x, width):
    from rich.cells import chop_cells

    cells = [char for piece in chop_cells(text, 1) for char in piece]
    out, at = "", 0
    for char in cells:
        if x <= at < x + width:
            out += char
        at += cell_len(char)
    return out


async def test_the_unit_goes_round_and_the_order_by_cost_follows(dashboard):
    async with dashboard((80, 24)) as app:
        seen = []
        for _ in range(3):
            seen.append((app.session.view.unit, app.session.view.sort))
            assert app.session.view.unit in app.table.visible_columns
            await app.press("dollar_sign")
        assert seen == [("per_million", "per_million"), ("month", "month"), ("hour", "hour")]
        assert app.session.view.unit == "per_million"
        assert "hour" not in app.table.visible_columns
        await app.press("1", "dollar_sign")
        assert app.session.view.sort == "server"


async def test_a_header_is_made_wider_by_its_border(dashboard):
    async with dashboard() as app:
        place = next(place for place in app.table.placed if place.column.id == "hardware")
        sort = app.session.view.sort
        end = place.x + place.width
        await app.pilot.mouse_down("#table", offset=(end, 0))
        await app.pilot.hover("#table", offset=(end + 3, 0))
        await app.pilot.hover("#table", offset=(end + 5, 0))
        await app.pilot.mouse_up("#table", offset=(end + 5, 0))
        await app.settle()
        assert dict(app.session.view.widths)["hardware"] in {place.width + 5, place.width + 6}
        assert app.session.view.sort == sort  # a drag is no click
        new = next(place for place in app.table.placed if place.column.id == "hardware")
        assert new.width == dict(app.session.view.widths)["hardware"]
        await app.pilot.click("#table", offset=(new.x + 1, 0))
        await app.settle()
        assert app.session.view.sort == "hardware"
