"""Hetzner's dedicated lines: what a line costs in its entry configuration, and ready-made configurations of some.

The price is that of the entry configuration only; larger ones carry no price of their own in the list. Many ready-made
machines share a line's name, so their configuration number is part of theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pricing.feed import BrokenRowError, Harvest, flag, items, number, rows, text, value_at
from pricing.providers._hetzner_machine import gpu_of, processor, storage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime


def take(lists: Sequence[Any], _: datetime, harvest: Harvest) -> None:
    """Offers of the list. Raises FeedError if it has another shape."""
    for found in lists:
        harvest.each(rows("hetzner", found, "server"), lambda row: _server(row, harvest))


def _server(row: Any, harvest: Harvest) -> None:
    facts = _nested(row) if value_at(row, "priceData") is not None else _flat(row)
    cpu, cores, threads = (facts.pop(name) for name in ("cpu", "feed_cores", "feed_threads"))
    if facts["server"] is None or cpu is None:
        harvest.skip("machine without name or CPU")
        return
    known = processor(cpu, None)
    # The list counts the cores of all sockets together, as the catalog's times the sockets do.
    known |= {"cores": cores or known["cores"], "vcpus": threads or known["vcpus"], "sockets": known["sockets"] or 1}
    harvest.add(term="monthly", currency="EUR", **known, **facts)


def _flat(row: Any) -> dict[str, Any]:
    name, configuration = text(row, "name"), text(row, "configuration_id")
    places = [text(place, "datacenter") or "" for place in items(row, "datacenter")]
    out = flag(row, "is_disabled")
    facts: dict[str, Any] = {
        "server": f"{name} {configuration}" if name and configuration else name,
        "cpu": text(row, "cpu"),
        "feed_cores": number(row, "cores"),
        "feed_threads": number(row, "threads"),
        "ram_gib": number(row, "ram"),
        "storage": _disks(row),
        "nic": _nic(number(row, "bandwith")),
        "region": " ".join(filter(None, places)) or None,
        "price_per_month": number(row, "price"),
        "price_per_hour": number(row, "hourPrice"),
        "setup_fee": number(row, "setup_price", zero=True),
        "availability": "out of stock" if out else "pre-order" if flag(row, "is_pre_order") else None,
    }
    varies = flag(row, "isLocationDependentMonthlyPrice") and len(places) > 1
    ipv4 = "IPv4" in items(row, "specials")
    facts["note"] = _note(None, ipv4=ipv4, varies=bool(varies))
    said = text(row, "category") or ""
    return facts | _gpus(facts["server"], row, sells_gpu="GPU" in said.split() or _is_gpu_line(name))


def _nested(row: Any) -> dict[str, Any]:
    entry = next(iter(items(row, "variations")), None)
    sites = value_at(row, "details", "datacenter")
    if sites is not None and not isinstance(sites, dict):
        raise BrokenRowError(f"datacenter is {type(sites).__name__}")
    places = [text(place, "datacenter") or "" for place in (sites or {}).values()]
    ipv4, name = number(row, "priceData", "ipPrice", "Monthly"), text(row, "name")
    facts: dict[str, Any] = {
        "server": name,
        "cpu": text(row, "cpuData", "cpu"),
        "feed_cores": number(row, "cpuData", "cores"),
        "feed_threads": number(row, "cpuData", "threads"),
        "ram_gib": number(row, "filterData", "ramMin"),
        "storage": storage(_drives(entry)),
        "nic": _nic(number(row, "details", "bandwidth")),
        "region": " ".join(dict.fromkeys(filter(None, places))) or None,
        "price_per_month": number(row, "priceData", "price"),
        "setup_fee": number(row, "priceData", "setupPrice", zero=True),
        "note": _note(ipv4, ipv4=ipv4 is not None, varies=False),
    }
    return facts | _gpus(name, row, sells_gpu=bool(row.get("gpuData")) or _is_gpu_line(name))


def _note(price: float | None, *, ipv4: bool, varies: bool) -> str | None:
    notes = ["entry price, dearer at some of these sites"] if varies else []
    if ipv4:
        notes.append(f"IPv4 {price:.2f} EUR a month extra" if price else "IPv4 extra")
    return "; ".join(notes) or None


def _disks(row: Any) -> str | None:
    """The disks of a configuration; some lines come without, and sell any number of them."""
    disks = [disk for entry in items(row, "hdd_arr") if (disk := text({"disk": entry}, "disk"))]
    included = [disk for disk in disks if not disk.startswith("optional")]
    return storage(included) if included or not disks else "none included"


def _drives(variation: Any) -> Iterator[str]:
    for drive in items(variation, "drive") if variation is not None else ():
        size, kind = number(drive, "RealSize"), text(drive, "Type")
        if size:
            yield from [f"{size:g} GB {kind or 'disk'}"] * int(number(drive, "Amount") or 1)


def _is_gpu_line(name: str | None) -> bool:
    return bool(name and name.upper().startswith("GEX"))


def _gpus(name: str | None, row: Any, *, sells_gpu: bool) -> dict[str, Any]:
    """The GPU that a GPU line's own data or description names; a line that names none is shown without a model's name."""
    if not sells_gpu:
        return {}
    # The description is longer than any field that is shown: it is read as it is, never kept.
    description = value_at(row, "description")
    said = " ".join([*_words(row.get("gpuData")), description if isinstance(description, str) else ""])
    found = gpu_of(said)
    if found is None:
        return {"gpu_model": f"GPU of {name}, not named", "gpu_count": 1.0}
    spelling, count, memory_gib = found
    return {"gpu_model": spelling, "gpu_count": count, "vram_gib_per_gpu": memory_gib}


def _words(value: Any) -> Iterator[str]:
    """All texts in a value, whatever its shape and however deep."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, (dict, list)):
            waiting += reversed(list(one.values() if isinstance(one, dict) else one))


def _nic(mbit: float | None) -> str | None:
    return f"{mbit:g} Mbit/s" if mbit else None
