"""Messages that come and go in the corner: two lines at most, and their weight said in a word, not by a colour alone."""

from __future__ import annotations

import re
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


_FOLDERS = re.compile(r"(?<!\S)[~\w]?/(?:[^\s/]+/)+(?=[^\s/]+/[^\s/]+)")
"""All of a path but its file and the folder that holds it."""


def noted(message: str, severity: str, width: int) -> str:
    """A message as it is shown on a screen of `width` cells."""
    text = " ".join(fmt.clean(message).split())
    home = str(Path.home())
    text = text.replace(f"{home}/", "~/") if len(home) > 1 else text
    word = WORDS.get(severity, "")
    if word and not text.lower().startswith(SAID):
        text = f"{word}: {text}"
    room = max(min(width - 6, WIDEST), 10)
    if _too_long(text, room):
        text = _FOLDERS.sub("…/", text)
    cells = cell_len(text)
    while _too_long(text, room) and cells > 10:
        cells = min(cells - 1, LINES * room)
        # The beginning says what it is about, the end what to do.
        text = fmt.shorten_middle(text, cells, tail=cells // 4)
    return text


def _too_long(text: str, room: int) -> bool:
    return len(wrap([(text, "text")], room)) > LINES
