"""Azure: Linux virtual machines of some regions, on demand, spot, with a savings plan and reserved.

The retail price list needs no key and has several meters for one size: Windows, Low Priority, Cloud Services, DevTest.
A reservation's price is the total of its term although its unit says an hour. Sizes come from elsewhere (_azure_sizes).
"""

from __future__ import annotations

import contextlib
import re
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from pricing.errors import FeedError
from pricing.feed import Harvest, flag, items, number, rows, text
from pricing.provider import About, Fetched, Missing, register
from pricing.providers._azure_prices import Best, Key, sane
from pricing.providers._azure_sizes import Size, from_calculator, retired, size_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from pricing.answers import Answer, Answers
    from pricing.asking import Asker

URL = "https://prices.azure.com/api/retail/prices"
CALCULATOR = "https://azure.microsoft.com/api/v3/pricing/virtual-machines/calculator/"
PAGE = "https://azure.microsoft.com/pricing/details/virtual-machines/linux/"
VERSION = "2023-01-01-preview"
"""The only version that lists savings plans."""
REGIONS = (
    "eastus",
    "eastus2",
    "westus2",
    "westus3",
    "westeurope",
    "northeurope",
    "germanywestcentral",
    "swedencentral",
    "uksouth",
    "francecentral",
    "southeastasia",
    "japaneast",
    "australiaeast",
    "canadacentral",
)
NOT_PUBLIC = ("usgov", "usdod", "ussec", "usnat", "china")
NEXT_PAGE = re.compile(rb'"NextPageLink"\s*:\s*(?:"([^"]*)"|null)[^"]*(?:"Count"\s*:\s*\d+\s*)?\}\s*\Z')
LINK_BYTES = 4096
OTHER_PRODUCTS = (
    ("windows", "Windows"),
    ("cloud services", "Cloud Services"),
    ("cloudservices", "Cloud Services"),
    ("dedicated", "Dedicated Host"),
    ("devtest", "DevTest"),
)
HOURS_A_YEAR = 8760


@register
class Azure:
    """Virtual machines."""

    about = About(
        "azure",
        "Microsoft Azure",
        "prices",
        kinds=("gpu", "cpu"),
        covers=tuple(
            (kind, term) for kind in ("gpu", "cpu") for term in ("on_demand", "spot", "reserved", "savings_plan")
        ),
        regional=True,
        regions=REGIONS,
        hosts=("prices.azure.com", "azure.microsoft.com"),
        time_limit_s=600.0,
        pace_s=0.2,
        verified="2026-09",
        cannot=("stock", "how far a spot price lags the portal's", "disks and addresses"),
        page=PAGE,
    )

    def fetch(self, ask: Asker) -> None:
        """Two lists a region, and the calculator's sizes. Raises FeedError if no region answers."""
        regions = tuple(dict.fromkeys(name.lower() for name in ask.regions))
        calls: list[Callable[[Asker], None]] = [partial(_ask_region, region=region) for region in regions]
        ask.together([_ask_sizes, *calls])
        if not ask.answers.all("prices"):
            missing = ask.answers.missing
            raise FeedError("azure", missing[0].reason if missing else "no region was asked for.")

    def parse(self, answers: Answers, now: datetime) -> Fetched:
        """Offers of all regions that answered. Raises FeedError if they are not in the known shape."""
        harvest = Harvest.at("azure", "Azure Retail Prices API", PAGE, now)
        best = Best(harvest)
        missing = list(answers.missing)
        today = now.date().isoformat()
        listed: dict[str, int] = {}
        for part, take in (("prices", take_consumption), ("reservations", take_reservation)):
            for page in answers.all(part):
                region = page.region or ""
                found = rows("azure", page.json(), "Items")
                if part == "prices":
                    listed[region] = listed.get(region, 0) + len(found)
                harvest.each(found, partial(take, region=region, today=today, best=best))
        harvest.check()
        empty = [region for region, count in listed.items() if not count]
        missing += [Missing("the region's list is empty", region=region) for region in empty]
        sizes = _sizes(answers)
        for key, price in sane(best, harvest).items():
            _offer(key, price, sizes, harvest)
        return harvest.done(missing)


def _ask_sizes(ask: Asker) -> None:
    # Undocumented, and not needed for a price: without it, sizes are read from their names.
    with contextlib.suppress(FeedError):
        ask.get("sizes", CALCULATOR, params={"culture": "en-us", "currency": "usd"})


def _ask_region(ask: Asker, region: str) -> None:
    if _ask_list(ask, "prices", "Consumption", Missing("", region=region)):
        _ask_list(ask, "reservations", "Reservation", Missing("", term="reserved", region=region))


def _ask_list(ask: Asker, part: str, kind: str, missing: Missing) -> bool:
    region = missing.region or ""
    quoted = region.replace("'", "''")
    query = {
        "api-version": VERSION,
        "currencyCode": "'USD'",
        "$filter": f"serviceName eq 'Virtual Machines' and priceType eq '{kind}' and armRegionName eq '{quoted}' "
        "and contains(productName, 'Windows') eq false",
    }
    pages = ask.attempt(
        missing, lambda: ask.pages(part, URL, partial(_following, query=query), params=query, region=region)
    )
    return pages is not None


def _following(page: Answer, query: Mapping[str, str]) -> Mapping[str, str] | str | None:
    # The link stands behind the rows: reading these only to get at it would double the work, and be all of it where the
    # list has not changed.
    found = NEXT_PAGE.search(page.body[-LINK_BYTES:])
    link = (found[1] or b"").decode("ascii", "replace").replace("\\/", "/") if found else ""
    if not found:
        answer = page.json()
        link = answer.get("NextPageLink") if isinstance(answer, dict) else None
    if not link or not isinstance(link, str):
        return None
    # The link repeats the query in its own spelling; only where to go on is taken from it.
    skip = parse_qs(urlsplit(link).query).get("$skip")
    return {**query, "$skip": skip[0]} if skip else link


def take_consumption(row: Any, *, region: str, today: str, best: Best) -> None:
    """Note the on-demand, spot and savings-plan prices of a meter. Raises BrokenRowError."""
    server, words = _server(row, region, today, best.harvest)
    if server is None:
        return
    if text(row, "type") not in {None, "Consumption"}:
        best.harvest.skip("not an hourly price")
        return
    hours, price = unit_hours(text(row, "unitOfMeasure")), number(row, "retailPrice")
    if hours is None or price is None:
        best.harvest.skip("price is 0" if hours else "unit is not hours")
        return
    primary = flag(row, "isPrimaryMeterRegion")
    if "spot" in words:
        best.keep((server, region, "spot", None), price / hours, primary)
        return
    best.keep((server, region, "on_demand", None), price / hours, primary)
    for plan in items(row, "savingsPlan"):
        months, hourly = term_months(text(plan, "term")), number(plan, "retailPrice")
        if months and hourly:
            best.keep((server, region, "savings_plan", months), hourly / hours, primary)


def take_reservation(row: Any, *, region: str, today: str, best: Best) -> None:
    """Note a reservation's price by the hour: the list has the total of the term. Raises BrokenRowError."""
    server, _ = _server(row, region, today, best.harvest)
    if server is None:
        return
    months, total = term_months(text(row, "reservationTerm")), number(row, "retailPrice")
    if text(row, "type") != "Reservation" or months is None or total is None:
        best.harvest.skip("reservation without a term or a price")
        return
    hourly = total / (months / 12 * HOURS_A_YEAR)
    best.keep((server, region, "reserved", months), hourly, flag(row, "isPrimaryMeterRegion"))


def _server(row: Any, region: str, today: str, harvest: Harvest) -> tuple[str | None, str]:
    """The size that a row prices, if it is a Linux server that the public can rent now, and its meter's words.

    Raises BrokenRowError.
    """
    server = text(row, "armSkuName")
    words = f"{text(row, 'meterName') or ''} {text(row, 'skuName') or ''}".lower()
    why = _other_product(text(row, "productName") or "")
    if why is None and server is None:
        why = "no size"
    elif "low priority" in words:
        why = "Low Priority"
    elif "expired" in words:
        why = "expired meter"
    elif row.get("currencyCode") not in (None, "USD"):
        why = "currency is not USD"
    elif row.get("armRegionName") != region and (text(row, "armRegionName") or region).lower() != region:
        why = "another region"
    elif region.startswith(NOT_PUBLIC):
        why = "region not open to the public"
    elif (text(row, "effectiveStartDate") or "")[:10] > today:
        why = "price not yet in force"
    if why is not None:
        harvest.skip(why)
        return None, words
    return server, words


@lru_cache(maxsize=4096)
def _other_product(product: str) -> str | None:
    name = product.lower()
    if name.endswith(" win"):
        return "Windows"
    return next((reason for word, reason in OTHER_PRODUCTS if word in name), None)


@lru_cache(maxsize=64)
def unit_hours(unit: str | None) -> float | None:
    """Hours that a price is for: 1 where the row says nothing; None where the unit is no time."""
    if unit is None:
        return 1.0
    count, _, word = unit.partition(" ")
    return float(count) if word in {"Hour", "Hours"} and count.isdecimal() and int(count) else None


@lru_cache(maxsize=64)
def term_months(term: str | None) -> int | None:
    """12 of "1 Year"; None where it is no number of years."""
    count, _, word = (term or "").partition(" ")
    return int(count) * 12 if word in {"Year", "Years"} and count.isdecimal() and 0 < int(count) < 10 else None


def _sizes(answers: Answers) -> Mapping[str, Size]:
    answer = answers.first("sizes")
    with contextlib.suppress(FeedError):
        return from_calculator("azure", answer.json()) if answer else {}
    return {}


def _offer(key: Key, price: float, sizes: Mapping[str, Size], harvest: Harvest) -> None:
    server, region, term, months = key
    size = size_of(server, sizes)
    ended = retired(server)
    harvest.add(
        server=server,
        region=region,
        vcpus=size.vcpus,
        ram_gib=size.ram_gib,
        shared_cpu=True if is_burstable(server) else None,
        # Our table of GPU sizes replaces this; a size that it lacks must never be offered as a CPU server.
        gpu_model=f"accelerator of {server}" if server.lower().startswith("standard_n") else None,
        term=term,
        commitment_months=months,
        # Both commitments may be paid by the month at the same total.
        upfront_share=0.0 if months else None,
        price_per_hour=round(price, 6),
        note=f"series retired {ended}" if ended else None,
    )


@lru_cache(maxsize=8192)
def is_burstable(server: str) -> bool:
    """Whether a size has a share of its vCPUs only (the B series)."""
    return server.lower().removeprefix("standard_")[:2].rstrip("0123456789") == "b"
