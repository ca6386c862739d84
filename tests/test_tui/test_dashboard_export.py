"""The export says where it wrote, writes what is shown, and fails politely."""

from __future__ import annotations

import csv

import pytest


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def table(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


async def test_visible_rows_in_their_order(dashboard, folder):
    async with dashboard() as app:
        await app.press("slash")
        await app.type("acme")
        await app.press("enter", "1", "1", "x", "enter")
        (path,) = folder.glob("*.csv")
        assert [row["server"] for row in table(path)] == app.servers()
        assert any(str(path) in str(note.message) for note in app.app._notifications)


async def test_all_rows(dashboard, folder):
    async with dashboard() as app:
        await app.press("t", "x", "down", "enter")
        (path,) = folder.glob("*.csv")
        assert len(table(path)) == len(app.session.market)


async def test_path_can_be_typed_and_a_folder_is_refused(dashboard, folder):
    async with dashboard((80, 24)) as app:
        await app.press("x", "tab")
        field = app.app.screen.query_one("Input")
        field.value = str(folder)
        await app.press("enter")
        assert "folder" in str(app.app.screen.query_one("#export-hint").content)
        field.value = str(folder / "missing" / "mine.csv")
        await app.press("enter")
        assert "no folder" in str(app.app.screen.query_one("#export-hint").content)
        assert not (folder / "missing").exists()
        field.value = str(folder / "mine.csv")
        await app.press("enter")
        assert (folder / "mine.csv").exists()
        assert app.app.screen is app.dashboard


@pytest.mark.parametrize(
    ("name", "said"),
    [("x" * 300, "too long"), ("", "missing"), ("   ", "missing"), ("~nobody-here/a.csv", "!"), ("a\0b", "!")],
)
async def test_a_name_that_no_file_can_have_is_one_sentence(dashboard, folder, name, said):
    async with dashboard() as app:
        await app.press("x", "tab")
        field = app.app.screen.query_one("Input")
        field.value = name
        await app.settle()
        hint = app.app.screen.query_one("#export-hint")
        assert said in str(hint.content)
        await app.press("enter")
        assert said in str(hint.content)
        assert app.app.screen is not app.dashboard
        assert not list(folder.iterdir())


async def test_escape_writes_nothing(dashboard, folder):
    async with dashboard() as app:
        await app.press("x", "escape")
        assert not list(folder.iterdir())


async def test_the_proposed_name_is_new(dashboard, folder):
    async with dashboard() as app:
        await app.press("x", "enter", "x", "enter")
        assert len(list(folder.glob("*.csv"))) == 2
