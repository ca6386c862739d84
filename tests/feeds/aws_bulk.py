"""A regional EC2 price list in the shape of AWS's bulk CSV, of any size: for tests and for measuring how fast one is read.

The prices are made up. The mix is the real one: few of a hundred rows are Linux on shared hardware without software,
half of the reserved ones are convertible, and between them lie capacity blocks, Local Zones, dedicated hosts and disks.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PREAMBLE = (
    '"FormatVersion","v1.0"\n'
    '"Disclaimer","An invented price list in the shape of a real one. Nothing is sold at these prices; see http://example.com"\n'
    '"Publication Date","2026-11-20T10:11:12Z"\n'
    '"Version","20261120101112"\n'
    '"OfferCode","AmazonEC2"\n'
)
COLUMNS = (
    "SKU OfferTermCode RateCode TermType PriceDescription EffectiveDate StartingRange EndingRange Unit PricePerUnit Currency "
    "RelatedTo LeaseContractLength PurchaseOption OfferingClass Product_Family serviceCode Location Location_Type Instance_Type "
    "Current_Generation Instance_Family vCPU Physical_Processor Clock_Speed Memory Storage Network_Performance "
    "Processor_Architecture Storage_Media Volume_Type Max_Volume_Size Max_IOPS/volume Max_IOPS_Burst_Performance "
    "Max_throughput/volume Provisioned Tenancy EBS_Optimized Operating_System License_Model Group Group_Description "
    "Transfer_Type From_Location From_Location_Type To_Location To_Location_Type usageType operation AvailabilityZone "
    "CapacityStatus ClassicNetworkingSupport Dedicated_EBS_Throughput ECU Elastic_Graphics_Type Enhanced_Networking_Supported "
    "From_Region_Code GPU GPU_Memory Instance Instance_Capacity_-_10xlarge Instance_Capacity_-_12xlarge "
    "Instance_Capacity_-_16xlarge Instance_Capacity_-_18xlarge Instance_Capacity_-_24xlarge Instance_Capacity_-_2xlarge "
    "Instance_Capacity_-_32xlarge Instance_Capacity_-_4xlarge Instance_Capacity_-_8xlarge Instance_Capacity_-_9xlarge "
    "Instance_Capacity_-_large Instance_Capacity_-_medium Instance_Capacity_-_metal Instance_Capacity_-_xlarge instanceSKU "
    "Intel_AVX2_Available Intel_AVX_Available Intel_Turbo_Available MarketOption Normalization_Size_Factor Physical_Cores "
    "Pre_Installed_S/W Processor_Features Product_Type Region_Code Resource_Type serviceName SnapshotArchiveFeeType "
    "To_Region_Code Volume_API_Name VPCNetworkingSupport"
)
HEADER = tuple(name.replace("_", " ") for name in COLUMNS.split())
SIZES = {
    "large": 2, "xlarge": 4, "2xlarge": 8, "4xlarge": 16, "8xlarge": 32, "12xlarge": 48, "16xlarge": 64, "24xlarge": 96,
}  # fmt: skip
GIB_PER_VCPU = 4
FAMILIES = (
    "c5", "c5a", "c5d", "c5n", "c6a", "c6g", "c6gd", "c6i", "c6id", "c6in", "c7a", "c7g", "c7i", "c8a", "c8g", "c8i", "g4dn", "g5",
    "g6", "g6e", "i3en", "i4i", "i7i", "i8g", "m5", "m5a", "m5d", "m5n", "m6a", "m6g", "m6gd", "m6i", "m6id", "m6in", "m7a", "m7g",
    "m7i", "m8a", "m8g", "m8i", "r5", "r5a", "r5b", "r5d", "r5n", "r6a", "r6g", "r6gd", "r6i", "r6id", "r6in", "r7a", "r7g", "r7i",
    "r8a", "r8g", "r8i", "t3", "t4g", "x8g",
)  # fmt: skip
SOFTWARE = (
    ("Linux", "NA", ""), ("Linux", "SQL Web", ":0200"), ("Linux", "SQL Std", ":0004"), ("Linux", "SQL Ent", ":0100"),
    ("Windows", "NA", ":0002"), ("Windows", "SQL Web", ":0202"), ("Windows", "SQL Std", ":0006"), ("Windows", "SQL Ent", ":0102"),
    ("RHEL", "NA", ":0010"), ("RHEL", "SQL Std", ":0014"), ("RHEL", "SQL Ent", ":0110"), ("RHEL", "SQL Web", ":0210"),
    ("Red Hat Enterprise Linux with HA", "NA", ":1010"), ("Red Hat Enterprise Linux with HA", "SQL Std", ":1014"),
    ("Red Hat Enterprise Linux with HA", "SQL Ent", ":1110"), ("SUSE", "NA", ":000g"), ("Ubuntu Pro", "NA", ":0g00"),
)  # fmt: skip
LINUX_PER_VCPU_HOUR = 0.05
RESERVED = {
    ("1yr", "No Upfront"): ("7NE97W5U4E", 0.64, 0.0), ("1yr", "Partial Upfront"): ("HU7G6KETJZ", 0.31, 0.3),
    ("1yr", "All Upfront"): ("6QCMYABX3D", 0.0, 0.6), ("3yr", "No Upfront"): ("BPH4J8HBKS", 0.44, 0.0),
    ("3yr", "Partial Upfront"): ("38NPMPTW36", 0.2, 0.2), ("3yr", "All Upfront"): ("NQ3QZPMQV9", 0.0, 0.375),
}  # fmt: skip
"""(length, payment) -> offer term, share of the on-demand price paid by the hour, and share paid at the start."""
YEAR_H = 8760
SKU, TYPE = "@SKU@", "@TYPE@"
CHUNK = 1 << 20


def chunks(size_mb: float, region: str = "us-east-1", chunk_bytes: int = CHUNK) -> Iterator[bytes]:
    """A price list of about so many MB (whole instance types, at least one) in pieces as they come from a network."""
    size = size_mb * 1e6
    rest = (PREAMBLE + line(zip(HEADER, HEADER, strict=True)) + disk(region)).encode()
    sent = 0
    for number, name in enumerate(instance_types()):
        if number and sent + len(rest) >= size:
            break
        rest += instance(name, number, region)
        while len(rest) >= chunk_bytes:
            yield rest[:chunk_bytes]
            rest = rest[chunk_bytes:]
            sent += chunk_bytes
    yield rest


def instance_types() -> Iterator[str]:
    """Names of instance types without end: those of real families first."""
    for family in FAMILIES:
        for size in SIZES:
            yield f"{family}.{size}"
    generation = 20
    while True:
        for size in SIZES:
            yield f"m{generation}i.{size}"
        generation += 1


def instance(name: str, number: int, region: str) -> bytes:
    """All rows of one instance type: about three quarters of a MB."""
    pieces, kinds = _pieces(name.rpartition(".")[2], region)
    values = {SKU: b"%012d" % number, TYPE: name.encode()}
    filled = pieces.copy()
    filled[1::2] = [values[kind] for kind in kinds]
    return b"".join(filled)


def on_demand_price(name: str) -> float:
    """What the list asks for Linux by the hour."""
    return LINUX_PER_VCPU_HOUR * SIZES[name.rpartition(".")[2]]


@cache
def _pieces(size: str, region: str) -> tuple[list[bytes], list[str]]:
    """The rows of a size, cut where the SKU and the type go in, and which of the two goes in where."""
    text = "".join(line(row.items()) for row in rows(size, region))
    pieces = re.split(f"({SKU}|{TYPE})", text)
    return [piece.encode() for piece in pieces], pieces[1::2]


def rows(size: str, region: str) -> Iterator[dict[str, str]]:
    """The rows of one instance type of a size."""
    base = _product(SIZES[size], region)
    price = LINUX_PER_VCPU_HOUR * SIZES[size]
    for place, (system, software, code) in enumerate(SOFTWARE):
        for tenancy in ("Shared", "Dedicated"):
            usage = "BoxUsage" if tenancy == "Shared" else "DedicatedUsage"
            product = base | {
                "Tenancy": tenancy,
                "Operating System": system,
                "Pre Installed S/W": software,
                "operation": f"RunInstances{code}",
            }
            here = price * (1 + 0.25 * place) * (1 if tenancy == "Shared" else 1.1)
            yield _on_demand(product, usage, "Used", f"On Demand {system} {TYPE} Instance Hour", here)
            yield _on_demand(
                product, f"Unused{usage[:3]}", "UnusedCapacityReservation", f"Unused Reservation {system} {TYPE}", here
            )
            yield _on_demand(
                product, "Reservation", "AllocatedCapacityReservation", f"Reservation {system} {TYPE}", 0.0
            )
            for kind in ("standard", "convertible"):
                yield from _reserved(product, usage, kind, here if kind == "standard" else here * 1.15)
    shared = base | {
        "Tenancy": "Shared",
        "Operating System": "Linux",
        "Pre Installed S/W": "NA",
        "operation": "RunInstances",
    }
    yield _on_demand(
        shared | {"MarketOption": "CapacityBlock"},
        "BoxUsage",
        "Used",
        f"Capacity Block Linux {TYPE} Instance Hour",
        0.0,
    )
    zone = {"Location": "US East (Nowhere)", "Location Type": "AWS Local Zone", "Region Code": f"{region}-now-1"}
    yield _on_demand(shared | zone, "NOW1-BoxUsage", "Used", f"On Demand Linux {TYPE} Instance Hour", price * 1.2)
    windows = shared | {
        "Operating System": "Windows",
        "License Model": "Bring your own license",
        "operation": "RunInstances:0800",
    }
    yield _on_demand(windows, "BoxUsage", "Used", f"On Demand Windows BYOL {TYPE} Instance Hour", price)
    host = shared | {"Tenancy": "Host", "operation": "RunInstances"}
    yield _on_demand(host, "HostBoxUsage", "Used", f"Dedicated Host Linux {TYPE} Instance Hour", 0.0)


def _on_demand(product: dict[str, str], usage: str, status: str, said: str, price: float) -> dict[str, str]:
    return _priced(
        product, usage, status, ("JRTCKXETXF", "6YS6EN2CT7", "OnDemand"), "Hrs", price, f"${price:.4f} per {said}"
    )


def _reserved(product: dict[str, str], usage: str, kind: str, price: float) -> Iterator[dict[str, str]]:
    for (length, payment), (term, hourly, upfront) in RESERVED.items():
        offer = product | {"LeaseContractLength": length, "PurchaseOption": payment, "OfferingClass": kind}
        code = term if kind == "standard" else term[::-1]
        said = f"{product['Operating System']} (Amazon VPC), {TYPE} reserved instance applied"
        if upfront:
            years = int(length[0])
            fee = round(price * upfront * years * YEAR_H)
            yield _priced(offer, usage, "Used", (code, "2TG2D8R56U", "Reserved"), "Quantity", fee, "Upfront Fee")
        yield _priced(offer, usage, "Used", (code, "6YS6EN2CT7", "Reserved"), "Hrs", price * hourly, said)


def _priced(
    product: dict[str, str], usage: str, status: str, codes: tuple[str, str, str], unit: str, price: float, said: str
) -> dict[str, str]:
    term, rate, kind = codes
    # One SKU a product: the type's number and what tells its products apart, in sixteen characters and a bit.
    told = f"{product['operation'][12:]}{product['Tenancy'][:1]}{status[:1]}{product['MarketOption'][:1]}{product['Region Code'][-1]}"
    return product | {
        "SKU": f"{SKU}{told}",
        "OfferTermCode": term,
        "RateCode": f"{SKU}{told}.{term}.{rate}",
        "TermType": kind,
        "PriceDescription": said,
        "Unit": unit,
        "PricePerUnit": f"{price:.10f}" if unit == "Hrs" else f"{price:.0f}",
        "StartingRange": "0" if unit == "Hrs" else "",
        "EndingRange": "Inf" if unit == "Hrs" else "",
        "CapacityStatus": status,
        "usageType": f"{usage}:{TYPE}",
    }


def _product(vcpus: int, region: str) -> dict[str, str]:
    return dict.fromkeys(HEADER, "") | {
        "EffectiveDate": "2026-11-01",
        "Currency": "USD",
        "Product Family": "Compute Instance",
        "serviceCode": "AmazonEC2",
        "Location": "Somewhere (Invented)",
        "Location Type": "AWS Region",
        "Instance Type": TYPE,
        "Current Generation": "Yes",
        "Instance Family": "General purpose",
        "vCPU": str(vcpus),
        "Physical Processor": "Invented Processor 9999",
        "Clock Speed": "3.5 GHz",
        "Memory": f"{vcpus * GIB_PER_VCPU} GiB",
        "Storage": "EBS only",
        "Network Performance": "Up to 12500 Megabit",
        "Processor Architecture": "64-bit",
        "License Model": "No License required",
        "AvailabilityZone": "NA",
        "ClassicNetworkingSupport": "false",
        "Dedicated EBS Throughput": "Up to 10000 Mbps",
        "ECU": "NA",
        "Enhanced Networking Supported": "Yes",
        "GPU Memory": "NA",
        "Intel AVX2 Available": "Yes",
        "Intel AVX Available": "Yes",
        "Intel Turbo Available": "Yes",
        "MarketOption": "OnDemand",
        "Normalization Size Factor": str(vcpus * 2),
        "Processor Features": "Intel AVX; Intel AVX2; Intel AVX512; Intel Turbo",
        "Region Code": region,
        "serviceName": "Amazon Elastic Compute Cloud",
        "VPCNetworkingSupport": "true",
    }


def disk(region: str) -> str:
    """A row that is no server."""
    row = dict.fromkeys(HEADER, "") | {
        "SKU": "DISK000000000001",
        "TermType": "OnDemand",
        "Unit": "GB-Mo",
        "PricePerUnit": "0.0700000000",
        "Currency": "USD",
        "Product Family": "Storage",
        "Location Type": "AWS Region",
        "Region Code": region,
    }
    return line(row.items())


def line(cells: Iterable[tuple[str, str]]) -> str:
    """One line of the file: all cells quoted, empty ones bare."""
    return ",".join(f'"{cell}"' if cell else "" for _, cell in cells) + "\n"
