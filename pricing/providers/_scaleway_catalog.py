"""Scaleway's public product catalog: CPU names of instances, whole machines, and instances of zones that did not answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pricing.feed import BYTES_PER_GIB, BrokenRowError, Harvest, flag, number, text, value_at

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SOLD = frozenset({"general_availability", "public_beta"})
"""All other states are of products that cannot be ordered, retired ones at a price of 0 among them."""
HOURS = {"hour": 1.0, "minute": 60.0}
"""How often an hour holds a product's unit; GPU instances are counted by the minute."""
METAL = {"elastic_metal": "Elastic Metal", "dedibox": "Dedibox"}
_GPU_MEMORY = re.compile(r"-(\d+)G$")
_NETWORK_VARIANT = re.compile(r"-HN-")


@dataclass(frozen=True, slots=True)
class Host:
    """What the catalog says of the machine under an instance."""

    cpu: str | None = None
    shared: bool | None = None


def is_windows(name: str) -> bool:
    """Whether an instance's price holds a Windows licence."""
    return name.upper().endswith("-WIN")


def note(name: str) -> str | None:
    """What an instance's name says that no column does."""
    return "network variant, dear for its size" if _NETWORK_VARIANT.search(name) else None


def hosts(products: Sequence[Any]) -> dict[str, Host]:
    """The CPU of each instance type; rows with other types are left to `take`."""
    found: dict[str, Host] = {}
    for row in products:
        try:
            name = text(row, "product")
            cpu = value_at(row, "properties", "hardware", "cpu")
            if name and cpu and value_at(row, "properties", "instance") is not None:
                found.setdefault(name, Host(text(cpu, "type"), flag(cpu, "shared")))
        except BrokenRowError:
            continue
    return found


def take(products: Sequence[Any], listed: set[tuple[str, str]], now: datetime, harvest: Harvest) -> None:
    """Offers of all products but the instances (zone, name) that are listed already."""
    fees = _fees(products)
    harvest.each(products, lambda row: _product(row, listed, fees, now, harvest))


def _product(
    row: Any, listed: set[tuple[str, str]], fees: Mapping[tuple[str, str], float], now: datetime, harvest: Harvest
) -> None:
    name, place = text(row, "product"), _place(row)
    hardware, kind = value_at(row, "properties", "hardware"), _kind(row)
    if name is None or place is None or not hardware or kind is None:
        harvest.skip("not a server")
        return
    if text(row, "status") not in SOLD or _ended(row, now):
        harvest.skip("no longer sold")
        return
    if kind == "instance" and (place, name) in listed:
        harvest.skip("instance listed by its zone")
        return
    unit = text(row, "unit_of_measure", "unit")
    if unit == "setup":
        return
    if is_windows(name):
        harvest.skip("Windows")
        return
    price = _price(row)
    if price is None:
        harvest.skip("no price")
        return
    metal = kind in METAL
    facts: dict[str, Any] = {"tier": METAL.get(kind), "note": note(name)}
    if unit in HOURS:
        facts["price_per_hour"] = round(price * HOURS[unit], 9)
    elif unit == "month" and metal:
        facts |= {"term": "monthly", "price_per_month": price, "setup_fee": fees.get((name, place))}
    else:
        harvest.skip("not sold by the hour or month")
        return
    _add(name, place, hardware, facts, harvest)


def _add(name: str, place: str, hardware: Any, facts: dict[str, Any], harvest: Harvest) -> None:
    cpu, ram_bytes = value_at(hardware, "cpu"), number(hardware, "ram", "size")
    sockets, per_socket = number(cpu, "physical", "sockets"), number(cpu, "physical", "cores_per_socket")
    threads = number(cpu, "threads") or number(cpu, "virtual", "count")
    gpus, gpu_memory = number(hardware, "gpu", "count"), _GPU_MEMORY.search(name)
    bandwidth = number(hardware, "network", "public_bandwidth")
    storage = text(hardware, "storage", "description")
    harvest.add(
        server=name,
        region=place,
        sockets=int(sockets) if sockets else None,
        cores=per_socket * (sockets or 1) if per_socket else None,
        vcpus=threads,
        shared_cpu=flag(cpu, "shared"),
        cpu_model=text(cpu, "type"),
        ram_gib=ram_bytes / BYTES_PER_GIB if ram_bytes else None,
        gpu_model=text(hardware, "gpu", "type") if gpus else None,
        gpu_count=gpus,
        vram_gib_per_gpu=float(gpu_memory[1]) if gpus and gpu_memory else None,
        storage="network (block storage required)" if storage == "Block" else storage,
        nic=f"{bandwidth / 1e6:g} Mbit/s" if bandwidth else None,
        currency="EUR",
        **facts,
    )


def _kind(row: Any) -> str | None:
    properties = value_at(row, "properties")
    return next((name for name in ("instance", *METAL) if value_at(properties, name) is not None), None)


def _place(row: Any) -> str | None:
    return text(row, "locality", "zone") or text(row, "locality", "datacenter") or text(row, "locality", "region")


def _price(row: Any) -> float | None:
    """Euros per unit of measure; None if 0 (a retired product) or in another currency."""
    if text(row, "price", "retail_price", "currency_code") != "EUR":
        return None
    whole = number(row, "price", "retail_price", "units", zero=True) or 0.0
    nanos = number(row, "price", "retail_price", "nanos", zero=True) or 0.0
    return (whole + nanos / 1e9) / (number(row, "unit_of_measure", "size") or 1.0) or None


def _fees(products: Sequence[Any]) -> dict[tuple[str, str], float]:
    """One-time fees by product and place: they are products of their own."""
    found: dict[tuple[str, str], float] = {}
    for row in products:
        try:
            name, place, fee = text(row, "product"), _place(row), _price(row)
            if name and place and fee and text(row, "unit_of_measure", "unit") == "setup":
                found[name, place] = fee
        except BrokenRowError:
            continue
    return found


def _ended(row: Any, now: datetime) -> bool:
    stated = text(row, "end_of_life_at")
    try:
        end = datetime.fromisoformat(stated) if stated else None
    except ValueError:
        raise BrokenRowError("end_of_life_at is no date") from None
    # A time without a zone cannot be compared with one that has one.
    return end is not None and end.date() <= now.date()
