"""From which traffic on fleets are cheaper than an API, in words: the same for the crossover and for build or buy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from models.practical import MOST_SERVERS
from pricing.serverless import tokens_per_month
from tui import format as fmt

if TYPE_CHECKING:
    from models.fleets import Cheaper
    from models.traffic import Workload
    from pricing.terms import CompareOptions


def tokens_words(tokens: float) -> str:
    """So many tokens, in a unit that leaves few digits: "5,060 million", "51,900 billion"."""
    units = ((1e6, "million"), (1e9, "billion"), (1e12, "trillion"))
    size, name = next((unit for unit in units if tokens / unit[0] < 99_950), units[-1])
    return f"{fmt.number(tokens / size)} {name}"


def traffic_words(work: Workload, terms: CompareOptions, requests_per_s: float) -> str:
    """A traffic as tokens a month and as requests a second."""
    tokens = tokens_words(tokens_per_month(work, terms, requests_per_s))
    return f"{tokens} tokens a month ({fmt.number(requests_per_s)} requests/s)"


def pays_words(found: Cheaper, work: Workload, terms: CompareOptions) -> str:
    """From where on, where by turns, and up to where."""
    first = traffic_words(work, terms, found.first)

    def rest(requests_per_s: float | None) -> str:
        return tokens_words(tokens_per_month(work, terms, requests_per_s or 0.0))

    if found.stays is None:
        return f"from {first} on, by turns, and not above {rest(found.until)}"
    words = f"from {first} on"
    if found.stays > found.first:
        words += f", by turns up to {rest(found.stays)} (each further server costs before it is filled)"
    if found.until is not None:
        words += f"; counted up to {rest(found.until)} (at most {MOST_SERVERS} servers of one offer)"
    return words


def pays_data(found: Cheaper | None, work: Workload, terms: CompareOptions) -> dict[str, Any] | None:
    """The same as values; None = never."""
    if found is None:
        return None
    named = {"from": found.first, "stays_from": found.stays, "until": found.until}
    made: dict[str, Any] = {}
    for name, rate in named.items():
        made[f"{name}_requests_per_s"] = rate
        made[f"{name}_tokens_per_month"] = None if rate is None else tokens_per_month(work, terms, rate)
    return made
