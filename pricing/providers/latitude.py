"""Latitude.sh: whole machines by the hour, the month and the year, in dollars, one price a country.

A month costs less than its hours (0.95 of 730) and a year less than its months (0.70 of 8760 hours): three offers, never
one computed from another. Prices in reais stand beside the dollars and are another price list, not another currency.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pricing.feed import BrokenRowError, Harvest, items, number, rows, text, value_at
from pricing.identity import find_cpu
from pricing.provider import About, Fetched, register

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from pricing.answers import Answer, Answers
    from pricing.asking import Asker

URL = "https://api.latitude.sh/plans"
PAGE = "https://www.latitude.sh/pricing"
API_VERSION = "2023-06-01"
PER_PAGE = 100
MONTHS_PER_YEAR = 12
_MEMORY = re.compile(r"(\d+) ?GB", re.IGNORECASE)


@register
class Latitude:
    """Bare metal plans."""

    about = About(
        "latitude",
        "Latitude.sh",
        "prices",
        kinds=("gpu", "cpu"),
        covers=tuple((kind, term) for kind in ("gpu", "cpu") for term in ("on_demand", "monthly", "reserved")),
        hosts=("api.latitude.sh",),
        key_variable="LATITUDE_API_KEY",
        key_needed=True,
        verified="2024-06",
        cannot=("memory speed", "traffic", "whether a year is paid at once"),
        page=PAGE,
    )

    def fetch(self, ask: Asker) -> None:
        """All pages of the plans. Raises FeedError."""
        page = 1

        def following(answer: Answer) -> Mapping[str, str] | None:
            nonlocal page
            body = answer.json()
            found = body.get("data") if isinstance(body, dict) else None
            if not isinstance(found, list) or len(found) < PER_PAGE:
                return None
            page += 1
            return _query(page)

        headers = {"Authorization": ask.need_key(), "Api-Version": API_VERSION, "Accept": "application/json"}
        ask.pages("plans", URL, following, params=_query(page), headers=headers)

    def parse(self, answers: Answers, now: datetime) -> Fetched:
        """Offers of the plans, up to three a country. Raises FeedError if an answer has another shape."""
        harvest = Harvest.at("latitude", "Latitude.sh API plans", PAGE, now)
        for answer in answers.all("plans"):
            harvest.each(rows("latitude", answer.json(), "data"), lambda row: _plan(row, harvest))
        return harvest.done(answers.missing)


def _query(page: int) -> Mapping[str, str]:
    return {"page[size]": str(PER_PAGE), "page[number]": str(page)}


def _plan(row: Any, harvest: Harvest) -> None:
    slug = text(row, "attributes", "slug")
    if slug is None:
        harvest.skip("plan without a name")
        return
    specs = value_at(row, "attributes", "specs")
    facts = _machine(specs) | _gpus(specs)
    if "gpu_model" in facts and facts["gpu_model"] is None:
        harvest.skip("GPU without a name")
        return
    sold = [(place, _prices(place)) for place in items(row, "attributes", "regions")]
    for place, prices in sold:
        if not prices:
            harvest.skip("no price in dollars")
            continue
        stock = [text({"site": site}, "site") or "" for site in items(place, "locations", "in_stock")]
        availability = f"in stock: {' '.join(stock)}" if stock else "out of stock"
        for price in prices:
            harvest.add(server=slug, region=text(place, "name"), availability=availability, **facts, **price)


def _prices(place: Any) -> list[dict[str, Any]]:
    """Terms and dollars of one country."""
    usd = value_at(place, "pricing", "USD")
    found: list[dict[str, Any]] = []
    if hour := number(usd, "hour"):
        found.append({"term": "on_demand", "price_per_hour": hour})
    if month := number(usd, "month"):
        found.append({"term": "monthly", "price_per_month": month})
    if year := number(usd, "year"):
        per_month = round(year / MONTHS_PER_YEAR, 2)
        found.append({"term": "reserved", "commitment_months": MONTHS_PER_YEAR, "price_per_month": per_month})
    return found


def _machine(specs: Any) -> dict[str, Any]:
    """CPU, memory, disks and network. `cores` counts all sockets together."""
    name, sockets, cores = text(specs, "cpu", "type"), number(specs, "cpu", "count"), number(specs, "cpu", "cores")
    cpu = find_cpu(name) if name else None
    whole = cpu is not None and cpu.cores and cpu.threads and cores == cpu.cores * (sockets or 1)
    return {
        "cpu_model": name,
        "sockets": int(sockets) if sockets else None,
        "cores": cores,
        "vcpus": float(cpu.threads * (sockets or 1)) if whole and cpu and cpu.threads else None,
        "ram_gib": number(specs, "memory", "total"),
        "storage": _list(specs, "drives", "size", "type"),
        "nic": _list(specs, "nics", "type"),
    }


def _gpus(specs: Any) -> dict[str, Any]:
    """Model, count and stated memory; `gpu` is an empty object in a machine without any."""
    gpu = value_at(specs, "gpu")
    if not gpu:
        return {}
    if not isinstance(gpu, dict):
        raise BrokenRowError(f"gpu is {type(gpu).__name__}")
    name = text(gpu, "type")
    memory = _MEMORY.search(name or "")
    return {
        "gpu_model": name,
        "gpu_count": number(gpu, "count"),
        "vram_gib_per_gpu": float(memory[1]) if memory else None,
    }


def _list(specs: Any, name: str, *fields: str) -> str | None:
    """Parts with their counts; what is stated as "2 x 10 Gbps" already is not counted again."""
    parts = []
    for entry in items(specs, name):
        count = number(entry, "count") or 1
        what = " ".join(filter(None, (text(entry, field) for field in fields)))
        parts.append(what if count == 1 and what[:3] == "2 x" else f"{count:g}x {what}")
    return " + ".join(parts) or None
