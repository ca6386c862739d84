"""Plots on the screen: keys, clicks, zoom, panes, and what is painted when."""

from __future__ import annotations

import pytest

from tui.plots import TITLES
from tui.state import PLOTS


def shown(app):
    return app.dashboard.plot.plain


def offer_of(app):
    rows = app.session.rows
    return rows.offer(app.table.current).offer_id


async def test_the_plot_stands_beside_the_details_where_there_is_room(dashboard):
    async with dashboard((120, 36)) as app:
        pane, details = app.dashboard.plot, app.dashboard.pane("details")
        assert pane.display
        assert details.display
        assert pane.region.y == details.region.y
        assert details.region.width in range(68, 75)
        assert "tok/s·u" in shown(app)
    async with dashboard((200, 50)) as app:
        pane, details = app.dashboard.plot, app.dashboard.pane("details")
        assert pane.region.x == details.region.x
        assert pane.region.y == details.region.bottom
    for size in ((99, 36), (120, 29), (80, 24), (60, 15), (170, 30)):
        async with dashboard(size) as app:
            assert not app.dashboard.plot.display


async def test_p_goes_round_the_plots_and_back(dashboard):
    async with dashboard((120, 36)) as app:
        seen = []
        for _ in PLOTS:
            seen.append(app.dashboard.plot.plot.name)
            assert TITLES[seen[-1]] in str(app.dashboard.plot.border_title)
            await app.press("p")
        assert tuple(seen) == PLOTS
        assert app.dashboard.plot.plot.name == PLOTS[0]
        await app.press("P")
        assert app.session.view.plot == PLOTS[-1]


async def test_the_titles_of_the_panes_say_the_users_own_keys(dashboard, monkeypatch):
    from tui import keys
    from tui.key import OWN

    async with dashboard((120, 36)) as app:
        for name, pressed in (("plot.next", "ctrl+n"), ("pane.zoom", "f9")):
            monkeypatch.setitem(OWN, name, pressed)
        app.dashboard.show()
        await app.settle()
        said = f"1/5: {keys.shown('plot.next')} next, F9 zoom"
        assert said in str(app.dashboard.plot.border_title)
        assert " p next" not in said
        assert "Tab scrolls them, enter in full, F9 zoom" in str(app.dashboard.pane("details").border_title)
        app.dashboard.zoom("plot")
        await app.settle()
        assert "F9 back, t as text" in str(app.dashboard.plot.border_title)


async def test_p_fills_a_small_screen_and_esc_gives_it_back(dashboard):
    async with dashboard((80, 24)) as app:
        await app.press("p")
        assert app.dashboard.zoomed == "plot"
        assert app.dashboard.plot.has_focus
        assert app.dashboard.plot.region.size == (80, 22)
        assert app.dashboard.plot.plot.name == "pareto"
        await app.press("p")
        assert app.dashboard.plot.plot.name == "crossover"
        assert "as text" in app.line("keys")
        await app.press("escape")
        assert app.dashboard.zoomed is None
        assert app.table.has_focus
        assert not app.dashboard.plot.display
        assert any("▸" in line for line in app.screen_text())


async def test_the_workload_can_be_changed_over_the_whole_screen_plot(dashboard):
    async with dashboard((80, 24)) as app:
        await app.press("p", "p")
        before = shown(app)
        await app.press("equals_sign")
        assert app.session.workload.requests_per_s == 2.0
        assert shown(app) != before
        await app.press("e")
        assert app.dashboard.bar.display
        await app.press("escape")
        assert app.dashboard.zoomed == "plot"
        assert app.dashboard.plot.has_focus
        assert not app.dashboard.bar.display
        await app.press("slash")
        await app.type("h100")
        await app.press("enter")
        assert app.dashboard.plot.has_focus
        assert len(app.dashboard.plot.plot.points) < 12
        assert not app.dashboard.line("filter-line").display


@pytest.mark.parametrize("name", ["table", "details", "plot"])
async def test_z_zooms_the_pane_with_the_focus(dashboard, name):
    async with dashboard((120, 36)) as app:
        while app.dashboard.pane_name != name:
            await app.press("tab")
        await app.settle()  # the details may have got a scroll bar
        before = app.screen_text()
        await app.press("z")
        assert app.dashboard.zoomed == name
        assert app.dashboard.pane(name).has_focus
        assert app.dashboard.pane(name).region.size == (120, 34)
        assert [one for one in app.dashboard.PANES if app.dashboard.pane(one).region.size] == [name]
        await app.press("z")
        assert app.screen_text() == before
        assert app.dashboard.pane(name).has_focus


async def test_tab_goes_round_the_panes_both_ways_and_over_the_zoom(dashboard):
    async with dashboard((120, 36)) as app:
        seen = []
        for key in ("tab", "tab", "tab", "shift+tab", "shift+tab"):
            await app.press(key)
            seen.append(app.dashboard.pane_name)
        assert seen == ["details", "plot", "table", "plot", "details"]
        await app.press("z", "tab")
        assert app.dashboard.zoomed == "plot"
        await app.press("tab", "escape")
        assert app.table.has_focus
    async with dashboard((80, 24)) as app:
        await app.press("tab")
        assert app.table.has_focus


async def test_arrows_go_along_the_frontier_and_take_the_table_with_them(dashboard):
    async with dashboard((120, 36)) as app:
        await app.press("tab", "tab", "home")
        points = app.dashboard.plot.plot.points
        assert len(points) > 1
        for point in points[1:]:
            await app.press("right")
            assert app.table.current == point.offer
            assert point.words[:20] in shown(app)
        await app.press("right")
        assert app.table.current == points[-1].offer
        await app.press("g")
        assert app.table.current == points[0].offer
        await app.press("G", "enter")
        assert app.table.has_focus
        assert app.table.current == points[-1].offer


async def test_from_an_offer_behind_the_frontier_the_arrow_goes_to_the_next_better_one(dashboard):
    async with dashboard((120, 36)) as app:
        plot = app.dashboard.plot.plot
        other = next(i for i in app.session.rows.order.tolist() if plot.number(i) is None and plot.place(i) is not None)
        app.table.go(app.session.rows.position(app.session.market.offers[other].offer_id))
        await app.settle()
        assert app.session.rows.server(other)[:8] in shown(app).splitlines()[-1]
        await app.press("tab", "tab", "right")
        assert app.table.current == plot.points[plot.nearest(other)].offer


async def test_a_click_on_a_point_selects_its_offer(dashboard):
    async with dashboard((120, 36)) as app:
        pane = app.dashboard.plot
        point = pane.plot.points[-1]
        frame = pane._picture._frames[0][1]
        x, y = frame.cell(point.x, point.y)
        await app.pilot.click(pane, offset=(pane.gutter.left + pane._picture._left + x, pane.gutter.top + 1 + y))
        await app.settle()
        assert app.table.current == point.offer
        await app.press("p", "p", "p", "p")
        assert pane.plot.name == "providers"
        await app.pilot.click(pane, offset=(6, pane.gutter.top + 1), times=2)
        await app.settle()
        assert app.table.current == pane.plot.bars[0].offer
        assert app.table.has_focus


async def test_an_offer_that_type_or_fit_hides_is_said_to_be_hidden(dashboard):
    async with dashboard((120, 36)) as app:
        await app.press("t", "t", "p")
        assert app.session.view.kind == "cpu"
        gpu = next(n for n, point in enumerate(app.dashboard.plot.plot.points) if point.glyph == "●")
        before = offer_of(app)
        app.dashboard.plot._choose(gpu)
        await app.settle()
        assert offer_of(app) == before
        assert any("is hidden by the table's type or fit" in note.message for note in app.app._notifications)


async def test_t_shows_the_plot_as_text_on_the_whole_screen_and_the_type_elsewhere(dashboard):
    async with dashboard((120, 36)) as app:
        await app.press("tab", "tab", "t")
        assert app.session.view.kind == "gpu"
        await app.press("z", "t")
        assert app.session.view.kind == "gpu"
        text = "\n".join(app.screen_text())
        assert "Frontier: the cheapest at at least that speed" in text
        await app.press("escape")
        assert app.dashboard.zoomed == "plot"


async def test_a_moving_cursor_repaints_only_what_changed(dashboard, monkeypatch):
    async with dashboard((120, 36)) as app:
        pane = app.dashboard.plot
        sent = []
        refresh = type(pane).refresh
        monkeypatch.setattr(
            type(pane),
            "refresh",
            lambda self, *regions, **more: sent.append(regions) or refresh(self, *regions, **more),
        )
        await app.press("down")
        assert 0 < len(sent) <= 3
        assert all(len(regions) == 1 and regions[0].height == 1 for regions in sent)


async def test_latency_waits_until_the_cursor_rests(dashboard, monkeypatch):
    from tui import plots

    async with dashboard((120, 36)) as app:
        await app.press("p", "p", "p")
        made = []
        make = plots.make
        monkeypatch.setattr(plots, "make", lambda *asked: made.append(asked) or make(*asked))
        await app.pilot.press("down", "down", "down")
        await app.settle()
        assert made[-1][2] == app.table.cursor == 3
        assert app.session.rows.server(app.table.current) in app.dashboard.plot.plot.text[0]


async def test_marked_servers_are_the_memory_plot(dashboard):
    async with dashboard((120, 36)) as app:
        await app.press("p", "p")
        assert len(app.dashboard.plot.plot.bars) > 2
        await app.press("space", "space")
        assert [bar.offer for bar in app.dashboard.plot.plot.bars] == app.session.rows.order[:2].tolist()


async def test_nothing_is_drawn_while_it_is_not_seen(dashboard, monkeypatch):
    from tui import plots

    async with dashboard((80, 24)) as app:
        monkeypatch.setattr(plots, "make", lambda *_: pytest.fail("nobody sees it"))
        await app.press("equals_sign", "down", "t")


async def test_the_plot_is_drawn_in_seven_bits(dashboard):
    async with dashboard((120, 36), ascii_only=True) as app:
        for _ in PLOTS:
            await app.press("p")
            pane = app.dashboard.plot
            for y in range(pane.content_size.height):
                line = "".join(segment.text for segment in pane.render_line(y))
                assert line.replace("?", "").isascii()
                assert len(line) == pane.content_size.width


async def test_an_empty_table_and_a_new_theme_do_no_harm(dashboard):
    async with dashboard((120, 36)) as app:
        await app.press("slash")
        await app.type("gpu>=999")
        await app.press("enter")
        assert shown(app).startswith("No offer is shown.")
        await app.press("tab", "tab", "right", "left", "home", "end", "T", "z", "t", "escape", "escape", "escape")
        assert len(app.session.rows) == 12 or app.session.view.where


@pytest.mark.parametrize("size", [(40, 10), (60, 15), (30, 6)], ids=str)
async def test_a_small_terminal_has_every_plot(dashboard, size):
    async with dashboard(size) as app:
        await app.press("p")
        for _ in PLOTS:
            assert shown(app).strip()
            await app.press("right", "p")
        await app.press("escape")
        assert app.table.has_focus


async def test_two_keys_in_one_burst(dashboard):
    async with dashboard((80, 24)) as app:
        await app.press("p", "t", "t", "escape", "escape")
        assert app.app.screen is app.dashboard
        await app.press("z", "z", "z", "p", "z", "escape")
        assert app.dashboard.zoomed is None


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_p_in_the_words_of_a_plot_goes_to_the_next_plots_words(dashboard, size):
    async with dashboard(size) as app:
        await app.press(*(["p"] if size[0] < 100 else ["tab", "tab", "z"]), "t")
        screen = app.app.screen
        assert screen is not app.dashboard
        texts = []
        for name in (*PLOTS[1:], PLOTS[0]):
            await app.press("p")
            assert app.session.view.plot == name
            assert TITLES[name] in str(screen.query_one(".dialog").border_title)
            texts.append(screen.query_one("TextPane").plain)
        assert len(set(texts)) == len(PLOTS)
        await app.press("P")
        assert screen.query_one("TextPane").plain == texts[-2]
        await app.press("escape")
        assert app.app.screen is app.dashboard
        assert app.dashboard.plot.plot.name == PLOTS[-1]
