"""The flags that several commands share: the workload, the filters, the format."""

from __future__ import annotations

import argparse
import re
from datetime import date
from typing import TYPE_CHECKING

from models.errors import WorkloadError, brief

if TYPE_CHECKING:
    from collections.abc import Callable

KINDS = ("cpu", "gpu")
TERMS = ("on_demand", "spot", "reserved", "savings_plan", "monthly")
FORMATS = ("table", "csv", "json", "markdown")
CHANGES = ("dearer", "cheaper", "new", "gone", "targets", "stock", "other")
"""As in `pricing.diff`, which would be loaded for --help; a test compares the two."""
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+")


def short(text: str) -> str:
    """A value as a message repeats it without quotes."""
    return brief(text)[1:-1]


def number(text: str) -> float:
    """A finite number; 1_000 is a thousand, 1,000 is refused: it may mean 1.0. Counts are read by `whole_number`."""
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{brief(text)} is not a number") from None
    if value != value or value in {float("inf"), float("-inf")}:  # NaN is unlike itself
        raise argparse.ArgumentTypeError(f"{brief(text)} is not a finite number")
    return value


def positive_number(text: str) -> float:
    """A number above zero."""
    value = number(text)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"{short(text)} is not above 0")
    return value


def ungrouped(text: str) -> str:
    """A count without the signs between its thousands: 2,000,000 and 2_000_000.

    Only where no unit follows: a count has no decimals, so 1,155 can mean one thing only, while 1,500k may be 1.5k.
    """
    word = text.strip().lower().replace("_", "")
    return word.replace(",", "") if _GROUPED.fullmatch(word) else word


MOST_COUNTED = 10**12
"""No flag counts more: as many documents are a hundred for every person on earth."""


def whole_number(text: str) -> int:
    """A whole number above zero; 4k and 1.5k are thousands (x1000), 8Ki is x1024, 2,000,000 is two million."""
    units = {"ki": 1024, "k": 1000, "m": 1_000_000}
    word = ungrouped(text)
    scale = 1
    for suffix, factor in units.items():
        if word.endswith(suffix):
            word, scale = word.removesuffix(suffix), factor
            break
    value = number(word) * scale
    if value < 1 or value != int(value):
        raise argparse.ArgumentTypeError(f"{short(text)} is not a whole number above 0")
    if value > MOST_COUNTED:
        raise argparse.ArgumentTypeError(f"{short(text)} is more than {MOST_COUNTED:,}")
    return int(value)


def limit(text: str) -> int:
    """How many rows; 0 = all."""
    if text.strip() == "0":
        return 0
    try:
        return whole_number(text)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(f"{brief(text)} is not a whole number from 0 up") from None


def target(text: str) -> float:
    """A limit in milliseconds, or `none` (returned as 0) for no limit."""
    return 0.0 if text.lower() == "none" else positive_number(text)


def share(text: str) -> float:
    """A share, 0 to 1; 80% is 0.8."""
    value = number(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{short(text)} is not between 0 and 1 (or 0% and 100%)")
    return value


def percentage(text: str) -> float:
    """A VAT rate in percent (19 or 19%), returned as a share (0.19)."""
    value = number(text.removesuffix("%"))
    if not 0 <= value <= 100:
        raise argparse.ArgumentTypeError(f"{short(text)} is not a percentage between 0 and 100")
    # The same guard as in the settings: a share in the place of a percentage would pass for a price without tax.
    if 0 < value < 1:
        raise argparse.ArgumentTypeError(
            f"{short(text)} is less than one percent; write {round(value * 100, 6):g} if you mean that"
        )
    return value / 100


def between(low: float, high: float, *, above: bool = False) -> Callable[[str], float]:
    """A number from low to high; `above` leaves low itself out."""

    def read(text: str) -> float:
        value = number(text)
        if not low <= value <= high or (above and value == low):
            span = f"above {low:g} and at most {high:g}" if above else f"between {low:g} and {high:g}"
            raise argparse.ArgumentTypeError(f"{short(text)} is not {span}")
        return value

    return read


def day(text: str) -> date:
    """A date as 2026-11-30."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{brief(text)} is not a date like 2026-11-30") from None


def filled(text: str) -> str:
    """Any text but an empty one: a shell variable that was never set."""
    if not text.strip():
        raise argparse.ArgumentTypeError("the value is empty")
    return text


def words(text: str) -> list[str]:
    """Comma-separated words, one at least: an empty list is a shell variable that was never set."""
    found = [word.strip() for word in text.split(",") if word.strip()]
    if not found:
        raise argparse.ArgumentTypeError("the value is empty")
    return found


def changes(text: str) -> list[str]:
    """Kinds of changes, comma-separated."""
    found = words(text.lower())
    for word in found:
        if word not in CHANGES:
            raise argparse.ArgumentTypeError(f"{brief(word)} is none of {', '.join(CHANGES)}")
    return found


def kinds(text: str) -> list[str]:
    """cpu, gpu or both, comma-separated."""
    found = words(text)
    for word in found:
        if word not in KINDS:
            raise argparse.ArgumentTypeError(f"invalid choice: {word!r} (choose from {', '.join(KINDS)})")
    return found


def guess(text: str) -> object:
    """Speculative decoding, or `none` (returned as False)."""
    from models.speculation import METHODS, speculation

    try:
        return speculation(filled(text)) or False
    except WorkloadError as error:
        methods = ", ".join(METHODS)
        raise argparse.ArgumentTypeError(
            f"{error.message.rstrip('.')}. It is one of {methods} or none, as eagle:3 or eagle:3@0.7"
        ) from None


def add_workload_flags(parser: argparse.ArgumentParser) -> None:
    """What is served; every flag overrides the preset."""
    group = parser.add_argument_group("workload", "a preset, and what differs from it")
    group.add_argument(
        "--workload",
        type=filled,
        metavar="PRESET",
        default=None,
        help="traffic profile (default chat; `rackrate catalog workloads`), or a workload that you saved in the dashboard",
    )
    group.add_argument(
        "--model",
        type=filled,
        metavar="NAME",
        help="model, or a Hugging Face config.json or the folder it is in (default Llama-3.1-8B)",
    )
    group.add_argument(
        "--quant",
        type=filled,
        metavar="Q",
        help="weight format (fp8, q4_k_m, ...) or class: 4bit, 8bit, 16bit (default 8bit)",
    )
    group.add_argument("--kv-quant", type=filled, metavar="Q", help="KV-cache format (default 16bit)")
    group.add_argument(
        "--engine",
        type=filled,
        metavar="E",
        help="vllm, llama.cpp, ... (default auto: vLLM on GPUs, llama.cpp on CPUs)",
    )
    group.add_argument("--input-tokens", metavar="N", type=whole_number, help="prompt length; 4k = 4000")
    group.add_argument("--output-tokens", metavar="N", type=whole_number, help="answer length")
    traffic = group.add_mutually_exclusive_group()
    traffic.add_argument("--rps", metavar="X", type=positive_number, help="requests per second, arriving at random")
    traffic.add_argument(
        "--concurrency", metavar="N", type=whole_number, help="users who each ask again as soon as they are answered"
    )
    group.add_argument(
        "--ttft-ms", metavar="MS", type=target, help="longest mean wait for the first token; none = no target"
    )
    group.add_argument(
        "--ttft-at",
        choices=("mean", "p95"),
        help="the target is for the mean wait (default), or for 95 of 100 requests",
    )
    group.add_argument(
        "--tpot-ms", metavar="MS", type=target, help="longest mean time between tokens; none = no target"
    )
    group.add_argument(
        "--speculative",
        type=guess,
        metavar="METHOD",
        help="speculative decoding: mtp, eagle, draft or ngram, with tokens a step and acceptance: eagle:3@0.7 (default none)",
    )
    group.add_argument(
        "--prefix-hit", metavar="SHARE", type=share, help="share of the prompt found in the prefix cache"
    )
    group.add_argument(
        "--utilization", metavar="SHARE", type=share, help="planned share of a server's goodput (default 1.0)"
    )


def add_filter_flags(parser: argparse.ArgumentParser) -> None:
    """Which offers are shown, and in which money."""
    group = parser.add_argument_group("filters", "which offers, in which money; lists are comma-separated or repeated")
    group.add_argument(
        "--kind", metavar="KIND", type=kinds, action="extend", default=[], help="cpu or gpu (default both)"
    )
    group.add_argument(
        "--provider", metavar="NAME", type=words, action="extend", default=[], help="only these providers"
    )
    group.add_argument(
        "--region",
        metavar="NAME",
        type=words,
        action="extend",
        default=[],
        help="region, its beginning, or eu (Europe, not the European Union), us, asia",
    )
    group.add_argument(
        "--term", metavar="TERM", type=words, action="extend", default=[],
        help=f"{', '.join(TERMS)} or all (default on_demand,monthly)",
    )  # fmt: skip
    group.add_argument("--undated", action="store_true", help="also prices without a date, and of any age")
    group.add_argument(
        "--since", metavar="DATE", type=day, help="only prices dated DATE or later (default: the last 24 months)"
    )
    group.add_argument(
        "--max-usd-hour", metavar="X", type=positive_number, help="servers for the traffic cost at most X USD an hour"
    )
    group.add_argument(
        "--max-usd-month", metavar="X", type=positive_number, help="servers for the traffic cost at most X USD a month"
    )
    group.add_argument(
        "--where",
        type=filled,
        metavar="EXPR",
        action="append",
        default=[],
        help='terms that must all hold: "gpu>=24 !spot provider:hetzner $mo<900 ttft<1s"',
    )
    group.add_argument(
        "--prices",
        type=filled,
        metavar="OFFERS.csv",
        action="append",
        default=[],
        help="also the offers of this file (of two files the later one's, where both have an offer); rows without a date count as "
        "seen on the day the file was last changed",
    )
    group.add_argument("--no-bundled", action="store_true", help="leave the bundled prices out")
    group.add_argument("--currency", type=filled, metavar="CODE", help="show costs in this currency (default USD)")
    group.add_argument(
        "--vat", metavar="PERCENT", type=percentage, help="percent of VAT to add to net prices, e.g. 19 (default none)"
    )
    group.add_argument(
        "--setup-months", metavar="N", type=between(1, 120), help="spread setup fees over N months (default 12)"
    )
    group.add_argument(
        "--hours-per-month",
        metavar="H",
        type=between(0, 744, above=True),
        help="hours an hourly server runs, up to 744 (default 730)",
    )


def add_own_server_flags(parser: argparse.ArgumentParser) -> None:
    """A server of the user's own: one flag a field of servers.toml."""
    parser.add_argument("name", type=filled, metavar="NAME", help="what to call it")
    parser.add_argument("--replace", action="store_true", help="put it in the place of the server of that name")
    machine = parser.add_argument_group("machine", "what is not known is left out")
    machine.add_argument("--gpu", type=filled, metavar="NAME", help="`rackrate catalog hardware` lists them")
    machine.add_argument(
        "--gpu-count", type=number, metavar="N", help="a slice of a card is a fraction: 0.125 (default 1)"
    )
    machine.add_argument(
        "--gpu-memory", type=number, metavar="GIB", help="memory of one GPU, where the name leaves it open"
    )
    machine.add_argument("--interconnect", type=filled, metavar="LINK", help="between the GPUs: nvlink, pcie, ...")
    machine.add_argument("--cpu", type=filled, metavar="NAME", help="`rackrate catalog cpus` lists them")
    machine.add_argument("--sockets", type=number, metavar="N", help="CPUs")
    machine.add_argument(
        "--cores", type=number, metavar="N", help="physical cores of all CPUs (default: the whole CPUs')"
    )
    machine.add_argument("--vcpus", type=number, metavar="N", help="hardware threads, of a virtual machine")
    machine.add_argument("--shared-cpu", action="store_true", default=None, help="the CPU is shared with others")
    machine.add_argument("--memory-channels", type=number, metavar="N", help="filled memory channels of all CPUs")
    machine.add_argument("--memory-mts", type=number, metavar="MTS", help="speed of the memory, MT/s")
    machine.add_argument("--ram", type=number, metavar="GIB", help="main memory")
    machine.add_argument("--storage", type=filled, metavar="TEXT", help='such as "2x3840GB NVMe"')
    machine.add_argument("--nic", type=filled, metavar="TEXT", help="network")
    machine.add_argument("--region", type=filled, metavar="NAME", help="where it is: eu, us-east, Frankfurt, ...")
    machine.add_argument(
        "--region-group", type=filled, metavar="GROUP", help="eu, us, asia or other, where --region does not say"
    )
    price = parser.add_argument_group("price of a rented server")
    price.add_argument("--hourly", type=number, metavar="X", help="price an hour of the whole server")
    price.add_argument(
        "--monthly", type=number, metavar="X", help="price a month; with --hourly the most a month costs"
    )
    price.add_argument("--setup", type=number, metavar="X", help="one-time fee")
    price.add_argument("--commitment", type=number, metavar="MONTHS", help="months it is taken for at least")
    price.add_argument(
        "--term", type=filled, metavar="TERM",
        help="default monthly, on_demand where billed by the hour, reserved where by the hour with a commitment",
    )  # fmt: skip
    owned = parser.add_argument_group("cost of a bought server")
    owned.add_argument("--purchase", type=number, metavar="X", help="what it cost, whole")
    owned.add_argument("--months", type=number, metavar="N", help="months it is kept")
    owned.add_argument("--watts", type=number, metavar="W", help="mean draw of the whole machine at the wall")
    owned.add_argument("--power-price", type=number, metavar="X", help="price of a kWh; 0 = paid with the colocation")
    owned.add_argument("--colocation", type=number, metavar="X", help="rack, cooling, hands a month (default none)")
    owned.add_argument("--pue", type=number, metavar="F", help="factor on the power for cooling (default 1)")
    about = parser.add_argument_group("all")
    about.add_argument("--currency", type=filled, metavar="CODE", help="of every amount here (default: the settings')")
    about.add_argument("--vat-included", action="store_true", default=None, help="the price has tax in it")
    about.add_argument("--seen", type=day, metavar="DATE", help="day of the price (default today)")
    about.add_argument("--note", type=filled, metavar="TEXT", help="whatever else a buyer must know")


def add_format_flag(parser: argparse._ActionsContainer) -> None:
    """Every list comes in the same four formats."""
    parser.add_argument(
        "--format", choices=FORMATS, help="table, csv, json or markdown (default: table on a terminal, else csv)"
    )
