"""Latitude.sh's parser: three terms a country, dollars only, cores of all sockets, stock, Grace Hopper."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from pricing.answers import Answers
from pricing.errors import FeedError
from pricing.providers import latitude
from pricing.providers.latitude import Latitude

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_httpserver import HTTPServer

    from pricing.provider import Fetched

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
PATH = "/api.latitude.sh/plans"


def a_country(
    name: str, hour: Any = 1.0, month: Any = 690.0, year: Any = 6000.0, stock: tuple[str, ...] = ()
) -> dict[str, Any]:
    prices = {
        "USD": {"hour": hour, "month": month, "year": year},
        "BRL": {"hour": 5.0, "month": 3500.0, "year": 30000.0},
    }
    return {"name": name, "locations": {"available": ["AAA"], "in_stock": list(stock)}, "pricing": prices}


def a_plan(slug: str, *countries: dict[str, Any], **specs: Any) -> dict[str, Any]:
    machine = {
        "cpu": {"type": "AMD 9354", "clock": 3.2, "cores": 64, "count": 2},
        "memory": {"total": 768},
        "drives": [{"count": 2, "size": "480GB", "type": "NVME"}, {"count": 1, "size": "3.8 TB", "type": "SSD"}],
        "nics": [{"count": 1, "type": "2 x 10 Gbps"}],
        "gpu": {},
        **specs,
    }
    return {
        "type": "plans",
        "attributes": {"slug": slug, "specs": machine, "regions": list(countries or [a_country("Chile")])},
    }


def parsed(*plans: Any) -> Fetched:
    return Latitude().parse(Answers.of("latitude", plans={"data": list(plans)}), NOW)


def test_hour_month_and_year_are_three_offers() -> None:
    found = {
        (o.term, o.commitment_months): (o.price_per_hour, o.price_per_month) for o in parsed(a_plan("m9-a")).offers
    }
    assert found == {
        ("on_demand", None): (1.0, None),
        ("monthly", None): (None, 690.0),
        ("reserved", 12): (None, 500.0),
    }


def test_a_term_without_a_price_is_none() -> None:
    found = parsed(a_plan("m9-a", a_country("Chile", month=None, year=0.0)))
    assert [(o.term, o.price_per_hour) for o in found.offers] == [("on_demand", 1.0)]


def test_reais_are_never_dollars() -> None:
    country = a_country("Brazil")
    del country["pricing"]["USD"]
    found = parsed(a_plan("m9-a", country))
    assert (found.offers, found.skipped) == ((), {"no price in dollars": 1})


def test_cores_are_those_of_all_sockets() -> None:
    offer = parsed(a_plan("m9-a")).offers[0]
    assert (offer.cpu_model, offer.sockets, offer.cores, offer.vcpus) == ("AMD EPYC 9354", 2, 64.0, 128.0)
    assert (offer.ram_gib, offer.storage, offer.nic) == (768.0, "2x 480GB NVME + 1x 3.8 TB SSD", "2 x 10 Gbps")


def test_an_empty_gpu_object_is_a_cpu_server() -> None:
    assert {o.kind for o in parsed(a_plan("m9-a")).offers} == {"cpu"}
    gpu = parsed(a_plan("g9-a", gpu={"count": 8, "type": "NVIDIA A100 80GB PCIe"})).offers[0]
    assert (gpu.kind, gpu.gpu_model, gpu.gpu_count, gpu.vram_gib_per_gpu) == ("gpu", "A100-80GB-PCIe", 8.0, 80.0)


def test_grace_hopper_is_arm_without_threads_or_a_clock() -> None:
    cpu = {"type": "NVIDIA Grace Hopper", "clock": 0.0, "cores": 72, "count": 1}
    offer = parsed(a_plan("g9-gh", cpu=cpu, gpu={"count": 1, "type": "NVIDIA GH200"})).offers[0]
    assert (offer.gpu_model, offer.cores, offer.vcpus, offer.sockets) == ("GH200-96GB", 72.0, 72.0, 1)


def test_stock_is_per_country() -> None:
    found = parsed(a_plan("m9-a", a_country("Chile", stock=("SAN", "SAN3")), a_country("Japan", hour=1.3))).offers
    assert {o.region: o.availability for o in found} == {"Chile": "in stock: SAN SAN3", "Japan": "out of stock"}
    assert {o.region_group for o in found} == {"other", "asia"}


@pytest.mark.parametrize("answer", [[], {}, {"data": {}}, {"errors": [{"code": "401"}]}])
def test_an_answer_that_is_none_says_so(answer: Any) -> None:
    with pytest.raises(FeedError, match="no list"):
        Latitude().parse(Answers.of("latitude", plans=answer), NOW)


@pytest.mark.parametrize("specs", [{"cpu": "x"}, {"gpu": "x"}, {"memory": {"total": "64"}}, {"drives": {}}])
def test_wrong_types_take_nothing(specs: dict[str, Any]) -> None:
    with pytest.raises(FeedError, match="not in the known shape"):
        parsed(a_plan("m9-a", **specs))


def test_pages_are_asked_until_one_is_not_full(
    httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LATITUDE_API_KEY", "not-a-secret")
    monkeypatch.setattr(latitude, "PER_PAGE", 2)
    headers = {"Authorization": "not-a-secret", "Api-Version": "2023-06-01"}
    for page, slugs in ((1, ["a", "b"]), (2, ["c"])):
        httpserver.expect_ordered_request(
            PATH, query_string={"page[size]": "2", "page[number]": str(page)}, headers=headers
        ).respond_with_json({"data": [a_plan(slug) for slug in slugs]})
    assert {o.server for o in fetch_and_parse("latitude").offers} == {"a", "b", "c"}


def test_a_real_answer(capture: Callable[[str], bytes]) -> None:
    found = parsed(*json.loads(capture("latitude/plans-2024-06-28.json"))["data"])
    by_key = {(o.server, o.region, o.term): o for o in found.offers}
    assert len(by_key) == len(found.offers) == 306
    for server, region, vcpus, ram_gib, chip, count, price in (
        ("g3-h100-large", "United States", 128, 1536, "H100-80GB-PCIe", 8, 21.12),
        ("g3-h100-small", "United States", 32, 192, "H100-80GB-PCIe", 1, 3.0),
        ("g3-a100-large", "Germany", 128, 1536, "A100-80GB-PCIe", 8, 15.14),
        ("g3-gh200", "United States", 72, 480, "GH200-96GB", 1, 5.29),
        ("g3-l40s-large", "Germany", 128, 1536, "L40S", 8, 11.92),
        ("c2-small-x86", "Argentina", 8, 32, None, None, 0.29),
    ):
        offer = by_key[server, region, "on_demand"]
        assert (offer.vcpus, offer.ram_gib, offer.gpu_model, offer.gpu_count) == (vcpus, ram_gib, chip, count)
        assert (offer.price_per_hour, offer.currency) == (price, "USD")
    assert by_key["c2-small-x86", "Argentina", "monthly"].price_per_month == 201.0
    assert by_key["m3-large-x86", "Germany", "on_demand"].availability == "out of stock"
