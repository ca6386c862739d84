"""A list to choose from, narrowed by typing: models, presets, columns to sort by."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.containers import Vertical
from textual.widgets import Input

from tui import format as fmt
from tui.keys import bindings, first
from tui.screens.dialog import Dialog
from tui.widgets.choice_list import Choice, ChoiceList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType


ROOMY = 20
"""Below so many lines the dialog takes the whole screen."""


def score(typed: str, words: str) -> float | None:
    """How well a text answers what was typed: higher is better, None where a letter is missing. Every word must match."""
    total = 0.0
    haystack = words.casefold()
    for needle in typed.casefold().split():
        place = haystack.find(needle)
        if place >= 0:
            total += 100 - min(place, 50) + (20 if place == 0 or not haystack[place - 1].isalnum() else 0)
            continue
        found, gaps, position = 0, 0, -1
        for char in needle:
            following = haystack.find(char, position + 1)
            if following < 0:
                return None
            gaps += following - position - 1 if position >= 0 else 0
            found, position = found + 1, following
        if gaps > 3 * len(needle):
            return None
        total += 20 - min(gaps, 19)
    return total


def nearness(typed: str, choice: Choice) -> int:
    """0 where the name is what was typed, 1 where it begins so, else 2: a name that is typed whole must be the one chosen."""
    text, name = typed.strip().casefold(), choice.id.rpartition(":")[2].casefold()
    if text == name:
        return 0
    return 1 if name.startswith(text) or choice.text.casefold().startswith(text) else 2


class Picker(Dialog[str | None]):
    """Choose one line; returns its id, None on escape."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("picker")]
    where: ClassVar[str] = "picker"

    def __init__(
        self,
        title: str,
        header: Choice,
        choices: Sequence[Choice],
        current: str | None = None,
        *,
        ascii_only: bool = False,
    ) -> None:
        super().__init__(classes="-ascii" if ascii_only else "")
        self.heading = title
        self.header = header
        self.choices = list(choices)
        self.current = current
        self.ascii_only = ascii_only

    def compose(self) -> ComposeResult:
        """What is typed, the column heads, the list."""
        with Vertical(classes="dialog tall") as dialog:
            dialog.border_title = self.heading
            yield Input(placeholder="type a part of the name", compact=True)
            yield ChoiceList([self.header], ascii_only=self.ascii_only)
            yield ChoiceList(mark=self.current, ascii_only=self.ascii_only)

    def on_mount(self) -> None:
        """Show all, with the present one under the cursor."""
        for widget in self.query(ChoiceList):
            widget.can_focus = False
        heads = self.query(ChoiceList).first()
        heads.cursor = -1
        heads.add_class("heads")
        self._narrow("")
        self.on_resize()

    def on_resize(self) -> None:
        """As high as the list, within the screen."""
        frame = 2 if self.query_one(Vertical).styles.border.top[0] else 0
        available = (
            self.app.size.height if frame == 0 or self.app.size.height < ROOMY else round(self.app.size.height * 0.9)
        )
        self.query_one(Vertical).styles.height = max(min(len(self.choices) + 2 + frame, available), 3)

    @property
    def options(self) -> ChoiceList:
        """The list."""
        return self.query(ChoiceList).last()

    def narrow(self) -> None:
        """Show what answers the text."""
        self._narrow(self.query_one(Input).value)

    def replace(self, choice: Choice) -> None:
        """Show a line anew under the id it has."""
        for lines in (self.choices, self.options.choices if self.is_mounted else []):
            for place, before in enumerate(lines):
                if before.id == choice.id:
                    lines[place] = choice
        if self.is_mounted:
            self.options.refresh()

    def say(self, text: str = "") -> None:
        """Say something on the lower frame, or how many lines there are and what can be done."""
        shown, total = len(self.options.choices), len(self.choices)
        count = f"{shown:,}" if shown == total else f"{shown:,} of {total:,}"
        said = text or f"{count} · type to narrow · enter chooses · {first('picker.cancel')} cancels"
        self.query_one(Vertical).border_subtitle = fmt.to_ascii(said) if self.ascii_only else said

    def _narrow(self, typed: str) -> None:
        if typed.strip():
            scored = [(score(typed, choice.words or choice.text), choice) for choice in self.choices]
            found = [(points, choice) for points, choice in scored if points is not None]
            found.sort(key=lambda pair: (nearness(typed, pair[1]), -pair[0]))
            self.options.show([choice for _, choice in found])
        else:
            ids = [choice.id for choice in self.choices]
            self.options.show(self.choices, ids.index(self.current) if self.current in ids else 0)
        self.say()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Narrow as typed."""
        self._narrow(event.value)

    def on_input_submitted(self) -> None:
        """Choose the line under the cursor."""
        self.options.action_choose()

    def on_choice_list_chosen(self, event: ChoiceList.Chosen) -> None:
        """Return the chosen line."""
        if event.choice is not self.header:
            self.dismiss(event.choice.id)

    def action_move(self, step: int) -> None:
        """Move the cursor in the list while the text keeps the focus."""
        self.options.action_move(step)
