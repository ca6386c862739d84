"""`rackrate diff`: what changed between two comparisons; exit code 0 nothing, 1 something, 2 bad input."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from pricing.diff import difference
from tui import format as fmt
from tui.cli.output import chosen_format, emit, say
from tui.cli.table import Column

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from pricing.diff import Difference

KEYS = ("change", "offer_id", "provider", "server", "column", "old", "new", "percent", "monthly_cost")
SHOWN = 40
"""Lines of a table; the other formats have all."""


def run(args: argparse.Namespace) -> int:
    """Compare two files, say it in a sentence, list the changes; silent where there are none and nobody looks."""
    found = difference(args.old, args.new, args.by or 0.0, args.only)
    form = chosen_format(args)
    rows = [{"change": one.kind, **{key: getattr(one, key) for key in KEYS[1:]}} for one in found.changes]
    # cron mails whatever is printed: that nothing changed is said to a person only.
    heard = bool(rows) or sys.stderr.isatty()
    for message in (found.doubt, found.moved if heard else "", sentence(found, args.by, args.only) if heard else ""):
        if message:
            say(message)
    shown = rows[:SHOWN] if form == "table" else rows
    columns = (
        Column("change", "Change", 1), Column("provider", "Provider", 3), Column("server", "Server", 1, widest=28),
        Column("column", "What", 1),
        Column("old", "Was", 2, widest=24), Column("new", "Is", 2, widest=24),
        Column("percent", "%", 1, lambda value: fmt.MISSING if value is None else f"{value:+.1f}"),
        Column("monthly_cost", f"{found.currency}/month", 4),
    )  # fmt: skip
    if shown or form == "json":  # an empty list is JSON, an empty text is none
        emit(shown, columns, form)
    if len(rows) > len(shown):
        say(f"{len(shown)} of {len(rows):,} changes; --format csv has all.")
    return 1 if rows else 0


def sentence(found: Difference, least_percent: float | None = None, only: Sequence[str] = ()) -> str:
    """How much changed, and the cheapest offer then and now; with `only` what was not asked about is not counted."""
    if not found.changes:
        nothing = f"Nothing changed that --only {','.join(only)} asks for" if only else "Nothing changed"
        least = "" if least_percent is None else f" by {least_percent:g} % or more"
        return f"{nothing}{least}; cheapest that meets the targets is {_named(found.best_now, found.currency)}."
    counts = [
        (fmt.few(found.count("dearer"), "offer") + " dearer", "dearer"),
        (f"{found.count('cheaper')} cheaper", "cheaper"),
        (f"{found.count('new')} new", "new"),
        (f"{found.count('gone')} gone", "gone"),
        (f"{found.now_meeting:,} meet the targets only now" if found.now_meeting else "", "targets"),
        (f"{found.now_missing:,} meet them no more" if found.now_missing else "", "targets"),
        (f"{found.count('stock')} in or out of stock" if found.count("stock") else "", "stock"),
        (f"{found.count('other')} with other figures", "other"),
    ]
    told = [text for text, kind in counts if text and (not only or kind in only)]
    before, now = _named(found.best_before, found.currency), _named(found.best_now, found.currency)
    best = (
        f"cheapest that meets the targets is still {now}"
        if before == now
        else f"cheapest that meets the targets was {before}, is {now}"
    )
    return f"{', '.join(told)}; {best}."


def _named(row: Mapping[str, str] | None, currency: str) -> str:
    if row is None:
        return "none"
    cost = float(row["monthly_cost"])
    return fmt.clean(f"{row['provider']} {row['server']} at {fmt.money(cost, currency)} a month")
