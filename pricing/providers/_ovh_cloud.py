"""OVHcloud's public cloud catalogue: instances by the hour and by the month, in hundred-millionths of the currency."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pricing.feed import BrokenRowError, items, number, rows, text, value_at
from pricing.providers._ovh_prices import currency_of
from pricing.regions import region_group

if TYPE_CHECKING:
    from pricing.feed import Harvest

UNIT = 1e8
"""Prices are whole numbers of this part of a euro or dollar."""
CURRENCY = "EUR"
"""Of the subsidiary that is asked, where the catalogue does not repeat it."""
EVERYWHERE = "eu"
"""Where an instance is sold whose price is for all ordinary regions of the subsidiary."""
LOCAL_GROUPS = {"EU": "eu", "EUROZONE": "eu", "AF": "other", "US": "us", "CA": "us", "AP": "asia", "APAC": "asia"}
MINUTES_PER_HOUR = 60.0
_PLAN = re.compile(r"^(?P<name>.+)\.(?P<term>consumption|monthly\.postpaid)(?:\.(?P<place>LZ(?:\.[A-Z0-9_-]+)*|3AZ))?$")


def take(catalogue: Any, harvest: Harvest) -> None:
    """Offers of the catalogue. Raises FeedError if it has another shape."""
    currency = currency_of(catalogue, CURRENCY)
    harvest.each(rows("ovh", catalogue, "addons"), lambda row: _instance(row, currency, harvest))


def _instance(row: Any, currency: str, harvest: Harvest) -> None:
    code = text(row, "planCode")
    if text(row, "product") != "publiccloud-instance" or code is None:
        return
    found = _PLAN.match(code)
    if found is None or found["name"].endswith((".hour", ".minute")):
        harvest.skip("not an instance")
        return
    blobs = value_at(row, "blobs")
    tags = items(blobs, "tags")
    if tags and "active" not in tags:
        harvest.skip("no longer sold")
        return
    technical = value_at(blobs, "technical")
    if found["name"].startswith("win-") or text(technical, "os", "family") not in {None, "linux"}:
        harvest.skip("Windows")
        return
    price = _price(row, monthly=found["term"] != "consumption")
    if price is None:
        harvest.skip("no price")
        return
    gpus = number(technical, "gpu", "number")
    cpu, mbit = text(technical, "cpu", "model"), number(technical, "bandwidth", "level")
    place = found["place"]
    harvest.add(
        server=found["name"],
        region=place or EVERYWHERE,
        region_group=_group(place),
        vcpus=number(technical, "cpu", "cores"),
        cpu_model=None if cpu == "vCore" else cpu,
        ram_gib=number(technical, "memory", "size"),
        gpu_model=text(technical, "gpu", "model") if gpus else None,
        gpu_count=gpus,
        vram_gib_per_gpu=number(technical, "gpu", "memory", "size") if gpus else None,
        storage=_storage(technical),
        nic=f"{mbit:g} Mbit/s" if mbit else None,
        currency=currency,
        **price,
    )


def _price(row: Any, *, monthly: bool) -> dict[str, Any] | None:
    """Term and price of a plan; the fee for the hour and for the month stand in plans of their own."""
    for pricing in items(row, "pricings"):
        if text(pricing, "mode") != "default" or number(pricing, "commitment") is not None:
            continue
        price, every = number(pricing, "price"), number(pricing, "interval") or 1.0
        unit = text(pricing, "intervalUnit")
        if price is None:
            continue
        each = price / UNIT / every
        if monthly and unit == "month":
            return {"term": "monthly", "price_per_month": each}
        if not monthly and unit in {"hour", "minute"}:
            return {"price_per_hour": each * (MINUTES_PER_HOUR if unit == "minute" else 1.0)}
    return None


def _group(place: str | None) -> str:
    """A local zone's part of the world: its name is a code of OVHcloud's."""
    if place is None or place == "3AZ":
        return "eu"
    code = place.removeprefix("LZ").strip(".").split(".")[0]
    return LOCAL_GROUPS.get(code) or region_group(code) or "other"


def _storage(technical: Any) -> str | None:
    if value_at(technical, "storage") is None:
        return None
    disks = []
    for disk in [*items(technical, "storage", "disks"), *items(technical, "nvme", "disks")]:
        size, kind = number(disk, "capacity"), text(disk, "technology") or text(disk, "interface")
        if size:
            count = number(disk, "number") or 1.0
            if count > 100:
                raise BrokenRowError("number is no number of disks")
            disks.append(f"{size:g} GB {kind or 'disk'}" if count == 1 else f"{count:g}x{size:g} GB {kind or 'disk'}")
    return " + ".join(disks) or None
