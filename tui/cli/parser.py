"""The words of the command line and the help that explains them; imports nothing that costs time."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, NoReturn

from models.errors import ECHOED, InputError
from tui import __version__
from tui.advice import TOPICS
from tui.cli.advise_flags import add_topic_flags
from tui.cli.flags import (
    add_filter_flags,
    add_format_flag,
    add_own_server_flags,
    add_workload_flags,
    filled,
    limit,
    positive_number,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

COMMANDS = ("compare", "advise", "diff", "estimate", "refresh", "catalog", "offers", "accuracy", "config")
ADVICE_FORMATS = ("text", "json", "markdown", "csv")
CATALOGS = ("models", "hardware", "cpus", "quants", "engines", "workloads", "providers", "tokens")

ABOUT = """\
Which server should run this language model, and what does it cost?

rackrate compares CPU and GPU servers of clouds and dedicated hosters for one workload: does the model
fit, how fast is it, how many servers does the traffic need, what does a million tokens cost.
Without a command it opens the dashboard; when stdout is not a terminal it writes the comparison as CSV.
It uses bundled, dated prices until `rackrate refresh` fetches newer ones, and no network otherwise.
"""

COMPARE = """\
List every offer (a server at a price) for one workload: fit, latency, throughput, servers needed, cost.
Offers that meet the latency targets come first, then those that miss them, then those without an estimate.
"""

COMPARE_EXAMPLES = """\
examples:
  rackrate compare
  rackrate compare --workload rag --model Llama-3.3-70B --quant fp8 --rps 5 --limit 10
  rackrate compare --kind cpu --region eu --max-usd-month 100 --sort ttft_ms
  rackrate compare --concurrency 20 --where "gpu>=24 !spot provider:hetzner"
  rackrate compare --term all --undated --csv offers.csv

--where takes terms that must all hold; ! in front turns one round:
  hetzner "h100 sxm"        a word, or several in quotes, in provider, server, region, chip, CPU or term
  provider:aws,gcp region:eu term:spot chip:h100 processor:epyc engine:vllm
  gpu>=24 gpus=1 vram>=80 ram>=64 cores>=16     GiB of one GPU, GPUs, GiB of all GPUs, GiB of RAM, cores
  ttft<1s tpot<50ms users>=10 servers<=4        answers for your workload
  price<2 $mo<900 $mtok<0.5 age<90d             list price an hour, month, per million output tokens (in --currency), days
  cpu gpu spot monthly fits targets stock     what an offer is; any number column works by its full name

definitions:
  TTFT   time to first token: the wait before the answer starts, queueing included. With --rps requests
         arrive at random (open loop); with --concurrency each user asks again as soon as the answer is
         there, without time to think (closed loop): ten people who also read are fewer than ten users.
  TPOT   mean time between a request's output tokens after the first, prefill of others included.
  targets are compared with the mean; with --ttft-at p95 the TTFT target is for 95 of 100 requests that arrive at
         random with prompts of the stated length (ttft_p95_ms). --ttft-ms none and --tpot-ms none: no target;
         then one server is meant, and one that cannot carry the traffic alone does not meet it.
  Users  (max_concurrency) most requests at once on one server inside the targets; 0 = not even one.
  requests_per_s_at_target  most requests a second of one server inside the targets; for a server that
         misses them, its own best throughput.
  servers_needed  whole servers for your traffic at --utilization of that rate.
  utilization  your traffic / (servers_needed x requests_per_s_at_target).
  a server that misses a target keeps its figures and a cost at its own best throughput, marked and last.
  cost   whole servers x their monthly price (or 730 h) / tokens served at your traffic.
         cost_per_m_output_tokens_full_load is one server's price / what it would serve if it were always
         as busy as the targets allow: never higher, and only true for those who fill it.
  --vat and the settings' vat and [discounts] are percent. A discount is on hourly and monthly prices,
         not on setup fees. `rackrate config init` writes a file to set them in.
"""

ADVISE = """\
Say what to do, by the same estimates and prices as `compare`. Without a topic: the verdict.
"""

ADVISE_EXAMPLES = """\
examples:
  rackrate advise
  rackrate advise --workload rag --model Llama-3.3-70B --quant fp8 --rps 5 --format markdown
"""

DIFF = """\
Say what changed between two files of `rackrate compare --csv FILE`: prices, new and gone offers, estimates, and the cheapest
offer that meets the targets then and now. Exit code: 0 nothing changed, 1 something did, 2 a file cannot be used.
"""

DIFF_EXAMPLES = """\
examples:
  rackrate diff sunday.csv monday.csv
  rackrate diff sunday.csv monday.csv --by 5 --format markdown
"""

ESTIMATE = """\
Answer one row after the other of a CSV file, for any hardware of the catalog; needs no prices.
Columns in (model and hardware are required, all others optional):
  case_id model quant kv_quant engine engine_version hardware count sockets cores_used memory_channels
  memory_mts tp pp ep dp_attention input_tokens output_tokens concurrency request_rate_rps scenario
  max_model_len gpu_memory_utilization usable_vram_gib
scenario: online, server, static, offline, single_stream, bench or startup. Without prompt and answer lengths 512 and
128 tokens are taken, without an engine's version today's. basis in the answer: measured (published rows of the same
model and hardware near this load move the figure), calibrated (constants fitted on rows of this chip), extrapolated
(of others), bound (the limits of bandwidth and arithmetic alone).
A row that cannot be answered says why in its `error` column; it never stops the file.
"""

ESTIMATE_EXAMPLES = """\
examples:
  rackrate estimate cases.csv
  rackrate estimate cases.csv -o answers.csv
"""

REFRESH = """\
Fetch current prices, exchange rates and token prices. Without names: from every feed that needs no key, and from those whose
key is in the environment (`rackrate catalog providers` names the variables). All are asked at once; one that fails, or a
part of it, keeps its last good prices. Exit code: 0 all fresh, 1 some failed, 2 nothing usable.
"""

REFRESH_EXAMPLES = """\
examples:
  rackrate refresh
  rackrate refresh aws hetzner ecb
  rackrate refresh --max-age 12 --json
  rackrate refresh verda --accept verda
"""

CATALOG = """\
List what rackrate knows: names to use with --model, --quant, --engine and --workload, with their facts.
"""

CATALOG_EXAMPLES = """\
examples:
  rackrate catalog
  rackrate catalog models qwen
  rackrate catalog hardware "rtx 4090"
  rackrate catalog workloads --format markdown
  rackrate catalog tokens llama-3.3
"""

OFFERS = """\
Your own quotes and machines. They stand in servers.toml beside the settings (`rackrate config path`), are compared like
all other offers, as provider custom, and no refresh touches them. A text editor does as well: what these commands do not
change stays as it is, comments included.
"""

OFFERS_EXAMPLES = """\
examples:
  rackrate offers add colo-1 --gpu "H100 SXM" --gpu-count 8 --cpu "2x AMD EPYC 9454" --ram 1024 --hourly 18.50 --currency EUR
  rackrate offers add quote-7 --cpu "AMD EPYC 9554P" --sockets 1 --ram 384 --monthly 420 --setup 99 --commitment 12 --region eu
  rackrate offers add mine --gpu L40S --gpu-count 4 --purchase 62000 --months 48 --watts 2100 --power-price 0.22
  rackrate offers list
  rackrate offers remove quote-7

A bought machine costs purchase / months + watts x PUE x 730 h x price of a kWh + colocation, every month. Prices are taken
as they are: a discount of the settings is for them only where [discounts] names custom. A price without a day counts as
seen on the day the file was last changed.
"""

ACCURACY = """\
How far the estimates are from measured speeds, per metric and group. Without a file: on the published
measurements that ship with the program. With a file: on its rows alone. A measurements file is a cases file
with the columns metric and value, and if you like repeats, source_group and use (see `rackrate estimate --help`).
"""

ACCURACY_EXAMPLES = """\
examples:
  rackrate accuracy --by class
  rackrate accuracy measurements.csv
  rackrate accuracy measurements.csv --by engine --by hardware
  rackrate accuracy measurements.csv --leave-out gpu
  rackrate accuracy measurements.csv --fit --out constants

metrics: tpot_ms, ttft_ms, ttft_ms_p50, ttft_ms_p95, output_tokens_per_s, total_tokens_per_s, tokens_per_s_per_user,
  prompt_tokens_per_s, requests_per_s; values are of the whole system. use=excluded leaves a row out. No fit sees
  ttft_ms_p95: its rows that say use=check have lines of their own beside the last one's all.
figures: error = |predicted/measured - 1|; bias = median of predicted/measured; in band = share of the measured
  values inside the estimate's low and high; a row weighs 1/repeats. The medians of chips and of models count
  each chip and each model once, however many rows it has.

--leave-out answers for what nobody measured: each chip, model or source is predicted by constants that were
  fitted without any of its rows. Fits see the shipped rows and yours; it takes about a minute.
--fit fits all constants anew, to the shipped rows and yours together, and prints old, new, relative standard
  deviation and rows behind each. The same rows give the same constants. It takes about half a minute and writes
  nothing without --out. A folder named constants beside the settings file (`rackrate config path` says where that
  is) is used by every estimate from then on; delete it to go back to ours.
"""

CONFIG = """\
path  print where settings and prices are kept
show  print the settings in force
keys  list the dashboard's commands by place: id, keys in force, what it does. [keys] in the settings changes them:
      "filter.edit" = "/, ctrl+f"
init  write a settings file with every setting explained
"""

CONFIG_EXAMPLES = """\
examples:
  rackrate config path
  rackrate config show
  rackrate config keys
  rackrate config init
"""


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one sentence and name the nearest flag."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        kwargs.setdefault("allow_abbrev", False)
        kwargs.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]

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
    """The known word closest to what was typed, or nothing."""
    from difflib import get_close_matches  # only errors pay for it

    return next(iter(get_close_matches(word, list(known), n=1, cutoff=0.6)), "")


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
    diff.add_argument("--by", type=positive_number, metavar="PERCENT", help="leave out what moved by less")
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
