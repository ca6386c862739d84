"""A scrolling pane of toned lines: details, help, reports."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tui import format as fmt
from tui.guard import Painted
from tui.keys import bindings

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.binding import BindingType

    from tui.text import TextLine


class TextPane(Painted, ScrollView, can_focus=True, inherit_bindings=False):
    """Lines of (text, tone) spans, made anew for the pane's width."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("text")]
    where: ClassVar[str] = "pane"
    """Whose keys the help shows where this has the focus: one of WHERES."""

    def __init__(self, *, id: str | None = None, ascii_only: bool = False) -> None:  # noqa: A002
        super().__init__(id=id)
        self.ascii_only = ascii_only
        self.tones: dict[str, Style] = {}
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

    def restyle(self, tones: dict[str, Style]) -> None:
        """Take the colours of another theme."""
        self.tones = tones
        self.refresh()

    @property
    def plain(self) -> str:
        """All lines as text."""
        return "\n".join("".join(text for text, _ in line).rstrip() for line in self.lines)

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
        segments = []
        for text, tone in self.lines[index]:
            shown = fmt.clean(text)
            segments.append(Segment(fmt.to_ascii(shown) if self.ascii_only else shown, self.tones.get(tone) or Style()))
        return Strip(segments).adjust_cell_length(width).apply_style(self.rich_style)
