"""Which columns are placed, and that none is ever clipped."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tui.column_layout import GAP, LEAD, USUAL, Placed, layout
from tui.columns import COLUMNS


@pytest.mark.parametrize("width", range(1, 260))
def test_columns_lie_side_by_side_inside_the_line(width):
    for offset in range(len(USUAL) + 2):
        placed, left, _ = layout(width, offset)
        assert placed[0].column is USUAL[0]
        for one, two in pairwise(placed):
            assert two.x == one.x + one.width + GAP
        if width > LEAD:
            assert placed[-1].x + placed[-1].width <= width
        assert left == (offset > 0 and len(USUAL) > 1)
        for place in placed[1:]:
            assert place.width >= place.column.width


def test_the_most_important_stay_longest():
    kept = {width: {place.column.id for place in layout(width)[0]} for width in (31, 40, 60, 79, 119, 200)}
    assert kept[31] == {"server", "per_million", "fit"}
    assert kept[40] >= {"server", "per_million", "fit"}
    assert kept[60] >= {"server", "per_million", "fit", "user_speed", "ttft"}
    assert kept[79] >= {"server", "hardware", "fit", "ttft", "user_speed", "month", "per_million", "servers"}
    assert kept[119] >= kept[79] | {"provider", "users", "servers", "region"}
    assert kept[200] == {column.id for column in USUAL}


def test_display_order_is_the_order_of_the_list():
    ids = [column.id for column in USUAL]
    shown = [place.column.id for place in layout(119)[0]]
    assert shown == [name for name in ids if name in shown]


def test_scrolling_reaches_every_column():
    seen: set[str] = set()
    offset, more = 0, True
    while more:
        placed, _, more = layout(79, offset)
        seen |= {place.column.id for place in placed}
        offset += 1
        assert offset < 30
    assert seen == {column.id for column in USUAL}


def test_every_column_has_a_priority_of_its_own_and_a_help():
    assert len({column.priority for column in COLUMNS}) == len(COLUMNS)
    assert all(column.help for column in COLUMNS)


def test_servers_outlive_provider_and_users():
    for width in range(30, 260):
        shown = {place.column.id for place in layout(width)[0]}
        assert "servers" in shown or not shown & {"provider", "users"}


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.id)
def test_title_and_arrow_have_room(column):
    from tui.widgets.offer_lines import title

    text = title(column.title("$"), "↓", Placed(column, 0, column.width))
    assert column.title("$") in text
    assert "↓" in text
    assert len(text) == column.width
