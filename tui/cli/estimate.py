"""`rackrate estimate`: one answer per row of a cases file."""

from __future__ import annotations

import gc
import re
import sys
from itertools import chain, islice
from typing import TYPE_CHECKING

import numpy as np

from models.case_input import INPUT_COLUMNS, parse_case
from models.cases import OUTPUT_COLUMNS, answer_columns
from models.errors import InputError
from pricing.export import safe
from tui.cli.output import STDOUT, counted, flat, read_csv, say, write_file
from tui.own_constants import use_own

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

CHUNK_ROWS = 8000
"""Large enough for the vectorised estimator, small enough that a long file answers at once."""
_QUOTE = '"'
_SPECIAL = re.compile(r'[",\r\n]')
REQUIRED = ("model", "hardware")


def run(args: argparse.Namespace) -> int:
    """Answer every row; those without an answer say why, and are counted on stderr."""
    rows = read_csv(args.cases)
    first = next(rows, None)
    if first is None:
        raise InputError(f"{args.cases} has a header but no rows.")
    missing = [name for name in REQUIRED if name not in first]
    if missing:
        raise InputError(
            f"{args.cases} has no column {' and no column '.join(missing)}.",
            hint="`rackrate estimate --help` lists the columns.",
        )
    if note := use_own():
        say(note)
    total = failed = 0
    parts: list[str] = []
    for part, count, errors in _uncollected(_answers(chain([first], rows))):
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


def _uncollected(parts: Iterator[tuple[str, int, int]]) -> Iterator[tuple[str, int, int]]:
    """The same without the garbage collector: rows are no cycles, and looking for some in all of them takes a tenth of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield from parts
    finally:
        if was:
            gc.enable()


def _answers(rows: Iterator[dict[str, str]]) -> Iterator[tuple[str, int, int]]:
    """CSV text, rows and errors of one chunk after the other; the header comes with the first."""
    header: tuple[tuple[str, ...], ...] = (OUTPUT_COLUMNS,)
    while chunk := list(islice(rows, CHUNK_ROWS)):
        cases = [parse_case(row) for row in chunk]
        answers = answer_columns(cases)
        raws = [case.raw for case in cases]
        # All rows of a file have the columns of its header.
        given = {name: [raw[name] for raw in raws] if name in raws[0] else [None] * len(raws) for name in INPUT_COLUMNS}
        columns = [_cells(answers[name] if name in answers else given[name]) for name in OUTPUT_COLUMNS]
        lines = map(",".join, chain(header, zip(*columns, strict=True)))
        yield "\n".join(lines) + "\n", len(cases), sum(map(bool, answers["error"]))
        header = ()


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
