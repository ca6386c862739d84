"""A plot in words, with the keys that go to the next plot's words."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len

from tui.keys import bindings, hints
from tui.screens.text_screen import SCROLL, TextScreen
from tui.text import wrap
from tui.widgets.text_pane import TextPane

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.style import Style
    from textual.binding import BindingType

    from tui.plots.plot import Plot
    from tui.text import TextLine


class PlotTextScreen(TextScreen):
    """`other` makes the plot so many plots further on."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("words")]
    where: ClassVar[str] = "words"

    def __init__(
        self, plot: Plot, other: Callable[[int], Plot], tones: dict[str, Style], *, ascii_only: bool = False
    ) -> None:
        super().__init__(plot.title, _words(plot), tones, ascii_only=ascii_only)
        self.other = other

    def on_mount(self) -> None:
        """Fill the pane and name the keys."""
        super().on_mount()
        frame = self.query_one(".dialog")
        self.entitle(
            frame, keys=hints(("closes", "report.close"), ("other plots", "words.next", "words.previous"), SCROLL)
        )

    def action_next_plot(self, step: int) -> None:
        """The words of another plot, from their beginning."""
        plot = self.other(step)
        self.entitle(self.query_one(".dialog"), plot.title)
        self.query_one(TextPane).show(_words(plot), keep_place=False)


def _words(plot: Plot) -> Callable[[int], list[TextLine]]:
    return lambda width: [line for text in plot.text for line in _fitted(text, width)]


def _fitted(text: str, width: int) -> list[TextLine]:
    """A line of figures as it is, or broken where it is too long, further lines a little to the right of its beginning."""
    if cell_len(text) <= width:
        return [[(text, "text")]]
    lead = len(text) - len(text.lstrip())
    lines = wrap([(text.lstrip(), "text")], max(width - lead - 2, 1))
    return [[(" " * (lead + 2 * bool(number)), "text"), *line] for number, line in enumerate(lines)]
