"""RunPod: single GPUs (and several in one host) of its own and of its partners' data centres, and CPU pods.

The GraphQL answer needs no key. Prices are dollars per GPU and hour. A tier that a type is not sold in carries a
placeholder (0 or 0.5), and the spot fields have repeated the on-demand price since August 2026: neither is a price.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pricing.errors import FeedError
from pricing.feed import Harvest, flag, number, rows, text
from pricing.identity import find_gpu
from pricing.offer_csv import clean_text
from pricing.provider import About, Fetched, Missing, register
from pricing.regions import region_group

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from pricing.answers import Answers
    from pricing.asking import Asker

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
        hosts=("api.runpod.io",),
        gpus_alone=True,
        verified="2026-08",
        cannot=("the host behind a GPU", "spot prices since 2026-08", "network volumes"),
        page=PAGE,
    )

    def fetch(self, ask: Asker) -> None:
        """One request for GPUs, one for CPU pods. Raises FeedError."""
        answer = ask.post("gpus", URL, {"query": GPU_QUERY, "variables": {}})
        places = data_centres(answer.json())
        if places:
            # GPUs are what RunPod is asked for; without an answer its CPU pods keep their last prices.
            ask.attempt(
                Missing("", kind="cpu"), lambda: ask.post("cpus", URL, {"query": cpu_query(places), "variables": {}})
            )

    def parse(self, answers: Answers, now: datetime) -> Fetched:
        """Offers of both lists. Raises FeedError if the GPUs are not in the known shape."""
        harvest = Harvest.at("runpod", "RunPod GraphQL gpuTypes, cpuFlavors", PAGE, now)
        missing = list(answers.missing)
        gpus, cpus = answers.first("gpus"), answers.first("cpus")
        parse_gpus(gpus.json() if gpus else None, harvest)
        if gpus is not None and cpus is not None:
            places = data_centres(gpus.json())
            missing += harvest.part(lambda pods: parse_cpus(cpus.json(), places, pods), Missing("", kind="cpu"))
        return harvest.done(missing)


def parse_gpus(answer: Any, harvest: Harvest) -> None:
    """Offers of the gpuTypes list. Raises FeedError if the answer is not in the known shape."""
    harvest.each(rows("runpod", _data(answer), "gpuTypes"), lambda row: _gpu_type(row, harvest))
    harvest.check()


def _gpu_type(row: Any, harvest: Harvest) -> None:
    name, memory_gb = text(row, "id"), number(row, "memoryInGb")
    if name is None or name == "unknown" or memory_gb is None:
        harvest.skip("not a GPU")
        return
    spelling = _spelling(name, text(row, "displayName"), memory_gb)
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
                    gpu_model=spelling,
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


def _spelling(name: str, display: str | None, memory_gb: float) -> str:
    """The one of RunPod's two names for a card that the catalog knows with this memory; its id if it knows neither."""
    if "MIG" in name.upper().split():
        return name
    return next((one for one in (name, display) if one and find_gpu(one, memory_gb)), name)


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
        harvest.each(rows("runpod", _data(answer), group), partial(_cpu_flavor, place=place, harvest=harvest))
    harvest.check()


def _cpu_flavor(row: Any, place: str, harvest: Harvest) -> None:
    name, ram_per_vcpu = text(row, "id"), number(row, "ramMultiplier")
    smallest, largest = number(row, "minVcpu"), number(row, "maxVcpu")
    price = number(row, "specifics", "securePrice")
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
