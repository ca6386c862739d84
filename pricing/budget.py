"""The largest model of each family that a month's budget serves, with the most bits it leaves room for."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from models import catalog
from models.errors import RackrateError
from models.practical import MOST_SERVERS
from models.quantize import native_mxfp4
from pricing.compare import compare
from pricing.market import Market
from pricing.terms import month_of_one

if TYPE_CHECKING:
    from models.llm import LLM
    from models.traffic import Workload
    from pricing.compare import Comparison

    Array = np.ndarray[Any, Any]

CLASSES = ("16bit", "8bit", "4bit")
_NO_CHAT = re.compile(r"embed|rerank|^e5-", re.IGNORECASE)
"""Models that read and write no answers, though built like those that do."""


@dataclass(frozen=True, slots=True)
class Affordable:
    """A model in a format on the cheapest server that serves it within the budget."""

    llm: LLM
    quant: str
    comparison: Comparison
    at: int
    """The offer, of the comparison."""


def affordable(
    comparison: Comparison, asked: Array, budget: float, families: tuple[str, ...] = ()
) -> tuple[Affordable, ...]:
    """For each family its largest model that meets the targets at this traffic for `budget` a month or less, the largest first.

    `budget` is in the comparison's currency; only offers in stock of which one costs no more are looked at. A model is tried in
    sixteen bits first, then eight, then four. `families` are words that a model's name or family must hold.
    """
    market = comparison.market
    # What holds the workload's model says nothing of other models: the price alone decides.
    month = month_of_one(market, comparison.terms)
    places = asked[(month[asked] <= budget) & ~market.out_of_stock[asked]]
    if not len(places):
        return ()
    smaller = Market([market.offers[int(at)] for at in places])
    by_family: dict[str, list[LLM]] = {}
    for llm in sorted(catalog.llms(), key=lambda one: -one.params_total):
        if (
            llm.kv_cache
            and not _NO_CHAT.search(llm.name)
            and all(word.lower() in f"{llm.name} {llm.family}".lower() for word in families)
        ):
            by_family.setdefault(llm.family, []).append(llm)
    found = [one for llms in by_family.values() if (one := _largest(smaller, comparison, llms, budget)) is not None]
    return tuple(sorted(found, key=lambda one: -one.llm.params_total))


def _largest(market: Market, comparison: Comparison, llms: list[LLM], budget: float) -> Affordable | None:
    for llm in llms:
        for quant in CLASSES[2:] if native_mxfp4(llm) else CLASSES:
            work = replace(comparison.workload, model=llm, quant=quant, preset=None)
            at = _cheapest(market, comparison, work, budget)
            if at is not None:
                return Affordable(llm, quant, *at)
    return None


def _cheapest(market: Market, comparison: Comparison, work: Workload, budget: float) -> tuple[Comparison, int] | None:
    try:
        made = compare(market, work, comparison.terms)
    except RackrateError:
        return None
    cost = made.column("monthly_cost")
    good = made.column("meets_targets") & (made.column("servers_needed") <= MOST_SERVERS) & (cost <= budget)
    if not good.any():
        return None
    places = np.flatnonzero(good)
    return made, int(places[np.argmin(cost[places])])
