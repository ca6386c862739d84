"""Linode (Akamai): shared and dedicated CPU plans, and a few with GPUs.

A plan has one price for all regions and prices of their own for some. GPU plans have been listed at 0, which is no price.
Hours are billed up to the monthly price.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pricing.errors import FeedError
from pricing.feed import MIB_PER_GIB, Harvest, items, number, rows, table, text
from pricing.provider import About, Fetched, register

if TYPE_CHECKING:
    from datetime import datetime

    from pricing.answers import Answer, Answers
    from pricing.asking import Asker

URL = "https://api.linode.com/v4/linode/types"
PAGE = "https://www.linode.com/pricing/"
CARDS = (
    ("-gpu-rtxpro6000-blackwell-", "RTX PRO 6000 Blackwell Server Edition"),
    ("-gpu-rtx6000-", "Quadro RTX 6000"),
    ("-gpu-rtx4000a", "RTX 4000 Ada"),
)
"""Part of a plan's id -> its card: RTX6000 here is the Turing card of 2018 with 24 GB, not the one of Ada."""
SHARED = {"nanode": True, "standard": True, "dedicated": False, "premium": False, "highmem": False, "gpu": False}
"""Classes by whether their CPUs are shared."""
EVERYWHERE = "price of every region without one of its own"


@register
class Linode:
    """Virtual machines of all classes."""

    about = About(
        "linode",
        "Linode (Akamai)",
        "prices",
        kinds=("cpu", "gpu"),
        covers=(("cpu", "on_demand"), ("gpu", "on_demand")),
        hosts=("api.linode.com",),
        verified="2024-07",
        cannot=("the CPU model", "which regions have a plan", "GPU prices at times, which are listed as 0"),
        page=PAGE,
    )

    def fetch(self, ask: Asker) -> None:
        """All pages of the types. Raises FeedError."""
        ask.pages("types", URL, _next_page, params={"page": "1", "page_size": "500"})

    def parse(self, answers: Answers, now: datetime) -> Fetched:
        """Offers at the common price and at those of single regions. Raises FeedError."""
        harvest = Harvest.at("linode", "Linode API types", PAGE, now)
        seen: set[str] = set()
        for answer in answers.all("types"):
            harvest.each(rows("linode", answer.json(), "data"), lambda row: _plan(row, seen, harvest))
        return harvest.done(answers.missing)


def _next_page(answer: Answer) -> dict[str, str] | None:
    page = table("linode", answer.json())
    here, last = page.get("page"), page.get("pages")
    if (here is not None or last is not None) and not (isinstance(here, int) and isinstance(last, int)):
        # Taken for the end, a list cut short would look like plans that are sold no more.
        raise FeedError("linode", "the page numbers are not in the known shape.", hint="Old prices stay in use.")
    if here is None or last is None or here >= last:
        return None
    return {"page": str(here + 1), "page_size": "500"}


def _plan(row: Any, seen: set[str], harvest: Harvest) -> None:
    name, memory_mib = text(row, "id"), number(row, "memory")
    if name is None or name in seen:
        harvest.skip("plan without a name" if name is None else "listed twice")
        return
    seen.add(name)
    count, family = number(row, "gpus"), text(row, "class")
    disk_mib = number(row, "disk")
    facts: dict[str, Any] = {
        "server": name,
        "kind": "gpu" if count or family == "gpu" else "cpu",
        "vcpus": number(row, "vcpus"),
        "ram_gib": memory_mib / MIB_PER_GIB if memory_mib else None,
        "shared_cpu": SHARED.get(family or ""),
        "gpu_model": _card(name) if count or family == "gpu" else None,
        "gpu_count": count,
        "storage": f"{disk_mib / MIB_PER_GIB:.0f} GB" if disk_mib else None,
    }
    # NETINT cards encode video: a plan with them is a CPU plan with something in its price that is of no use here.
    video = "with video encoders" if number(row, "accelerated_devices") or family == "accelerated" else None
    note = ", ".join(filter(None, (EVERYWHERE, video)))
    _add(facts, row.get("price"), None, note, harvest)
    for place in items(row, "region_prices"):
        region = text(place, "id")
        if region is None:
            harvest.skip("price of a region without a name")
        else:
            _add(facts, place, region, video, harvest)


def _add(facts: dict[str, Any], price: Any, region: str | None, note: str | None, harvest: Harvest) -> None:
    hourly = number(price, "hourly")
    if hourly is None:
        harvest.skip("price 0" if facts["kind"] == "gpu" else "no price")
        return
    harvest.add(**facts, region=region, price_per_hour=hourly, price_per_month=number(price, "monthly"), note=note)


def _card(plan: str) -> str:
    """The card of a GPU plan; the plan's id where it is none we know, which no catalog takes for a card."""
    return next((card for part, card in CARDS if part in plan), plan)
