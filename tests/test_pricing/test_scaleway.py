"""Scaleway's parser: bytes, minutes, retired rows, CPUs of the catalog, whole machines, zones that do not answer."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from pricing.answers import Answer, Answers
from pricing.errors import FeedError
from pricing.providers.scaleway import Scaleway

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_httpserver import HTTPServer

    from pricing.offer import Offer
    from pricing.provider import Fetched

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
GIB = 1024**3
CATALOG = "/api.scaleway.com/product-catalog/v2alpha1/public-catalog/products"


def a_server(price: Any, **facts: Any) -> dict[str, Any]:
    return {
        "arch": "x86_64",
        "ncpus": 4,
        "ram": 16 * GIB,
        "gpu": 0,
        "gpu_info": None,
        "mig_profile": None,
        "volumes_constraint": {"min_size": 0, "max_size": 0},
        "scratch_storage_max_size": 0,
        "hourly_price": price,
        "monthly_price": 99.0,
        "network": {"sum_internet_bandwidth": 500_000_000},
        "end_of_service": False,
        **facts,
    }


def gpus(count: int, name: str | None, gib: int = 80) -> dict[str, Any]:
    return {"gpu": count, "gpu_info": {"gpu_name": name, "gpu_memory": gib * GIB} if name else None}


def a_product(name: str, price: float, zone: str = "fr-par-9", unit: str = "hour", **facts: Any) -> dict[str, Any]:
    kind = facts.pop("kind", "instance")
    cpu = facts.pop("cpu", {"type": "AMD EPYC™ 7543 (2.8 GHz)", "virtual": {"count": 4}, "threads": 4, "shared": False})
    hardware = {"cpu": cpu, "ram": {"size": 16 * GIB}, "storage": {"description": "Block"}, **facts.pop("hardware", {})}
    whole, rest = divmod(round(price * 1e9), 10**9)
    return {
        "product": name,
        "locality": {"zone": zone},
        "status": "general_availability",
        "unit_of_measure": {"unit": unit, "size": 1},
        "price": {"retail_price": {"currency_code": "EUR", "units": whole, "nanos": rest}},
        "properties": {"hardware": hardware, kind: {"offer_id": name}},
        **facts,
    }


def parsed(servers: dict[str, Any] | None = None, products: list[Any] | None = None, zone: str = "fr-par-9") -> Fetched:
    answers = Answers()
    for part, value, region in (
        ("servers", {"servers": servers or {}}, zone),
        ("catalog", {"products": products or []}, None),
    ):
        answers.items.append(Answer("scaleway", part, json.dumps(value).encode(), region))
    return Scaleway().parse(answers, NOW)


def only(found: Fetched) -> Offer:
    (offer,) = found.offers
    return offer


def test_bytes_and_euros_an_hour() -> None:
    offer = only(parsed({"POP9-4C-16G": a_server(0.15)}))
    assert (offer.vcpus, offer.ram_gib, offer.nic, offer.storage) == (
        4.0,
        16.0,
        "500 Mbit/s",
        "network (block storage required)",
    )
    assert (offer.price_per_hour, offer.price_per_month, offer.currency, offer.region_group) == (
        0.15,
        None,
        "EUR",
        "eu",
    )


def test_gpus_have_their_memory_in_bytes() -> None:
    offer = only(parsed({"H100-SXM-8-80G": a_server(25.5, scratch_storage_max_size=12e12, **gpus(8, "H100-SXM"))}))
    assert (offer.gpu_model, offer.gpu_count, offer.vram_gib_per_gpu) == ("H100-80GB-SXM5", 8.0, 80.0)
    assert offer.storage == "network (block storage required) + 12000 GB scratch"
    assert offer.cpu_model == "Intel Xeon Platinum 8452Y"
    pcie = only(parsed({"H100-1-80G": a_server(2.9, **gpus(1, "H100-PCIe"))}))
    assert pcie.gpu_model == "H100-80GB-PCIe"
    assert only(parsed({"RENDER-S": a_server(1.2, **gpus(1, "P100", 16))})).gpu_model == "P100-16GB-PCIe"


@pytest.mark.parametrize(
    ("name", "row", "reason"),
    [
        ("ENT9-S", a_server(0.29, end_of_service=True), "end of service"),
        ("POP9-2C-8G-WIN", a_server(0.3), "Windows"),
        ("H100-MIG", a_server(1.0, mig_profile="1g.10gb", **gpus(1, "H100-PCIe")), "slice of unstated size"),
        ("NEW-1", a_server(1.0, **gpus(1, None)), "GPU without a name"),
        ("VC9", a_server(0), "no price"),
    ],
)
def test_rows_that_are_no_offers(name: str, row: dict[str, Any], reason: str) -> None:
    found = parsed({name: row})
    assert (found.offers, found.skipped) == ((), {reason: 1})


def test_a_network_variant_is_marked() -> None:
    assert only(parsed({"POP9-HN-3": a_server(0.25)})).note == "network variant, dear for its size"


def test_the_catalog_names_the_cpu_of_an_instance() -> None:
    cpu = {"type": "Ampere M128-30", "virtual": {"count": 4}, "threads": 4, "shared": True}
    found = parsed({"BASIC9-A4C": a_server(0.05)}, [a_product("BASIC9-A4C", 0.05, cpu=cpu)])
    offer = only(found)
    assert (offer.cpu_model, offer.cpu_basis, offer.shared_cpu) == ("Ampere Altra Max M128-30", "row", True)
    assert found.skipped == {"instance listed by its zone": 1}


def test_a_zone_that_did_not_answer_is_read_from_the_catalog() -> None:
    gpu = {"gpu": {"count": 8, "type": "B300-SXM"}}
    offer = only(parsed({}, [a_product("B300-SXM-8-288G", 1.25, unit="minute", hardware=gpu)]))
    assert (offer.price_per_hour, offer.region) == (75.0, "fr-par-9")
    assert (offer.gpu_model, offer.gpu_count, offer.vram_gib_per_gpu) == ("B300-288GB-SXM", 8.0, 268.6)


@pytest.mark.parametrize(
    "facts",
    [{"status": "retired"}, {"status": "end_of_sale"}, {"end_of_life_at": "2026-01-31T00:00:00Z"}],
)
def test_what_the_catalog_keeps_of_old_times_is_no_offer(facts: dict[str, Any]) -> None:
    found = parsed({}, [a_product("X64-15GB", 0.05, **facts)])
    assert (found.offers, found.skipped) == ((), {"no longer sold": 1})


METAL_CPU = {
    "type": "AMD EPYC 7543",
    "physical": {"sockets": 2, "cores_per_socket": 32, "threads_per_core": 2},
    "threads": 128,
}


def test_machines_by_the_hour_and_by_the_month_are_two_offers() -> None:
    machine: dict[str, Any] = {
        "kind": "elastic_metal",
        "cpu": METAL_CPU,
        "hardware": {"storage": {"description": "2 x 1 TB NVMe"}},
    }
    found = parsed(
        {},
        [
            a_product("EM-T9", 1.5, **machine),
            a_product("EM-T9", 540.0, unit="month", **machine),
            a_product("EM-T9", 99.0, unit="setup", **machine),
        ],
    ).offers
    assert {(o.term, o.price_per_hour, o.price_per_month, o.setup_fee) for o in found} == {
        ("on_demand", 1.5, None, None),
        ("monthly", None, 540.0, 99.0),
    }
    assert {(o.sockets, o.cores, o.vcpus, o.cpu_model, o.tier, o.storage) for o in found} == {
        (2, 64.0, 128.0, "AMD EPYC 7543", "Elastic Metal", "2 x 1 TB NVMe")
    }


def test_a_mac_or_a_disk_is_no_server() -> None:
    found = parsed({}, [a_product("M9-M", 0.2, kind="apple_silicon"), a_product("SBS", 0.1, kind="block_storage")])
    assert (found.offers, found.skipped) == ((), {"not a server": 2})


def test_another_currency_is_no_euro() -> None:
    row = a_product("POP9", 0.2)
    row["price"]["retail_price"]["currency_code"] = "USD"
    assert parsed({}, [row]).skipped == {"no price": 1}


@pytest.mark.parametrize("part", ["servers", "catalog"])
@pytest.mark.parametrize("answer", [[], {}, {"servers": [], "products": {}}])
def test_an_answer_of_another_shape_says_so(part: str, answer: Any) -> None:
    with pytest.raises(FeedError, match="the answer has no"):
        Scaleway().parse(Answers.of("scaleway", **{part: answer}), NOW)


@pytest.mark.parametrize(
    "facts", [{"hourly_price": "0.1"}, {"ram": "16"}, {"end_of_service": "false"}, {"gpu_info": []}]
)
def test_wrong_types_take_nothing(facts: dict[str, Any]) -> None:
    with pytest.raises(FeedError, match="not in the known shape"):
        parsed({"POP9": a_server(0.1) | gpus(1, "L4", 24) | facts})


def test_pages_zones_and_catalog_are_asked(httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]) -> None:
    path = "/api.scaleway.com/instance/v1/zones/fr-par-1/products/servers"
    httpserver.expect_request(path, query_string="page=1&per_page=100").respond_with_json(
        {"servers": {"A9": a_server(0.1)}}, headers={"Link": '</products/servers?page=2&per_page=100&>; rel="next"'}
    )
    httpserver.expect_request(path, query_string="page=2&per_page=100").respond_with_json(
        {"servers": {"B9": a_server(0.2)}}
    )
    httpserver.expect_request(path.replace("fr-par", "nl-ams")).respond_with_json({"message": "no"}, status=404)
    for page, name in ((1, "A9"), (2, "C9")):
        httpserver.expect_request(CATALOG, query_string=f"page={page}&page_size=1000").respond_with_json(
            {"products": [a_product(name, 0.3, "nl-ams-1")], "total_count": 2}
        )
    found = fetch_and_parse("scaleway", ("fr-par-1", "nl-ams-1"))
    assert {(o.server, o.region) for o in found.offers} == {
        ("A9", "fr-par-1"), ("B9", "fr-par-1"), ("A9", "nl-ams-1"), ("C9", "nl-ams-1"),
    }  # fmt: skip
    assert [(entry.region, entry.term) for entry in found.missing] == [("nl-ams-1", None)]


def test_a_total_in_the_header_ends_the_pages(httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]) -> None:
    httpserver.expect_request(CATALOG).respond_with_json({"products": [], "total_count": 0})
    for page in (1, 2):
        httpserver.expect_request(
            "/api.scaleway.com/instance/v1/zones/fr-par-1/products/servers", query_string=f"page={page}&per_page=100"
        ).respond_with_json({"servers": {f"S{page}": a_server(0.1)}}, headers={"X-Total-Count": "2"})
    assert {o.server for o in fetch_and_parse("scaleway", ("fr-par-1",)).offers} == {"S1", "S2"}


def test_without_the_catalog_old_machines_stay(httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]) -> None:
    httpserver.expect_request(CATALOG).respond_with_data("gone", status=410)
    httpserver.expect_request("/api.scaleway.com/instance/v1/zones/fr-par-1/products/servers").respond_with_json(
        {"servers": {"A9": a_server(0.1)}}
    )
    found = fetch_and_parse("scaleway", ("fr-par-1",))
    assert [(m.kind, m.term) for m in found.missing] == [(None, "monthly"), ("cpu", "on_demand")]
    assert len(found.offers) == 1


def test_nothing_answered_is_an_error(httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]) -> None:
    httpserver.expect_request(re.compile(".*")).respond_with_data("", status=404)
    with pytest.raises(FeedError, match="404"):
        fetch_and_parse("scaleway")


def test_real_answers(capture: Callable[[str], bytes]) -> None:
    answers = Answers()
    for zone, name in (
        ("fr-par-1", "products_servers-fr-par-1-page1-2025-09-05"),
        ("fr-par-1", "products_servers-fr-par-1-page2-2025-09-05"),
        ("fr-par-2", "products_servers-fr-par-2-page1-2026-08"),
    ):
        answers.items.append(Answer("scaleway", "servers", capture(f"scaleway/{name}.json"), zone))
    answers.items.append(Answer("scaleway", "catalog", capture("scaleway/public-catalog-2026-08.json")))
    found = Scaleway().parse(answers, NOW)
    by_key = {(o.server, o.region): o for o in found.offers}
    assert len(by_key) == len(found.offers)
    for server, zone, vcpus, ram_gib, chip, count, price in (
        ("H100-1-80G", "fr-par-2", 24, 240, "H100-80GB-PCIe", 1, 2.8665),
        ("H100-SXM-8-80G", "fr-par-2", 128, 960, "H100-80GB-SXM5", 8, 25.3308),
        ("B300-SXM-8-288G", "fr-par-2", 224, 3840, "B300-288GB-SXM", 8, 60.0),
        ("B300-SXM-2-288G", "fr-par-2", 56, 960, "B300-288GB-SXM", 2, 18.96),
        ("L4-1-24G", "fr-par-2", 8, 48, "L4", 1, 0.7875),
        ("BASIC2-A2C-4G", "fr-par-2", 2, 4, None, None, 0.023),
        ("L4-1-24G", "fr-par-1", 8, 48, "L4", 1, 0.75),
        ("POP2-4C-16G", "fr-par-1", 4, 16, None, None, 0.147),
        ("COPARM1-2C-8G", "fr-par-1", 2, 8, None, None, 0.0426),
        ("RENDER-S", "fr-par-1", 10, 42, "P100-16GB-PCIe", 1, 1.2426),
        ("POP2-HC-2C-4G", "fr-par-1", 2, 4, None, None, 0.0532),
    ):
        offer = by_key[server, zone]
        assert (offer.vcpus, offer.ram_gib, offer.gpu_model, offer.gpu_count) == (vcpus, ram_gib, chip, count), server
        assert (offer.price_per_hour, offer.currency) == (price, "EUR")
    assert not {"ENT1-S", "VC1-L", "X64-120GB"} & {server for server, _ in by_key}


def test_the_catalog_alone_has_gpus_by_the_minute(capture: Callable[[str], bytes]) -> None:
    found = Scaleway().parse(Answers.of("scaleway", catalog=capture("scaleway/public-catalog-2026-08.json")), NOW)
    (b300,) = [o for o in found.offers if o.kind == "gpu"]
    assert (b300.server, b300.price_per_hour, b300.gpu_count) == ("B300-SXM-8-288G", 60.0, 8.0)
    assert {o.region for o in found.offers} <= {"fr-par-1", "fr-par-2", "nl-ams-1"}
