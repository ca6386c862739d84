"""Lium: smallest orders, free GPUs, the host's share of memory, and the older list."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from pricing.answers import Answers
from pricing.errors import FeedError
from pricing.provider import Fetched, provider
from pricing.providers import lium

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_httpserver import HTTPServer

    from pricing.offer import Offer

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def node(**changes: Any) -> dict[str, Any]:
    return {
        "id": "aaaa1111-0000-4000-8000-000000000001",
        "gpu_model": "H100 80GB HBM3",
        "gpu_count": 8,
        "available_gpu_count": 6,
        "min_rentable_gpu_count": 1,
        "price_per_gpu_hour": 2.0,
        "price_per_node_hour": 16.0,
        "gpu_memory_gb": 80,
        "cpu_count": 192,
        "ram_gb": 2000,
        "disk_gb": 8000,
        "tier": "secure",
        "country_code": "FR",
        "region": "IDF",
        "city": "Paris",
        "rent_url": "https://lium.io/browse-pods/aaaa1111",
    } | changes


def executor(**changes: Any) -> dict[str, Any]:
    return {
        "id": "bbbb2222-0000-4000-8000-000000000001",
        "machine_name": "NVIDIA H200",
        "price_per_gpu": 3.0,
        "gpu_count": 2,
        "available_gpu_count": 2,
        "specs": {"is_spot": False},
        "tier": "secure",
        "min_gpu_count_for_rental": None,
        "location": {"country_code": "FI", "city": "Helsinki"},
    } | changes


def fetched(*nodes: Any) -> Fetched:
    return provider("lium").parse(Answers.of("lium", nodes={"count": len(nodes), "nodes": list(nodes)}), NOW)


def parsed(*nodes: Any) -> dict[str, Offer]:
    found = fetched(*nodes).offers
    keyed = {offer.server: offer for offer in found}
    assert len(keyed) == len(found) == len({offer.offer_id for offer in found})
    return keyed


def test_orders_from_the_smallest_to_what_is_free() -> None:
    offers = parsed(node())
    assert list(offers) == ["aaaa1111 1 of 8", "aaaa1111 2 of 8", "aaaa1111 4 of 8", "aaaa1111 6 of 8"]
    four = offers["aaaa1111 4 of 8"]
    assert (four.gpu_model, four.gpu_count, four.vram_gib_per_gpu) == ("H100-80GB-SXM5", 4.0, 80.0)
    assert (four.price_per_hour, four.region, four.region_group) == (8.0, "fr-idf", "eu")
    assert (four.tier, four.term, four.availability) == ("secure", "on_demand", "available")


def test_a_part_has_its_share_of_the_host() -> None:
    four = parsed(node())["aaaa1111 4 of 8"]
    # 1 % of 2000 GB stays with the host; half of the rest.
    assert (four.vcpus, four.ram_gib, four.storage) == (96.0, 990.0, "4000 GB")
    small = parsed(node(gpu_count=1, available_gpu_count=1, ram_gb=64))["aaaa1111 whole node"]
    assert small.ram_gib == 60.0


@pytest.mark.parametrize(
    ("least", "free", "found"),
    [(8, 8, [8]), (8, 6, []), (4, 6, [4, 6]), (None, 8, [8]), (None, 6, []), (3, 7, [3, 4, 7]), (1, 0, [])],
)
def test_the_smallest_order_is_kept_to(least: int | None, free: int, found: list[int]) -> None:
    offers = parsed(node(min_rentable_gpu_count=least, available_gpu_count=free))
    assert [offer.gpu_count for offer in offers.values()] == found


def test_counts() -> None:
    assert lium.counts(1, 1) == [1]
    assert lium.counts(1, 8) == [1, 2, 4, 8]


def test_the_spot_tier_is_spot() -> None:
    assert {offer.term for offer in parsed(node(tier="spot")).values()} == {"spot"}


def test_what_is_not_told_is_not_stated() -> None:
    absent = dict.fromkeys(("gpu_memory_gb", "cpu_count", "ram_gb", "disk_gb", "tier", "country_code", "region"))
    offer = parsed(node(**absent))["aaaa1111 1 of 8"]
    assert (offer.vcpus, offer.ram_gib, offer.storage, offer.tier, offer.region) == (None,) * 5
    assert offer.gpu_model == "H100-80GB-SXM5"


def test_what_is_no_offer_is_counted() -> None:
    found = fetched(node(), node(), node(id="x", price_per_gpu_hour=None), node(id="y", gpu_count=4000))
    assert found.skipped == {"listed twice": 1, "host without card, count or price": 2}


@pytest.mark.parametrize("value", [True, -2.0, "2.0", [], pytest.param(10**400, id="huge")])
def test_what_is_no_price_is_refused(value: Any) -> None:
    with pytest.raises(FeedError, match="known shape"):
        fetched(node(price_per_gpu_hour=value))


@pytest.mark.parametrize("answer", [[], {"nodes": {}}, {}])
def test_another_shape_is_refused(answer: Any) -> None:
    with pytest.raises(FeedError, match="no list"):
        provider("lium").parse(Answers.of("lium", nodes=json.dumps(answer)), NOW)


def test_nothing_asked_has_no_answer() -> None:
    with pytest.raises(FeedError):
        provider("lium").parse(Answers(), NOW)


def test_an_empty_list_has_no_offers() -> None:
    assert parsed() == {}


def test_the_older_list_tells_spot_by_tier_or_specs() -> None:
    rows = [executor(), executor(id="cccc", specs={"is_spot": True}), executor(id="dddd", specs=None, tier="spot")]
    found = provider("lium").parse(Answers.of("lium", executors=rows), NOW).offers
    assert [(o.server, o.term) for o in found] == [
        ("bbbb2222 whole node", "on_demand"),
        ("cccc whole node", "spot"),
        ("dddd whole node", "spot"),
    ]
    assert (found[0].region, found[0].price_per_hour, found[0].vram_gib_per_gpu) == ("FI Helsinki", 6.0, 141.0)


def test_the_promised_list_is_asked_first(httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]) -> None:
    httpserver.expect_request("/lium.io/api/public/v1/nodes").respond_with_json({"nodes": [node()]})
    assert len(fetch_and_parse("lium").offers) == 4


def test_the_older_list_stands_in(httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]) -> None:
    httpserver.expect_request("/lium.io/api/public/v1/nodes").respond_with_data("gone", status=404)
    httpserver.expect_request("/lium.io/api/executors").respond_with_json([executor()])
    assert [offer.server for offer in fetch_and_parse("lium").offers] == ["bbbb2222 whole node"]


def test_both_lists_may_fail(httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]) -> None:
    httpserver.expect_request("/lium.io/api/public/v1/nodes").respond_with_data("gone", status=404)
    httpserver.expect_request("/lium.io/api/executors").respond_with_data("no", status=403)
    with pytest.raises(FeedError, match="404"):
        fetch_and_parse("lium")


def test_a_real_answer(capture: Callable[[str], bytes]) -> None:
    body = capture("lium/executors-2026-08-22.json")
    found = provider("lium").parse(Answers.of("lium", executors=body), NOW).offers
    offers = {o.server: o for o in found}
    assert len(offers) == len(found) == 16
    two = offers["d7fe144f whole node"]
    assert (two.region, two.gpu_count, two.price_per_hour) == ("US Atlanta", 2.0, 3.5)
    spot = offers["b37a337d whole node"]
    assert (spot.term, spot.gpu_model, spot.price_per_hour) == ("spot", "H200-141GB-SXM", pytest.approx(24.8))
    assert offers["b1f168d5 4 of 8"].price_per_hour == pytest.approx(4.04)
    assert [o.gpu_count for server, o in offers.items() if server.startswith("5ab07794")] == [8.0]
