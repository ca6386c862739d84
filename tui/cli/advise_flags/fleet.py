"""The flags of `rackrate advise fleet`: the day's traffic, and how cautious to be."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from models.errors import brief
from tui.cli.flags import filled, number, positive_number, words

if TYPE_CHECKING:
    from tui.cli.advise_flags import Group

PEAKS = ("minute", "p99-minute", "hour")
"""As in `models.demand`, which would load numpy for --help; a test compares the two."""


def day(text: str) -> tuple[float, ...]:
    """24 numbers of requests/s, comma-separated."""
    found = tuple(number(word) for word in words(text))
    if len(found) != 24:
        raise argparse.ArgumentTypeError(f"{len(found)} numbers are not the 24 hours of a day")
    if min(found) < 0 or max(found) <= 0:
        raise argparse.ArgumentTypeError("requests/s of an hour are 0 or more, and above 0 at some hour")
    return found


def spare(text: str) -> int:
    """A small whole number."""
    value = number(text)
    if not (value == int(value) and 0 <= value <= 50):
        raise argparse.ArgumentTypeError(f"{brief(text)} is not a whole number from 0 to 50")
    return int(value)


def add(group: Group) -> None:
    """Without any of them the traffic is --rps around the clock."""
    group.add_argument(
        "--day", type=day, metavar="R,R,...", help="requests/s of each of the 24 hours (instead of --rps)"
    )
    group.add_argument(
        "--peak", type=positive_number, metavar="X", help="requests/s at the peak; --rps or --day is the mean"
    )
    group.add_argument(
        "--trace", type=filled, metavar="FILE",
        help="a file of requests: timestamp (a date or seconds; timestamp_ms: milliseconds), input_tokens, output_tokens "
        "(CSV, JSON lines, either as .gz); gives traffic and lengths",
    )  # fmt: skip
    group.add_argument("--size-by", choices=("mean", "p90"), help="lengths of a trace to size for (default mean)")
    group.add_argument(
        "--peak-of",
        choices=PEAKS,
        help="what a trace's peak is: its busiest minute (default), the 99th percentile of minutes, its busiest hour",
    )
    group.add_argument("--spare", type=spare, metavar="N", help="servers on top of those needed (default 0)")
