"""The advice on the full screen: topics, copying, topics without an answer."""

from __future__ import annotations

import asyncio

import pytest

from models.errors import InputError
from tui.advice import TOPICS, verdict
from tui.screens.advice_screen import TITLES, AdviceScreen

WAIT_S = 20.0


def shown(app):
    return "\n".join(app.screen_text())


async def answered(app, topic):
    """Wait until a topic's report is there."""
    screen = app.app.screen
    assert isinstance(screen, AdviceScreen)
    for _ in range(int(WAIT_S / 0.05)):
        if topic in screen.found:
            await app.press()
            return screen
        await asyncio.sleep(0.05)
    raise AssertionError(f"no report on {topic} within {WAIT_S} s")


def test_every_topic_has_a_title():
    assert set(TOPICS) <= set(TITLES)


async def test_the_verdict_opens_and_escape_goes_back(dashboard):
    async with dashboard() as app:
        await app.press("A")
        await answered(app, "verdict")
        assert "Offers to look at" in shown(app)
        await app.press("escape")
        assert not isinstance(app.app.screen, AdviceScreen)


async def test_every_topic_answers_and_the_last_is_before_the_first(dashboard):
    async with dashboard() as app:
        await app.press("A")
        for topic in TOPICS:
            screen = await answered(app, topic)
            assert screen.topic == topic
            await app.press("right")
        assert app.app.screen.topic == TOPICS[0]
        await app.press("left")
        assert app.app.screen.topic == TOPICS[-1]


async def test_the_report_is_copied_as_text(dashboard, monkeypatch):
    texts = []
    async with dashboard() as app:
        monkeypatch.setattr(app.app, "copy_to_clipboard", texts.append)
        await app.press("A")
        await answered(app, "verdict")
        await app.press("y")
        assert len(texts) == 1
        assert texts[0].startswith("Verdict\n")
        assert "\x1b" not in texts[0]


async def test_what_cannot_be_answered_says_why(dashboard, monkeypatch):
    def fails(question):
        raise InputError("There is no answer.", hint="Ask otherwise.")

    monkeypatch.setattr(verdict, "report", fails)
    async with dashboard() as app:
        await app.press("A")
        await answered(app, "verdict")
        assert "There is no answer." in shown(app)
        await app.press("y", "escape")
        assert not isinstance(app.app.screen, AdviceScreen)


@pytest.mark.parametrize("size", [(80, 24), (40, 12), (200, 50)])
async def test_it_fits_any_screen(dashboard, size):
    async with dashboard(size=size) as app:
        await app.press("A")
        screen = await answered(app, "verdict")
        assert all(
            sum(len(text) for text, _ in line) <= size[0] * 2
            for line in screen._lines(size[0])  # wide letters are two cells
        )
        assert "Verdict" in shown(app)
