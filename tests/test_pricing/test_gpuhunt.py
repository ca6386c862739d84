"""The gpuhunt catalogue: zipped lists read in memory, memory in three units, spot in rows of its own, one cloud failing alone."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from pricing.answers import Answer, Answers
from pricing.errors import FeedError
from pricing.providers import gpuhunt
from pricing.providers.gpuhunt import CLOUDS, GpuHunt

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_httpserver import HTTPServer

    from pricing.offer import Offer
    from pricing.provider import Fetched

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
HEADER = (
    "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size,gpu_vendor,flags,cpu_arch"
)
VERSION = "20261128-42\n"


def zipped(*rows: str, header: str = HEADER, name: str = "list.csv") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, "\n".join((header, *rows)) + "\n")
    return out.getvalue()


def answers(**catalogs: bytes) -> Answers:
    found = Answers()
    for cloud, body in catalogs.items():
        found.items.append(Answer("gpuhunt", f"version {cloud}", VERSION.encode()))
        found.items.append(Answer("gpuhunt", f"catalog {cloud}", body))
    return found


def parsed(cloud: str, *rows: str) -> Fetched:
    return GpuHunt().parse(answers(**{cloud: zipped(*rows)}), NOW)


def offers(cloud: str, *rows: str) -> dict[tuple[Any, ...], Offer]:
    found = parsed(cloud, *rows).offers
    keyed = {(o.server, o.region, o.term): o for o in found}
    assert len(keyed) == len(found) == len({o.offer_id for o in found})
    return keyed


def test_an_offer_is_the_cloud_s_own_and_dated_as_the_catalogue() -> None:
    found = offers("aws", "g6.xlarge,us-east-1,0.81,4,16,1,L4,24,False,,nvidia,,x86")
    offer = found["g6.xlarge", "us-east-1", "on_demand"]
    assert (offer.provider, offer.offer_id) == ("aws", "aws_g6.xlarge_us-east-1_on-demand__usd")
    assert (offer.source_date, offer.fetched_at) == ("2026-11-28", "2026-11-30T12:00:00+00:00")
    assert (offer.vcpus, offer.ram_gib, offer.gpu_model, offer.price_per_hour) == (4.0, 16.0, "L4", 0.81)
    assert offer.source == "gpuhunt catalogue"


def test_spot_is_a_row_of_its_own_and_below_on_demand() -> None:
    fetched = parsed(
        "aws",
        "g6.xlarge,us-east-1,0.81,4,16,1,L4,24,False,,nvidia,,x86",
        "g6.xlarge,us-east-1,0.32,4,16,1,L4,24,True,,nvidia,,x86",
        "g6.2xlarge,us-east-1,0.98,8,32,1,L4,24,False,,nvidia,,x86",
        "g6.2xlarge,us-east-1,0.98,8,32,1,L4,24,True,,nvidia,,x86",
        "g6.4xlarge,us-east-1,1.32,16,64,1,L4,24,False,,nvidia,,x86",
        "g6.4xlarge,us-east-1,0.01,16,64,1,L4,24,True,,nvidia,,x86",
    )
    spot = {o.server: o.price_per_hour for o in fetched.offers if o.term == "spot"}
    assert spot == {"g6.xlarge": 0.32}
    assert fetched.skipped == {"spot price that is none": 2}


def test_zones_of_one_region_are_one_offer() -> None:
    found = offers(
        "gcp",
        "g2-standard-4,us-central1-a,0.70,4,16,1,L4,24,False,,nvidia,,x86",
        "g2-standard-4,us-central1-a,0.30,4,16,1,L4,24,True,,nvidia,,x86",
        "g2-standard-4,us-central1-c,0.70,4,16,1,L4,24,False,,nvidia,,x86",
        "g2-standard-4,us-central1-c,0.28,4,16,1,L4,24,True,,nvidia,,x86",
    )
    assert {key: o.price_per_hour for key, o in found.items()} == {
        ("g2-standard-4", "us-central1", "on_demand"): 0.70,
        ("g2-standard-4", "us-central1", "spot"): 0.28,
    }


def test_attached_gpus_make_another_server_of_one_machine_type() -> None:
    found = offers(
        "gcp",
        "n1-standard-4,us-east1-b,0.19,4,15,0,,,False,,,,x86",
        "n1-standard-4,us-east1-b,0.54,4,15,1,T4,16,False,,nvidia,,x86",
        "n1-standard-4,us-east1-b,0.89,4,15,2,T4,16,False,,nvidia,,x86",
    )
    assert {server: o.gpu_count for (server, *_), o in found.items()} == {
        "n1-standard-4": None,
        "n1-standard-4+t4": 1.0,
        "n1-standard-4+2xt4": 2.0,
    }


def test_lambda_s_gibibytes_come_multiplied() -> None:
    found = offers("lambdalabs", "gpu_1x_h100_pcie,us-west-1,2.6,26,214.8,1,H100,85.92,False,1099.776,nvidia,,x86")
    offer = found["gpu_1x_h100_pcie", "us-west-1", "on_demand"]
    assert (offer.provider, offer.ram_gib) == ("lambda", 200.0)
    assert (offer.gpu_model, offer.vram_gib_per_gpu) == ("H100-80GB-PCIe", 80.0)


def test_a_total_over_all_gpus_is_not_the_memory_of_one() -> None:
    found = offers("oci", "X.GPU.H200.8,eu-frankfurt-1,60,224,2048,8,H200,1128,False,,nvidia,,x86")
    offer = found["X.GPU.H200.8", "eu-frankfurt-1", "on_demand"]
    assert (offer.gpu_model, offer.gpu_count, offer.vram_gib_per_gpu) == ("H200-141GB-SXM", 8.0, 141.0)


def test_a_share_of_a_card_is_a_fraction() -> None:
    found = offers("azure", "Standard_NV6ads_A10_v5,uksouth,0.5,6,55,1,A10,4,False,,nvidia,,x86")
    offer = found["NV6ads_A10_v5", "uksouth", "on_demand"]
    assert (offer.gpu_model, offer.gpu_count, offer.vram_gib_per_gpu) == (
        "A10",
        pytest.approx(1 / 6, rel=1e-3),
        pytest.approx(4.0),
    )


def test_a_card_without_its_form_factor_stays_as_it_is_written() -> None:
    found = offers("oci", "VM.Some.A100,eu-frankfurt-1,4,30,200,1,A100,80,False,,nvidia,,x86")
    assert found["VM.Some.A100", "eu-frankfurt-1", "on_demand"].gpu_model == "A100"


def test_the_server_s_name_tells_the_form_factor() -> None:
    found = offers(
        "lambdalabs",
        "gpu_8x_a100_80gb_sxm4,us-east-1,22.3,240,1932.1,8,A100,80,False,,nvidia,,x86",
        "gpu_1x_a100,us-east-1,1.9,30,214.8,1,A100,40,False,,nvidia,,x86",
    )
    assert found["gpu_8x_a100_80gb_sxm4", "us-east-1", "on_demand"].gpu_model == "A100-80GB-SXM4"
    verda = offers("verda", "1A100.80S.22V,FIN-01,1.4,22,120,1,A100,80,False,,nvidia,,x86")
    assert verda["1A100.80S.22V", "FIN-01", "on_demand"].gpu_model == "A100-80GB-SXM4"


def test_runpod_s_tiers_and_counts() -> None:
    fetched = parsed(
        "runpod",
        "NVIDIA H100 80GB HBM3,US-TX-3,3.2,16,188,1,H100,80,False,,nvidia,,x86",
        "NVIDIA H100 80GB HBM3,US-TX-3,6.4,32,376,2,H100,80,False,,nvidia,,x86",
        "NVIDIA H100 80GB HBM3,US,2.7,16,188,1,H100,80,False,,nvidia,,x86",
        "NVIDIA H100 80GB HBM3,US-TX-3,40,208,1800,8,H100,80,False,,nvidia,runpod-cluster,x86",
        "NVIDIA H100 PCIe,US-TX-3,2.4,16,188,1,H100,80,False,,nvidia,,x86",
    )
    assert {(o.server, o.tier): o.gpu_model for o in fetched.offers} == {
        ("NVIDIA H100 80GB HBM3", "secure"): "H100-80GB-SXM5",
        ("NVIDIA H100 80GB HBM3 x2", "secure"): "H100-80GB-SXM5",
        ("NVIDIA H100 80GB HBM3", "community"): "H100-80GB-SXM5",
        ("NVIDIA H100 PCIe", "secure"): "H100-80GB-PCIe",
    }
    assert fetched.skipped == {"cluster of several machines": 1}


def test_one_platform_in_several_sizes_is_several_servers() -> None:
    found = offers(
        "nebius",
        "gpu-l40s-a,eu-north1,1.55,8,32,1,L40S,48,False,,nvidia,,x86",
        "gpu-l40s-a,eu-north1,1.75,16,64,1,L40S,48,False,,nvidia,,x86",
        "gpu-h100-sxm 8gpu-128vcpu-1600gb,eu-north1,30.8,128,1600,8,H100,80,False,,nvidia,,x86",
        "standard-v2,eu-north1,0.4,16,64,0,,,False,,,,x86",
    )
    assert {server for server, *_ in found} == {
        "gpu-l40s-a_1gpu-8vcpu-32gb",
        "gpu-l40s-a_1gpu-16vcpu-64gb",
        "gpu-h100-sxm_8gpu-128vcpu-1600gb",
        "standard-v2_16vcpu-64gb",
    }


def test_rows_that_are_no_offers() -> None:
    fetched = parsed(
        "gcp",
        "v5litepod-8,us-west4-a,9.6,224,384,1,v5litepod-8,128,False,,google,,x86",
        "a4x-highgpu-4g,us-east1-b,60,140,884,0,,,False,,,,arm",
        "e2-standard-4,us-east1-b,,4,16,0,,,False,,,,x86",
        "e2-standard-4,us-east1-b,0,4,16,0,,,False,,,,x86",
        "e2-standard-8,us-east1-b,0.27,8,32,0,,,False,,,,x86",
        "e2-standard-8,us-east1-b,0.27,8,48,0,,,False,,,,x86",
    )
    assert [o.server for o in fetched.offers] == ["e2-standard-8"]
    assert fetched.skipped == {
        "TPU slice": 1,
        "accelerator that the list does not name": 1,
        "no price": 2,
        "one name for two machines": 1,
    }


GOOD = ("g6.xlarge,us-east-1,0.81,4,16,1,L4,24,False,,nvidia,,x86",) * 9


def test_one_broken_row_costs_only_itself() -> None:
    fetched = parsed("aws", *GOOD, "g6.2xlarge,us-east-1,cheap,8,32,1,L4,24,False,,nvidia,,x86")
    assert len(fetched.offers) == 1
    assert fetched.skipped == {"price is no number": 1}


@pytest.mark.parametrize(
    "row",
    [
        "g6.xlarge,us-east-1,nan,4,16,1,L4,24,False,,nvidia,,x86",
        "g6.xlarge,us-east-1,1e309,4,16,1,L4,24,False,,nvidia,,x86",
        "g6.xlarge,us-east-1,-1,4,16,1,L4,24,False,,nvidia,,x86",
        "g6.xlarge,us-east-1,0.81,4,16,1,L4,24,maybe,,nvidia,,x86",
        "g6.xlarge,us-east-1,0.81",
        "g6.xlarge,us-east-1,0.81,4,16,1,L4,24,False,,nvidia,,x86,and,more",
    ],
)
def test_broken_rows_refuse_the_list(row: str) -> None:
    with pytest.raises(FeedError, match="not in the known shape"):
        parsed("aws", row)


def bomb(monkeypatch: pytest.MonkeyPatch) -> bytes:
    monkeypatch.setattr(gpuhunt, "MAX_UNZIPPED_BYTES", 100)
    return zipped("x" * 200)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "damaged"),
        (b"<html>maintenance</html>", "damaged"),
        (zipped(*GOOD)[:-30], "damaged"),
        (zipped(*GOOD).replace(b"PK\x01\x02", b"PK\x01\x03"), "damaged"),
        (zipped(name="../../list.txt"), "not one list"),
        (zipped(header="instance_name,price"), "no column location"),
        (zipped("a\x00b"), "not in the known shape|damaged"),
    ],
)
def test_archives_that_are_none(body: bytes, said: str) -> None:
    with pytest.raises(FeedError, match=said):
        GpuHunt().parse(answers(aws=body), NOW)


def test_an_archive_that_unpacks_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FeedError, match="not one list of a sane size"):
        GpuHunt().parse(answers(aws=bomb(monkeypatch)), NOW)


def test_a_list_in_another_encoding() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("list.csv", (HEADER + "\n").encode() + b"\xff\xfe\x00\n")
    with pytest.raises(FeedError, match="damaged"):
        GpuHunt().parse(answers(aws=out.getvalue()), NOW)


def test_a_cloud_that_cannot_be_read_is_missing_and_the_others_stay() -> None:
    both = answers(aws=b"not a zip", gcp=zipped("e2-standard-8,us-east1-b,0.27,8,32,0,,,False,,,,x86"))
    fetched = GpuHunt().parse(both, NOW)
    assert [o.provider for o in fetched.offers] == ["gcp"]
    assert [(part.provider, part.reason) for part in fetched.missing] == [("aws", "the archive of aws is damaged.")]


def serve(httpserver: HTTPServer, cloud: str, version: str, body: bytes | None) -> None:
    base = f"/{gpuhunt.HOST}/v3/{cloud}"
    httpserver.expect_request(f"{base}/version").respond_with_data(version)
    if body is not None:
        httpserver.expect_request(f"{base}/{version.strip()}/catalog.zip").respond_with_data(body)


def test_a_version_and_a_list_a_cloud(httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]) -> None:
    for cloud in CLOUDS:
        if cloud == "aws":
            serve(httpserver, cloud, VERSION, zipped(*GOOD))
        elif cloud == "gcp":
            serve(httpserver, cloud, "../../elsewhere", None)
        else:
            httpserver.expect_request(f"/{gpuhunt.HOST}/v3/{cloud}/version").respond_with_data(status=404)
    fetched = fetch_and_parse("gpuhunt")
    assert [(o.provider, o.server) for o in fetched.offers] == [("aws", "g6.xlarge")]
    assert {part.provider for part in fetched.missing} == set(CLOUDS.values()) - {"aws"}
    assert not [request for request, _ in httpserver.log if "elsewhere" in request.path]


def test_no_cloud_at_all_is_a_failure(httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]) -> None:
    for cloud in CLOUDS:
        httpserver.expect_request(f"/{gpuhunt.HOST}/v3/{cloud}/version").respond_with_data(status=404)
    with pytest.raises(FeedError, match="404"):
        fetch_and_parse("gpuhunt")
