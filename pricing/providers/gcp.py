"""Google Cloud: machine types, each the sum of the parts it is billed by (vCPUs, memory, GPUs, local SSD that comes with it).

The price list needs a free API key and has no machines: what a type is made of is our table
pricing/data/gcp_machine_types.csv. One key's prices come in its account's currency; only dollars are taken.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from pricing.errors import FeedError
from pricing.feed import Harvest, rows
from pricing.identity import gpu_instance
from pricing.provider import About, Fetched, register
from pricing.providers._gcp_parts import MachineType, Part, machine_types, read_part

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from typing import Any

    from pricing.answers import Answer, Answers
    from pricing.asking import Asker

    Term = tuple[str, int | None]
    """Term, months of commitment."""
    PriceList = dict[tuple[str, str, str, Term], tuple[int, float]]
    """Resource, name, region, term -> number of regions the SKU serves, dollars an hour."""

COMPUTE = "https://cloudbilling.googleapis.com/v1/services/6F81-5844-456A/skus"
PAGE = "https://cloud.google.com/compute/vm-instance-pricing"
QUERY = {"pageSize": "5000", "currencyCode": "USD"}
TERMS: tuple[Term, ...] = (("on_demand", None), ("spot", None), ("reserved", 12), ("reserved", 36))
REGIONS = (
    "us-central1",
    "us-east1",
    "us-east4",
    "us-west1",
    "europe-west1",
    "europe-west3",
    "europe-west4",
    "europe-north1",
    "asia-northeast1",
    "asia-southeast1",
    "australia-southeast1",
    "northamerica-northeast1",
)
SPOT_LIST_SHARE = 0.6
"""Spot that saves less than 40 % is Google's starting price for a region, not one of a market: real ones save 60-91 %."""
SPOT_NOTE = "spot close to on-demand"


@register
class Gcp:
    """Compute Engine virtual machines."""

    about = About(
        "gcp",
        "Google Cloud",
        "prices",
        kinds=("gpu", "cpu"),
        covers=tuple((kind, term) for kind in ("gpu", "cpu") for term in ("on_demand", "spot", "reserved")),
        regional=True,
        regions=REGIONS,
        hosts=("cloudbilling.googleapis.com",),
        key_variable="GCP_API_KEY",
        key_needed=True,
        time_limit_s=180.0,
        verified="2025-06",
        cannot=("which region has which machine in stock", "sustained-use discounts", "boot disks", "TPUs"),
        page=PAGE,
    )

    def fetch(self, ask: Asker) -> None:
        """All pages of the Compute Engine price list. Raises FeedError."""
        # The list holds every region; the label carries those that are wanted to `parse`.
        ask.pages(
            "skus",
            COMPUTE,
            _following,
            params=QUERY,
            headers={"X-Goog-Api-Key": ask.need_key()},
            region=" ".join(ask.regions),
        )

    def parse(self, answers: Answers, now: datetime) -> Fetched:
        """Offers of the machine types whose parts all have a price. Raises FeedError."""
        harvest = Harvest.at("gcp", "Cloud Billing Catalog API", PAGE, now)
        pages = answers.all("skus")
        prices: PriceList = {}
        label = pages[0].region if pages else None
        regions = tuple((label or "").split()) or REGIONS
        for page in pages:
            harvest.each(rows("gcp", page.json(), "skus"), lambda row: _take(row, frozenset(regions), prices, harvest))
        harvest.check()
        if not prices and harvest.skipped["currency is not USD"]:
            raise FeedError(
                "gcp", "its prices are not in dollars.", hint="Use a key of an account that is billed in USD."
            )
        for machine in machine_types():
            for region in regions:
                _offer(machine, region, prices, harvest)
        return harvest.done(answers.missing)


def _following(page: Answer) -> dict[str, str] | None:
    answer = page.json()
    token = answer.get("nextPageToken") if isinstance(answer, dict) else None
    if token is not None and not isinstance(token, str):
        # Taken for the end of the list, it would make all later parts look unsold.
        raise FeedError("gcp", "the next page has no name.", hint="The feed has changed; old prices stay in use.")
    return {**QUERY, "pageToken": token} if token else None


def _take(row: Any, wanted: frozenset[str], prices: PriceList, harvest: Harvest) -> None:
    part = read_part(row)
    if isinstance(part, str):
        harvest.skip(part)
    elif not part.regions:
        harvest.skip("a part without a region")
    else:
        keep_part(part, wanted, prices, harvest)


def keep_part(part: Part, wanted: Iterable[str], prices: PriceList, harvest: Harvest) -> None:
    """Note a part's price in the regions that are wanted; of two prices, the SKU for fewer regions is the exact one."""
    scope = len(part.regions)
    for region in part.regions:
        if region not in wanted:
            continue
        key = (part.resource, part.name, region, (part.term, part.months))
        known = prices.get(key)
        if known is not None and known[1] != part.usd_per_hour:
            harvest.skip("second price of a part")
        if known is None or scope < known[0]:
            prices[key] = (scope, part.usd_per_hour)


def _offer(machine: MachineType, region: str, prices: PriceList, harvest: Harvest) -> None:
    found = {term: price for term in TERMS if (price := machine_price(machine, region, term, prices)) is not None}
    full = found.get(("on_demand", None))
    gpus = gpu_instance("gcp", machine.name)
    for (term, months), price in found.items():
        if machine.sold and term not in machine.sold:
            harvest.skip("listed, but not sold under this term")
            continue
        dear = term == "spot" and full is not None and price >= SPOT_LIST_SHARE * full
        harvest.add(
            server=machine.name,
            region=region,
            vcpus=machine.vcpus,
            ram_gib=machine.ram_gib,
            shared_cpu=True if machine.billed_vcpus < machine.vcpus else None,
            # A GPU machine that our GPU table lost must never be offered as a CPU server.
            gpu_model=gpus.gpu_model if gpus else (machine.gpu_skus[0] if machine.gpu_skus else None),
            storage=f"{machine.local_ssd_gib:g} GiB local SSD" if machine.local_ssd_gib else None,
            term=term,
            commitment_months=months,
            # Commitments are billed by the month: nothing is paid upfront.
            upfront_share=0.0 if term == "reserved" else None,
            price_per_hour=round(price, 6),
            note=SPOT_NOTE if dear else None,
        )


def machine_price(machine: MachineType, region: str, term: Term, prices: PriceList) -> float | None:
    """Dollars an hour of a machine type; None unless every part that it is billed by has a price."""
    total = 0.0
    needed: defaultdict[tuple[str, tuple[str, ...]], float] = defaultdict(float)
    if machine.families:
        needed["core", machine.families] += machine.billed_vcpus
        needed["ram", machine.families] += machine.ram_gib
    if machine.gpu_skus:
        needed["gpu", machine.gpu_skus] += machine.gpu_units
    if machine.local_ssd_gib:
        needed["ssd", ("",)] += machine.local_ssd_gib
    for (resource, names), amount in needed.items():
        price = next((prices[key] for name in names if (key := (resource, name, region, term)) in prices), None)
        if price is None:
            return None
        total += amount * price[1]
    return total
