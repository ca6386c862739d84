"""Keys that mark offers and set the marked ones side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui import format as fmt
from tui.keys import first
from tui.screens.base import DashboardBase
from tui.screens.dialog import on_top

if TYPE_CHECKING:
    from tui.rows import Rows


class MarkKeys(DashboardBase):
    """Marking, unmarking, comparing."""

    def action_mark(self) -> None:
        """Mark the offer or take its mark away, and go down one."""
        rows, i = self.session.rows, self.table.current
        if rows is None or i is None:
            return
        offer_id, marks = rows.offer(i).offer_id, self.session.marks
        if offer_id in marks:
            marks.remove(offer_id)
        else:
            marks.append(offer_id)
        self.table.action_move(1)
        self.show_marks()

    def action_clear_marks(self) -> None:
        """No offer is marked any more."""
        if self.session.marks:
            self.session.marks.clear()
            self.show_marks()
        else:
            self.notify(f"Nothing is marked; {first('mark.toggle')} marks the offer under the cursor.", timeout=3)

    def show_marks(self) -> None:
        """Paint the marks."""
        self.table.mark(self.session.marks)
        self._show_status()
        self.show_plot()

    def action_compare(self) -> None:
        """The marked offers side by side; with one or none of them, this one and the next."""
        from tui.screens.compare_screen import CompareScreen

        rows = self.session.rows
        if rows is None or self.table.current is None or not on_top(self):
            return
        chosen, said = self.compared(rows)
        if len(chosen) < 2:
            self.notify("There is only one offer: nothing to compare it with.", timeout=3)
            return
        screen = CompareScreen(rows, chosen, self.session.marks, self.app.tones, ascii_only=self.app.ascii_only)
        self.app.push_screen(screen, lambda _: self.show_marks())
        if said:
            self.notify(said, timeout=6)

    def compared(self, rows: Rows) -> tuple[list[int], str]:
        """(the offers to compare, what to say about the choice)."""
        marked = self.session.marked()
        gone = len(self.session.marks) - len(marked)
        said = f"{fmt.few(gone, 'marked offer')} no longer in the prices." if gone else ""
        if len(marked) >= 2:
            return marked, said
        at = self.table.cursor
        near = [rows.index(place) for place in (at, at + 1, at - 1) if 0 <= place < len(rows)]
        pair = [*marked, *(i for i in near if i not in marked)][:2]
        known = "One is marked; beside it one at the cursor" if marked else "Nothing is marked: this one and the next"
        return pair, f"{known}. Mark: {first('mark.toggle')}"
