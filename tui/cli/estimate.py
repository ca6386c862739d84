"""`rackrate estimate`: one answer per row of a cases file."""

from __future__ import annotations

import gc
import re
import sys
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from models.case_input import ALIASES, INPUT_COLUMNS, Case, parse_case
from models.cases import OUTPUT_COLUMNS, answer_columns
from models.errors import InputError, brief
from models.names import edits
from pricing.export import safe
from tui.cli.output import STDOUT, TOO_MANY, counted, flat, read_csv, say, write_file
from tui.own_constants import use_own

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

CHUNK_ROWS = 8000
"""Large enough for the vectorised estimator, small enough that a long file answers at once."""
_QUOTE = '"'
_SPECIAL = re.compile(r'[",\r\n]')
REQUIRED = ("model", "hardware")


def run(args: argparse.Namespace) -> int:
    """Answer every row; those without an answer say why, and are counted on stderr."""
    _check_target(args)
    rows = read_csv(args.cases, strict=False)
    first = next(rows, None)
    if first is None:
        raise InputError(f"{args.cases} has a header but no rows.")
    own = _own_columns(first, args.cases)
    missing = [name for name in REQUIRED if name not in first]
    if missing:
        raise InputError(
            f"{args.cases} has no column {' and no column '.join(missing)}.",
            hint="`rackrate estimate --help` lists the columns.",
        )
    if note := use_own():
        say(note)
    if own:
        say(
            f"Not read, passed on as {'it is' if len(own) == 1 else 'they are'}: {', '.join(brief(name)[1:-1] for name in own)}."
        )
    total = failed = 0
    parts: list[str] = []
    for part, count, errors in _uncollected(_answers(chain([first], rows), own)):
        total, failed = total + count, failed + errors
        if args.output:
            parts.append(part)
        else:
            sys.stdout.write(part)
    if args.output:
        write_file(args.output, "".join(parts))
        if args.output != STDOUT:
            say(f"Wrote {counted(total, 'row')} to {args.output}.")
    if failed:
        say(f"No estimate for {failed:,} of {counted(total, 'row')}; the column error says why.")
    return 0


def _check_target(args: argparse.Namespace) -> None:
    """Answers in the place of the questions would lose what the user wrote. Raises InputError."""
    if args.output in {None, STDOUT} or args.cases == STDOUT:
        return
    source, target = Path(args.cases), Path(args.output)
    if source.exists() and target.exists() and source.samefile(target):
        raise InputError(f"-o {args.output} is the file of cases itself.", hint="Give the answers another name.")


def _own_columns(row: Mapping[str, str], path: str) -> tuple[str, ...]:
    """Columns that are the user's own. Raises InputError for one that is a known name misspelt: it would be read over."""
    read = (*INPUT_COLUMNS, *ALIASES)
    # A column without a name is what a spreadsheet leaves behind the last one.
    own = tuple(name for name in row if name not in {"", TOO_MANY, *read, *OUTPUT_COLUMNS})
    for name in own:
        meant = next((known for known in read if known not in row and _is_slip(name, known)), None)
        if meant is not None:
            raise InputError(f"{path} has a column {brief(name)}, which is not known.", hint=f"Did you mean {meant}?")
    return own


def _is_slip(name: str, known: str) -> bool:
    """Whether a name is another but for case, signs between the words, and a letter or, in long ones, two."""
    plain = re.sub(r"[\s.-]+", "_", name.strip().lower())
    allowed = 0 if len(known) < 4 else 1 if len(known) < 8 else 2
    return plain == known or (abs(len(plain) - len(known)) <= allowed and edits(plain, known) <= allowed)


def _uncollected(parts: Iterator[tuple[str, int, int]]) -> Iterator[tuple[str, int, int]]:
    """The same without the garbage collector: rows are no cycles, and looking for some in all of them takes a tenth of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield from parts
    finally:
        if was:
            gc.enable()


def _answers(rows: Iterator[dict[str, str]], own: Sequence[str] = ()) -> Iterator[tuple[str, int, int]]:
    """CSV text, rows and errors of one chunk after the other; the header comes with the first."""
    names = (*OUTPUT_COLUMNS, *own)
    header: tuple[tuple[str, ...], ...] = (tuple(map(_cell, names)),)
    while chunk := list(islice(rows, CHUNK_ROWS)):
        cases = [_case(row) for row in chunk]
        answers = answer_columns(cases)
        raws = [case.raw for case in cases]
        # All rows of a file have the columns of its header.
        given = {
            name: [raw[name] for raw in raws] if name in raws[0] else [None] * len(raws)
            for name in (*INPUT_COLUMNS, *own)
        }
        columns = [_cells(answers[name] if name in answers else given[name]) for name in names]
        lines = map(",".join, chain(header, zip(*columns, strict=True)))
        yield "\n".join(lines) + "\n", len(cases), sum(map(bool, answers["error"]))
        header = ()


def _case(row: dict[str, str]) -> Case:
    """A row's case; values without a column may have moved all others, so that none is answered."""
    if TOO_MANY in row:
        return Case({ALIASES.get(name, name): cell for name, cell in row.items()}, error=row[TOO_MANY])
    return parse_case(row, asked=True)


class _Seen(dict[object, str]):
    """Cells by value, each written once: the values of one column are of one type."""

    def __missing__(self, value: object) -> str:
        cell = self[value] = _cell(value)
        return cell


def _cell(value: object) -> str:
    """One cell as the csv module writes it: in quotes where it holds a separator, a quote or a line break."""
    text = str(safe(flat(value)))
    return f'"{text.replace(_QUOTE, _QUOTE * 2)}"' if _SPECIAL.search(text) else text


def _cells(values: Sequence[object]) -> list[str]:
    """A column as `output.csv_text` writes it: most texts repeat, and figures have one format."""
    kinds = set(map(type, values)) - {type(None)}
    if kinds == {float}:
        return _figures(values)
    if not kinds or (len(kinds) == 1 and kinds <= {str, bool, int}):
        return list(map(_Seen().__getitem__, values))
    return [_cell(value) for value in values]


def _figures(values: Sequence[object]) -> list[str]:
    """A column of figures, formatted in one go; tiny and huge ones and those that are nearly whole have forms of their own."""
    numbers = np.array(values, dtype=np.float64)
    numbers[np.isinf(numbers)] = np.nan
    size = np.abs(numbers)
    away = np.abs(numbers - np.rint(numbers))
    plain = (size > 1e-3) & (size < 1e9) & ((away == 0) | (away > 1e-8 * size))
    cells = ("%.10g\n" * len(numbers) % tuple(numbers.tolist())).split("\n")[:-1]
    for i in np.flatnonzero(~plain).tolist():
        cells[i] = str(safe(values[i]))
    return cells
