"""What a start paints: nothing for nobody, the frame where the prices take their time, each style read once."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest
from textual._compositor import Compositor
from textual.css.stylesheet import Stylesheet

from tui.app import RackrateApp
from tui.screens import refresh_keys

if TYPE_CHECKING:
    from collections.abc import Callable

    from tui.session import Session


@pytest.fixture
def painted(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Of every painting whether the dashboard had rows by then."""
    seen: list[bool] = []
    paint = Compositor.render_update

    def update(compositor: Compositor, **words: Any) -> Any:
        screen = compositor.root
        seen.append(getattr(screen, "session", None) is not None and screen.session.rows is not None)  # type: ignore[union-attr]
        return paint(compositor, **words)

    monkeypatch.setattr(Compositor, "render_update", update)
    return seen


async def test_nothing_is_painted_before_the_first_table(
    dashboard: Callable[..., Any], painted: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refresh_keys, "HELD_S", 600.0)
    async with dashboard((120, 36)) as app:
        assert painted
        assert all(painted)
        assert any("h100-big" in line for line in app.screen_text())


async def test_a_slow_start_shows_its_frame(
    make_session: Callable[..., Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refresh_keys, "HELD_S", 600.0)
    session, go_on, shown = make_session(), threading.Event(), asyncio.Event()
    load, paint = session.load, Compositor.render_update

    def slow() -> None:
        assert go_on.wait(60)
        load()

    def update(compositor: Compositor, **words: Any) -> Any:
        shown.set()
        return paint(compositor, **words)

    monkeypatch.setattr(session, "load", slow)
    monkeypatch.setattr(Compositor, "render_update", update)
    app = RackrateApp(session)
    async with app.run_test(size=(120, 36)) as pilot:
        try:
            await pilot.pause()
            assert not shown.is_set()
            app.screen._show_held()  # type: ignore[attr-defined]  # as the timer does, outside any message
            await asyncio.wait_for(shown.wait(), 30)
            assert session.rows is None
        finally:
            go_on.set()
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert app.session.rows is not None
        assert not app.failures


async def test_styles_are_read_again_for_other_colours_only(
    dashboard: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[dict[str, str]] = []
    reparse = Stylesheet.reparse

    def again(sheet: Stylesheet) -> None:
        read.append(sheet._variables)
        reparse(sheet)

    monkeypatch.setattr(Stylesheet, "reparse", again)
    async with dashboard((120, 36)) as app:
        assert read == []
        assert app.app.stylesheet._variables == app.app.get_css_variables()
        before = app.dashboard.styles.background
        app.app.theme = "textual-light"
        await app.settle()
        assert len(read) == 1
        assert app.dashboard.styles.background != before
        app.app.refresh_css()
        assert len(read) == 1
