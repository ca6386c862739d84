"""The editor that moves over the field of the workload that is being changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from rich.cells import cell_len
from textual.widgets import Input

from tui.guard import Guarded
from tui.keys import bindings

if TYPE_CHECKING:
    from textual.binding import BindingType

    from tui.widgets.workload_bar import WorkloadBar
    from tui.widgets.workload_layout import Spot


BEHIND = 2
"""Cells that Textual's editor wants behind a text before it scrolls."""
DOWN, UP = "‹", "›"
"""Arrows beside the field in work: a click steps its value down or up."""


class FieldInput(Guarded, Input):
    """The editor of one field: Tab goes on, arrows step the value, enter keeps it, escape takes it back."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("workload")]

    @property
    def reach(self) -> tuple[int, int]:
        """The columns of the bar that it covers, from and to."""
        start, width = int(self.styles.offset.x.value), self.styles.width
        return start, start + (int(width.value) if width is not None else 0)

    @property
    def arrows(self) -> tuple[int, int]:
        """The columns of the two arrows: the cell behind the field's label and the one behind the editor."""
        start, end = self.reach
        return start - 1, end

    def place(self, spot: Spot, room: int) -> None:
        """Stand over a field's value, in the field's own cells; a longer text is seen whole, over the fields beside it."""
        start, needed = spot.x + spot.label, cell_len(self.value) + BEHIND
        # The arrow keeps away from the next label where it can; at the end of a line the text scrolls.
        self.styles.width = max(min(max(spot.value - (needed < spot.value), needed), room - 1 - start), 1)
        self.styles.offset = (start, spot.y)

    def action_field(self, step: int) -> None:
        """To the next field."""
        self._bar.edit_next(step)

    def action_step(self, direction: int) -> None:
        """The next value up or down."""
        self._bar.step_value(direction)

    def action_keep(self) -> None:
        """Back to the table with what was typed."""
        self._bar.finish(keep=True)

    def action_cancel(self) -> None:
        """Back to the table with the value from before."""
        self._bar.finish(keep=False)

    @property
    def _bar(self) -> WorkloadBar:
        return cast("WorkloadBar", self.parent)  # it is only ever composed there
