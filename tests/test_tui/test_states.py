"""First start, nothing fits, unknown hardware, a broken file of own servers, prices whose feed failed: what the screen says."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from models import catalog
from pricing.feed_state import FeedState
from tui.details import details
from tui.feeds import unrefreshed
from tui.session import Session

SIZES = [(80, 24), (120, 36)]
BOTH = pytest.mark.parametrize("size", SIZES, ids=["80x24", "120x36"])


def text(app) -> str:
    return "\n".join(line.rstrip() for line in app.screen_text())


# first start


@BOTH
async def test_a_first_start_says_whose_prices_these_are_and_gives_a_tour(dashboard, make_session, size):
    session = make_session()
    session.first_start = True
    async with dashboard(size, session=session) as app:
        seen = text(app)
        assert "bundled" in app.line("header")
        assert "r fetches current ones" in app.line("header")
        assert "e change the workload · / filter" in seen
        assert "? help" in seen
        await app.press("down")
        assert "change the workload" not in text(app)
        assert "bundled" not in app.line("header")


@pytest.mark.parametrize("key", ["=", "t"])
async def test_the_tour_ends_with_the_first_change(dashboard, make_session, key):
    session = make_session()
    session.first_start = True
    async with dashboard((120, 36), session=session) as app:
        assert "prices of 2026-11-30, bundled; r fetches current ones" in app.line("header")
        await app.press(key)
        assert "change the workload" not in app.line("status")
        assert "bundled" not in app.line("header")


async def test_no_tour_for_those_who_were_here_before(dashboard):
    async with dashboard((120, 36)) as app:
        assert "change the workload" not in app.line("status")
        assert "prices 2025-12 to 2026-11" in app.line("header")


# nothing fits


@BOTH
async def test_nothing_fits_names_the_nearest_and_the_ways_out(dashboard, size):
    async with dashboard(size) as app:
        session = app.session
        session.history.set(session.workload.changed(model=catalog.llm("llama-3.1-405b"), quant="16bit"))
        session.set_view(session.view.changed(fit="fits"))
        app.dashboard.recompute()
        await app.settle()
        seen = text(app)
        assert "No server shown holds Llama-3.1-405B in 16bit" in seen
        assert "Nearest: h100-x8 (acme), " in seen
        assert "  needs " in seen
        assert "8bit: 1 server — [ goes there" in seen
        await app.press("[")
        assert app.servers() == ["h100-x8"]


async def test_ways_out_by_the_cache_the_prompt_and_the_other_kind(make_session):
    from tui.ways_out import ways_out

    session = make_session()
    session.history.set(session.workload.changed(quant="8bit", input_tokens=110_000, concurrency=1))
    session.recompute()
    session.set_view(session.view.changed(fit="fits", where="l4"))
    assert not len(session.rows)
    said = "\n".join(ways_out(session))
    assert "KV cache in fp8: " in said
    assert "field KV" in said
    assert "prompt of 55,000 tokens: " in said
    assert "{ goes there" in said


async def test_the_other_kind_is_a_way_out(make_session):
    from tui.ways_out import ways_out

    session = make_session()
    session.history.set(session.workload.changed(model=catalog.llm("llama-3.1-405b"), quant="4bit"))
    session.recompute()
    session.set_view(session.view.changed(fit="fits", kind="cpu"))
    assert not len(session.rows)
    assert "GPU: 1 server — t shows them" in ways_out(session)


async def test_ways_out_are_looked_for_once(dashboard, monkeypatch):
    async with dashboard() as app:
        session = app.session
        session.history.set(session.workload.changed(model=catalog.llm("llama-3.1-405b"), quant="16bit"))
        session.set_view(session.view.changed(fit="fits"))
        app.dashboard.recompute()
        await app.settle()
        compare, asked = session.compare, []
        monkeypatch.setattr(session, "compare", lambda *args: (asked.append(args), compare(*args))[1])
        app.dashboard.show()
        app.dashboard.show()
        assert not asked


# unknown hardware


@BOTH
async def test_unknown_hardware_is_kept_counted_and_found(dashboard, size):
    async with dashboard(size) as app:
        assert "1 of unknown hardware" in app.line("status") or "1 unknown hardware" in app.line("status")
        await app.press("slash")
        await app.type("unknown")
        await app.press("enter")
        assert app.servers() == ["mystery"]
        line = next(line for line in app.screen_text() if "mystery" in line and "Zeta" in line)
        assert "—" in line
        await app.press("enter")
        pane = app.app.screen.query_one("TextPane")
        shown = " ".join(pane.plain.split())
        assert "Zeta-9000" in shown
        assert "rackrate catalog hardware" in shown.replace("`", "")


# a broken file of own servers


@BOTH
async def test_a_mistake_in_the_own_servers_names_its_line(dashboard, size, tmp_path, monkeypatch):
    monkeypatch.setenv("RACKRATE_CONFIG_DIR", str(tmp_path))
    (tmp_path / "servers.toml").write_text('[[server]]\nname = "mine"\ngpu_cuont = 2\n')
    async with dashboard(size, session=Session()) as app:
        assert len(app.servers()) > 1000
        notes = [str(note.message) for note in app.app._notifications]
        assert any("line 3, field gpu_cuont" in note for note in notes), notes
        assert "line 3" in text(app).replace("\n", " ")


# prices whose feed failed


def test_prices_of_a_feed_that_failed_are_marked_old(make_session):
    session = make_session()
    session.recompute()
    i = next(i for i, offer in enumerate(session.market.offers) if offer.server == "h100-big")
    assert not session.rows.old(i)
    session.rows.texts.unrefreshed = unrefreshed({"bolt": FeedState("bolt", "failed", "2026-11-30T12:00:00+00:00")})
    said = " ".join("".join(span for span, _ in line) for line in details(session.rows, i, 90))
    assert "its feed failed on 2026-11-30" in said
    assert session.rows.old(i)
    assert not session.rows.old(next(i for i, o in enumerate(session.market.offers) if o.server == "l4-small"))
    # fetched since then
    session.rows.texts.unrefreshed = unrefreshed({"bolt": FeedState("bolt", "held", "2026-11-29T12:00:00+00:00")})
    assert not session.rows.old(i)


# narrow verdicts


@pytest.mark.parametrize("size", [(60, 15), (50, 14), (40, 13)], ids=["60x15", "50x14", "40x13"])
async def test_a_narrow_verdict_names_server_and_price(dashboard, size):
    async with dashboard(size) as app:
        line = app.screen_text()[2].strip()
        assert cell_len(line) <= size[0]
        assert "GPU" in line
        assert "l4-" in line
        assert "$" in line or size[0] < 50
