"""Keys that choose the table's order and its columns."""

from __future__ import annotations

from textual import on

from tui.columns import BY_ID, COSTS
from tui.screens import dialogs
from tui.screens.base import DashboardBase
from tui.state import ViewState, following
from tui.widgets.offer_table import OfferTable


class ColumnKeys(DashboardBase):
    """Sorting, the column chooser, the cost unit, widths."""

    def sort_by(self, column: str) -> None:
        """Sort by a column; the active one again reverses."""
        self.session.view = self.session.view.sorted_by(column)
        self.rearrange()

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
        if 0 <= place < len(visible):
            self.sort_by(visible[place])

    @on(OfferTable.SortRequested)
    def _sort_requested(self, message: OfferTable.SortRequested) -> None:
        self.sort_by(message.column)

    def action_cycle_unit(self) -> None:
        """The next cost: of a million tokens, a month, an hour; an order by cost follows."""
        view = self.session.view
        unit = following(COSTS, view.unit)
        changes = {"sort": unit} if view.sort in COSTS else {}
        # A cost that came with the unit only goes with it.
        columns = tuple(name for name in view.columns if name != view.unit or not BY_ID[name].optional)
        self.session.view = view.changed(unit=unit, columns=columns, **changes)
        self.rearrange()

    def action_choose_columns(self) -> None:
        """Choose the columns; the table behind follows."""
        from tui.screens.column_screen import ColumnScreen

        if self.session.rows is not None:
            sign = self.session.options.currency
            screen = ColumnScreen(self.session.view, self._columns_changed, sign, ascii_only=self.app.ascii_only)
            self.app.push_screen(screen)

    def _columns_changed(self, view: ViewState) -> dict[str, int]:
        """Show the columns; the widths of those that have room."""
        changed = self.session.view.changed(columns=view.columns, widths=view.widths)
        if changed != self.session.view:
            self.session.view = changed
            self.show()
        return {place.column.id: place.width for place in self.table.placed}

    @on(OfferTable.Resized)
    def _resized(self, message: OfferTable.Resized) -> None:
        widths = dict(self.session.view.widths) | {message.column: message.width}
        self.session.view = self.session.view.changed(widths=tuple(widths.items()))
        self.show()
