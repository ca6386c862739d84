"""When the workload, the prices or the view change: compare and arrange anew, in a thread where that takes long."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from textual import work

from models.errors import RackrateError
from tui.screens.panes import Panes

if TYPE_CHECKING:
    from models.traffic import Workload
    from pricing.compare import Comparison
    from tui.session import Arranged
    from tui.state import ViewState

INLINE_MS = 60
"""A comparison that took longer than this moves to a thread, so that the screen keeps answering."""
THREADED_OFFERS = 20_000
"""From so many offers on they are filtered and sorted in a thread."""


class Recomputing(Panes):
    """Compares and arranges what the session holds; what is on the screen stays until the new figures are there."""

    def __init__(self) -> None:
        super().__init__()
        self.compare_ms = 0.0
        """How long the last comparison took."""
        self._compare_due = self._comparing = False

    @property
    def recomputing(self) -> bool:
        """True while a comparison is on its way."""
        return self._compare_due or self._comparing

    def show(self) -> None:
        """Paint what the session holds."""

    def show_workload(self) -> None:
        """Show the workload that is asked for, before its figures are there."""

    def _show_lines(self) -> None:
        """Paint the single lines."""

    def change(self, workload: Workload, *, step: str = "") -> None:
        """Compare for another workload; changes that name the same step are undone together."""
        if self.session.history.set(workload, step=step):
            self.recompute()

    def recompute(self) -> None:
        """Compare again for the workload that all waiting keys lead to; the old figures stay until the new ones are there."""
        if self.session.comparison is None:
            return
        self.show_workload()
        if not self._compare_due:
            self._compare_due = True
            self.call_later(self._compare)

    def _compare(self) -> None:
        """At once where that is quick, else in a thread: one at a time, and after it whatever has been asked by then."""
        if self._comparing:
            return
        self._compare_due = False
        workload = self.session.workload
        if self.compare_ms > INLINE_MS:
            self._comparing = True
            self._compare_in_thread(workload)
            return
        started = time.perf_counter()
        try:
            comparison = self.session.compare(workload)
        except RackrateError as error:
            self.notify(str(error), severity="warning")
            return
        self.compare_ms = (time.perf_counter() - started) * 1000
        self._accept(comparison)

    @work(thread=True, group="compare")
    def _compare_in_thread(self, workload: Workload) -> None:
        started = time.perf_counter()
        found: Comparison | RackrateError | None = None
        try:
            found = self.session.compare(workload)
        except RackrateError as error:
            found = error
        finally:
            self.compare_ms = (time.perf_counter() - started) * 1000
            self.app.call_from_thread(self._compared, workload, found)

    def _compared(self, workload: Workload, found: Comparison | RackrateError | None) -> None:
        self._comparing = False
        if isinstance(found, RackrateError):
            self.notify(str(found), severity="warning")
        elif found is not None and workload == self.session.workload and found.market is self.session.market:
            self._accept(found)
        if self._compare_due or workload != self.session.workload:
            self._compare()

    def _accept(self, comparison: Comparison) -> None:
        if not self.session.is_of_these_prices(comparison):
            self.recompute()
            return
        try:
            self.session.accept(comparison)
        except RackrateError as error:
            self.notify(str(error), severity="warning")
            return
        self.show_workload()
        self.show()

    def rearrange(self) -> None:
        """Filter and sort anew: at once for a usual number of offers, else in a thread, so that typing is never held up."""
        if self.session.market is None or len(self.session.market) < THREADED_OFFERS:
            self.session.arrange()
            self.show()
        else:
            self._show_lines()
            self._arrange_in_thread(self.session.view)

    @work(thread=True, exclusive=True, group="arrange")
    def _arrange_in_thread(self, view: ViewState) -> None:
        arranged = self.session.arranged(view)
        if arranged is not None:
            self.app.call_from_thread(self._take, view, arranged)

    def _take(self, view: ViewState, arranged: Arranged) -> None:
        now = self.session.view.changed(columns=view.columns, widths=view.widths, unit=view.unit, plot=view.plot)
        if view == now and arranged.rows.comparison is self.session.comparison:  # else a newer one comes
            self.session.take(arranged)
            self.show()
