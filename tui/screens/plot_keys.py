"""Plots, and the panes they share the screen with: which is shown, which has the focus, which fills the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual import on

from tui.screens.base import DashboardBase
from tui.state import PLOTS
from tui.text import wrap
from tui.widgets.plot_pane import PlotPane

if TYPE_CHECKING:
    from tui.text import TextLine


def _fitted(text: str, width: int) -> list[TextLine]:
    """A line of figures as it is, or broken where it is too long, further lines a little to the right of its beginning."""
    if cell_len(text) <= width:
        return [[(text, "text")]]
    lead = len(text) - len(text.lstrip())
    lines = wrap([(text.lstrip(), "text")], max(width - lead - 2, 1))
    return [[(" " * (lead + 2 * bool(number)), "text"), *line] for number, line in enumerate(lines)]


class PlotKeys(DashboardBase):
    """Changing the plot, going round the panes, zooming one of them."""

    def action_next_plot(self, step: int) -> None:
        """The next plot; where there is no room beside the table the plot of last time fills the screen first."""
        if self.session.rows is None:
            return
        if not self.plot.display:
            self.zoom("plot")
            return
        now = self.session.view.plot
        number = PLOTS.index(now) + step if now in PLOTS else 0
        self.session.view = self.session.view.changed(plot=PLOTS[number % len(PLOTS)])
        self.show_plot()

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
            self.notify(f"{offer.server} is hidden by the table's type or fit.", timeout=3, markup=False)
        else:
            self.table.go(position)

    @on(PlotPane.Left)
    def _plot_left(self) -> None:
        self.zoom(None)
        self.table.focus()

    @on(PlotPane.TextAsked)
    def _text_asked(self, message: PlotPane.TextAsked) -> None:
        from tui.screens.dialog import on_top
        from tui.screens.text_screen import TextScreen

        plot = message.plot
        if not on_top(self):
            return

        def make(width: int) -> list[TextLine]:
            return [line for text in plot.text for line in _fitted(text, width)]

        self.app.push_screen(TextScreen(plot.title, make, self.app.tones, ascii_only=self.app.ascii_only))
