"""Hetzner's server auction: single machines that are there to be taken, in the nested schema of 2026 and the flat one before."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pricing.feed import MIB_PER_GIB, Harvest, flag, items, number, rows, text, value_at
from pricing.providers._hetzner_machine import processor, storage

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

LARGEST_RAM_GB = 4096
"""No machine of the list has more: a larger figure is MB under the name of GB."""
DISK_KINDS = (("nvme", "NVMe SSD"), ("sata", "SATA SSD"), ("hdd", "HDD"))
_GPU = re.compile(r"^(?:(\d+) ?x )?GPU\s*-\s*(.+)$", re.IGNORECASE)


def take(lists: Sequence[Any], _: datetime, harvest: Harvest) -> None:
    """Offers of the list. Raises FeedError if it has another shape."""
    seen: set[str] = set()
    for found in lists:
        harvest.each(rows("hetzner", found, "server"), lambda row: _server(row, seen, harvest))


def _server(row: Any, seen: set[str], harvest: Harvest) -> None:
    facts = _nested(row) if value_at(row, "Hardware") is not None else _flat(row)
    number_of_server = facts.pop("id")
    cpu, sockets, specials, information = (facts.pop(name) for name in ("cpu", "count", "specials", "information"))
    ipv4, fixed = facts.pop("ipv4"), facts.pop("fixed")
    if number_of_server is None or cpu is None:
        harvest.skip("machine without number or CPU")
        return
    server = f"auction {number_of_server:.0f}"
    if server in seen:
        harvest.skip("listed twice")
        return
    seen.add(server)
    gpus = _gpus(information)
    if not gpus and "GPU" in specials:
        harvest.skip("GPU without a name")
        return
    notes = [
        f"IPv4 {ipv4:.2f} EUR a month extra" if ipv4 else "IPv4 extra" if "IPv4" in specials or ipv4 == 0.0 else ""
    ]
    notes += ["price still falls"] if fixed is False else []
    harvest.add(
        server=server,
        term="monthly",
        tier="auction",
        currency="EUR",
        note="; ".join(filter(None, notes)) or None,
        **processor(cpu, sockets),
        **gpus,
        **facts,
    )


def _flat(row: Any) -> dict[str, Any]:
    return {
        "id": number(row, "id"),
        "cpu": text(row, "cpu"),
        "count": number(row, "cpu_count"),
        "ram_gib": _gigabytes(number(row, "ram_size"), "GB"),
        "storage": _disks(value_at(row, "serverDiskData")),
        "nic": _nic(number(row, "bandwidth")),
        "region": text(row, "datacenter"),
        "price_per_month": number(row, "price"),
        "price_per_hour": number(row, "hourly_price"),
        "setup_fee": number(row, "setup_price", zero=True),
        "ipv4": number(row, "ip_price", "Monthly"),
        "fixed": flag(row, "fixed_price"),
        "specials": _texts(row, "specials"),
        "information": _texts(row, "information"),
    }


def _nested(row: Any) -> dict[str, Any]:
    memory = value_at(row, "Hardware", "RAM")
    return {
        "id": number(row, "Id"),
        "cpu": text(row, "Hardware", "CPU", "Name"),
        "count": number(row, "Hardware", "CPU", "CoreCount"),
        "ram_gib": _gigabytes(number(memory, "Size"), text(memory, "SizeUnit")),
        "storage": _disks(value_at(row, "Hardware", "Storage", "Details")),
        "nic": _nic(number(row, "Details", "Bandwidth")),
        "region": text(row, "Details", "Datacenter", "Name"),
        "price_per_month": number(row, "Prices", "monthly", "EUR"),
        "price_per_hour": number(row, "Prices", "hourly", "EUR"),
        "setup_fee": number(row, "Prices", "setup", "EUR", zero=True),
        "ipv4": number(row, "IPPrices", "monthly", "EUR"),
        "fixed": flag(row, "Prices", "fixed"),
        "specials": _texts(row, "Details", "Specials"),
        "information": _texts(row, "Details", "Information"),
    }


def _texts(row: Any, *path: str) -> list[str]:
    return [found for entry in items(row, *path) if (found := text({"entry": entry}, "entry"))]


def _gigabytes(size: float | None, unit: str | None) -> float | None:
    if size is None:
        return None
    return size / MIB_PER_GIB if unit == "MB" or size > LARGEST_RAM_GB else size


def _disks(row: Any) -> str | None:
    sizes = [
        f"{size:g} GB {kind}"
        for name, kind in DISK_KINDS
        for entry in items(row, name)
        if (size := number({"size": entry}, "size"))
    ]
    return storage(sizes)


def _nic(mbit: float | None) -> str | None:
    return f"{mbit:g} Mbit/s" if mbit else None


def _gpus(information: Sequence[str]) -> dict[str, Any]:
    """The GPUs that the free text names as such; a machine's flag alone says no model."""
    for line in information:
        found = _GPU.match(line)
        if found:
            return {"gpu_model": found[2], "gpu_count": float(found[1] or 1)}
    return {}
