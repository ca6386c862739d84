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
_SPECIAL = re.compile(r"coder|devstral|codegeex|codestral|math|rumination|vision|-vl-", re.IGNORECASE)
"""Tuned for one use, by their names: of two of the same shape the general one stands for both."""
SAME_SIZE = 0.01
"""Parameters by which two models of a shape may differ: DeepSeek-V3 and V3.2 do by 0.12 %, GLM-4.5 and 4.6 by 0.43 % (catalog)."""


@dataclass(frozen=True, slots=True)
class Affordable:
    """A model in a format on the cheapest server that serves it within the budget."""

    llm: LLM
    quant: str
    comparison: Comparison
    at: int
    """The offer, of the comparison."""
    alike: tuple[LLM, ...] = ()
    """Others of its family and shape: they take the same server and are as fast."""

    @property
    def format(self) -> str:
        """The format that the server runs the weights in."""
        return self.comparison.estimates.quant_used(int(self.comparison.market.server_index[self.at])) or self.quant


def affordable(
    comparison: Comparison, asked: Array, budget: float, families: tuple[str, ...] = (), quant: str | None = None
) -> tuple[Affordable, ...]:
    """For each family its largest model that meets the targets at this traffic for `budget` a month or less, the largest first.

    `budget` is in the comparison's currency; only offers in stock of which one costs no more are looked at. A model is tried in
    sixteen bits first, then eight, then four, or in `quant` only. `families`: a model's name or family must hold all words of one.
    Raises InputError where no model of the catalog holds them.
    """
    by_family = _families(families)
    # What holds the workload's model says nothing of other models: the price alone decides.
    month = month_of_one(comparison.market, comparison.terms)
    smaller = _market(comparison, asked[month[asked] <= budget])
    if not len(smaller):
        return ()
    found = [one for llms in by_family if (one := _largest(smaller, comparison, llms, budget, quant)) is not None]
    return tuple(sorted(found, key=lambda one: (one.llm.params_total, one.llm.release_date or ""), reverse=True))


def least(
    comparison: Comparison, asked: Array, families: tuple[str, ...] = (), quant: str | None = None
) -> Affordable | None:
    """The cheapest way to serve this traffic within the targets, among the smallest models of each family; None = there is none."""
    market = _market(comparison, asked)
    found = []
    for llms in _families(families):
        smallest = next(one for one in llms if _alike(one, llms[-1]))
        for bits in _classes(smallest, quant):
            work = replace(comparison.workload, model=smallest, quant=bits, preset=None)
            at = _cheapest(market, comparison, work, np.inf)
            if at is not None:
                found.append(Affordable(smallest, bits, *at))
    return min(found, key=lambda one: float(one.comparison.column("monthly_cost")[one.at]), default=None)


def _market(comparison: Comparison, places: Array) -> Market:
    """Those of the offers that can be had."""
    market = comparison.market
    return Market([market.offers[int(at)] for at in places[~market.out_of_stock[places]]])


def _families(wanted: tuple[str, ...]) -> list[list[LLM]]:
    """The catalog's models that answer, by family, the largest first, of a shape the newest. Raises InputError where none is named so."""
    answering = [one for one in catalog.llms() if one.kv_cache and not _NO_CHAT.search(one.name)]
    names = [f"{one.name} {one.family}".lower() for one in answering]
    held = {said: [all(word in name for word in said.lower().split()) for name in names] for said in wanted}
    if unknown := next((said for said, holds in held.items() if not any(holds)), None):
        raise InputError(
            f"No model of the catalog that answers has {brief(unknown)} in its name or family.",
            hint="`rackrate catalog models` lists them.",
        )
    found: dict[str, list[LLM]] = {}
    for place, llm in enumerate(answering):
        if not held or any(holds[place] for holds in held.values()):
            found.setdefault(llm.family, []).append(llm)
    families = [_newest_of_a_shape_first(llms) for llms in found.values()]
    return sorted(families, key=lambda llms: -llms[0].params_total)


def _newest_of_a_shape_first(llms: list[LLM]) -> list[LLM]:
    """By size, but of models that take the same servers at the same speed the general ones first, the newest of them."""
    left = sorted(llms, key=lambda one: -one.params_total)
    found: list[LLM] = []
    while left:
        same = [one for one in left if _alike(one, left[0])]
        left = [one for one in left if one not in same]
        same.sort(key=lambda one: one.release_date or "", reverse=True)
        found += sorted(same, key=lambda one: bool(_SPECIAL.search(one.name)))
    return found


def _alike(one: LLM, other: LLM) -> bool:
    """Whether two models of a family have the same shape, and so the same figures."""
    sizes = sorted((one.params_total, other.params_total))
    shapes = [
        (llm.layers, llm.hidden, llm.kv_elements_full, llm.kv_elements_sliding, llm.moe, llm.native_dtype)
        for llm in (one, other)
    ]
    return shapes[0] == shapes[1] and sizes[1] <= sizes[0] * (1 + SAME_SIZE)


def _classes(llm: LLM, quant: str | None) -> tuple[str, ...]:
    """Formats of the weights, the most bits first; a model trained in four has no more. `quant` leaves that one alone."""
    classes = CLASSES[2:] if native_mxfp4(llm) else CLASSES
    if quant is None:
        return classes
    return (quant,) if quant in classes or quant not in CLASSES else ()


def _largest(
    market: Market, comparison: Comparison, llms: list[LLM], budget: float, quant: str | None
) -> Affordable | None:
    for llm in llms:
        for bits in _classes(llm, quant):
            work = replace(comparison.workload, model=llm, quant=bits, preset=None)
            at = _cheapest(market, comparison, work, budget)
            if at is not None:
                alike = tuple(one for one in llms if one is not llm and _alike(one, llm))
                return Affordable(llm, bits, *at, alike)
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
