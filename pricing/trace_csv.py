"""The columns of a trace that is CSV, by whichever separator its header has."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, BinaryIO

from models.errors import InputError, brief
from pricing import trace_file
from pricing.trace_file import SEPARATORS, first_rows, opened, rows

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    import pandas as pd


def key(name: object) -> str:
    """A column's name as names are compared."""
    return str(name).strip().lower()


def header(path: Path, known: Collection[str]) -> tuple[list[str], str]:
    """The names of the columns, and the separator under which most of them are known."""
    found = {separator: next(iter(first_rows(path, separator, 1)), []) for separator in SEPARATORS}
    best = max(SEPARATORS, key=lambda separator: sum(key(name) in known for name in found[separator]))
    return found[best], best


def table(file: BinaryIO, path: Path, names: Sequence[str], known: Collection[str], separator: str) -> pd.DataFrame:
    """The columns that count, as texts and numbers. Raises InputError naming the line of what is no table."""
    import pandas as pd  # a million rows: csv of the standard library takes several times as long

    # Rows with too many values are refused by pandas only where it reads every column.
    some = not all(key(name) in known for name in names)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # numbers and texts in one column: what is wrong is told with its line
            frame: pd.DataFrame = pd.read_csv(
                file,
                sep=separator,
                usecols=(lambda name: key(name) in known) if some else None,
                skipinitialspace=True,
                index_col=False,
                nrows=trace_file.MOST_ROWS + 1,
            )
    except UnicodeDecodeError:
        raise
    except pd.errors.EmptyDataError:
        raise InputError(f"{path} is empty.") from None
    except (ValueError, pd.errors.ParserError):
        raise _broken(path, len(names), separator) from None
    if len(frame):
        found = first_rows(path, separator)
        if len(found) == 2 and len(found[1]) > len(found[0]):  # pandas drops them, or takes them for an index
            raise _broken(path, len(names), separator)
    return frame


def _broken(path: Path, wide: int, separator: str) -> InputError:
    """What no table has, by its line: a row that is too long, else a quote that is opened and never closed."""
    last, size = 0, 0
    with opened(path) as file:
        for last, fields in rows(file, separator):
            size = max(map(len, fields))
            if len(fields) > wide:
                more = len(fields) - wide
                return InputError(
                    f"{path}, line {last:,}: {more} more value{'' if more == 1 else 's'} than the header has columns."
                )
    if size > 1 and last:
        return InputError(f"{path}, line {last:,}: a quote is opened and not closed.")
    return InputError(f"{brief(str(path))[1:-1]} cannot be read as CSV.")
