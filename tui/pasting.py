"""Pasted text is text: what of it is no sign is left out before anything can take it for keys.

Textual's parser looks for escape sequences inside a paste too, and reads what follows one that it does not know as keys.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

START, END = "\x1b[200~", "\x1b[201~"
"""What a terminal sends before and behind a paste (xterm's bracketed paste mode)."""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def one_line(text: str) -> str:
    """The first line of a paste with anything in it, without control characters: every input is one line."""
    lines = ("".join(_sign(char) for char in line).strip() for line in text.splitlines())
    return next(filter(None, lines), "")


def _sign(char: str) -> str:
    if char.isprintable():
        return char
    return " " if char.isspace() else ""


def _plain(text: str) -> str:
    """The text of a paste with its line breaks and without other control characters."""
    return _CONTROL.sub("", text)


class PasteCleaner:
    """Cleans the pastes in what a terminal sends, piece by piece: their marks may lie in two pieces."""

    def __init__(self) -> None:
        self._inside = False
        self._kept = ""
        """Inside a paste: the beginning of what may be its end. Outside: the end of what was handed on."""

    def __call__(self, data: str) -> str:
        """The piece to hand on."""
        made: list[str] = []
        while data:
            data = self._within(data, made) if self._inside else self._before(data, made)
        return "".join(made)

    def _before(self, data: str, made: list[str]) -> str:
        """Hand on what stands before a paste; the rest of the piece."""
        joined = self._kept + data
        at = joined.find(START)
        if at < 0:
            self._kept = joined[-(len(START) - 1) :]
            made.append(data)
            return ""
        cut = at + len(START) - len(self._kept)
        self._inside, self._kept = True, ""
        made.append(data[:cut])
        return data[cut:]

    def _within(self, data: str, made: list[str]) -> str:
        """Hand on a paste as far as it is known; the rest of the piece."""
        data, self._kept = self._kept + data, ""
        at = data.find(END)
        if at >= 0:
            self._inside = False
            made += _plain(data[:at]), END
            return data[at + len(END) :]
        held = next((size for size in range(len(END) - 1, 0, -1) if data.endswith(END[:size])), 0)
        self._kept = data[len(data) - held :]
        made.append(_plain(data[: len(data) - held]))
        return ""


@lru_cache(maxsize=4)
def reading_pastes(base: type[Any]) -> type[Any]:
    """A parser of a terminal's input whose pastes are cleaned."""
    if getattr(base, "cleans_pastes", False):
        return base

    class PasteParser(base):  # type: ignore[misc]
        """Cleans what it is fed."""

        cleans_pastes = True

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self._cleaner = PasteCleaner()

        def feed(self, data: str) -> Iterable[Any]:
            # An empty text is the end, and told as it is.
            if not data:
                yield from super().feed(data)
            elif clean := self._cleaner(data):
                yield from super().feed(clean)

    return PasteParser
