"""The export says where it wrote, writes what is shown, and fails politely."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tui import exporting


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def table(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def said(app) -> str:
    return "\n".join(str(note.message) for note in app.app._notifications)


async def test_visible_rows_in_their_order(dashboard, folder):
    async with dashboard() as app:
        await app.press("slash")
        await app.type("acme")
        await app.press("enter", "1", "1", "x", "enter")
        (path,) = folder.glob("*.csv")
        # An escape in a name is left out: a CSV is printed in terminals too.
        assert [row["server"] for row in table(path)] == [name.replace("\x1b", "") for name in app.servers()]
        assert f"Wrote {len(app.servers())} rows to {path.name} in " in said(app)
        assert path.parent.name in said(app)


async def test_all_rows(dashboard, folder):
    async with dashboard() as app:
        await app.press("t", "x", "down", "enter")
        (path,) = folder.glob("*.csv")
        assert len(table(path)) == len(app.session.market)


async def test_marked_rows_also_where_the_filter_hides_them(dashboard, folder):
    async with dashboard() as app:
        shown = [app.session.rows.offer(int(i)) for i in app.session.rows.order]
        cpu = next(offer for offer in shown if offer.kind == "cpu")
        gpu = next(offer for offer in shown if offer.kind == "gpu")
        app.session.marks[:] = [cpu.offer_id, gpu.offer_id, "gone_from_the_market"]
        await app.press("t", "x", "down", "enter")
        (path,) = folder.glob("*.csv")
        assert [row["offer_id"] for row in table(path)] == [gpu.offer_id, cpu.offer_id.replace("\x1b", "")]


async def test_json_has_the_same_rows_and_null_for_what_is_missing(dashboard, folder):
    async with dashboard() as app:
        await app.press("x", "tab", "down", "enter")
        (path,) = folder.glob("*.json")
        rows = json.loads(path.read_text(encoding="utf-8"))
        assert [row["server"] for row in rows] == app.servers()
        assert next(row for row in rows if row["server"] == "no-price")["monthly_cost"] is None


async def test_markdown_keeps_hostile_names_inside_their_cells(dashboard, folder):
    async with dashboard() as app:
        await app.press("x", "tab", "down", "down", "enter")
        (path,) = folder.glob("*.md")
        lines = path.read_text(encoding="utf-8").splitlines()
        assert lines[0].startswith(app.session.workload.model.name), "a document says what was asked"
        assert len(lines) == 4 + len(app.servers())
        assert "\x1b" not in "".join(lines)


async def test_a_typed_name_stays_when_the_format_changes(dashboard, folder):
    async with dashboard() as app:
        await app.press("x")
        field = app.app.screen.query_one("Input")
        proposed = field.value
        await app.press("tab", "down")
        assert field.value == proposed.removesuffix(".csv") + ".json"
        field.value = "mine.txt"
        await app.press("down")
        assert field.value == "mine.txt"


async def test_a_click_chooses_and_the_line_below_writes(dashboard, folder):
    async with dashboard((80, 24)) as app:
        await app.press("x")
        await app.pilot.click("#export-format", offset=(3, 1))
        await app.settle()
        assert not list(folder.iterdir())
        await app.pilot.click("#export-keys", offset=(2, 0))
        await app.settle()
        assert len(list(folder.glob("*.json"))) == 1


async def test_the_next_export_goes_where_the_last_one_went(dashboard, folder):
    (folder / "reports").mkdir()
    async with dashboard() as app:
        await app.press("x")
        app.app.screen.query_one("Input").value = "reports/first.csv"
        await app.press("enter", "x", "enter")
        assert len(list((folder / "reports").glob("*.csv"))) == 2


async def test_path_can_be_typed_and_a_folder_is_refused(dashboard, folder):
    async with dashboard((80, 24)) as app:
        await app.press("x", "tab", "tab")
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
        await app.press("x", "tab", "tab")
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


async def test_an_export_that_is_stopped_leaves_no_file(session, folder):
    stops = iter([False, False, True])
    with pytest.raises(exporting.ExportStoppedError):
        exporting.write(session, "visible", "csv", folder / "half.csv", lambda: next(stops))
    assert not list(folder.iterdir())


async def test_a_disk_that_refuses_is_told_and_the_dialog_stays(dashboard, folder, monkeypatch):
    from pricing import atomic

    def full(path, text):
        raise OSError(28, "No space left on device")

    async with dashboard() as app:
        monkeypatch.setattr(atomic, "write_text", full)
        await app.press("x", "enter")
        assert "No space left" in str(app.app.screen.query_one("#export-hint").content)
        await app.press("escape", "S")
        assert "No space left" in said(app)
        assert not list(folder.iterdir())


async def test_the_proposed_name_is_new(dashboard, folder):
    async with dashboard() as app:
        await app.press("x", "enter", "x", "enter")
        assert len(list(folder.glob("*.csv"))) == 2


async def test_the_screen_as_a_picture_names_its_file_and_loads_nothing(dashboard, folder):
    async with dashboard() as app:
        await app.press("S")
        (path,) = folder.glob("*.svg")
        text = path.read_text(encoding="utf-8")
        assert f"Wrote {path.name} in " in said(app)
        assert "l4-small" in text
        assert "url(http" not in text
        assert "href=" not in text


async def test_the_ending_of_a_typed_name_decides_the_format(dashboard, folder):
    async with dashboard() as app:
        await app.press("x")
        field = app.app.screen.query_one("Input")
        field.value = "mine.json"
        await app.settle()
        assert "as json, since it ends in .json" in str(app.app.screen.query_one("#export-hint").content)
        field.focus()
        await app.press("enter")
        assert isinstance(json.loads((folder / "mine.json").read_text()), list)


@pytest.mark.parametrize(
    ("name", "chosen", "form"),
    [("a.md", "csv", "markdown"), ("a.JSON", "csv", "json"), ("a.csv", "json", "csv"), ("a.txt", "json", "json")],
)
def test_other_endings_leave_the_choice(name, chosen, form):
    assert exporting.form_of(Path(name), chosen) == form
