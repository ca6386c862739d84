"""What the main screen is made of and how it shows a session; the keys are in the files next to this one."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from rich.text import Text
from textual.containers import Container, Horizontal
from textual.widgets import Static

from tui import lines
from tui.columns import chosen
from tui.details import details, summary
from tui.filter_line import chips
from tui.guard import Guarded
from tui.header import header
from tui.keys import first
from tui.screens.panes import DETAILS_HEIGHT, SUMMARY_HEIGHT
from tui.screens.recomputing import Recomputing
from tui.verdict_line import verdict
from tui.widgets.filter_input import FilterInput, JumpInput
from tui.widgets.line import Line
from tui.widgets.offer_table import OfferTable
from tui.widgets.plot_pane import PlotPane
from tui.widgets.text_pane import TextPane
from tui.widgets.workload_bar import WorkloadBar

if TYPE_CHECKING:
    from rich.style import Style
    from textual import events
    from textual.app import ComposeResult
    from textual.timer import Timer

    from tui.app import RackrateApp
    from tui.progress import Progress
    from tui.session import Session
    from tui.text import TextLine


class DashboardBase(Guarded, Recomputing):
    """Workload, verdict, filter, table, details, and the lines around them."""

    app: RackrateApp

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.refreshing: Progress | None = None
        self.cancel_refresh = threading.Event()
        self._typing: Timer | None = None
        self._moved = False
        self._details_due = False

    def compose(self) -> ComposeResult:
        """From the top to the bottom of the screen."""
        flat = self.app.ascii_only
        yield Line(id="header", ascii_only=flat)
        yield WorkloadBar(id="workload", ascii_only=flat)
        yield Static("", id="verdict", markup=False)
        yield Line(id="filter-line", ascii_only=flat)
        with Horizontal(id="filter-box"):
            yield Static(f"Filter {first('filter.edit')}", id="filter-label", markup=False)
            yield FilterInput(id="filter", compact=True)
        yield Static("", id="filter-hint", markup=False)
        with Horizontal(id="jump-box"):
            yield Static("Jump to", id="jump-label", markup=False)
            yield JumpInput(id="jump", compact=True)
            yield Static("", id="jump-said", markup=False)
        with Container(id="body"):
            yield OfferTable(id="table", ascii_only=flat)
            with Container(id="side"):
                yield TextPane(id="details", ascii_only=flat)
                yield PlotPane(id="plot", ascii_only=flat)
        yield Line(id="status", ascii_only=flat)
        yield Line(id="keys", ascii_only=flat)

    # parts

    @property
    def table(self) -> OfferTable:
        """The table of offers."""
        return self.query_one(OfferTable)

    @property
    def bar(self) -> WorkloadBar:
        """The workload's inputs."""
        return self.query_one(WorkloadBar)

    def line(self, name: str) -> Line:
        """One of the screen's single lines."""
        return self.query_one(f"#{name}", Line)

    @property
    def idle(self) -> bool:
        """True where nothing waits: nothing typed, no comparison, no details, no plot."""
        return self._typing is None and not (self.drawing or self.recomputing or self._details_due)

    @property
    def jumping(self) -> bool:
        """True while a name to jump to is typed."""
        return self.query_one("#jump-box").has_class("-open")

    @property
    def filtering(self) -> bool:
        """True while the filter is typed."""
        return self.query_one("#filter-box").has_class("-open")

    def restyle(self, tones: dict[str, Style]) -> None:
        """Take the colours of another theme."""
        for widget in self.query("Line, OfferTable, TextPane, PlotPane, WorkloadBar").results():
            widget.restyle(tones)  # type: ignore[attr-defined]

    def on_resize(self, event: events.Resize) -> None:
        """Give the panes the room there is."""
        width, height = event.size
        self.bar.set_compact(width < 98 or height < 26)
        self.bar.set_class(width < 98 or height < DETAILS_HEIGHT, "-bare")
        self.query_one("#verdict").set_class(height < SUMMARY_HEIGHT, "-one-line")
        self.line("keys").display = height >= 6
        self.arrange_panes()
        self.panes_changed()

    def panes_changed(self) -> None:
        """Show the lines around the panes that have room, and fill the panes."""
        height, whole = self.size.height, self.zoomed is not None
        # Where two or three lines are all there is, the table has them.
        self.line("header").display = (height == 1 or height >= 4) and not whole
        self.line("status").display = height >= 3
        self.query_one("#verdict").display = height >= 12 and not whole
        self.line("filter-line").display = height >= 9 and not self.filtering and not self.jumping and not whole
        self.bar.display = (height >= 7 and not whole) or self.bar.editing is not None
        self._show_keys()
        self._show_details()
        self.show_plot()

    # painting

    def show_workload(self) -> None:
        """Show the workload that is asked for in its bar."""
        self.bar.show(self.session.workload)

    def show(self) -> None:
        """Paint what the session holds."""
        session = self.session
        if session.rows is None or session.comparison is None:
            return
        view = session.view
        with self.app.batch_update():
            self.table.set_columns(chosen(view), widths=dict(view.widths), unit=view.unit)
            self.table.show(
                session.rows,
                sort=view.sort,
                descending=view.descending,
                currency=session.comparison.terms.currency,
                message=self._explain_empty(),
            )
            self.table.mark(session.marks)
            self._show_verdict()
            self._show_lines()
            self._show_details()
        self.show_plot()

    def _explain_empty(self) -> list[str]:
        if self.session.rows is None or len(self.session.rows):
            return []
        from tui.empty import explain

        return explain(self.session)

    def _show_verdict(self) -> None:
        self.query_one("#verdict", Static).update(
            verdict(self.session, self.app.tones, room=self._verdict_room, ascii_only=self.app.ascii_only)
        )

    @property
    def _verdict_room(self) -> int | None:
        """Cells for the verdict where it has one line only."""
        pane = self.query_one("#verdict", Static)
        return max(self.size.width - 2, 0) if pane.has_class("-one-line") else None

    @property
    def touring(self) -> bool:
        """True on a first start, until something was moved or changed."""
        session = self.session
        return session.first_start and not (self._moved or session.history.past or session.view.filtered)

    def show_header(self) -> None:
        """Paint the header, where it says something else than before."""
        self.line("header").show(header(self.session, self.refreshing, touring=self.touring))

    def _show_lines(self) -> None:
        self.show_header()
        self.line("filter-line").show(chips(self.session))
        self._show_status()
        self._show_keys()

    def _show_keys(self) -> None:
        typed = "workload" if self.bar.editing else "filter" if self.filtering else "jump" if self.jumping else ""
        mode = typed or (f"plot-{self.zoomed or 'beside'}" if self.pane_name == "plot" else "table")
        self.line("keys").show(lines.keys(mode))

    def back_to_pane(self) -> None:
        """From an input to the table, or to the pane that fills the screen."""
        self.panes_changed()
        self.pane(self.zoomed or "table").focus()

    def on_descendant_focus(self) -> None:
        """The footer names the keys of the pane that has the focus."""
        self._show_keys()

    def _show_status(self) -> None:
        table = self.table
        self.line("status").show(
            lines.status(
                self.session,
                table.current,
                table.cursor,
                table.hidden_columns,
                touring=self.touring,
                carried=table.carried,
            )
        )

    def _show_details(self) -> None:
        """Tell the offer under the cursor once the cursor is painted: a key held down passes rows that nobody asks about."""
        if not self._details_due:
            self._details_due = True
            self.call_after_refresh(self._tell_details)

    def _tell_details(self) -> None:
        self._details_due = False
        pane = self.query_one("#details", TextPane)
        rows, i = self.session.rows, self.table.current
        if pane.has_class("-hidden") or rows is None:
            return
        if i is None:
            pane.show(lambda width: [])  # noqa: ARG005
            return
        short = pane.has_class("-summary")
        keys = f"{first('pane.next')} scrolls them, {first('details.open')} in full, {first('pane.zoom')} zoom"
        pane.border_title = Text("" if short else f" Details: {keys} ")

        def make(width: int) -> list[TextLine]:
            return summary(rows, i, width) if short else details(rows, i, width)

        pane.show(make, keep_place=False)
