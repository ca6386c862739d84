"""Lambda: GPU and CPU instances. Prices are cents an hour per instance; regions are those with room at this moment.

A type without room anywhere keeps its price, but has no region: listing it in every region, as others do, would be an
invention.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pricing.feed import Harvest, items, number, table, text
from pricing.provider import About, Fetched, register

if TYPE_CHECKING:
    from datetime import datetime

    from pricing.answers import Answers
    from pricing.asking import Asker

URL = "https://cloud.lambda.ai/api/v1/instance-types"
PAGE = "https://lambda.ai/pricing"
CENTS = 100.0
_NAME = re.compile(r"^gpu_(\d+)x_(.+)$")
_DESCRIPTION = re.compile(r"^(?:\d+x )?(.+?) \((\d+) GB(?: ([\w-]+))?\)$")
""" "8x A100 (80 GB SXM4)": what the full answer says of a GPU."""


@register
class Lambda:
    """On-demand instances."""

    about = About(
        "lambda",
        "Lambda",
        "prices",
        kinds=("gpu", "cpu"),
        covers=(("gpu", "on_demand"), ("cpu", "on_demand")),
        hosts=("cloud.lambda.ai",),
        key_variable="LAMBDA_API_KEY",
        key_needed=True,
        verified="2026-08",
        cannot=("the host CPU", "regions of a type that is out of stock", "reserved prices"),
        page=PAGE,
    )

    def fetch(self, ask: Asker) -> None:
        """One request. Raises FeedError."""
        ask.get("types", URL, headers={"Authorization": f"Bearer {ask.need_key()}"})

    def parse(self, answers: Answers, now: datetime) -> Fetched:
        """Offers of the types, one a region with room. Raises FeedError if the answer has another shape."""
        harvest = Harvest.at("lambda", "Lambda API instance-types", PAGE, now)
        for answer in answers.all("types"):
            types = table("lambda", answer.json(), "data")
            harvest.each(types.values(), lambda row: _type(row, harvest))
        return harvest.done(answers.missing)


def _type(row: Any, harvest: Harvest) -> None:
    name = text(row, "instance_type", "name")
    cents = number(row, "instance_type", "price_cents_per_hour")
    if name is None or cents is None:
        harvest.skip("type without name or price")
        return
    facts = {
        "server": name,
        "vcpus": number(row, "instance_type", "specs", "vcpus"),
        "ram_gib": number(row, "instance_type", "specs", "memory_gib"),
        "price_per_hour": cents / CENTS,
    }
    disk_gib = number(row, "instance_type", "specs", "storage_gib")
    facts |= {"storage": f"{disk_gib:g} GiB ssd" if disk_gib else None}
    facts |= _gpus(name, row)
    places = [text(place, "name") for place in items(row, "regions_with_capacity_available")]
    for place in places:
        harvest.add(**facts, region=place, availability="in stock")
    if not places:
        harvest.add(**facts, region=None, availability="out of stock")


def _gpus(name: str, row: Any) -> dict[str, Any]:
    """The GPUs of a type: as described if it is, by its name otherwise; empty for a CPU type."""
    found = _NAME.match(name)
    count = number(row, "instance_type", "specs", "gpus") or (float(found[1]) if found else None)
    if not count:
        return {}
    said = text(row, "instance_type", "gpu_description") or text(row, "instance_type", "description") or ""
    model, memory_gib, link = _described(said)
    if model is None:
        model = found[2].replace("_", " ").upper() if found else name
    return {"gpu_model": model, "gpu_count": count, "vram_gib_per_gpu": memory_gib, "interconnect": link}


@lru_cache(maxsize=256)
def _described(said: str) -> tuple[str | None, float | None, str | None]:
    """Model, GiB and link of "A100 (80 GB SXM4)"; None where another form of words is used."""
    found = _DESCRIPTION.match(said)
    if not found:
        return None, None, None
    model, memory, link = found.groups()
    return (f"{model} {link}" if link else model), float(memory), link
