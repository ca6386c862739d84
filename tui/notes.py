"""Messages that come and go in the corner: two lines at most, and their weight said in a word, not by a colour alone."""

from __future__ import annotations

from pathlib import Path

from rich.cells import cell_len

from tui import format as fmt
from tui.text import wrap

WIDEST = 72
"""Cells of a line of a message: the sheet's width of a toast without its frame and padding."""
LINES = 2
WORDS = {"warning": "Warning", "error": "Error"}
SAID = ("warning", "error", "failed", "no ", "cannot", "there is no", "!")
"""A message that starts so says by itself that something is wrong."""


def noted(message: str, severity: str, width: int) -> str:
    """A message as it is shown on a screen of `width` cells."""
    text = " ".join(fmt.clean(message).split())
    home = str(Path.home())
    text = text.replace(f"{home}/", "~/") if len(home) > 1 else text
    word = WORDS.get(severity, "")
    if word and not text.lower().startswith(SAID):
        text = f"{word}: {text}"
    room = max(min(width - 6, WIDEST), 10)
    cells = cell_len(text)
    while len(wrap([(text, "text")], room)) > LINES and cells > 10:
        cells = min(cells - 1, LINES * room)
        # The beginning says what it is about, the end what to do.
        text = fmt.shorten_middle(text, cells)
    return text
