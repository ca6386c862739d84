"""The user's own keys: read as people write them, checked, put in force, shown everywhere."""

from __future__ import annotations

import pytest

from pricing.errors import SettingsError
from pricing.settings import Settings
from tui import keymap, keys
from tui.__main__ import main
from tui.app import RackrateApp
from tui.key_list import BINDINGS


@pytest.fixture(autouse=True)
def usual_keys():
    yield
    keys.use({})


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("/", "slash"), ("slash", "slash"), ("?", "question_mark"), ("ctrl+f", "ctrl+f"), ("Ctrl-F", "ctrl+f"),
        ("PgUp", "pageup"), ("esc", "escape"), ("F12", "f12"), ("+", "plus"), ("G", "G"), ("space", "space"),
        ("shift+tab", "shift+tab"), ("comma", "comma"), ("ctrl+/", "ctrl+slash"), ("ä", "ä"),
        ("bogus", None), ("ctrl+bogus", None), ("hold+a", None), ("", None),
    ],
)  # fmt: skip
def test_keys_are_read_as_people_write_them(written, name):
    assert keymap.textual_name(written) == name


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ({"filer.edit": "/"}, "Did you mean filter.edit?"),
        ({"nothing": "/"}, "`rackrate config keys`"),
        ({"filter.edit": "bogus"}, "'bogus' is no key"),
        ({"filter.edit": " "}, "has no key"),
        ({"filter.edit": "s"}, "s is sort.menu already. It stays /"),
        ({"move.up": "f"}, "f is filter.fit already"),
        ({"theme": "e"}, "e is workload.edit already"),
        ({"picker.up": "k"}, "is needed for typing there"),
        ({"quit.always": "x"}, "is needed for typing there"),
        ({"sort.nth": "f2,f3"}, "takes 9 different keys"),
    ],
)
def test_a_key_that_cannot_be_is_told_and_the_usual_one_stays(own, said):
    used, told = keymap.read(own)
    assert used == {}
    assert len(told) == 1
    assert said in told[0]


def test_two_commands_can_change_places():
    used, told = keymap.read({"filter.edit": "s", "sort.menu": "/"})
    assert (used, told) == ({"filter.edit": "s", "sort.menu": "slash"}, [])


def test_of_two_of_ones_own_the_later_goes():
    used, told = keymap.read({"filter.edit": "ctrl+f", "sort.menu": "ctrl+f"})
    assert used == {"filter.edit": "ctrl+f"}
    assert "sort.menu" in told[0]


def test_a_rejected_entry_sets_its_usual_key_free_for_nobody():
    used, told = keymap.read({"sort.menu": "bogus", "filter.edit": "s"})
    assert used == {}
    assert len(told) == 2


def test_a_name_without_quotes_is_a_table_in_toml_and_means_the_same():
    assert Settings.from_table({"keys": {"filter": {"edit": "/"}, "quit": "q"}}).keys == {
        "filter.edit": "/",
        "quit": "q",
    }
    with pytest.raises(SettingsError, match=r"filter\.edit must be text"):
        Settings.from_table({"keys": {"filter": {"edit": 3}}})


async def test_own_keys_act_and_are_shown(make_session):
    session = make_session(
        keys={"filter.edit": "ctrl+f", "sort.menu": "/", "help": "f2", "workload.model": "M", "nope": "x"}
    )
    app = RackrateApp(session)
    async with app.run_test(size=(160, 40)) as pilot:
        await app.workers.wait_for_complete()
        await pilot.pause()
        dashboard = app.screen_stack[0]
        assert "ctrl+f filter" in dashboard.line("keys").plain
        assert "F2 help" in dashboard.line("header").plain
        assert "M model" in str(dashboard.bar.border_subtitle)
        assert any("nope" in note.message for note in app._notifications)
        await pilot.press("ctrl+f")
        assert dashboard.filtering
        await pilot.press("escape", "slash")
        await pilot.pause()
        assert app.screen.where == "picker"
        await pilot.press("escape", "f2")
        await pilot.pause()
        assert app.screen.where == "help"
        assert "ctrl+f" in app.screen.query_one("TextPane").plain


async def test_a_swap_of_numbers(make_session):
    session = make_session(keys={"sort.nth": "f2,f3,f4,f5,f6,f7,f8,f9,f10"})
    app = RackrateApp(session)
    async with app.run_test(size=(120, 36)) as pilot:
        await app.workers.wait_for_complete()
        await pilot.pause()
        before = session.view
        await pilot.press("1")
        assert session.view == before
        await pilot.press("f2")
        await pilot.pause()
        assert session.view.sort == app.screen.table.visible_columns[0]


def test_the_command_line_lists_and_checks_them(own_folders, capsys):
    folder = own_folders / "rackrate-config"
    folder.mkdir()
    (folder / "settings.toml").write_text('[keys]\n"filter.edit" = "ctrl+f"\nnope = "x"\n')
    assert main(["config", "keys"]) == 0
    out = capsys.readouterr()
    assert "* filter.edit        ctrl+f" in out.out
    assert all(key.id in out.out for key in BINDINGS)
    assert "nope" in out.err
    assert main(["config", "show"]) == 0
    out = capsys.readouterr()
    assert '"filter.edit" = "ctrl+f"' in out.out
    assert "nope" in out.err


def test_help_is_named_by_a_key_that_acts_while_typing():
    assert keys.while_typing("help") == "F1"
    keys.use({"help": "H,ctrl+t"})
    assert keys.while_typing("help") == "ctrl+t"
    keys.use({"help": "H"})
    assert keys.while_typing("help") == ""
