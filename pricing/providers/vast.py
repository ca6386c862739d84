"""Vast.ai: machines of a marketplace, each an offer of its own with a price, a bid floor and a share of its host.

Without a key an answer stops at 64 offers, cheapest first, whatever limit is asked for: so each group of cards is asked
for by itself. Names of cards are matched exactly by the feed.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pricing.errors import FeedError
from pricing.feed import MIB_PER_GIB, Harvest, flag, number, rows, text
from pricing.identity import find_gpu
from pricing.provider import About, Fetched, Missing, register
from pricing.regions import region_group

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from pricing.answers import Answer, Answers
    from pricing.asking import Asker

URL = "https://console.vast.ai/api/v0/bundles/"
PAGE = "https://vast.ai/pricing"
KEYLESS_LIMIT, KEYED_LIMIT = 64, 500
ONE, FEW, MANY = {"eq": 1}, {"gte": 2, "lt": 8}, {"gte": 8}
ANY = {"gte": 1}
BUSY = (
    "RTX 3090", "RTX 4090", "RTX 5090", "A100 SXM4", "H100 SXM", "H200", "B200", "RTX PRO 6000 WS", "RTX PRO 6000 S",
)  # fmt: skip
"""Cards of which one list of 64 tells too little: asked for by the number of cards as well."""
OTHERS = (
    ("B300", "B300 PC", "GB10", "GH200", "GH200 SXM", "H200 NVL", "H20", "MI300X"),
    ("H100 PCIE", "H100 NVL"),
    ("A100 PCIE", "A100X", "A800 PCIE", "A40", "A30", "A10", "A16", "A2", "L4", "L20"),
    ("L40", "L40S"),
    ("RTX PRO 4000", "RTX PRO 4500", "RTX PRO 5000", "RTX PRO 6000 MaxQ"),
    ("RTX 6000Ada", "RTX 5880Ada", "RTX 5000Ada", "RTX 4500Ada", "RTX 4000Ada", "RTX 2000Ada"),
    ("RTX A6000", "RTX A5000", "RTX A4500", "RTX A4000", "RTX A2000"),
    ("RTX 5080", "RTX 5070 Ti", "RTX 5070"),
    ("RTX 5060 Ti", "RTX 5060"),
    ("RTX 4090D", "RTX 4080", "RTX 4080S"),
    ("RTX 4070", "RTX 4070S", "RTX 4070 Ti", "RTX 4070S Ti"),
    ("RTX 4060", "RTX 4060 Ti"),
    ("RTX 3090 Ti", "RTX 3080", "RTX 3080 Ti"),
    ("RTX 3070", "RTX 3070 Ti", "RTX 3060", "RTX 3060 Ti"),
    ("Tesla V100", "Tesla P100", "Tesla P40", "Tesla T4", "Q RTX 8000", "Q RTX 6000", "Titan RTX", "RTX 2080 Ti"),
)
DATA_CENTRE = 1
"""`hosting_type` of a host in a data centre that Vast.ai has audited."""


@register
class Vast:
    """Marketplace machines, on demand and by bid."""

    about = About(
        "vast",
        "Vast.ai",
        "prices",
        kinds=("gpu",),
        covers=(("gpu", "on_demand"), ("gpu", "spot")),
        hosts=("console.vast.ai",),
        key_variable="VAST_API_KEY",
        gpus_alone=True,
        time_limit_s=150.0,
        pace_s=0.3,
        verified="2026-08",
        cannot=("more than the 64 cheapest offers of a group of cards without a key", "traffic, which is billed apart"),
        page=PAGE,
    )

    def fetch(self, ask: Asker) -> None:
        """One request a group of cards; one that fails costs its own cards only. Raises FeedError if none is answered."""
        key = ask.key()
        headers = {"Authorization": f"Bearer {key}"} if key else None
        limit = KEYED_LIMIT if key else KEYLESS_LIMIT
        groups = [((name,), count) for name in BUSY for count in (ONE, FEW, MANY)] + [(names, ANY) for names in OTHERS]
        ask.together([_asking(query(names, count, limit), f"{names[0]} ...", headers) for names, count in groups])
        if not ask.answers.items:
            reason = ask.answers.missing[0].reason if ask.answers.missing else "no answer"
            raise FeedError("vast", reason, hint="Old prices stay in use.")

    def parse(self, answers: Answers, now: datetime) -> Fetched:
        """Offers of all groups, each machine once. Raises FeedError if one is not in the known shape."""
        harvest = Harvest.at("vast", "Vast.ai offers", PAGE, now)
        seen: set[float] = set()
        for answer in answers.all("offers"):
            found = rows("vast", answer.json(), "offers")
            if len(found) in {KEYLESS_LIMIT, KEYED_LIMIT}:
                harvest.skip("list cut at 64 by the feed" if len(found) == KEYLESS_LIMIT else "list cut at 500")
            harvest.each(found, lambda row: _offer(row, seen, harvest))
        return harvest.done(answers.missing)


def _asking(body: dict[str, Any], group: str, headers: Mapping[str, str] | None) -> Callable[[Asker], Answer | None]:
    """The request of one group of cards."""

    def call(ask: Asker) -> Answer | None:
        # No row has a group for its region: machines come and go within minutes, so none is kept as if it were there.
        return ask.attempt(
            Missing("", kind="gpu", region=group), lambda: ask.post("offers", URL, body, headers=headers)
        )

    return call


def query(names: tuple[str, ...], count: Mapping[str, int], limit: int) -> dict[str, Any]:
    """The body that asks for free machines with some cards; the feed wants it bare, not wrapped."""
    return {
        "rentable": {"eq": True},
        "rented": {"eq": False},
        "external": {"eq": False},
        "gpu_name": {"in": list(names)},
        "num_gpus": dict(count),
        "type": "on-demand",
        "order": [["dph_total", "asc"]],
        "limit": limit,
    }


def _offer(row: Any, seen: set[float], harvest: Harvest) -> None:
    number_of, card, count = number(row, "id"), text(row, "gpu_name"), number(row, "num_gpus")
    price, memory_mib = number(row, "dph_base"), number(row, "gpu_ram")
    if number_of is None or card is None or count is None or count < 1 or price is None:
        harvest.skip("machine without card or price")
        return
    if flag(row, "rented") or flag(row, "rentable") is False:
        harvest.skip("rented")
        return
    if number_of in seen:
        harvest.skip("listed twice")
        return
    seen.add(number_of)
    memory_gib = memory_mib / MIB_PER_GIB if memory_mib else None
    place, group = location(text(row, "geolocation"))
    facts: dict[str, Any] = {
        "server": f"{number_of:.0f}",
        "region": place,
        "region_group": group,
        "gpu_model": spelling(card, memory_gib),
        "gpu_count": count,
        "vram_gib_per_gpu": memory_gib,
        "cpu_model": text(row, "cpu_name"),
        "vcpus": number(row, "cpu_cores_effective"),
        "ram_gib": _ram_gib(row),
        "pcie_gb_s_measured": number(row, "pcie_bw"),
        "tier": _tier(row),
        "availability": "available",
        "note": _note(row),
    }
    harvest.add(**facts, price_per_hour=price)
    bid = number(row, "min_bid")
    if bid is None:
        return
    if bid > price or math.isclose(bid, price, rel_tol=1e-6):
        harvest.skip("bid floor equals the price")
        return
    harvest.add(**facts, term="spot", price_per_hour=bid)


def _ram_gib(row: Any) -> float | None:
    """The share of the host's memory that goes with the share of its threads; None where the threads are not stated."""
    host_mib, threads, own = number(row, "cpu_ram"), number(row, "cpu_cores"), number(row, "cpu_cores_effective")
    if host_mib is None or threads is None or own is None:
        return None
    return round(host_mib * min(1.0, own / threads) / MIB_PER_GIB, 2)


def _tier(row: Any) -> str | None:
    hosting = row.get("hosting_type")
    if hosting == DATA_CENTRE or flag(row, "datacenter"):
        return "datacenter"
    word = text(row, "verification")
    return None if word is None else ("verified" if word == "verified" else "unverified")


def _note(row: Any) -> str | None:
    disk, reliability = number(row, "storage_cost"), number(row, "reliability2") or number(row, "reliability")
    said = [f"disk {disk:.3g} USD per GB-month"] if disk else []
    said += [f"reliability {100 * reliability:.3g} %"] if reliability and reliability <= 1 else []
    return ", ".join(said) or None


@lru_cache(maxsize=1024)
def location(stated: str | None) -> tuple[str | None, str | None]:
    """Region and its group of a place: "Bulgaria, BG"; the city may be empty (", US")."""
    place = (stated or "").strip(" ,")
    if not place:
        return None, None
    # The country's code tells the group more surely than a city's name.
    return place, region_group(place.rsplit(",", 1)[-1].strip())


@lru_cache(maxsize=1024)
def spelling(card: str, memory_gib: float | None) -> str:
    """The card's name, with its memory where the catalog knows the card only so (RTX 3080 with 12 GB)."""
    if memory_gib is None or find_gpu(card, memory_gib) is not None:
        return card
    sized = f"{card} {memory_gib:.0f}GB"
    return sized if find_gpu(sized, memory_gib) is not None else card
