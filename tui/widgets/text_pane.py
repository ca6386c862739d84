"""A scrolling pane of toned lines: details, help, reports."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tui.keys import bindings
from tui.widgets.toned import Toned, plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.binding import BindingType

    from tui.text import TextLine


class TextPane(Toned, ScrollView, can_focus=True, inherit_bindings=False):
    """Lines of (text, tone) spans, made anew for the pane's width."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("text")]
    where: ClassVar[str] = "pane"
    """Whose keys the help shows where this has the focus: one of WHERES."""

    def __init__(self, *, id: str | None = None, ascii_only: bool = False) -> None:  # noqa: A002
        super().__init__(id=id, ascii_only=ascii_only)
        self.lines: list[TextLine] = []
        self._make: Callable[[int], list[TextLine]] = lambda width: []  # noqa: ARG005
        self._made_for = -1

    def show(self, make: Callable[[int], list[TextLine]], *, keep_place: bool = True) -> None:
        """Show what `make(width)` gives; called again when the width changes."""
        self._make = make
        self._made_for = -1
        if not keep_place:
            self.scroll_to(y=0, animate=False, force=True)
        self._remake()

    @property
    def plain(self) -> str:
        """All lines as text."""
        return plain(self.lines)

    def on_resize(self) -> None:
        """Wrap anew."""
        self._remake()

    def _remake(self) -> None:
        width = self.scrollable_content_region.width
        if width <= 0:
            return
        if width == self._made_for:
            self.refresh()
            return
        before, scrolled = self.lines, self.scroll_offset.y
        self._made_for = width
        self.lines = self._make(width)
        self.virtual_size = Size(width, len(self.lines))
        if scrolled or self.scroll_offset.y:
            self.refresh()
            return
        # Lines that stay as they were are not sent again.
        for y in range(max(len(before), len(self.lines))):
            if before[y : y + 1] != self.lines[y : y + 1]:
                self.refresh(Region(0, y, self.size.width, 1))

    def render_line(self, y: int) -> Strip:
        """One visible line."""
        width = self.scrollable_content_region.width
        index = self.scroll_offset.y + y
        if index >= len(self.lines):
            return Strip.blank(width, self.rich_style)
        return self.strip(self.lines[index], width).apply_style(self.rich_style)
