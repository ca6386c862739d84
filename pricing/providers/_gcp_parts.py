"""What Google bills a machine by: cores, memory, GPUs, local SSD; and what each machine type is made of.

A part is known by the words of its description ("A2 Instance Core running in Americas"): resource groups and usage
types are not enough, and one live spot part is filed as on-demand.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from pricing import paths
from pricing.feed import BrokenRowError, items, text, value_at

HOURS_A_MONTH = 730.0
"""Google's own month for local SSD, which it prices by the month."""
GB_PER_GIB = 1.073741824
UNITS = {
    "core": {"h": 1.0},
    "gpu": {"h": 1.0},
    # C4D memory is billed by the decimal gigabyte, every other family's by the GiB.
    "ram": {"GiBy.h": 1.0, "GBy.h": GB_PER_GIB},
    "ssd": {"GiBy.mo": 1 / HOURS_A_MONTH, "GBy.mo": GB_PER_GIB / HOURS_A_MONTH, "GiBy.h": 1.0},
}
_FILLERS = frozenset({"instance", "predefined", "amd", "arm"})
_RESOURCES = {"core": "core", "cpu": "core", "ram": "ram"}
_LOCAL_SSD = frozenset({"ssd backed local storage", "local ssd"})
_COMMITMENT = re.compile(r"commitment(?: v\d+)?: (.+) for (\d) years?")
_SPOT_STARTS = ("spot preemptible ", "preemptible ")
_SPOT_ENDS = (" attached to spot preemptible vms", " attached to preemptible vms")


@dataclass(frozen=True, slots=True)
class MachineType:
    """One machine type. `family` and `gpu_skus` are the words its parts' descriptions use; () = billed without."""

    name: str
    vcpus: float
    billed_vcpus: float
    ram_gib: float
    families: tuple[str, ...]
    gpu_skus: tuple[str, ...]
    gpu_units: float
    local_ssd_gib: float
    sold: frozenset[str]
    """Terms that it can be had under; empty = all."""


@dataclass(frozen=True, slots=True)
class Part:
    """One price of a part: dollars an hour per vCPU, GiB or GPU."""

    resource: str
    """core, ram, gpu or ssd."""
    name: str
    """A family ("a2") or a GPU ("nvidia tesla a100"); empty for local SSD."""
    term: str
    months: int | None
    place: str
    regions: tuple[str, ...]
    usd_per_hour: float


@cache
def machine_types() -> tuple[MachineType, ...]:
    """The machine types that are offered."""
    with paths.bundled("gcp_machine_types.csv").open(encoding="utf-8", newline="") as file:
        return tuple(
            MachineType(
                row["name"],
                float(row["vcpus"]),
                float(row["billed_vcpus"] or row["vcpus"]),
                float(row["ram_gib"]),
                tuple(filter(None, row["family"].split("|"))),
                tuple(filter(None, row["gpu_sku"].split("|"))),
                float(row["gpu_units"] or 0),
                float(row["local_ssd_gib"] or 0),
                frozenset(row["sold"].split()),
            )
            for row in csv.DictReader(file)
        )


@cache
def _known() -> frozenset[tuple[str, str]]:
    found = {("ssd", "")}
    for entry in machine_types():
        found |= {(resource, name) for name in entry.families for resource in ("core", "ram")}
        found |= {("gpu", name) for name in entry.gpu_skus}
    return frozenset(found)


def read_part(row: Any) -> Part | str:
    """The part that a SKU prices, or why it is none. Raises BrokenRowError."""
    described = " ".join((text(row, "description") or "").lower().split())
    read = _read_description(described)
    if read is None:
        return "not a part of a known machine"
    resource, name, term, months, place = read
    if term == "on_demand" and value_at(row, "category", "usageType") not in {None, "OnDemand"}:
        return "usage type contradicts the description"
    priced = _price(row, resource)
    if isinstance(priced, str):
        return priced
    regions = items(row, "serviceRegions")
    if not all(isinstance(region, str) for region in regions):
        raise BrokenRowError("serviceRegions holds no text")
    return Part(resource, name, term, months, place, tuple(regions), priced)


def _read_description(described: str) -> tuple[str, str, str, int | None, str] | None:
    term, months = "on_demand", None
    if described.startswith("commitment"):
        found = _COMMITMENT.fullmatch(described)
        if found is None:
            return None
        described, term, months = found[1], "reserved", int(found[2]) * 12
    product, _, place = described.partition(" running in ")
    if not place:
        product, _, place = described.partition(" in ")
    for start in _SPOT_STARTS:
        if term == "on_demand" and product.startswith(start):
            product, term = product.removeprefix(start), "spot"
    for end in _SPOT_ENDS:
        if term == "on_demand" and product.endswith(end):
            product, term = product.removesuffix(end), "spot"
    resource, name = _product(product, committed=term == "reserved")
    return (resource, name, term, months, place) if (resource, name) in _known() else None


def _product(product: str, *, committed: bool) -> tuple[str, str]:
    """What a part is: ("core", "n2d"), ("gpu", "nvidia l4"), ("ssd", "")."""
    if product in _LOCAL_SSD:
        return "ssd", ""
    *words, last = product.split() or [""]
    resource = _RESOURCES.get(last)
    if resource is None:
        return "gpu", product.removesuffix(" gpu")
    # Every other word stays: "N2 Custom", "Sole Tenancy", "Reserved A2" are families that no machine here has.
    family = "".join(word for word in words if word not in _FILLERS).replace("-", "")
    return resource, family or ("n1" if committed and not words else "")


def _price(row: Any, resource: str) -> float | str:
    timeline = items(row, "pricingInfo")
    if not timeline:
        return "no price"
    # A timeline in order of time: the last entry is the price of today.
    expression = value_at(timeline[-1], "pricingExpression")
    factor = UNITS[resource].get(text(expression, "usageUnit") or "")
    if factor is None:
        return "unit not known"
    tiers = items(expression, "tieredRates")
    if not tiers:
        return "no price"
    # Where there are tiers, the first is a free allowance.
    unit_price = value_at(tiers[-1], "unitPrice")
    if text(unit_price, "currencyCode") != "USD":
        return "currency is not USD"
    price = _units(unit_price) + _nanos(unit_price) / 1e9
    return price * factor if price > 0 else "price is 0"


def _units(unit_price: Any) -> int:
    """Whole dollars, which the API writes as a text: dropping them makes 9.80 of an H100 0.80."""
    value = value_at(unit_price, "units")
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise BrokenRowError(f"units is {type(value).__name__}")
    try:
        return int(value)
    except ValueError:
        raise BrokenRowError("units is no number") from None


def _nanos(unit_price: Any) -> int:
    value = value_at(unit_price, "nanos")
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int):
        raise BrokenRowError(f"nanos is {type(value).__name__}")
    return value
