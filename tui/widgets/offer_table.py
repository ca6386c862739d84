"""The table of offers: paints only the visible lines, so that its speed does not depend on how many offers there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.geometry import Region, Size
from textual.message import Message

from tui.column_layout import USUAL, Placed, layout
from tui.guard import Painted
from tui.keys import bindings
from tui.widgets.header_drag import HEADER, HeaderDrag
from tui.widgets.offer_lines import Paint

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.style import Style
    from textual import events
    from textual.binding import BindingType
    from textual.strip import Strip

    from tui.columns import Column
    from tui.rows import Rows

WIDE = 165
"""Terminal columns from which the longer forms of cells are shown."""


class OfferTable(Painted, HeaderDrag, can_focus=True, inherit_bindings=False):
    """Offers in order, one a line; the cursor stays on its offer when the order changes."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("table")]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "offer-table--header",
        "offer-table--cursor",
        "offer-table--cursor-blurred",
    }

    @dataclass
    class Highlighted(Message):
        """The cursor is on another offer, or on none."""

        def can_replace(self, message: Message) -> bool:
            """Only the last place of a moving cursor matters."""
            return isinstance(message, OfferTable.Highlighted)

    @dataclass
    class Opened(Message):
        """An offer was double-clicked."""

    @dataclass
    class SortRequested(Message):
        """A header was clicked."""

        column: str

    def __init__(self, *, ascii_only: bool = False, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.paint = Paint(ascii_only=ascii_only)
        self.rows: Rows | None = None
        self.message: list[str] = []
        self.cursor = 0
        self.column_offset = 0
        self.sort = ""
        self.descending = False
        self.currency = "USD"
        self.columns: tuple[Column, ...] = USUAL
        self.widths: dict[str, int] = {}
        self.unit = "per_million"
        self.marked: frozenset[str] = frozenset()
        self.carried = False
        """A new order took the cursor with its offer, off the first page."""
        self._followed: str | None = None
        self._strips: dict[tuple[int, bool], Strip] = {}
        self._table_width = 0

    # content

    def show(self, rows: Rows, *, sort: str, descending: bool, currency: str, message: list[str] | None = None) -> None:
        """Show a new order at once; a cursor that was placed on an offer stays on it, on the same line of the screen."""
        before = self.cursor - self.scroll_offset.y
        self.rows, self.sort, self.descending, self.currency = rows, sort, descending, currency
        self.message = message or []
        followed = rows.position(self._followed) if self._followed is not None else None
        at = self.cursor if followed is None else followed
        self.carried = followed is not None and followed >= self.page_size and (self.carried or followed != self.cursor)
        self.cursor = max(0, min(at, len(rows) - 1))
        self._strips.clear()
        self.virtual_size = Size(self._table_width, len(rows) + HEADER)
        if followed is not None:
            self.scroll_to(y=max(0, followed - before), animate=False, force=True)
        self._keep_visible()
        self.refresh()
        self.post_message(self.Highlighted())

    def set_columns(self, columns: tuple[Column, ...], *, widths: dict[str, int], unit: str) -> None:
        """Show these columns."""
        if (columns, widths, unit) != (self.columns, self.widths, self.unit):
            self.columns, self.widths, self.unit = columns, widths, unit
            self._arrange()

    def mark(self, offer_ids: Iterable[str]) -> None:
        """Show these offers as marked."""
        marked = frozenset(offer_ids)
        if marked != self.marked:
            self.marked = marked
            self._strips.clear()
            self.refresh()

    @property
    def placed(self) -> list[Placed]:
        """The columns on the screen."""
        return self.paint.layout.placed

    @property
    def current(self) -> int | None:
        """The offer under the cursor."""
        return self.rows.index(self.cursor) if self.rows is not None and len(self.rows) else None

    @property
    def visible_columns(self) -> list[str]:
        """Ids of the columns on the screen, from left to right."""
        return [place.column.id for place in self.placed]

    @property
    def hidden_columns(self) -> tuple[bool, bool]:
        """Whether columns wait to the left and to the right."""
        return self.paint.layout.left, self.paint.layout.right

    @property
    def page_size(self) -> int:
        """Offers on the screen."""
        return max(1, self.scrollable_content_region.height - HEADER)

    def restyle(self, tones: dict[str, Style]) -> None:
        """Take the colours of another theme."""
        self.paint.tones = tones
        self._strips.clear()
        self.refresh()

    # moving

    def go(self, position: int) -> None:
        """Put the cursor on a line; on the first one the top of the list is kept, whatever comes to be there."""
        if self.rows is None or not len(self.rows):
            return
        position = max(0, min(position, len(self.rows) - 1))
        # Whoever looks at the first line, or comes back from its details, wants the best answer, not that one offer.
        self._followed = self.rows.offer(self.rows.index(position)).offer_id if position else None
        self.carried = False
        if position == self.cursor:
            return
        old, self.cursor = self.cursor, position
        self._keep_visible()
        for line in (old, position):
            self._refresh_row(line)
        self.post_message(self.Highlighted())

    def action_move(self, step: int) -> None:
        """A line up or down."""
        self.go(self.cursor + step)

    def action_page(self, step: int) -> None:
        """A page up or down."""
        self.go(self.cursor + step * self.page_size)

    def action_first(self) -> None:
        """To the first offer."""
        self.go(0)

    def action_last(self) -> None:
        """To the last offer."""
        if self.rows is not None:
            self.go(len(self.rows) - 1)

    def action_scroll_columns(self, step: int) -> None:
        """One column to the left or right; the first one stays."""
        if not self.hidden_columns[step > 0]:
            return
        self.column_offset += step
        self._arrange()

    def _keep_visible(self) -> None:
        top, page = self.scroll_offset.y, self.page_size
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False, force=True)
        elif self.cursor >= top + page:
            self.scroll_to(y=self.cursor - page + 1, animate=False, force=True)

    def _refresh_row(self, position: int) -> None:
        y = position - self.scroll_offset.y + HEADER
        if HEADER <= y < self.size.height:
            self.refresh(Region(0, y, self.size.width, 1))

    # events

    def on_resize(self) -> None:
        """Choose the columns anew."""
        self._arrange()
        self._keep_visible()

    def on_focus(self) -> None:
        """The cursor is bright only where keys go."""
        self._strips.clear()
        self.refresh()

    on_blur = on_focus

    def on_click(self, event: events.Click) -> None:
        """A header sorts, a line is selected, a double click opens the details."""
        offset = event.get_content_offset(self)
        if offset is None or self._dragging:
            return
        if offset.y < HEADER:
            column = self.column_at(offset.x)
            if column:
                self.post_message(self.SortRequested(column))
            return
        position = self.scroll_offset.y + offset.y - HEADER
        if self.rows is None or position >= len(self.rows):
            return
        self.go(position)
        if event.chain == 2:
            self.post_message(self.Opened())

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Three lines down."""
        event.stop()
        event.prevent_default()
        self.scroll_to(y=self.scroll_offset.y + 3, animate=False, force=True)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Three lines up."""
        event.stop()
        event.prevent_default()
        self.scroll_to(y=max(0, self.scroll_offset.y - 3), animate=False, force=True)

    def column_at(self, x: int) -> str | None:
        """The column whose header is at a place; the lead belongs to the first."""
        for place in reversed(self.placed):
            if x >= place.x - 1:
                return place.column.id
        return self.placed[0].column.id if self.placed else None

    # painting

    def _arrange(self) -> None:
        self._table_width = self.scrollable_content_region.width
        wide = self.app.size.width >= WIDE
        while True:
            self.paint.layout = layout(
                self._table_width, self.column_offset, self.columns, widths=self.widths, unit=self.unit, wide=wide
            )
            if not self.column_offset or self.paint.layout.left:
                break
            self.column_offset = 0
        self._strips.clear()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One line of the screen: the header, an offer, or part of the explanation why there is none."""
        width = self.scrollable_content_region.width
        if width != self._table_width:
            self._arrange()
        if y < HEADER:
            base = self.get_component_rich_style("offer-table--header")
            return self.paint.header(base, width, currency=self.currency, sort=self.sort, descending=self.descending)
        position = self.scroll_offset.y + y - HEADER
        if self.rows is not None and position < len(self.rows):
            key = (position, position == self.cursor)
            strip = self._strips.get(key)
            if strip is None:
                if len(self._strips) > 4096:
                    self._strips.clear()
                strip = self._strips[key] = self._offer(position, width)
            return strip
        line = y - HEADER
        message = self.message if self.rows is not None and not len(self.rows) else []
        text = message[line - 1] if 1 <= line <= len(message) else ""
        return self.paint.explanation(text, self.rich_style, width, first=line == 1)

    def _offer(self, position: int, width: int) -> Strip:
        rows = self.rows
        assert rows is not None  # noqa: S101 - callers have checked
        i = rows.index(position)
        selected = position == self.cursor
        base = self.rich_style
        if selected:
            name = "offer-table--cursor" if self.has_focus else "offer-table--cursor-blurred"
            base += self.get_component_rich_style(name)
        marked = rows.offer(i).offer_id in self.marked
        return self.paint.offer(rows, i, base, width, selected=selected, marked=marked)
