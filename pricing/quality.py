"""Rules that every fetched offer is held to, by name and counted: what is impossible is left out, what is odd is marked.

They are what public price trackers were caught without: prices per GPU taken as the instance's, spot above on-demand,
eight GPUs cheaper than four, a month taken as an hour, MiB taken as GiB.
"""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from models import catalog
from pricing import paths

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pricing.money import Rates
    from pricing.offer import Offer
    from pricing.provider import About

HOURS = 730.0
COMMITTED_FLOOR = 0.2
"""Spot, commitments and months go below on-demand's band: in the bundled prices 36 months cost 0.43-0.62 of on-demand, spot
0.18-0.85."""
SPOT_CLOSE = 0.95
SPOT_FAR = 0.1
VCPU_BAND_USD_H = (0.0004, 3.0)
"""Dollars per vCPU and hour. Below lie months read as 730 hours twice, above hours read as months; the bundled prices
span 0.0007 (Scaleway's smallest) to 0.49 (Azure's sizes with vCPUs switched off)."""
MAX_GIB_PER_VCPU = 512.0
"""The bundled servers have at most 32 GiB a vCPU; MiB taken as GiB give a thousand times what is there."""
SLICE_TOLERANCE = 0.35
"""MIG gives a seventh of the compute with an eighth of the memory: a slice's two shares differ by so much at most."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a rule says of an offer: marked with a note, or (note None) left out."""

    at: int
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """What rules may look at besides the offers."""

    about: About
    rates: Rates


def check(offers: Sequence[Offer], about: About, rates: Rates) -> tuple[tuple[Offer, ...], dict[str, int]]:
    """The offers that pass, with notes where a rule marked them, and how many each rule struck."""
    context = Context(about, rates)
    counts: Counter[str] = Counter()
    kept = list(offers)
    for name, rule in RULES.items():
        dropped: set[int] = set()
        for verdict in rule(kept, context):
            counts[name] += 1
            if verdict.note is None:
                dropped.add(verdict.at)
            else:
                kept[verdict.at] = noted(kept[verdict.at], verdict.note)
        if dropped:
            kept = [entry for at, entry in enumerate(kept) if at not in dropped]
    return tuple(kept), dict(counts)


def noted(offer: Offer, note: str) -> Offer:
    """An offer with one more note."""
    return replace(offer, note="; ".join(filter(None, (offer.note, note))))


def repeated_key(offers: Sequence[Offer], _: Context) -> Iterator[Verdict]:
    """Two rows of one key: the same price is one offer; of two prices the lower stays and names the other."""
    first: dict[str, int] = {}
    for at, entry in enumerate(offers):
        known = first.setdefault(entry.offer_id, at)
        if known == at:
            continue
        mine, other = _price(entry), _price(offers[known])
        if mine < other:
            first[entry.offer_id] = at
            yield Verdict(known)
            yield Verdict(at, f"also listed at {other:g}")
        else:
            yield Verdict(at)
            if mine > other:
                yield Verdict(known, f"also listed at {mine:g}")


def gpu_without_host(offers: Sequence[Offer], context: Context) -> Iterator[Verdict]:
    """A price of a GPU alone is no server, except on a market that sells single GPUs with a share of a host."""
    if context.about.gpus_alone:
        return
    for at, entry in enumerate(offers):
        if entry.kind == "gpu" and not (entry.vcpus or entry.cores or entry.ram_gib or entry.cpu_model):
            yield Verdict(at)


def gpu_fraction(offers: Sequence[Offer], _: Context) -> Iterator[Verdict]:
    """A slice's memory must be about its share of the card's: 1/6 of an A10 has 4 GiB, not 24."""
    for at, entry in enumerate(offers):
        count, memory = entry.gpu_count, entry.vram_gib_per_gpu
        if entry.kind == "gpu" and count is not None and count < 1 and memory:
            card = _card_gib(entry.gpu_model)
            if card and not 1 - SLICE_TOLERANCE <= memory / (card * count) <= 1 + SLICE_TOLERANCE:
                yield Verdict(at)


def memory_unit(offers: Sequence[Offer], _: Context) -> Iterator[Verdict]:
    """Host memory beyond any server's is bytes or MiB read as GiB."""
    for at, entry in enumerate(offers):
        if entry.ram_gib and entry.vcpus and entry.ram_gib > MAX_GIB_PER_VCPU * entry.vcpus:
            yield Verdict(at)


def gpu_price_band(offers: Sequence[Offer], context: Context) -> Iterator[Verdict]:
    """Dollars per GPU and hour outside what its family is sold for anywhere: a unit slip, a bid floor, a placeholder."""
    factor = _Factors(context.rates)
    for at, entry in enumerate(offers):
        band = price_bands().get(entry.gpu_model or "") if entry.kind == "gpu" else None
        usd = factor.per_hour(entry)
        if band is None or usd is None or not entry.gpu_count:
            continue
        low, high = band
        floor = low if entry.term == "on_demand" else low * COMMITTED_FLOOR
        if not floor <= usd / entry.gpu_count <= high:
            yield Verdict(at)


def cpu_price_band(offers: Sequence[Offer], context: Context) -> Iterator[Verdict]:
    """Dollars per vCPU and hour outside what CPU servers cost: the x730 slip between a month and an hour."""
    factor = _Factors(context.rates)
    low, high = VCPU_BAND_USD_H
    for at, entry in enumerate(offers):
        usd = factor.per_hour(entry) if entry.kind == "cpu" and entry.vcpus else None
        if usd is not None and not low <= usd / (entry.vcpus or 1.0) <= high:
            yield Verdict(at)


def spot_above_on_demand(offers: Sequence[Offer], _: Context) -> Iterator[Verdict]:
    """Spot above the same server's on-demand price is not spot; close to it, or far below, is marked."""
    on_demand: dict[tuple[str | None, ...], float] = {}
    for entry in offers:
        if entry.term == "on_demand" and entry.price_per_hour:
            key = (entry.provider, entry.server, entry.region, entry.tier, entry.currency)
            on_demand[key] = min(entry.price_per_hour, on_demand.get(key, entry.price_per_hour))
    for at, entry in enumerate(offers):
        if entry.term != "spot" or not entry.price_per_hour:
            continue
        full = on_demand.get((entry.provider, entry.server, entry.region, entry.tier, entry.currency))
        if full is None:
            continue
        share = entry.price_per_hour / full
        if share > 1:
            yield Verdict(at)
        elif share >= SPOT_CLOSE:
            yield Verdict(at, "spot close to on-demand")
        elif share < SPOT_FAR:
            yield Verdict(at, "spot below a tenth of on-demand")


def price_falls_with_count(offers: Sequence[Offer], context: Context) -> Iterator[Verdict]:
    """More of the same GPUs for less money: left out; marked for spot, where each pool has its own market.

    Not asked of marketplaces, where every host sets its price.
    """
    if context.about.gpus_alone:
        return
    groups: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for at, entry in enumerate(offers):
        if entry.kind == "gpu" and entry.gpu_model and entry.gpu_count:
            key = (
                entry.provider, entry.region, entry.term, entry.commitment_months, entry.tier,
                entry.currency, entry.gpu_model, entry.price_per_hour is None,
            )  # fmt: skip
            groups[key].append(at)
    for places in groups.values():
        cheapest: dict[float, float] = {}
        for at in sorted(places, key=lambda place: offers[place].gpu_count or 0):
            entry = offers[at]
            count, price = entry.gpu_count or 0.0, _price(entry)
            below = min((value for size, value in cheapest.items() if size < count), default=price)
            if price < below:
                yield Verdict(at, "costs less than fewer of these GPUs" if entry.term == "spot" else None)
            else:
                cheapest[count] = min(price, cheapest.get(count, price))


RULES: dict[str, Callable[[Sequence[Offer], Context], Iterable[Verdict]]] = {
    "repeated key": repeated_key,
    "GPU without a host": gpu_without_host,
    "GPU fraction": gpu_fraction,
    "memory unit": memory_unit,
    "GPU price band": gpu_price_band,
    "CPU price band": cpu_price_band,
    "spot above on-demand": spot_above_on_demand,
    "price falls with GPU count": price_falls_with_count,
}


@cache
def price_bands() -> dict[str, tuple[float, float]]:
    """Lowest and highest dollars per GPU and hour that an on-demand price of a chip may have."""
    with paths.bundled("price_bands.csv").open(encoding="utf-8", newline="") as file:
        return {row["gpu_model"]: (float(row["low_usd_h"]), float(row["high_usd_h"])) for row in csv.DictReader(file)}


@cache
def _card_gib(name: str | None) -> float | None:
    return next((chip.memory_gib for chip in catalog.chips() if chip.name == name), None)


def _price(entry: Offer) -> float:
    return entry.price_per_hour or entry.price_per_month or float("inf")


class _Factors:
    """Dollars per hour of offers, each currency looked up once."""

    def __init__(self, rates: Rates) -> None:
        self._rates = rates
        self._known: dict[str, float | None] = {}

    def per_hour(self, entry: Offer) -> float | None:
        if entry.currency not in self._known:
            self._known[entry.currency] = self._rates.factor(entry.currency, "USD")
        factor = self._known[entry.currency]
        hourly = entry.price_per_hour or (entry.price_per_month / HOURS if entry.price_per_month else None)
        return None if factor is None or hourly is None else hourly * factor
