"""A trace's file as bytes and lines: packed or not, JSON or not, and where in it a row stands."""

from __future__ import annotations

import csv
import gzip
import io
import stat
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from models.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LARGEST_BYTES = 2_000_000_000
"""A larger file is refused, unpacked: a week of a busy service has some ten million rows in a few hundred MB."""
MOST_ROWS = 20_000_000
"""More requests are refused: they take more memory than a laptop has, and say no more about a day."""
SEPARATORS = ",;\t|"
_GZIP = b"\x1f\x8b"
UNREADABLE = (OSError, EOFError, zlib.error)
"""What reading a file may raise, besides text that is none."""


class _Counted(io.RawIOBase):
    """A stream that ends in an error once it has given more than a trace may have: a packed file does not say how long it is."""

    def __init__(self, source: BinaryIO, name: str) -> None:
        self._source, self._left, self._name = source, LARGEST_BYTES, name

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """The next bytes. Raises InputError beyond LARGEST_BYTES."""
        data = self._source.read(len(buffer))
        self._left -= len(data)
        if self._left < 0:
            raise _too_large(self._name)
        buffer[: len(data)] = data
        return len(data)


def _too_large(name: object) -> InputError:
    return InputError(f"{name} is larger than {LARGEST_BYTES / 1e9:g} GB.", hint="Give a part of it: a week is enough.")


def check_file(path: Path) -> None:
    """Raise InputError for what cannot be read to its end twice."""
    facts = path.stat()
    if stat.S_ISDIR(facts.st_mode):
        raise InputError(f"{path} is a folder, not a trace.")
    if not stat.S_ISREG(facts.st_mode):  # a device never ends, and a pipe cannot be read twice
        raise InputError(f"{path} is not a regular file.", hint="Save the trace first.")
    if facts.st_size > LARGEST_BYTES:
        raise _too_large(path)


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The unpacked bytes of a file, packed by its name or by its first bytes."""
    with cast("BinaryIO", gzip.open(path) if _is_packed(path) else path.open("rb")) as source:
        yield cast("BinaryIO", io.BufferedReader(_Counted(source, str(path)), 1 << 18))


def _is_packed(path: Path) -> bool:
    if path.suffix == ".gz":
        return True
    with path.open("rb") as file:
        return file.read(len(_GZIP)) == _GZIP


def unreadable(path: str, error: BaseException) -> InputError:
    """A sentence for an error of UNREADABLE."""
    if isinstance(error, FileNotFoundError):
        return InputError(f"{path} does not exist.")
    if isinstance(error, gzip.BadGzipFile) and "Not a gzipped" in str(error):
        return InputError(f"{path} is not packed by gzip, though its name ends in .gz.", hint="Rename or pack it.")
    if isinstance(error, (gzip.BadGzipFile, EOFError, zlib.error)):
        return InputError(f"{path} is damaged or cut short: it cannot be unpacked.", hint="Fetch or pack it once more.")
    return InputError(f"Cannot read {path}: {getattr(error, 'strerror', None) or 'it cannot be opened'}.")


def is_json_lines(path: Path) -> bool:
    """Whether a file holds JSON: by its name, or since it begins with a bracket, as no header does."""
    if (path.with_suffix("") if path.suffix == ".gz" else path).suffix in {".jsonl", ".ndjson"}:
        return True
    with opened(path) as file:
        return file.read(256).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in {b"{", b"["}


def rows(file: BinaryIO, separator: str) -> Iterator[tuple[int, list[str]]]:
    """(line, fields) of each row that is not blank; pandas skips the others as well."""
    before = 0
    usual = csv.field_size_limit(LARGEST_BYTES)  # a trace may hold whole prompts; it is bounded as a file
    try:
        reader = csv.reader(
            io.TextIOWrapper(file, "utf-8-sig", errors="replace", newline=""),
            delimiter=separator,
            skipinitialspace=True,
        )
        for fields in reader:
            if len(fields) > 1 or (fields and fields[0].strip()):
                yield before + 1, fields
            before = reader.line_num
    finally:
        csv.field_size_limit(usual)


def first_rows(path: Path, separator: str, count: int = 2) -> list[list[str]]:
    """Header and first row as a reader of the standard library sees them."""
    with opened(path) as file:
        return [row for (_, row), _ in zip(rows(file, separator), range(count), strict=False)]


def line_of(path: Path, row: int, separator: str | None) -> int:
    """The line in the file of a row of the table; found by reading once more, since it is needed for an error only.

    Args:
        path: the file.
        row: place among the requests, from 0.
        separator: of CSV; None for JSON lines.
    """
    with opened(path) as file:
        if separator is None:
            lines = (number for number, line in enumerate(file, 1) if not line.isspace())
        else:
            lines = (number for number, _ in rows(file, separator))
        wanted = row if separator is None else row + 1
        return next((number for place, number in enumerate(lines) if place == wanted), wanted + 1)
