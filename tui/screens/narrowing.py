"""A dialog with a list that typing narrows."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from textual.containers import Vertical
from textual.widgets import Input

from tui.screens.dialog import Dialog
from tui.widgets.choice_list import Choice, ChoiceList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

Result = TypeVar("Result")
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


def matching(typed: str, choices: Sequence[Choice]) -> list[Choice]:
    """The choices that answer what was typed, the best first."""
    scored = [(score(typed, choice.words or choice.text), choice) for choice in choices]
    found = [(points, choice) for points, choice in scored if points is not None]
    found.sort(key=lambda pair: (nearness(typed, pair[1]), -pair[0]))
    return [choice for _, choice in found]


class Narrowing(Dialog[Result]):
    """What is typed, the column heads, the list; the text keeps the focus while the cursor moves in the list."""

    def __init__(self, title: str, header: Choice, *, mark: str | None = None, ascii_only: bool) -> None:
        super().__init__(ascii_only=ascii_only)
        self.heading = title
        self.header = header
        self.marked = mark

    def field(self) -> Input:
        """The input."""
        return Input(placeholder="type a part of the name", compact=True)

    def compose(self) -> ComposeResult:
        """From the top to the bottom."""
        with Vertical(classes="dialog tall") as dialog:
            self.entitle(dialog, self.heading)
            yield self.field()
            yield ChoiceList([self.header], ascii_only=self.ascii_only)
            yield ChoiceList(mark=self.marked, ascii_only=self.ascii_only)

    def on_mount(self) -> None:
        """Show all."""
        for widget in self.query(ChoiceList):
            widget.can_focus = False
        self.query(ChoiceList).first().as_heads()
        self.narrow()
        self.on_resize()

    def lines(self) -> int:
        """How many lines the list has at most."""
        return 0

    def narrow(self) -> None:
        """Show what answers the text."""

    def on_resize(self) -> None:
        """As high as the list, within the screen."""
        box, height = self.query_one(Vertical), self.app.size.height
        frame = 2 if box.styles.border.top[0] else 0
        available = height if frame == 0 or height < ROOMY else round(height * 0.9)
        box.styles.height = max(min(self.lines() + 2 + frame, available), 3)

    @property
    def typed(self) -> str:
        """The text."""
        return self.query_one(Input).value

    @property
    def options(self) -> ChoiceList:
        """The list."""
        return self.query(ChoiceList).last()

    def on_input_changed(self) -> None:
        """Narrow as typed."""
        self.narrow()

    def action_move(self, step: int) -> None:
        """Move the cursor in the list."""
        self.options.action_move(step)
