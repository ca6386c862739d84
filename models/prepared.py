"""Bundled data in a form that is quick to read, made by `make prepare` of the files that people edit.

Each prepared file starts with a sum over its sources. One whose sources have changed since counts for nothing: the sources
are read instead, which only takes longer.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER = Path(__file__).parent / "data" / "prepared"


def read(path: Path, sources: Iterable[Path], words: str = "") -> bytes | None:
    """What a prepared file holds; None if it is missing or was made of other sources."""
    try:
        made_of, _, content = path.read_bytes().partition(b"\n")
        return content if made_of == _sum(sources, words) else None
    except OSError:
        return None


def content(made: bytes, sources: Iterable[Path], words: str = "") -> bytes:
    """All of a prepared file."""
    return b"%s\n%s" % (_sum(sources, words), made)


def _sum(sources: Iterable[Path], words: str) -> bytes:
    """Over the bytes of the sources, and over what else the file depends on."""
    said = zlib.crc32(words.encode())
    for path in sources:
        content = path.read_bytes()
        if b"\r" in content:  # a checkout may have other line ends than a package
            content = content.replace(b"\r\n", b"\n")
        said = zlib.crc32(content, said)
    return b"%08x" % said
