"""Lium: GPUs of hosts on a marketplace, whole or some of a host's.

The public list of nodes is promised to keep its fields; the older list of executors says less. Prices are dollars per GPU
and hour. What goes with some of a host's GPUs is the documented share: its threads and disk by the number of GPUs, its
memory likewise after the host has kept max(4 GB, 1 %) for itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pricing.errors import FeedError
from pricing.feed import Harvest, flag, number, rows, text, value_at
from pricing.provider import About, Fetched, register
from pricing.regions import region_group

if TYPE_CHECKING:
    from datetime import datetime

    from pricing.answers import Answers
    from pricing.asking import Asker

NODES_URL = "https://lium.io/api/public/v1/nodes"
EXECUTORS_URL = "https://lium.io/api/executors"
PAGE = "https://lium.io/browse-pods"
KEPT_GB, KEPT_SHARE = 4.0, 0.01
"""What a host keeps of its memory, the larger of the two (docs.lium.io/pod-users/create-pod)."""
MAX_GPUS = 64


@register
class Lium:
    """Marketplace GPUs, on demand and spot."""

    about = About(
        "lium",
        "Lium",
        "prices",
        kinds=("gpu",),
        covers=(("gpu", "on_demand"), ("gpu", "spot")),
        hosts=("lium.io",),
        gpus_alone=True,
        verified="2026-08",
        cannot=("the CPU model", "the host in the older list"),
        page=PAGE,
    )

    def fetch(self, ask: Asker) -> None:
        """The nodes; if they are not answered, the older list. Raises FeedError of the first if both fail."""
        try:
            ask.get("nodes", NODES_URL)
        except FeedError as error:
            try:
                ask.get("executors", EXECUTORS_URL)
            except FeedError:
                raise error from None

    def parse(self, answers: Answers, now: datetime) -> Fetched:
        """Offers of each number of GPUs that a host rents. Raises FeedError if the list is not in the known shape."""
        harvest = Harvest.at("lium", "Lium public list of nodes", PAGE, now)
        seen: set[str] = set()
        nodes, executors = answers.first("nodes"), answers.first("executors")
        if nodes is not None or executors is None:
            found = rows("lium", nodes.json() if nodes else None, "nodes")
            harvest.each(found, lambda row: _offers(node(row), seen, harvest))
        else:
            harvest.each(rows("lium", executors.json()), lambda row: _offers(executor(row), seen, harvest))
        return harvest.done(answers.missing)


def node(row: Any) -> dict[str, Any]:
    """The facts of a row of the public list."""
    country, part = text(row, "country_code"), text(row, "region")
    return {
        "id": text(row, "id"),
        "card": text(row, "gpu_model"),
        "memory_gb": number(row, "gpu_memory_gb"),
        "gpus": number(row, "gpu_count"),
        "free": number(row, "available_gpu_count", zero=True),
        "least": number(row, "min_rentable_gpu_count"),
        "price": number(row, "price_per_gpu_hour"),
        "threads": number(row, "cpu_count"),
        "ram_gb": number(row, "ram_gb"),
        "disk_gb": number(row, "disk_gb"),
        "tier": text(row, "tier"),
        "spot": text(row, "tier") == "spot",
        "country": country,
        "region": "-".join(filter(None, (country, part))).lower().replace(" ", "") or None,
    }


def executor(row: Any) -> dict[str, Any]:
    """The facts of a row of the older list."""
    country, city = text(row, "location", "country_code"), text(row, "location", "city")
    tier = text(row, "tier")
    return {
        "id": text(row, "id"),
        "card": text(row, "machine_name"),
        "memory_gb": None,
        "gpus": number(row, "gpu_count"),
        "free": number(row, "available_gpu_count", zero=True),
        "least": number(row, "min_gpu_count_for_rental"),
        "price": number(row, "price_per_gpu"),
        "threads": None,
        "ram_gb": None,
        "disk_gb": None,
        "tier": tier,
        "spot": tier == "spot" or bool(isinstance(value_at(row, "specs"), dict) and flag(row, "specs", "is_spot")),
        "country": country,
        "region": " ".join(filter(None, (country, city))) or None,
    }


def _offers(host: dict[str, Any], seen: set[str], harvest: Harvest) -> None:
    name, card, gpus, price = host["id"], host["card"], host["gpus"], host["price"]
    if name is None or card is None or gpus is None or price is None or not 1 <= gpus <= MAX_GPUS:
        harvest.skip("host without card, count or price")
        return
    short = name[:8]
    if short in seen:
        harvest.skip("listed twice")
        return
    seen.add(short)
    free = min(gpus, gpus if host["free"] is None else host["free"])
    # Where the smallest order is not stated, only the whole host is a safe one.
    least = max(1.0, host["least"] or gpus)
    if free < least:
        harvest.skip("fewer GPUs free than the smallest order")
        return
    for count in counts(int(least), int(free)):
        share = count / gpus
        whole = count == gpus
        harvest.add(
            server=f"{short} whole node" if whole else f"{short} {count} of {gpus:.0f}",
            region=host["region"],
            region_group=region_group(host["country"]),
            gpu_model=card,
            gpu_count=float(count),
            vram_gib_per_gpu=host["memory_gb"],
            vcpus=float(int(host["threads"] * share)) or None if host["threads"] else None,
            ram_gib=_ram_gb(host["ram_gb"], share),
            storage=f"{host['disk_gb'] * share:.0f} GB" if host["disk_gb"] else None,
            term="spot" if host["spot"] else "on_demand",
            tier=host["tier"],
            price_per_hour=round(price * count, 6),
            availability="available",
        )


def counts(least: int, most: int) -> list[int]:
    """The smallest and the largest order, and the powers of two between."""
    found = {least, most}
    power = 1
    while power <= most:
        if power >= least:
            found.add(power)
        power *= 2
    return sorted(found)


def _ram_gb(host_gb: float | None, share: float) -> float | None:
    if host_gb is None:
        return None
    left = host_gb - max(KEPT_GB, KEPT_SHARE * host_gb)
    return round(left * share, 2) if left > 0 else None
