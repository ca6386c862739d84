"""Fewer bytes to the terminal: neighbouring texts share their colours, so that a page over a slow line is half as long.

Textual writes every piece of a line as "set all, text, reset all". Here only what differs from the piece before is set.
"""

from __future__ import annotations

import re
import select
import sys
from functools import lru_cache
from typing import TYPE_CHECKING

from tui.pasting import reading_pastes

if TYPE_CHECKING:
    from textual.driver import Driver

_PIECE = re.compile(r"\x1b\[([\d;]+)m([^\x1b]*)\x1b\[0m((?:\r\n)?\x1b\[\d+;\d+H)?")
"""A text with its styles, and the move of the cursor behind it."""
_RUN = re.compile(r"(?:\x1b\[[\d;]+m[^\x1b]*\x1b\[0m(?:(?:\r\n)?\x1b\[\d+;\d+H)?){2,}")
"""Pieces with nothing else between them."""
_CODE = re.compile(r"[34]8;(?:2;\d+;\d+;\d+|5;\d+)|\d+")
_ENDS = {"1": "22", "2": "22", "3": "23", "4": "24", "5": "25", "7": "27", "9": "29"}
"""What switches a style off again."""
_INVISIBLE = frozenset({"text", "1", "2", "3"})
"""What does not show on a blank."""


def gone(fileno: int) -> bool:
    """Whether nobody is at the other end of a terminal any more; False where that cannot be asked (Windows)."""
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    poll.register(fileno, 0)  # a hang-up is told without being asked for
    return any(found & (select.POLLHUP | select.POLLERR | select.POLLNVAL) for _, found in poll.poll(0))


@lru_cache(maxsize=4096)
def _styles(codes: str) -> dict[str, str]:
    """What is set: colours by what they colour, other styles by their number."""
    found = {}
    for code in _CODE.findall(codes):
        number = int(code.partition(";")[0])
        if 30 <= number <= 38 or 90 <= number <= 97:
            found["text"] = code
        elif 40 <= number <= 48 or 100 <= number <= 107:
            found["background"] = code
        else:
            found[code] = code
    return found


@lru_cache(maxsize=4096)
def _change(before: str, after: str) -> str:
    """The fewest codes that lead from one set of styles to another."""
    anew = f"\x1b[0;{after}m"
    old, new = _styles(before), _styles(after)
    gone = [name for name in old if name not in new]
    if any(name not in _ENDS for name in gone):
        return anew
    ended = list(dict.fromkeys(_ENDS[name] for name in gone))
    # 22 ends bold and dim together: what is to stay is said again.
    again = [name for name in ("1", "2") if "22" in ended and name in new]
    changed = [code for name, code in new.items() if old.get(name) != code and name not in again]
    codes = [*ended, *again, *changed]
    return min(f"\x1b[{';'.join(codes)}m", anew, key=len) if codes else ""


@lru_cache(maxsize=4096)
def _same_blank(before: str, after: str) -> bool:
    """Whether a blank looks the same in both."""
    old, new = _styles(before), _styles(after)
    if "7" in old or "7" in new:  # reversed: the text's colour is the background's
        return old == new
    return all(name in _INVISIBLE or old.get(name) == new.get(name) for name in old.keys() | new.keys())


def _run(found: re.Match[str]) -> str:
    before = ""
    made: list[str] = []
    for codes, text, move in _PIECE.findall(found[0]):
        if not before:
            made.append(f"\x1b[{codes}m")
            before = codes
        elif text.strip(" ") or not _same_blank(before, codes):
            made.append(_change(before, codes))
            before = codes
        made += text, move.removeprefix("\r\n")
    return "".join([*made, "\x1b[0m"])


def shortened(text: str) -> str:
    """The same picture in fewer bytes."""
    return _RUN.sub(_run, text) if "\x1b[0m" in text else text


@lru_cache(maxsize=4)
def short(base: type[Driver]) -> type[Driver]:
    """A driver that writes as little as it can."""
    # The parser of keys is a name in the driver's module; Textual has no other way to give it another one.
    module = sys.modules[base.__module__]
    if (parser := getattr(module, "XTermParser", None)) is not None:
        module.XTermParser = reading_pastes(parser)  # type: ignore[attr-defined]

    class ShortDriver(base):  # type: ignore[misc, valid-type]
        """Shortens what is written."""

        def write(self, data: str) -> None:
            super().write(shortened(data))

    return ShortDriver
