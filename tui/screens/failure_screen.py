"""What is shown after a mistake of the program: one sentence, where the report is, and the way on."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.containers import Vertical

from tui.keys import bindings, hints
from tui.screens.clipboard import copy
from tui.screens.dialog import Dialog
from tui.text import wrap
from tui.widgets.text_pane import TextPane

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from tui.failures import Failure
    from tui.text import TextLine


class FailureScreen(Dialog[None]):
    """An error of rackrate's own; enter goes on."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("failure")]
    where: ClassVar[str] = "failure"

    def __init__(self, failure: Failure, report: str, kept: str, ascii_only: bool) -> None:
        super().__init__(ascii_only=ascii_only)
        self.failure = failure
        self.report = report
        self.kept = kept
        self.more = 0
        """Errors since this one."""

    def compose(self) -> ComposeResult:
        """A pane, with the keys on its frame."""
        with Vertical(classes="dialog message") as dialog:
            keys = (("goes on", "failure.go_on"), ("copies the report", "failure.copy"), ("leaves", "failure.quit"))
            self.entitle(dialog, "An error in rackrate", hints(*keys))
            yield TextPane(ascii_only=self.ascii_only)

    def on_mount(self) -> None:
        """Fill the pane."""
        pane = self.query_one(TextPane)
        pane.restyle(self.app.tones)  # type: ignore[attr-defined]
        pane.show(self.lines)
        pane.focus()

    def lines(self, width: int) -> list[TextLine]:
        """What happened, what it means, and where more is."""
        said = [
            *wrap([(f"! {self.failure.sentence}", "miss")], width, 2),
            *wrap([(f"  in {self.failure.place}", "muted")], width, 2),
            [],
            *wrap(
                [
                    (
                        "This is a mistake in rackrate. Prices, workload and filters are as they were; you can go on.",
                        "text",
                    )
                ],
                width,
            ),
            *wrap([(self.kept, "muted")], width),
        ]
        if self.more:
            said += wrap([(f"{self.more:,} more since", "miss")], width)
        return said

    def count_up(self) -> None:
        """One more, while this one is shown."""
        self.more += 1
        self.query_one(TextPane).show(self.lines)

    def action_copy_report(self) -> None:
        """The report for the clipboard."""
        copy(self, self.report, "the report")
