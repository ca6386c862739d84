"""Where results go: the four formats, stdout or a file, and messages that stay off stdout."""

from __future__ import annotations

import csv
import io
import json
import math
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models.errors import InputError
from pricing import atomic
from tui.cli import stderr
from tui.cli.table import Column, print_table, terminal_width

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

STDOUT = "-"
"""The name of stdout where a file's is asked for."""


def say(message: str) -> None:
    """A message for the person: stdout belongs to the result. A terminal gets it wrapped on words."""
    if sys.stderr.isatty():
        message = textwrap.fill(message, terminal_width(), break_long_words=False, break_on_hyphens=False)
    stderr.write(f"{message}\n")


def chosen_format(args: argparse.Namespace) -> str:
    """The format asked for; else a table for a person, CSV for a program."""
    return str(args.format or ("table" if sys.stdout.isatty() else "csv"))


def emit(rows: Sequence[Mapping[str, object]], columns: Sequence[Column], form: str) -> None:
    """Write rows to stdout; tables use the columns' headers and order, the others every key."""
    if form == "table":
        show_table(rows, columns)
        return
    keys = list(rows[0]) if rows else [column.key for column in columns]
    if form == "json":
        sys.stdout.write(
            json.dumps([{k: plain(r.get(k)) for k in keys} for r in rows], indent=1, ensure_ascii=False) + "\n"
        )
    elif form == "markdown":
        sys.stdout.write("".join(markdown(rows, columns)))
    else:
        sys.stdout.write(csv_text(rows, keys))


def show_table(rows: Sequence[Mapping[str, object]], columns: Sequence[Column]) -> None:
    """The table on stdout, and on stderr what its marks mean and what found no room in it."""
    for note in print_table(rows, columns):
        say(note)


def csv_text(rows: Sequence[Mapping[str, object]], keys: Sequence[str]) -> str:
    """RFC 4180 with plain line ends; missing values are empty, formulas defused."""
    from pricing import export

    out = io.StringIO()
    export.write_csv(out, ({key: flat(row.get(key)) for key in keys} for row in rows), keys)
    return out.getvalue()


def flat(value: object) -> object:
    """One cell's value: several are joined."""
    value = plain(value)
    return "; ".join(str(item) for item in value) if isinstance(value, list) else value


def plain(value: Any) -> Any:
    """A value JSON knows: NaN and infinity are missing, numpy's numbers are Python's."""
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return list(value) if isinstance(value, tuple) else value


def markdown(rows: Sequence[Mapping[str, object]], columns: Sequence[Column]) -> Iterator[str]:
    """A table for a document, with the printed table's figures."""
    from tui.cli.table import figure

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(text.replace("|", "\\|").replace("\n", " ") for text in cells) + " |\n"

    yield line([column.header for column in columns])
    yield line(["---"] * len(columns))
    for row in rows:
        yield line([(column.show or figure)(row.get(column.key)) for column in columns])


def counted(number: int, noun: str) -> str:
    """A number with its noun: 1 offer, 2 offers, 1,200 offers."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def write_file(path: str, text: str) -> None:
    """Replace a file whole or not at all; - is stdout. Raises InputError for a folder that is not there, StoreError."""
    if path == STDOUT:
        sys.stdout.write(text)
        return
    target = Path(path)
    if not target.parent.is_dir():
        raise InputError(f"Cannot write {path}: there is no folder {target.parent}.")
    if target.is_dir():
        raise InputError(f"Cannot write {path}: it is a folder.")
    atomic.write_text(target, text)


TOO_MANY = "\x00"
"""The column under which `read_csv` tells of values that the header has no column for; no header may have a name like it."""


def read_csv(path: str, *, strict: bool = True) -> Iterator[dict[str, str]]:
    """Rows of a CSV file as dicts of text, one by one. Raises InputError with one sentence for anything unreadable.

    Args:
        path: the file; - is stdin.
        strict: a row with too many values is an error; else it has a sentence about them under TOO_MANY.
    """
    name = "stdin" if path == "-" else path
    reader = None
    if path != "-" and Path(path).is_dir():
        raise InputError(f"{name} is a folder, not a CSV file.")
    try:
        with _open(path) as file:
            reader = csv.reader(file)
            names = next(filter(None, reader), [])
            _check_header(names, name)
            wide = len(names)
            for values in reader:
                if len(values) > wide:
                    more = f"line {reader.line_num}: {counted(len(values) - wide, 'value')} more than the header has columns."
                    if strict:
                        raise InputError(f"{name}, {more}")
                    yield dict(zip(names, values, strict=False)) | {TOO_MANY: f"{more[:1].upper()}{more[1:]}"}
                elif values:  # an empty line is none
                    # Cells that a line lacks at its end are empty.
                    yield dict(
                        zip(names, values if len(values) == wide else values + [""] * (wide - len(values)), strict=True)
                    )
    except FileNotFoundError:
        raise InputError(f"{name} does not exist.") from None
    except UnicodeDecodeError:
        raise InputError(f"{name} is not a text file in UTF-8.") from None
    except csv.Error:
        line = f", line {reader.line_num:,}" if reader is not None else ""
        raise InputError(
            f"{name}{line} cannot be read as CSV: a field is longer than {csv.field_size_limit():,} characters."
        ) from None
    except OSError as error:
        raise InputError(f"Cannot read {name}: {error.strerror or error}.") from None


def _open(path: str) -> io.TextIOBase:
    # utf-8-sig: spreadsheets write a byte-order mark before the first column's name.
    if path == "-":
        if sys.stdin is None:
            raise InputError("stdin is closed: there is nothing to read.")
        return io.TextIOWrapper(io.BytesIO(sys.stdin.buffer.read()), encoding="utf-8-sig", newline="")
    return Path(path).open(encoding="utf-8-sig", newline="")


def _check_header(names: Sequence[str], name: str) -> None:
    if not any(word.strip() for word in names):
        raise InputError(f"{name} is empty.")
    twice = next((word for word in names if word and list(names).count(word) > 1), None)
    if twice:
        raise InputError(f"{name} has two columns named {twice!r}.")
    if any("\x00" in word for word in names):
        raise InputError(f"{name} is not a text file in UTF-8.")
