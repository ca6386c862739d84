"""The last look at what is painted in ASCII mode: no sign of Textual's own and no typed letter reaches a terminal that cannot show it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.filter import LineFilter

from tui import format as fmt

if TYPE_CHECKING:
    from textual.color import Color


class AsciiFilter(LineFilter):
    """Replaces every other sign by one that fills as many cells."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        """The same line in 7 bits."""
        return [
            segment if segment.text.isascii() else Segment(_plain(segment.text), segment.style, segment.control)
            for segment in segments
        ]


@lru_cache(maxsize=4096)
def _plain(text: str) -> str:
    return fmt.ascii_cells(text)
