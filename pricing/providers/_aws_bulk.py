"""AWS's bulk price list of a region: a CSV of several hundred MB, of which a few thousand lines are reserved Linux servers.

A line is Linux on shared hardware without software, or it is dropped as bytes, before anything is parsed. What is left is
read by its named columns: the order of tests decides nothing.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pricing.errors import FeedError
from pricing.feed import BrokenRowError, Harvest, decimal, text
from pricing.providers._aws_types import Size, Sizes, counts_as_accelerated, facts, gib, storage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pricing.answers import Answer

MAX_BYTES = 1_500_000_000
HOURS_PER_YEAR = 8760
COLUMNS = (
    "SKU",
    "OfferTermCode",
    "TermType",
    "Unit",
    "PricePerUnit",
    "Currency",
    "LeaseContractLength",
    "PurchaseOption",
    "OfferingClass",
    "Product Family",
    "Location Type",
    "Instance Type",
    "Instance Family",
    "vCPU",
    "Memory",
    "Storage",
    "Tenancy",
    "Operating System",
    "License Model",
    "CapacityStatus",
    "MarketOption",
    "Pre Installed S/W",
    "Region Code",
)
OPTIONAL = ("GPU", "Network Performance")
PLAIN = (
    ("Operating System", {"Linux"}, "not Linux"),
    ("Tenancy", {"Shared"}, "dedicated hardware"),
    ("Pre Installed S/W", {"", "NA"}, "with software"),
    ("License Model", {"", "NA", "No License required"}, "bring your own licence"),
    ("MarketOption", {"", "OnDemand"}, "capacity block"),
    ("CapacityStatus", {"", "Used"}, "unused capacity reservation"),
    ("Location Type", {"AWS Region"}, "local or wavelength zone"),
)
"""What makes a server the plain one that all lists compare: column, allowed values, why a row with another one is no offer."""
PAYMENTS = {"No Upfront": 0.0, "Partial Upfront": 0.5, "All Upfront": 1.0}
MONTHS = {"1yr": 12, "3yr": 36}


def may_be_plain(line: bytes) -> bool:
    """Whether a line can be a plain Linux server, or is the header: asked of every line, so the rarest word comes first."""
    return (
        b'"Linux"' in line
        and b'"Shared"' in line
        and b"SQL " not in line
        and b'"convertible"' not in line
        and b'"Used"' in line
    ) or b"SKU" in line[:5]


@dataclass
class Term:
    """One way to pay for a reserved server: its dimensions are lines of their own."""

    server: str
    months: int
    payment: str
    hourly: float | None = None
    upfront: float | None = None

    def per_hour(self) -> float | None:
        """Dollars per hour with the fee at the start spread over the term; None if one of the two is missing."""
        share = PAYMENTS[self.payment]
        if (share > 0) != bool(self.upfront) or (share < 1 and not self.hourly):
            return None
        return round((self.hourly or 0.0) + (self.upfront or 0.0) / (self.months / 12 * HOURS_PER_YEAR), 6)


@dataclass
class RegionList:
    """What the bulk list of one region holds."""

    region: str
    sizes: Sizes = field(default_factory=dict)
    on_demand: dict[str, float] = field(default_factory=dict)
    terms: dict[tuple[str, str], Term] = field(default_factory=dict)
    """By SKU and offer term."""

    def add_reserved(self, harvest: Harvest) -> None:
        """Its reserved servers as offers; of two prices for the same the higher one stays."""
        best: dict[tuple[str, int, str], tuple[float, Term]] = {}
        for term in self.terms.values():
            price = term.per_hour()
            if price is None:
                harvest.skip("reserved price with a part missing")
                continue
            key = (term.server, term.months, term.payment)
            if key in best:
                harvest.skip("second price of the same server")
            if key not in best or price > best[key][0]:
                best[key] = (price, term)
        for price, term in best.values():
            fee = f"{term.upfront:,.0f} USD upfront, spread over the term" if term.upfront else None
            harvest.add(
                **facts(term.server, self.sizes.get(term.server)),
                region=self.region,
                term="reserved",
                commitment_months=term.months,
                upfront_share=PAYMENTS[term.payment],
                tier=term.payment.lower(),
                price_per_hour=price,
                note=fee,
            )


def parse(answer: Answer, region: str, harvest: Harvest) -> RegionList:
    """The plain Linux servers of a region's list. Raises FeedError if it is not in the known shape."""
    found = RegionList(region)
    lines = csv.reader(answer.text().split("\n"))
    try:
        header = next((row for row in lines if row and row[0] == "SKU"), [])
        if lost := [name for name in COLUMNS if name not in header]:
            raise FeedError("aws", f"the bulk list has no column {lost[0]!r}.", hint="The feed has changed.")
        harvest.each(_rows(lines, header), lambda row: _take(row, found, harvest))
    except csv.Error as error:
        raise FeedError("aws", f"the bulk list is no CSV ({error!s:.60}).", hint="The feed has changed.") from error
    harvest.check()
    return found


def _rows(lines: Iterator[list[str]], header: list[str]) -> Iterator[dict[str, str]]:
    at = [(name, header.index(name)) for name in (*COLUMNS, *OPTIONAL) if name in header]
    width = len(header)
    for row in lines:
        if row:
            yield {name: row[index] for name, index in at} if len(row) == width else {}


def _take(row: dict[str, str], found: RegionList, harvest: Harvest) -> None:
    if not row:
        raise BrokenRowError("line of another length")
    server = text(row, "Instance Type")
    if server is None or "." not in server or not row["Product Family"].startswith("Compute Instance"):
        harvest.skip("not a server")
        return
    for column, allowed, reason in PLAIN:
        if row[column] not in allowed:
            harvest.skip(reason)
            return
    if row["Region Code"] != found.region:
        harvest.skip("another region")
        return
    if row["Currency"] != "USD":
        harvest.skip("not in dollars")
        return
    if row["OfferingClass"] == "convertible":
        harvest.skip("convertible reservation")
        return
    price = decimal(row, "PricePerUnit", zero=True)
    if server not in found.sizes:
        found.sizes[server] = _size(row)
    if row["TermType"] == "OnDemand" and row["Unit"] == "Hrs" and not row["LeaseContractLength"]:
        _take_on_demand(server, price, found, harvest)
    elif row["TermType"] == "Reserved":
        _take_reserved(server, price, row, found, harvest)
    else:
        harvest.skip("term of an unknown kind")


def _take_on_demand(server: str, price: float | None, found: RegionList, harvest: Harvest) -> None:
    if not price:
        harvest.skip("no price")
        return
    if server in found.on_demand:
        harvest.skip("second price of the same server")
    found.on_demand[server] = max(price, found.on_demand.get(server, 0.0))


def _take_reserved(server: str, price: float | None, row: dict[str, str], found: RegionList, harvest: Harvest) -> None:
    months, payment = MONTHS.get(row["LeaseContractLength"].replace(" ", "")), row["PurchaseOption"]
    if months is None or payment not in PAYMENTS or row["OfferingClass"] != "standard":
        harvest.skip("reservation of an unknown kind")
        return
    term = found.terms.setdefault((row["SKU"], row["OfferTermCode"]), Term(server, months, payment))
    if row["Unit"] == "Quantity":
        term.upfront = price
    elif row["Unit"] == "Hrs":
        term.hourly = price
    else:
        harvest.skip("reservation of an unknown kind")


def _size(row: dict[str, str]) -> Size:
    cards = row.get("GPU", "")
    return Size(
        decimal(row, "vCPU"),
        gib(text(row, "Memory")),
        storage(text(row, "Storage")),
        text(row, "Network Performance"),
        counts_as_accelerated(text(row, "Instance Family")) or cards not in {"", "0", "NA"},
    )
