"""Faults seen in public price trackers of clouds that bill by parts (Google, Oracle), and of catalogues made by others."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from pricing.answers import Answer, Answers
from pricing.feed import Harvest
from pricing.provider import provider
from pricing.providers import gpuhunt, skypilot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pricing.offer import Offer

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def parsed(name: str, *answers: tuple[str, Any, str | None]) -> dict[tuple[str, str], Offer]:
    """Offers by server and term of (part, JSON, region)."""
    found = Answers([Answer(name, part, json.dumps(body).encode(), region) for part, body, region in answers])
    return {(offer.server, offer.term): offer for offer in provider(name).parse(found, NOW).offers}


# Google


def sku(description: str, dollars: float, unit: str = "h", region: str = "europe-west4") -> dict[str, Any]:
    whole, rest = divmod(round(dollars * 10**9), 10**9)
    price = {"currencyCode": "USD", "units": str(whole), "nanos": rest}
    expression = {"usageUnit": unit, "tieredRates": [{"startUsageAmount": 0, "unitPrice": price}]}
    return {"description": description, "category": {}, "serviceRegions": [region],
            "pricingInfo": [{"pricingExpression": expression}]}  # fmt: skip


def google(*skus: dict[str, Any]) -> dict[tuple[str, str], float | None]:
    found = parsed("gcp", ("skus", {"skus": list(skus)}, "europe-west4"))
    return {key: offer.price_per_hour for key, offer in found.items()}


A2 = [
    sku("A2 Instance Core running in Netherlands", 0.05),
    sku("A2 Instance Ram running in Netherlands", 0.004, "GiBy.h"),
]
A100 = sku("Nvidia Tesla A100 GPU running in Netherlands", 3.11)


def test_a_host_without_its_gpus_is_not_the_price() -> None:
    """a2-highgpu-1g: 0.94 of the host plus 3.11 of the GPU are 4.05; a2-megagpu-16g holds sixteen of them."""
    prices = google(*A2, A100)
    assert prices["a2-highgpu-1g", "on_demand"] == pytest.approx(4.05)
    assert prices["a2-megagpu-16g", "on_demand"] == pytest.approx(96 * 0.05 + 1360 * 0.004 + 16 * 3.11)


@pytest.mark.parametrize("lost", [0, 1, 2], ids=["cores", "memory", "GPUs"])
def test_a_part_without_a_price_leaves_no_machine(lost: int) -> None:
    """g2-standard and t2a at $0.00 because a part was not found: without all parts there is no price."""
    parts = [*A2, A100]
    assert google(*parts[:lost], *parts[lost + 1 :]) == {}


def test_local_ssd_is_a_part_of_the_price() -> None:
    """a2-ultragpu-8g spot in europe-west4: 15.10 with its 3,000 GiB of local SSD, not 14.8451."""
    spot = [
        sku("Spot Preemptible A2 Instance Core running in Netherlands", 0.01),
        sku("Spot Preemptible A2 Instance Ram running in Netherlands", 0.001, "GiBy.h"),
        sku("Nvidia Tesla A100 80GB GPU attached to Spot Preemptible VMs running in Netherlands", 1.5656375),
    ]
    ssd = sku("SSD backed Local Storage attached to Spot Preemptible VMs in Netherlands", 0.062, "GiBy.mo")
    assert google(*spot) == {}
    assert google(*spot, ssd)["a2-ultragpu-8g", "spot"] == pytest.approx(15.10, abs=0.001)


def test_spot_is_made_of_spot_parts() -> None:
    """V100 spot stood at the on-demand price: one part without a spot price and there is no spot offer."""
    full = [
        sku("N1 Predefined Instance Core running in Netherlands", 0.035),
        sku("N1 Predefined Instance Ram running in Netherlands", 0.005, "GiBy.h"),
        sku("Nvidia Tesla V100 GPU running in Netherlands", 2.55),
    ]
    half = [
        sku("Spot Preemptible N1 Predefined Instance Core running in Netherlands", 0.007),
        sku("Spot Preemptible N1 Predefined Instance Ram running in Netherlands", 0.001, "GiBy.h"),
    ]
    cheap = sku("Nvidia Tesla V100 GPU attached to Spot Preemptible VMs running in Netherlands", 0.7)
    server = "n1-standard-8+v100"
    assert google(*full, *half)[server, "on_demand"] == pytest.approx(8 * 0.035 + 30 * 0.005 + 2.55)
    assert (server, "spot") not in google(*full, *half)
    assert google(*full, *half, cheap)[server, "spot"] == pytest.approx(8 * 0.007 + 30 * 0.001 + 0.7)


def test_whole_dollars_count() -> None:
    """H100 at 9.80: nanos alone made it 0.80."""
    parts = [
        sku("A3 Instance Core running in Netherlands", 0.03),
        sku("A3 Instance Ram running in Netherlands", 0.003, "GiBy.h"),
        sku("SSD backed Local Storage in Netherlands", 0.08, "GiBy.mo"),
    ]
    dear, cheap = (google(*parts, sku("Nvidia H100 80GB GPU running in Netherlands", price)) for price in (9.8, 0.8))
    gap = (dear["a3-highgpu-8g", "on_demand"] or 0) - (cheap["a3-highgpu-8g", "on_demand"] or 0)
    assert gap == pytest.approx(8 * 9.0)


# Oracle


def product(part: str, name: str, price: float, metric: str = "GPU Per Hour") -> dict[str, Any]:
    steps = [{"model": "PAY_AS_YOU_GO", "value": price}]
    return {"partNumber": part, "displayName": name, "metricName": metric, "serviceCategory": "Compute - GPU",
            "currencyCodeLocalizations": [{"currencyCode": "USD", "prices": steps}]}  # fmt: skip


def oracle(*products: dict[str, Any]) -> dict[str, tuple[str | None, float | None, float | None]]:
    found = parsed("oci", ("products", {"items": list(products)}, "us-ashburn-1"))
    return {server: (o.gpu_model, o.gpu_count, o.price_per_hour) for (server, _), o in found.items()}


def test_gb200_and_gb300_are_not_b200_and_b300() -> None:
    """GB200 was tagged B200 and GB300 tagged B300: names match whole, each shape at its own GPU's price."""
    cards: Sequence[tuple[str, float]] = (("B200", 14.0), ("B300", 15.0), ("GB200", 16.0), ("GB300", 18.0))
    offers = oracle(
        *(product(f"P{at}", f"OCI - Compute - GPU - {name}", price) for at, (name, price) in enumerate(cards))
    )
    assert offers == {
        "BM.GPU.B200.8": ("B200-180GB-SXM", 8.0, 112.0),
        "BM.GPU.B300.8": ("B300-288GB-SXM", 8.0, 120.0),
        "BM.GPU.GB200.4": ("GB200", 4.0, 64.0),
        "BM.GPU.GB300.4": ("GB300", 4.0, 72.0),
    }


@pytest.mark.parametrize(
    "name",
    [
        "Oracle Compute Cloud@Customer - Compute - GPU - L40S",
        "OCI - Compute - GPU - L40S - Resource Commit",
        "OCI - NVIDIA AI Enterprise - L40S",
    ],
)
def test_rows_beside_the_gpu_are_not_its_price(name: str) -> None:
    """L40S at 0.60 was "Resource Commit", others Cloud@Customer or a licence: 3.50 a GPU, four to a machine."""
    rows = [product("P1", "OCI - Compute - GPU - L40S", 3.5), product("P2", name, 0.6)]
    for order in (rows, rows[::-1]):
        assert oracle(*order) == {"BM.GPU.L40S.4": ("L40S", 4.0, 14.0)}


# Catalogues made by others

SKYPILOT = (
    "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone"
)


def info(name: str, count: str, mib: int) -> str:
    gpu = {"Name": name, "Count": count, "MemoryInfo": {"SizeInMiB": mib}}
    return f'"{ {"Gpus": [gpu], "TotalGpuMemoryInMiB": mib} }"'


def catalogue(cloud: str, *rows: str) -> Harvest:
    found = Harvest.at("skypilot", "SkyPilot catalogue", skypilot.PAGE, NOW)
    skypilot.parse_cloud(cloud, "\n".join((SKYPILOT, *rows)) + "\n", found, None)
    return found


def test_gpu_memory_in_whatever_unit_is_not_read() -> None:
    """SizeInMiB held 80 (GB), 0, or a total that was not multiplied: the instance or the card's own name tells it."""
    found = catalogue(
        "nebius",
        f"gpu-h200-sxm_8gpu-128vcpu-1600gb,H200,8,128,1600,{info('H200', '8', 0)},36.0,19.6,eu-north1,",
        f"x-sxm_1gpu,A100-80GB,1,8,117,{info('A100', '1', 80)},1.4,,eu-north1,",
    )
    assert {o.server[:6]: (o.gpu_model, o.gpu_count, o.vram_gib_per_gpu) for o in found.offers} == {
        "gpu-h2": ("H200-141GB-SXM", 8.0, 141.0),
        "x-sxm_": ("A100-80GB-SXM4", 1.0, 80.0),
    }


def test_a_count_that_is_a_text_is_a_count() -> None:
    """Cudo's Count was the text "1.0"."""
    (offer,) = catalogue(
        "cudo", f"epyc-a5000_1x2v4gb,RTXA5000,1.0,2,4,{info('RTX A5000', '1.0', 24576)},0.4,,no-1,"
    ).offers
    assert (offer.gpu_count, offer.vram_gib_per_gpu, offer.kind) == (1.0, 24.0, "gpu")


def test_700_dollars_stand_for_no_price() -> None:
    """TPU v6e at 700.0 an hour, and the same region twice: neither is an offer, neither makes two of one."""
    found = catalogue(
        "gcp",
        ",tpu-v6e-1,1,,,,700.0,700.0,us-central2,us-central2-b",
        ",tpu-v6e-1,1,,,,700.0,700.0,us-central2,us-central2-b",
        "n2-standard-4,,,4,16,,700.0,0.05,us-central2,us-central2-b",
        "n2-standard-4,,,4,16,,0.19,700.0,us-central1,us-central1-a",
        "n2-standard-4,,,4,16,,0.19,0.04,us-central1,us-central1-b",
    )
    assert {(o.server, o.region, o.term): o.price_per_hour for o in found.offers} == {
        ("n2-standard-4", "us-central2", "spot"): 0.05,
        ("n2-standard-4", "us-central1", "on_demand"): 0.19,
        ("n2-standard-4", "us-central1", "spot"): 0.04,
    }


def test_spot_in_the_catalogue_is_below_on_demand_or_none() -> None:
    """The spot column repeated the on-demand price, or was a bid's floor (B200 at 0.01): no spot price."""
    found = catalogue(
        "aws",
        "p4d.24xlarge,A100,8,96,1152,,21.957642,21.957642,us-east-1,use1-az1",
        "p6-b200.48xlarge,B200,8,192,2048,,113.9328,0.01,us-east-1,use1-az1",
    )
    assert [o.term for o in found.offers] == ["on_demand", "on_demand"]
    assert found.skipped["spot price that is none"] == 2


def test_lists_that_hold_bid_floors_are_not_asked_for() -> None:
    """Mithril's B200 at 0.01, H100 x8 at 8.00: the floor of a bid stood as the price (right: 3.45 and 28.66)."""
    assert "mithril" not in skypilot.CLOUDS
    assert "mithril" not in gpuhunt.CLOUDS.values()


def test_google_s_hosts_in_the_catalogue_are_completed_by_their_gpus() -> None:
    """a2-highgpu-1g stood at 0.94, the host alone: 4.05 with the row of its GPU; without that row, no price."""
    host = "a2-highgpu-1g,,,12,85,,0.94,0.3,us-central1,us-central1-a"
    gpu = ",A100,1,,,,3.11,0.9,us-central1,us-central1-a"
    assert catalogue("gcp", host).offers == []
    assert {o.term: o.price_per_hour for o in catalogue("gcp", host, gpu).offers} == {"on_demand": 4.05, "spot": 1.2}


def test_an_azure_slice_of_a_card_is_a_fraction_in_the_catalogue_too() -> None:
    """NV6ads_A10_v5 was counted as a whole A10 of 24 GB: it is a sixth with 4."""
    row = f"Standard_NV6ads_A10_v5,A10,1,6,55,{info('A10', '1', 24576)},0.454,,eastus,"
    (offer,) = catalogue("azure", row).offers
    assert offer.gpu_count == pytest.approx(1 / 6, abs=1e-6)
    assert offer.vram_gib_per_gpu == 4.0
