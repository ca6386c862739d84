"""Marketplaces and smaller clouds, invented: each in the shape of its API, at prices of our own."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

from feeds.asked import NOT_FOUND, USD_PER_VCPU_HOUR, Reply, as_json, card_gib, card_usd, cut, gpu_types

if TYPE_CHECKING:
    from feeds.asked import Ask

GIB = 1024**3
RUNPOD_CARDS = (
    ("NVIDIA H100 80GB HBM3", "H100 SXM", 80), ("NVIDIA L40S", "L40S", 48), ("NVIDIA GeForce RTX 4090", "RTX 4090", 24),
    ("NVIDIA B200", "B200", 180), ("NVIDIA RTX A6000", "RTX A6000", 48), ("NVIDIA L4", "L4", 24),
    ("NVIDIA A100-SXM4-80GB", "A100 SXM", 80), ("NVIDIA H200", "H200 SXM", 141), ("NVIDIA A40", "A40", 48),
    ("NVIDIA GeForce RTX 3090", "RTX 3090", 24),
)  # fmt: skip
PLANS = 200
VAST_OFFERS = 64


def runpod(ask: Ask) -> Reply:
    """GPU types, or CPU pods of the data centres that the query names."""
    query = ask.json()["query"]
    if "gpuTypes" not in query:
        groups = [part.split()[-1] for part in query.split(": cpuFlavors")[:-1]]
        flavors = [
            {
                "id": name,
                "minVcpu": 2,
                "maxVcpu": 32,
                "ramMultiplier": ram,
                "specifics": {"stockStatus": "High", "securePrice": price},
            }
            for name, ram, price in (("cpu3c", 2, 0.06), ("cpu3g", 4, 0.08), ("cpu5c", 2, 0.07), ("cpu5m", 8, 0.14))
        ]
        return as_json({"data": dict.fromkeys(groups, flavors)})
    types = []
    for number in range(40 if ask.big else 6):
        name, display, gib = RUNPOD_CARDS[number % len(RUNPOD_CARDS)]
        usd = card_usd(name, gib)
        if number >= len(RUNPOD_CARDS):
            name, display = f"Invented Card {number}", f"Card {number}"
        stock = {"minimumBidPrice": usd * 0.5, "uninterruptablePrice": usd, "stockStatus": "High"}
        types.append(
            {
                "id": name,
                "displayName": display,
                "memoryInGb": gib,
                "secureCloud": True,
                "communityCloud": number % 2 == 0,
                "securePrice": usd,
                "communityPrice": round(usd * 0.9, 3),
                "secureSpotPrice": round(usd * 0.5, 3),
                "communitySpotPrice": round(usd * 0.45, 3),
                "oneMonthPrice": round(usd * 0.95, 3),
                "threeMonthPrice": round(usd * 0.9, 3),
                "sixMonthPrice": None,
                "maxGpuCount": 8,
                "maxGpuCountSecureCloud": 8,
                "maxGpuCountCommunityCloud": 4,
                "secureStock": stock,
                "communityStock": stock,
            }
        )
    places = [{"id": "US-TX-3", "listed": True}, {"id": "EU-RO-1", "listed": True}, {"id": "XX-OLD", "listed": False}]
    return as_json({"data": {"gpuTypes": types, "dataCenters": places}})


def vast(ask: Ask) -> Reply:
    """The cheapest offers of a group of cards."""
    body = ask.json()
    cards, wanted = body["gpu_name"]["in"], body["num_gpus"]
    counts = (1,) if wanted.get("eq") == 1 else ((2, 4) if "lt" in wanted else ((8,) if wanted["gte"] == 8 else (1, 2)))
    first = zlib.crc32(f"{cards} {wanted}".encode()) % 1_000_000 * 100
    offers = []
    for number in range(min(VAST_OFFERS, body["limit"]) if ask.big else 1):
        card, count = cards[number % len(cards)], counts[number % len(counts)]
        usd = round(card_usd(card) * 0.5 * count * (1 + number / 100), 4)
        offers.append(
            {
                "id": first + number,
                "machine_id": 1000 + number,
                "host_id": 50 + number,
                "gpu_name": card,
                "num_gpus": count,
                "gpu_ram": round(card_gib(card) * 1024 * 0.995),
                "gpu_frac": 0.5,
                "pcie_bw": 24.1,
                "cpu_name": "AMD EPYC 7402 24-Core Processor",
                "cpu_cores": 48,
                "cpu_cores_effective": 24.0,
                "cpu_ram": 257_000,
                "disk_space": 800.5,
                "storage_cost": 0.15,
                "dph_base": usd,
                "dph_total": usd + 0.01,
                "min_bid": round(usd * 0.6, 4),
                "geolocation": "Bulgaria, BG" if number % 2 else ", US",
                "reliability2": 0.991,
                "verification": "verified",
                "hosting_type": number % 2,
                "rentable": True,
                "rented": False,
                **({f"measured_{field}": round(field * 1.01, 3) for field in range(60)} if ask.big else {}),
            }
        )
    return as_json({"offers": offers})


def lium(ask: Ask) -> Reply:
    """The public list of nodes."""
    if not ask.path.endswith("/nodes"):
        return NOT_FOUND
    cards = (("H100 80GB HBM3", 80), ("RTX 4090", 24), ("L40S", 48), ("H200", 141))
    nodes = []
    for number in range(120 if ask.big else 8):
        card, gb = cards[number % len(cards)]
        nodes.append(
            {
                "id": f"{number:08x}-0000-4000-8000-000000000000",
                "gpu_model": card,
                "gpu_count": 8,
                "available_gpu_count": 8 - number % 3,
                "min_rentable_gpu_count": 1,
                "price_per_gpu_hour": card_usd(card, gb),
                "price_per_node_hour": 8 * card_usd(card, gb),
                "gpu_memory_gb": gb,
                "cpu_count": 192,
                "ram_gb": 2000,
                "disk_gb": 8000,
                "tier": "secure" if number % 4 else "spot",
                "country_code": "FR",
                "region": "IDF",
                "city": "Paris",
                "rent_url": f"https://lium.io/browse-pods/{number:08x}",
            }
        )
    return as_json({"nodes": nodes})


def akash(ask: Ask) -> Reply:
    """Average prices of cards."""
    cards = (("h100", "80Gi", "SXM5"), ("a100", "80Gi", "SXM4"), ("rtx4090", "24Gi", "PCIe"), ("l4", "24Gi", "PCIe"),
             ("rtx3090", "24Gi", "PCIe"), ("h200", "141Gi", "SXM5"), ("a6000", "48Gi", "PCIe"))  # fmt: skip
    models = []
    for model, ram, link in cards:
        usd = card_usd(f"{model} {link}", float(ram.removesuffix("Gi")))
        price = {"currency": "USD", "min": usd * 0.7, "max": usd * 1.5, "avg": usd, "weightedAverage": usd, "med": usd}
        here = {"total": 40, "available": 12}
        row = {"vendor": "nvidia", "model": model, "ram": ram, "interface": link, "availability": here, "price": price}
        models.append(row)
    return as_json({"availability": {"total": 500, "available": 100}, "models": models})


def cudo(ask: Ask) -> Reply:
    """Machine types of data centres."""
    cards = (("epyc-milan-rtx-a6000", "RTX A6000"), ("epyc-genoa-h100", "H100 80GB"), ("epyc-rome-cpu", None))
    types = []
    for number in range(60 if ask.big else 6):
        name, card = cards[number % len(cards)]
        row: dict[str, Any] = {
            "dataCenterId": f"se-smedjebacken-{number // len(cards) + 1}",
            "machineType": name,
            "cpuModel": "EPYC 7313",
            "gpuModel": card or "",
            "minVcpuPerMemoryGib": 0.25,
            "maxVcpuPerMemoryGib": 2,
            "minVcpuPerGpu": 1,
            "maxVcpuPerGpu": 16,
            "vcpuPriceHr": {"value": "0.008"},
            "memoryGibPriceHr": {"value": "0.003"},
            "gpuPriceHr": {"value": f"{card_usd(card):.4f}" if card else "0"},
            "maxGpuFree": 8,
            "totalGpuFree": 19,
            "maxVcpuFree": 128,
            "maxMemoryGibFree": 512,
        }
        types.append(row)
    return as_json({"machineTypes": types})


def cloudrift(ask: Ask) -> Reply:
    """Types with variants by the number of GPUs."""
    cards = (("rtx59", "RTX 5090", 32), ("rtx49", "RTX 4090", 24), ("pro6000", "RTX PRO 6000", 96))
    types = []
    for brand, card, gib in cards:
        variants = [
            {
                "name": f"{brand}-16c-nr.{count}",
                "cost_per_hour": round(100 * card_usd(card, gib) * count, 2),
                "cpu_count": 16 * count,
                "dram": 64 * GIB * count,
                "disk": 500 * GIB,
                "gpu_count": count,
                "vram": gib * GIB,
                "nodes_per_dc": {"us-east-nc-nr-1": 3, "ap-east-tw-kn-2": 0},
            }
            for count in (1, 2, 4)
        ]
        types.append({"name": brand, "brand": f"NVIDIA {card}", "brand_short": card, "variants": variants})
    return as_json({"version": "2025-03-21", "data": {"instance_types": types}})


def verda(ask: Ask) -> Reply:
    """Types, where they are to be had, and locations."""
    machines = (("1H100.80S.30V", "H100 SXM5 80GB", 1, 80), ("8H100.80S.176V", "H100 SXM5 80GB", 8, 640),
                ("1L40S.20V", "L40S 48GB", 1, 48), ("4L40S.80V", "L40S 48GB", 4, 192), ("CPU.16V.64G", "AMD EPYC", 0, 0),
                ("CPU.64V.256G", "AMD EPYC", 0, 0))  # fmt: skip
    if ask.path.endswith("/locations"):
        return as_json([{"code": "FIN-01", "name": "Finland 1", "country_code": "FI"}])
    if ask.path.endswith("/instance-availability"):
        return as_json([{"location_code": "FIN-01", "availabilities": [name for name, *_ in machines]}])
    types = []
    for name, card, count, gb in machines:
        vcpus = int(name.split(".")[1][:-1]) if name.startswith("CPU") else int(name.split(".")[-1][:-1])
        usd = card_usd(card, gb / count) * count if count else vcpus * USD_PER_VCPU_HOUR
        types.append(
            {
                "id": f"c01dd00d-0000-480b-ae4e-{zlib.crc32(name.encode()):012x}",
                "instance_type": name,
                "name": card,
                "model": card.split()[0],
                "display_name": None,
                "currency": "usd",
                "cpu": {"description": f"{vcpus} CPU", "number_of_cores": vcpus},
                "gpu": {"description": "", "number_of_gpus": count},
                "gpu_memory": {"description": "", "size_in_gigabytes": gb},
                "memory": {"description": "", "size_in_gigabytes": vcpus * 4},
                "storage": {"description": "dynamic"},
                "price_per_hour": f"{usd:.4f}",
                "spot_price": f"{usd * 0.4:.4f}",
            }
        )
    return as_json(types)


def vultr(ask: Ask) -> Reply:
    """Pages of plans and of bare metal plans."""
    metal = ask.path.endswith("/plans-metal")
    gpus = [one for one in gpu_types("vultr") if one[0].startswith("vbm") == metal]
    rows: list[dict[str, Any]] = []
    for number in range(((PLANS if not metal else 30) if ask.big else 8) - min(len(gpus), 4)):
        vcpus = 2 ** (number % 6) * (8 if metal else 1)
        rows.append(_vultr_plan(f"vc2-{vcpus}c-{number}gb", vcpus, vcpus * USD_PER_VCPU_HOUR / 2, metal))
    rows += [_vultr_plan(name, 32, usd, metal) for name, _, usd in gpus[:4]]
    start, size = int(ask.query.get("cursor") or 0), int(ask.query.get("per_page", "100"))
    page, more = cut(rows, start, size if ask.big else 5)
    links = {"next": str(start + len(page)) if more else "", "prev": ""}
    return as_json({"plans_metal" if metal else "plans": page, "meta": {"total": len(rows), "links": links}})


def _vultr_plan(name: str, vcpus: int, usd: float, metal: bool) -> dict[str, Any]:
    plan: dict[str, Any] = {
        "id": name if not metal or name.startswith("vbm") else name.replace("vc2", "vbm"),
        "ram": vcpus * 4096,
        "disk": 100,
        "disk_count": 2,
        "bandwidth": 1024,
        "monthly_cost": round(usd * 672, 2),
        "hourly_cost": round(usd, 4),
        "hourly_cost_preemptible": round(usd * 0.6, 4),
        "monthly_cost_preemptible": round(usd * 0.6 * 672, 2),
        "locations": ["ewr", "fra", "nrt"],
    }
    if metal:
        cpu = {"cpu_model": "EPYC 9534", "physical_cpus": 1, "cpu_cores": vcpus // 2, "cpu_threads": vcpus}
        return plan | cpu | {"type": "NVMe"}
    return plan | {"vcpu_count": vcpus, "type": "vcg" if name.startswith("vcg") else "vc2"}


def linode(ask: Ask) -> Reply:
    """Pages of types."""
    rows = []
    for number in range(75 if ask.big else 12):
        vcpus = 2 ** (number % 6)
        usd = round(vcpus * USD_PER_VCPU_HOUR / 2 * (1 + number / 500), 4)
        places = [{"id": "id-cgk", "hourly": round(usd * 1.2, 4), "monthly": round(usd * 800, 2)}]
        rows.append(
            {
                "id": f"g{6 + number // 6}-standard-{vcpus}",
                "label": f"Linode {vcpus * 4}GB",
                "price": {"hourly": usd, "monthly": round(usd * 667, 2)},
                "region_prices": places,
                "addons": {"backups": {"price": {"hourly": 0.003, "monthly": 2.0}, "region_prices": places}},
                "memory": vcpus * 4096,
                "disk": 81_920,
                "transfer": 4000,
                "vcpus": vcpus,
                "gpus": 0,
                "network_out": 4000,
                "class": "standard",
                "successor": None,
            }
        )
    number, size = int(ask.query.get("page", "1")), int(ask.query.get("page_size", "100")) if ask.big else 8
    page, _ = cut(rows, (number - 1) * size, size)
    return as_json({"data": page, "page": number, "pages": -(-len(rows) // size), "results": len(rows)})


def lambda_(ask: Ask) -> Reply:
    """Instance types with the regions that have room."""
    cards = (("gpu_1x_a100_sxm4", "A100 (40 GB SXM4)", 1), ("gpu_8x_h100_sxm5", "H100 (80 GB SXM5)", 8),
             ("gpu_1x_gh200", "GH200 (96 GB)", 1), ("gpu_1x_a10", "A10 (24 GB PCIe)", 1),
             ("gpu_8x_b200_sxm6", "B200 (180 GB SXM6)", 8), ("cpu_4x_general", "4x CPU", 0))  # fmt: skip
    data = {}
    for name, said, count in cards:
        usd = card_usd(said.split(" (")[0]) * count if count else 0.2
        data[name] = {
            "instance_type": {
                "name": name,
                "description": f"{count}x {said}" if count else said,
                "gpu_description": said if count else "N/A",
                "price_cents_per_hour": round(usd * 100),
                "specs": {"vcpus": 30 if count else 4, "memory_gib": 220, "storage_gib": 512, "gpus": count},
            },
            "regions_with_capacity_available": [{"name": "us-east-1", "description": "Virginia"}] if count else [],
        }
    return as_json({"data": data})


def digitalocean(ask: Ask) -> Reply:
    """Pages of sizes."""
    rows: list[dict[str, Any]] = []
    for number in range(120 if ask.big else 8):
        vcpus = 2 ** (number % 6)
        usd = round(vcpus * USD_PER_VCPU_HOUR / 2, 5)
        rows.append(
            {
                "slug": f"s-{vcpus}vcpu-{number}",
                "memory": vcpus * 2048,
                "vcpus": vcpus,
                "disk": 25 * vcpus,
                "transfer": 4.0,
                "price_monthly": round(usd * 672, 2),
                "price_hourly": usd,
                "regions": ["ams3", "fra1", "nyc1"],
                "available": True,
                "description": "Basic",
                "networking_throughput": 2000,
            }
        )
    usd = card_usd("H100", 80) * 8
    card = {"count": 8, "model": "nvidia_h100", "vram": {"amount": 640, "unit": "gib"}}
    rows.append(rows[0] | {"slug": "gpu-h100x8-640gb", "vcpus": 160, "memory": 1_966_080, "gpu_info": card})
    rows[-1] |= {"price_hourly": usd, "price_monthly": round(usd * 744, 2), "description": "H100 GPU"}
    number, size = int(ask.query.get("page", "1")), int(ask.query.get("per_page", "20")) if ask.big else 5
    page, more = cut(rows, (number - 1) * size, size)
    link = f"https://api.digitalocean.com/v2/sizes?page={number + 1}&per_page={size}"
    return as_json({"sizes": page, "links": {"pages": {"next": link} if more else {}}, "meta": {"total": len(rows)}})


def latitude(ask: Ask) -> Reply:
    """Pages of plans."""
    rows = []
    for number in range(130 if ask.big else 6):
        usd = 0.4 + number / 50
        regions = [
            {
                "name": country,
                "deploys_instantly": [],
                "locations": {"available": ["FRA"], "in_stock": ["FRA"] if number % 2 else []},
                "pricing": {
                    "USD": {"hour": usd, "month": round(usd * 690, 1), "year": round(usd * 6100, 1)},
                    "BRL": {"hour": usd * 5, "month": round(usd * 3450, 1), "year": round(usd * 30_500, 1)},
                },
            }
            for country in ("Germany", "United States", "Japan")
        ]
        specs = {
            "cpu": {"type": "EPYC 7402", "clock": 2.8, "cores": 24, "count": 1},
            "memory": {"total": 256},
            "drives": [{"count": 2, "size": "960 GB", "type": "NVME"}],
            "nics": [{"count": 2, "type": "10 Gbps"}],
            "gpu": {},
        }
        slug = f"c3-large-{number}-x86"
        attributes = {"slug": slug, "name": slug, "features": ["ssh"], "specs": specs, "regions": regions}
        rows.append({"id": f"plan_{number:013d}", "type": "plans", "attributes": attributes})
    number, size = int(ask.query.get("page[number]", "1")), int(ask.query.get("page[size]", "20"))
    page, _ = cut(rows, (number - 1) * size, size)
    return as_json({"data": page, "meta": {}})


FEEDS = {
    "runpod": runpod, "vast": vast, "lium": lium, "akash": akash, "cudo": cudo, "cloudrift": cloudrift, "verda": verda,
    "vultr": vultr, "linode": linode, "lambda": lambda_, "digitalocean": digitalocean, "latitude": latitude,
}  # fmt: skip
