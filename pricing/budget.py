"""The largest model of each family that a month's budget serves, with the most bits it leaves room for."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from models import catalog
from models.errors import InputError, RackrateError, brief
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
    Raises InputError where no model of the catalog holds them.
    """
    by_family = _families(families)
    # What holds the workload's model says nothing of other models: the price alone decides.
    month = month_of_one(comparison.market, comparison.terms)
    smaller = _market(comparison, asked[month[asked] <= budget])
    if not len(smaller):
        return ()
    found = [one for llms in by_family if (one := _largest(smaller, comparison, llms, budget)) is not None]
    return tuple(sorted(found, key=lambda one: -one.llm.params_total))


def least(comparison: Comparison, asked: Array, families: tuple[str, ...] = ()) -> Affordable | None:
    """The cheapest way to serve this traffic within the targets, among the smallest models of each family; None = there is none."""
    market = _market(comparison, asked)
    found = []
    for llms in _families(families):
        for quant in _classes(llms[-1]):
            work = replace(comparison.workload, model=llms[-1], quant=quant, preset=None)
            at = _cheapest(market, comparison, work, np.inf)
            if at is not None:
                found.append(Affordable(llms[-1], quant, *at))
    return min(found, key=lambda one: float(one.comparison.column("monthly_cost")[one.at]), default=None)


def _market(comparison: Comparison, places: Array) -> Market:
    """Those of the offers that can be had."""
    market = comparison.market
    return Market([market.offers[int(at)] for at in places[~market.out_of_stock[places]]])


def _families(words: tuple[str, ...]) -> list[list[LLM]]:
    """The catalog's models that answer, by family, the largest first. Raises InputError where none holds all words."""
    found: dict[str, list[LLM]] = {}
    for llm in sorted(catalog.llms(), key=lambda one: -one.params_total):
        name = f"{llm.name} {llm.family}".lower()
        if llm.kv_cache and not _NO_CHAT.search(llm.name) and all(word.lower() in name for word in words):
            found.setdefault(llm.family, []).append(llm)
    if not found:
        raise InputError(
            f"No model of the catalog that answers has {brief(' '.join(words))} in its name or family.",
            hint="`rackrate catalog models` lists them.",
        )
    return list(found.values())


def _classes(llm: LLM) -> tuple[str, ...]:
    """Formats of the weights, the most bits first; a model trained in four has no more."""
    return CLASSES[2:] if native_mxfp4(llm) else CLASSES


def _largest(market: Market, comparison: Comparison, llms: list[LLM], budget: float) -> Affordable | None:
    for llm in llms:
        for quant in _classes(llm):
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
    good = made.column("meets_targets") & made.practical & (cost <= budget)
    if not good.any():
        return None
    places = np.flatnonzero(good)
    return made, int(places[np.argmin(cost[places])])
