"""Every key does what the help says."""

from __future__ import annotations

import pytest

from tui.key_list import BINDINGS, GROUPS
from tui.keys import footer_keys, markdown, textual_bindings
from tui.screens.help import help_lines


def test_every_command_has_an_id_of_its_own():
    assert len({entry.id for entry in BINDINGS}) == len(BINDINGS)
    assert {entry.group for entry in BINDINGS if entry.where in {"dashboard", "table", "app"}} == set(GROUPS)


def test_bindings_carry_ids_and_help():
    for binding in textual_bindings():
        assert binding.id
        assert binding.description


def test_multiplexer_prefixes_stay_free():
    taken = {key for entry in BINDINGS for key in entry.keys.split(",")}
    assert not taken & {"ctrl+a", "ctrl+b", "ctrl+s", "ctrl+j", "ctrl+o"}


def test_readme_table_has_every_key():
    table = markdown()
    for entry in BINDINGS:
        assert entry.help.split("|")[0] in table


def test_footer_is_ordered_and_short():
    places = [entry.footer for entry in footer_keys()]
    assert places == sorted(set(places))
    assert all(entry.label for entry in footer_keys())


async def test_traffic_prompt_and_quant_keys(dashboard):
    async with dashboard() as app:
        await app.press("=", "=")
        assert app.session.workload.requests_per_s == 5
        await app.press("-")
        assert app.session.workload.requests_per_s == 2
        await app.press("right_curly_bracket")
        assert app.session.workload.input_tokens == 2310
        await app.press("left_curly_bracket", "left_curly_bracket")
        assert app.session.workload.input_tokens == 578
        assert app.session.workload.preset is None
        await app.press("left_square_bracket")
        assert app.session.workload.quant == "4bit"
        await app.press("right_square_bracket", "right_square_bracket")
        assert app.session.workload.quant == "16bit"
        assert app.session.comparison.workload == app.session.workload


async def test_undo_and_redo_walk_the_same_way(dashboard):
    async with dashboard() as app:
        start = app.session.workload
        await app.press("=", "left_square_bracket")
        changed = app.session.workload
        await app.press("u")
        assert (app.session.workload.requests_per_s, app.session.workload.quant) == (2, "8bit")
        await app.press("u", "u")
        assert app.session.workload == start
        await app.press("U", "U")
        assert app.session.workload == changed
        assert app.session.comparison.workload == changed


async def test_fit_kind_and_terms_cycle(dashboard):
    async with dashboard() as app:
        everything = set(app.servers())
        await app.press("t")
        assert {app.session.rows.offer(int(i)).kind for i in app.session.rows.order} == {"gpu"}
        await app.press("t")
        assert {app.session.rows.offer(int(i)).kind for i in app.session.rows.order} == {"cpu"}
        await app.press("t", "f")
        assert "epyc-tiny" in everything
        assert "epyc-tiny" not in app.servers()
        await app.press("f")
        meets = app.session.comparison.column("meets_targets")
        assert len(app.servers())
        assert all(meets[i] for i in app.session.rows.order)
        await app.press("f")
        assert set(app.servers()) == everything
        assert "h100-spot" not in everything
        await app.press("i")
        assert "h100-spot" in app.servers()
        assert "t4-undated" not in app.servers()
        await app.press("i")
        assert "t4-undated" in app.servers()
        await app.press("i")
        assert set(app.servers()) == everything


async def test_moving_keys(dashboard):
    async with dashboard() as app:
        last = len(app.servers()) - 1
        await app.press("j", "down", "k")
        assert app.table.cursor == 1
        await app.press("G")
        assert app.table.cursor == last
        await app.press("g")
        assert app.table.cursor == 0
        await app.press("end", "home", "pagedown")
        assert app.table.cursor == min(last, app.table.page_size)
        await app.press("ctrl+u")
        assert app.table.cursor == 0


async def test_sort_by_number_neighbour_and_menu(dashboard):
    async with dashboard() as app:
        columns = app.table.visible_columns
        await app.press("1")
        assert (app.session.view.sort, app.session.view.descending) == ("server", False)
        names = app.servers()
        await app.press("1")
        assert app.session.view.descending
        assert app.servers() == names[::-1]
        await app.press(">")
        assert app.session.view.sort == columns[1]
        await app.press("<")
        assert app.session.view.sort == columns[0]
        await app.press("s")
        await app.type("million")
        await app.press("enter")
        assert app.session.view.sort == "per_million"


@pytest.mark.parametrize("keys", [("question_mark",), ("f1",)])
async def test_help_opens_and_closes(dashboard, keys):
    async with dashboard((80, 24)) as app:
        await app.press(*keys)
        pane = app.app.screen.query_one("TextPane")
        for entry in BINDINGS:
            assert entry.where not in {"dashboard", "table", "app"} or entry.help.split()[0] in pane.plain
        assert max(len(line) for line in pane.plain.splitlines()) <= 76
        await app.press("escape")
        assert app.app.screen is app.dashboard


async def test_tab_reaches_the_details_and_comes_back(dashboard):
    async with dashboard() as app:
        await app.press("tab")
        assert app.app.focused.id == "details"
        await app.press("tab")
        assert app.app.focused is app.dashboard.plot
        await app.press("tab")
        assert app.app.focused is app.table
        await app.press("tab", "escape")
        assert app.app.focused is app.table


async def test_letters_do_not_act_while_typing(dashboard):
    async with dashboard() as app:
        await app.press("slash")
        await app.type("q")
        assert app.app.is_running
        assert app.dashboard.filtering
        await app.press("escape")
        assert not app.dashboard.filtering
        assert app.session.view.where == ""


async def test_quit(dashboard):
    async with dashboard() as app:
        await app.pilot.press("q")
        await app.pilot.pause()
        assert not app.app.is_running or app.app._exit


@pytest.mark.parametrize("word", ["reset", "Reset"])
def test_the_help_finds_the_reset(word):
    found = ["".join(text for text, _ in line) for line in help_lines(76, "table", word)]
    assert any(line.strip().startswith("R ") for line in found)
