"""Where things stand in a TOML text: the standard library's reader gives values without their lines.

Made for texts that the standard library has accepted: it finds tables and keys, it does not check them.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

Path = tuple[str, ...]

_BETWEEN = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_KEY = re.compile(r"""[ \t]*(?:([A-Za-z0-9_-]+)|("(?:\\.|[^"\\\n])*")|'([^'\n]*)')[ \t]*""")
_IN_VALUE = re.compile(
    r'"""(?:\\.|[^\\])*?"""(?:"{0,2})' r"|'''.*?'''(?:'{0,2})" r'|"(?:\\.|[^"\\\n])*"' r"|'[^'\n]*'|#[^\n]*|[\[{]|[\]}]|\n",
    re.DOTALL,
)  # fmt: skip
_SYNTAX_LINE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


@dataclass(frozen=True, slots=True)
class Statement:
    """A table's header or a key with its value, from the first sign to the end of its last line."""

    path: Path
    """With the names of the table it stands in."""
    header: bool
    start: int
    end: int
    line: int


@dataclass(slots=True)
class Block:
    """One [[table]] of a list with all that belongs to it: the text from `start` to `end`, and the line of each key."""

    start: int
    end: int
    line: int
    lines: dict[Path, int] = field(default_factory=dict)

    def line_of(self, path: Path) -> int:
        """The line of a key, of the table it should be in, or of the block."""
        while path:
            if path in self.lines:
                return self.lines[path]
            path = path[:-1]
        return self.line


def statements(text: str) -> Iterator[Statement]:
    """All headers and keys of a TOML text, in order."""
    table: Path = ()
    at, line, counted = 0, 1, 0
    while True:
        at = _end(_BETWEEN, text, at)
        if at >= len(text):
            return
        line, counted = line + text.count("\n", counted, at), at
        header = text[at] == "["
        if header:
            path, _ = _key(text, at + (2 if text.startswith("[[", at) else 1))
            end = text.find("\n", at) + 1 or len(text)
            table = path
        else:
            path, after = _key(text, at)
            path, end = (*table, *path), _end_of_value(text, after)
        yield Statement(path, header, at, end, line)
        at = end


def blocks(text: str, name: str) -> list[Block]:
    """The [[name]] tables of a TOML text, in order."""
    found: list[Block] = []
    inside = False
    for one in statements(text):
        inside = one.path[0] == name if one.header else inside
        if one.header and one.path == (name,):
            found.append(Block(text.rfind("\n", 0, one.start) + 1, one.end, one.line))
        elif inside and found:
            found[-1].end = one.end
            # owned.watts = 1 stands for its table, too.
            for depth in range(2, len(one.path) + 1):
                found[-1].lines.setdefault(one.path[1:depth], one.line)
    return found


def line_of(text: str, name: str) -> int:
    """The line where a name first stands at the top level, alone or as the head of a table."""
    return next((one.line for one in statements(text) if one.path[0] == name), 1)


def syntax_error(words: str, text: str) -> tuple[int | None, str]:
    """The line and the words of the standard library's complaint; None where it names no line."""
    found = _SYNTAX_LINE.search(words)
    if not found:
        return None, words
    line = int(found[1]) if found[1] else text.rstrip("\r\n").count("\n") + 1
    return line, words[: found.start()]


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _key(text: str, at: int) -> tuple[Path, int]:
    """A dotted key and where it ends."""
    parts: list[str] = []
    while found := _KEY.match(text, at):
        bare, quoted, literal = found.groups()
        parts.append(bare or literal or (next(iter(tomllib.loads(f"{quoted} = 0"))) if quoted else ""))
        at = found.end()
        if not text.startswith(".", at):
            break
        at += 1
    return tuple(parts) or ("",), at


def _end_of_value(text: str, at: int) -> int:
    """Behind the line break that ends a value: brackets and strings may hold others."""
    depth = 0
    for found in _IN_VALUE.finditer(text, at):
        sign = found[0]
        if sign in "[{":
            depth += 1
        elif sign in "]}":
            depth -= 1
        elif sign == "\n" and depth <= 0:
            return found.end()
    return len(text)
