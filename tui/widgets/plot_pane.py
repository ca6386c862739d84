"""A plot in a pane: paints it at any size, and lets keys and mouse choose what is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.geometry import Region
from textual.message import Message
from textual.widget import Widget

from tui.keys import bindings
from tui.widgets.toned import Toned, plain

if TYPE_CHECKING:
    from textual import events
    from textual.binding import BindingType
    from textual.strip import Strip

    from tui.plots.painter import Picture
    from tui.plots.plot import Plot
    from tui.text import TextLine


class PlotPane(Toned, Widget, can_focus=True):
    """One plot; the table's offer is marked in it, and what is chosen in it becomes the table's offer."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("plot")]
    where: ClassVar[str] = "plot"
    """Whose keys the help shows where this has the focus: one of WHERES."""

    @dataclass
    class Chosen(Message):
        """An offer was chosen, by its index in the market."""

        offer: int

        def can_replace(self, message: Message) -> bool:
            """Only the last of several quick choices matters."""
            return isinstance(message, PlotPane.Chosen)

    @dataclass
    class Left(Message):
        """The user wants to see what is chosen in the table."""

    @dataclass
    class TextAsked(Message):
        """The user wants the plot in words."""

        plot: Plot

    def __init__(self, *, id: str | None = None, ascii_only: bool = False) -> None:  # noqa: A002
        super().__init__(id=id, ascii_only=ascii_only)
        self.plot: Plot | None = None
        self.offer: int | None = None
        """The table's offer."""
        self.chosen: int | None = None
        """The point or bar that was chosen here, until the table goes elsewhere."""
        self.lines: list[TextLine] = []
        self._picture: Picture | None = None

    # content

    def show(self, plot: Plot, offer: int | None) -> None:
        """Show a plot, with the table's offer marked."""
        same = self.plot is not None and self.plot.name == plot.name
        before = self._chosen_offer() if same else None
        self.plot, self.offer, self._picture = plot, offer, None
        self.chosen = plot.number(before) if before is not None and before == offer else None
        self._repaint()

    def select(self, offer: int | None) -> None:
        """Mark the table's offer."""
        if offer == self.offer:
            return
        self.offer = offer
        if self._chosen_offer() != offer:
            self.chosen = None
        self._repaint()

    def _chosen_offer(self) -> int | None:
        return self.plot.offer(self.chosen) if self.plot is not None and self.chosen is not None else None

    @property
    def plain(self) -> str:
        """All lines as text."""
        return plain(self.lines)

    # choosing

    def _choose(self, number: int) -> None:
        assert self.plot is not None  # noqa: S101 - there is something to choose from
        self.chosen = max(0, min(number, len(self.plot) - 1))
        self._repaint()
        offer = self._chosen_offer()
        if offer is not None:
            self.post_message(self.Chosen(offer))

    def action_step(self, step: int) -> None:
        """To the point or bar before or after; from an offer that is none of them to the nearest one."""
        if self.plot is None or not len(self.plot):
            return
        number = self.chosen if self.chosen is not None else self.plot.number(self.offer)
        if number is None:
            self._choose(self.plot.nearest(self.offer or 0))
        else:
            self._choose(number + step)

    def action_end(self, last: bool) -> None:
        """To the first or the last point."""
        if self.plot is not None and len(self.plot):
            self._choose(len(self.plot) - 1 if last else 0)

    def action_to_table(self) -> None:
        """Back to the table, on what is chosen."""
        self.post_message(self.Left())

    def action_text(self) -> None:
        """The plot in words."""
        if self.plot is not None:
            self.post_message(self.TextAsked(self.plot))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Beside the table the key of the text is the table's."""
        return action != "text" or self.has_class("-zoomed")

    def on_click(self, event: events.Click) -> None:
        """Choose what is under the mouse; twice: and go to it in the table."""
        offset = event.get_content_offset(self)
        if offset is None or self._picture is None:
            return
        number, offer = self._picture.at(offset.x, offset.y)
        if number is not None:
            self._choose(number)
        elif offer is not None:
            self.chosen = None
            self.post_message(self.Chosen(offer))
        if event.chain == 2 and (number is not None or offer is not None):
            self.action_to_table()

    # painting

    def on_resize(self) -> None:
        """Draw anew."""
        self._picture = None
        self._repaint()

    def _repaint(self) -> None:
        """Draw; lines that stay as they were are not sent again."""
        width, height = self.content_size
        if self.plot is None or width <= 0 or height <= 0:
            return
        fresh = self._picture is None
        if self._picture is None:
            from tui.plots.painter import Picture

            self._picture = Picture(self.plot, width, height)
        before, self.lines = self.lines, self._picture.lines(self.chosen, self.offer)
        if fresh:
            self.refresh()
            return
        for y in range(max(len(before), len(self.lines))):
            if before[y : y + 1] != self.lines[y : y + 1]:
                self.refresh(Region(0, y, width, 1))

    def render_line(self, y: int) -> Strip:
        """One line of the plot."""
        line = self.lines[y] if y < len(self.lines) else []
        return self.strip(line, self.content_size.width).apply_style(self.rich_style)
