"""`rackrate accuracy`: how far the estimator is from measured speeds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from models.accuracy import METRICS, SCORE_COLUMNS, check_groups, score
from models.cases import estimate_rows
from models.errors import InputError, brief
from models.measured_rows import measured_rows
from tui.cli.output import STDOUT, chosen_format, counted, emit, read_csv, say
from tui.cli.table import Column
from tui.own_constants import use_own

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

REQUIRED = ("model", "hardware", "metric", "value")
LEAVE_OUT = "Leave the cell empty where a configuration was measured once."
HEADERS = {
    "rows": ("Rows", 3),
    "answered": ("Answered", 8),
    "median_error_pct": ("Median error %", 1),
    "mean_error_pct": ("Mean %", 4),
    "bias": ("Bias", 5),
    "inside_band_pct": ("In band %", 4),
    "band_width": ("Band high/low", 7),
    "chips": ("Chips", 8),
    "macro_median_error_pct": ("Median of chips %", 3),
    "models": ("Models", 9),
    "macro_median_models_error_pct": ("Median of models %", 6),
}
"""Column -> header and priority of the printed table."""


def run(args: argparse.Namespace) -> int:
    """Score rows, by constants fitted without each group or as they are; or fit the constants anew."""
    _check(args)
    by = check_groups(args.by)
    own = _read(args.measurements) if args.measurements else []
    shipped = measured_rows()
    # Fits see both: a handful of rows alone would say nothing about most constants.
    rows = [*shipped, *own]
    mine = range(len(shipped), len(rows))
    if args.fit:
        from tui.cli import refit

        return refit.run(args, rows, mine)
    if note := use_own():
        say(note)
    ratios = None
    if args.leave_out:
        from models.fitting.families import left_out

        ratios = left_out(rows, args.leave_out, tell=say)
    first = mine.start if own and not args.with_bundled else 0
    scored = score(rows[first:], by=by, ratios=ratios and ratios[first:])
    if own and not args.with_bundled and not any(line["answered"] for line in scored):
        raise InputError(f"No row of {args.measurements} can be scored: {_why(own)}")
    if not own and not args.leave_out:
        say(
            "These are the rows that the constants were fitted to; --leave-out gpu predicts every chip without its own."
        )
    emit(scored, [*(Column(name, name.replace("_", " "), 1) for name in by), *_columns()], chosen_format(args))
    return 0


def _columns() -> list[Column]:
    return [Column(name, *HEADERS[name]) for name in SCORE_COLUMNS]


def _check(args: argparse.Namespace) -> None:
    """Flags that say nothing together. Raises InputError."""
    if args.fit and (args.by or args.leave_out):
        raise InputError(
            f"--fit and {'--by' if args.by else '--leave-out'} exclude each other: a fit is scored as a whole."
        )
    if args.out and not args.fit:
        raise InputError("--out needs --fit: it is where the fitted constants go.")
    if args.with_bundled and not args.measurements:
        raise InputError("--with-bundled needs a file: without one the shipped rows are scored anyway.")
    if args.with_bundled and args.fit:
        raise InputError("--with-bundled goes without saying with --fit: a fit sees the shipped rows and yours.")


def _read(path: str) -> list[dict[str, str]]:
    """The rows of a measurements file. Raises InputError where it is none."""
    rows = list(read_csv(path))
    if not rows:
        raise InputError(f"{path} has a header but no rows.")
    missing = [name for name in REQUIRED if name not in rows[0]]
    if missing:
        raise InputError(
            f"{path} has no column {' and no column '.join(missing)}.", hint=f"Its columns: {', '.join(rows[0])}."
        )
    if not any(row["metric"] in METRICS for row in rows):
        metric = brief(rows[0]["metric"], 40)
        raise InputError(
            f"{path} has no metric to score, such as {metric}.", hint=f"It is one of {', '.join(METRICS)}."
        )
    unread = sum(not _is_above_zero(row["value"]) for row in rows)
    if unread == len(rows):
        raise InputError(f"{path} has no value above zero.", hint="Each row says in value what was measured.")
    if unread:
        say(f"{counted(unread, 'row')} of {path} without a value above zero: not counted as answered.")
    whole = [row for row in rows if _is_count(row.get("repeats"))]
    if not whole:
        raise InputError(
            f"{path}: repeats is {brief(rows[0]['repeats'], 40)}; it is a number from 1 up.", hint=LEAVE_OUT
        )
    if len(whole) < len(rows):
        bad = next(row for row in rows if not _is_count(row.get("repeats")))
        left = counted(len(rows) - len(whole), "row")
        say(f"{left} of {path} left out: repeats is a number from 1 up, not {brief(bad['repeats'], 40)}.")
    rows = whole
    name = "stdin" if path == STDOUT else Path(path).name
    return [{**row, "source_group": _group(row, name)} for row in rows]


def _group(row: Mapping[str, str], name: str) -> str:
    """What is left out together as one source: the row's own word for it, or the file."""
    return row.get("source_group") or row.get("source") or name


def _why(rows: Sequence[Mapping[str, str]]) -> str:
    """What is wrong with the first row that has no answer, in the estimator's words."""
    errors = (str(row["error"]) for row in estimate_rows(rows, pull=False) if row["error"])
    return next(errors, f"its metric must be one of {', '.join(METRICS)}, and use fit or empty.")


def _is_count(text: str | None) -> bool:
    """Whether a cell of `repeats` weighs its row: empty, or a number from 1 up."""
    try:
        return not (text or "").strip() or 1 <= float(text or "") < float("inf")
    except ValueError:
        return False


def _is_above_zero(text: str) -> bool:
    try:
        return float(text) > 0
    except ValueError:
        return False
