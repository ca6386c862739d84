"""Marks, servers side by side, alternatives and copying, through the keys."""

from __future__ import annotations

import csv
import io

import pytest

from pricing.market import Market
from tui import comparing
from tui.screens.alternatives_screen import AlternativesScreen
from tui.screens.compare_screen import CompareScreen
from tui.screens.details_screen import DetailsScreen

SCROLLBAR = frozenset("▁▂▃▄▅▆▇█")
"""Textual's own."""


def copied(app, monkeypatch):
    """The list that copied texts go to."""
    texts = []
    monkeypatch.setattr(app.app, "copy_to_clipboard", texts.append)
    return texts


def _tsv(text):
    return list(csv.reader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE))


def shown(app):
    return "\n".join(app.screen_text())


# marks


async def test_space_marks_and_goes_down_and_again_unmarks(dashboard):
    async with dashboard() as app:
        first, second = app.servers()[:2]
        await app.press("space", "space")
        ids = [app.session.rows.offer(app.session.rows.texts.index_of(one)).server for one in app.session.marks]
        assert ids == [first, second]
        assert app.table.cursor == 2
        assert "2 marked" in app.line("status")
        await app.press("up", "up", "space")
        assert len(app.session.marks) == 1
        await app.press("C")
        assert app.session.marks == []
        assert "marked" not in app.line("status")


async def test_marks_survive_order_filter_workload_and_refresh(dashboard):
    async with dashboard() as app:
        await app.press("space", "space")
        before = list(app.session.marks)
        await app.press("2", "equals_sign", "t", "t", "f")
        assert app.session.marks == before
        assert app.table.marked == frozenset(before)
        app.session.market = Market(list(app.session.market.offers)[::-1])
        app.session.use(app.session.read())
        app.session.recompute()
        app.dashboard.show()
        await app.settle()
        assert app.session.marks == before
        assert app.table.marked == frozenset(before)


async def test_a_marked_row_shows_its_mark(dashboard):
    async with dashboard(ascii_only=True) as app:
        await app.press("space")
        rows = [line for line in app.screen_text() if app.servers()[0] in line]
        assert any(line.startswith((" #", "#", ">#")) for line in rows)


# comparing


async def test_without_marks_this_one_and_the_next_are_compared_and_it_says_so(dashboard):
    async with dashboard((80, 24)) as app:
        first, second = app.servers()[:2]
        await app.press("c")
        screen = app.app.screen
        assert isinstance(screen, CompareScreen)
        assert [screen.rows.offer(i).server for i in screen.chosen] == [first, second]
        said = [toast.message for toast in app.app._notifications]
        assert any("Nothing is marked" in message and "space" in message for message in said)
        await app.press("escape")
        assert app.app.screen is app.dashboard


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (60, 15), (200, 50)])
@pytest.mark.parametrize("ascii_only", [False, True])
async def test_three_servers_stand_side_by_side(dashboard, size, ascii_only):
    async with dashboard(size, ascii_only=ascii_only) as app:
        await app.press("space", "space", "space", "c")
        text = shown(app)
        assert app.servers()[0][:8] in text
        assert "TTFT" in text
        assert all(len(line) <= size[0] * 2 for line in app.screen_text())
        if size[0] >= 80:
            assert all(server[:6] in text for server in app.servers()[:3])
        if ascii_only:
            assert {char for char in text if not char.isascii()} <= SCROLLBAR


async def test_only_lines_that_differ(dashboard):
    async with dashboard() as app:
        await app.press("space", "space", "c")
        screen = app.app.screen
        everything = {figure.name for figure in comparing.figures(screen.rows, screen.chosen, differing=False)}
        await app.press("d")
        lines = [line for line in app.screen_text() if line.strip()]
        for figure in comparing.FIGURES:
            same = len({figure.say(screen.rows, i) for i in screen.chosen}) == 1
            assert (not any(line.startswith(f" {figure.name} ") for line in lines)) == same, figure.name
        await app.press("d")
        assert len(everything) == len(comparing.FIGURES)


async def test_left_right_choose_enter_opens_space_takes_out(dashboard):
    async with dashboard() as app:
        await app.press("space", "space", "space", "c", "right", "right", "right")
        screen = app.app.screen
        assert screen.at == 2
        await app.press("enter")
        assert isinstance(app.app.screen, DetailsScreen)
        await app.press("left", "escape")
        assert app.app.screen is screen
        assert screen.at == 1
        out = screen.rows.offer(screen.chosen[1]).offer_id
        await app.press("space")
        assert out not in app.session.marks
        assert len(screen.chosen) == 2
        await app.press("space", "space", "space")
        assert len(screen.chosen) == 1
        await app.press("q")
        assert app.table.marked == frozenset(app.session.marks)


def test_the_best_of_a_line_has_a_sign_and_is_bold(session):
    rows = session.rows
    chosen = [rows.index(0), rows.index(1), rows.index(2)]
    cost = next(figure for figure in comparing.FIGURES if figure.name == "per Mtok")
    top = comparing.best(cost, rows, chosen)
    values = {i: rows.value("cost_per_m_output_tokens", i) for i in chosen}
    assert min(values, key=values.__getitem__) in top
    spans = [span for line in comparing.side_by_side(rows, chosen, 0, 120) for span in line]
    assert any(comparing.BEST in text and tone == "strong" for text, tone in spans)
    assert comparing.best(cost, rows, [chosen[0], chosen[0]]) == frozenset()


@pytest.mark.parametrize("width", [40, 78, 118, 198])
def test_columns_never_leave_the_screen(session, width):
    from tui.text import length

    chosen = session.rows.order.tolist()
    for at in range(len(chosen)):
        first, many = comparing.visible(len(chosen), at, width)
        assert first <= at < first + many
        assert all(length(line) <= width for line in comparing.side_by_side(session.rows, chosen, at, width))


# copying


async def test_y_copies_the_row_with_its_header(dashboard, monkeypatch):
    async with dashboard() as app:
        texts = copied(app, monkeypatch)
        await app.press("y")
        head, row = _tsv(texts[0])
        values = dict(zip(head, row, strict=True))
        assert values["server"] == app.servers()[0]
        assert float(values["ttft_ms"]) == pytest.approx(app.session.rows.value("ttft_ms", app.table.current))
        assert any("OSC 52" in toast.message for toast in app.app._notifications)


async def test_y_capital_copies_the_marked_ones_as_markdown(dashboard, monkeypatch):
    async with dashboard() as app:
        texts = copied(app, monkeypatch)
        await app.press("Y", "space", "space", "Y")
        assert len(texts[0].splitlines()) == 3
        assert len(texts[1].splitlines()) == 4
        assert all(line.startswith("| ") and line.endswith(" |") for line in texts[1].splitlines())


async def test_hostile_names_neither_break_a_table_nor_become_formulas(dashboard, make_session, monkeypatch):
    from dataclasses import replace

    from tests.test_tui.conftest import gpu

    names = ["=cmd|'/c calc'!A1", "a|b\tc\nd", "@SUM(1)", "[x](javascript:1)"]
    offers = [replace(gpu(f"l4-{n}", hour=0.5 + n), server=name) for n, name in enumerate(names)]
    session = make_session(offers)
    async with dashboard(session=session) as app:
        texts = copied(app, monkeypatch)
        for _ in names:
            await app.press("y", "space")
        await app.press("Y")
        for text in texts[:-1]:
            lines = _tsv(text)
            assert len(lines) == 2
            assert len(lines[0]) == len(lines[1])
            assert not any(cell.startswith(("=", "@", "+")) for cell in lines[1])
        table = texts[-1].splitlines()
        assert len(table) == 2 + len(names)
        bars = {line.replace("\\|", "").count("|") for line in table}
        assert len(bars) == 1


async def test_details_are_copied_as_text(dashboard, monkeypatch):
    async with dashboard() as app:
        texts = copied(app, monkeypatch)
        await app.press("enter", "y")
        assert app.servers()[0] in texts[0]
        assert "= TPOT" in texts[0]
        assert "vllm bench serve" in texts[0]
        assert not any(ord(char) < 32 and char != "\n" for char in texts[0])


async def test_the_comparison_is_copied_in_both_forms(dashboard, monkeypatch):
    async with dashboard() as app:
        texts = copied(app, monkeypatch)
        await app.press("space", "space", "c", "y", "Y")
        assert {len(line) for line in _tsv(texts[0])} == {3}
        assert texts[1].splitlines()[1] == "| --- | --- | --- |"


# alternatives


async def test_a_quantization_is_taken_and_undone(dashboard):
    async with dashboard((80, 24)) as app:
        before = app.session.workload
        await app.press("a")
        screen = app.app.screen
        assert isinstance(screen, AlternativesScreen)
        names = [one.name for one in screen.alternatives()]
        assert {"16bit", "8bit", "4bit"} <= set(names)
        assert names.index("16bit") < names.index("8bit") < names.index("4bit")
        await app.press("home", "enter")
        assert app.app.screen is app.dashboard
        assert app.session.workload.quant == names[0]
        assert app.session.workload == before.changed(quant=names[0])
        await app.press("u")
        assert app.session.workload == before


async def test_a_neighbouring_model_is_taken_and_undone(dashboard):
    async with dashboard() as app:
        before = app.session.workload
        await app.press("a", "tab")
        found = app.app.screen.alternatives()
        sizes = [one.workload.model.params_total for one in found]
        assert sizes == sorted(sizes)
        assert before.model.name in [one.name for one in found]
        assert sum(one.workload.model.family == before.model.family for one in found) > 1
        await app.press("home", "enter")
        assert app.session.workload == before.changed(model=found[0].workload.model)
        await app.press("u")
        assert app.session.workload == before


async def test_alternatives_show_what_the_table_shows(dashboard):
    """One estimator: the line of the present format has the figures of the row it was opened on."""
    async with dashboard() as app:
        rows, i = app.session.rows, app.table.current
        await app.press("a")
        now = next(one for one in app.app.screen.alternatives() if one.name == app.session.workload.quant)
        for name in (
            "ttft_ms",
            "tokens_per_s_user",
            "max_concurrency",
            "cost_per_m_output_tokens",
            "memory_used_share",
        ):
            assert now.value(name) == pytest.approx(rows.value(name, i), rel=1e-9)


@pytest.mark.parametrize("size", [(60, 15), (80, 24), (120, 36)])
async def test_alternatives_fit_small_screens_in_ascii(dashboard, size):
    async with dashboard(size, ascii_only=True) as app:
        await app.press("a")
        assert "8bit" in shown(app)
        assert "$/Mtok" in shown(app)
        assert {char for char in shown(app) if not char.isascii()} <= SCROLLBAR
        await app.press("tab")
        assert "Llama-3.1-8B" in shown(app)
        await app.press("escape")
        assert app.app.screen is app.dashboard


async def test_quick_hands_open_one_screen(dashboard):
    async with dashboard() as app:
        for key, kind in (("c", CompareScreen), ("a", AlternativesScreen)):
            app.dashboard.action_compare() if key == "c" else app.dashboard.action_alternatives()
            app.dashboard.action_compare() if key == "c" else app.dashboard.action_alternatives()
            await app.settle()
            assert sum(isinstance(screen, kind) for screen in app.app.screen_stack) == 1
            await app.press("escape")


async def test_an_unknown_server_has_alternatives_without_figures(dashboard):
    async with dashboard() as app:
        at = app.servers().index("mystery")
        app.table.go(at)
        await app.press("a")
        assert all(one.reason for one in app.app.screen.alternatives())
        assert "not in the catalog" in shown(app) or "unknown chip" in shown(app)


def test_what_all_servers_cost_and_what_one_carries_is_named_so_and_only_merits_have_a_best(session):
    rows, chosen = session.rows, [int(i) for i in session.rows.order][:4]
    named = {line[0]: line[1:] for line in comparing.plain(rows, chosen)[1:]}
    for name, column in (("all servers /mo", "monthly_cost"), ("all servers /h", "hourly_cost")):
        figure = next(figure for figure in comparing.FIGURES if figure.name == name)
        assert figure.number(rows, chosen[0]) == rows.value(column, chosen[0])
    for name in ("Fit", "tok/s Σ, each", "Users, each"):
        assert not any(comparing.BEST in cell for cell in named[name])
    assert all(len(set(named[name])) > 1 for name in ("Fit", "Users, each"))
    assert any(comparing.BEST in cell for cell in named["all servers /mo"])
    assert all(len(figure.name) < comparing.LABEL for figure in comparing.FIGURES)


async def test_a_mark_whose_offer_is_gone_is_not_counted(dashboard):
    async with dashboard() as app:
        await app.press("space")
        app.session.marks.append("gone_from_the_prices")
        await app.press("down")
        assert "1 marked" in app.line("status")
        await app.press("x")
        assert any("the 1 marked row" in choice.text for choice in app.app.screen.query_one("#export-rows").choices)
