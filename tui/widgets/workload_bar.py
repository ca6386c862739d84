"""The workload's inputs as a bar; one small editor moves over the field that is being changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input

from tui import format as fmt
from tui.inputs import BY_ID, FIELDS, Field
from tui.keys import first
from tui.text import length
from tui.widgets.field_input import BEHIND, DOWN, UP, FieldInput
from tui.widgets.toned import Toned
from tui.widgets.workload_layout import arrange, message, spot_at, summary

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult

    from models.traffic import Workload
    from tui.text import TextLine
    from tui.widgets.workload_layout import Spot


class WorkloadBar(Toned, Widget):
    """All inputs with their values; on narrow terminals one line until it is edited."""

    @dataclass
    class Typed(Message):
        """The text of a field changed."""

        field: Field
        text: str

    @dataclass
    class Stepped(Message):
        """A field's value is to go one step up or down."""

        field: Field
        direction: int

    @dataclass
    class Entered(Message):
        """A field is being edited from now on."""

        field: Field

    @dataclass
    class Finished(Message):
        """The editor is to be left, with what was typed or with the value from before."""

        field: Field
        keep: bool

    @dataclass
    class Left(Message):
        """The editor was left."""

    def __init__(self, *, id: str | None = None, ascii_only: bool = False) -> None:  # noqa: A002
        super().__init__(id=id, ascii_only=ascii_only)
        self.workload: Workload | None = None
        self.editing: str | None = None
        self.error = ""
        self.compact = False
        self._spots: list[Spot] = []

    def compose(self) -> ComposeResult:
        """One editor, hidden until a field is edited."""
        editor = FieldInput(compact=True, select_on_focus=True)
        editor.display = False
        yield editor

    @property
    def editor(self) -> FieldInput:
        """The editor of the field in work."""
        return self.query_one(FieldInput)

    # content

    def show(self, workload: Workload) -> None:
        """Show a workload; a text that is being typed stays as it is."""
        self.workload = workload
        self._fit_height()
        self.refresh()

    def show_error(self, message: str) -> None:
        """Say why the typed value cannot be used; the field turns orange."""
        self.error = message
        self.editor.set_class(bool(message), "-invalid-value")
        self._fit_height()
        self.refresh()

    def set_compact(self, compact: bool) -> None:
        """One line of summary instead of the fields, until editing starts."""
        self.compact = compact
        self._fit_height()
        self.refresh()

    # editing

    def edit(self, field_id: str = "") -> None:
        """Start editing a field, the model's if none is named."""
        if self.workload is None:
            return
        self.editing = field_id or self.editing or "model"
        self.error = ""
        self._fit_height()
        editor = self.editor
        editor.display = True
        editor.remove_class("-invalid-value")
        self.set_value(self.workload)
        editor.focus()
        editor.action_select_all()
        self.refresh()
        self.post_message(self.Entered(BY_ID[self.editing]))

    def set_value(self, workload: Workload) -> None:
        """Put the value of the field in work into the editor without it counting as typed; shorter where it would not fit."""
        editor, spot = self.editor, self._edited
        if self.editing is None:
            return
        text = BY_ID[self.editing].shown_in(workload, spot.value - BEHIND if spot is not None else self._grid_width)
        with editor.prevent(Input.Changed):
            editor.value = text
        self._place_editor()
        editor.cursor_position = len(text)

    def edit_next(self, step: int) -> None:
        """Edit the next field, round and round."""
        ids = [field.id for field in FIELDS]
        self.edit(ids[(ids.index(self.editing or ids[0]) + step) % len(ids)])

    def step_value(self, direction: int) -> None:
        """Ask for the next value of the field in work."""
        if self.editing:
            self.post_message(self.Stepped(BY_ID[self.editing], direction))

    def finish(self, *, keep: bool) -> None:
        """Ask to stop editing."""
        if self.editing:
            self.post_message(self.Finished(BY_ID[self.editing], keep))

    def leave(self) -> None:
        """Stop editing."""
        if self.editing is None:
            return
        self.editing, self.error = None, ""
        self.editor.display = False
        self._fit_height()
        self.refresh()
        self.post_message(self.Left())

    def on_input_changed(self, event: Input.Changed) -> None:
        """Pass on what was typed."""
        event.stop()
        self._place_editor()
        if self.editing:
            self.post_message(self.Typed(BY_ID[self.editing], event.value))

    def on_click(self, event: events.Click) -> None:
        """Edit the field under the mouse, or step the one in work by its arrows."""
        offset = event.get_content_offset(self)
        if offset is None or event.widget is not self:
            return
        if self._collapsed:
            self.edit()
        elif (direction := self._step_at(offset.x, offset.y)) is not None:
            self.step_value(direction)
        elif (spot := spot_at(self._spots, offset.x, offset.y)) is not None:
            self.edit(spot.field.id)

    def _on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._wheel(event, 1)

    def _on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._wheel(event, -1)

    def _wheel(self, event: events.MouseEvent, direction: int) -> None:
        """The wheel steps the field under the mouse."""
        offset = event.get_content_offset(self)
        spot = spot_at(self._spots, offset.x, offset.y) if offset is not None and not self._collapsed else None
        if spot is not None:
            event.stop()
            self.post_message(self.Stepped(spot.field, direction))

    # painting

    @property
    def _collapsed(self) -> bool:
        return self.compact and self.editing is None

    @property
    def _grid_width(self) -> int:
        return max(self.content_size.width, 1)

    def on_resize(self) -> None:
        """Place the fields anew."""
        self._fit_height()
        self._place_editor()

    def _fit_height(self) -> None:
        if not self.is_attached or not self.content_size.width:
            return
        self._spots, lines = arrange(self._grid_width)
        if self._collapsed:
            lines = 1
        elif self.editing is not None:
            lines += len(self._message())
        height = lines + self.gutter.height
        if self.styles.height is None or self.styles.height.value != height:
            self.styles.height = height

    def _message(self) -> list[TextLine]:
        if self.editing is None or self.workload is None:
            return []
        return message(BY_ID[self.editing], self.workload, self.error, self._grid_width)

    @property
    def _edited(self) -> Spot | None:
        """Where the field in work stands."""
        return next((spot for spot in self._spots if spot.field.id == self.editing), None)

    def _place_editor(self) -> None:
        if (spot := self._edited) is not None:
            self.editor.place(spot, self._grid_width)

    @property
    def arrows(self) -> tuple[tuple[int, str, int], ...]:
        """Column, sign and direction of the arrows beside the editor."""
        if self._edited is None or self.editor.styles.width is None:
            return ()
        down, up = self.editor.arrows
        return (down, DOWN, -1), (up, UP, 1)

    def _step_at(self, x: int, y: int) -> int | None:
        """The direction of the arrow at a place."""
        here = self._edited is not None and self._edited.y == y
        return next((direction for column, _, direction in self.arrows if here and column == x), None)

    def render_line(self, y: int) -> Strip:
        """One line of fields, or the hint of the field in work."""
        strip = self._line(y)
        if self._edited is not None and self._edited.y == y:
            for x, sign, _ in self.arrows:
                strip = Strip.join([strip.crop(0, x), self.strip([(sign, "accent")], 1), strip.crop(x + 1)])
        return strip.apply_style(self.rich_style)

    def _line(self, y: int) -> Strip:
        width = self._grid_width
        if self.workload is None:
            return Strip.blank(width)
        if self._collapsed:
            return self._summary_line(width) if y == 0 else Strip.blank(width)
        said, below = self._message(), y - max((spot.y for spot in self._spots), default=0) - 1
        if 0 <= below < len(said):
            return self.strip(said[below], width)
        line: TextLine = []
        used = 0
        for spot in self._spots:
            editing = spot.field.id == self.editing
            # A field that a long text covers in part goes: its rest would be read as another word.
            if spot.y != y or (not editing and self._is_covered(spot)):
                continue
            value = fmt.fit_width(fmt.clean(spot.field.shown_in(self.workload, spot.value)), spot.value)
            line += [
                (" " * (spot.x - used), ""),
                (fmt.fit_width(spot.field.label, spot.label), "accent" if editing else "muted"),
                (value, "strong"),
            ]
            used = spot.x + spot.label + spot.value
        return self.strip(line, width)

    def _is_covered(self, spot: Spot) -> bool:
        if not self.arrows or self._edited is None or spot.y != self._edited.y:
            return False
        (down, _, _), (up, _, _) = self.arrows
        return spot.x <= up and down < spot.x + spot.label + spot.value

    def _summary_line(self, width: int) -> Strip:
        assert self.workload is not None  # noqa: S101 - callers have checked
        hint = f"{first('workload.edit')} edit"
        room = width - len(hint) - 2
        line: TextLine = [(self.said(text), tone) for text, tone in summary(self.workload, max(room, 1))]
        used = length(line)
        if room > 0 and used + len(hint) < width:
            line += [(" " * (width - used - len(hint)), ""), (hint, "muted")]
        return self.strip(line, width)
