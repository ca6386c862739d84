"""A notification that expires before its toast is made: the screen goes on."""

from __future__ import annotations

import time

import pytest
from textual.notifications import Notification
from textual.widgets._toast import Toast

from tui.toasts import LEAST_S


@pytest.mark.timeout(60)
async def test_an_expired_message_does_not_stop_the_screen(dashboard) -> None:
    """A timer of less than no time never yields: the monkey stood still in it for an hour."""
    async with dashboard() as app:
        late = Notification("too late", raised_at=time.time() - 10, timeout=1)
        toast = Toast(late)
        assert toast._timeout == LEAST_S
        await app.app.screen.mount(toast)
        await app.pilot.pause(0.2)
        assert app.app.is_running


async def test_a_message_in_time_keeps_its_time(dashboard) -> None:
    async with dashboard():
        assert Toast(Notification("in time", timeout=5))._timeout == pytest.approx(5, abs=0.5)
