"""One line of the screen made of parts; the least important parts go first when the terminal is narrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from tui import format as fmt
from tui.widgets.toned import Toned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events


class Part(NamedTuple):
    """A piece of a line."""

    text: str
    tone: str = "muted"
    keep: int = 1
    """1 stays longest; 0 may be shortened with an ellipsis instead of going (on the left)."""
    action: str = ""
    """What a click does."""
    right: bool = False
    """Stands at the right end."""
    short: str = ""
    """Said instead where there is no room for everything."""
    joined: bool = False
    """Follows the part before without a gap, and goes with it."""


SHORTEST = 12
"""A part that may be shortened keeps at least so many cells, or goes."""


def place(parts: Sequence[Part], width: int, gap: int = 2) -> list[tuple[int, Part, str]]:
    """(x, part, text as shown) of the parts that have room; joined parts count as one with their leader."""
    groups: list[list[Part]] = []
    for part in parts:
        if not part.text:
            continue
        if part.joined and groups:
            groups[-1].append(part)
        else:
            groups.append([part])
    sizes = [sum(cell_len(part.text) for part in group) for group in groups]
    firm = [bool(group[0].keep or group[0].right) for group in groups]
    alive = set(range(len(groups)))
    # What matters less than all that can be said in fewer cells goes before anything is shortened.
    shortened = max((group[0].keep for group in groups if group[0].short), default=0)

    def used() -> int:
        return sum(sizes[g] if firm[g] else min(sizes[g], SHORTEST) for g in alive) + gap * max(len(alive) - 1, 0)

    while len(alive) > 1 and used() > width:
        long = [g for g in alive if groups[g][0].short and groups[g][0].text != groups[g][0].short]
        if long and max(groups[g][0].keep for g in alive) <= shortened:
            g = max(long, key=lambda g: (groups[g][0].keep, g))
            groups[g][0] = groups[g][0]._replace(text=groups[g][0].short)
            sizes[g] = sum(cell_len(part.text) for part in groups[g])
            continue
        alive.discard(max(alive, key=lambda g: (groups[g][0].keep, g)))
    # What went may have room again now that something longer went after it.
    for g in sorted(set(range(len(groups))) - alive, key=lambda g: (groups[g][0].keep, g)):
        alive.add(g)
        if used() > width:
            alive.discard(g)
    # Parts that may shrink share what the others leave.
    spare = width - gap * max(len(alive) - 1, 0) - sum(sizes[g] for g in alive if firm[g])
    placed: list[tuple[int, Part, str]] = []
    x = 0
    right_edge = width
    for g in sorted(alive):
        if groups[g][0].right:
            continue
        room = sizes[g] if firm[g] else min(sizes[g], max(spare, 0))
        if not firm[g]:
            spare -= room
        x = _put(placed, groups[g], x, min(room, width - x)) + gap
    for g in sorted(alive, reverse=True):
        if groups[g][0].right:
            right_edge -= sizes[g]
            _put(placed, groups[g], max(right_edge, 0), min(sizes[g], width))
            right_edge -= gap
    return placed


def _put(placed: list[tuple[int, Part, str]], group: list[Part], x: int, room: int) -> int:
    for part in group:
        text = part.text if cell_len(part.text) <= room else fmt.fit_width(part.text, room)
        if text:
            placed.append((x, part, text))
        x += cell_len(text)
        room -= cell_len(text)
    return x


class Line(Toned, Widget):
    """A line of parts; parts with an action can be clicked."""

    DEFAULT_CSS = "Line { height: 1; width: 1fr; padding: 0 1; }"

    def __init__(self, *, id: str | None = None, gap: int = 2, ascii_only: bool = False) -> None:  # noqa: A002
        super().__init__(id=id, ascii_only=ascii_only)
        self.gap = gap
        self.parts: list[Part] = []
        self.placed: list[tuple[int, Part, str]] = []

    def show(self, parts: Sequence[Part]) -> None:
        """Replace the parts; repaints only where something changed."""
        clean = [part._replace(text=self.said(part.text), short=self.said(part.short)) for part in parts]
        if clean != self.parts:
            self.parts = clean
            self.refresh()

    @property
    def plain(self) -> str:
        """The line as text, as far as it fits."""
        text = ""
        for x, _, shown in sorted(place(self.parts, self.size.width, self.gap), key=lambda item: item[0]):
            text += " " * (x - cell_len(text)) + shown
        return text

    def render_line(self, y: int) -> Strip:
        """The line; further lines, if any, are empty."""
        width = self.size.width
        if y:
            return Strip.blank(width, self.rich_style)
        self.placed = sorted(place(self.parts, width, self.gap), key=lambda item: item[0])
        segments: list[Segment] = []
        used = 0
        for x, part, text in self.placed:
            if x > used:
                segments.append(Segment(" " * (x - used)))
            segments.append(Segment(text, self.tone(part.tone)))
            used = x + cell_len(text)
        return Strip(segments, used).adjust_cell_length(width).apply_style(self.rich_style)

    async def on_click(self, event: events.Click) -> None:
        """Do what the part under the mouse says."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        for x, part, text in self.placed:
            if part.action and x <= offset.x < x + cell_len(text):
                await self.screen.run_action(part.action)
                return
