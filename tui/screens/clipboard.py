"""Copying to the clipboard, also over SSH; says what was copied and what it depends on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.screen import Screen

NOTE = "if the terminal allows it (OSC 52)"


def copy(screen: Screen[Any], text: str, what: str) -> None:
    """Hand a text to the terminal's clipboard. No answer comes back: some terminals take it, some ask, some drop it."""
    screen.app.copy_to_clipboard(text)
    screen.notify(f"Copied {what}, {NOTE}.", timeout=4)
