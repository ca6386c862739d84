"""Keys that come faster than the screen changes: what is typed behind a key that opens something goes to what it opens.

Textual hands a key to whatever has the focus when the key comes in, which over a slow line or from a macro is before the
key in front of it has opened its field: "/region" would filter nothing and start a refresh at its r.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from textual import events
from textual.app import App
from textual.widgets import Input

from tui.key_list import BINDINGS
from tui.keys import keys_of
from tui.pasting import one_line

if TYPE_CHECKING:
    from textual.dom import DOMNode
    from textual.screen import Screen

STAYING = (
    "move.",
    "columns.left",
    "columns.right",
    "quant.",
    "traffic.",
    "prompt.",
    "workload.undo",
    "workload.redo",
    "sort.",
)
"""Commands of the table after which the focus is where it was, by the beginning of their ids."""
LEAVING = frozenset({"sort.menu"})
"""Those that begin so, but open something."""
URGENT = frozenset({"ctrl+c"})
"""Acts at once, whatever waits."""
PATIENCE_S = 0.3
"""So long a widget is waited for; one that has gone never answers."""
ROUNDS = 6
"""So often the focus may move on by itself."""


class TypeAhead(App[None]):
    """Holds back keys and pastes until the key before them has done what it does."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._held_keys: deque[events.Key | events.Paste] = deque()
        self._follower: asyncio.Task[None] | None = None

    @property
    def typing_ahead(self) -> bool:
        """True while a key is being followed, or keys wait behind it."""
        return self._follower is not None and not self._follower.done()

    async def on_event(self, event: events.Event) -> None:
        """Hand on a key or a paste, or keep it for later."""
        if isinstance(event, events.Paste):
            event.text = one_line(event.text)
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            await super().on_event(event)
        elif self.typing_ahead and not (isinstance(event, events.Key) and event.key in URGENT):
            self._held_keys.append(event)
        else:
            opens = self._may_open(event)
            before = self._focus_now()
            await super().on_event(event)
            if opens:
                self._follower = asyncio.create_task(self._follow(before))

    async def _follow(self, before: tuple[object, object]) -> None:
        try:
            while not self._exit:
                await self._come_to_rest(before)
                if not self._held_keys or self._exit:
                    return
                before = self._focus_now()
                await super().on_event(self._held_keys.popleft())
        except Exception as error:  # noqa: BLE001 - told as those of any handler
            self._handle_exception(error)

    def _focus_now(self) -> tuple[object, object]:
        """The screen on top and what has the focus there."""
        return (self.screen, self.focused) if self._screen_stack else (None, None)

    def _may_open(self, event: events.Key | events.Paste) -> bool:
        """Whether the focus may be elsewhere after it."""
        if isinstance(event, events.Paste):
            return False
        if isinstance(self.focused, Input):
            return not event.is_printable and event.key not in {"backspace", "delete", "left", "right", "home", "end"}
        return event.key not in {
            name
            for key in BINDINGS
            if key.where in {"dashboard", "table"} and key.id.startswith(STAYING) and key.id not in LEAVING
            for name in keys_of(key)
        }

    async def _come_to_rest(self, before: tuple[object, object]) -> None:
        """Until the key has gone its way up from the widget to the app, and what it opened has the focus."""
        for _ in range(ROUNDS):
            if not self._screen_stack:
                return
            screen, focused = self.screen, self.focused
            for node in [*(focused or screen).ancestors_with_self, self]:  # the app twice: focus is set a message later
                await self._done_with(node)
            now = self._focus_now()
            if now[0] is not before[0] and now[0] is not None:
                await self._made(self.screen)
                now = self._focus_now()
            if now in (before, (screen, focused)):
                return
            before = now

    async def _done_with(self, node: DOMNode) -> None:
        """Until all messages that a widget has got by now are done with."""
        done = asyncio.Event()
        if node.is_running and node.call_later(done.set):
            with suppress(TimeoutError):
                await asyncio.wait_for(done.wait(), PATIENCE_S)

    async def _made(self, screen: Screen[Any]) -> None:
        """Until a new screen is made and has given the focus away."""
        with suppress(TimeoutError):
            await asyncio.wait_for(screen._mounted_event.wait(), PATIENCE_S)  # noqa: SLF001 - Textual has no other sign
        done = asyncio.Event()
        screen.call_after_refresh(done.set)
        with suppress(TimeoutError):
            await asyncio.wait_for(done.wait(), PATIENCE_S)
        await self._done_with(screen)
        await self._done_with(self)
