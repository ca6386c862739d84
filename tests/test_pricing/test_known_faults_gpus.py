"""Faults seen in public price trackers of GPU clouds and marketplaces, and of the names of cards."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from pricing import quality
from pricing.answers import Answer, Answers
from pricing.identity import find_gpu
from pricing.money import Rates
from pricing.provider import About, provider
from pricing.providers import vast

if TYPE_CHECKING:
    from collections.abc import Callable

    from pricing.offer import Offer
    from pricing.provider import Fetched

    Card = tuple[str | None, float | None, float | None]

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def fetched(name: str, **parts: Any) -> Fetched:
    return provider(name).parse(Answers.of(name, **parts), NOW)


def offers(name: str, **parts: Any) -> list[Offer]:
    return list(fetched(name, **parts).offers)


def card(offer: Offer) -> Card:
    return offer.gpu_model, offer.gpu_count, offer.vram_gib_per_gpu


# Names


@pytest.mark.parametrize(
    ("spelling", "gib", "chip"),
    [
        ("NVIDIA RTX A4000", 16, "RTX-A4000"),  # was: A40
        ("A40", 48, "A40"),
        ("NVIDIA A100-SXM4-80GB", None, "A100-80GB-SXM4"),  # was: A100 with 40 GB
        ("NVIDIA RTX A1000", 8, None),  # was: A100
        ("A1000", None, None),
        ("GB200", None, "GB200"),  # was: B200
        ("GB300", None, "GB300"),  # was: B300
        ("NVIDIA B300 SXM6 AC MIG 1g.34gb", 34, None),  # was: B300
        ("H100 SXM", 80, "H100-80GB-SXM5"),
        ("H100 PCIE", 80, "H100-80GB-PCIe"),
        ("H100 NVL", 94, "H100-94GB-NVL"),
        ("H100 SXM", 40, None),  # no such card
        ("A card from 2031", 512, None),
    ],
)
def test_cards_are_known_by_their_whole_name(spelling: str, gib: float | None, chip: str | None) -> None:
    """A name within a name is another card, and an unknown card is unknown."""
    found = find_gpu(spelling, gib)
    assert (found.name if found else None) == chip


# RunPod


def runpod(**facts: Any) -> dict[str, Any]:
    return {
        "id": "NVIDIA H100 80GB HBM3", "displayName": "H100 SXM", "memoryInGb": 80, "secureCloud": True,
        "communityCloud": True, "securePrice": 3.2, "communityPrice": 2.7, "maxGpuCount": 1, **facts,
    }  # fmt: skip


def runpod_offers(*types: dict[str, Any]) -> dict[tuple[str | None, str], Offer]:
    return {(o.tier, o.term): o for o in offers("runpod", gpus={"data": {"gpuTypes": list(types)}})}


@pytest.mark.parametrize(
    ("name", "display", "gib", "chip"),
    [
        ("NVIDIA H100 80GB HBM3", "H100 SXM", 80, "H100-80GB-SXM5"),
        ("NVIDIA H100 PCIe", "H100 PCIe", 80, "H100-80GB-PCIe"),
        ("NVIDIA H100 NVL", "H100 NVL", 94, "H100-94GB-NVL"),
    ],
)
def test_h100_is_three_cards(name: str, display: str, gib: int, chip: str) -> None:
    """A wish for "H100" with 80 GB found no offer, since its names say SXM, PCIe or NVL; memory is in GB, never 80 MiB."""
    offer = runpod_offers(runpod(id=name, displayName=display, memoryInGb=gib))["secure", "on_demand"]
    assert card(offer) == (chip, 1.0, float(gib))


def test_a_tier_s_price_is_that_tier_s() -> None:
    """The community price (0.98) was shown and secure (1.52) was billed: two offers that say which they are."""
    found = runpod_offers(runpod(securePrice=1.52, communityPrice=0.98))
    assert {key: o.price_per_hour for key, o in found.items()} == {
        ("secure", "on_demand"): 1.52,
        ("community", "on_demand"): 0.98,
    }


def test_spot_equal_to_on_demand_is_no_spot() -> None:
    """A100's spot price repeated the on-demand one."""
    found = runpod_offers(runpod(secureSpotPrice=3.2, communitySpotPrice=1.4))
    assert [key for key in found if key[1] == "spot"] == [("community", "spot")]


# Vast.ai


def machine(**facts: Any) -> dict[str, Any]:
    return {
        "id": 42, "gpu_name": "RTX 4090", "num_gpus": 2, "gpu_ram": 24564, "cpu_cores": 64, "cpu_cores_effective": 16.0,
        "cpu_ram": 262144, "disk_space": 50.0, "storage_cost": 0.2, "dph_base": 0.7, "dph_total": 0.83, "min_bid": 0.3,
        "rentable": True, "rented": False, **facts,
    }  # fmt: skip


@pytest.mark.parametrize("mib", [24564, 24217, 24576, 25282])
def test_a_card_has_its_own_memory_whatever_its_host_says(mib: int) -> None:
    """The same card reported another memory on every host."""
    offer = offers("vast", offers={"offers": [machine(gpu_ram=mib)]})[0]
    assert card(offer) == ("RTX-4090", 2.0, 24.0)


def test_the_disk_is_the_renters_choice_and_priced_apart() -> None:
    """A wish for 100 GB found no host, and the price held a default disk: 0.70 without it, and what a GB costs."""
    offer = offers("vast", offers={"offers": [machine()]})[0]
    assert (offer.price_per_hour, offer.storage) == (0.7, None)
    assert "disk 0.2 USD per GB-month" in (offer.note or "")


def test_a_shortened_list_is_made_up_for_and_told() -> None:
    """Far fewer offers than the console: 64 at most without a key, so every group of cards is asked for by itself."""
    many = {"offers": [machine(id=number) for number in range(64)]}
    assert fetched("vast", offers=many).skipped["list cut at 64 by the feed"] == 1
    assert len(vast.BUSY) * 3 + len(vast.OTHERS) > 30


# Cudo


def test_no_type_is_lost_to_its_smallest_sizes() -> None:
    """One A5000 offer at 0.5652 was shown where the console had H100, A100 and A40: each type is offered in several sizes."""
    rows = [
        {
            "dataCenterId": "no-1", "machineType": f"type-{model}", "gpuModel": model, "minVcpuPerGpu": least,
            "maxVcpuPerGpu": 24, "minVcpuPerMemoryGib": 0.1, "maxVcpuPerMemoryGib": 1, "maxGpuFree": 2,
            "vcpuPriceHr": {"value": "0.002"}, "memoryGibPriceHr": {"value": "0.003"}, "gpuPriceHr": {"value": price},
        }
        for model, least, price in (("RTX A5000", 1, "0.35"), ("A40", 4, "0.45"), ("H100 SXM (80GB)", 12, "2.5"))
    ]  # fmt: skip
    found = offers("cudo", types={"machineTypes": rows})
    assert {o.gpu_model for o in found} == {"RTX-A5000", "A40", "H100-80GB-SXM5"}
    assert {(o.gpu_model, o.gpu_count) for o in found} >= {("A40", 1.0), ("A40", 2.0)}
    assert min(o.vcpus or 0 for o in found if o.gpu_model == "H100-80GB-SXM5") == 12


# Totals and shares


def do_size(count: int, total: int, model: str) -> dict[str, Any]:
    gpus = {"count": count, "model": model, "vram": {"amount": total, "unit": "gib"}}
    return {"slug": f"gpu-x{count}", "memory": 245760, "vcpus": 20 * count, "price_hourly": 3.0 * count,
            "price_monthly": 2016.0 * count, "regions": ["nyc2"], "gpu_info": gpus}  # fmt: skip


def lambda_type(name: str, description: str, gpus: int, cents: int) -> dict[str, Any]:
    specs = {"vcpus": 92, "memory_gib": 448, "storage_gib": 100, "gpus": gpus}
    kind = {"name": name, "description": description, "price_cents_per_hour": cents, "specs": specs}
    return {"data": {name: {"instance_type": kind, "regions_with_capacity_available": []}}}


def vultr_plan(**facts: Any) -> dict[str, Any]:
    return {"id": "vcg-x", "vcpu_count": 4, "ram": 32768, "disk": 100, "monthly_cost": 90, "hourly_cost": 0.123,
            "type": "vcg", "locations": ["ewr"], "gpu_type": "NVIDIA_A40", "gpu_vram_gb": 48, **facts}  # fmt: skip


def verda_type(total_gb: int, count: int) -> dict[str, Any]:
    return {"instance_type": f"{count}H100.80S", "price_per_hour": "3.95", "gpu": {"number_of_gpus": count},
            "gpu_memory": {"size_in_gigabytes": total_gb}, "cpu": {"number_of_cores": 30}, "currency": "usd",
            "memory": {"size_in_gigabytes": 120}, "name": "H100 SXM5 80GB"}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "parts", "right"),
    [
        ("digitalocean", {"sizes": {"sizes": [do_size(8, 640, "nvidia_h100")]}}, ("H100-80GB-SXM5", 8.0, 80.0)),
        ("verda", {"types": [verda_type(640, 8)]}, ("H100-80GB-SXM5", 8.0, 80.0)),
        (
            "lambda",
            {"types": lambda_type("gpu_8x_v100", "8x Tesla V100 (16 GB)", 8, 632)},
            ("V100-16GB-SXM2", 8.0, 16.0),
        ),
        ("vultr", {"plans": {"plans": [vultr_plan(gpu_vram_gb=192)]}}, ("A40", 4.0, 48.0)),
        ("vultr", {"plans": {"plans": [vultr_plan(gpu_vram_gb=24)]}}, ("A40", 0.5, 24.0)),
        ("vultr", {"plans": {"plans": [vultr_plan(gpu_vram_gb=6, gpu_count="1/8")]}}, ("A40", 0.125, 6.0)),
    ],
    ids=["DigitalOcean 640", "Verda 640", "Lambda 16", "Vultr 192", "Vultr half", "Vultr 1/8"],
)
def test_memory_of_one_card_is_not_that_of_all(name: str, parts: dict[str, Any], right: Card) -> None:
    """Totals were stored as one card's (640 GB) or one card's as the total (16 GB for eight); a slice is a fraction."""
    (offer,) = offers(name, **parts)
    assert card(offer) == right


def test_gibibytes_are_not_multiplied() -> None:
    """The gpuhunt catalogue lists Lambda's GiB times 1.074 (1800 GiB as 1933.2), all others' as they are."""
    out = io.BytesIO()
    header = "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,gpu_vendor,flags"
    row = "gpu_8x_h100_sxm5,us-east-1,31.92,208,1933.2,8,H100,85.92,False,nvidia,"
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("list.csv", f"{header}\n{row}\n")
    found = Answers(
        [
            Answer("gpuhunt", "version lambdalabs", b"20261128-1"),
            Answer("gpuhunt", "catalog lambdalabs", out.getvalue()),
        ]
    )
    (offer,) = provider("gpuhunt").parse(found, NOW).offers
    assert (offer.provider, offer.ram_gib) == ("lambda", 1800.0)
    assert card(offer) == ("H100-80GB-SXM5", 8.0, 80.0)


def test_a_gpu_at_price_0_has_no_price_but_its_regions_may_have() -> None:
    """Linode's GPU types were listed at 0; plans did not tell how many GPUs they have."""
    plan = {
        "id": "g2-gpu-rtx4000a2-s", "class": "gpu", "vcpus": 8, "memory": 32768, "disk": 1048576, "gpus": 2,
        "price": {"hourly": 0, "monthly": 0}, "region_prices": [{"id": "id-cgk", "hourly": 1.3, "monthly": 900.0}],
    }  # fmt: skip
    (offer,) = offers("linode", types={"data": [plan], "page": 1, "pages": 1})
    assert (offer.region, offer.price_per_hour) == ("id-cgk", 1.3)
    assert card(offer) == ("RTX-4000-Ada", 2.0, 20.0)


def test_plans_of_two_lists_do_not_overwrite_each_other() -> None:
    """Ids of bare metal and of virtual machines clashed: the first stays, and what is left out is counted."""
    plan = vultr_plan(id="vc2-1c-1gb", type="vc2", gpu_type=None, gpu_vram_gb=None)
    metal = {"id": "vc2-1c-1gb", "cpu_count": 24, "cpu_threads": 48, "ram": 262144, "hourly_cost": 1.1,
             "monthly_cost": 725.5, "locations": ["ewr"], "cpu_model": "EPYC 7443P"}  # fmt: skip
    found = fetched("vultr", plans={"plans": [plan]}, metal={"plans_metal": [metal]})
    assert [o.price_per_hour for o in found.offers] == [0.123]
    assert found.skipped == {"listed twice": 1}
    (other,) = offers("vultr", plans={"plans": []}, metal={"plans_metal": [metal | {"id": "vbm-24c"}]})
    assert (other.vcpus, other.cores, other.price_per_month) == (48.0, 24.0, 725.5)


@pytest.mark.parametrize("price", [0.01, 700.0])
def test_a_price_that_no_gpu_is_sold_at_does_not_pass(make_offer: Callable[..., Offer], price: float) -> None:
    """B200 at 0.01 (a bid floor) and anything at 700 (a sentinel) are refused, wherever they come from."""
    offer = make_offer(gpu_model="B200-180GB-SXM", vram_gib_per_gpu=180.0, price_per_hour=price, vcpus=28.0)
    assert quality.check((offer,), About("acme", "Acme", "prices"), Rates.bundled())[1] == {"GPU price band": 1}
