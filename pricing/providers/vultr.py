"""Vultr: virtual machines, slices of GPUs, whole GPU hosts and bare metal, on demand and preemptible.

GPU memory is the total of a plan, less than one card's for a slice. Plans of whole GPU hosts and bare metal do not
state their GPUs: those that are known stand in data/gpu_instances.csv, others are shown without an estimate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pricing.errors import FeedError
from pricing.feed import MIB_PER_GIB, BrokenRowError, Harvest, flag, items, number, rows, table, text, value_at
from pricing.identity import NEAR, find_gpu, gpu_instance
from pricing.provider import About, Fetched, Missing, register

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from pricing.answers import Answer, Answers
    from pricing.asking import Asker

    Card = tuple[str | None, float | None, float | None]
    """Spelling, how many (a slice is a fraction), GiB of one or of the slice."""

URL = "https://api.vultr.com/v2"
PAGE = "https://www.vultr.com/pricing/"
PER_PAGE = "500"
A100 = ("NVIDIA A100 80GB PCIe", 80.0)
"""What "NVIDIA_A100" is in Vultr's virtual machines: the name alone comes in two sizes and two forms."""
WHOLE_HOST = "vdm"
SHARED = {"vc2": True, "vhf": True, "vhp": True, "voc": False}
"""Types by whether their CPUs are shared, as Vultr's plan pages say."""
GROUPS = {
    **dict.fromkeys(("atl", "dfw", "ewr", "hnl", "lax", "mia", "ord", "sea", "sjc", "yto"), "us"),
    **dict.fromkeys(("ams", "cdg", "fra", "lhr", "mad", "man", "sto", "waw"), "eu"),
    **dict.fromkeys(("blr", "bom", "del", "icn", "itm", "mel", "nrt", "sgp", "syd"), "asia"),
}
"""Part of the world of each location, named by an airport: "sea" is Seattle. Of a new one the name has to tell."""


@register
class Vultr:
    """Plans of all types."""

    about = About(
        "vultr",
        "Vultr",
        "prices",
        kinds=("gpu", "cpu"),
        covers=(("gpu", "on_demand"), ("gpu", "spot"), ("cpu", "on_demand"), ("cpu", "spot")),
        hosts=("api.vultr.com",),
        verified="2026-08",
        cannot=("the CPU of virtual machines", "GPUs of new bare metal plans", "how many are free"),
        page=PAGE,
    )

    def fetch(self, ask: Asker) -> None:
        """Plans of virtual machines, then those of bare metal. Raises FeedError without the first."""
        ask.pages("plans", f"{URL}/plans", _following("all"), params={"type": "all", "per_page": PER_PAGE})
        # Bare metal is of both kinds and terms: without it, whatever is not listed now stays.
        ask.attempt(
            Missing(""),
            lambda: ask.pages("metal", f"{URL}/plans-metal", _following(None), params={"per_page": PER_PAGE}),
        )

    def parse(self, answers: Answers, now: datetime) -> Fetched:
        """Offers of every plan in every location that lists it. Raises FeedError if plans are not in the known shape."""
        harvest = Harvest.at("vultr", "Vultr API plans", PAGE, now)
        seen: set[str] = set()
        plans = answers.all("plans")
        if not plans:
            raise FeedError("vultr", "there is no answer.", hint="Old prices stay in use.")
        for answer in plans:
            harvest.each(rows("vultr", answer.json(), "plans"), lambda row: _machine(row, seen, harvest))
        for answer in answers.all("metal"):
            harvest.each(rows("vultr", answer.json(), "plans_metal"), lambda row: _metal(row, seen, harvest))
        return harvest.done(answers.missing)


def _following(kind: str | None) -> Any:
    """The query of the next page: the feed names a cursor, not an address."""

    def query(answer: Answer) -> dict[str, str] | None:
        try:
            cursor = text(table("vultr", answer.json()), "meta", "links", "next")
        except BrokenRowError:
            return None
        base = {"per_page": PER_PAGE} | ({"type": kind} if kind else {})
        return base | {"cursor": cursor} if cursor else None

    return query


def _machine(row: Any, seen: set[str], harvest: Harvest) -> None:
    name, family, ram_mib = text(row, "id"), text(row, "type"), number(row, "ram")
    if _unusable(name, seen, harvest):
        return
    card, count, memory_gib = _card(row, name or "", family)
    facts = {
        "server": name,
        "kind": "gpu" if card else "cpu",
        "vcpus": number(row, "vcpu_count"),
        "ram_gib": ram_mib / MIB_PER_GIB if ram_mib else None,
        "shared_cpu": SHARED.get(family or ""),
        "gpu_model": card,
        "gpu_count": count,
        "vram_gib_per_gpu": memory_gib,
        "storage": _storage(row),
    }
    # An account sees places of whole hosts that the public list leaves out.
    _add(row, facts, None if family == WHOLE_HOST else "out of stock", harvest)


def _metal(row: Any, seen: set[str], harvest: Harvest) -> None:
    name, ram_mib = text(row, "id"), number(row, "ram")
    if _unusable(name, seen, harvest):
        return
    gpu = "gpu" in (name or "").split("-") or (text(row, "gpu_brand") or "none").lower() != "none"
    facts = {
        "server": name,
        "kind": "gpu" if gpu else "cpu",
        "cpu_model": text(row, "cpu_model"),
        "sockets": _whole(number(row, "physical_cpus")),
        "cores": number(row, "cpu_cores") or number(row, "cpu_count"),
        "vcpus": number(row, "cpu_threads"),
        "shared_cpu": False,
        "ram_gib": ram_mib / MIB_PER_GIB if ram_mib else None,
        "gpu_model": name if gpu else None,
        "storage": _storage(row),
    }
    _add(row, facts, "out of stock", harvest)


def _unusable(name: str | None, seen: set[str], harvest: Harvest) -> bool:
    if name is None or name in seen:
        harvest.skip("plan without a name" if name is None else "listed twice")
        return True
    seen.add(name)
    return False


def _card(row: Any, plan: str, family: str | None) -> Card:
    """The GPU of a virtual machine's plan; the plan's own id where the feed does not tell, which no catalog takes for a card."""
    spelling, total_gb = text(row, "gpu_type"), number(row, "gpu_vram_gb")
    if spelling is None and family not in {WHOLE_HOST, "vcg"}:
        return None, None, None
    if spelling is None or total_gb is None or gpu_instance("vultr", plan):
        return plan, None, None
    full_gb: float | None
    if "A100" in spelling:
        spelling, full_gb = A100
    else:
        chip = find_gpu(spelling)
        full_gb = chip.memory_gib if chip else None
    stated = _stated_count(row)
    if stated is not None:
        return spelling, stated, total_gb if stated < 1 else total_gb / stated
    if full_gb is None:
        return spelling, None, None
    if total_gb < full_gb * (1 - NEAR):
        return spelling, round(total_gb / full_gb, 6) or None, total_gb
    # A stated size may lie a little above or below the catalog's (B200: 192 for 180).
    count = int(total_gb / full_gb + NEAR)
    return spelling, float(count), total_gb / count


def _stated_count(row: Any) -> float | None:
    """`gpu_count`, a number or a fraction as a text ("1/8")."""
    value = value_at(row, "gpu_count")
    if not isinstance(value, str):
        return number(row, "gpu_count")
    above, _, below = value.partition("/")
    if not above.isdecimal() or not (below or "1").isdecimal() or int(above) == 0 or int(below or "1") == 0:
        raise BrokenRowError("gpu_count is no fraction")
    return int(above) / int(below or "1")


def _add(row: Any, facts: dict[str, Any], nowhere: str | None, harvest: Harvest) -> None:
    places = [place for one in items(row, "locations") if (place := text({"location": one}, "location"))]
    own_prices = value_at(row, "location_cost")
    for place in dict.fromkeys(places) or [None]:
        override = own_prices.get(place) if isinstance(own_prices, dict) and place else None
        for term, hourly, monthly in _prices(row, override, harvest):
            harvest.add(
                **facts,
                term=term,
                region=place,
                region_group=GROUPS.get(place or ""),
                price_per_hour=hourly,
                price_per_month=monthly,
                availability="available" if place else nowhere,
                note=None if place else "no location listed",
            )


def _prices(row: Any, override: Any, harvest: Harvest) -> Iterator[tuple[str, float | None, float | None]]:
    """Term, dollars per hour and month: a month is capped at a number of hours that differs, so neither is made of the other."""
    # Some bare metal is billed by the hour without a cap.
    capped = text(row, "invoice_type") != "hourly"
    for term, sold, suffix in (("on_demand", "deploy_ondemand", ""), ("spot", "deploy_preemptible", "_preemptible")):
        if flag(row, sold) is False:
            if term == "on_demand":
                harvest.skip("not sold on demand")
            continue
        source = override if isinstance(override, dict) and f"hourly_cost{suffix}" in override else row
        hourly, monthly = number(source, f"hourly_cost{suffix}"), number(source, f"monthly_cost{suffix}")
        if hourly is None and (term == "spot" or monthly is None):
            # No preemptible price is no fault; a plan at 0 is the free tier.
            if term == "on_demand":
                harvest.skip("price 0")
            continue
        yield term, hourly, monthly if capped or hourly is None else None


def _storage(row: Any) -> str | None:
    size_gb, count = number(row, "disk"), number(row, "disk_count")
    if size_gb is None:
        return None
    return f"{count:.0f}x {size_gb:.0f} GB" if count and count > 1 else f"{size_gb:.0f} GB"


def _whole(value: float | None) -> int | None:
    return int(value) if value else None
