"""Fetching current prices from the dashboard, in a thread."""

from __future__ import annotations

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
        """Fetch current prices; a second one waits for the first."""
        if self.refreshing is None and self.session.market is not None:
            self.cancel_refresh = threading.Event()
            self.refreshing = lines.Progress()
            self._show_lines()
            self._refresh(self.cancel_refresh)

    @work(thread=True, group="refresh", exit_on_error=False)
    def _refresh(self, cancelled: threading.Event) -> None:
        try:
            report: object = dialogs.run_refresh(self.session, self._refresh_progress, cancelled)
        except RackrateError as error:
            report = error
        except Exception as error:  # noqa: BLE001 - a bug in a feed must not end the dashboard
            report = RackrateError(
                f"The refresh stopped: {type(error).__name__}: {error}", hint="Prices stay as they were."
            )
        if self.is_attached and self.app.is_running:
            self.app.call_from_thread(self._refreshed, report)

    def _refresh_progress(self, event: object) -> None:
        """Called from the workers' threads."""
        try:
            self.app.call_later(self._refresh_step, event)
        except ScreenStackError:  # the app is leaving
            return

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
