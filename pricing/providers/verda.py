"""Verda (formerly DataCrunch): GPU and CPU servers in Finland and Iceland, on demand and spot.

Prices are texts, in dollars per whole instance; GPU memory is the total of all cards. Which location has which type is
a list of its own: a type in none of it cannot be had now.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from pricing.errors import FeedError
from pricing.feed import BrokenRowError, Harvest, decimal, items, number, rows, text, value_at
from pricing.provider import About, Fetched, Missing, register
from pricing.regions import region_group

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from pricing.answers import Answer, Answers
    from pricing.asking import Asker

    Places = Mapping[str, Sequence[str]] | None
    """Instance type -> locations that have it; None = the list was not answered."""

URL = "https://api.datacrunch.io/v1"
PAGE = "https://verda.com/pricing"
TERMS = (("on_demand", "false", ("price_per_hour",)), ("spot", "true", ("spot_price", "spot_price_per_hour")))


@register
class Verda:
    """GPU and CPU instances."""

    about = About(
        "verda",
        "Verda",
        "prices",
        kinds=("gpu", "cpu"),
        covers=(("gpu", "on_demand"), ("gpu", "spot"), ("cpu", "on_demand"), ("cpu", "spot")),
        hosts=("api.datacrunch.io",),
        verified="2026-08",
        cannot=("the CPU model", "disks, which are priced apart", "how many are free"),
        page=PAGE,
    )

    def fetch(self, ask: Asker) -> None:
        """Types, then where they are to be had; only the types are needed. Raises FeedError."""
        ask.get("types", f"{URL}/instance-types")
        for term, is_spot, _ in TERMS:
            _ask_places(ask, term, is_spot)
        # Locations only tell the country behind a code.
        with contextlib.suppress(FeedError):
            ask.get("locations", f"{URL}/locations")

    def parse(self, answers: Answers, now: datetime) -> Fetched:
        """Offers of every type in every location that has it. Raises FeedError if the types are not in the known shape."""
        harvest = Harvest.at("verda", "Verda API instance types and availability", PAGE, now)
        types = answers.first("types")
        groups = _groups(answers.first("locations"))
        places = {term: _places(answers.first(term)) for term, *_ in TERMS}
        seen: set[str] = set()
        harvest.each(
            rows("verda", types.json() if types else None), lambda row: _instance(row, places, groups, seen, harvest)
        )
        return harvest.done(answers.missing)


def _ask_places(ask: Asker, term: str, is_spot: str) -> None:
    url = f"{URL}/instance-availability"
    ask.attempt(Missing("", term=term), lambda: ask.get(term, url, params={"is_spot": is_spot}))


def _instance(
    row: Any, places: Mapping[str, Places], groups: Mapping[str, str | None], seen: set[str], harvest: Harvest
) -> None:
    name = text(row, "instance_type")
    if name is None or name in seen:
        harvest.skip("type without a name" if name is None else "listed twice")
        return
    seen.add(name)
    if (text(row, "currency") or "USD").upper() != "USD":
        harvest.skip("not in dollars")
        return
    count, total_gb = number(row, "gpu", "number_of_gpus"), number(row, "gpu_memory", "size_in_gigabytes")
    card, disk = text(row, "name") or text(row, "model"), text(row, "storage", "description")
    about_cpu = ", ".join(filter(None, (card, text(row, "display_name")))) or None
    facts: dict[str, Any] = {
        "server": name,
        "kind": "gpu" if count else "cpu",
        "vcpus": number(row, "cpu", "number_of_cores"),
        "ram_gib": number(row, "memory", "size_in_gigabytes"),
        "gpu_model": card if count else None,
        "gpu_count": count,
        "vram_gib_per_gpu": total_gb / count if count and total_gb else None,
        "storage": None if disk in {None, "dynamic"} else disk,
        "note": None if count else about_cpu,
    }
    for term, _, fields in TERMS:
        price = next((found for field in fields if (found := _price(row, field)) is not None), None)
        if price is None:
            harvest.skip(f"no {term} price")
            continue
        have = places[term]
        nowhere: list[str | None] = [None]
        for place in (have and have.get(name)) or nowhere:
            harvest.add(
                **facts,
                term=term,
                region=place,
                region_group=groups.get(place) if place else None,
                price_per_hour=price,
                availability=None if have is None else ("available" if place else "out of stock"),
            )


def _price(row: Any, field: str) -> float | None:
    """A price that is a text today; a number would mean the same."""
    return decimal(row, field) if isinstance(value_at(row, field), str) else number(row, field)


def _places(answer: Answer | None) -> Places:
    """Where each type is to be had; None where that was not answered in the known shape."""
    if answer is None:
        return None
    found: dict[str, list[str]] = {}
    try:
        for row in rows("verda", answer.json()):
            code = text(row, "location_code")
            for name in items(row, "availabilities"):
                if code and isinstance(name, str) and code not in (known := found.setdefault(name, [])):
                    known.append(code)
    except (FeedError, BrokenRowError):
        return None
    return found


def _groups(answer: Answer | None) -> dict[str, str | None]:
    """Region group of each location, by its country: "ICE-01" alone does not tell."""
    found: dict[str, str | None] = {}
    with contextlib.suppress(FeedError, BrokenRowError):
        for row in rows("verda", answer.json()) if answer else ():
            code, country = text(row, "code"), text(row, "country_code")
            if code and country:
                found[code] = region_group(country)
    return found
