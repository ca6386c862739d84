"""Table, details and plot: where each has room, which one fills the screen, and when the plot is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.screen import Screen

from tui.keys import first
from tui.widgets.plot_pane import PlotPane

if TYPE_CHECKING:
    from textual.messages import InvokeLater
    from textual.timer import Timer
    from textual.widget import Widget

    from tui.app import RackrateApp
    from tui.session import Session

SUMMARY_HEIGHT, DETAILS_HEIGHT, HIGH = 19, 30, 44
"""Terminal lines from which there is room for three lines of details, for the pane, and for a tall one."""
PLOT_WIDTH = 100
"""Terminal columns from which details and plot stand side by side under the table."""
SIDE_WIDTH, SIDE_HEIGHT = 165, 40
"""Terminal columns from which the details stand beside the table, and lines from which the plot stands under them."""
SETTLE_S = 0.08
"""A plot of the offer under the cursor is drawn when the cursor has stayed so long."""


class Panes(Screen[None]):
    """The panes of the main screen."""

    app: RackrateApp
    session: Session
    PANES: ClassVar[tuple[str, ...]] = ("table", "details", "plot")

    def __init__(self) -> None:
        super().__init__()
        self.zoomed: str | None = None
        """The pane that fills the screen."""
        self._plot_due = False
        self._plot_timer: Timer | None = None
        self._drawn: tuple[object, ...] = ()
        """What the plot was drawn from."""
        self._title = ""
        """What stands on its frame."""

    def _on_invoke_later(self, message: InvokeLater) -> None:
        """What is to run after a repaint waits on this screen: on a dialog that closes, as Textual has it, it would be lost."""
        message.prevent_default()
        self._invoke_later(message.callback, message._sender or self)  # noqa: SLF001 - Textual has no other way

    @property
    def plot(self) -> PlotPane:
        """The plot."""
        return self.query_one(PlotPane)

    def pane(self, name: str) -> Widget:
        """A pane by its name."""
        return self.query_one(f"#{name}")

    @property
    def pane_name(self) -> str:
        """The pane with the focus, the table where none has it."""
        name = self.focused.id if self.focused is not None else None
        return name if name in self.PANES else self.zoomed or "table"

    def has_room(self, name: str) -> bool:
        """Whether a pane is there beside the others, and not only on the whole screen."""
        width, height = self.size
        side = width >= SIDE_WIDTH
        if name == "plot":
            return height >= SIDE_HEIGHT if side else width >= PLOT_WIDTH and height >= DETAILS_HEIGHT
        return name == "table" or side or height >= DETAILS_HEIGHT

    def zoom(self, name: str | None) -> None:
        """Give the whole screen to one pane, or none."""
        if name == self.zoomed:
            return
        self.zoomed = name
        self.arrange_panes()
        if name is not None:
            self.pane(name).focus()
        elif not self.has_room(self.pane_name):
            self.pane("table").focus()
        self.panes_changed()

    def panes_changed(self) -> None:
        """Fill what has come to be seen."""

    def arrange_panes(self) -> None:
        """Show the panes that have room."""
        height, zoomed = self.size.height, self.zoomed
        details, plot = self.pane("details"), self.plot
        summary = not self.has_room("details") and zoomed != "details"
        hidden = zoomed not in {None, "details"} or (summary and height < SUMMARY_HEIGHT)
        self.set_class(self.size.width >= SIDE_WIDTH, "-side")
        self.set_class(height >= HIGH, "-high")
        self.set_class(zoomed is not None, "-zoomed")
        details.set_class(summary, "-summary")
        details.set_class(hidden, "-hidden")
        plot.display = zoomed == "plot" or (zoomed is None and self.has_room("plot"))
        plot.set_class(zoomed == "plot", "-zoomed")
        side = self.query_one("#side")
        side.set_class(summary and zoomed is None, "-summary")
        side.display = plot.display or not hidden
        self.pane("table").display = zoomed in {None, "table"}

    # the plot

    def show_plot(self, *, moved: bool = False) -> None:
        """Draw the plot once everything else is on the screen; where only the cursor `moved`, when it has come to rest."""
        if not self.plot.display or self.session.rows is None:
            return
        if moved and self._follows():
            if self._plot_timer is not None:
                self._plot_timer.stop()
            self._plot_timer = self.set_timer(SETTLE_S, self._draw_plot)
        elif not self._plot_due:
            self._plot_due = True
            self.call_after_refresh(self._draw_plot)

    @property
    def drawing(self) -> bool:
        """True while a plot waits to be drawn."""
        return self._plot_due or self._plot_timer is not None

    def _follows(self) -> bool:
        from tui.plots import follows_cursor

        return follows_cursor(self.session.view.plot, self.session)

    def _draw_plot(self) -> None:
        from tui import plots
        from tui.state import PLOTS
        from tui.widgets.offer_table import OfferTable

        self._plot_due = False
        if self._plot_timer is not None:
            self._plot_timer.stop()
            self._plot_timer = None
        pane, session, table = self.plot, self.session, self.query_one(OfferTable)
        if not pane.display or session.rows is None:
            return
        name = session.view.plot if session.view.plot in PLOTS else PLOTS[0]
        line = table.cursor if plots.follows_cursor(name, session) else None
        asked = (name, session.rows, tuple(session.marks), line)
        keys = f"{first('plot.next')} next, {first('pane.zoom')} {'back' if self.zoomed else 'zoom'}"
        keys += f", {first('plot.text')} as text" if self.zoomed else ""
        lead = " " if self.zoomed else ""  # the corner of the pane beside the details has one
        title = f"{lead}{plots.TITLES[name]} {PLOTS.index(name) + 1}/{len(PLOTS)}: {keys} "
        if title != self._title:  # setting it paints the whole pane
            self._title = title
            pane.border_title = Text(title)
        if asked == self._drawn:
            pane.select(table.current)
            return
        self._drawn = asked
        pane.show(plots.make(name, session, table.cursor), table.current)
