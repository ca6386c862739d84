"""A dialog of text: the help, the report of a refresh."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.containers import Vertical

from tui.keys import bindings, hints
from tui.screens.dialog import Dialog
from tui.widgets.text_pane import TextPane

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.style import Style
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from tui.text import TextLine


SCROLL = ("scroll", "text.up", "text.down", "text.page_up", "text.page_down")
"""What all texts can do, for the frame."""


class TextScreen(Dialog[None]):
    """Lines that scroll; escape, enter or q closes."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("report")]
    where: ClassVar[str] = "report"

    def __init__(
        self, title: str, make: Callable[[int], list[TextLine]], tones: dict[str, Style], *, ascii_only: bool = False
    ) -> None:
        super().__init__(ascii_only=ascii_only)
        self.heading = title
        self.make = make
        self.tones = tones

    def compose(self) -> ComposeResult:
        """One scrolling pane."""
        with Vertical(classes="dialog tall") as dialog:
            self.entitle(dialog, self.heading, hints(("closes", "report.close"), SCROLL))
            yield TextPane(ascii_only=self.ascii_only)

    def on_mount(self) -> None:
        """Fill the pane."""
        pane = self.query_one(TextPane)
        pane.restyle(self.tones)
        pane.show(self.make)
        pane.focus()
