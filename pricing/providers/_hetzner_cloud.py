"""Hetzner's cloud types: net prices as texts, by location, with a monthly cap."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pricing.feed import BrokenRowError, Harvest, decimal, flag, items, number, rows, text, value_at

if TYPE_CHECKING:
    from collections.abc import Sequence

GROUPS = {"fsn1": "eu", "nbg1": "eu", "hel1": "eu", "ash": "us", "hil": "us", "sin": "asia"}
"""Part of the world of each location; of a new one the name has to tell."""


def take(lists: Sequence[Any], now: datetime, harvest: Harvest) -> None:
    """Offers of the types, one a location. Raises FeedError if a page has another shape."""
    for found in lists:
        harvest.each(rows("hetzner", found, "server_types"), lambda row: _type(row, now, harvest))


def _type(row: Any, now: datetime, harvest: Harvest) -> None:
    name, vcpus, disk_gb = text(row, "name"), number(row, "cores"), number(row, "disk")
    if name is None:
        harvest.skip("type without a name")
        return
    gone = _gone(row, now)
    if gone or (row.get("deprecated") is True and _end(row) is None):
        harvest.skip("no longer sold")
        return
    places = {text(place, "name"): place for place in items(row, "locations")}
    for price in items(row, "prices"):
        location = text(price, "location")
        place = places.get(location)
        if place is not None and _gone(place, now):
            harvest.skip("no longer sold at a location")
            continue
        harvest.add(
            server=name,
            region=location,
            region_group=GROUPS.get(location or ""),
            vcpus=vcpus,
            ram_gib=number(row, "memory"),
            shared_cpu=text(row, "cpu_type") == "shared",
            storage=f"{disk_gb:g} GB {text(row, 'storage_type') or 'local'}" if disk_gb else None,
            currency="EUR",
            price_per_hour=_net(price, "price_hourly"),
            price_per_month=_net(price, "price_monthly"),
            availability="out of stock" if place is not None and flag(place, "available") is False else None,
            note=_note(row, place),
        )


def _net(price: Any, name: str) -> float | None:
    return None if value_at(price, name, "net") == "None" else decimal(price, name, "net")


def _end(row: Any) -> datetime | None:
    """When something is sold no longer; None if no end is stated. Saved answers hold the text "None"."""
    stated = value_at(row, "deprecation")
    end = text(stated, "unavailable_after") if isinstance(stated, dict) else None
    if end is None or end == "None":
        return None
    try:
        moment = datetime.fromisoformat(end)
    except ValueError:
        raise BrokenRowError("unavailable_after is no time") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _gone(row: Any, now: datetime) -> bool:
    end = _end(row)
    return end is not None and end <= (now if now.tzinfo else now.replace(tzinfo=UTC))


def _note(row: Any, place: Any) -> str | None:
    end = _end(row) or (_end(place) if place is not None else None)
    return f"sold until {end.date().isoformat()}" if end else None
