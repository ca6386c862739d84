"""Scrollbars without block glyphs, for terminals that cannot show them."""

from __future__ import annotations

from typing import ClassVar

from textual.scrollbar import ScrollBar, ScrollBarRender


class PlainBars(ScrollBarRender):
    """Ends on whole cells."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "] * 8
    HORIZONTAL_BARS: ClassVar[list[str]] = [" "] * 8


def use(*, ascii_only: bool) -> None:
    """Draw all scrollbars so from now on."""
    ScrollBar.renderer = PlainBars if ascii_only else ScrollBarRender
