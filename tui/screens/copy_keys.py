"""Keys that copy offers of the table."""

from __future__ import annotations

from tui import format as fmt
from tui.screens.base import DashboardBase
from tui.screens.clipboard import copy


class CopyKeys(DashboardBase):
    """Rows for a spreadsheet, a table for a text."""

    def action_copy_row(self) -> None:
        """The offer under the cursor, tab-separated, with its header."""
        from tui.copying import tsv

        rows, i = self.session.rows, self.table.current
        if rows is not None and i is not None:
            copy(self, tsv(rows, [i]), "the row with its header, tab-separated")

    def action_copy_table(self) -> None:
        """The marked offers, or the one under the cursor, as a Markdown table."""
        from tui.copying import markdown

        rows, i = self.session.rows, self.table.current
        if rows is None or i is None:
            return
        chosen = self.session.marked() or [i]
        copy(self, markdown(rows, chosen), f"{fmt.few(len(chosen), 'offer')} as a Markdown table")
