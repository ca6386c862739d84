"""`rackrate accuracy`: how far the estimator is from measured speeds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from models.accuracy import score
from models.errors import InputError
from tui.cli.output import chosen_format, emit, read_csv, say
from tui.cli.table import Column

if TYPE_CHECKING:
    import argparse

REQUIRED = ("model", "hardware", "metric", "value")


def run(args: argparse.Namespace) -> int:
    """Score every row whose metric is known; rows without an estimate are counted, not dropped silently."""
    rows = list(read_csv(args.measurements))
    if not rows:
        raise InputError(f"{args.measurements} has a header but no rows.")
    missing = [name for name in REQUIRED if name not in rows[0]]
    if missing:
        raise InputError(
            f"{args.measurements} has no column {' and no column '.join(missing)}.",
            hint=f"Its columns: {', '.join(rows[0])}.",
        )
    scored = score(rows, by=args.by) if args.by else score(rows)
    if not scored:
        say("No row of the file can be scored.")
        return 1
    emit(
        scored,
        [Column(key, key.replace("_pct", " %").replace("_", " "), place) for place, key in enumerate(scored[0], 1)],
        chosen_format(args),
    )
    return 0
