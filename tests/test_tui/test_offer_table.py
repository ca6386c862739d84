"""The table paints what is visible, keeps its offer, sorts by click, and never lets a feed's text out."""

from __future__ import annotations

import pytest
from rich.cells import cell_len


def lines(app):
    return [strip.text for strip in (app.table.render_line(y) for y in range(app.table.size.height))]


async def test_every_line_is_as_wide_as_the_table(dashboard):
    for size in ((200, 50), (120, 36), (80, 24), (60, 15), (30, 10)):
        async with dashboard(size) as app:
            width = app.table.scrollable_content_region.width
            assert {cell_len(line) for line in lines(app)} == {width}


async def test_names_are_text_not_markup_and_no_escape_gets_through(dashboard):
    async with dashboard((240, 50)) as app:
        text = "\n".join(lines(app))
        assert "[red]evil[/]" in text
        assert "\x1b" not in text
        await app.press("1")
        evil = next(place for place, name in enumerate(app.servers()) if "evil" in name)
        await app.press(*["j"] * (evil - app.table.cursor))
        assert "[red]evil[/]" in app.dashboard.query_one("#details").plain
        assert "\x1b" not in app.dashboard.query_one("#details").plain
        await app.press("enter")
        assert "[red]evil[/]" in app.app.screen.query_one("TextPane").plain


async def test_wide_characters_keep_the_columns_in_place(dashboard):
    async with dashboard((80, 24)) as app:
        places = {place.column.id: place for place in app.table.placed}
        end = places["per_million"].x + places["per_million"].width
        for line in lines(app)[1 : 1 + len(app.servers())]:
            head = line.rstrip()
            assert cell_len(head) <= end


async def test_cursor_stays_on_its_offer_when_the_order_changes(dashboard):
    async with dashboard() as app:
        await app.press("j", "j")
        offer = app.session.rows.offer(app.table.current).offer_id
        for key in ("1", "1", "=", "right_curly_bracket", "2"):
            await app.press(key)
            assert app.session.rows.offer(app.table.current).offer_id == offer


async def test_an_untouched_cursor_stays_at_the_top(dashboard):
    async with dashboard() as app:
        await app.press("1")
        assert app.table.cursor == 0
        await app.press("j", "g", "1")
        assert app.table.cursor == 0


async def test_looking_at_the_first_offer_does_not_pin_the_cursor(dashboard):
    async with dashboard() as app:
        await app.press("enter", "escape", "1", "1")
        assert app.table.cursor == 0
        await app.press("j", "k", "1")
        assert app.table.cursor == 0
        await app.pilot.click("#table", offset=(10, 1))
        await app.press("1")
        assert app.table.cursor == 0


async def test_cursor_survives_a_filter_that_hides_its_offer(dashboard):
    async with dashboard() as app:
        await app.press("G", "slash")
        await app.type("h100")
        assert 0 <= app.table.cursor < len(app.servers())
        assert app.table.current is not None


async def test_header_click_sorts_and_reverses(dashboard):
    async with dashboard() as app:
        place = next(place for place in app.table.placed if place.column.id == "ttft")
        for descending in (False, True):
            await app.pilot.click("#table", offset=(place.x + 2, 0))
            await app.settle()
            assert (app.session.view.sort, app.session.view.descending) == ("ttft", descending)
        header = app.table.render_line(0).text
        assert header.count("↓") + header.count("↑") == 1


async def test_click_follows_the_visible_columns(dashboard):
    async with dashboard((80, 24)) as app:
        await app.press("right", "right")
        for place in list(app.table.placed):
            await app.pilot.click("#table", offset=(place.x, 0))
            await app.settle()
            assert app.session.view.sort == place.column.id


async def test_row_click_selects_and_double_click_opens(dashboard):
    async with dashboard() as app:
        await app.pilot.click("#table", offset=(10, 3))
        await app.settle()
        assert app.table.cursor == 2
        await app.pilot.click("#table", offset=(10, 3), times=2)
        await app.settle()
        assert type(app.app.screen).__name__ == "DetailsScreen"


async def test_scrolling_columns_keeps_the_first(dashboard):
    async with dashboard((80, 24)) as app:
        first = app.table.visible_columns
        await app.press("right")
        assert app.table.visible_columns[0] == "server"
        assert app.table.visible_columns != first
        for _ in range(30):
            await app.pilot.press("l")
        assert not app.table.hidden_columns[1]
        for _ in range(30):
            await app.pilot.press("h")
        assert app.table.visible_columns == first


async def test_wheel_scrolls_without_moving_the_cursor(dashboard, make_session, big_market):
    async with dashboard(session=make_session(big_market(500))) as app:
        app.table.post_message(_wheel(app.table))
        await app.settle()
        assert app.table.scroll_offset.y == 3
        assert app.table.cursor == 0


def _wheel(widget):
    from textual.events import MouseScrollDown

    return MouseScrollDown(widget, 5, 5, 0, 1, 0, False, False, False)


async def test_ten_thousand_offers_paint_only_what_is_seen(dashboard, make_session, big_market, monkeypatch):
    from tui.widgets.offer_table import OfferTable

    async with dashboard(session=make_session(big_market(10_000))) as app:
        painted = []
        paint = OfferTable._offer
        monkeypatch.setattr(
            OfferTable, "_offer", lambda self, position, width: painted.append(position) or paint(self, position, width)
        )
        await app.press("=")
        assert len(app.session.rows) == 10_000
        assert len(painted) <= 3 * app.table.size.height
        await app.press("G")
        assert app.table.cursor == 9_999
        assert "10,000/10,000" in app.line("status")
        del painted[:]
        await app.press("k")
        assert len(painted) <= 4


async def test_an_empty_table_explains_itself(dashboard):
    async with dashboard() as app:
        await app.press("slash")
        await app.type("gpu>=999")
        text = "\n".join(lines(app))
        assert "0 of 12 offers: gpu>=999 removes" in text
        assert "esc" in text
        await app.press("escape")
        assert len(app.servers()) > 5


@pytest.mark.parametrize("size", [(120, 36), (80, 24)])
async def test_ascii_twin_has_no_other_characters(dashboard, size):
    async with dashboard(size, ascii_only=True) as app:
        strange = {char for line in app.screen_text() for char in line if not char.isascii()}
        assert not strange - set("▁▂▃▄▅▆▇█▔")  # Textual's own scrollbar
        assert "ok " in "\n".join(app.screen_text())
        assert "NO" in "\n".join(lines(app))
