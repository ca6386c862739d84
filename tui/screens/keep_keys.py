"""The key that forgets what was kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui import keeping
from tui.keys import first
from tui.saved import Saved
from tui.screens.base import DashboardBase
from tui.session import default_workload

if TYPE_CHECKING:
    from models.traffic import Workload


class KeepKeys(DashboardBase):
    """Resetting, and taking that back."""

    _forgotten: tuple[Saved, Saved, Workload] | None = None
    """What was kept before the last reset and right after it, and the workload of then."""

    def action_reset(self) -> None:
        """Workload, filters, order, columns, widths, unit, currency, theme and marks as at the first start; again takes it back."""
        if self.session.comparison is None:
            return
        before, workload = self.app.kept(), self.session.workload
        if self._forgotten is not None and before == self._forgotten[1]:
            old, _, workload = self._forgotten
            self._forgotten = None
            self._bring(old, workload)
            self.notify("Everything is as it was before the reset.", timeout=4)
            return
        self._bring(Saved(), default_workload())
        after = self.app.kept()
        if before == after:
            self.notify("Everything is as at the first start already.", timeout=3)
            return
        self._forgotten = before, after, workload
        self.notify(f"Everything is as at the first start; {first('reset')} again takes that back.", timeout=6)

    def _bring(self, kept: Saved, workload: Workload) -> None:
        keeping.restore(self.session, kept)
        self.app.theme = kept.theme or self.app.usual_theme
        self.table.mark(self.session.marks)
        self.session.bring(workload)
        self.recompute()
