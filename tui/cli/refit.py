"""`rackrate accuracy --fit`: the constants fitted anew, to the shipped rows and the user's own."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from models.constants import use
from models.fitting import refit as fitting
from tui import own_constants
from tui.cli.output import chosen_format, counted, emit, say
from tui.cli.table import Column
from tui.clock import today

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from models.fitting.refit import Refit

COLUMNS = (
    Column("file", "File", 3),
    Column("constant", "Constant", 1),
    Column("old", "Old", 2),
    Column("new", "New", 1),
    Column("change_pct", "Change %", 4),
    Column("relative_sd", "Relative sd", 5),
    Column("rows", "Rows", 6),
)


def run(args: argparse.Namespace, rows: Sequence[Mapping[str, str]], own: range) -> int:
    """Fit, print old and new, write the files if asked to.

    Args:
        rows: all rows; own: places of the user's among them.
    """
    target = Path(args.out) if args.out else None
    if target:
        own_constants.check_target(target)
    # Old is what the program ships, whatever fit the user has made before: the same rows give the same table.
    use(None)
    refits = fitting.refit(rows, tell=say)
    emit(fitting.table(refits), COLUMNS, chosen_format(args))
    for each in refits:
        say(_errors(each, own))
    if target is None:
        say("Nothing was written: --out FOLDER writes the constants files.")
    else:
        say(own_constants.write(target, fitting.files(refits, rows, today().isoformat())))
    return 0


def _errors(each: Refit, own: range) -> str:
    """One line a family: how far off it was and is, on the user's rows too."""
    counts = int((each.fit.problem.weight > 0).sum())
    line = f"{each.part.family.what}: {counted(counts, 'row')}, median error {_change(*each.errors())}"
    mine = each.among(own)
    if mine.any():
        line += f"; your {counted(int(mine.sum()), 'row')} {_change(*each.errors(mine))}"
    return f"{line}."


def _change(before: float, after: float) -> str:
    return "-" if math.isnan(before) else f"{before:.1f} % -> {after:.1f} %"
