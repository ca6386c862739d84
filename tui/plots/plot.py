"""What a plot says, without a size: axes, lines, points that can be chosen, bars, and the same in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from tui.plots.axis import Axis

    Array = np.ndarray[Any, Any]

CHOSEN = "◆"
BEST_GPU, BEST_CPU = "◉", "◎"
TARGET, NOW, BEYOND = "┊", "┃", "▸"


class Entry(NamedTuple):
    """A sign of the legend."""

    glyph: str
    tone: str
    word: str
    short: str = ""
    """Said where the word has no room."""


@dataclass(frozen=True, slots=True)
class Point:
    """A place that can be chosen."""

    x: float
    y: float
    glyph: str
    tone: str
    words: str
    """What it is, in a line."""
    offer: int | None = None
    """The offer it stands for."""
    below: float = float("nan")
    """How high it stands in the second panel, where there is one."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line through points on the scales."""

    x: Array
    y: Array
    tone: str
    name: str = ""
    """Written where it is last seen, as near as there is room."""
    every: int = 1
    """Of its dots only every so manyth is set."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight line at one value of an axis."""

    value: float
    glyph: str
    tone: str
    name: str = ""
    short: str = ""
    """Written where the name has no room."""


class Stretch(NamedTuple):
    """A part of the x axis with what holds there."""

    start: float
    end: float
    words: tuple[str, ...]
    """The same said at length and shorter: the first that has room is written."""
    tone: str


@dataclass(frozen=True, slots=True)
class Band:
    """A line under the picture that says what holds where."""

    name: str
    """Three letters before it."""
    parts: tuple[Stretch, ...]


@dataclass(frozen=True, slots=True)
class Cloud:
    """Many offers at once as arrays of one length: where they are, what they are and whether they are worth a look."""

    x: Array
    y: Array
    offer: Array
    gpu: Array
    good: Array


@dataclass(frozen=True, slots=True)
class Panel:
    """One picture over the shared x axis."""

    y: Axis
    lines: tuple[Line, ...] = ()
    rules: tuple[Rule, ...] = ()
    """Lines at values of y."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of parts with its name before and its figures behind."""

    name: str
    glyph: str
    tone: str
    parts: tuple[tuple[float, str, str], ...]
    """(share of the width, glyph, tone)."""
    note: str
    words: str
    offer: int | None = None
    missed: bool = False
    """The note says that something is wrong."""
    detail: str = ""
    """Said behind the name on wide screens."""
    more: str = ""
    """A line of figures below, where all bars have room for theirs."""


@dataclass(frozen=True, slots=True)
class Plot:
    """Everything a painter needs, and the text that says the same."""

    name: str
    title: str
    text: tuple[str, ...]
    legend: tuple[Entry, ...] = ()
    """The most important first: the last ones give way."""
    heading: str = ""
    """What is drawn over what."""
    x: Axis | None = None
    panels: tuple[Panel, ...] = ()
    joint: Panel | None = None
    """All panels in one, with a name at every line, where each has too little room."""
    bands: tuple[Band, ...] = ()
    rules: tuple[Rule, ...] = ()
    """Lines at values of x, through all panels."""
    cloud: Cloud | None = None
    points: tuple[Point, ...] = ()
    """What the arrow keys go along, in order."""
    bars: tuple[Bar, ...] = ()
    caption: str = ""
    """Said below while nothing is chosen; on high screens always."""
    answers: bool = False
    """The caption is what the plot is asked for: only what is chosen in the plot itself takes its place."""
    message: tuple[str, ...] = ()
    """Said instead of a picture where there is none."""
    nearest: Callable[[int], int] = field(default=lambda offer: 0)  # noqa: ARG005
    """The point that the first arrow key goes to where the table's offer is none of them."""
    place: Callable[[int], Point | None] = field(default=lambda offer: None)  # noqa: ARG005
    """Where an offer of the table is that is no point of its own."""

    def __len__(self) -> int:
        return len(self.bars) or len(self.points)

    def offer(self, number: int) -> int | None:
        """The offer of a point or bar."""
        return self.bars[number].offer if self.bars else self.points[number].offer

    def words(self, number: int) -> str:
        """What a point or bar is, in a line."""
        return self.bars[number].words if self.bars else self.points[number].words

    def number(self, offer: int | None) -> int | None:
        """The first point or bar of an offer."""
        if offer is None:
            return None
        return next((number for number in range(len(self)) if self.offer(number) == offer), None)


def empty(name: str, title: str, *lines: str) -> Plot:
    """A plot that says why there is nothing to draw."""
    return Plot(name, title, lines, message=lines)
