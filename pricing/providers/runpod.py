"""RunPod: single GPUs (and several in one host) of its own and of its partners' data centres, and CPU pods.

The GraphQL answer needs no key. Prices are dollars per GPU and hour. A tier that a type is not sold in carries a
placeholder (0 or 0.5), and the spot fields have repeated the on-demand price since August 2026: neither is a price.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pricing.errors import FeedError
from pricing.feed import BrokenRowError, Harvest, flag, number, rows, text
from pricing.offer_csv import clean_text
from pricing.provider import About, Fetched, register
from pricing.regions import region_group

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from pricing.http import Client

    Price = tuple[str, int | None, float]
    """Term, months of commitment, dollars per GPU and hour."""

URL = "https://api.runpod.io/graphql"
PAGE = "https://www.runpod.io/pricing"
STOCK = "minimumBidPrice uninterruptablePrice stockStatus"
GPU_QUERY = (
    "query { gpuTypes { id displayName memoryInGb secureCloud communityCloud securePrice communityPrice "
    "secureSpotPrice communitySpotPrice oneMonthPrice threeMonthPrice sixMonthPrice "
    "maxGpuCount maxGpuCountSecureCloud maxGpuCountCommunityCloud "
    f"secureStock: lowestPrice(input: {{gpuCount: 1, secureCloud: true}}) {{ {STOCK} }} "
    f"communityStock: lowestPrice(input: {{gpuCount: 1, secureCloud: false}}) {{ {STOCK} }} }} "
    "dataCenters { id listed } }"
)
TIERS = (("secure", "Secure"), ("community", "Community"))
COMMITMENTS = ((1, "oneMonthPrice"), (3, "threeMonthPrice"), (6, "sixMonthPrice"))
PLACEHOLDER = 0.5
PLACEHOLDER_FROM_GB = 40
"""Without the tier flags, half a dollar is a placeholder on a card this large, and a plausible price below."""
MAX_GPUS = 16
SHARED_HOST = "host share, not stated by the provider"


@register
class RunPod:
    """GPU and CPU pods."""

    about = About(
        "runpod",
        "RunPod",
        "prices",
        kinds=("gpu", "cpu"),
        covers=(("gpu", "on_demand"), ("gpu", "spot"), ("gpu", "reserved"), ("cpu", "on_demand")),
        verified="2026-08",
        page=PAGE,
    )

    def fetch(self, client: Client, now: datetime) -> Fetched:
        """One request for GPUs, one for CPU pods. Raises FeedError."""
        harvest = Harvest("runpod", "RunPod GraphQL gpuTypes, cpuFlavors", PAGE, now.isoformat(timespec="seconds"))
        answer = client.post_json("runpod", URL, {"query": GPU_QUERY, "variables": {}})
        parse_gpus(answer, harvest)
        places = data_centres(answer)
        if places:
            try:
                parse_cpus(
                    client.post_json("runpod", URL, {"query": cpu_query(places), "variables": {}}), places, harvest
                )
            except FeedError as error:
                # GPUs are what RunPod is asked for; its CPU pods keep their last prices.
                harvest.skip(f"CPU pods: {error.message}")
        return Fetched(tuple(harvest.offers), skipped=dict(harvest.skipped + harvest.broken))


def parse_gpus(answer: Any, harvest: Harvest) -> None:
    """Offers of the gpuTypes list. Raises FeedError if the answer is not in the known shape."""
    for row in rows("runpod", _data(answer), "gpuTypes"):
        harvest.seen += 1
        try:
            _gpu_type(row if isinstance(row, dict) else {}, harvest)
        except BrokenRowError as error:
            harvest.broken[str(error)] += 1
    harvest.check()


def _gpu_type(row: dict[str, Any], harvest: Harvest) -> None:
    name, memory_gb = text(row, "id"), number(row, "memoryInGb")
    if name is None or name == "unknown" or memory_gb is None:
        harvest.skip("not a GPU")
        return
    chip = _chip_name(name, text(row, "displayName"), memory_gb)
    for tier, field in TIERS:
        price = _tier_price(row, tier, memory_gb)
        if price is None:
            harvest.skip(f"not sold in {tier}")
            continue
        availability = _stock(row, f"{tier}Stock")
        largest = int(number(row, f"maxGpuCount{field}Cloud") or number(row, "maxGpuCount") or 1)
        prices: list[Price] = [("on_demand", None, price), *_spot(row, tier, price, harvest)]
        prices += _committed(row, price) if tier == "secure" else []
        for count in _counts(min(largest, MAX_GPUS)):
            for term, months, each in prices:
                harvest.add(
                    server=name if count == 1 else f"{name} x{count}",
                    kind="gpu",
                    gpu_model=chip,
                    gpu_count=float(count),
                    vram_gib_per_gpu=memory_gb,
                    term=term,
                    commitment_months=months,
                    tier=tier,
                    price_per_hour=round(each * count, 6),
                    availability=availability,
                    cpu_basis=SHARED_HOST,
                )


def _tier_price(row: dict[str, Any], tier: str, memory_gb: float) -> float | None:
    price, sold = number(row, f"{tier}Price"), flag(row, f"{tier}Cloud")
    if price is None or sold is False:
        return None
    if sold is None and price == PLACEHOLDER and memory_gb >= PLACEHOLDER_FROM_GB:
        return None
    return price


def _spot(row: dict[str, Any], tier: str, price: float, harvest: Harvest) -> Iterator[Price]:
    spot = number(row, f"{tier}SpotPrice")
    if spot is None:
        return
    # Equal to or above on-demand, or below a tenth of it: the field does not hold a spot price.
    if not 0.1 * price <= spot < price:
        harvest.skip("spot price that is none")
        return
    yield "spot", None, spot


def _committed(row: dict[str, Any], price: float) -> list[Price]:
    found: list[Price] = []
    for months, field in COMMITMENTS:
        each = number(row, field)
        if each is not None and 0.1 * price <= each <= price:
            found.append(("reserved", months, each))
    return found


def _counts(largest: int) -> list[int]:
    """1, 2, 4, 8 ... and the largest number of GPUs in one pod."""
    counts = [1]
    while counts[-1] * 2 <= largest:
        counts.append(counts[-1] * 2)
    return counts if counts[-1] == largest else [*counts, largest]


def _stock(row: dict[str, Any], name: str) -> str | None:
    """high, medium, low or out of stock; None where the feed did not say."""
    stock = row.get(name)
    if not isinstance(stock, dict):
        return None
    return (text(stock, "stockStatus") or "out of stock").lower()


def _chip_name(name: str, display: str | None, memory_gb: float) -> str:
    """The catalog's key, or the provider's own spelling if the catalog has none."""
    from models import catalog

    # "NVIDIA B300 ... MIG" is a slice with other memory: never the whole card by a similar name.
    if "MIG" not in name.upper().split():
        for spelling in filter(None, (name, display)):
            chip = catalog.find_chip(spelling, memory_gib=memory_gb)
            # A stated size that differs is another card (a 48 GB RTX 4090): keep the name, lose the estimate.
            if chip is not None and abs(chip.memory_gib - memory_gb) <= 0.1 * memory_gb:
                return chip.name
    return name


def data_centres(answer: Any) -> dict[str, str]:
    """One listed data centre a region group: CPU pods are priced per data centre."""
    found: dict[str, str] = {}
    data = _data(answer).get("dataCenters")
    for row in data if isinstance(data, list) else []:
        if isinstance(row, dict) and isinstance(row.get("id"), str) and row.get("listed") is not False:
            place = clean_text(row["id"])
            if place.replace("-", "").isalnum():
                found.setdefault(region_group(place) or "other", place)
    return found


def cpu_query(places: Mapping[str, str]) -> str:
    """One query for the CPU pods of some data centres, aliased by region group."""
    parts = (
        f"{group}: cpuFlavors {{ id minVcpu maxVcpu ramMultiplier "
        f'specifics(input: {{dataCenterId: "{place}"}}) {{ stockStatus securePrice }} }}'
        for group, place in places.items()
    )
    return f"query {{ {' '.join(parts)} }}"


def parse_cpus(answer: Any, places: Mapping[str, str], harvest: Harvest) -> None:
    """Offers of the cpuFlavors lists. Raises FeedError if the answer is not in the known shape."""
    for group, place in places.items():
        for row in rows("runpod", _data(answer), group):
            harvest.seen += 1
            try:
                _cpu_flavor(row if isinstance(row, dict) else {}, place, harvest)
            except BrokenRowError as error:
                harvest.broken[str(error)] += 1
    harvest.check()


def _cpu_flavor(row: dict[str, Any], place: str, harvest: Harvest) -> None:
    name, ram_per_vcpu = text(row, "id"), number(row, "ramMultiplier")
    smallest, largest = number(row, "minVcpu"), number(row, "maxVcpu")
    specifics = row.get("specifics")
    price = number(specifics, "securePrice") if isinstance(specifics, dict) else None
    if name is None or ram_per_vcpu is None or smallest is None or largest is None or price is None:
        harvest.skip("CPU pod without price or size")
        return
    if smallest > largest:
        harvest.skip("CPU pod with impossible sizes")
        return
    vcpus = smallest
    while vcpus <= largest:
        ram_gib = vcpus * ram_per_vcpu
        harvest.add(
            server=f"{name}-{vcpus:g}-{ram_gib:g}",
            kind="cpu",
            region=place,
            vcpus=vcpus,
            ram_gib=ram_gib,
            tier="secure",
            price_per_hour=round(price * vcpus / smallest, 6),
            availability=_stock(row, "specifics"),
            cpu_basis="unknown",
        )
        vcpus *= 2


def _data(answer: Any) -> dict[str, Any]:
    """The data of a GraphQL answer: errors come with HTTP 200. Raises FeedError."""
    data = answer.get("data") if isinstance(answer, dict) else None
    if isinstance(data, dict) and data:
        return data
    errors = answer.get("errors") if isinstance(answer, dict) else None
    if isinstance(errors, list) and errors:
        first = errors[0].get("message") if isinstance(errors[0], dict) else None
        said = clean_text(first)[:120] if isinstance(first, str) else "an error"
        raise FeedError("runpod", f"the feed answered: {said}", hint="Old prices stay in use.")
    raise FeedError("runpod", "the answer has no data.", hint="The feed has changed; old prices stay in use.")
