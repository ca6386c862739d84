"""A list to choose from, narrowed by typing: models, presets, columns to sort by."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.containers import Vertical

from tui.keys import bindings, hints
from tui.screens.narrowing import Narrowing, matching

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType

    from tui.widgets.choice_list import Choice, ChoiceList


class Picker(Narrowing[str | None]):
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
        super().__init__(title, header, mark=current, ascii_only=ascii_only)
        self.choices = list(choices)

    def lines(self) -> int:
        """How many lines the list has at most."""
        return len(self.choices)

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
        keys = hints(("chooses", "list.choose"), ("cancels", "picker.cancel"))
        self.entitle(self.query_one(Vertical), keys=text or f"{count} · type to narrow · {keys}")

    def narrow(self) -> None:
        """Show what answers the text; where there is none all, with the present one under the cursor."""
        if self.typed.strip():
            self.options.show(matching(self.typed, self.choices))
        else:
            ids = [choice.id for choice in self.choices]
            self.options.show(self.choices, ids.index(self.marked) if self.marked in ids else 0)
        self.say()

    def on_input_submitted(self) -> None:
        """Choose the line under the cursor."""
        self.options.action_choose()

    def on_choice_list_chosen(self, event: ChoiceList.Chosen) -> None:
        """Return the chosen line."""
        if event.choice is not self.header:
            self.dismiss(event.choice.id)
