"""The main screen: workload, verdict, filter, table, details, and every key's action."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import on

from tui import format as fmt
from tui import lines
from tui.keys import bindings
from tui.screens.advice_keys import AdviceKeys
from tui.screens.alternative_keys import AlternativeKeys
from tui.screens.choice_keys import ChoiceKeys
from tui.screens.column_keys import ColumnKeys
from tui.screens.copy_keys import CopyKeys
from tui.screens.details_screen import DetailsScreen, open_source
from tui.screens.filter_keys import FilterKeys
from tui.screens.jump_keys import JumpKeys
from tui.screens.keep_keys import KeepKeys
from tui.screens.mark_keys import MarkKeys
from tui.screens.plot_keys import PlotKeys
from tui.screens.refresh_keys import RefreshKeys
from tui.screens.workload_keys import WorkloadKeys
from tui.state import TERMS
from tui.widgets.offer_table import OfferTable

if TYPE_CHECKING:
    from pathlib import Path

    from textual.binding import BindingType


class Dashboard(
    WorkloadKeys,
    FilterKeys,
    ColumnKeys,
    JumpKeys,
    RefreshKeys,
    PlotKeys,
    MarkKeys,
    CopyKeys,
    AlternativeKeys,
    AdviceKeys,
    KeepKeys,
    ChoiceKeys,
):
    """Prices and one workload, compared live."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("dashboard")]

    def on_mount(self) -> None:
        """Paint the frame, then read the prices in a thread."""
        self.set_class(self.app.ascii_only, "-ascii")
        self.restyle(self.app.tones)
        self.table.focus()
        self.bar.border_title = "Workload"
        self.bar.border_subtitle = Text(lines.workload_keys(self.app.ascii_only))  # [ and ] are keys, no markup
        self._show_lines()
        self._hold_painting()
        self._load()

    # the table's messages

    @on(OfferTable.Highlighted)
    def _highlighted(self) -> None:
        touring = self.touring
        self._moved = self._moved or self.table.cursor > 0
        if touring:
            self.show_header()
        self._show_status()
        self._show_details()
        self.show_plot(moved=True)

    @on(OfferTable.Opened)
    def _opened(self) -> None:
        self.action_details()

    # panes and dialogs

    def action_details(self) -> None:
        """The details on the full screen."""
        if self.session.rows is None or self.table.current is None:
            return
        screen = DetailsScreen(self.session.rows, self.table.cursor, self.app.tones, ascii_only=self.app.ascii_only)
        self.app.push_screen(screen, lambda position: self.table.go(position) if position is not None else None)

    def action_back(self) -> None:
        """Leave the filter, or clear it, or cancel a refresh, or go back to the table."""
        if self.jumping:
            self.leave_jump(keep=False)
        elif self.filtering:
            self.clear_filter()
        elif self.zoomed is not None:
            self.zoom(None)
        elif self.refreshing is not None:
            self.stop_refresh()
        elif self.focused is not self.table:
            self.table.focus()
        elif self.session.view.filtered or self.session.view.terms != TERMS[0]:
            self.clear_filter()

    @property
    def where(self) -> str:
        """Where the focus is, for the help: one of WHERES."""
        if self.bar.editing:
            return "workload"
        return "filter" if self.filtering else "jump" if self.jumping else getattr(self.focused, "where", "table")

    def action_open_source(self) -> None:
        """Open the page the price comes from."""
        if self.session.rows is not None and self.table.current is not None:
            open_source(self, self.session.rows.offer(self.table.current).source_url)

    def action_export(self) -> None:
        """Write the table to a file."""
        from tui.screens.export import ExportScreen

        if self.session.rows is not None:
            self.app.push_screen(ExportScreen(self.session, ascii_only=self.app.ascii_only), self._exported)

    def _exported(self, written: tuple[int, Path] | None) -> None:
        if written is not None:
            count, path = written
            self.notify(f"Wrote {fmt.few(count, 'row')} to {path.name} in {path.parent}", timeout=8)
