"""AWS EC2: on-demand prices of every region, spot prices, and reserved prices of two regions.

On-demand comes from the small maps behind aws.amazon.com/ec2/pricing (all values are texts, one file a region), reserved
from the bulk price list. None of the lists says which GPU a type has: our table of instance types does.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pricing.errors import FeedError
from pricing.feed import Harvest, decimal, table, text
from pricing.provider import About, Fetched, Missing, register
from pricing.providers import _aws_bulk, _aws_spot
from pricing.providers._aws_types import Size, Sizes, counts_as_accelerated, facts, gib, storage

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from pricing.answers import Answer, Answers
    from pricing.asking import Asker

MAP = "https://b0.p.awsstatic.com/pricing/2.0/meteredUnitMaps/ec2/USD/current/ec2-ondemand-without-sec-sel/{}/Linux/index.json"
BULK = "https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonEC2/current/{}/index.csv"
PAGE = "https://aws.amazon.com/ec2/pricing/on-demand/"
SPOT_PAGE = "https://aws.amazon.com/ec2/spot/pricing/"
RESERVED_PAGE = "https://aws.amazon.com/ec2/pricing/reserved-instances/pricing/"
LOCATIONS = {
    "af-south-1": "Africa (Cape Town)",
    "ap-east-1": "Asia Pacific (Hong Kong)",
    "ap-east-2": "Asia Pacific (Taipei)",
    "ap-northeast-1": "Asia Pacific (Tokyo)",
    "ap-northeast-2": "Asia Pacific (Seoul)",
    "ap-northeast-3": "Asia Pacific (Osaka)",
    "ap-south-1": "Asia Pacific (Mumbai)",
    "ap-south-2": "Asia Pacific (Hyderabad)",
    "ap-southeast-1": "Asia Pacific (Singapore)",
    "ap-southeast-2": "Asia Pacific (Sydney)",
    "ap-southeast-3": "Asia Pacific (Jakarta)",
    "ap-southeast-4": "Asia Pacific (Melbourne)",
    "ap-southeast-5": "Asia Pacific (Malaysia)",
    "ap-southeast-6": "Asia Pacific (New Zealand)",
    "ap-southeast-7": "Asia Pacific (Thailand)",
    "ca-central-1": "Canada (Central)",
    "ca-west-1": "Canada West (Calgary)",
    "eu-central-1": "EU (Frankfurt)",
    "eu-central-2": "Europe (Zurich)",
    "eu-north-1": "EU (Stockholm)",
    "eu-south-1": "EU (Milan)",
    "eu-south-2": "Europe (Spain)",
    "eu-west-1": "EU (Ireland)",
    "eu-west-2": "EU (London)",
    "eu-west-3": "EU (Paris)",
    "il-central-1": "Israel (Tel Aviv)",
    "me-central-1": "Middle East (UAE)",
    "me-south-1": "Middle East (Bahrain)",
    "mx-central-1": "Mexico (Central)",
    "sa-east-1": "South America (Sao Paulo)",
    "us-east-1": "US East (N. Virginia)",
    "us-east-2": "US East (Ohio)",
    "us-west-1": "US West (N. California)",
    "us-west-2": "US West (Oregon)",
    "us-gov-east-1": "AWS GovCloud (US-East)",
    "us-gov-west-1": "AWS GovCloud (US-West)",
}
BULK_EVERY_S = 7 * 86400.0
"""Hundreds of megabytes for prices of one and three years are read once a week."""
BULK_REGIONS = ("us-east-1", "eu-central-1")
"""Half a GB or more each: one region of the two continents that most readers choose between."""
NO_SUCH_FILE = frozenset({403, 404})

OnDemand = dict[tuple[str, str], float]
"""Region and instance type -> dollars an hour."""


@register
class Aws:
    """EC2 servers with Linux on shared hardware."""

    about = About(
        "aws",
        "Amazon Web Services",
        "prices",
        kinds=("gpu", "cpu"),
        covers=tuple((kind, term) for kind in ("gpu", "cpu") for term in ("on_demand", "spot", "reserved")),
        regional=True,
        regions=tuple(code for code in LOCATIONS if not code.startswith("us-gov-")),
        hosts=(
            "b0.p.awsstatic.com",
            "website.spot.ec2.aws.a2z.com",
            "spot-bid-advisor.s3.amazonaws.com",
            "pricing.us-east-1.amazonaws.com",
        ),
        time_limit_s=600.0,
        verified="2026-10",
        cannot=(
            "GPUs and host CPUs (from our tables)",
            "disks and traffic, which cost extra",
            "stock",
            f"reserved prices outside {' and '.join(BULK_REGIONS)}",
            "savings plans, convertible reservations, capacity blocks, Local Zones, China",
        ),
        page=PAGE,
    )

    def fetch(self, ask: Asker) -> None:
        """The maps of all regions, both spot lists, then the large lists. Raises FeedError if no region answered."""
        lists: list[Callable[[Asker], None]] = [partial(_ask_map, code=code) for code in ask.regions]
        ask.together([*lists, _ask_spot, _ask_advisor])
        for code in ask.regions:
            if code not in BULK_REGIONS:
                reason = f"reserved prices are only asked for in {' and '.join(BULK_REGIONS)}"
                ask.answers.missing.append(Missing(reason, term="reserved", region=code, asked=False))
        # Last: should the time run out on them, the rest is there.
        ask.together([partial(_ask_bulk, code=code) for code in BULK_REGIONS if code in ask.regions])
        if not ask.answers.all("on_demand") and not ask.answers.all("bulk"):
            why = next((part.reason for part in ask.answers.missing if part.term == "on_demand"), "none was asked for")
            raise FeedError("aws", f"no region was answered ({why.rstrip('.')}).", hint="Old prices stay in use.")

    def parse(self, answers: Answers, now: datetime) -> Fetched:
        """Offers of all lists. Raises FeedError if no region has on-demand prices in the known shape."""
        reading = _Reading(answers, now)
        reading.maps()
        reading.bulk()
        reading.spot()
        return reading.harvest.done(reading.missing)


class _Reading:
    """One parse: each part has a harvest of its own, so that a changed part does not take the others with it."""

    def __init__(self, answers: Answers, now: datetime) -> None:
        self.answers, self.now = answers, now
        self.missing = list(answers.missing)
        self.harvest = Harvest.at("aws", "AWS EC2 on-demand price map", PAGE, now)
        self.sizes: Sizes = {}
        self.on_demand: OnDemand = {}

    def maps(self) -> None:
        """On-demand prices of every region that answered."""
        for answer in self.answers.all("on_demand"):
            self._part(answer.region, "on_demand", self.harvest.source, PAGE, partial(self._map, answer))

    def bulk(self) -> None:
        """Reserved prices; on-demand ones where a region's map failed. Raises FeedError if there are none at all."""
        for answer in self.answers.all("bulk"):
            self._part(answer.region, "reserved", "AWS EC2 bulk price list", RESERVED_PAGE, partial(self._list, answer))
        if not self.on_demand:
            why = [part.reason for part in sorted(self.missing, key=lambda part: part.term != "on_demand")]
            said = (why[0] if why else "empty answers").rstrip(".")
            raise FeedError("aws", f"no region has on-demand prices ({said}).", hint="Old prices stay in use.")

    def spot(self) -> None:
        """Spot prices of the regions asked for."""
        answer = self.answers.first("spot")
        if answer is None:
            return
        advice = _aws_spot.advice(self.answers.first("advisor"))
        regions = {one.region for one in self.answers.all("on_demand") + self.answers.all("bulk")}
        regions |= {part.region for part in self.answers.missing if part.term == "on_demand"}
        known = _aws_spot.Known(
            {code for code in regions if code}, self.on_demand, {**advice.sizes, **self.sizes}, advice
        )
        self._part(
            None,
            "spot",
            "AWS EC2 spot prices",
            SPOT_PAGE,
            lambda harvest: _aws_spot.parse(answer.json(), known, harvest),
        )

    def _part(self, region: str | None, term: str, source: str, page: str, read: Callable[[Harvest], None]) -> None:
        part = Harvest.at("aws", source, page, self.now)
        try:
            read(part)
        except FeedError as error:
            reason = error.message.removeprefix("aws: ")
        else:
            reason = "" if part.offers else f"the answer holds no {term.replace('_', '-')} prices."
        if reason:
            self.missing.append(Missing(reason, term=term, region=region))
        else:
            self.harvest.offers += part.offers
        self.harvest.skipped += part.skipped + part.broken

    def _map(self, answer: Answer, harvest: Harvest) -> None:
        region = answer.region or ""
        prices = parse_map(answer.json(), region, self.sizes, harvest)
        self._add_on_demand(region, prices, harvest)

    def _list(self, answer: Answer, harvest: Harvest) -> None:
        region = answer.region or ""
        harvest.dated_by(answer)
        found = _aws_bulk.parse(answer, region, harvest)
        for server, size in found.sizes.items():
            self.sizes.setdefault(server, size)
        if found.on_demand and not any(code == region for code, _ in self.on_demand):
            instead = Harvest.at("aws", harvest.source, PAGE, self.now)
            self._add_on_demand(region, found.on_demand, instead)
            self.harvest.offers += instead.offers
            self.missing = [part for part in self.missing if (part.term, part.region) != ("on_demand", region)]
        found.add_reserved(harvest)

    def _add_on_demand(self, region: str, prices: dict[str, float], harvest: Harvest) -> None:
        for server, price in prices.items():
            harvest.add(**facts(server, self.sizes.get(server)), region=region, price_per_hour=price)
            self.on_demand[region, server] = price


def parse_map(answer: Any, region: str, sizes: Sizes, harvest: Harvest) -> dict[str, float]:
    """Dollars an hour by instance type; sizes are added to `sizes`. Raises FeedError if the map is not in the known shape."""
    names = spellings(region)
    regions = table("aws", answer, "regions")
    found = next((regions[name] for name in names if name in regions), None)
    prices: dict[str, float] = {}

    def take(row: Any) -> None:
        server, price = text(row, "Instance Type"), decimal(row, "price")
        if server is None or "." not in server or price is None:
            harvest.skip("no server with a price")
            return
        if row.get("Operating System") not in (None, "Linux") or row.get("Pre Installed S/W") not in (None, "NA"):
            harvest.skip("not plain Linux")
            return
        if row.get("Location") not in (None, *names):
            harvest.skip("another location")
            return
        if server not in sizes:
            sizes[server] = _size(row)
        if server in prices:
            # A second, cheaper row has always been a fee, never the server.
            harvest.skip("second price of the same server")
        prices[server] = max(price, prices.get(server, 0.0))

    harvest.each(table("aws", found).values(), take)
    harvest.check()
    return prices


def _size(row: Any) -> Size:
    return Size(
        decimal(row, "vCPU"),
        gib(text(row, "Memory")),
        storage(text(row, "Storage")),
        text(row, "Network Performance"),
        counts_as_accelerated(text(row, "Instance Family")),
    )


def spellings(region: str) -> tuple[str, ...]:
    """The names of a region's location, the likelier one first: AWS writes both "EU (Paris)" and "Europe (Paris)"."""
    name = LOCATIONS.get(region)
    if name is None:
        return ()
    for one, other in (("EU (", "Europe ("), ("Europe (", "EU (")):
        if name.startswith(one):
            return name, name.replace(one, other, 1)
    return (name,)


def _ask_map(ask: Asker, code: str) -> None:
    names = spellings(code)
    if not names:
        ask.answers.missing.append(Missing(f"{code} is no region that we know", term="on_demand", region=code))
        return
    ask.attempt(Missing("", term="on_demand", region=code), lambda: _first_map(ask, code, names))


def _first_map(ask: Asker, code: str, names: tuple[str, ...]) -> Answer:
    for name in names:
        try:
            return ask.get("on_demand", MAP.format(quote(name, safe="()")), region=code)
        except FeedError as error:
            if error.status not in NO_SUCH_FILE:
                raise
    raise FeedError("aws", f"there is no price map of {names[0]}.", hint="Old prices stay in use.")


def _ask_spot(ask: Asker) -> None:
    ask.attempt(Missing("", term="spot"), lambda: ask.get("spot", _aws_spot.SPOT))


def _ask_advisor(ask: Asker) -> None:
    # It only adds a note to spot prices: nothing is missing without it.
    with suppress(FeedError):
        ask.get("advisor", _aws_spot.ADVISOR)


def _ask_bulk(ask: Asker, code: str) -> None:
    ask.attempt(
        Missing("", term="reserved", region=code),
        lambda: ask.lines(
            "bulk",
            BULK.format(code),
            _aws_bulk.may_be_plain,
            region=code,
            max_bytes=_aws_bulk.MAX_BYTES,
            max_age_s=BULK_EVERY_S,
        ),
    )
