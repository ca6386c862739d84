"""Plots, and the panes they share the screen with: which is shown, which has the focus, which fills the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on

from tui.screens.base import DashboardBase
from tui.state import PLOTS
from tui.widgets.plot_pane import PlotPane

if TYPE_CHECKING:
    from tui.plots.plot import Plot


class PlotKeys(DashboardBase):
    """Changing the plot, going round the panes, zooming one of them."""

    def action_next_plot(self, step: int) -> None:
        """The next plot; where there is no room beside the table the plot of last time fills the screen first."""
        if self.session.rows is None:
            return
        if not self.plot.display:
            self.zoom("plot")
            return
        self._step_plot(step)

    def _step_plot(self, step: int) -> None:
        now = self.session.view.plot
        number = PLOTS.index(now) + step if now in PLOTS else 0
        self.session.view = self.session.view.changed(plot=PLOTS[number % len(PLOTS)])
        self.show_plot()

    def _other_plot(self, step: int) -> Plot:
        """Go on to another plot, and return it."""
        from tui import plots

        self._step_plot(step)
        return plots.make(self.session.view.plot, self.session, self.table.cursor)

    def action_zoom(self) -> None:
        """The pane with the focus on the whole screen, and back."""
        self.zoom(None if self.zoomed else self.pane_name)

    def action_next_pane(self, step: int) -> None:
        """Table, details, plot, and round; on the whole screen the next one takes its place."""
        names = [name for name in self.PANES if self.zoomed or self.has_room(name)]
        name = names[(names.index(self.pane_name) + step) % len(names)] if self.pane_name in names else "table"
        if self.zoomed:
            self.zoom(name)
        else:
            self.pane(name).focus()

    @on(PlotPane.Chosen)
    def _offer_chosen(self, message: PlotPane.Chosen) -> None:
        rows = self.session.rows
        if rows is None:
            return
        offer = rows.offer(message.offer)
        position = rows.position(offer.offer_id)
        if position is None:
            self.notify(f"{offer.server} is hidden by the table's type or fit.", timeout=3)
        else:
            self.table.go(position)

    @on(PlotPane.Left)
    def _plot_left(self) -> None:
        self.zoom(None)
        self.table.focus()

    @on(PlotPane.TextAsked)
    def _text_asked(self, message: PlotPane.TextAsked) -> None:
        from tui.screens.dialog import on_top
        from tui.screens.plot_text_screen import PlotTextScreen

        if on_top(self):
            self.app.push_screen(
                PlotTextScreen(message.plot, self._other_plot, self.app.tones, ascii_only=self.app.ascii_only)
            )
