"""`rackrate estimate`: one answer per row of a cases file."""

from __future__ import annotations

import sys
from itertools import chain, islice
from typing import TYPE_CHECKING

from models.cases import OUTPUT_COLUMNS, estimate_rows
from models.errors import InputError
from tui.cli.output import STDOUT, counted, csv_text, read_csv, say, write_file
from tui.own_constants import use_own

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

CHUNK_ROWS = 2000
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
    for part, count, errors in _answers(chain([first], rows)):
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


def _answers(rows: Iterator[dict[str, str]]) -> Iterator[tuple[str, int, int]]:
    """CSV text, rows and errors of one chunk after the other; the header comes with the first."""
    header = True
    while chunk := list(islice(rows, CHUNK_ROWS)):
        answers = estimate_rows(chunk)
        text = csv_text(answers, OUTPUT_COLUMNS)
        yield text if header else text.split("\n", 1)[1], len(answers), sum(bool(a.get("error")) for a in answers)
        header = False
