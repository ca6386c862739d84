"""Going to an offer by a part of its name, without hiding the others."""

from __future__ import annotations

import numpy as np
from textual import on
from textual.widgets import Input, Static

from tui.filter_line import said
from tui.keys import hints
from tui.screens.base import DashboardBase
from tui.widgets.filter_input import JumpInput


class JumpKeys(DashboardBase):
    """The jump line: the cursor follows what is typed."""

    _jump_from = 0
    """The line the cursor was on."""
    _matches: np.ndarray = np.empty(0, dtype=np.intp)
    """Lines whose server or provider holds what is typed."""

    def action_jump(self) -> None:
        """Type a part of a name."""
        if self.session.rows is None or not len(self.session.rows):
            return
        self._jump_from = self.table.cursor
        self._open_jump(is_open=True)
        field = self.query_one("#jump", JumpInput)
        with field.prevent(Input.Changed):
            field.value = ""
        self._find("")
        field.focus()
        self._show_lines()

    def _open_jump(self, *, is_open: bool) -> None:
        self.query_one("#jump-box").set_class(is_open, "-open")
        self.line("filter-line").display = not is_open and self.size.height >= 9

    @on(Input.Changed, "#jump")
    def _jump_typed(self, event: Input.Changed) -> None:
        if self.jumping:
            self._find(event.value)

    def _find(self, typed: str) -> None:
        """Go to the first match at or below the place the jump started from."""
        rows, words = self.session.rows, typed.casefold().split()
        self._matches = np.empty(0, dtype=np.intp)
        if rows is not None and words:
            names = rows.texts.names
            self._matches = np.array(
                [at for at, i in enumerate(rows.order.tolist()) if all(word in names[i] for word in words)],
                dtype=np.intp,
            )
        if len(self._matches):
            below = self._matches[self._matches >= self._jump_from]
            self.table.go(int(below[0] if len(below) else self._matches[0]))
        else:
            self.table.go(self._jump_from)
        self._say_place(typed)

    def _say_place(self, typed: str) -> None:
        if len(self._matches):
            place = int(np.searchsorted(self._matches, self.table.cursor)) + 1
            text = f"{place:,} of {len(self._matches):,}  {hints(('other matches', 'jump.previous', 'jump.next'))}"
        else:
            text = "! in no name of the table" if typed.strip() else "a part of a server's or a provider's name"
        tone = "miss" if text.startswith("!") else "muted"
        shown = said(text, tone, self.app.tones, ascii_only=self.app.ascii_only)
        self.query_one("#jump-said", Static).update(shown)

    @on(JumpInput.Step)
    def _other_match(self, message: JumpInput.Step) -> None:
        if not len(self._matches):
            return
        place = int(np.searchsorted(self._matches, self.table.cursor)) + message.step
        self.table.go(int(self._matches[place % len(self._matches)]))
        self._say_place(self.query_one("#jump", JumpInput).value)

    @on(Input.Submitted, "#jump")
    def _jump_done(self) -> None:
        self.leave_jump(keep=True)

    def leave_jump(self, *, keep: bool) -> None:
        """Stay on the match, or go back to where the jump started."""
        if not self.jumping:
            return
        self._open_jump(is_open=False)
        if not keep:
            self.table.go(self._jump_from)
        self.table.focus()
        self._show_lines()
