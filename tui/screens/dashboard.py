"""The main screen: workload, verdict, filter, table, details; every key's action."""

from __future__ import annotations

import gc
import threading
import time
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on, work
from textual.app import ScreenStackError
from textual.containers import Container, Horizontal
from textual.screen import Screen
from textual.widgets import Input, Static

from models.errors import RackrateError
from tui import inputs, lines
from tui.columns import BY_ID as COLUMNS
from tui.details import details, summary
from tui.keys import BINDINGS as KEYS
from tui.keys import TABLE_ACTIONS, textual_bindings
from tui.screens import dialogs
from tui.screens.details_screen import DetailsScreen, open_source
from tui.state import FITS, KINDS, TERMS, following
from tui.widgets.line import Line
from tui.widgets.offer_table import OfferTable
from tui.widgets.text_pane import TextPane
from tui.widgets.workload_bar import WorkloadBar

if TYPE_CHECKING:
    from rich.style import Style
    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.timer import Timer

    from models.traffic import Workload
    from pricing.compare import Comparison
    from tui.app import RackrateApp
    from tui.session import Session
    from tui.text import TextLine

TYPING_PAUSE_S = 0.06
"""Typed text is used after so long without a key."""
INLINE_MS = 60
"""A comparison that took longer than this moves to a thread, so that the screen keeps answering."""
SUMMARY_HEIGHT, DETAILS_HEIGHT, HIGH = 19, 30, 44
"""Terminal lines from which there is room for three lines of details, for the pane, and for a tall one."""
SIDE_WIDTH = 165
"""Terminal columns from which the details stand beside the table."""


class Dashboard(Screen[None]):
    """Prices and one workload, compared live."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *textual_bindings(tuple(key for key in KEYS if key.action.partition("(")[0] not in TABLE_ACTIONS))
    ]
    app: RackrateApp

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.refreshing: lines.Progress | None = None
        self.cancel_refresh = threading.Event()
        self.compare_ms = 0.0
        """How long the last comparison took."""
        self._typing: Timer | None = None
        self._moved = False

    def compose(self) -> ComposeResult:
        """From the top to the bottom of the screen."""
        flat = self.app.ascii_only
        yield Line(id="header", ascii_only=flat)
        yield WorkloadBar(id="workload", ascii_only=flat)
        yield Static("", id="verdict", markup=False)
        yield Line(id="filter-line", ascii_only=flat)
        with Horizontal(id="filter-box"):
            yield Static("Filter /", id="filter-label", markup=False)
            yield Input(id="filter", compact=True)
        yield Static("", id="filter-hint", markup=False)
        with Container(id="body"):
            yield OfferTable(id="table", ascii_only=flat)
            yield TextPane(id="details", ascii_only=flat)
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
        """True where nothing typed waits to be used."""
        return self._typing is None

    # start

    def on_mount(self) -> None:
        """Paint the frame, then read the prices in a thread."""
        self.set_class(self.app.ascii_only, "-ascii")
        self.restyle(self.app.tones)
        self.table.focus()
        self.bar.border_title = "Workload"
        self.bar.border_subtitle = lines.workload_keys(self.app.ascii_only)
        self._show_lines()
        self._load()

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

    def restyle(self, tones: dict[str, Style]) -> None:
        """Take the colours of another theme."""
        for widget in self.query("Line, OfferTable, TextPane, WorkloadBar").results():
            widget.restyle(tones)  # type: ignore[attr-defined]

    def on_resize(self, event: events.Resize) -> None:
        """Give the panes the room there is."""
        width, height = event.size
        side = width >= SIDE_WIDTH
        pane = side or height >= DETAILS_HEIGHT
        self.set_class(side, "-side")
        self.set_class(height >= HIGH, "-high")
        self.bar.set_compact(width < 98 or height < 26)
        self.bar.set_class(width < 98 or height < DETAILS_HEIGHT, "-bare")
        self.query_one("#details").set_class(not pane, "-summary")
        self.query_one("#details").set_class(not pane and height < SUMMARY_HEIGHT, "-hidden")
        self.query_one("#verdict").set_class(height < SUMMARY_HEIGHT, "-one-line")
        self.query_one("#verdict").display = height >= 12
        self.line("filter-line").display = height >= 9 and not self.filtering
        self.bar.display = height >= 7 or self.bar.editing is not None
        self.line("keys").display = height >= 6
        self._show_details()

    # comparing

    def change(self, workload: Workload, *, step: str = "") -> None:
        """Compare for another workload; changes that name the same step are undone together."""
        if self.session.history.set(workload, step=step):
            self.recompute()

    def recompute(self) -> None:
        """Compare again: at once where that is quick, else in a thread; the old figures stay until the new ones are there."""
        if self.session.comparison is None:
            return
        self.bar.show(self.session.workload)
        if self.compare_ms > INLINE_MS:
            self._compare_in_thread(self.session.workload)
            return
        started = time.perf_counter()
        try:
            comparison = self.session.compare(self.session.workload)
        except RackrateError as error:
            self.notify(str(error), severity="warning", markup=False)
            return
        self.compare_ms = (time.perf_counter() - started) * 1000
        self._accept(comparison)

    @work(thread=True, exclusive=True, group="compare")
    def _compare_in_thread(self, workload: Workload) -> None:
        started = time.perf_counter()
        try:
            comparison = self.session.compare(workload)
        except RackrateError as error:
            self.app.call_from_thread(self.notify, str(error), severity="warning", markup=False)
            return
        self.compare_ms = (time.perf_counter() - started) * 1000
        if workload == self.session.workload:  # else a newer one is on its way
            self.app.call_from_thread(self._accept, comparison)

    def _accept(self, comparison: Comparison) -> None:
        try:
            self.session.accept(comparison)
        except RackrateError as error:
            self.notify(str(error), severity="warning", markup=False)
            return
        self.bar.show(self.session.workload)
        self.show()

    def show(self) -> None:
        """Paint what the session holds."""
        session = self.session
        if session.rows is None or session.comparison is None:
            return
        view = session.view
        with self.app.batch_update():
            self.table.show(
                session.rows,
                sort=view.sort,
                descending=view.descending,
                currency=session.comparison.terms.currency,
                message=session.explain_empty(),
            )
            self._show_verdict()
            self._show_lines()
            self._show_details()

    def _show_verdict(self) -> None:
        self.query_one("#verdict", Static).update(
            lines.verdict(self.session, self.app.tones, ascii_only=self.app.ascii_only)
        )

    def _show_lines(self) -> None:
        self.line("header").show(lines.header(self.session, self.refreshing))
        self.line("filter-line").show(lines.filters(self.session))
        self._show_status()
        mode = "workload" if self.bar.editing else "filter" if self.filtering else "table"
        self.line("keys").show(lines.keys(mode))

    def _show_status(self) -> None:
        table = self.table
        self.line("status").show(
            lines.status(self.session, table.current, table.cursor, table.hidden_columns, first=not self._moved)
        )

    def _show_details(self) -> None:
        pane = self.query_one("#details", TextPane)
        rows, i = self.session.rows, self.table.current
        if pane.has_class("-hidden") or rows is None:
            return
        if i is None:
            pane.show(lambda width: [])  # noqa: ARG005
            return
        short = pane.has_class("-summary")
        pane.border_title = "" if short else " Details: Tab scrolls them, enter full screen "

        def make(width: int) -> list[TextLine]:
            return summary(rows, i, width) if short else details(rows, i, width)

        pane.show(make, keep_place=False)

    # the table's messages

    @on(OfferTable.Highlighted)
    def _highlighted(self) -> None:
        self._moved = self._moved or self.table.cursor > 0
        self._show_status()
        self._show_details()

    @on(OfferTable.SortRequested)
    def _sort_requested(self, message: OfferTable.SortRequested) -> None:
        self.sort_by(message.column)

    @on(OfferTable.Opened)
    def _opened(self) -> None:
        self.action_details()

    # workload

    def action_edit_workload(self) -> None:
        """Edit the inputs."""
        self.bar.display = True
        self.bar.edit("model" if self.bar.editing is None else "")
        self._show_lines()

    @on(WorkloadBar.Typed)
    def _typed(self, message: WorkloadBar.Typed) -> None:
        if self._typing is not None:
            self._typing.stop()
        self._typing = self.set_timer(TYPING_PAUSE_S, lambda: self._use_typed(message))

    def _use_typed(self, message: WorkloadBar.Typed) -> None:
        self._typing = None
        try:
            workload = inputs.read(message.field, self.session.workload, message.text)
        except RackrateError as error:
            if self.bar.editing == message.field.id:
                self.bar.show_error(str(error))
            else:  # left before it was used
                self.notify(str(error), severity="warning", markup=False)
            return
        self.bar.show_error("")
        self.change(workload, step=message.field.id)

    @on(WorkloadBar.Stepped)
    def _stepped(self, message: WorkloadBar.Stepped) -> None:
        if self._typing is not None:  # the step starts from what stands there
            self._typing.stop()
            self._typing = None
        self.change(message.field.step(self.session.workload, message.direction), step=message.field.id)
        self.bar.show_error("")
        self.bar.set_text(message.field.show(self.session.workload))

    @on(WorkloadBar.Left)
    def _left(self) -> None:
        self.session.history.end_step()
        self.table.focus()
        self._show_lines()

    def action_pick_model(self) -> None:
        """Choose the model from a list."""
        self.app.push_screen(
            dialogs.model_picker(self.session.workload, ascii_only=self.app.ascii_only), self._model_picked
        )

    def _model_picked(self, name: str | None) -> None:
        if name is not None:
            self.change(inputs.read(inputs.BY_ID["model"], self.session.workload, name))

    def action_pick_preset(self) -> None:
        """Choose a preset from a list."""
        self.app.push_screen(
            dialogs.preset_picker(self.session.workload, ascii_only=self.app.ascii_only), self._preset_picked
        )

    def _preset_picked(self, name: str | None) -> None:
        if name is not None:
            self.change(inputs.read(inputs.BY_ID["preset"], self.session.workload, name))

    def action_step_quant(self, direction: int) -> None:
        """Weights in more or fewer bits."""
        self._step(inputs.step_quant(self.session.workload, direction))

    def action_scale_traffic(self, factor: float) -> None:
        """More or less traffic."""
        self._step(inputs.scale_traffic(self.session.workload, factor))

    def action_scale_prompt(self, factor: float) -> None:
        """Longer or shorter prompts."""
        self._step(inputs.scale_prompt(self.session.workload, factor))

    def _step(self, workload: Workload) -> None:
        self.change(workload)

    def action_undo(self) -> None:
        """The workload before."""
        if self.session.history.undo():
            self.recompute()
        else:
            self.notify("Nothing to undo.", timeout=2)

    def action_redo(self) -> None:
        """The workload that was undone."""
        if self.session.history.redo():
            self.recompute()
        else:
            self.notify("Nothing to redo.", timeout=2)

    # filter and order

    @property
    def filtering(self) -> bool:
        """True while the filter is typed."""
        return self.query_one("#filter-box").has_class("-open")

    def action_edit_filter(self) -> None:
        """Type a filter."""
        self._open_filter(is_open=True)
        field = self.query_one("#filter", Input)
        with field.prevent(Input.Changed):
            field.value = self.session.view.where
        field.focus()
        self._hint_filter()
        self._show_lines()

    def _open_filter(self, *, is_open: bool) -> None:
        self.query_one("#filter-box").set_class(is_open, "-open")
        self.query_one("#filter-hint").set_class(is_open, "-open")
        self.line("filter-line").display = not is_open and self.size.height >= 9

    @on(Input.Changed, "#filter")
    def _filter_typed(self, event: Input.Changed) -> None:
        if self._typing is not None:
            self._typing.stop()
        self._typing = self.set_timer(TYPING_PAUSE_S, lambda: self._use_filter(event.value))

    def _use_filter(self, text: str) -> None:
        self._typing = None
        fine = self.session.set_where(text)
        self.query_one("#filter", Input).set_class(not fine, "-invalid-value")
        self._hint_filter()
        if fine:
            self.session.arrange()
            self.show()

    def _hint_filter(self) -> None:
        hint = lines.filter_hint(self.session.where_error, self.app.tones, ascii_only=self.app.ascii_only)
        self.query_one("#filter-hint", Static).update(hint)

    @on(Input.Submitted, "#filter")
    def _filter_done(self, event: Input.Submitted) -> None:
        if self._typing is not None:
            self._typing.stop()
            self._use_filter(event.value)
        if not self.session.where_error:
            self._leave_filter()

    def _leave_filter(self) -> None:
        self._open_filter(is_open=False)
        self.query_one("#filter", Input).remove_class("-invalid-value")
        self.session.where_error = ""
        self.table.focus()
        self._show_lines()

    def _view(self, **changes: Any) -> None:
        self.session.set_view(self.session.view.changed(**changes))
        self.show()

    def action_cycle_fit(self) -> None:
        """All, those that hold the model, those that meet the targets."""
        self._view(fit=following(FITS, self.session.view.fit))

    def action_cycle_kind(self) -> None:
        """Any, GPU, CPU."""
        self._view(kind=following(KINDS, self.session.view.kind))

    def action_cycle_terms(self) -> None:
        """On-demand and monthly, all terms, everything."""
        self._view(terms=following(TERMS, self.session.view.terms))

    def sort_by(self, column: str) -> None:
        """Sort by a column; the active one again reverses."""
        self.session.set_view(self.session.view.sorted_by(column))
        self.show()

    def action_sort_menu(self) -> None:
        """Choose a column to sort by."""
        picker = dialogs.sort_picker(self.session.view, self.session.options.currency, ascii_only=self.app.ascii_only)
        self.app.push_screen(picker, lambda column: self.sort_by(column) if column else None)

    def action_sort_nth(self, number: int) -> None:
        """Sort by the n-th visible column."""
        visible = self.table.visible_columns
        if 0 < number <= len(visible):
            self.sort_by(visible[number - 1])

    def action_sort_neighbour(self, step: int) -> None:
        """Sort by the column to the left or right of the active one."""
        visible = self.table.visible_columns
        sort = self.session.view.sort
        if not visible:
            return
        place = visible.index(sort) + step if sort in visible else 0
        if 0 <= place < len(visible) and visible[place] in COLUMNS:
            self.sort_by(visible[place])

    # panes and dialogs

    def action_next_pane(self) -> None:
        """Table, details, and round."""
        pane = self.query_one("#details", TextPane)
        shown = not pane.has_class("-hidden") and not pane.has_class("-summary")
        if self.focused is self.table and shown:
            pane.focus()
        else:
            self.table.focus()

    def action_details(self) -> None:
        """The details on the full screen."""
        if self.session.rows is None or self.table.current is None:
            return
        screen = DetailsScreen(self.session.rows, self.table.cursor, self.app.tones, ascii_only=self.app.ascii_only)
        self.app.push_screen(screen, lambda position: self.table.go(position) if position is not None else None)

    def action_back(self) -> None:
        """Leave the filter, or clear it, or cancel a refresh, or go back to the table."""
        if self.filtering:
            self.session.set_where("")
            self._leave_filter()
            self.session.arrange()
            self.show()
        elif self.refreshing is not None:
            self.cancel_refresh.set()
            self.notify("Stopping the refresh; prices fetched so far are kept.", timeout=3)
        elif self.focused is not self.table:
            self.table.focus()
        elif self.session.view.filtered:
            self._view(where="", kind="any", fit="all")

    def action_help(self) -> None:
        """The help for where the focus is."""
        context = (
            "workload"
            if self.bar.editing
            else "filter"
            if self.filtering
            else "table"
            if self.focused is self.table
            else "details"
        )
        self.app.push_screen(dialogs.help_screen(context, self.app.tones, ascii_only=self.app.ascii_only))

    def action_open_source(self) -> None:
        """Open the page the price comes from."""
        if self.session.rows is not None and self.table.current is not None:
            open_source(self, self.session.rows.offer(self.table.current).source_url)

    def action_export(self) -> None:
        """Write a CSV file."""
        if self.session.rows is not None:
            self.app.push_screen(dialogs.export_screen(self.session, ascii_only=self.app.ascii_only), self._exported)

    def _exported(self, path: object) -> None:
        if path is not None:
            self.notify(f"Wrote {path}", timeout=8, markup=False)

    # refresh

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
