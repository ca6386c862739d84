"""CloudRift: machines with consumer and workstation GPUs, priced in cents, sized in bytes.

A type has variants by the number of GPUs; the data centres that have one free are told for each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pricing.errors import FeedError
from pricing.feed import BYTES_PER_GIB, BrokenRowError, Harvest, items, number, rows, text, value_at
from pricing.identity import find_gpu
from pricing.provider import About, Fetched, register

if TYPE_CHECKING:
    from datetime import datetime

    from pricing.answers import Answers
    from pricing.asking import Asker

URL = "https://api.cloudrift.ai/api/v1/instance-types/list"
PAGE = "https://www.cloudrift.ai/pricing"
BODY = {"version": "2025-03-21", "data": {"selector": {"ByServiceAndLocation": {"services": ["vm"]}}}}
CENTS = 100.0


@register
class CloudRift:
    """Virtual machines with GPUs."""

    about = About(
        "cloudrift",
        "CloudRift",
        "prices",
        kinds=("gpu", "cpu"),
        covers=(("gpu", "on_demand"), ("cpu", "on_demand")),
        hosts=("api.cloudrift.ai",),
        cannot=("the CPU model", "volumes"),
        page=PAGE,
    )

    def fetch(self, ask: Asker) -> None:
        """One request. Raises FeedError."""
        ask.post("types", URL, BODY)

    def parse(self, answers: Answers, now: datetime) -> Fetched:
        """Offers of every variant in every data centre. Raises FeedError if the list is not in the known shape."""
        harvest = Harvest.at("cloudrift", "CloudRift API instance types", PAGE, now)
        answer = answers.first("types")
        data = answer.json() if answer else None
        if isinstance(data, dict) and isinstance(data.get("data"), str):
            raise FeedError("cloudrift", "the feed answered with a text.", hint="Old prices stay in use.")
        seen: set[tuple[str, str | None]] = set()
        harvest.each(rows("cloudrift", data, "data", "instance_types"), lambda row: _type(row, seen, harvest))
        return harvest.done(answers.missing)


def _type(row: Any, seen: set[tuple[str, str | None]], harvest: Harvest) -> None:
    card = text(row, "brand_short")
    for variant in items(row, "variants"):
        _variant(variant, card, seen, harvest)


def _variant(row: Any, card: str | None, seen: set[tuple[str, str | None]], harvest: Harvest) -> None:
    name, cents, count = text(row, "name"), number(row, "cost_per_hour"), number(row, "gpu_count")
    if name is None or cents is None or (count and card is None):
        harvest.skip("variant without a name, card or price")
        return
    ram, disk = number(row, "dram"), number(row, "disk")
    facts = {
        "server": name,
        "kind": "gpu" if count else "cpu",
        "vcpus": number(row, "cpu_count"),
        "ram_gib": round(ram / BYTES_PER_GIB, 2) if ram else None,
        "gpu_model": card if count else None,
        "gpu_count": count,
        "vram_gib_per_gpu": _vram_gib(card or "", number(row, "vram"), count) if count else None,
        "storage": f"{disk / BYTES_PER_GIB:.0f} GiB" if disk else None,
        "price_per_hour": cents / CENTS,
    }
    for place, free in _places(row).items() or {None: 0.0}.items():
        if (name, place) in seen:
            harvest.skip("listed twice")
            continue
        seen.add((name, place))
        harvest.add(**facts, region=place, availability=f"{free:.0f} free" if free else "out of stock")


def _vram_gib(card: str, vram_bytes: float | None, count: float) -> float | None:
    """Memory of one card: the feed's figure, or its share where only that is a size the card has."""
    if vram_bytes is None:
        return None
    stated = vram_bytes / BYTES_PER_GIB
    shared = stated / count
    return shared if find_gpu(card, stated) is None and find_gpu(card, shared) is not None else stated


def _places(row: Any) -> dict[str | None, float]:
    """Data centre -> free machines; the field was renamed once."""
    field = "available_nodes_per_dc" if value_at(row, "available_nodes_per_dc") is not None else "nodes_per_dc"
    found = value_at(row, field)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise BrokenRowError(f"{field} is {type(found).__name__}")
    return {place: number(found, key) or 0.0 for key in found if (place := text({"place": key}, "place"))}
