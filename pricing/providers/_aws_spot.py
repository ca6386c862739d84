"""AWS's spot prices, checked against on-demand, and how often AWS takes such servers back (the spot advisor)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from pricing.errors import FeedError
from pricing.feed import BrokenRowError, Harvest, decimal, items, number, rows, table, text
from pricing.providers._aws_types import Size, Sizes, counts_as_accelerated, facts, known_size

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pricing.answers import Answer

    Key = tuple[str, str]
    """Region and instance type."""

SPOT = "https://website.spot.ec2.aws.a2z.com/spot.json"
ADVISOR = "https://spot-bid-advisor.s3.amazonaws.com/spot-advisor-data.json"
OLD_NAMES = {
    "us-east": "us-east-1",
    "us-west": "us-west-1",
    "eu-ireland": "eu-west-1",
    "apac-sin": "ap-southeast-1",
    "apac-syd": "ap-southeast-2",
    "apac-tokyo": "ap-northeast-1",
}
"""The list still calls its oldest regions so."""
CLOSE = 0.95
CLOSE_NOTE = "spot close to on-demand"
UNCHECKED_NOTE = "spot not checked against on-demand"


@dataclass(frozen=True, slots=True)
class Advice:
    """What the spot advisor knows; not a price."""

    interruptions: Mapping[Key, str]
    sizes: Sizes


@dataclass(frozen=True, slots=True)
class Known:
    """What spot prices are read against."""

    regions: Collection[str]
    """Those that were asked for."""
    on_demand: Mapping[Key, float]
    sizes: Sizes
    advice: Advice


def parse(answer: Any, known: Known, harvest: Harvest) -> None:
    """Offers of the spot list. Raises FeedError if it is not in the known shape."""
    skipped: Counter[str] = Counter()
    seen: set[Key] = set()
    regions = rows("aws", answer, "config", "regions")
    harvest.each(regions, lambda row: _region(row, known, harvest, seen, skipped))
    harvest.skipped += skipped
    harvest.check()


def _region(row: Any, known: Known, harvest: Harvest, seen: set[Key], skipped: Counter[str]) -> None:
    name = text(row, "region")
    if name is None:
        raise BrokenRowError("region is missing")
    code = OLD_NAMES.get(name, name)
    for group in items(row, "instanceTypes"):
        accelerated = counts_as_accelerated(text(group, "type"))
        sizes = items(group, "sizes")
        if code not in known.regions:
            skipped["region not asked for"] += len(sizes)
            continue
        harvest.each(
            sizes, partial(_size, region=code, known=known, harvest=harvest, seen=seen, accelerated=accelerated)
        )


def _size(row: Any, *, region: str, known: Known, harvest: Harvest, seen: set[Key], accelerated: bool) -> None:
    server = text(row, "size")
    price = None
    for column in items(row, "valueColumns"):
        if text(column, "name") == "linux":
            price = decimal(column, "prices", "USD")
            break
    if server is None or "." not in server or price is None:
        harvest.skip("no spot price for Linux")
        return
    key = (region, server)
    if key in seen:
        harvest.skip("second price of the same server")
        return
    seen.add(key)
    on_demand = known.on_demand.get(key)
    if on_demand is not None and price > on_demand:
        harvest.skip("spot price above on-demand")
        return
    notes = [known.advice.interruptions.get(key)]
    if on_demand is None:
        notes.append(UNCHECKED_NOTE)
    elif price >= CLOSE * on_demand:
        notes.append(CLOSE_NOTE)
    harvest.add(
        **facts(server, known_size(known.sizes, server, accelerated=accelerated)),
        region=region,
        term="spot",
        price_per_hour=price,
        note="; ".join(note for note in notes if note) or None,
    )


def advice(answer: Answer | None) -> Advice:
    """Interruptions by region and type, and sizes by type; nothing where the answer is missing or of another shape."""
    found: dict[Key, str] = {}
    sizes: Sizes = {}
    if answer is None:
        return Advice(found, sizes)
    try:
        data = answer.json()
        words = {number(row, "index", zero=True): _words(text(row, "label")) for row in rows("aws", data, "ranges")}
        for region, systems in table("aws", data, "spot_advisor").items():
            for server, row in table("aws", systems, "Linux").items():
                if said := words.get(number(row, "r", zero=True)):
                    found[region, server] = said
        for server, row in table("aws", data, "instance_types").items():
            sizes[server] = Size(number(row, "cores"), number(row, "ram_gb"))
    except (FeedError, BrokenRowError):
        # It only adds a note: without it, spot prices are as good.
        return Advice({}, {})
    return Advice(found, sizes)


def _words(label: str | None) -> str | None:
    """A range of the advisor, "<5%", in words."""
    if label is None:
        return None
    said = label.replace("<", "less than ").replace(">", "more than ").replace("%", " %")
    return f"interrupted {said} a month"
