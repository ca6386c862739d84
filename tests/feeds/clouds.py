"""The four large clouds, invented: AWS, Azure, Google and Oracle in the shape of their lists, at prices of our own."""

from __future__ import annotations

import importlib.util
import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from feeds.asked import NOT_FOUND, PAYLOADS, ROOT, USD_PER_VCPU_HOUR, Reply, as_json, cut, gpu_types

if TYPE_CHECKING:
    from types import ModuleType

    from feeds.asked import Ask

BULK_MB = 320.0
AWS_SIZES = {
    "medium": 1, "large": 2, "xlarge": 4, "2xlarge": 8, "4xlarge": 16, "8xlarge": 32, "9xlarge": 36, "12xlarge": 48,
    "16xlarge": 64, "18xlarge": 72, "24xlarge": 96, "32xlarge": 128, "48xlarge": 192,
}  # fmt: skip
OLD_SPOT_NAMES = {
    "us-east-1": "us-east", "us-west-1": "us-west", "eu-west-1": "eu-ireland", "ap-southeast-1": "apac-sin",
    "ap-southeast-2": "apac-syd", "ap-northeast-1": "apac-tokyo",
}  # fmt: skip
ADVISED_TYPES = 420
AZURE_PAGE, AZURE_ROWS = 1000, 4000
GCP_PAGE, GCP_SKUS = 5000, 35_000
OCI_PRODUCTS = 600


@cache
def _bulk() -> ModuleType:
    spec = importlib.util.spec_from_file_location("aws_bulk", ROOT / "tests" / "feeds" / "aws_bulk.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# AWS


@cache
def aws_types(big: bool) -> tuple[tuple[str, float, float, str], ...]:
    """Type, vCPUs, dollars an hour, family in AWS's words."""
    found = [
        (f"{family}.{size}", float(vcpus), round(vcpus * USD_PER_VCPU_HOUR, 4), "General purpose")
        for family in _bulk().FAMILIES
        if not family.startswith("g")
        for size, vcpus in AWS_SIZES.items()
    ]
    gpus = [(name, 8.0, usd, "GPU instance") for name, _, usd in gpu_types("aws")]
    return tuple([*found, *gpus] if big else [*found[:10], *(one for one in gpus if one[0].startswith("g6e."))])


def aws(ask: Ask) -> Reply:
    """Maps, spot, advisor and bulk lists."""
    if ask.host == "b0.p.awsstatic.com":
        return _aws_map(ask)
    if ask.host == "website.spot.ec2.aws.a2z.com":
        return _aws_spot(ask)
    if ask.host == "spot-bid-advisor.s3.amazonaws.com":
        return _aws_advisor(ask)
    found = re.fullmatch(r"/offers/v1\.0/aws/AmazonEC2/current/([a-z0-9-]+)/index\.csv", ask.path)
    if found is None:
        return NOT_FOUND
    region, size_mb = found[1], BULK_MB if ask.big else 0.1
    return Reply(lambda: _bulk().chunks(size_mb, region), 200, {"Content-Type": "text/csv"})


def _locations() -> dict[str, str]:
    from pricing.providers.aws import LOCATIONS

    return LOCATIONS


def _aws_map(ask: Ask) -> Reply:
    name = unquote(ask.path).split("/")[-3]
    if name not in _locations().values():
        return NOT_FOUND
    rows = {}
    for number, (server, vcpus, usd, family) in enumerate(aws_types(ask.big)):
        rows[f"{server.replace('.', ' ')} {name} Linux {number}"] = {
            "rateCode": f"{number:012d}.JRTCKXETXF.6YS6EN2CT7",
            "price": f"{usd:.10f}",
            "Location": name,
            "Instance Family": family,
            "vCPU": f"{vcpus:g}",
            "Instance Type": server,
            "Memory": f"{vcpus * 4:,.0f} GiB",
            "Storage": "EBS only",
            "Network Performance": "Up to 12500 Megabit",
            "plc:OperatingSystem": "Linux",
            "Operating System": "Linux",
            "Pre Installed S/W": "NA",
            "License Model": "No License required",
        }
    manifest = {"serviceId": "ec2", "hawkFilePublicationDate": "2026-11-26T10:00:00Z", "currencyCode": "USD"}
    return as_json({"manifest": manifest, "sets": {}, "regions": {name: rows}})


def _aws_spot(ask: Ask) -> Reply:
    def sizes(*families: str) -> list[Any]:
        return [
            {
                "size": server,
                "valueColumns": [
                    {"name": "linux", "prices": {"USD": f"{usd * 0.4:.4f}"}},
                    {"name": "mswin", "prices": {"USD": "N/A*"}},
                ],
            }
            for server, _, usd, family in aws_types(ask.big)
            if family in families
        ]

    groups = [
        {"type": "generalCurrentGen", "sizes": sizes("General purpose")},
        {"type": "gpuCurrentGen", "sizes": sizes("GPU instance")},
    ]
    regions = [
        {"region": OLD_SPOT_NAMES.get(code, code), "footnotes": {}, "instanceTypes": groups} for code in _locations()
    ]
    config = {"rate": "perhr", "valueColumns": ["linux", "mswin"], "currencies": ["USD"], "regions": regions}
    return as_json({"vers": 0.01, "config": config})


def _aws_advisor(ask: Ask) -> Reply:
    types = aws_types(ask.big)[:ADVISED_TYPES]
    each = {server: {"s": 60, "r": number % 5} for number, (server, *_) in enumerate(types)}
    labels = ("<5%", "5-10%", "10-15%", "15-20%", ">20%")
    return as_json(
        {
            "ranges": [{"index": at, "label": label, "dots": at, "max": 5 * at + 5} for at, label in enumerate(labels)],
            "instance_types": {
                server: {"emr": False, "cores": int(vcpus), "ram_gb": vcpus * 4} for server, vcpus, *_ in types
            },
            "spot_advisor": {code: {"Linux": each, "Windows": each} for code in _locations()},
        }
    )


# Azure


@cache
def azure_sizes(big: bool) -> tuple[tuple[str, float, float], ...]:
    """Size, vCPUs, dollars an hour."""
    features = ("s", "as", "ds", "ads", "ls", "lds", "ps", "pds", "pls", "plds", "als", "alds")
    found = [
        (f"Standard_{series}{vcpus}{feature}_v{version}", float(vcpus), round(vcpus * USD_PER_VCPU_HOUR, 4))
        for version in (3, 4, 5, 6, 7)
        for series in "DEFLM"
        for feature in features
        for vcpus in (2, 4, 8, 16, 32, 48, 64, 96)
    ]
    gpus = [(f"Standard_{name}", 24.0, usd) for name, _, usd in gpu_types("azure") if usd > 0.1]
    # Each size has three meters for Linux and as many for Windows.
    return tuple([*gpus, *found][: AZURE_ROWS // 6] if big else [*gpus[:3], *found[:5]])


def azure(ask: Ask) -> Reply:
    """Pages of a region's consumption or reservation prices, and the calculator's sizes."""
    if ask.host == "azure.microsoft.com":
        offers = {}
        for server, vcpus, _ in azure_sizes(ask.big):
            tier, _, rest = server.lower().partition("_")
            offers[f"linux-{rest.replace('_', '')}-{tier}"] = {"cores": vcpus, "ram": vcpus * 4, "series": rest[:1]}
        return as_json({"offers": offers, "regions": []})
    text = ask.query.get("$filter", "")
    region = re.search(r"armRegionName eq '([^']*)'", text)
    rows = _azure_rows(region[1] if region else "", "Reservation" in text, ask.big)
    start, size = int(ask.query.get("$skip", "0")), AZURE_PAGE if ask.big else 9
    page, more = cut(rows, start, size)
    link = f"https://prices.azure.com:443/api/retail/prices?$filter={quote(text)}&$skip={start + size}"
    return as_json(
        {
            "BillingCurrency": "USD",
            "CustomerEntityId": "Default",
            "CustomerEntityType": "Retail",
            "Items": page,
            "NextPageLink": link if more else None,
            "Count": len(page),
        }
    )


@cache
def _azure_rows(region: str, reserved: bool, big: bool) -> list[dict[str, Any]]:
    rows = []
    sizes = azure_sizes(big)
    for number, (server, _, usd) in enumerate(sizes):
        bare = server.removeprefix("Standard_").replace("_", " ")
        common = {
            "currencyCode": "USD",
            "tierMinimumUnits": 0.0,
            "armRegionName": region,
            "location": region.title(),
            "effectiveStartDate": "2026-01-01T00:00:00Z",
            "meterId": f"{number:08d}-0000-4000-8000-000000000000",
            "productId": f"DZH318Z0{number:04X}",
            "skuId": f"DZH318Z0{number:04X}/0001",
            "productName": f"Virtual Machines {bare[:1]} Series",
            "serviceName": "Virtual Machines",
            "serviceId": "DZH313Z7MMC8",
            "serviceFamily": "Compute",
            "unitOfMeasure": "1 Hour",
            "isPrimaryMeterRegion": True,
            "armSkuName": server,
        }
        if reserved:
            for term, hours, share in (("1 Year", 8760, 0.6), ("3 Years", 26_280, 0.4)):
                total = round(usd * share * hours, 2)
                priced = {"retailPrice": total, "unitPrice": total, "reservationTerm": term, "type": "Reservation"}
                rows.append(common | {"meterName": bare, "skuName": bare} | priced)
            continue
        plans = [
            {"unitPrice": round(usd * share, 6), "retailPrice": round(usd * share, 6), "term": term}
            for term, share in (("3 Years", 0.5), ("1 Year", 0.7))
        ]
        for suffix, share in (("", 1.0), (" Spot", 0.3), (" Low Priority", 0.2)):
            price = round(usd * share, 6)
            row = common | {"retailPrice": price, "unitPrice": price, "type": "Consumption"}
            row |= {"meterName": f"{bare}{suffix}", "skuName": f"{bare}{suffix}"}
            rows.append(row if suffix else row | {"savingsPlan": plans})
            rows.append(row | {"productName": f"{common['productName']} Windows", "retailPrice": round(price * 1.5, 6)})
    return rows


# Google

_GCP_GPU_USD = {"l4": 0.56, "a100": 2.9, "h100": 8.0, "h200": 9.0, "b200": 12.0, "t4": 0.35, "v100": 2.5, "p100": 1.5}
_GCP_TERMS = (
    ("{} running in {}", 1.0, ""), ("Spot Preemptible {} running in {}", 0.3, ""),
    ("Commitment v1: {} in {} for 1 Year", 0.65, "Commit1Yr"), ("Commitment v1: {} in {} for 3 Years", 0.45, "Commit3Yr"),
)  # fmt: skip
_GCP_SMALL = ("n2", "a2", "g2", "c3")


def gcp(ask: Ask) -> Reply:
    """Pages of the Compute Engine price list."""
    if not ask.path.endswith("/skus"):
        return NOT_FOUND
    start = int(ask.query.get("pageToken", "0"))
    size = GCP_PAGE if ask.big else 60
    page, more = cut(_gcp_skus(ask.big), start, size)
    return as_json({"skus": page, "nextPageToken": str(start + size) if more else ""})


@cache
def _gcp_skus(big: bool) -> list[dict[str, Any]]:
    from pricing.providers._gcp_parts import machine_types
    from pricing.providers.gcp import REGIONS

    families = sorted({machine.families[0] for machine in machine_types() if machine.families})
    cards = sorted({name for machine in machine_types() for name in machine.gpu_skus})
    regions: tuple[str, ...] = (*REGIONS, *(f"europe-test{number}" for number in range(18)))
    if not big:
        families = [name for name in families if name in _GCP_SMALL]
        cards, regions = [name for name in cards if name.endswith(("l4", "tesla a100"))], REGIONS[:1]
    rows: list[dict[str, Any]] = []
    for region in regions:
        for family in families:
            spelled = {"computeoptimized": "Compute optimized", "n1": "N1 Predefined Instance"}.get(
                family, f"{family.upper()} Instance"
            )
            for resource, usd, unit in (("Core", 0.03, "h"), ("Ram", 0.004, "GiBy.h")):
                rows += _gcp_parts(f"{spelled} {resource}", usd, unit, region, len(rows))
        for card in cards:
            usd = next((usd for word, usd in _GCP_GPU_USD.items() if word in card.split()), 5.0)
            rows += _gcp_parts(f"{card.title()} GPU", usd, "h", region, len(rows))
    filler = GCP_SKUS - len(rows) if big else 8
    for number in range(filler):
        rows.append(_gcp_sku(f"Network Egress from zone {number}", 0.01, "GiBy", regions[0], len(rows), "OnDemand"))
    return rows


def _gcp_parts(product: str, usd: float, unit: str, region: str, number: int) -> list[dict[str, Any]]:
    return [
        _gcp_sku(form.format(product, region), usd * share, unit, region, number + at, usage or "OnDemand")
        for at, (form, share, usage) in enumerate(_GCP_TERMS)
    ]


def _gcp_sku(described: str, usd: float, unit: str, region: str, number: int, usage: str) -> dict[str, Any]:
    code = f"{number:04X}-0000-{number % 9973:04X}"
    price = {"currencyCode": "USD", "units": str(int(usd)), "nanos": round(usd % 1 * 1e9)}
    return {
        "name": f"services/6F81-5844-456A/skus/{code}",
        "skuId": code,
        "description": described,
        "category": {
            "serviceDisplayName": "Compute Engine",
            "resourceFamily": "Compute",
            "resourceGroup": "CPU",
            "usageType": "Preemptible" if described.startswith("Spot") else usage,
        },
        "serviceRegions": [region],
        "pricingInfo": [
            {
                "summary": "",
                "pricingExpression": {
                    "usageUnit": unit,
                    "displayQuantity": 1,
                    "tieredRates": [{"startUsageAmount": 0, "unitPrice": price}],
                    "usageUnitDescription": "hour",
                    "baseUnit": "s",
                    "baseUnitDescription": "second",
                    "baseUnitConversionFactor": 3600,
                },
                "currencyConversionRate": 1,
                "effectiveTime": "2026-11-26T10:00:00.000Z",
            }
        ],
        "serviceProviderName": "Google",
        "geoTaxonomy": {"type": "REGIONAL", "regions": [region]},
    }


# Oracle


def oci(ask: Ask) -> Reply:
    """The list of parts and the estimator's shapes."""
    if ask.path.endswith("shapes.json"):
        return Reply((PAYLOADS / "oci_shapes.json").read_bytes(), 200, {"Content-Type": "application/json"})
    answer = json.loads((PAYLOADS / "oci_products.json").read_bytes())
    if ask.big:
        answer["items"] += [
            {
                "partNumber": f"F{number:05d}",
                "displayName": f"Oracle Database Service - Option {number}",
                "metricName": "OCPU Per Hour",
                "serviceCategory": "Database",
                "currencyCodeLocalizations": [
                    {"currencyCode": "USD", "prices": [{"model": "PAY_AS_YOU_GO", "value": 0.1 + number / 1000}]}
                ],
            }
            for number in range(OCI_PRODUCTS - len(answer["items"]))
        ]
    return as_json(answer)


FEEDS = {"aws": aws, "azure": azure, "gcp": gcp, "oci": oci}
