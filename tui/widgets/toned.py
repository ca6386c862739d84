"""What widgets that paint lines of toned text have in common: the theme's styles, and signs that the terminal can show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from tui import format as fmt
from tui.guard import Painted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tui.text import Span, TextLine


class Toned(Painted):
    """Comes before Widget, which it is not, among the bases, as Painted does."""

    def __init__(self, *, ascii_only: bool = False, **given: Any) -> None:
        super().__init__(**given)
        self.ascii_only = ascii_only
        self.tones: dict[str, Style] = {}

    def restyle(self, tones: dict[str, Style]) -> None:
        """Take the colours of another theme."""
        self.tones = tones
        self.refresh()  # type: ignore[attr-defined]

    def tone(self, name: str) -> Style:
        """A text style of the theme."""
        return self.tones.get(name) or Style()

    def said(self, text: str) -> str:
        """A text as the terminal can show it."""
        shown = fmt.clean(text)
        return fmt.shown(shown, ascii_only=self.ascii_only)

    def strip(self, line: Iterable[Span], width: int) -> Strip:
        """A line exactly `width` cells long; a tone of "" is no style."""
        segments = [Segment(self.said(text), self.tone(tone)) for text, tone in line]
        return Strip(segments).adjust_cell_length(width)


def plain(lines: Iterable[TextLine]) -> str:
    """Lines as text."""
    return "\n".join("".join(text for text, _ in line).rstrip() for line in lines)
