"""A list of one-line choices; lines are shortened, never wrapped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tui import format as fmt
from tui.guard import Painted
from tui.keys import bindings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.binding import BindingType


@dataclass(frozen=True, slots=True)
class Choice:
    """One line of a list."""

    id: str
    text: str
    """As shown, in columns."""
    words: str = ""
    """What typing is compared with; the text if empty."""
    short: str = ""
    """Shown instead where the text has no room."""

    def line(self, width: int) -> str:
        """The text for a width."""
        return self.short if self.short and len(self.text) > width else self.text


class ChoiceList(Painted, ScrollView, can_focus=True, inherit_bindings=False):
    """Choices with a cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("list")]
    COMPONENT_CLASSES: ClassVar[set[str]] = {"choice-list--cursor"}

    @dataclass
    class Chosen(Message):
        """Enter or a click on a line."""

        choice: Choice
        clicked: bool = False
        choice_list: ChoiceList | None = None

        @property
        def control(self) -> ChoiceList | None:
            """The list, for selectors."""
            return self.choice_list

    @dataclass
    class Moved(Message):
        """The cursor is on another line."""

        choice_list: ChoiceList

        @property
        def control(self) -> ChoiceList:
            """The list, for selectors."""
            return self.choice_list

    def __init__(
        self,
        choices: Sequence[Choice] = (),
        *,
        mark: str | None = None,
        ascii_only: bool = False,
        id: str | None = None,  # noqa: A002 - Textual's own name
    ) -> None:
        super().__init__(id=id)
        self.choices = list(choices)
        self.mark = mark
        self.ascii_only = ascii_only
        self.cursor = 0

    def on_mount(self) -> None:
        """Take the room that all lines need."""
        self._sized()

    def show(self, choices: Sequence[Choice], cursor: int = 0) -> None:
        """Replace the lines."""
        self.choices = list(choices)
        self.cursor = max(0, min(cursor, len(self.choices) - 1))
        self._sized()
        self._keep_visible()

    def as_heads(self) -> None:
        """Show the line as the heads of the list below: without a cursor, and nowhere the focus goes."""
        self.can_focus = False
        self.cursor = -1
        self.add_class("heads")

    def _sized(self) -> None:
        self.virtual_size = Size(self.scrollable_content_region.width, len(self.choices))
        self.refresh()

    @property
    def current(self) -> Choice | None:
        """The line under the cursor."""
        return self.choices[self.cursor] if self.choices else None

    def action_move(self, step: int) -> None:
        """Move the cursor."""
        if self.choices:
            self.cursor = max(0, min(len(self.choices) - 1, self.cursor + step))
            self._keep_visible()
            self.refresh()
            self.post_message(self.Moved(self))

    def action_choose(self) -> None:
        """Take the line under the cursor."""
        if self.current is not None:
            self.post_message(self.Chosen(self.current, choice_list=self))

    def _keep_visible(self) -> None:
        top, height = self.scroll_offset.y, max(self.scrollable_content_region.height, 1)
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False, force=True)
        elif self.cursor >= top + height:
            self.scroll_to(y=self.cursor - height + 1, animate=False, force=True)

    def on_resize(self) -> None:
        """Keep the cursor on the screen."""
        self._keep_visible()

    def on_click(self, event: events.Click) -> None:
        """Take the clicked line."""
        offset = event.get_content_offset(self)
        if offset is not None and self.scroll_offset.y + offset.y < len(self.choices):
            self.cursor = self.scroll_offset.y + offset.y
            self.refresh()
            self.post_message(self.Moved(self))
            self.post_message(self.Chosen(self.choices[self.cursor], clicked=True, choice_list=self))

    def render_line(self, y: int) -> Strip:
        """One line."""
        width = self.scrollable_content_region.width
        place = self.scroll_offset.y + y
        if place >= len(self.choices):
            return Strip.blank(width, self.rich_style)
        choice = self.choices[place]
        text = ("▸ " if choice.id == self.mark else "  ") + fmt.clean(choice.line(width - 2))
        text = fmt.fit_width(
            fmt.shown(text, ascii_only=self.ascii_only), width, ellipsis="~" if self.ascii_only else fmt.ELLIPSIS
        )
        style = self.get_component_rich_style("choice-list--cursor") if place == self.cursor else self.rich_style
        return Strip([Segment(text, style)], width)
