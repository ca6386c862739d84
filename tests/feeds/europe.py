"""Scaleway, OVHcloud and Hetzner, invented: lists of instances and of whole machines in euros."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from feeds.asked import NOT_FOUND, USD_PER_VCPU_HOUR, Reply, as_json, card_usd, cut

if TYPE_CHECKING:
    from feeds.asked import Ask

GIB = 1024**3
UNIT = 100_000_000
OVH_DEFAULTS = (("memory", "ram-64g-x"), ("storage", "softraid-2x960nvme-x"), ("bandwidth", "bandwidth-1000-x"))
PLACES = ("gra", "sbg", "rbx", "lon", "bhs")


# Scaleway


def scaleway(ask: Ask) -> Reply:
    """Pages of a zone's servers, or of the catalog's products."""
    page = int(ask.query.get("page", "1"))
    if ask.path.endswith("/products/servers"):
        rows: list[Any] = list(_scaleway_servers(ask.big).items())
        size = int(ask.query.get("per_page", "50")) if ask.big else 5
        found, more = cut(rows, (page - 1) * size, size)
        answer = as_json({"servers": dict(found)}, X_Total_Count=str(len(rows)))
        link = {"Link": f'<{ask.path}?page={page + 1}>; rel="next"'} if more else {}
        return Reply(answer.body, 200, {**answer.headers, **link})
    if not ask.path.endswith("/public-catalog/products"):
        return NOT_FOUND
    products = _scaleway_products(ask.big)
    size = int(ask.query.get("page_size", "20"))
    found, _ = cut(products, (page - 1) * size, size)
    return as_json({"products": found, "total_count": len(products)})


def _scaleway_servers(big: bool) -> dict[str, Any]:
    found = {}
    for number in range(74 if big else 6):
        vcpus = 2 ** (1 + number % 6)
        price = round(vcpus * USD_PER_VCPU_HOUR / 2, 4)
        name = f"PRO{2 + number // 6}-{vcpus}C-{vcpus * 4}G"
        found[name] = _scaleway_server(vcpus, price, 0, None)
    card = {"gpu_manufacturer": "NVIDIA", "gpu_name": "H100-PCIe", "gpu_memory": 80 * GIB}
    found["H100-1-80G"] = _scaleway_server(24, card_usd("H100 PCIe", 80), 1, card)
    return found


def _scaleway_server(vcpus: int, price: float, gpus: int, card: Any) -> dict[str, Any]:
    return {
        "alt_names": [],
        "arch": "x86_64",
        "ncpus": vcpus,
        "ram": vcpus * 4 * GIB,
        "gpu": gpus,
        "gpu_info": card,
        "mig_profile": None,
        "volumes_constraint": {"min_size": 0, "max_size": 0},
        "per_volume_constraint": {"l_ssd": {"min_size": 0, "max_size": 0}},
        "scratch_storage_max_size": None,
        "monthly_price": round(price * 730, 2),
        "hourly_price": price,
        "capabilities": {"boot_types": ["local", "rescue"], "block_storage": True, "private_network": 8},
        "network": {"ipv6_support": True, "sum_internet_bandwidth": 1_600_000_000, "interfaces": []},
        "block_bandwidth": 671_088_640,
        "end_of_service": False,
    }


def _scaleway_products(big: bool) -> list[dict[str, Any]]:
    rows = []
    for number in range(1400 if big else 6):
        whole, nanos = (0, 90_000_000 + number * 1000) if number % 2 else (80 + number % 50, 500_000_000)
        unit, kind = ("hour", "elastic_metal") if number % 2 else ("month", "dedibox")
        name = f"EM-A{number:03d}X-SSD"
        hardware = {
            "cpu": {
                "type": "AMD Ryzen 7 PRO 3700",
                "threads": 16,
                "shared": False,
                "physical": {"sockets": 1, "cores_per_socket": 8, "frequency": 3600},
            },
            "ram": {"description": "64 GiB", "size": 64 * GIB, "type": "DDR4"},
            "storage": {"description": "2 x 1 TB NVMe", "total": 2_000_000_000_000},
            "network": {"description": "Public: 1 Gb/s", "public_bandwidth": 1_000_000_000},
        }
        rows.append(
            {
                "sku": f"/bare_metal/{name.lower()}/run",
                "service_category": "Bare Metal",
                "product_category": "Elastic Metal",
                "product": name,
                "variant": f"{name} - fr-par-2",
                "description": f"{name} - fr-par-2",
                "locality": {"zone": "fr-par-2"},
                "price": {"retail_price": {"currency_code": "EUR", "units": whole, "nanos": nanos}},
                "properties": {"hardware": hardware, kind: {"range": "A"}},
                "unit_of_measure": {"unit": unit, "size": 1},
                "status": "general_availability",
                "end_of_life_at": None,
                "badges": [],
            }
        )
    return rows


# OVHcloud


def ovh(ask: Ask) -> Reply:
    """Order catalogues of a subsidiary, and stock."""
    where = ask.query.get("ovhSubsidiary", "")
    currency = "USD" if where == "US" else "EUR"
    locale = {"currencyCode": currency, "subsidiary": where, "taxRate": 20}
    if ask.path.endswith("/availabilities"):
        return as_json(_ovh_stock(ask.big))
    if ask.path.endswith("/cloud"):
        return as_json({"catalogId": 1, "locale": locale, "plans": [], "products": [], "addons": _ovh_cloud(ask.big)})
    if not ask.path.endswith(("/eco", "/baremetalServers")):
        return NOT_FOUND
    plans, addons, products = _ovh_metal(ask.path.rsplit("/", 1)[-1], where, ask.big)
    families: list[Any] = []
    parts = {"planFamilies": families, "addons": addons, "plans": plans, "products": products}
    return as_json({"catalogId": 2, "locale": locale, **parts})


def _ovh_pricing(mode: str, capacity: str, price: float, months: int, commitment: int | None) -> dict[str, Any]:
    return {
        "capacities": [capacity],
        "price": round(price * UNIT),
        "mode": mode,
        "description": "rental for 1 month" if months else "rental (only applicable for 1 time)",
        "commitment": commitment or 0,
        "engagementConfiguration": None,
        "interval": months,
        "intervalUnit": "month" if months else "none",
        "mustBeCompleted": False,
        "phase": 1 if months else 0,
        "promotions": [],
        "quantity": {"max": 10, "min": 1},
        "repeat": {"max": None, "min": 1},
        "strategy": "tiered",
        "tax": round(price * UNIT * 0.2),
        "type": "rental",
    }


def _ovh_pricings(price: float) -> list[dict[str, Any]]:
    found = []
    for mode, share, months, commitment in (
        ("default", 1.0, 1, None), ("degressivity12", 0.95, 1, 12), ("degressivity24", 0.9, 1, 24),
        ("upfront12", 0.92, 12, 12), ("upfront24", 0.85, 24, 24),
    ):  # fmt: skip
        fee = price if mode == "default" else 0.0
        found.append(_ovh_pricing(mode, "installation", fee, 0, commitment))
        found.append(_ovh_pricing(mode, "renew", price * share * months, months, commitment))
    return found


def _ovh_addon(code: str, product: str, price: float) -> dict[str, Any]:
    return {
        "planCode": code,
        "product": product,
        "invoiceName": code,
        "addonFamilies": [],
        "blobs": None,
        "configurations": [],
        "consumptionConfiguration": None,
        "family": None,
        "pricingType": "rental",
        "pricings": _ovh_pricings(price),
    }


@cache
def _ovh_metal(catalogue: str, where: str, big: bool) -> tuple[list[Any], list[Any], list[Any]]:
    plans, addons, products = [], [], []
    licences = [f"windows-server-{number}-licence-standard-edition-8-cores" for number in range(60 if big else 1)]
    addons += [_ovh_addon(code, code, 25.0) for code in licences]
    for gib in (32, 64, 128):
        addons.append(_ovh_addon(f"ram-{gib}g-x", f"ram-{gib}g-ecc-3200", 0.0))
        memory = {"memory": {"size": gib, "frequency": 3200, "ramType": "DDR4", "ecc": True}}
        products.append({"name": f"ram-{gib}g-ecc-3200", "description": "", "blobs": {"technical": memory}})
    addons += [
        _ovh_addon("softraid-2x960nvme-x", "softraid-2x960nvme", 0.0),
        _ovh_addon("bandwidth-1000-x", "bandwidth-1000", 0.0),
    ]
    disks = {"storage": {"disks": [{"capacity": 960, "interface": "NVMe", "number": 2, "technology": "SSD"}]}}
    products.append({"name": "softraid-2x960nvme", "description": "", "blobs": {"technical": disks}})
    line = {"bandwidth": {"level": 1000, "limit": 0, "guaranteed": True}}
    products.append({"name": "bandwidth-1000", "description": "", "blobs": {"technical": line}})
    for number in range(220 if big else 5):
        name = f"26{catalogue[:4].lower()}{number:03d}"
        cpu = {"brand": "AMD", "model": "EPYC 7313", "number": 1, "cores": 16, "threads": 32, "frequency": 3.0}
        server = {"cpu": cpu, "range": "scale", "services": {"sla": 99.9}}
        products.append({"name": name, "description": "", "blobs": {"technical": {"server": server}}})
        families = [
            {"name": kind, "addons": [code], "default": code, "exclusive": True, "mandatory": True}
            for kind, code in OVH_DEFAULTS
        ]
        licence = {"name": "distribution-license", "addons": licences, "default": None, "exclusive": False}
        families.append(licence | {"mandatory": False})
        plans.append(
            _ovh_addon(name, name, 90.0 + number % 90)
            | {
                "invoiceName": f"SCALE-{number} | AMD EPYC 7313",
                "addonFamilies": families,
                "blobs": {"commercial": {"range": "scale"}},
                "configurations": [{"name": "dedicated_datacenter", "isMandatory": True, "values": list(PLACES)}],
            }
        )
    return plans, addons, products


def _ovh_cloud(big: bool) -> list[Any]:
    rows = []
    for number in range(1250 if big else 6):
        vcpus = 2 ** (1 + number % 5)
        price = vcpus * USD_PER_VCPU_HOUR / 2
        technical = {
            "bandwidth": {"guaranteed": False, "level": 250, "unlimited": False},
            "cpu": {"cores": vcpus, "frequency": 2, "model": "vCore", "type": "vCore"},
            "memory": {"size": vcpus * 4},
            "name": f"b3-{number}",
            "os": {"family": "linux"},
            "storage": {"disks": [{"capacity": 50, "interface": "NVMe", "number": 1}], "raid": "local"},
            "vrack": {"guaranteed": False, "level": 250, "unlimited": False},
        }
        for suffix, unit, each in (("consumption", "hour", price), ("monthly.postpaid", "month", price * 500)):
            pricing = _ovh_pricing("default", "consumption", each, 1, None) | {"intervalUnit": unit}
            brick = {"brick": "guaranteed-resources", "name": f"b3-{number}", "price": {"interval": "P1M"}}
            rows.append(
                _ovh_addon(f"b3-{number}.{suffix}", "publiccloud-instance", 0.0)
                | {
                    "pricings": [pricing],
                    "blobs": {"commercial": brick, "tags": ["active"], "technical": technical},
                }
            )
    return rows


def _ovh_stock(big: bool) -> list[Any]:
    return [
        {
            "fqn": f"26eco{number:03d}.ram-64g-ecc-3200.softraid-2x960nvme",
            "planCode": f"26eco{number % 220:03d}",
            "server": f"26eco{number % 220:03d}",
            "memory": "ram-64g-ecc-3200",
            "storage": "softraid-2x960nvme",
            "datacenters": [{"availability": "1H-high", "datacenter": place} for place in PLACES],
        }
        for number in range(8973 if big else 5)
    ]


# Hetzner

_HETZNER_CPUS = ("Intel Core i7-6700", "AMD Ryzen 5 3600", "AMD Ryzen 9 5950X", "AMD Ryzen 7 3700X", "AMD EPYC 7502P")


def hetzner(ask: Ask) -> Reply:
    """Auction, dedicated lines, pages of cloud types."""
    if ask.host == "api.hetzner.cloud":
        number, size = int(ask.query.get("page", "1")), int(ask.query.get("per_page", "25")) if ask.big else 5
        page, more = cut(_hetzner_types(), (number - 1) * size, size)
        pagination = {"page": number, "per_page": size, "next_page": number + 1 if more else None}
        return as_json({"server_types": page, "meta": {"pagination": pagination}})
    if ask.path.endswith("live_data_sb.json"):
        rows = [_auction(number) for number in range(1200 if ask.big else 10)]
        return as_json({"server": rows, "filter": {"freetext": ""}, "serverCount": len(rows)})
    if ask.path.endswith("live_data_en_EUR.json"):
        rows = [_dedicated(number) for number in range(95 if ask.big else 6)]
        return as_json({"server": rows, "filter": {}})
    return NOT_FOUND


def _auction(number: int) -> dict[str, Any]:
    cpu, price = _HETZNER_CPUS[number % 5], 30.0 + number % 40
    parts = ["4x RAM 16384 MB DDR4", "2x SSD SATA 480 GB", "NIC 1 Gbit - Intel I219-LM"]
    return {
        "id": 2_500_000 + number,
        "key": 2_500_000 + number,
        "name": "Server Auction",
        "description": [cpu, *parts],
        "information": parts,
        "category": "serverboerse",
        "cat_id": 99921,
        "cpu": cpu,
        "cpu_count": 1,
        "is_highio": False,
        "traffic": "unlimited",
        "bandwidth": 1000,
        "ram": ["4x RAM 16384 MB DDR4"],
        "ram_size": 64,
        "price": price,
        "setup_price": 0,
        "hourly_price": round(price / 624, 4),
        "ip_price": {"Monthly": 1.7, "Hourly": 0.0027, "Amount": 1},
        "hdd_arr": ["480 GB SSD", "480 GB SSD"],
        "hdd_size": 480,
        "hdd_count": 2,
        "serverDiskData": {"nvme": [], "sata": [480, 480], "hdd": [], "general": [480]},
        "is_ecc": False,
        "datacenter": f"FSN1-DC{number % 20}",
        "datacenter_hr": f"FSN1-DC{number % 20}",
        "specials": ["IPv4", "iNIC"],
        "dist": ["Rescue system"],
        "fixed_price": number % 2 == 0,
        "next_reduce": 1000,
        "next_reduce_hr": False,
        "next_reduce_timestamp": 1_796_000_000,
    }


def _dedicated(number: int) -> dict[str, Any]:
    price = 40.0 + number
    return {
        "id": f"{1100 + number}-1313-1313",
        "key": f"{1100 + number}-1313-1313FSN1",
        "name": f"AX{41 + number}-NVMe",
        "description": "Upfront",
        "category": "Upfront",
        "cores": 6,
        "threads": 12,
        "cpu": "AMD Ryzen™ 5 3600",
        "cpu_fullname": "AMD Ryzen™ 5 3600",
        "frequency": 3.6,
        "traffic": "unlimited",
        "bandwith": 1000,
        "ram": 64,
        "ram_hr": "64 GB DDR4 RAM",
        "price": price,
        "hourPrice": round(price / 624, 4),
        "setup_price": 0,
        "hdd_arr": ["512 GB NVMe SSD", "512 GB NVMe SSD"],
        "hdd_size": 1024,
        "hdd_count": 2,
        "datacenter": [{"datacenter": "FSN1", "name": "Falkenstein", "country_shortcode": "de"}],
        "specials": ["IPv4"],
        "configuration_id": f"{1100 + number}-1313-1313",
    }


def _hetzner_types() -> list[dict[str, Any]]:
    rows = []
    for number in range(24):
        vcpus = 2 ** (1 + number % 5)
        hourly = vcpus * USD_PER_VCPU_HOUR / 6
        rows.append(
            {
                "id": number + 1,
                "name": f"cx{number + 22}",
                "description": f"CX{number + 22}",
                "cores": vcpus,
                "memory": vcpus * 2.0,
                "disk": 40,
                "deprecated": False,
                "prices": [
                    {
                        "location": place,
                        "price_hourly": {"net": f"{hourly:.10f}", "gross": f"{hourly * 1.19:.16f}"},
                        "price_monthly": {"net": f"{hourly * 624:.10f}", "gross": f"{hourly * 624 * 1.19:.16f}"},
                        "included_traffic": 21_990_232_555_520,
                    }
                    for place in ("fsn1", "nbg1", "hel1")
                ],
                "storage_type": "local",
                "cpu_type": "shared",
                "architecture": "x86",
                "deprecation": None,
            }
        )
    return rows


FEEDS = {"scaleway": scaleway, "ovh": ovh, "hetzner": hetzner}
