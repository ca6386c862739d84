"""The key that tries other quantizations and models on one server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.screens.base import DashboardBase
from tui.screens.dialog import on_top

if TYPE_CHECKING:
    from models.traffic import Workload


class AlternativeKeys(DashboardBase):
    """Alternatives on the server under the cursor."""

    def action_alternatives(self) -> None:
        """Choose among formats and models with what each comes to on this server."""
        from tui.screens.alternatives_screen import AlternativesScreen

        rows, i = self.session.rows, self.table.current
        if rows is None or i is None or not on_top(self):
            return
        screen = AlternativesScreen(
            rows.offer(i), self.session.workload, self.session.options, self.app.tones, ascii_only=self.app.ascii_only
        )
        self.app.push_screen(screen, self._taken)

    def _taken(self, workload: Workload | None) -> None:
        if workload is not None:
            self.change(workload)
