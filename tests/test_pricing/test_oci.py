"""Oracle's lists: which parts are of compute shapes, ladders, shapes made of parts, sizes of flexible ones."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pricing.answers import Answer, Answers
from pricing.errors import FeedError
from pricing.feed import Harvest
from pricing.provider import provider
from pricing.providers import oci
from pricing.providers._oci_products import gpu_prices, part_name, read_products
from pricing.providers._oci_shapes import GPU_SHAPES

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_httpserver import HTTPServer

    from pricing.offer import Offer
    from pricing.provider import Fetched

PAYLOADS = Path(__file__).parent / "payloads"
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
PRODUCTS = "/apexapps.oracle.com/pls/apex/cetools/api/v1/products/"
ESTIMATOR = "/www.oracle.com/a/ocom/docs/cloudestimator2/data/"
HERE = "eu-amsterdam-1"


def payload(name: str) -> Any:
    return json.loads((PAYLOADS / f"oci_{name}.json").read_text(encoding="utf-8"))


def parsed(products: Any, shapes: Any = None, region: str | None = HERE) -> Fetched:
    answers = [Answer("oci", "products", json.dumps(products).encode(), region)]
    if shapes is not None:
        answers.append(Answer("oci", "shapes", json.dumps(shapes).encode()))
    return provider("oci").parse(Answers(answers), NOW)


def harvest() -> Harvest:
    return Harvest.at("oci", "OCI", oci.PAGE, NOW)


@pytest.fixture(scope="module")
def fetched() -> Fetched:
    return parsed(payload("products"), payload("shapes"))


@pytest.fixture(scope="module")
def offers(fetched: Fetched) -> dict[tuple[str, str], Offer]:
    found = {(o.server, o.term): o for o in fetched.offers}
    assert len(found) == len(fetched.offers)
    return found


@pytest.mark.parametrize(
    ("display", "name"),
    [
        ("Oracle Cloud Infrastructure - Compute - GPU - H100", "GPU-H100"),
        ("OCI - Compute - GPU - GB200", "GPU-GB200"),
        ("OCI- Compute - GPU - MI355X", "GPU-MI355X"),
        ("Compute  - GPU - A10", "GPU-A10"),
        ("Compute - GPU - A100 - v2", "GPU-A100-v2"),
        ("Compute - Standard - E4  - Memory", "Standard-E4-Memory"),
        ("OCI - NVIDIA AI Enterprise - H100", None),
        ("Oracle Compute Cloud@Customer - Compute - GPU.L40S", None),
        ("Oracle Cloud VMware Solution - BM.GPU.A10.64 - Monthly Commit", None),
        ("WebCenter Imaging For OCI", None),
        ("", None),
    ],
)
def test_which_rows_are_parts_of_compute_shapes(display: str, name: str | None) -> None:
    assert part_name(display) == name


def test_gpu_prices_are_per_gpu_by_their_whole_name() -> None:
    assert gpu_prices(read_products(payload("products"), harvest())) == {
        "H100": 9.5, "A10": 1.9, "MI355X": 8.1, "A100-v2": 3.8, "GB200": 15.5, "B200": 13.5, "H100T": 10.6, "NEXT": 20.0,
    }  # fmt: skip


def test_parts_without_a_dollar_price_by_the_hour_are_none() -> None:
    found = harvest()
    products = read_products(payload("products"), found)
    # Licence, Cloud@Customer, VMware, Windows, free tier | another currency | a month.
    assert found.skipped == {"not a part of a compute shape": 5, "no dollar price": 1, "not priced by the hour": 1}
    assert products["P13"].usd_per_hour == 0.011
    assert products["P14"].usd_per_hour == 0.0016


def test_a_gpu_shape_costs_its_gpus(offers: dict[tuple[str, str], Offer]) -> None:
    h100 = offers["BM.GPU.H100.8", "on_demand"]
    assert (h100.price_per_hour, h100.gpu_model, h100.gpu_count, h100.vram_gib_per_gpu) == (
        76.0,
        "H100-80GB-SXM5",
        8.0,
        80.0,
    )
    assert (h100.vcpus, h100.cores, h100.ram_gib, h100.sockets) == (224.0, 112.0, 2048, 2)
    assert (h100.cpu_model, h100.cpu_basis, h100.region) == ("Intel Xeon Platinum 8480+ Processor", "documented", HERE)
    assert (h100.price_basis, h100.region_group) == ("listed", "eu")
    assert "stock is not stated" in (h100.note or "")
    assert ("BM.GPU.H100.8", "spot") not in offers


def test_what_the_estimator_gets_wrong_is_put_right(offers: dict[tuple[str, str], Offer]) -> None:
    # The A10 host is listed as Arm, the MI355X' memory per GPU, GB200 with 128 OCPUs and a name for display.
    a10 = offers["VM.GPU.A10.1", "on_demand"]
    assert (a10.vcpus, a10.cores) == (30.0, 15.0)
    assert offers["BM.GPU.MI355X.8", "on_demand"].vram_gib_per_gpu == 288.0
    gb200 = offers["BM.GPU.GB200.4", "on_demand"]
    assert (gb200.gpu_model, gb200.price_per_hour, gb200.vcpus) == ("GB200", 62.0, 144.0)


def test_preemptible_is_half_by_rule(offers: dict[tuple[str, str], Offer]) -> None:
    spot = offers["VM.GPU.A10.1", "spot"]
    assert (spot.price_per_hour, spot.price_basis) == (0.95, "derived")


def test_documented_shapes_stand_in_where_the_estimator_has_none(offers: dict[tuple[str, str], Offer]) -> None:
    assert offers["BM.GPU.A100-v2.8", "on_demand"].price_per_hour == pytest.approx(30.4)
    assert offers["BM.GPU.B200.8", "on_demand"].gpu_model == "B200-180GB-SXM"
    assert ("BM.GPU.A10.4", "on_demand") in offers
    # A GPU hour without a known shape is no server, and H100T is not the H100.
    assert not any("H100T" in server for server, _ in offers)
    assert ("BM.GPU.B300.8", "on_demand") not in offers


def test_an_unknown_gpu_shape_keeps_its_own_name(offers: dict[tuple[str, str], Offer]) -> None:
    new = offers["BM.GPU.NEXT.8", "on_demand"]
    assert (new.kind, new.gpu_model, new.gpu_count, new.vram_gib_per_gpu) == ("gpu", "GPU.NEXT.8", 8.0, 200.0)
    assert (new.price_per_hour, new.vcpus) == (160.0, 256.0)


def test_every_part_counts(offers: dict[tuple[str, str], Offer]) -> None:
    dense = offers["BM.DenseIO.E5.128", "on_demand"]
    assert dense.price_per_hour == pytest.approx(128 * 0.031 + 1536 * 0.0021 + 81.6 * 0.06)
    assert (dense.vcpus, dense.cores, dense.ram_gib) == (256.0, 128.0, 1536.0)


def test_sizes_of_a_flexible_shape_keep_its_limits(offers: dict[tuple[str, str], Offer]) -> None:
    sizes = {server: o for (server, term), o in offers.items() if "E5.Flex" in server and term == "on_demand"}
    assert set(sizes) == {
        f"VM.Standard.E5.Flex.{size}" for size in ("1OCPU.8GB", "1OCPU.16GB", "2OCPU.16GB", "2OCPU.32GB", "4OCPU.32GB")
    }
    four = sizes["VM.Standard.E5.Flex.4OCPU.32GB"]
    assert four.price_per_hour == pytest.approx(4 * 0.031 + 32 * 0.0021)
    assert (four.vcpus, four.cores, four.ram_gib) == (8.0, 4.0, 32.0)
    assert "8 GB per OCPU is one choice of many" in (four.note or "")
    assert ("VM.Standard.E5.Flex.4OCPU.32GB", "spot") in offers
    assert [server for server, _ in offers if "Optimized3" in server] == ["VM.Optimized3.Flex.1OCPU.8GB"] * 2


def test_an_arm_ocpu_is_one_core_on_a1_and_two_on_a2(offers: dict[tuple[str, str], Offer]) -> None:
    a1, a2 = offers["VM.Standard.A1.Flex.2OCPU.16GB", "on_demand"], offers["VM.Standard.A2.Flex.1OCPU.8GB", "on_demand"]
    assert (a1.vcpus, a1.cores, a1.price_per_hour) == (2.0, 2.0, pytest.approx(2 * 0.011 + 16 * 0.0016))
    assert (a2.vcpus, a2.cores) == (2.0, 2.0)


def test_shapes_that_are_none(fetched: Fetched) -> None:
    for reason, count in {
        "a part of the shape has no price": 1, "shape that is not on sale": 3, "shape without quantities": 1,
    }.items():  # fmt: skip
        assert fetched.skipped[reason] == count


def test_an_arm_family_of_tomorrow_has_no_vcpus() -> None:
    shape = payload("shapes")["items"][5] | {"name": "BM.Standard.A9.99", "processorType": {"value": "arm"}}
    offer = next(o for o in parsed(payload("products"), {"items": [shape]}).offers if o.kind == "cpu")
    assert (offer.vcpus, offer.cores) == (None, None)


def test_regions_are_those_asked_for() -> None:
    two = parsed(payload("products"), region="us-ashburn-1 ap-tokyo-1")
    assert {(o.region, o.region_group) for o in two.offers} == {("us-ashburn-1", "us"), ("ap-tokyo-1", "asia")}
    assert {o.region for o in parsed(payload("products"), region=None).offers} == set(oci.REGIONS)


def test_documented_shapes_have_their_gpus_in_the_table() -> None:
    from pricing.identity import gpu_instance

    for shape in GPU_SHAPES:
        found = gpu_instance("oci", shape.name)
        assert found is not None
        assert found.gpu_count == shape.gpus


@pytest.mark.parametrize(
    ("products", "said"),
    [
        ([], "no list items"),
        ({"items": {}}, "no list items"),
        ({"items": [1, 2]}, "known shape"),
        (
            {"items": [{"partNumber": "P", "displayName": "Compute - X", "currencyCodeLocalizations": "free"}]},
            "known shape",
        ),
    ],
)
def test_bad_products(products: Any, said: str) -> None:
    with pytest.raises(FeedError, match=said):
        parsed(products)


@pytest.mark.parametrize("shapes", [[], {"items": "none"}, {"items": [{"name": 3}]}, {"items": [1]}])
def test_shapes_that_cannot_be_read_are_missing(shapes: Any) -> None:
    found = parsed(payload("products"), shapes)
    assert {(o.kind, o.term) for o in found.offers} == {("gpu", "on_demand")}
    assert {(part.kind, part.term) for part in found.missing} == {("cpu", None), ("gpu", "spot")}


def test_an_empty_list_has_no_offers() -> None:
    assert parsed({"items": []}, {"items": []}).offers == ()


def test_fetch(httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]) -> None:
    httpserver.expect_ordered_request(PRODUCTS, query_string={"currencyCode": "USD"}).respond_with_json(
        payload("products")
    )
    httpserver.expect_ordered_request(f"{ESTIMATOR}shapes.json").respond_with_json(payload("shapes"))
    found = fetch_and_parse("oci", ("us-ashburn-1",))
    assert {o.region for o in found.offers} == {"us-ashburn-1"}
    assert not found.missing


def test_without_shapes_cpu_rows_stay_as_they_were(
    httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]
) -> None:
    httpserver.expect_request(PRODUCTS).respond_with_json(payload("products"))
    httpserver.expect_request(f"{ESTIMATOR}shapes.json").respond_with_data("gone", 404)
    found = fetch_and_parse("oci")
    assert {(o.kind, o.term) for o in found.offers} == {("gpu", "on_demand")}
    assert {(part.kind, part.term) for part in found.missing} == {("cpu", None), ("gpu", "spot")}


def test_the_estimators_own_prices_stand_in(httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]) -> None:
    copied = [
        {
            "partNumber": row["partNumber"],
            "pricetype": "HOUR",
            "currencyCodeLocalizations": row["currencyCodeLocalizations"],
        }
        for row in payload("products")["items"]
    ]
    httpserver.expect_request(PRODUCTS).respond_with_data("gone", 404)
    httpserver.expect_request(f"{ESTIMATOR}products.json").respond_with_json({"items": copied})
    httpserver.expect_request(f"{ESTIMATOR}shapes.json").respond_with_json(payload("shapes"))
    found = {o.server: o.price_per_hour for o in fetch_and_parse("oci", (HERE,)).offers if o.term == "on_demand"}
    assert found["BM.GPU.H100.8"] == 76.0
    assert found["BM.DenseIO.E5.128"] == pytest.approx(128 * 0.031 + 1536 * 0.0021 + 81.6 * 0.06)


def test_captured_products(capture: Callable[[str], bytes]) -> None:
    products = read_products(json.loads(capture("oci/products-USD-2026-08-14.json")), harvest())
    assert gpu_prices(products) == {
        "H100": 10, "H200": 10, "A10": 2, "MI355X": 8.6, "A100-v2": 4, "GB200": 16, "B200": 14, "B300": 15, "GB300": 18,
        "RTX PRO 6000": 4.5, "L40S": 3.5, "MI300X": 6, "H100T": 10.75, "E3": 3.05, "E4": 3.05, "GPU Standard-V2": 2.95,
        "Bare Metal GPU Standard-X7": 1.275, "Virtual Machine GPU Standard-X7": 1.275,
    }  # fmt: skip
    older = read_products(json.loads(capture("oci/products-USD-2024-01.json")), harvest())
    assert (older["B93113"].usd_per_hour, older["B93114"].usd_per_hour) == (0.025, 0.0015)
    assert older["B93297"].usd_per_hour == 0.01
    assert not {"B91444", "B88318"} & older.keys()


def test_captured_shapes(capture: Callable[[str], bytes]) -> None:
    found = parsed(json.loads(capture("oci/products-USD-2024-01.json")), json.loads(capture("oci/shapes-2026-08.json")))
    shapes = {o.server: (o.vcpus, o.ram_gib, o.price_per_hour) for o in found.offers}
    assert shapes["BM.Standard.E4.128"] == (256.0, 2048.0, pytest.approx(6.272))
    assert shapes["BM.DenseIO.E5.128"] == (256.0, 1536.0, pytest.approx(11.90592))
    assert all(entry.kind != "cpu" or entry.gpu_model is None for entry in found.offers)
