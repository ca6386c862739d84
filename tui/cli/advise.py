"""`rackrate advise`: what to do with the comparison, as text, JSON, Markdown or CSV."""

from __future__ import annotations

import importlib
import json
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from models.errors import InputError, RangeError
from pricing.compare import compare
from pricing.tokens import at_hand
from tui import format as fmt
from tui.advice.answer import answer
from tui.advice.question import Question
from tui.advice.words import plain as plain_report
from tui.cli.advise_flags import said
from tui.cli.compare import check_filters
from tui.cli.footer import summary
from tui.cli.nothing import nothing_passes
from tui.cli.output import csv_text, markdown, plain, say
from tui.cli.parser import build
from tui.cli.prices import market_of, places
from tui.cli.question import markdown_line, question
from tui.cli.table import table_width
from tui.cli.workload import filters_from, options_from, workload_from
from tui.text import wrap

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from tui.advice.report import Part, Report

WORKLOAD_FLAGS = ("rps", "concurrency", "input_tokens", "output_tokens", "model")
"""Flags that a topic's own traffic or its own choice of the model would contradict."""
MADE_OF = ("tokens_per_month", "day", "peak", "trace", "calls", "turns")
"""Flags of topics that a workload's numbers are worked out of."""
UNITS = {
    "rps": "requests/s",
    "concurrency": "users",
    "input_tokens": "tokens a prompt",
    "output_tokens": "tokens an answer",
}
LINE = 120
"""Sentences are wrapped here at the latest: longer lines are hard to read. Tables take all the room there is."""
MORE = "A wider terminal or --format json shows them."


def run(args: argparse.Namespace) -> int:
    """Answer one topic; messages go to stderr."""
    wanted = said(args, build().commands()["advise"])
    settings, store = places()
    workload, filters, options = workload_from(args), filters_from(args), options_from(args, settings, store.rates())
    topic = importlib.import_module(f"tui.advice.{args.topic}")
    if args.quant is not None:  # a topic that chooses the format keeps to it
        wanted["quant"] = args.quant.lower()
    if hasattr(topic, "prepare"):  # some topics bring a traffic of their own
        given = frozenset(name for name in WORKLOAD_FLAGS if getattr(args, name) is not None)
        with _by_what_was_said(args, wanted):
            workload = topic.prepare(workload, wanted, options, given)
    market = market_of(args, settings, store, options)
    if not len(market):
        raise InputError("There is no offer to advise on.", hint="Leave out --no-bundled, or give --prices OFFERS.csv.")
    comparison = compare(market, workload, options)
    check_filters(comparison, filters)
    asked = Question(comparison, filters, lambda: at_hand(store), wanted)
    with _by_what_was_said(args, wanted):
        found = answer(args.topic, asked)
    form = args.format or "text"
    which = topic.asked_for(wanted) if hasattr(topic, "asked_for") else ""
    write(found, form, question(workload, options, which))
    if form == "text":
        rows = asked.asked()
        if len(rows):
            say(summary(comparison, rows.tolist(), len(rows), bundled=not args.no_bundled))
        else:
            say(nothing_passes(comparison, filters, since=args.since is not None))
    return 0


@contextmanager
def _by_what_was_said(args: argparse.Namespace, wanted: Mapping[str, object]) -> Iterator[None]:
    """A number that follows from a topic's flags is told by those: a flag that nobody wrote cannot be corrected."""
    try:
        yield
    except RangeError as error:
        name = error.flag.removeprefix("--").replace("-", "_")
        causes = [f"--{cause.replace('_', '-')}" for cause in MADE_OF if cause in wanted]
        if not causes or getattr(args, name, None) == error.value:
            raise
        makes = "makes" if len(causes) == 1 else "make"
        said = f"{' and '.join(causes)} {makes} {error.value:g} {UNITS.get(name, name)}; {error.limits}."
        raise InputError(said) from None


def write(found: Report, form: str, asked: str) -> None:
    """A report on stdout, in documents with what was asked. Raises InputError where a topic has no table for CSV."""
    if form == "json":
        sys.stdout.write(json.dumps(_values(found.data), indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    elif form == "csv":
        if found.table is None:
            raise InputError(
                f"`rackrate advise {found.topic}` has no table for CSV.", hint="--format json has all of it."
            )
        rows = found.table.rows
        sys.stdout.write(csv_text(rows, list(rows[0]) if rows else [column.key for column in found.table.columns]))
    elif form == "markdown":
        parts = (line for part in found.parts for line in _markdown(part))
        sys.stdout.write("\n".join((markdown_line(asked), "", *parts)))
    else:
        cells = table_width()
        line = min(cells, LINE)
        head = "\n".join("".join(text for text, _ in words).rstrip() for words in wrap([(asked, "text")], line))
        text = f"{head}\n{plain_report(found, line, table=cells, more=MORE)}"
        utf = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")
        sys.stdout.write(text if utf else fmt.to_ascii(text))


def _markdown(part: Part) -> Iterator[str]:
    yield f"## {_escaped(part.title)}\n"
    for sentence in part.sentences:
        yield f"- {_escaped(sentence)}"
    if part.sentences:
        yield ""
    if part.table is not None and part.table.rows:
        yield "".join(markdown(part.table.rows, part.table.columns))
    for note in part.notes:
        yield f"*{_escaped(note)}*\n"


def _escaped(text: str) -> str:
    """Text that a Markdown reader shows as it is."""
    found = fmt.clean(text)
    for char in "\\`*_[]<>|":
        found = found.replace(char, f"\\{char}")
    return found


def _values(value: Any) -> Any:
    """Values JSON knows, all the way down."""
    if isinstance(value, dict):
        return {str(key): _values(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_values(one) for one in value]
    return plain(value)
