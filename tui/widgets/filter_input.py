"""The inputs of the filter and of the jump: typing acts at once, Tab completes, the arrows go through what was used or found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.message import Message
from textual.widgets import Input

from tui.keys import bindings

if TYPE_CHECKING:
    from textual.binding import BindingType


class FilterInput(Input):
    """The filter as it is typed."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("filter")]
    where: ClassVar[str] = "filter"

    @dataclass
    class Complete(Message):
        """The word under the cursor is to be completed; again = the next candidate."""

        step: int

    @dataclass
    class History(Message):
        """An older (1) or a newer (-1) filter is wanted."""

        step: int

    def action_complete(self, step: int) -> None:
        """Complete the word under the cursor."""
        self.post_message(self.Complete(step))

    def action_history(self, step: int) -> None:
        """Another filter of those used before."""
        self.post_message(self.History(step))


class JumpInput(Input):
    """A part of a name to go to."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("jump")]
    where: ClassVar[str] = "jump"

    @dataclass
    class Step(Message):
        """The next (1) or the previous (-1) match is wanted."""

        step: int

    def action_match(self, step: int) -> None:
        """Another match."""
        self.post_message(self.Step(step))
