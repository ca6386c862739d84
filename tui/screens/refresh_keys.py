"""Loading prices, and fetching current ones in a thread while everything else goes on."""

from __future__ import annotations

import contextlib
import gc
import os
import threading
import time
from typing import TYPE_CHECKING, Any

from textual import work
from textual.app import ScreenStackError

from models.errors import RackrateError
from tui import keeping
from tui.keys import first
from tui.progress import Progress
from tui.screens.base import DashboardBase

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from models.traffic import Workload
    from pricing.compare import Comparison
    from pricing.refresh_report import RefreshReport
    from tui.prices import Prices
    from tui.session import Session

MERGE_S = 2.0
"""What has come in is shown at most so often while a refresh runs,"""
MERGE_SHARE = 8
"""and reading it takes at most one part in so many of the time."""
HELD_S = 0.25
"""A start that takes longer shows its frame without prices."""
CLOCK_S = 60.0
"""The header's "9 min ago" is looked at so often."""


class RefreshKeys(DashboardBase):
    """Loading prices at the start, and fetching newer ones."""

    _merged_at = 0.0
    _merge_cost_s = 0.0
    _to_merge = False
    _merging = False
    _holding = False

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._held = contextlib.ExitStack()
        """What keeps the screen from being painted while the prices are read."""

    def _hold_painting(self) -> None:
        """Paint nothing before the prices are there, unless they take their time: both share one processor."""
        self._held.enter_context(self.app.batch_update())
        self._holding = True
        self.set_timer(HELD_S, self._show_held)

    def _show_held(self) -> None:
        self._holding = False
        self._held.close()
        self.check_idle()  # a timer does not go through the messages after which the screen is painted

    def _compositor_refresh(self) -> None:
        """Textual paints each new layout and throws away what is held back: a first frame for nobody costs 9 ms."""
        if self._holding:
            self.refresh()  # once it is shown
        else:
            super()._compositor_refresh()

    @work(thread=True, exclusive=True, group="compare")
    def _load(self) -> None:
        self.session.load()
        comparison = self.session.compare(self.session.workload)
        self.app.call_from_thread(self._loaded, comparison)

    def _loaded(self, comparison: Comparison) -> None:
        self._accept(comparison)
        self._show_held()
        if not gc.isenabled():
            gc.freeze()
            gc.enable()
        self._tell_messages()
        if self.session.was_restored:
            self.table.mark(self.session.marks)
            if said := keeping.said(self.session):
                self.notify(said, timeout=10)
        if not self.app.is_headless:
            self.set_interval(CLOCK_S, self.show_header)

    def _tell_messages(self) -> None:
        for message in self.session.messages:
            self.notify(message, severity="warning", timeout=8)
        self.session.messages.clear()

    # refreshing

    def action_refresh(self) -> None:
        """Fetch current prices, one refresh at a time."""
        self.start_refresh(None)

    def start_refresh(self, names: Sequence[str] | None) -> None:
        """Ask some feeds, or all."""
        if self.refreshing is not None:
            self.notify(f"A refresh is running already; {first('back')} stops it.", timeout=3)
        elif self.session.market is not None:
            self.cancel_refresh = threading.Event()
            self.refreshing = Progress(tuple(names or ()))
            self._merged_at, self._to_merge = time.monotonic(), False
            self._show_progress()
            # Not one of Textual's workers: leaving waits for those, and a server that never answers would hold the
            # terminal. A daemon thread ends with the program, and the store's files are whole at every moment.
            threading.Thread(target=self._refresh, args=(names, self.cancel_refresh), daemon=True).start()

    def stop_refresh(self) -> None:
        """Go on with the prices there are; what is still answered is not listened to."""
        self.cancel_refresh.set()
        done = sum(outcome.good for outcome in self.refreshing.ended.values()) if self.refreshing is not None else 0
        self.refreshing = None
        self._show_progress()
        came = (
            f"what {done} had sent is in."
            if done > 1
            else "what one had sent is in."
            if done
            else "the prices shown stay."
        )
        self.notify(f"Refresh stopped; {came}", timeout=3)
        if self._to_merge:
            self._merge()

    def action_feeds(self) -> None:
        """The list of feeds."""
        from pricing.provider import providers
        from tui.screens.feeds_screen import FeedsScreen

        abouts = {name: source.about for name, source in providers().items()}
        self.app.push_screen(FeedsScreen(self, abouts, self.app.ascii_only))

    def _refresh(self, names: Sequence[str] | None, cancelled: threading.Event) -> None:
        def progress(event: object) -> None:
            self._from_thread(self._refresh_step, cancelled, event)

        try:
            report: object = run_refresh(self, names, progress, cancelled)
        except RackrateError as error:
            report = error
        except Exception as error:  # noqa: BLE001 - a bug in a feed must not end the dashboard
            report = RackrateError(
                f"The refresh stopped: {type(error).__name__}: {error}", hint="Prices stay as they were."
            )
        self._from_thread(self._refreshed, cancelled, report)

    def _from_thread(self, take: Callable[[Any], None], cancelled: threading.Event, what: object) -> None:
        """Hand something to the dashboard's own thread, unless it has stopped listening by then."""
        if cancelled.is_set():
            return
        # The app is leaving: its stack of screens is empty, or its loop has been closed.
        with contextlib.suppress(ScreenStackError, RuntimeError):
            self.app.call_later(lambda: None if cancelled.is_set() else take(what))

    def _refresh_step(self, event: object) -> None:
        if self.refreshing is None:
            return
        self.refreshing.take(event)
        self._to_merge = self._to_merge or getattr(event, "status", "") == "fresh"
        self._show_progress()
        if self._to_merge and time.monotonic() - self._merged_at >= max(MERGE_S, MERGE_SHARE * self._merge_cost_s):
            self._merge()

    def _refreshed(self, report: RefreshReport | RackrateError) -> None:
        self.refreshing = None
        self._show_progress()
        if isinstance(report, RackrateError):
            self.notify(f"Failed: {report}", severity="warning", timeout=8)
            return
        self._merge()
        if report.offline:
            mirror = os.environ.get("RACKRATE_MIRROR", "") or (self.session.settings and self.session.settings.mirror)
            nobody = "No connection to the mirror" if mirror else "No network"
            kept = f"{nobody}: kept {len(self.session.market or ()):,} prices of {self.session.price_days()}."
            self.notify(kept, severity="warning", timeout=6)
        else:
            more = f" {first('feeds')} tells what happened." if report.exit_code else ""
            self.notify(
                f"Refreshed: {report.conclusion}{more}",
                severity="warning" if report.exit_code else "information",
                timeout=6,
            )

    def _show_progress(self) -> None:
        self.show_header()
        update = getattr(self.app.screen, "update_feeds", None)
        if update is not None:
            update()

    # taking in what has come

    def _merge(self) -> None:
        """Read the prices again in a thread; the old ones stay on the screen until the new ones are compared."""
        if not self._merging:
            self._merging, self._to_merge, self._merged_at = True, False, time.monotonic()
            self._read_again(self.session.workload, None)
        else:
            self._to_merge = True

    @work(thread=True, group="merge")
    def _read_again(self, workload: Workload, found: Prices | None) -> None:
        started = time.perf_counter()
        try:
            found = found or self.session.read(again=True)
            comparison = self.session.compare(workload, found)
        except RackrateError as error:
            self.app.call_from_thread(self._not_merged, error)
            return
        self.app.call_from_thread(self._merge_read, found, comparison, time.perf_counter() - started)

    def _not_merged(self, error: RackrateError) -> None:
        self._merging = False
        self.notify(f"Failed: {error}", severity="warning", timeout=8)

    def _merge_read(self, found: Prices, comparison: Comparison, seconds: float) -> None:
        if comparison.workload != self.session.workload:  # changed meanwhile
            self._read_again(self.session.workload, found)
            return
        self._merging, self._merge_cost_s = False, seconds
        self.session.use(found)
        self._accept(comparison)
        self._show_progress()
        self._tell_messages()
        if self._to_merge and self.refreshing is None:
            self._merge()

    def on_unmount(self) -> None:
        """A refresh must not outlive the screen."""
        self.cancel_refresh.set()


def run_refresh(
    dashboard: RefreshKeys,
    names: Sequence[str] | None,
    on_progress: Callable[[object], None],
    cancelled: threading.Event,
) -> RefreshReport:
    """Fetch prices into the store; runs in a thread."""
    from pricing.bundled import load_bundled
    from pricing.refresh import refresh
    from pricing.store import Store

    session = dashboard.session
    settings = session.settings
    return refresh(
        names,
        store=session.store or Store(),
        on_progress=on_progress,
        mirror=settings.mirror if settings is not None else None,
        cancelled=cancelled,
        bundled=load_bundled,
        regions=settings.regions if settings is not None else None,
    )
