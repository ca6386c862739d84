"""Fetching current prices from the dashboard, in a thread."""

from __future__ import annotations

import contextlib
import gc
import threading
from typing import TYPE_CHECKING

from textual import work
from textual.app import ScreenStackError

from models.errors import RackrateError
from tui import lines
from tui.screens import dialogs
from tui.screens.base import DashboardBase

if TYPE_CHECKING:
    from collections.abc import Callable

    from pricing.compare import Comparison


class RefreshKeys(DashboardBase):
    """Loading prices at the start, and fetching newer ones."""

    @work(thread=True, exclusive=True, group="compare")
    def _load(self) -> None:
        self.session.load()
        comparison = self.session.compare(self.session.workload)
        self.app.call_from_thread(self._loaded, comparison)

    def _loaded(self, comparison: Comparison) -> None:
        self._accept(comparison)
        if not gc.isenabled():
            gc.freeze()
            gc.enable()
        for message in self.session.messages:
            self.notify(message, severity="warning", timeout=10, markup=False)
        self.session.messages.clear()

    def action_refresh(self) -> None:
        """Fetch current prices, one refresh at a time."""
        if self.refreshing is not None:
            self.notify("A refresh is running already; esc stops it.", timeout=3)
        elif self.session.market is not None:
            self.cancel_refresh = threading.Event()
            self.refreshing = lines.Progress()
            self._show_lines()
            # Not one of Textual's workers: leaving waits for those, and a server that never answers would hold the
            # terminal. A daemon thread ends with the program, and the store's files are whole at every moment.
            threading.Thread(target=self._refresh, args=(self.cancel_refresh,), daemon=True).start()

    def stop_refresh(self) -> None:
        """Go on with the prices there are; what is still answered is not listened to."""
        self.cancel_refresh.set()
        self.refreshing = None
        self._show_lines()
        self.notify("Refresh stopped; the prices shown stay.", timeout=3)

    def _refresh(self, cancelled: threading.Event) -> None:
        def progress(event: object) -> None:
            self._from_thread(self._refresh_step, cancelled, event)

        try:
            report: object = dialogs.run_refresh(self.session, progress, cancelled)
        except RackrateError as error:
            report = error
        except Exception as error:  # noqa: BLE001 - a bug in a feed must not end the dashboard
            report = RackrateError(
                f"The refresh stopped: {type(error).__name__}: {error}", hint="Prices stay as they were."
            )
        self._from_thread(self._refreshed, cancelled, report)

    def _from_thread(self, take: Callable[[object], None], cancelled: threading.Event, what: object) -> None:
        """Hand something to the dashboard's own thread, unless it has stopped listening by then."""
        if cancelled.is_set():
            return
        # The app is leaving: its stack of screens is empty, or its loop has been closed.
        with contextlib.suppress(ScreenStackError, RuntimeError):
            self.app.call_later(lambda: None if cancelled.is_set() else take(what))

    def _refresh_step(self, event: object) -> None:
        if self.refreshing is not None:
            self.refreshing.take(event)
            self._show_lines()

    def _refreshed(self, report: object) -> None:
        self.refreshing = None
        self._show_lines()
        if isinstance(report, RackrateError):
            self.notify(str(report), severity="warning", timeout=10, markup=False)
            return
        self._reload()
        self.app.push_screen(dialogs.report_screen(report, self.app.tones, ascii_only=self.app.ascii_only))

    @work(thread=True, exclusive=True, group="compare")
    def _reload(self) -> None:
        self.session.reload()
        self.app.call_from_thread(self._loaded, self.session.compare(self.session.workload))

    def on_unmount(self) -> None:
        """A refresh must not outlive the screen."""
        self.cancel_refresh.set()
