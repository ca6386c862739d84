"""A monkey at the keyboard: random keys, bursts, texts, clicks, pastes, resizes, with refreshes that fail at random.

It must never raise, freeze, or lose what the user has set. RACKRATE_TEST_MONKEY says how many events (`make monkey`: 20,000);
RACKRATE_TEST_SEED repeats a run that failed.
"""

from __future__ import annotations

import asyncio
import os
import random
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from textual import events
from textual.errors import NoWidget
from textual.worker import WorkerCancelled

from models.errors import RackrateError
from pricing.refresh_report import Outcome, Plan, RefreshReport, Step
from tui.key_list import BINDINGS

if TYPE_CHECKING:
    from tui.session import Session

EVENTS = int(os.environ.get("RACKRATE_TEST_MONKEY", "1000"))
SEED = int(os.environ.get("RACKRATE_TEST_SEED", "20261130"))
ROUND = 250
"""Events between two starts of the dashboard."""
FROZEN_S = 60
"""A screen that does not answer for so long, on a machine busy with other tests, is frozen."""
SIZES = ((80, 24), (120, 36), (200, 50), (60, 15), (40, 10), (20, 5), (100, 30), (3, 2), (165, 60))
LEAVING = frozenset({"q", "ctrl+c"})
KEYS = sorted({name for key in BINDINGS for name in key.keys.split(",")} - LEAVING)
PLAIN = (*"abcdefghijklmnoprstuvwxyz0123456789", "space", "enter", "escape", "tab", "shift+tab", "backspace", "delete",
         "up", "down", "left", "right", "home", "end", "ctrl+d", "ctrl+u", "full_stop", "comma")  # fmt: skip
TEXTS = ("llama", "qwen3-8b", "gpu>=24", "$mo<900", "provider:hetzner", "!spot", "ram >= 64 gb", "((", "gpus>=many", "99999999999999",
         "0", "-1", "1e309", "nan", "chat", "q4_k_m", "fp8", "[red]x[/]",
         "=1+1", "東京", "\u202e\u200b", "a" * 300, '"', "100k users", "2/s", "~", "../../x")  # fmt: skip
PASTES = ("llama\nqwen\n", "\x1b[31mred\x1b[0m", "x" * 5000, "provider:aws\t\t", "", "東京" * 50)


NAMES = {" ": "space", ">": "greater_than_sign", "<": "less_than_sign", "=": "equals_sign", "$": "dollar_sign", ":": "colon",
         "!": "exclamation_mark", "/": "slash", "?": "question_mark", "-": "minus", "+": "plus", "[": "left_square_bracket",
         "]": "right_square_bracket", "{": "left_curly_bracket", "}": "right_curly_bracket", ".": "full_stop", ",": "comma"}  # fmt: skip
CHARACTERS = {name: char for char, name in NAMES.items()}


class Feeds:
    """Stands for the price feeds: each refresh ends in one of many ways."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.asked = 0

    def refresh(self, _names, *, on_progress=None, cancelled=None, **_rest):
        self.asked += 1
        names = ("runpod", "hetzner", "aws")
        say = on_progress or (lambda _event: None)
        say(Plan(names))
        outcomes = []
        for name in names:
            say(name)
            say(Step(name, 1, self.dice.randrange(10_000_000)))
            time.sleep(self.dice.choice((0, 0, 0.01)))
            if cancelled is not None and cancelled.is_set():
                outcomes.append(Outcome(name, "cancelled", message="stopped"))
                continue
            way = self.dice.randrange(6)
            if way == 0:
                raise RackrateError("No network.", hint="Prices stay as they were.")
            if way == 1:
                raise ValueError("a bug in a feed")
            if way == 2:
                outcomes.append(Outcome(name, "failed", message=f"{name}: HTTP 429.", hint="Try again in 60 s."))
            elif way == 3:
                outcomes.append(Outcome(name, "held", message=f"{name}: the list is empty."))
            else:
                outcomes.append(Outcome(name, "fresh", 12, seconds=0.1, fetched_at="2026-11-30T12:00:00Z"))
            say(outcomes[-1])
        return RefreshReport(tuple(outcomes))


class Monkey:
    """Plays one round on a running dashboard and remembers what it did."""

    def __init__(self, app, pilot, dice: random.Random) -> None:
        self.app = app
        self.pilot = pilot
        self.dice = dice
        self.done: list[str] = []

    async def act(self) -> None:
        """One random event, or a few in one burst."""
        width, height = self.app.size
        way = self.dice.random()
        if way < 0.02:
            await self.keys("escape", "escape", "r")  # a refresh even where letters are typed
        elif way < 0.40:
            await self.keys(self.dice.choice(KEYS))
        elif way < 0.55:
            await self.keys(*self.dice.choices((*KEYS, *PLAIN), k=self.dice.randint(2, 6)))
        elif way < 0.70:
            await self.keys(self.dice.choice(PLAIN))
        elif way < 0.78:
            text = self.dice.choice(TEXTS)
            self.done.append(f"text {text[:40]!r}")
            for char in text:
                self.app.post_message(events.Key(NAMES.get(char, char), char))
            await flushed(self.app)
        elif way < 0.90:
            place = (self.dice.randrange(max(width, 1)), self.dice.randrange(max(height, 1)))
            times = self.dice.choice((1, 1, 2, 3))
            self.done.append(f"click {place} x{times}")
            # The first click may open a screen that is not laid out yet: Pilot raises where a terminal's click is lost.
            with suppress(NoWidget):
                await self.pilot.click(offset=place, times=times)
        elif way < 0.94:
            place = {"x": self.dice.randrange(max(width, 1)), "y": self.dice.randrange(max(height, 1))}
            wheel = self.dice.choice((events.MouseScrollDown, events.MouseScrollUp))
            self.done.append(f"{wheel.__name__} {place}")
            widget = self.app.screen
            self.app.screen._forward_event(
                wheel(widget, **place, delta_x=0, delta_y=0, button=0, shift=False, meta=False, ctrl=False,
                      screen_x=place["x"], screen_y=place["y"])
            )  # fmt: skip
        elif way < 0.97:
            text = self.dice.choice(PASTES)
            self.done.append(f"paste {text[:20]!r}")
            self.app.post_message(events.Paste(text))
        else:
            size = self.dice.choice(SIZES)
            self.done.append(f"resize {size}")
            await self.pilot.resize_terminal(*size)

    async def keys(self, *names: str) -> None:
        """Press keys in one burst, as a terminal far away delivers them."""
        self.done.append(f"keys {' '.join(names)}")
        for name in names:
            self.app.post_message(events.Key(name, CHARACTERS.get(name, name if len(name) == 1 else None)))
        await flushed(self.app)

    def check(self) -> None:
        """What holds at every moment."""
        assert not self.app.failures, "\n".join(str(failure) for failure in self.app.failures)
        screens = [type(screen).__name__ for screen in self.app.screen_stack]
        assert len(screens) <= 6, screens
        table = self.app.screen_stack[0].table
        if table.rows is not None and len(table.rows):
            assert 0 <= table.cursor < len(table.rows)
            assert table.rows is self.app.session.rows
        assert len(self.app.session.market) >= 1000 if self.app.session.market is not None else True


async def flushed(app) -> None:
    """Until what was sent has been handled and painted; a screen that closed meanwhile never paints again."""
    done = asyncio.Event()
    app.call_later(lambda: app.screen.call_after_refresh(done.set))
    with suppress(TimeoutError):
        await asyncio.wait_for(done.wait(), 0.2)


async def come_to_rest(app) -> None:
    """Until loading and typing pauses are over."""
    end = time.monotonic() + FROZEN_S
    while app.is_running and not app._exit:
        with suppress(WorkerCancelled):  # a newer comparison took its place
            await app.workers.wait_for_complete()
        await flushed(app)
        main = app.screen_stack[0]
        if app.session.rows is not None and main.idle and covered(app):
            return
        waits = {name: getattr(main, name) for name in ("_typing", "drawing", "recomputing", "_details_due")}
        assert time.monotonic() < end, (
            f"it never comes to rest: {waits}, {app.screen_stack}, {app.size}, covered: {covered(app)}"
        )


def covered(app) -> bool:
    """Whether the screen on top has been laid out: every corner shows a widget."""
    width, height = app.size
    try:
        for place in ((0, 0), (max(width - 1, 0), max(height - 1, 0))):
            app.screen.get_widget_at(*place)
    except NoWidget:
        return False
    return True


def what_is_kept(session: Session) -> dict[str, object]:
    """What the next start must find again."""
    return {"workload": session.workload, "view": session.view, "marks": list(session.marks)}


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch, tmp_path):
    """Feeds at random, no browser, files in a folder of their own."""
    dice = random.Random(SEED)  # noqa: S311 - a game
    feeds = Feeds(random.Random(SEED + 1))  # noqa: S311 - same
    monkeypatch.setattr("pricing.refresh.refresh", feeds.refresh)
    monkeypatch.setattr("tui.app.has_browser", lambda: False)
    monkeypatch.setenv("RACKRATE_TODAY", "2026-11-30")
    monkeypatch.chdir(tmp_path)
    return dice, feeds


@pytest.mark.timeout(max(900, EVENTS))
async def test_a_monkey_neither_breaks_nor_freezes_it_nor_loses_what_was_set(played) -> None:
    from tui.app import started

    dice, feeds = played
    left = EVENTS
    kept: dict[str, object] | None = None
    while left > 0:
        app = started(ascii_only=dice.random() < 0.2)
        async with app.run_test(size=dice.choice(SIZES[:3]), notifications=True) as pilot:
            await come_to_rest(app)
            if kept is not None:
                assert what_is_kept(app.session) == kept
            monkey = Monkey(app, pilot, dice)
            for _ in range(min(ROUND, left)):
                left -= 1
                try:
                    await asyncio.wait_for(monkey.act(), FROZEN_S)
                    await asyncio.wait_for(come_to_rest(app), FROZEN_S)
                    monkey.check()
                except Exception as error:
                    did = "\n".join(monkey.done[-40:])
                    raise AssertionError(f"seed {SEED}, {EVENTS - left} events, the last of them:\n{did}") from error
                if app._exit:  # a q outside every input
                    break
            app.exit()
        app.keeper.finish(app.kept())  # as the program does when it leaves
        kept = what_is_kept(app.session)
    assert feeds.asked > EVENTS // 400
