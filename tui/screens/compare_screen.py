"""Servers side by side on the whole screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from textual.screen import Screen

from tui import comparing
from tui.guard import Guarded
from tui.key_list import BY_ID
from tui.keys import bindings, first
from tui.rows import Rows
from tui.screens.clipboard import copy
from tui.screens.details_screen import DetailsScreen
from tui.screens.dialog import on_top
from tui.widgets.line import Line, Part
from tui.widgets.text_pane import TextPane

if TYPE_CHECKING:
    from rich.style import Style
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from tui.text import TextLine


class CompareScreen(Guarded, Screen[None]):
    """Columns are servers, lines are figures; marks taken away here are taken away in the table too."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("compare")]
    where: ClassVar[str] = "compare"

    def __init__(
        self, rows: Rows, chosen: list[int], marks: list[str], tones: dict[str, Style], *, ascii_only: bool = False
    ) -> None:
        super().__init__()
        self.rows = rows
        self.chosen = list(chosen)
        self.marks = marks
        self.tones = tones
        self.ascii_only = ascii_only
        self.at = 0
        self.differing = False

    def compose(self) -> ComposeResult:
        """The comparison and its keys."""
        yield TextPane(ascii_only=self.ascii_only)
        yield Line(id="keys", ascii_only=self.ascii_only)

    def on_mount(self) -> None:
        """Show it."""
        self.restyle(self.tones)
        self.query_one(TextPane).focus()
        self._show()

    def restyle(self, tones: dict[str, Style]) -> None:
        """Take the colours of another theme."""
        self.tones = tones
        for widget in self.query("TextPane, Line").results():
            widget.restyle(tones)  # type: ignore[attr-defined]

    def _show(self) -> None:
        def make(width: int) -> list[TextLine]:
            return comparing.side_by_side(self.rows, self.chosen, self.at, width, differing=self.differing)

        self.query_one(TextPane).show(make)
        differ = "all lines" if self.differing else "differences only"
        pairs = (
            ("compare.back", "back", 1), ("compare.left", "", 2), ("compare.right", "server", 2), ("compare.differing", differ, 3),
            ("compare.open", "details", 4), ("compare.unmark", "unmark", 5), ("compare.copy", "copy", 6),
        )  # fmt: skip
        parts = []
        for key, words, keep in pairs:
            action = BY_ID[key].command
            parts += [Part(first(key), "key", keep, action), Part(f" {words}".rstrip(), joined=True, action=action)]
        parts.append(Part(f"{comparing.BEST} best of a line", "muted", 7, right=True))
        self.query_one(Line).show(parts)

    def on_resize(self) -> None:
        """As many servers as have room."""
        self._show()

    def action_back(self) -> None:
        """Back to the table."""
        if on_top(self):
            self.dismiss(None)

    def action_server(self, step: int) -> None:
        """The server to the left or right."""
        self.at = max(0, min(len(self.chosen) - 1, self.at + step))
        self._show()

    def action_differing(self) -> None:
        """Only the lines that differ, or all."""
        self.differing = not self.differing
        self._show()

    def action_open(self) -> None:
        """The details of the chosen server; left and right there go through the compared ones."""
        if not on_top(self):
            return
        some = Rows(self.rows.comparison, np.array(self.chosen), self.rows.texts)
        self.app.push_screen(DetailsScreen(some, self.at, self.tones, ascii_only=self.ascii_only), self._came_back)

    def _came_back(self, position: int | None) -> None:
        if position is not None:
            self.at = position
            self._show()

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
        self._show()

    def action_copy(self, form: str) -> None:
        """The comparison as Markdown or tab-separated."""
        from tui.copying import markdown_lines, tsv_lines

        table = comparing.plain(self.rows, self.chosen, differing=self.differing)
        text = markdown_lines(table) if form == "markdown" else tsv_lines(table)
        words = "a Markdown table" if form == "markdown" else "tab-separated text"
        copy(self, text, f"the comparison as {words}")
