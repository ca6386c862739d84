"""The whole screen at every size: nothing clipped, nothing blank, nothing that raises."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

SIZES = [
    (200, 50),
    (165, 40),
    (164, 40),
    (120, 36),
    (100, 30),
    (99, 29),
    (80, 24),
    (60, 15),
    (40, 10),
    (30, 6),
    (12, 3),
    (1, 1),
]


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_every_size_shows_the_table_and_fills_its_lines(dashboard, size):
    async with dashboard(size) as app:
        text = app.screen_text()
        assert all(cell_len(line) == size[0] for line in text)
        if size >= (30, 6):
            assert app.table.size.height >= 3
            assert any("▸ ●" in line for line in text)
        await app.press(
            "j",
            "G",
            "g",
            "e",
            "escape",
            "slash",
            "escape",
            "question_mark",
            "escape",
            "m",
            "escape",
            "x",
            "escape",
            "enter",
            "escape",
        )
        assert app.app.is_running


async def test_the_three_sizes_have_what_the_design_says(dashboard):
    async with dashboard((120, 36)) as app:
        text = "\n".join(app.screen_text())
        for words in (
            "of 12 offers",
            "prices 20",
            "USD",
            "? help",
            "Workload",
            "Model",
            "Prompt",
            "TTFT ≤",
            "tok/s ≥",
            "Memory",
            "Price and speed",
            "$/Mtok",
        ):
            assert words in text
    async with dashboard((80, 24)) as app:
        text = "\n".join(app.screen_text())
        for words in (
            "Llama-3.1-8B 8bit",
            "e edit",
            "enter: all details",
            "$/Mtok",
            "q quit" if "q quit" in text else "/ filter",
        ):
            assert words in text
    async with dashboard((60, 15)) as app:
        text = "\n".join(app.screen_text())
        assert "enter: all details" not in text
        for words in ("Server", "Fit %", "tok/s·u", "$/Mtok"):
            assert words in text


async def test_resizing_while_running(dashboard):
    async with dashboard((120, 36)) as app:
        await app.press("j", "j")
        offer = app.session.rows.offer(app.table.current).offer_id
        for size in SIZES[::-1]:
            await app.pilot.resize_terminal(*size)
            await app.settle()
        assert app.session.rows.offer(app.table.current).offer_id == offer


async def test_details_have_the_arithmetic_the_band_and_the_source(dashboard):
    async with dashboard((120, 36)) as app:
        await app.press("slash")
        await app.type("l4-small")
        await app.press("enter", "enter")
        text = app.app.screen.query_one("TextPane").plain
        i = int(app.session.rows.order[0])
        row = app.session.comparison.row(i)
        assert f"${row['monthly_cost']:,.2f} a month" in text
        assert f"/ {555:,} Mtok" in text
        assert text.count(" – ") >= 3
        for words in (
            "weights",
            "KV",
            "free",
            "limit",
            "vLLM",
            "$0.80 an hour",
            "seen 2026-11-20",
            "https://example.com/prices",
            "without VAT",
        ):
            assert words in text


async def test_details_of_a_miss_and_of_an_unknown_chip_say_why(dashboard):
    async with dashboard((80, 24)) as app:
        for server, words in (("mystery", "unknown chip"), ("epyc-tiny", "needs")):
            await app.press("slash")
            app.dashboard.query_one("#filter").value = server
            await app.settle()
            await app.press("enter")
            assert "—" in app.table.render_line(1).text
            assert words in app.line("status")
            await app.press("enter")
            assert words in app.app.screen.query_one("TextPane").plain
            await app.press("escape", "escape")


async def test_arrows_in_the_full_details_go_to_other_offers(dashboard):
    async with dashboard((80, 24)) as app:
        await app.press("enter", "right", "right", "left", "escape")
        assert app.table.cursor == 1


async def test_open_source_only_opens_web_pages(dashboard, make_session, monkeypatch):
    from dataclasses import replace

    opened = []
    async with dashboard() as app:
        monkeypatch.setattr(type(app.app), "open_url", lambda _app, url, **_: opened.append(url))
        await app.press("o")
        assert opened == ["https://example.com/prices"]
    offers = [replace(app.session.market.offers[0], source_url="file:///etc/passwd")]
    async with dashboard(session=make_session(offers)) as app:
        monkeypatch.setattr(type(app.app), "open_url", lambda _app, url, **_: opened.append(url))
        await app.press("o")
        assert len(opened) == 1


async def test_no_offers_at_all(dashboard, make_session):
    async with dashboard((80, 24), session=make_session([])) as app:
        await app.press("j", "enter", "1", "f", "t", "i", "=", "x", "escape")
        assert any("r fetches" in line for line in app.screen_text())


async def test_another_currency(dashboard, make_session):
    async with dashboard((120, 36), session=make_session(currency="EUR")) as app:
        text = "\n".join(app.screen_text())
        assert "€/Mtok" in text
        assert "EUR" in app.line("header")


async def test_damaged_settings_are_told_and_the_dashboard_starts(tmp_path, monkeypatch):
    from pricing import paths
    from tui.session import Session

    paths.settings_file().parent.mkdir(parents=True, exist_ok=True)
    paths.settings_file().write_text("currency = [", encoding="utf-8")
    made = Session()
    made.load()
    assert any("TOML" in message for message in made.messages)
    made.recompute()
    assert made.counts().shown > 1000


def test_the_frame_is_painted_before_prices_are_read():
    import subprocess
    import sys

    code = "import sys, tui.app; print(sorted(set(sys.modules) & {'pandas', 'httpx', 'pydantic', 'pricing.refresh', 'pricing.market'}))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
