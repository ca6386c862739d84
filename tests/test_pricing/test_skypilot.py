"""The SkyPilot catalogue: rows per zone, Google's hosts and GPUs added, placeholders, memory that is not read."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from pricing.answers import Answer, Answers
from pricing.errors import FeedError
from pricing.feed import Harvest
from pricing.providers.skypilot import ADDRESS, CLOUDS, HOST, LOCAL_SSD_EXTRA, PAGE, SkyPilot, parse_cloud

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_httpserver import HTTPServer

    from pricing.offer import Offer
    from pricing.provider import Fetched

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
HEADER = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone"
INFO = "\"{{'Gpus': [{{'Name': '{}', 'Count': {}, 'MemoryInfo': {{'SizeInMiB': {}}}}}], 'TotalGpuMemoryInMiB': 1}}\""


def harvest(cloud: str, *rows: str, source_date: str | None = "2026-11-30", header: str = HEADER) -> Harvest:
    found = Harvest.at("skypilot", "SkyPilot catalogue", PAGE, NOW)
    parse_cloud(cloud, "\n".join((header, *rows)) + "\n", found, source_date)
    return found


def offers(cloud: str, *rows: str) -> dict[tuple[Any, ...], Offer]:
    found = harvest(cloud, *rows).offers
    keyed = {(o.server, o.region, o.term): o for o in found}
    assert len(keyed) == len(found) == len({o.offer_id for o in found})
    return keyed


AWS = (
    "m9.large,,,2.0,8.0,,0.11,0.050000,eu-west-9,euw9-az1",
    "m9.large,,,2.0,8.0,,0.11,0.040000,eu-west-9,euw9-az2",
    "m9.large,,,2.0,8.0,,0.12,0.120000,us-east-9,use9-az1",
)


def test_zones_are_one_offer_with_the_cheapest_spot_price() -> None:
    found = offers("aws", *AWS)
    assert {key: o.price_per_hour for key, o in found.items()} == {
        ("m9.large", "eu-west-9", "on_demand"): 0.11,
        ("m9.large", "eu-west-9", "spot"): 0.04,
        ("m9.large", "us-east-9", "on_demand"): 0.12,
    }
    offer = found["m9.large", "eu-west-9", "on_demand"]
    assert (offer.provider, offer.vcpus, offer.ram_gib, offer.kind) == ("aws", 2.0, 8.0, "cpu")


def test_spot_that_is_no_cheaper_is_left_out_and_counted() -> None:
    assert harvest("aws", *AWS).skipped == {"spot price that is none": 1}


def test_gpus_are_known_by_the_instance_not_by_the_list_s_memory() -> None:
    found = offers("aws", f"p5.48xlarge,H100,8.0,192.0,2048.0,{INFO.format('H100', 8, 80)},55.04,,us-east-1,use1-az1")
    offer = found["p5.48xlarge", "us-east-1", "on_demand"]
    assert (offer.gpu_model, offer.gpu_count, offer.vram_gib_per_gpu) == ("H100-80GB-SXM5", 8.0, 80.0)


def test_only_a_name_tells_the_memory() -> None:
    found = offers(
        "nebius",
        f"gpu-h200-sxm_8gpu-128vcpu-1600gb,H200,8,128,1600,{INFO.format('H200', 8, 0)},36.0,19.6,eu-north1,",
        f"x_1gpu,A100-80GB,1,8,117,{INFO.format('A100 PCIe', 1, 80)},1.4,,eu-north1,",
        f"y_1gpu,A100,1,8,117,{INFO.format('A100', 1, 81920)},1.4,,eu-north1,",
        "z-sxm_1gpu,A100-80GB,1,8,117,,1.4,,eu-north1,",
    )
    models = {
        server: (o.gpu_model, o.vram_gib_per_gpu) for (server, _, term), o in found.items() if term == "on_demand"
    }
    assert models == {
        "gpu-h200-sxm_8gpu-128vcpu-1600gb": ("H200-141GB-SXM", 141.0),
        "x_1gpu": ("A100-80GB-PCIe", 80.0),
        "y_1gpu": ("A100", None),
        "z-sxm_1gpu": ("A100-80GB-SXM4", 80.0),
    }


def test_cudo_counts_in_texts_and_links_in_names() -> None:
    found = offers(
        "cudo",
        f"genoa-a100-pcie_2x8v16gb,A100,2.0,8,16,{INFO.format('A100', chr(39) + '2.0' + chr(39), 81920)},3.1,,no-1,",
        f"ice-lake-a800-pci_1x2v4gb,A800,1.0,2,4,{INFO.format('A800', 1, 81920)},0.8,,us-1,",
    )
    offer = found["genoa-a100-pcie_2x8v16gb", "no-1", "on_demand"]
    assert (offer.gpu_model, offer.gpu_count) == ("A100-80GB-PCIe", 2.0)
    assert found["ice-lake-a800-pci_1x2v4gb", "us-1", "on_demand"].gpu_model == "A800-80GB-PCIe"


@pytest.mark.parametrize(
    "info",
    [
        "\"{'Gpus': __import__('os').system('true')}\"",
        "\"{'Gpus': [{'Name': 'A100 PCIe'}, {'Name': 'H100'}]}\"",
        '"{' + "[" * 900 + '}"',
        "\"{'Gpus': [{'Name': '" + "A" * 3000 + "'}]}\"",
        "\"{'Gpus': [7]}\"",
        "not a dict",
    ],
)
def test_a_text_that_is_no_description_of_a_gpu_tells_nothing(info: str) -> None:
    found = offers("nebius", f"x_1gpu,A100-80GB,1,8,117,{info},1.4,,eu-north1,")
    assert found["x_1gpu", "eu-north1", "on_demand"].gpu_model == "A100"


GOOGLE = (
    "a2-highgpu-1g,,,12.0,85.0,,0.74,0.37,us-central1,us-central1-a",
    "a2-highgpu-1g,,,12.0,85.0,,0.74,0.31,us-central1,us-central1-b",
    "a2-ultragpu-2g,,,24.0,340.0,,2.20,1.10,us-central1,us-central1-a",
    "a3-highgpu-8g,,,208.0,1872.0,,9.46,2.88,us-central1,us-central1-a",
    "g2-standard-24,,,24.0,96.0,,0.90,0.36,us-central1,us-central1-a",
    "n2-standard-8,,,8.0,32.0,,0.39,0.09,us-central1,us-central1-a",
    "n2-standard-8,,,8.0,32.0,,700.0,700.0,us-south9,us-south9-a",
    ",A100,1,,,A100,2.93,1.17,us-central1,us-central1-a",
    ",A100,1,,,A100,2.93,700.0,us-central1,us-central1-b",
    ",A100-80GB,2,,,A100-80GB,7.86,3.1,us-central1,us-central1-a",
    ",L4,2,,,L4,1.12,0.45,us-central1,us-central1-a",
    ",T4,1,,,T4,0.35,0.14,us-central1,us-central1-a",
    ",tpu-v6e-8,1,,,tpu-v6e-8,700.0,700.0,us-central2,us-central2-b",
    ",tpu-v6e-8,1,,,tpu-v6e-8,21.6,4.3,us-central1,us-central1-b",
)


def test_google_s_hosts_and_gpus_are_added_zone_by_zone() -> None:
    found = offers("gcp", *GOOGLE)
    prices = {
        (server, term): o.price_per_hour for (server, region, term), o in found.items() if region == "us-central1"
    }
    assert prices == {
        ("a2-highgpu-1g", "on_demand"): pytest.approx(3.67),
        ("a2-highgpu-1g", "spot"): pytest.approx(1.54),
        ("a2-ultragpu-2g", "on_demand"): pytest.approx(10.06),
        ("a2-ultragpu-2g", "spot"): pytest.approx(4.2),
        ("g2-standard-24", "on_demand"): pytest.approx(2.02),
        ("g2-standard-24", "spot"): pytest.approx(0.81),
        ("n2-standard-8", "on_demand"): 0.39,
        ("n2-standard-8", "spot"): 0.09,
    }
    offer = found["a2-ultragpu-2g", "us-central1", "on_demand"]
    assert (offer.gpu_model, offer.gpu_count, offer.note) == ("A100-80GB-SXM4", 2.0, LOCAL_SSD_EXTRA)
    assert found["g2-standard-24", "us-central1", "on_demand"].note is None


def test_a_host_without_the_price_of_its_gpus_and_a_placeholder_are_no_offers() -> None:
    found = harvest("gcp", *GOOGLE)
    assert not [o for o in found.offers if o.server == "a3-highgpu-8g" or o.region == "us-south9"]
    assert not [o for o in found.offers if o.price_per_hour and o.price_per_hour >= 100]
    assert found.skipped == {"TPU slice": 2, "no price": 2}


def test_an_accelerator_that_is_not_named_is_not_sold_as_a_cpu() -> None:
    assert not harvest("gcp", "a9-megagpu-8g,,,96,1360,,9.5,3.1,us-central1,us-central1-a").offers
    found = harvest("gcp", "a4x-highcpu-4,,,140,884,,9.5,3.1,us-central1,us-central1-a")
    assert not found.offers
    assert found.skipped == {"accelerator that the list does not name": 1}
    assert not harvest("aws", "p9.48xlarge,,,192,2048,,55.04,,us-east-1,use1-az1").offers


def test_two_prices_of_one_azure_size_leave_the_lower() -> None:
    found = offers("azure", *(f"Standard_D2as_v5,,,2,8,,{price},,westus3,0" for price in (0.178, 0.086)))
    assert found["D2as_v5", "westus3", "on_demand"].price_per_hour == 0.086
    assert not harvest("azure", "Standard_ND96isr_H100_v5,H100,8,96,1900,,0.0,,westus3,0").offers


def test_lists_kept_by_hand_stay_undated() -> None:
    body = f"{HEADER}\nx_1gpu,L40S,1,8,117,,1.4,,eu-north1,\n"

    def date_of(version: str, cloud: str) -> str | None:
        answers = Answers([Answer("skypilot", f"{version} {cloud}", body.encode())])
        return SkyPilot().parse(answers, NOW).offers[0].source_date

    assert date_of("v9", "aws") == "2026-11-30"
    assert date_of("v8", "aws") is None
    assert date_of("v9", "nebius") is None


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "no column InstanceType"),
        (b"<!doctype html><html></html>", "no column InstanceType"),
        (b"InstanceType,Price\na,1\n", "no column AcceleratorName"),
        (b"\xff\xfe", "not text"),
        ((HEADER + "\nm9.large,,,2.0,8.0,,much,,eu,z\n").encode(), "not in the known shape"),
        ((HEADER + "\nm9.large,,,2.0,8.0,,nan,,eu,z\n").encode(), "not in the known shape"),
        ((HEADER + "\nm9.large,,,2.0,8.0\n").encode(), "not in the known shape"),
        ((HEADER + '\nm9.large,"' + "x" * 200_000).encode(), "damaged"),
    ],
)
def test_what_is_no_list_is_refused(body: bytes, said: str) -> None:
    with pytest.raises(FeedError, match=said):
        SkyPilot().parse(Answers([Answer("skypilot", "v9 aws", body)]), NOW)


def test_a_cloud_that_cannot_be_read_is_missing_and_the_others_stay() -> None:
    good = "\n".join((HEADER, *AWS)) + "\n"
    answers = Answers([Answer("skypilot", "v9 aws", good.encode()), Answer("skypilot", "v9 gcp", b"<html>")])
    fetched = SkyPilot().parse(answers, NOW)
    assert {o.provider for o in fetched.offers} == {"aws"}
    assert [part.provider for part in fetched.missing] == ["gcp"]


def serve(httpserver: HTTPServer, version: str, cloud: str, body: str | None) -> None:
    path = ADDRESS.format(host=HOST, version=version, cloud=cloud).removeprefix("https:/")
    request = httpserver.expect_request(path)
    if body is None:
        request.respond_with_data(status=404)
    else:
        request.respond_with_data(body)


def test_the_newest_version_is_asked_for_first(httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]) -> None:
    serve(httpserver, "v9", "aws", "\n".join((HEADER, *AWS)) + "\n")
    serve(httpserver, "v9", "gcp", None)
    serve(httpserver, "v8", "gcp", "\n".join((HEADER, *GOOGLE)) + "\n")
    for cloud in set(CLOUDS) - {"aws", "gcp"}:
        for version in ("v9", "v8"):
            serve(httpserver, version, cloud, None)
    fetched = fetch_and_parse("skypilot")
    assert {(o.provider, o.source) for o in fetched.offers} == {
        ("aws", "SkyPilot catalogue v9, aws"),
        ("gcp", "SkyPilot catalogue v8, gcp"),
    }
    assert {part.provider for part in fetched.missing} == {"azure", "cudo", "nebius"}
    assert not [request for request, _ in httpserver.log if "/v8/aws/" in request.path or "mithril" in request.path]


def test_the_captured_list(capture: Callable[[str], bytes]) -> None:
    found = Harvest.at("skypilot", "SkyPilot catalogue", PAGE, NOW)
    parse_cloud("aws", capture("skypilot_catalog/v8-aws-vms-cut.csv").decode(), found, "2026-11-30")
    prices = {(o.server, o.region, o.term): (o.vcpus, o.ram_gib, o.price_per_hour) for o in found.offers}
    assert prices["a1.2xlarge", "us-east-2", "on_demand"] == (8.0, 16.0, 0.204)
    assert prices["a1.2xlarge", "us-east-2", "spot"] == (8.0, 16.0, 0.1056)
    assert ("a1.2xlarge", "us-east-1", "spot") not in prices
    assert prices["c1.medium", "us-east-1", "on_demand"] == (2.0, 1.69921875, 0.13)
    assert len(found.offers) == 24
