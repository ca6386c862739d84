"""The table of offers: paints only the visible lines, so that its speed does not depend on how many offers there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tui import format as fmt
from tui.columns import LEAD, Cell, Placed, layout
from tui.keys import BINDINGS as KEYS
from tui.keys import TABLE_ACTIONS, textual_bindings

if TYPE_CHECKING:
    from textual import events
    from textual.binding import BindingType

    from tui.rows import Rows

HEADER = 1
"""Lines above the first offer."""


class _Run:
    """Collects text, joining neighbours of one style: half the escape sequences that a terminal far away must read."""

    def __init__(self) -> None:
        self._parts: list[tuple[str, Style]] = []

    def add(self, text: str, style: Style) -> None:
        """Append a text."""
        if self._parts and self._parts[-1][1] == style:
            self._parts[-1] = (self._parts[-1][0] + text, style)
        elif text:
            self._parts.append((text, style))

    def segments(self) -> list[Segment]:
        """What was collected."""
        return [Segment(text, style) for text, style in self._parts]


class OfferTable(ScrollView, can_focus=True, inherit_bindings=False):
    """Offers in order, one a line; the cursor stays on its offer when the order changes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *textual_bindings(tuple(key for key in KEYS if key.action.partition("(")[0] in TABLE_ACTIONS))
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "offer-table--header",
        "offer-table--cursor",
        "offer-table--cursor-blurred",
    }

    @dataclass
    class Highlighted(Message):
        """The cursor is on another offer; None where the table is empty."""

        index: int | None

        def can_replace(self, message: Message) -> bool:
            """Only the last place of a moving cursor matters."""
            return isinstance(message, OfferTable.Highlighted)

    @dataclass
    class Opened(Message):
        """An offer was double-clicked."""

        index: int

    @dataclass
    class SortRequested(Message):
        """A header was clicked."""

        column: str

    def __init__(self, *, ascii_only: bool = False, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.ascii_only = ascii_only
        self.rows: Rows | None = None
        self.message: list[str] = []
        self.cursor = 0
        self.column_offset = 0
        self.sort = ""
        self.descending = False
        self.currency = "USD"
        self.tones: dict[str, Style] = {}
        self.placed: list[Placed] = []
        self._followed: str | None = None
        self._more_left = self._more_right = False
        self._strips: dict[tuple[int, bool], Strip] = {}
        self._table_width = 0

    # content

    def show(self, rows: Rows, *, sort: str, descending: bool, currency: str, message: list[str] | None = None) -> None:
        """Show a new order at once; a cursor that was placed on an offer stays on it, on the same line of the screen."""
        before = self.cursor - self.scroll_offset.y
        self.rows, self.sort, self.descending, self.currency = rows, sort, descending, currency
        self.message = message or []
        followed = rows.position(self._followed) if self._followed is not None else None
        self.cursor = max(0, min(self.cursor if followed is None else followed, len(rows) - 1))
        self._strips.clear()
        self.virtual_size = Size(self._table_width, len(rows) + HEADER)
        if followed is not None:
            self.scroll_to(y=max(0, followed - before), animate=False, force=True)
        self._keep_visible()
        self.refresh()
        self.post_message(self.Highlighted(self.current))

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
        return self._more_left, self._more_right

    @property
    def page_size(self) -> int:
        """Offers on the screen."""
        return max(1, self.scrollable_content_region.height - HEADER)

    def restyle(self, tones: dict[str, Style]) -> None:
        """Take the colours of another theme."""
        self.tones = tones
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
        if position == self.cursor:
            return
        old, self.cursor = self.cursor, position
        self._keep_visible()
        for line in (old, position):
            self._refresh_row(line)
        self.post_message(self.Highlighted(self.current))

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
        if (step < 0 and not self._more_left) or (step > 0 and not self._more_right):
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
        if offset is None:
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
            self.post_message(self.Opened(self.rows.index(position)))

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
        self.placed, self._more_left, self._more_right = layout(self._table_width, self.column_offset)
        while self.column_offset and not self._more_left:
            self.column_offset = 0
        self._strips.clear()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One line of the screen: the header, an offer, or part of the explanation why there is none."""
        width = self.scrollable_content_region.width
        if width != self._table_width:
            self._arrange()
        if y < HEADER:
            return self._header(width)
        position = self.scroll_offset.y + y - HEADER
        if self.rows is not None and position < len(self.rows):
            key = (position, position == self.cursor)
            strip = self._strips.get(key)
            if strip is None:
                if len(self._strips) > 4096:
                    self._strips.clear()
                strip = self._strips[key] = self._offer(position, width)
            return strip
        return self._explanation(y - HEADER, width)

    def _tone(self, name: str) -> Style:
        return self.tones.get(name) or Style()

    def _text(self, text: str) -> str:
        return fmt.to_ascii(text) if self.ascii_only else text

    def _header(self, width: int) -> Strip:
        base = self.get_component_rich_style("offer-table--header")
        active = base + self._tone("accent")
        left = "‹" if self._more_left else " "
        segments = [Segment(self._text(f"{left}{' ' * (LEAD - 1)}"), base)]
        sign, used = fmt.symbol(self.currency), LEAD
        for place in self.placed:
            column = place.column
            title = self._text(column.title(sign))
            sorted_by = column.id == self.sort
            arrow = ("↓" if self.descending else "↑") if sorted_by else ""
            if place.x > used:
                segments.append(Segment(" " * (place.x - used), base))
            text = self._title(title, arrow, place)
            segments.append(Segment(self._text(text), active if sorted_by else base))
            used = place.x + place.width
        if used < width:
            more = "›" if self._more_right else " "
            segments.append(Segment(self._text(" " * (width - used - 1) + more), base))
        return Strip(segments, width).crop(0, width)

    @staticmethod
    def _title(title: str, arrow: str, place: Placed) -> str:
        if not place.column.right:
            room = place.width - len(arrow)
            return fmt.fit_width((title if len(title) <= room else fmt.fit_width(title, room)) + arrow, place.width)
        # The arrow takes the place of the mark, or stands before the title.
        if place.column.marked:
            return fmt.fit_width(title, place.width - 1, right=True) + (arrow or " ")
        room = place.width - len(arrow)
        return fmt.fit_width(
            arrow + (title if len(title) <= room else fmt.fit_width(title, room)), place.width, right=True
        )

    def _offer(self, position: int, width: int) -> Strip:
        rows = self.rows
        assert rows is not None  # noqa: S101 - callers have checked
        i = rows.index(position)
        selected = position == self.cursor
        base = self.rich_style
        if selected:
            name = "offer-table--cursor" if self.has_focus else "offer-table--cursor-blurred"
            base += self.get_component_rich_style(name)
        gpu = rows.offer(i).kind == "gpu"
        line = _Run()
        line.add(self._text("▸" if selected else " "), base + self._tone("accent"))
        line.add(self._text("● " if gpu else "○ "), base + self._tone("gpu" if gpu else "cpu"))
        used = LEAD
        for place in self.placed:
            cell = place.column.cell(rows, i)
            gap = " " * max(place.x - used, 0)
            line.add(gap + self._cell(cell, place), base + self._tone(cell.tone))
            used = place.x + place.width
        if used < width:
            line.add(" " * (width - used), base)
        return Strip(line.segments(), max(used, width)).crop(0, width)

    def _cell(self, cell: Cell, place: Placed) -> str:
        text, mark = cell.text, cell.mark
        if self.ascii_only:
            words = text.replace("✓ ", "ok").replace("✗ ", "NO")  # a letter alone would not say it
            text, mark = fmt.to_ascii(words), fmt.to_ascii(mark)
        room = place.width - (1 if place.column.marked else 0)
        ellipsis = "~" if self.ascii_only else fmt.ELLIPSIS
        if place.column.tail is not None:
            text = fmt.shorten_middle(text, room, tail=place.column.tail, ellipsis=ellipsis)
        text = fmt.fit_width(text, room, right=place.column.right, ellipsis=ellipsis)
        return text + (mark or " ") if place.column.marked else text

    def _explanation(self, line: int, width: int) -> Strip:
        text = ""
        if self.rows is not None and not len(self.rows) and 1 <= line <= len(self.message):
            text = self.message[line - 1]
        style = self._tone("miss" if line == 1 else "muted")
        return Strip([Segment(self._text(fmt.fit_width("  " + text, width)), self.rich_style + style)], width)
