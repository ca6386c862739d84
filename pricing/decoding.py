"""Unpacking a compressed answer as it arrives, within a limit: neither a bomb nor a torn end gets through."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

CHUNK = 1 << 20


class TornError(ValueError):
    """The compressed answer ended before its end, or is none."""


def plain(encoding: str, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The chunks of an answer, unpacked if its Content-Encoding says gzip or deflate. Raises TornError.

    Pieces are at most a MiB, however well the answer is packed: the caller counts them and stops where it wants to.
    """
    words = encoding.strip().lower()
    if words in {"", "identity"}:
        yield from chunks
        return
    if words not in {"gzip", "x-gzip", "deflate"}:
        raise TornError(f"packed as {words[:20]}")
    # 47 = gzip or zlib, whichever the header says.
    unpacker = zlib.decompressobj(47)
    try:
        for chunk in chunks:
            rest = chunk
            while rest:
                if piece := unpacker.decompress(rest, CHUNK):
                    yield piece
                rest = unpacker.unconsumed_tail
                if unpacker.eof:
                    # Some servers send several gzip members one after the other.
                    rest, unpacker = (
                        (unpacker.unused_data, zlib.decompressobj(47)) if unpacker.unused_data else (b"", unpacker)
                    )
        if piece := unpacker.flush():
            yield piece
    except zlib.error as error:
        raise TornError("not packed as it says") from error
    if not unpacker.eof:
        raise TornError("it ends too early")


def lines(chunks: Iterable[bytes], longest: int = CHUNK) -> Iterator[list[bytes]]:
    """Whole lines, a list per chunk, line ends removed. Raises TornError at a line longer than `longest`."""
    rest = b""
    for chunk in chunks:
        found = (rest + chunk if rest else chunk).split(b"\n")
        rest = found.pop()
        if len(rest) > longest:
            raise TornError("a line without end")
        yield found
    if rest:
        yield [rest]
