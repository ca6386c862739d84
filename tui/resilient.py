"""An application that goes on after a mistake of its own: it says what happened, keeps a report, and takes the next key."""

from __future__ import annotations

import time
from collections import Counter, deque
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rich.text import Text
from textual.app import App
from textual.screen import Screen
from textual.worker import WorkerFailed

from tui import toasts
from tui.guard import Guarded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.actions import ActionParseResult
    from textual.dom import DOMNode
    from textual.message_pump import MessagePump

    from tui.failures import Failure
    from tui.session import Session

LOOP_COUNT, LOOP_S = 40, 2.0
"""So many mistakes in so little time come from a loop, not from keys."""
PAINT_COUNT = 3
"""A screen that could not be painted so often within LOOP_S shows nothing any more, not even what went wrong."""


class Resilient(Guarded, App[None]):
    """Catches what workers, actions, timers, handlers and painting raise."""

    session: Session
    ascii_only: bool

    def __init__(self, *, ansi_color: bool | None = None) -> None:
        super().__init__(ansi_color=ansi_color)
        toasts.guard()
        self.failures: list[Failure] = []
        """Every mistake since the start."""
        self._leaving = False
        self._told: Counter[str] = Counter()
        self._half_made: list[Screen[Any]] = []
        self._times: deque[float] = deque(maxlen=LOOP_COUNT)
        self._paint_times: deque[float] = deque(maxlen=PAINT_COUNT)

    async def _shutdown(self) -> None:
        self._leaving = True  # what still runs finds widgets that are gone: that is no mistake
        await super()._shutdown()

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Run an action in whichever widget's loop a key or click came in."""
        try:
            return await super().run_action(action, default_namespace, namespaces)
        except Exception as error:  # noqa: BLE001 - that is what it is for
            self._handle_exception(error)
            return True

    def _handle_exception(self, error: Exception) -> None:
        if self._exit or self._leaving or (self.is_running and self._screen_stack):
            self.failed(error)
        else:
            super()._handle_exception(error)  # there is nothing to show it on

    def failed(self, error: Exception) -> None:
        """Take note of a mistake, and tell it once the present message is done with."""
        from tui.failures import Failure

        if self._exit or self._leaving:  # dialogs that a last key opened are closed before they are made
            return
        cause = error.error if isinstance(error, WorkerFailed) else error
        failure = Failure.of(cause)
        self.failures.append(failure)
        now = time.monotonic()
        self._times.append(now)
        if "_compositor.py" in failure.trace and "render_lines" not in failure.trace.rpartition("_compositor.py")[2]:
            self._paint_times.append(now)
        if any(len(times) == times.maxlen and now - times[0] < LOOP_S for times in (self._times, self._paint_times)):
            self.give_up(failure)
        else:
            self.call_later(self._tell, failure)

    def half_made(self, part: MessagePump) -> None:
        """A screen or widget that failed while it was set up: its screen is of no use."""
        if self._exit or self._leaving:
            return
        screen = part if isinstance(part, Screen) else getattr(part, "screen", None)
        if screen is self.screen_stack[0]:
            self.give_up(self.failures[-1])
        elif screen is not None:
            self._half_made.append(screen)

    def give_up(self, failure: Failure) -> None:
        """Leave in order, with the message where the shell shows it."""
        if not self._exit:
            said = f"rackrate stopped after an error of its own. {failure.sentence} ({failure.place}).\n{self._kept(failure)[1]}"
            self.exit(return_code=1, message=Text(said))

    def _tell(self, failure: Failure) -> None:
        from tui.screens.failure_screen import FailureScreen

        if self._exit:
            return
        try:
            while len(self.screen_stack) > 1 and self.screen in self._half_made:
                self.pop_screen()
            self._told[failure.place] += 1
            if isinstance(self.screen, FailureScreen):
                self.screen.count_up()
            elif self._told[failure.place] > 1:
                self.notify(
                    f"Error: again {failure.sentence}",
                    title="Once more the same",
                    severity="error",
                    timeout=4,
                )
            else:
                self.push_screen(FailureScreen(failure, *self._kept(failure), self.ascii_only))
        except Exception:  # noqa: BLE001 - what tells of mistakes must not make more of them
            self.give_up(failure)

    def _kept(self, failure: Failure) -> tuple[str, str]:
        """The report, and where it was kept."""
        from models.errors import RackrateError
        from pricing.paths import data_dir
        from tui.failures import keep, report, scrubbed

        theme, size = self.current_theme.name, self.size
        seen = f"{type(self.screen).__name__} {size.width}x{size.height}, theme {theme}, ascii {self.ascii_only}"
        text = report(failure, self.session, seen, datetime.now(UTC).isoformat(timespec="seconds"))
        try:
            return text, f"The report is in {scrubbed(str(keep(text, data_dir())))}"
        except (RackrateError, OSError) as error:
            return text, f"The report could not be kept. {error}"
