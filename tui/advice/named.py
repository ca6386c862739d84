"""The offer that a few words name: its id or name, its hardware, or words of both; never silently another machine."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from models import catalog
from models.errors import InputError, brief
from models.names import normalise
from tui import format as fmt
from tui import rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pricing.offer import Offer
    from tui.advice.question import Question

_COUNT = re.compile(r"(?:^|(?<=\s))(\d+)(?:/(\d+))?\s*[x×]\s*(?=[a-z0-9])", re.IGNORECASE)
_WORDS = re.compile(r"[a-z0-9.+]+")
SHOWN = 5
"""Machines listed where a name could be several."""


@dataclass(frozen=True, slots=True)
class Named:
    """One offer, and how it was chosen where the words mean several; empty where they mean one."""

    at: int
    said: str = ""


def named_offer(question: Question, name: str, *, priced: bool = True) -> Named:
    """The cheapest offer that the words name, one with a price. Raises InputError.

    Tried in turn: an offer's id, or seller and server; hardware as the tables write it, or a GPU under any name of the catalog with its
    number; a server's name; whole words of seller, server and hardware; parts of words, if they are found in one kind of machine only.
    """
    asked = [int(at) for at in question.asked()]
    offers = question.comparison.market.offers
    found = _found(question, name, asked)
    if not found:
        raise InputError(
            f"No offer asked about is called {brief(name)}.", hint="`rackrate compare` lists them; filters may hide it."
        )
    comparison = question.comparison
    fits, meets, cost = (comparison.column(each) for each in ("fits", "meets_targets", "monthly_cost"))
    with_price = [at for at in found if np.isfinite(cost[at])]
    if not with_price and priced:
        held = any(fits[at] for at in found)
        raise InputError(f"No offer called {brief(name)} {'has a price' if held else 'holds the model'}.")
    usable = with_price or found
    if _COUNT.search(name) is None:  # without a number one card is meant, where one does
        usable = [at for at in usable if (offers[at].gpu_count or 1.0) == 1.0] or usable
    best = min(usable, key=lambda at: (not meets[at], float(np.nan_to_num(cost[at]))))
    return Named(best, _said(name, [offers[at] for at in usable], offers[best]))


def _said(name: str, found: list[Offer], best: Offer) -> str:
    if len({(each.provider, each.server) for each in found}) < 2:
        return ""
    what = "" if len({rows.hardware(each) for each in found}) == 1 else ", of several kinds"
    return (
        f"{brief(name)} is {fmt.few(len(found), 'offer')}{what}; the cheapest for this traffic is taken: "
        f"{best.provider} {best.server} ({rows.hardware(best)})."
    )


def _found(question: Question, name: str, asked: list[int]) -> list[int]:
    """The offers of the first way of reading the words that finds any. Raises InputError where parts of words mean several machines."""
    offers = question.comparison.market.offers

    def those(good: Callable[[Offer], bool]) -> list[int]:
        return [at for at in asked if good(offers[at])]

    key = normalise(name.replace("×", "x"))
    exact = those(lambda one: name.strip().lower() == one.offer_id) or those(lambda one: key in _sold_as(one))
    if exact:
        return exact
    counted = _COUNT.search(name)
    count = None if counted is None else int(counted[1]) / int(counted[2] or 1)
    bare = _COUNT.sub("", name).strip()
    # A card of the catalog is meant: no other card may answer for it.
    chips = {chip.name for chip in catalog.chips_of(bare)}
    if chips:
        cards = those(lambda one: one.gpu_model in chips and _counts(one, count))
        if cards:
            return cards
        if counts := sorted({offers[at].gpu_count or 1.0 for at in asked if offers[at].gpu_model in chips}):
            raise InputError(
                f"No offer asked about has {rows.gpu_count(count)}× {bare}.",
                hint=f"It is offered with {', '.join(map(rows.gpu_count, counts))}.",
            )
    called = those(lambda one: key in {normalise(one.server), normalise(rows.server(one))})
    if called:
        return called
    words = set(_WORDS.findall(bare.lower()))
    haystack = question.comparison.market.haystack
    whole = [at for at in asked if words and words <= _whole(haystack[at]) and _counts(offers[at], count)]
    if whole or chips:
        return whole
    parts = [
        at for at in asked if all(word in haystack[at] for word in bare.lower().split()) and _counts(offers[at], count)
    ]
    machines = dict.fromkeys((offers[at].gpu_model or offers[at].cpu_model) for at in parts)
    if len(machines) > 1:
        raise InputError(f"{brief(name)} could be {_list(offers[at] for at in parts)}.", hint="Say more of the name.")
    return parts


def _sold_as(one: Offer) -> set[str]:
    """What says seller and server, or all of the hardware as the tables write it."""
    said = (f"{one.provider} {one.server}", f"{one.provider} {rows.server(one)}", rows.hardware(one))
    return {normalise(each.replace("×", "x")) for each in said}


def _whole(haystack: str) -> set[str]:
    """The whole words of an offer, of names with dashes also as they stand."""
    return {*_WORDS.findall(haystack), *haystack.split()}


def _counts(one: Offer, count: float | None) -> bool:
    return count is None or abs((one.gpu_count or 1.0) - count) < 0.01


def _list(found: Iterable[Offer]) -> str:
    """Some of the machines, one of each kind."""
    kinds: dict[str, str] = {}
    for one in found:
        kinds.setdefault(
            one.gpu_model or one.cpu_model or "unknown", f"{one.provider} {one.server} ({rows.hardware(one)})"
        )
    named = list(kinds.values())
    more = f" or {len(named) - SHOWN} more" if len(named) > SHOWN else ""
    return f"{', '.join(named[:SHOWN])}{more}"
