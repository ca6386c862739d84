"""Messages in the corner, and names that could shift columns."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tui.notes import noted
from tui.text import wrap

SIZES = [(80, 24), (120, 36), (200, 50)]


@given(st.text(max_size=600), st.sampled_from(["information", "warning", "error"]), st.integers(20, 200))
def test_a_message_takes_two_lines_at_most(text, severity, width):
    said = noted(text, severity, width)
    assert len(wrap([(said, "text")], max(min(width - 6, 72), 10))) <= 2
    assert "\n" not in said


def test_what_matters_of_a_long_message_stays():
    path = "/srv/" + "very-long-folder/" * 20 + "rackrate/servers.toml"
    said = noted(f"{path}, line 3: there is no such field. Remove it.", "warning", 80)
    assert said == "Warning: …/rackrate/servers.toml, line 3: there is no such field. Remove it."
    said = noted("It begins so " + "and goes on " * 40 + "and ends so.", "information", 80)
    assert said.startswith("It begins so and")
    assert said.endswith("and ends so.")


@pytest.mark.parametrize(
    ("text", "severity", "said"),
    [
        ("Copied.", "information", "Copied."),
        ("lium: it broke.", "warning", "Warning: lium: it broke."),
        ("lium: it broke.", "error", "Error: lium: it broke."),
        ("No network: kept 12 prices.", "warning", "No network: kept 12 prices."),
        ("Failed: it broke.", "warning", "Failed: it broke."),
        ("a\x1b[31mb", "information", "a [31mb"),
    ],
)
def test_the_weight_is_said_in_a_word(text, severity, said):
    assert noted(text, severity, 80) == said


def test_the_home_folder_is_short():
    assert noted(f"Wrote {Path.home()}/prices.csv", "information", 80) == "Wrote ~/prices.csv"


@pytest.mark.parametrize("size", SIZES[:2], ids=["80x24", "120x36"])
async def test_a_note_is_no_higher_than_its_text(dashboard, size):
    async with dashboard(size) as app:
        app.app.notify("Something went wrong with the disk.", severity="warning", markup=False)
        await app.pilot.pause()
        toast = app.app.screen.query("Toast").first()
        assert toast.outer_size.height == 1
        assert any("Warning: Something went wrong with the disk." in line for line in app.screen_text())


NAMES = {
    "cjk": "サーバー大容量モデル第二世代特別版プレミアム",
    "combining": "se\u0301rveu\u0301r-" + "a\u0308" * 30,
    "stacked": "z" + "\u0336\u0322\u0353" * 40,
    "rtl": "שרת-גדול-مخدم-كبير",
    "override": "abc\u202edef\u202c",
    "zero-width": "a\u200bb\u200cc\u200dd\ufeffe",
    "emoji": "gpu-🚀-❤️-👩‍👩‍👧",
    "long": "x" * 5000,
    "blank": "   ",
    "tabs": "a\tb\nc",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("size", SIZES, ids=["80x24", "120x36", "200x50"])
async def test_no_name_shifts_columns_or_reaches_the_terminal_raw(dashboard, make_session, small_offers, name, size):
    offers = small_offers(name)
    async with dashboard(size, session=make_session(offers)) as app:
        await app.press("down")
        lines = app.screen_text()
        assert all(cell_len(line) == size[0] for line in lines)
        assert not any(unicodedata.category(char) in {"Cc", "Cf"} for line in lines for char in line)
        place = next(place for place in app.table.placed if place.column.id == "per_million")
        right = place.x + place.width
        heads = app.table.render_line(0).crop(0, right).text
        assert heads.endswith("$/Mtok")
        for y in (1, 2):
            shown = app.table.render_line(y).crop(0, right).text
            assert cell_len(shown) == right
            assert shown[-1].isdigit(), shown
        await app.press("enter")
        assert all(cell_len(line) == size[0] for line in app.screen_text())


async def test_no_note_is_read_as_markup(dashboard):
    async with dashboard() as app:
        app.dashboard.notify("[red]a name[/] and the key [")
        await app.settle()
        (note,) = app.app._notifications
        assert note.message == "[red]a name[/] and the key ["
        assert not note.markup
