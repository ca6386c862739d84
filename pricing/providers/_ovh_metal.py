"""OVHcloud's catalogues of whole machines: a plan, the default options it is sold with, and what both cost together."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from models import names
from pricing.feed import BrokenRowError, items, number, rows, text, value_at
from pricing.providers._ovh_prices import PriceList, currency_of
from pricing.regions import region_group

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from pricing.feed import Harvest
    from pricing.providers._ovh_stock import Stock

GROUPS = {"ca": "us", "us": "us", "eu": "eu", "fr": "eu", "sgp": "asia", "syd": "asia", "mum": "asia"}
"""Ends of plan codes that name the region a plan is sold in, and its part of the world."""
GPU_FAMILY = "gpu"
_REGION = re.compile(rf"-({'|'.join(GROUPS)})(?:-v\d+)?$")
_RAM = re.compile(r"^ram-(\d+)g")


@dataclass(frozen=True, slots=True)
class Catalogue:
    """A catalogue's lists by name, and what goes with it."""

    currency: str
    products: Mapping[str, Any]
    addons: Mapping[str, Any]
    stock: Stock
    now: datetime


def take(answer: Any, stock: Stock, seen: set[tuple[str, str]], now: datetime, harvest: Harvest) -> None:
    """Offers of a catalogue; plans that were `seen` in its currency are skipped. Raises FeedError if it has another shape."""
    catalogue = Catalogue(
        products=_by_name(rows("ovh", answer, "products"), "name"),
        addons=_by_name(rows("ovh", answer, "addons"), "planCode"),
        currency=currency_of(answer),
        stock=stock,
        now=now,
    )
    harvest.each(rows("ovh", answer, "plans"), partial(_plan, catalogue, seen, harvest))


def _by_name(found: Sequence[Any], name: str) -> dict[str, Any]:
    return {row[name]: row for row in found if isinstance(row, dict) and isinstance(row.get(name), str)}


def _plan(catalogue: Catalogue, seen: set[tuple[str, str]], harvest: Harvest, row: Any) -> None:
    code, invoice = text(row, "planCode"), text(row, "invoiceName")
    product = catalogue.products.get(text(row, "product") or "") or catalogue.products.get(code or "")
    server = value_at(product, "blobs", "technical", "server")
    if code is None or value_at(server, "cpu") is None:
        harvest.skip("not a server")
        return
    if (code, catalogue.currency) in seen:
        harvest.skip("in two catalogues")
        return
    chosen = _chosen(row, catalogue)
    if chosen is None:
        harvest.skip("default option without a price")
        return
    prices = PriceList([row, *chosen.values()], catalogue.now).offers()
    if not prices:
        harvest.skip("no price by the month")
        return
    seen.add((code, catalogue.currency))
    places = _places(row, "us" if catalogue.currency == "USD" else "eu")
    tier = text(server, "range") or text(row, "blobs", "commercial", "range")
    options = {name: _option_names(addon) for name, addon in chosen.items()}
    facts = _machine(server, chosen, catalogue) | {
        "server": f"{code} | {invoice}" if invoice else code,
        "currency": catalogue.currency,
        "availability": catalogue.stock.state(code, options, places),
    }
    found = _REGION.search(code)
    facts |= {"region": found[1], "region_group": GROUPS[found[1]]} if found else {"region": " ".join(places) or None}
    for price in prices:
        upfront = price.get("upfront_share") == 1.0
        harvest.add(**facts, **price, tier=" ".join(filter(None, (tier, "upfront" if upfront else None))) or None)


def _places(row: Any, home: str) -> list[str]:
    """Data centres a plan can be ordered in; those of the catalogue's own part of the world lead, and name the group."""
    for configuration in items(row, "configurations"):
        if text(configuration, "name") == "dedicated_datacenter":
            found = [name for value in items(configuration, "values") if (name := text({"value": value}, "value"))]
            return sorted(found, key=lambda name: region_group(name) != home)
    return []


def _chosen(row: Any, catalogue: Catalogue) -> dict[str, Any] | None:
    """The default option of each family that must be taken, and of GPUs; None if one of them is not in the catalogue."""
    found: dict[str, Any] = {}
    for family in items(row, "addonFamilies"):
        name, default = text(family, "name"), text(family, "default")
        if name is None or default is None:
            if name and family.get("mandatory") is True:
                return None
            continue
        # A GPU machine's cards are an option that need not be taken, and the machine is not meant without them.
        if family.get("mandatory") is True or name == GPU_FAMILY:
            if default not in catalogue.addons:
                return None
            found[name] = catalogue.addons[default]
    return found


def _option_names(addon: Any) -> tuple[str, ...]:
    return tuple(filter(None, (text(addon, "product"), text(addon, "planCode"))))


def _machine(server: Any, chosen: Mapping[str, Any], catalogue: Catalogue) -> dict[str, Any]:
    def technical(family: str) -> Any:
        product = catalogue.products.get(text(chosen.get(family), "product") or "")
        return value_at(product, "blobs", "technical")

    memory, bandwidth = technical("memory"), value_at(technical("bandwidth"), "bandwidth")
    disks = [disk for name in ("storage", "system-storage") for disk in items(technical(name), "storage", "disks")]
    return {
        **_cpu(value_at(server, "cpu")),
        **_gpu(technical(GPU_FAMILY)),
        "ram_gib": number(memory, "memory", "size") or _ram_by_name(chosen.get("memory")),
        "memory_mts": number(memory, "memory", "frequency"),
        "storage": " + ".join(filter(None, map(_disk, disks))) or ("none included" if "storage" in chosen else None),
        "nic": _nic(bandwidth),
    }


def _cpu(cpu: Any) -> dict[str, Any]:
    """Name, sockets, cores and threads; the catalogue counts cores and threads of one socket."""
    brand, model = text(cpu, "brand"), text(cpu, "model")
    in_name = names.cpu_sockets(model) if model else None
    sockets = max(int(number(cpu, "number") or 1), in_name or 1)
    bare = re.sub(r"^\s*\d+x\s+", "", model) if model and in_name else model
    name = " ".join(filter(None, (brand if bare and brand and brand.lower() not in bare.lower() else None, bare)))
    cores, threads = number(cpu, "cores"), number(cpu, "threads")
    return {
        "cpu_model": name or None,
        "sockets": sockets,
        "cores": cores * sockets if cores else None,
        "vcpus": threads * sockets if threads else None,
    }


def _gpu(technical: Any) -> dict[str, Any]:
    gpu = value_at(technical, "gpu")
    if gpu is None:
        return {}
    brand, model = text(gpu, "brand"), text(gpu, "model")
    if model is None:
        raise BrokenRowError("gpu has no model")
    return {
        "gpu_model": model if brand is None or brand.lower() in model.lower() else f"{brand} {model}",
        "gpu_count": number(gpu, "number") or 1.0,
        "vram_gib_per_gpu": number(gpu, "memory", "size"),
    }


def _ram_by_name(addon: Any) -> float | None:
    for name in _option_names(addon):
        found = _RAM.match(name)
        if found:
            return float(found[1])
    return None


def _disk(disk: Any) -> str | None:
    count, size = number(disk, "number"), number(disk, "capacity")
    kinds = filter(None, (text(disk, "technology"), text(disk, "interface")))
    return " ".join((f"{count:g}x{size:g}GB", *kinds)) if count and size else None


def _nic(bandwidth: Any) -> str | None:
    level = number(bandwidth, "level")
    if level is None:
        return None
    limit_tb = number(bandwidth, "limit", zero=True)
    speed = f"{level:g} Mbit/s {'guaranteed' if value_at(bandwidth, 'guaranteed') is True else 'not guaranteed'}"
    traffic = "" if limit_tb is None else f"; traffic {limit_tb:g} TB" if limit_tb else "; traffic unmetered"
    return speed + traffic
