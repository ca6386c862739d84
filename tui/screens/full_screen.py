"""A text on the whole screen over a line with its keys: what the details and the comparison are."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from textual.screen import Screen

from tui.guard import Guarded
from tui.widgets.line import Line
from tui.widgets.text_pane import TextPane

if TYPE_CHECKING:
    from rich.style import Style
    from textual.app import ComposeResult

Result = TypeVar("Result")


class FullScreen(Guarded, Screen[Result]):
    """A pane that has the focus, and the footer."""

    def __init__(self, tones: dict[str, Style], *, ascii_only: bool) -> None:
        super().__init__()
        self.tones = tones
        self.ascii_only = ascii_only

    def compose(self) -> ComposeResult:
        """The text and its keys."""
        yield TextPane(ascii_only=self.ascii_only)
        yield Line(id="keys", ascii_only=self.ascii_only)

    def on_mount(self) -> None:
        """Show it."""
        self.restyle(self.tones)
        self.query_one(TextPane).focus()
        self.show()

    def restyle(self, tones: dict[str, Style]) -> None:
        """Take the colours of another theme."""
        self.tones = tones
        for widget in self.query("TextPane, Line").results():
            widget.restyle(tones)  # type: ignore[attr-defined]

    def show(self) -> None:
        """Fill the pane and the line."""
