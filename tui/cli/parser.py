"""The words of the command line and how mistakes in them are told; imports nothing that costs time."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, NoReturn

from models.errors import ECHOED, InputError
from tui import __version__
from tui.advice import TOPICS
from tui.cli.advise_flags import add_topic_flags
from tui.cli.flags import (
    CHANGES,
    add_filter_flags,
    add_format_flag,
    add_own_server_flags,
    add_workload_flags,
    changes,
    filled,
    limit,
    positive_number,
)
from tui.cli.help_texts import (
    ABOUT,
    ACCURACY,
    ACCURACY_EXAMPLES,
    ADVISE,
    ADVISE_EXAMPLES,
    CATALOG,
    CATALOG_EXAMPLES,
    COMPARE,
    COMPARE_EXAMPLES,
    CONFIG,
    CONFIG_EXAMPLES,
    DIFF,
    DIFF_EXAMPLES,
    ESTIMATE,
    ESTIMATE_EXAMPLES,
    OFFERS,
    OFFERS_EXAMPLES,
    REFRESH,
    REFRESH_EXAMPLES,
)
from tui.cli.once import Once

if TYPE_CHECKING:
    from collections.abc import Iterable

COMMANDS = ("compare", "advise", "diff", "estimate", "refresh", "catalog", "offers", "accuracy", "config")
ADVICE_FORMATS = ("text", "json", "markdown", "csv")
CATALOGS = ("models", "hardware", "cpus", "quants", "engines", "workloads", "providers", "tokens")


_NEGATIVE = re.compile(r"^-[\d.]")


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one sentence and name the nearest flag."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        kwargs.setdefault("allow_abbrev", False)
        kwargs.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        for kind in (None, "store"):
            self.register("action", kind, Once)
        # -1/2, -5% and -1e9 are values, and told as what they are; no flag of ours begins with a digit.
        self._negative_number_matcher = _NEGATIVE

    def error(self, message: str) -> NoReturn:
        """Raise instead of printing the usage and leaving."""
        raise InputError(_brief(_plain(message)), hint=_brief(self._hint(message)))

    def _hint(self, message: str) -> str:
        unknown = re.search(r"unrecognized arguments: (-\S+)", message)
        if unknown:
            flag = unknown[1].split("=")[0]
            command = next((c for c, sub in self.commands().items() if flag in sub.flags()), None)
            if command:
                return f"It belongs to a command: {self.prog} {command} {flag}."
            close = nearest(flag, [*self.flags(), *(one for sub in self.commands().values() for one in sub.flags())])
            if close:
                return f"Did you mean {close}?"
        choice = re.search(r"invalid choice: (['\"])(.*)\1 \(choose from (.*)\)", message, re.DOTALL)
        if choice:
            close = nearest(choice[2], [word.strip(" '\"") for word in choice[3].split(",")])
            if close:
                return f"Did you mean {close}?"
            return f"It is one of {choice[3].replace(chr(39), '')}."
        return f"See {self.prog} --help."

    def flags(self) -> list[str]:
        """Every flag this parser knows, for suggestions."""
        return [flag for action in self._actions for flag in action.option_strings if flag.startswith("--")]

    def commands(self) -> dict[str, Parser]:
        """The parsers of the commands, by name."""
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001  # argparse has no public way
                return dict(action.choices)
        return {}


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word closest to what was typed; nothing where it is another word rather than a slip."""
    from difflib import get_close_matches  # only errors pay for it

    from models.names import edits

    typed = word.lstrip("-").lower()
    for close in get_close_matches(word, list(known), n=3, cutoff=0.6):
        plain = close.lstrip("-").lower()
        begins = plain.startswith(typed) or typed.startswith(plain)
        if begins or edits(typed, plain) <= max(len(plain), len(typed)) // 3:
            return close
    return ""


def _brief(sentence: str) -> str:
    """The sentence with the long words in it shortened: a pasted text is named by its beginning."""
    return re.sub(rf"(\S{{{ECHOED}}})[^\s']{{8,}}", r"\1…", sentence)


def _plain(message: str) -> str:
    """Argparse's wording as one sentence a person would say."""
    rules = (
        (r"unrecognized arguments: (-\S+).*", r"Unknown flag \1."),
        (r"unrecognized arguments: (.*)", r"Unexpected word: \1."),
        (r"argument COMMAND: invalid choice: (.*) \(choose from .*", r"Unknown command \1."),
        (r"argument (\S+?)(?:/\S+)?: invalid choice: (.*) \(choose from .*", r"\1 cannot be \2."),
        (r"argument (\S+?)(?:/\S+)?: expected (?:one|at least one) argument", r"\1 needs a value."),
        (r"argument (\S+?)(?:/\S+)?: not allowed with argument (\S+)", r"\1 and \2 exclude each other."),
        (r"the following arguments are required: (.*)", r"Missing: \1."),
        (r"argument (\S+?)(?:/\S+)?: (.*)", r"\1: \2"),
    )
    for pattern, answer in rules:
        text, found = re.subn(f"^{pattern}$", answer, message, flags=re.DOTALL)
        if found:
            return text if text.endswith(".") else f"{text}."
    return f"{message[:1].upper()}{message[1:]}."


def build() -> Parser:
    """The whole command line."""
    parser = Parser(
        prog="rackrate",
        description=ABOUT,
        epilog="examples:\n  rackrate\n  rackrate compare --workload chat --kind cpu --limit 10\n"
        "  rackrate catalog models llama\n\n`rackrate COMMAND --help` explains a command, with examples.",
    )
    parser.add_argument(
        "--ascii", action="store_true", help="open the dashboard with signs of ASCII only (as RACKRATE_ASCII=1 does)"
    )
    parser.add_argument("--version", action="version", version=f"rackrate {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)

    def add(name: str, short: str, about: str, examples: str) -> Parser:
        return commands.add_parser(name, help=short, description=about, epilog=examples)

    compare = add("compare", "rank servers for a workload", COMPARE, COMPARE_EXAMPLES)
    add_workload_flags(compare)
    add_filter_flags(compare)
    output = compare.add_argument_group("output")
    add_format_flag(output)
    output.add_argument(
        "--csv", type=filled, metavar="FILE", help="write the comparison to FILE, whole or not at all; - is stdout"
    )
    output.add_argument(
        "--assert", dest="asserted", type=filled, action="append", default=[], metavar="EXPR",
        help='exit 1 where no offer that meets the targets meets this too: "cost_per_m_output_tokens < 0.5"; may be repeated',
    )  # fmt: skip
    output.add_argument(
        "--sort",
        type=filled,
        metavar="COL",
        help="rank by this column; -COL reverses (default: cost_per_m_output_tokens, with --concurrency monthly_cost: the cheapest first)",
    )
    output.add_argument(
        "--limit", metavar="N", type=limit, help="at most N offers, 0 = all (default: 30 on a terminal, else all)"
    )

    advise = add("advise", "what to rent, and why", ADVISE, ADVISE_EXAMPLES)
    advise.add_argument(
        "topic", metavar="TOPIC", nargs="?", choices=TOPICS, default="verdict",
        help=f"one of: {', '.join(TOPICS)} (default verdict)",
    )  # fmt: skip
    add_workload_flags(advise)
    add_filter_flags(advise)
    add_topic_flags(advise)
    advise.add_argument("--format", choices=ADVICE_FORMATS, help="text, json, markdown or csv (default text)")

    diff = add("diff", "what changed between two comparisons", DIFF, DIFF_EXAMPLES)
    diff.add_argument("old", metavar="OLD.csv", help="an earlier comparison")
    diff.add_argument("new", metavar="NEW.csv", help="a later one")
    diff.add_argument("--by", type=positive_number, metavar="PERCENT", help="leave out figures that moved by less")
    diff.add_argument(
        "--only", type=changes, metavar="KIND,...", action="extend", default=[],
        help=f"only these changes are printed and make exit code 1: {', '.join(CHANGES)}",
    )  # fmt: skip
    add_format_flag(diff)

    estimate = add("estimate", "answer a CSV of cases", ESTIMATE, ESTIMATE_EXAMPLES)
    estimate.add_argument("cases", metavar="CASES.csv", help="file of cases; - reads stdin")
    estimate.add_argument(
        "-o", "--output", type=filled, metavar="OUT.csv", help="write here, whole or not at all; - is stdout (default)"
    )

    refresh = add("refresh", "fetch current prices", REFRESH, REFRESH_EXAMPLES)
    refresh.add_argument(
        "providers", metavar="PROVIDER", nargs="*", help="only these (`rackrate catalog providers` lists them)"
    )
    refresh.add_argument(
        "--max-age", metavar="HOURS", type=positive_number, help="skip a provider refreshed within HOURS"
    )
    refresh.add_argument(
        "--timeout",
        metavar="S",
        type=positive_number,
        help="give up on a provider after S seconds, retries included (default 60, more for the largest lists)",
    )
    refresh.add_argument(
        "--accept", metavar="PROVIDER", action="append", default=[],
        help="take prices of PROVIDER that were held back because too much changed at once; may be repeated",
    )  # fmt: skip
    refresh.add_argument("--json", action="store_true", help="print the report as JSON")

    catalog = add("catalog", "list known models, hardware, workloads", CATALOG, CATALOG_EXAMPLES)
    catalog.add_argument(
        "what",
        metavar="WHAT",
        nargs="?",
        choices=CATALOGS,
        help=f"one of: {', '.join(CATALOGS)}; without it, what they hold",
    )
    catalog.add_argument("search", metavar="SEARCH", nargs="*", help="only entries that hold all these words")
    add_format_flag(catalog)

    offers = add("offers", "your own quotes and machines: add, list, remove", OFFERS, OFFERS_EXAMPLES)
    actions = offers.add_subparsers(
        dest="action", metavar="add|list|remove", required=True, parser_class=Parser, help="what to do"
    )
    added = actions.add_parser("add", help="add a server, or replace it", description=OFFERS, epilog=OFFERS_EXAMPLES)
    add_own_server_flags(added)
    listed = actions.add_parser("list", help="show them with price and line", description="Show your own servers.")
    add_format_flag(listed)
    removed = actions.add_parser("remove", help="remove a server", description="Cut one server out of servers.toml.")
    removed.add_argument("name", type=filled, metavar="NAME", help="its name")

    accuracy = add("accuracy", "score the estimator against measurements", ACCURACY, ACCURACY_EXAMPLES)
    accuracy.add_argument(
        "measurements", metavar="MEASUREMENTS.csv", nargs="?",
        help="file of measured speeds; - reads stdin (default: those that ship with the program)",
    )  # fmt: skip
    accuracy.add_argument(
        "--by", metavar="COL", action="append", default=[],
        help="group by this: metric, class, engine, scenario, load, model_kind, hardware, model, source, source_group, "
        "quant, basis; may be repeated (default class, scenario, metric)",
    )  # fmt: skip
    accuracy.add_argument("--with-bundled", action="store_true", help="score the shipped rows together with the file's")
    accuracy.add_argument(
        "--leave-out", metavar="GROUP", choices=("gpu", "model", "source"),
        help="predict every row by constants fitted without its gpu (chip or CPU), model or source",
    )  # fmt: skip
    accuracy.add_argument(
        "--fit", action="store_true", help="fit the constants to the shipped rows and the file's; print old and new"
    )
    accuracy.add_argument(
        "--out", type=filled, metavar="FOLDER",
        help="with --fit: write the constants files to FOLDER; named constants, beside the settings file, they are used",
    )  # fmt: skip
    add_format_flag(accuracy)

    config = add("config", "where settings are, and what they say", CONFIG, CONFIG_EXAMPLES)
    config.add_argument(
        "action", metavar="path|show|keys|init", choices=("path", "show", "keys", "init"), help="what to do"
    )
    return parser
