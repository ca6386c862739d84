"""DigitalOcean: Droplets with and without GPUs. Dollars an hour, capped by the month; one price in all regions.

`gpu_info.vram.amount` is the memory of all GPUs of a size together. Hourly prices carry the noise of single precision.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pricing.feed import MIB_PER_GIB, Harvest, flag, items, number, rows, text, value_at
from pricing.provider import About, Fetched, register

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from pricing.answers import Answer, Answers
    from pricing.asking import Asker

URL = "https://api.digitalocean.com/v2/sizes"
PAGE = "https://www.digitalocean.com/pricing/droplets"
PER_PAGE = 200
DECIMALS = 6
"""Finer than any price of the list, coarser than the noise of single precision."""


@register
class DigitalOcean:
    """Droplet sizes."""

    about = About(
        "digitalocean",
        "DigitalOcean",
        "prices",
        kinds=("gpu", "cpu"),
        covers=(("gpu", "on_demand"), ("cpu", "on_demand")),
        hosts=("api.digitalocean.com",),
        key_variable="DIGITALOCEAN_TOKEN",
        key_needed=True,
        verified="2026-08",
        cannot=("the host CPU", "reserved prices", "traffic beyond what is included"),
        page=PAGE,
    )

    def fetch(self, ask: Asker) -> None:
        """All pages of the sizes. Raises FeedError."""
        headers = {"Authorization": f"Bearer {ask.need_key()}"}
        page = 1

        def following(answer: Answer) -> Mapping[str, str] | None:
            nonlocal page
            # The link is only asked whether there is a next page: where it leads is known without it.
            body = answer.json()
            links = body.get("links") if isinstance(body, dict) else None
            pages = links.get("pages") if isinstance(links, dict) else None
            if not isinstance(pages, dict) or not pages.get("next"):
                return None
            page += 1
            return _query(page)

        ask.pages("sizes", URL, following, params=_query(page), headers=headers)

    def parse(self, answers: Answers, now: datetime) -> Fetched:
        """Offers of the sizes, one a region. Raises FeedError if an answer has another shape."""
        harvest = Harvest.at("digitalocean", "DigitalOcean API sizes", PAGE, now)
        for answer in answers.all("sizes"):
            harvest.each(rows("digitalocean", answer.json(), "sizes"), lambda row: _size(row, harvest))
        return harvest.done(answers.missing)


def _query(page: int) -> Mapping[str, str]:
    return {"page": str(page), "per_page": str(PER_PAGE)}


def _size(row: Any, harvest: Harvest) -> None:
    slug, hourly, memory_mib = text(row, "slug"), number(row, "price_hourly"), number(row, "memory")
    places = [text({"region": place}, "region") for place in items(row, "regions")]
    if slug is None or hourly is None:
        harvest.skip("size without name or price")
        return
    if not places:
        harvest.skip("sold in no region")
        return
    description, mbit = text(row, "description") or "", number(row, "networking_throughput")
    facts = {
        "server": slug,
        "vcpus": number(row, "vcpus"),
        "ram_gib": memory_mib / MIB_PER_GIB if memory_mib else None,
        "shared_cpu": True if description.startswith("Basic") else None,
        "storage": _storage(row),
        "nic": f"{mbit:g} Mbit/s" if mbit else None,
        "price_per_hour": round(hourly, DECIMALS),
        "price_per_month": number(row, "price_monthly"),
        "availability": "out of stock" if flag(row, "available") is False else None,
    } | _gpus(row)
    if "gpu_model" in facts and facts["gpu_model"] is None:
        harvest.skip("GPU without a name")
        return
    for place in places:
        harvest.add(**facts, region=place)


def _gpus(row: Any) -> dict[str, Any]:
    if value_at(row, "gpu_info") is None:
        return {}
    count, amount = number(row, "gpu_info", "count"), number(row, "gpu_info", "vram", "amount")
    return {
        "gpu_model": text(row, "gpu_info", "model"),
        "gpu_count": count,
        "vram_gib_per_gpu": amount / count if amount and count else None,
    }


def _storage(row: Any) -> str | None:
    disks = []
    for disk in items(row, "disk_info"):
        amount, kind = number(disk, "size", "amount"), text(disk, "type") or "disk"
        if amount:
            disks.append(f"{amount:g} GiB {kind}")
    size_gb = number(row, "disk")
    return " + ".join(disks) or (f"{size_gb:g} GB ssd" if size_gb else None)
