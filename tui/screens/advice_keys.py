"""The key that asks what to do with the figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.screens.base import DashboardBase
from tui.screens.dialog import on_top

if TYPE_CHECKING:
    from tui.advice.question import Question


class AdviceKeys(DashboardBase):
    """Advice on the workload that is shown."""

    def action_advice(self) -> None:
        """Verdict, fleet, crossover and the rest on the full screen."""
        from tui.screens.advice_screen import AdviceScreen

        question = self._question()
        if question is not None and on_top(self):
            self.app.push_screen(AdviceScreen(question, self.app.tones, ascii_only=self.app.ascii_only))

    def _question(self) -> Question | None:
        """All offers that the terms and the filter leave, whatever type and fit the table shows of them: as the verdict's line."""
        from tui.advice.question import Question
        from tui.plots.api_prices import stored

        session = self.session
        if session.comparison is None or session.rows is None or not len(session.comparison):
            return None
        filters = session.filters(session.view.changed(kind="any", fit="all"))
        return Question(session.rows.comparison, filters, lambda: stored(session))
