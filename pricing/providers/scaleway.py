"""Scaleway: instances zone by zone, and whole machines (Elastic Metal, Dedibox) of the public product catalog.

Neither list needs a key. The zones' list has prices in euros an hour per instance and the memory of each GPU; the
catalog names the CPUs, counts GPU instances by the minute, and still holds what is no longer sold.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pricing.errors import FeedError
from pricing.feed import BYTES_PER_GIB, Harvest, flag, number, rows, table, text, value_at
from pricing.provider import About, Fetched, Missing, register
from pricing.providers import _scaleway_catalog as catalog

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from pricing.answers import Answer, Answers
    from pricing.asking import Asker

HOST = "https://api.scaleway.com"
PAGE = "https://www.scaleway.com/en/pricing/"
ZONES = ("fr-par-1", "fr-par-2", "fr-par-3", "nl-ams-1", "nl-ams-2", "nl-ams-3", "pl-waw-1", "pl-waw-2", "pl-waw-3")
PER_PAGE = 100
CATALOG_PER_PAGE = 1000


@register
class Scaleway:
    """Instances and whole machines."""

    about = About(
        "scaleway",
        "Scaleway",
        "prices",
        kinds=("gpu", "cpu"),
        covers=(("gpu", "on_demand"), ("cpu", "on_demand"), ("gpu", "monthly"), ("cpu", "monthly")),
        hosts=("api.scaleway.com",),
        regional=True,
        regions=ZONES,
        verified="2026-08",
        cannot=("stock", "prices of disks and addresses", "zones other than Paris, Amsterdam and Warsaw"),
        page=PAGE,
    )

    def fetch(self, ask: Asker) -> None:
        """Every zone and the catalog; each may fail alone. Raises FeedError if none answers."""
        asks: list[Callable[[Asker], bool]] = [*(partial(_ask_zone, zone) for zone in ask.regions), _ask_catalog]
        found = ask.together(asks)
        if not any(found):
            reason = ask.answers.missing[0].reason if ask.answers.missing else "no answer."
            raise FeedError("scaleway", reason, hint="Old prices stay in use.")

    def parse(self, answers: Answers, now: datetime) -> Fetched:
        """Offers of the zones' lists, then what only the catalog has. Raises FeedError if a list has another shape."""
        harvest = Harvest.at("scaleway", "Scaleway API instance products, public catalog", PAGE, now)
        products = [row for answer in answers.all("catalog") for row in rows("scaleway", answer.json(), "products")]
        hosts = catalog.hosts(products)
        listed: set[tuple[str, str]] = set()
        for answer in answers.all("servers"):
            zone = answer.region or ""
            servers = table("scaleway", answer.json(), "servers")
            listed.update((zone, name) for name in servers)
            harvest.each(servers.items(), partial(_instance, zone, hosts, harvest))
        catalog.take(products, listed, now, harvest)
        return harvest.done(answers.missing)


def _ask_zone(zone: str, ask: Asker) -> bool:
    url = f"{HOST}/instance/v1/zones/{zone}/products/servers"
    pages = _Pages("per_page", PER_PAGE, "servers")
    part = ask.attempt(
        Missing("", region=zone),
        lambda: ask.pages("servers", url, pages.following, params=pages.query(), region=zone),
    )
    return part is not None


def _ask_catalog(ask: Asker) -> bool:
    url = f"{HOST}/product-catalog/v2alpha1/public-catalog/products"
    pages = _Pages("page_size", CATALOG_PER_PAGE, "products")
    part = ask.attempt(
        Missing("", term="monthly"), lambda: ask.pages("catalog", url, pages.following, params=pages.query())
    )
    if part is None:
        # Machines by the hour are of the catalog too; the old ones cannot be told from instances, so all stay.
        ask.answers.missing.append(Missing(ask.answers.missing[-1].reason, kind="cpu", term="on_demand"))
    return part is not None


class _Pages:
    """Numbered pages: a list ends where the total is reached, and without a total where no next page is linked."""

    def __init__(self, size_name: str, size: int, part: str) -> None:
        self.size_name, self.size, self.part = size_name, size, part
        self.page, self.seen = 1, 0

    def query(self) -> Mapping[str, str]:
        return {"page": str(self.page), self.size_name: str(self.size)}

    def following(self, answer: Answer) -> Mapping[str, str] | None:
        body = answer.json()
        found = body.get(self.part) if isinstance(body, dict) else None
        count = len(found) if isinstance(found, (list, dict)) else 0
        self.seen += count
        total = _total(answer, body)
        more = self.seen < total if total is not None else 'rel="next"' in answer.headers.get("link", "")
        if not count or not more:
            return None
        self.page += 1
        return self.query()


def _total(answer: Answer, body: Any) -> int | None:
    stated = body.get("total_count") if isinstance(body, dict) else None
    if isinstance(stated, int):
        return stated
    header = answer.headers.get("x-total-count", "")
    return int(header) if header.isdecimal() else None


def _instance(zone: str, hosts: Mapping[str, catalog.Host], harvest: Harvest, entry: tuple[str, Any]) -> None:
    key, row = entry
    name = text({"name": key}, "name")
    if name is None:
        harvest.skip("server without a name")
        return
    if flag(row, "end_of_service"):
        harvest.skip("end of service")
        return
    if catalog.is_windows(name):
        harvest.skip("Windows")
        return
    if text(row, "mig_profile"):
        harvest.skip("slice of unstated size")
        return
    host = hosts.get(name, catalog.Host())
    gpus = number(row, "gpu")
    gpu_name, gpu_bytes = text(row, "gpu_info", "gpu_name"), number(row, "gpu_info", "gpu_memory")
    if gpus and not gpu_name:
        harvest.skip("GPU without a name")
        return
    ram_bytes, bandwidth = number(row, "ram"), number(row, "network", "sum_internet_bandwidth")
    harvest.add(
        server=name,
        region=zone,
        vcpus=number(row, "ncpus"),
        ram_gib=ram_bytes / BYTES_PER_GIB if ram_bytes else None,
        gpu_model=gpu_name if gpus else None,
        gpu_count=gpus,
        vram_gib_per_gpu=gpu_bytes / BYTES_PER_GIB if gpus and gpu_bytes else None,
        cpu_model=host.cpu,
        shared_cpu=host.shared,
        storage=_storage(row),
        nic=f"{bandwidth / 1e6:g} Mbit/s" if bandwidth else None,
        currency="EUR",
        price_per_hour=number(row, "hourly_price"),
        note=catalog.note(name),
    )


def _storage(row: Any) -> str | None:
    """Local disks that come with an instance, scratch space, or that disks are sold apart; None if not stated."""
    if value_at(row, "volumes_constraint") is None:
        return None
    local, scratch = number(row, "volumes_constraint", "max_size"), number(row, "scratch_storage_max_size")
    main = f"up to {local / 1e9:g} GB local ssd" if local else "network (block storage required)"
    return f"{main} + {scratch / 1e9:g} GB scratch" if scratch else main
