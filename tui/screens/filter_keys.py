"""Keys that choose what the table shows and in which order."""

from __future__ import annotations

from typing import Any

from textual import on
from textual.widgets import Input, Static

from tui import lines
from tui.columns import BY_ID as COLUMNS
from tui.screens import dialogs
from tui.screens.base import DashboardBase
from tui.screens.workload_keys import TYPING_PAUSE_S
from tui.state import FITS, KINDS, TERMS, following


class FilterKeys(DashboardBase):
    """The filter line, type, fit, terms, and sorting."""

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
