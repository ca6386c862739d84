"""The flags of `rackrate advise buy`: which API, which server, and what comes on top."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from models.errors import brief
from tui.cli.flags import between, filled, number, positive_number, ungrouped

if TYPE_CHECKING:
    from tui.cli.advise_flags import Group


def api_price(text: str) -> tuple[float, ...]:
    """Dollars a million tokens as IN/OUT or IN/OUT/CACHED."""
    parts = text.split("/")
    try:
        found = tuple(number(part.strip().lstrip("$")) for part in parts)
    except argparse.ArgumentTypeError:
        found = ()
    if found and min(found) < 0:
        raise argparse.ArgumentTypeError(f"{brief(text)} has a price below 0")
    if len(found) in {2, 3} and max(found[:2]) <= 0:
        raise argparse.ArgumentTypeError(
            f"{brief(text)} is free: IN/OUT are dollars a million tokens, one of them above 0"
        )
    if len(found) not in {2, 3}:
        raise argparse.ArgumentTypeError(f"{brief(text)} is not IN/OUT or IN/OUT/CACHED, dollars a million tokens")
    return found


def tokens(text: str) -> float:
    """A number of tokens; 300M and 2B are millions and billions, 300,000,000 is the same in full."""
    units = {"k": 1e3, "m": 1e6, "b": 1e9, "g": 1e9, "t": 1e12}
    word = ungrouped(text)
    scale = units.get(word[-1:], 1.0)
    value = positive_number(word[:-1] if scale > 1 else word) * scale
    if value > 1e18:
        raise argparse.ArgumentTypeError(f"{brief(text)} is more than anybody serves")
    return value


def amount(text: str) -> float:
    """An amount of 0 or more."""
    value = number(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{value:g} is below 0")
    return value


def add(group: Group) -> None:
    """Amounts are in the comparison's currency, API prices in dollars."""
    group.add_argument(
        "--tokens-per-month",
        type=tokens,
        metavar="N",
        help="traffic as tokens a month, prompts included: 300M (instead of --rps)",
    )
    group.add_argument("--api", type=filled, metavar="PROVIDER", help="compare with this provider's API too")
    group.add_argument(
        "--api-price",
        type=api_price,
        metavar="IN/OUT[/CACHED]",
        help="an API price of your own, dollars a million tokens",
    )
    group.add_argument(
        "--self-host",
        type=filled,
        metavar="SERVER",
        help="self-host on this server instead of the cheapest: its name, hardware (2x L4), or words of both",
    )
    group.add_argument(
        "--ops-percent",
        type=between(0, 1000),
        metavar="P",
        help="operations on top of the servers, percent (default 0)",
    )
    group.add_argument("--engineer-hours", type=amount, metavar="H", help="hours of work a month (default 0)")
    group.add_argument("--engineer-rate", type=amount, metavar="X", help="price of one of them")
    group.add_argument("--storage-gb", type=amount, metavar="GB", help="storage kept (default 0)")
    group.add_argument("--storage-price", type=amount, metavar="X", help="price of a GB a month")
    group.add_argument("--egress-gb", type=amount, metavar="GB", help="traffic out a month (default 0)")
    group.add_argument("--egress-price", type=amount, metavar="X", help="price of a GB out")
    group.add_argument(
        "--purchase",
        type=positive_number,
        metavar="X",
        help="buy the server instead of renting it: what it costs, whole",
    )
    group.add_argument("--months", type=positive_number, metavar="N", help="months a bought one is kept")
    group.add_argument("--watts", type=positive_number, metavar="W", help="its mean draw at the wall")
    group.add_argument("--power-price", type=amount, metavar="X", help="price of a kWh")
    group.add_argument("--pue", type=between(1, 3), metavar="F", help="factor on the power for cooling (default 1)")
    group.add_argument("--colocation", type=amount, metavar="X", help="rack and hands a month (default none)")
