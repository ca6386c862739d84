"""Unpacking answers: torn ends are noticed, bombs come in pieces, lines survive chunk borders."""

from __future__ import annotations

import gzip
import zlib

import pytest

from pricing.decoding import CHUNK, TornError, lines, plain

TEXT = b"".join(b"row %d\n" % number for number in range(50_000))


def in_pieces(data: bytes, size: int = 1000) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [("", TEXT), ("identity", TEXT), ("gzip", gzip.compress(TEXT)), ("deflate", zlib.compress(TEXT)), ("GZIP ", gzip.compress(TEXT))],
    ids=["none", "identity", "gzip", "deflate", "loud gzip"],
)  # fmt: skip
def test_an_answer_is_unpacked(encoding: str, packed: bytes) -> None:
    assert b"".join(plain(encoding, in_pieces(packed))) == TEXT


def test_several_members_are_one_answer() -> None:
    packed = gzip.compress(TEXT[:1000]) + gzip.compress(TEXT[1000:])
    assert b"".join(plain("gzip", in_pieces(packed, 37))) == TEXT


@pytest.mark.parametrize("cut", [1, 8, 100, 5000])
def test_a_torn_end_is_noticed(cut: int) -> None:
    packed = gzip.compress(TEXT)
    with pytest.raises(TornError, match="too early"):
        list(plain("gzip", in_pieces(packed[:-cut])))


@pytest.mark.parametrize(
    ("encoding", "body"), [("gzip", b"<html>" * 100), ("br", b"x"), ("zstd", b"x")], ids=["gzip", "br", "zstd"]
)
def test_what_is_not_packed_as_it_says_is_refused(encoding: str, body: bytes) -> None:
    with pytest.raises(TornError):
        list(plain(encoding, [body]))


def test_a_bomb_comes_in_pieces_that_can_be_counted() -> None:
    bomb = gzip.compress(b" " * (64 * CHUNK))
    assert len(bomb) < 100_000
    pieces = plain("gzip", [bomb])
    assert max(len(next(pieces)) for _ in range(8)) <= CHUNK


@pytest.mark.parametrize("size", [1, 7, 1000, 10**6])
def test_lines_do_not_know_chunk_borders(size: int) -> None:
    data = TEXT[:5000]
    assert [line for some in lines(in_pieces(data, size)) for line in some] == data.splitlines()


def test_a_line_without_end_is_refused() -> None:
    with pytest.raises(TornError, match="line without end"):
        list(lines([b"x" * 100] * 100, longest=1000))
