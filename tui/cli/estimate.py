"""`rackrate estimate`: one answer per row of a cases file."""

from __future__ import annotations

import csv
import gc
import io
import sys
from itertools import chain, islice
from typing import TYPE_CHECKING

import numpy as np

from models.cases import OUTPUT_COLUMNS, estimate_rows
from models.errors import InputError
from pricing.export import safe
from tui.cli.output import STDOUT, counted, flat, read_csv, say, write_file
from tui.own_constants import use_own

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

CHUNK_ROWS = 8000
"""Large enough for the vectorised estimator, small enough that a long file answers at once."""
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
        answers = estimate_rows(chunk)
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerows(header)
        columns = [_cells([answer.get(name) for answer in answers]) for name in OUTPUT_COLUMNS]
        writer.writerows(zip(*columns, strict=True))
        yield out.getvalue(), len(answers), sum(bool(answer.get("error")) for answer in answers)
        header = ()


class _Seen(dict[object, object]):
    """Cells by value, each written once: the values of one column are of one type."""

    def __missing__(self, value: object) -> object:
        cell = self[value] = safe(flat(value))
        return cell


def _cells(values: list[object]) -> list[object]:
    """A column as `output.csv_text` writes it: most texts repeat, and figures have one format."""
    kinds = set(map(type, values)) - {type(None)}
    if kinds == {float}:
        return _figures(values)
    if not kinds or (len(kinds) == 1 and kinds <= {str, bool, int}):
        return list(map(_Seen().__getitem__, values))
    return [safe(flat(value)) for value in values]


def _figures(values: list[object]) -> list[object]:
    """A column of figures, formatted in one go; tiny and huge ones and those that are nearly whole have forms of their own."""
    numbers = np.array(values, dtype=np.float64)
    numbers[np.isinf(numbers)] = np.nan
    size = np.abs(numbers)
    away = np.abs(numbers - np.rint(numbers))
    plain = (size > 1e-3) & (size < 1e9) & ((away == 0) | (away > 1e-8 * size))
    cells: list[object] = list(("%.10g\n" * len(numbers) % tuple(numbers.tolist())).split("\n")[:-1])
    for i in np.flatnonzero(~plain).tolist():
        cells[i] = safe(values[i])
    return cells
