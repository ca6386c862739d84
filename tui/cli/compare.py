"""`rackrate compare`: every offer for one workload, ranked, in four formats."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING, Any

from models.errors import InputError, UnknownNameError, brief
from models.practical import STALE_DAYS
from models.verdict import verdict
from pricing import export
from pricing.asked import selection_text
from pricing.asserting import condition, unmet
from pricing.compare import COMPARE_COLUMNS, compare
from pricing.filters import DEFAULT_TERMS, region_mask, usual_sort
from pricing.offer import GROUP_WORDS, REGION_GROUPS
from pricing.own_facts import PROVIDER
from pricing.provider import providers
from tui import format as fmt
from tui import rows
from tui.cli.footer import left_out, summary
from tui.cli.nothing import nothing_passes
from tui.cli.output import STDOUT, chosen_format, counted, say, show_table, write_file
from tui.cli.parser import nearest
from tui.cli.prices import market_of, places
from tui.cli.question import markdown_line, question
from tui.cli.table import Column, table_width
from tui.cli.workload import filters_from, options_from, workload_from

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from pricing.compare import Comparison
    from pricing.filters import Filters
    from pricing.where import Where

WIDE_ENOUGH = 110
"""On fewer columns names are shortened, so that no figure has to go for them."""
TABLE_ROWS = 30
"""A table on a terminal is read from the top; the other formats are whole."""
LARGEST_FIRST = frozenset(
    {"tokens_per_s_user", "output_tokens_per_s", "total_tokens_per_s", "requests_per_s", "max_concurrency"}
)


def run(args: argparse.Namespace) -> int:
    """Compare, then write what was asked for; messages go to stderr."""
    settings, store = places()
    workload, filters, options = workload_from(args), filters_from(args), options_from(args, settings, store.rates())
    column, descending = sort_column(args.sort or usual_sort(workload))
    form = "csv" if args.csv == STDOUT else chosen_format(args)
    if args.csv == STDOUT and args.format not in {None, "csv"}:
        raise InputError(f"--csv - and --format {args.format} would both write to stdout.")
    market = market_of(args, settings, store, options)
    if not len(market):
        raise InputError("There is no offer to compare.", hint="Leave out --no-bundled, or give --prices OFFERS.csv.")
    conditions = [condition(text) for text in args.asserted]
    comparison = compare(market, workload, options)
    check_filters(comparison, filters)
    found = comparison.select(filters, sort=column, descending=descending)
    # A table on a terminal is cut for reading; what is written for programs is not, unless that was asked for.
    limit = (TABLE_ROWS if form == "table" else 0) if args.limit is None else args.limit
    shown, filed = (found[:most] if most else found for most in (limit, args.limit))

    def selected(part: Any, most: int) -> str:
        cut = bool(args.limit) or len(part) < len(found)
        return selection_text(
            filters,
            first=f"{most} by {column}{', largest first' if descending else ''}" if cut else "",
            since=args.since,
            bundled=not args.no_bundled,
            listed=bool(args.prices),
        )

    selection = selected(shown, limit)
    if form == "table":
        say(question(workload, options))
    if not len(found):  # a program that reads nothing wants to know why as well
        say(nothing_passes(comparison, filters, since=args.since is not None))
    if args.csv and args.csv != STDOUT:
        write_file(args.csv, csv_of(comparison, filed.tolist(), selected(filed, args.limit or 0)))
        say(f"Wrote {counted(len(filed), 'offer')} to {args.csv}.")
        if args.format is None and not sys.stdout.isatty():
            return _asserted(comparison, found, conditions)
    if form == "table" and len(found):
        say(verdict(comparison, found).sentence)
    write(comparison, shown.tolist(), form, selection)
    if form == "table":
        if len(found):
            say(summary(comparison, found.tolist(), len(shown), bundled=not args.no_bundled))
        if hidden := left_out(filters.left_out(comparison), since=args.since):
            say(hidden)
    return _asserted(comparison, found, conditions)


def _asserted(comparison: Comparison, found: Any, conditions: Sequence[Where]) -> int:
    """Exit code: 1 where no offer that is found meets the conditions, which is then said."""
    why = unmet(comparison, found, conditions) if conditions else None
    if why is not None:
        say(fmt.clean(why))
    return 0 if why is None else 1


def write(comparison: Comparison, shown: Sequence[int], form: str, selection: str) -> None:
    """The chosen offers on stdout in one of the four formats."""
    if form == "csv":
        export.write_csv(sys.stdout, export.rows(comparison, shown, selection))
    elif form == "json":
        sys.stdout.write(export.rows_json(export.rows(comparison, shown, selection)) + "\n")
    elif form == "markdown":
        asked = markdown_line(question(comparison.workload, comparison.terms))
        sys.stdout.write(f"{asked}\n\n{export.markdown(export.rows(comparison, shown))}")
    elif shown:
        rows_shown = table_rows(comparison, shown)
        show_table(rows_shown, columns(comparison.terms.currency, rows_shown, table_width()))


def csv_of(comparison: Comparison, shown: Sequence[int], selection: str) -> str:
    """The chosen offers as the text of a CSV file."""
    text = io.StringIO()
    export.write_csv(text, export.rows(comparison, shown, selection))
    return text.getvalue()


def check_filters(comparison: Comparison, filters: Filters) -> None:
    """A provider or region that nobody has is a typing error, not an empty answer. Raises InputError."""
    known = set(comparison.market.column("provider"))
    for name in filters.providers:
        if name.lower() == PROVIDER and PROVIDER not in known:
            raise InputError(
                "There are no servers of your own yet.", hint="`rackrate offers add --help` shows how to add one."
            )
        if name.lower() not in known and name.lower() not in (known := known | set(providers())):
            raise UnknownNameError("provider", name, tuple(filter(None, [nearest(name.lower(), known)])))
    for name in filters.regions:
        if name.lower() not in {*REGION_GROUPS, *GROUP_WORDS} and not region_mask(comparison, (name,)).any():
            raise InputError(
                f"No offer is in the region {brief(name)}.",
                hint="Give a region, the beginning of one, or eu, us, asia or other.",
            )


def sort_column(asked: str) -> tuple[str, bool]:
    """The column and whether the largest comes first: by itself where more is better, a leading - reverses."""
    name = asked.removeprefix("-")
    if name not in COMPARE_COLUMNS:
        close = nearest(name, COMPARE_COLUMNS)
        raise InputError(
            f"--sort cannot be {brief(name)}.",
            hint=f"Did you mean {close}?" if close else "`rackrate compare --format csv | head -1` lists the columns.",
        )
    return name, (name in LARGEST_FIRST) != asked.startswith("-")


def columns(currency: str, shown: Sequence[Mapping[str, object]], cells: int) -> tuple[Column, ...]:
    """The printed columns; the comparison's other columns are in CSV and JSON.

    What tells the shown rows apart is kept longest: a miss among those that meet, a spot price among the lasting ones.
    """
    misses = any(not row["meets_targets"] for row in shown)
    unusual = any(row["price_term"] not in DEFAULT_TERMS for row in shown)
    narrow = cells < WIDE_ENOUGH
    return (
        Column("server", "Server", 1, widest=16 if narrow else 24),
        Column("hardware", "Hardware", 3, widest=22 if narrow else 30),
        Column("provider", "Provider", 14),
        Column("region", "Where", 16, widest=16),
        Column("term", "Term", 5 if unusual else 17),
        Column("memory_used_share", "Mem %", 11, fmt.share),
        Column("ttft_ms", "TTFT ms", 7, fmt.milliseconds),
        Column("tokens_per_s_user", "tok/s·u", 9),
        Column("output_tokens_per_s", "tok/s Σ", 15),
        Column("max_concurrency", "Users", 13, fmt.count),
        Column("servers_needed", "Servers", 8, fmt.count),
        Column("monthly_cost", f"{currency}/month", 4, mark="stale", mark_means=STALE),
        Column("cost_per_m_output_tokens", f"{currency}/Mtok", 2),
        Column("meets_targets", "Meets", 6 if misses else 10),
        Column("bound_by", "Limited by", 12, told=True),
        Column("age", "Price age", 18),
        Column("reason", "Why not", 11, wrap=True),
    )


STALE = f"price older than {STALE_DAYS} days, or not to be had now."


def table_rows(comparison: Comparison, shown: Sequence[int]) -> list[dict[str, object]]:
    """The comparison's rows with the cells that are put together for reading."""
    return [_table_row(comparison, int(i)) for i in shown]


def _table_row(comparison: Comparison, i: int) -> dict[str, object]:
    row = comparison.row(i)
    offer = comparison.market.offers[i]
    return {
        **row,
        "server": rows.server(offer),
        "hardware": rows.hardware(offer),
        "term": rows.term(offer),
        "price_term": offer.term,
        "stale": (row.get("price_age_days") or 0) > STALE_DAYS or bool(comparison.market.out_of_stock[i]),
        "region": offer.region or offer.region_group,
        "memory_used_share": float(comparison.column("memory_used_share")[i]),
        "age": fmt.age(row["price_age_days"]) if row.get("price_age_days") is not None else "undated",
        "reason": "" if row.get("meets_targets") else row.get("reason"),
    }
