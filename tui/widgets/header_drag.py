"""Dragging the right border of a table's header changes the width of its column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message
from textual.scroll_view import ScrollView

from tui.columns import clamp_width

if TYPE_CHECKING:
    from textual import events

    from tui.column_layout import Placed

HEADER = 1
"""Lines above the first row."""


class HeaderDrag(ScrollView):
    """A table whose columns are as wide as the mouse says."""

    widths: dict[str, int]
    _dragged: Placed | None = None
    """The column whose border the mouse holds."""
    _dragging = False
    """Whether it was moved: then the click that ends it is none."""

    @dataclass
    class Resized(Message):
        """A header's border was dragged."""

        column: str
        width: int

    @property
    def placed(self) -> list[Placed]:
        """The columns on the screen."""
        raise NotImplementedError

    def _arrange(self) -> None:
        raise NotImplementedError

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of a header's right border."""
        offset = event.get_content_offset(self)
        self._dragging = False
        if offset is not None and offset.y < HEADER:
            self._dragged = next((place for place in self.placed if place.x + place.width == offset.x), None)
            if self._dragged is not None:
                self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Make the column as wide as the mouse says."""
        if self._dragged is None or event.button == 0:
            return
        wanted = event.screen_offset.x - self.region.x - self._dragged.x
        width = clamp_width(self._dragged.column, wanted)
        if width != self.widths.get(self._dragged.column.id, self._dragged.width):
            self._dragging = True
            self.widths = self.widths | {self._dragged.column.id: width}
            self._arrange()

    def on_mouse_up(self) -> None:
        """Let go of the border."""
        self.release_mouse()
        place, self._dragged = self._dragged, None
        if place is not None and self._dragging:
            self.post_message(self.Resized(place.column.id, self.widths[place.column.id]))
