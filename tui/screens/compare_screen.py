"""Servers side by side on the whole screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tui import comparing
from tui.keys import bindings
from tui.lines import commands
from tui.rows import Rows
from tui.screens.clipboard import copy
from tui.screens.details_screen import DetailsScreen
from tui.screens.dialog import on_top
from tui.screens.full_screen import FullScreen
from tui.widgets.line import Line, Part
from tui.widgets.text_pane import TextPane

if TYPE_CHECKING:
    from rich.style import Style
    from textual.binding import BindingType

    from tui.text import TextLine


class CompareScreen(FullScreen[None]):
    """Columns are servers, lines are figures; marks taken away here are taken away in the table too."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("compare")]
    where: ClassVar[str] = "compare"

    def __init__(
        self, rows: Rows, chosen: list[int], marks: list[str], tones: dict[str, Style], *, ascii_only: bool = False
    ) -> None:
        super().__init__(tones, ascii_only=ascii_only)
        self.rows = rows
        self.chosen = list(chosen)
        self.marks = marks
        self.at = 0
        self.differing = False

    def show(self) -> None:
        """The comparison and its keys."""

        def make(width: int) -> list[TextLine]:
            return comparing.side_by_side(self.rows, self.chosen, self.at, width, differing=self.differing)

        self.query_one(TextPane).show(make)
        differ = "all lines" if self.differing else "differences only"
        pairs = (
            ("back", "compare.back"), ("server", "compare.left", "compare.right"), (differ, "compare.differing"),
            ("details", "compare.open"), ("unmark", "compare.unmark"), ("copy", "compare.copy"),
        )  # fmt: skip
        best = Part(f"{comparing.BEST} best of a line", "muted", len(pairs) + 1, right=True)
        self.query_one(Line).show([*commands(*pairs), best])

    def on_resize(self) -> None:
        """As many servers as have room."""
        self.show()

    def action_back(self) -> None:
        """Back to the table."""
        if on_top(self):
            self.dismiss(None)

    def action_server(self, step: int) -> None:
        """The server to the left or right."""
        self.at = max(0, min(len(self.chosen) - 1, self.at + step))
        self.show()

    def action_differing(self) -> None:
        """Only the lines that differ, or all."""
        self.differing = not self.differing
        self.show()

    def action_open(self) -> None:
        """The details of the chosen server; left and right there go through the compared ones."""
        if not on_top(self):
            return
        some = Rows(self.rows.comparison, np.array(self.chosen), self.rows.texts)
        self.app.push_screen(DetailsScreen(some, self.at, self.tones, ascii_only=self.ascii_only), self._came_back)

    def _came_back(self, position: int | None) -> None:
        if position is not None:
            self.at = position
            self.show()

    def action_unmark(self) -> None:
        """Take the chosen server out; the last one cannot go."""
        if len(self.chosen) < 2:
            self.notify("The last one stays.", timeout=2)
            return
        i = self.chosen.pop(self.at)
        offer_id = self.rows.offer(i).offer_id
        if offer_id in self.marks:
            self.marks.remove(offer_id)
        self.at = min(self.at, len(self.chosen) - 1)
        self.show()

    def action_copy(self, form: str) -> None:
        """The comparison as Markdown or tab-separated."""
        from tui.copying import markdown_lines, tsv_lines

        table = comparing.plain(self.rows, self.chosen, differing=self.differing)
        text = markdown_lines(table) if form == "markdown" else tsv_lines(table)
        words = "a Markdown table" if form == "markdown" else "tab-separated text"
        copy(self, text, f"the comparison as {words}")
