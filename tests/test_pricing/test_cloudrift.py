"""CloudRift: cents, bytes, variants and the data centres that have them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from werkzeug import Request, Response

from pricing.answers import Answers
from pricing.errors import FeedError
from pricing.provider import Fetched, provider
from pricing.providers import cloudrift

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_httpserver import HTTPServer

    from pricing.offer import Offer

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
GIB = 1024**3


def variant(**changes: Any) -> dict[str, Any]:
    return {
        "name": "rtx59-16c-nr.2",
        "cost_per_hour": 130.0,
        "cpu_count": 32,
        "dram": 128 * GIB,
        "disk": 1000 * GIB,
        "gpu_count": 2,
        "vram": 32 * GIB,
        "nodes_per_dc": {"us-east-nc-nr-1": 3, "ap-east-tw-kn-2": 0},
    } | changes


def fetched(*variants: Any, brand: Any = "RTX 5090") -> Fetched:
    types = [{"name": "rtx59", "brand_short": brand, "variants": list(variants)}]
    answer = {"version": "2025-03-21", "data": {"instance_types": types}}
    return provider("cloudrift").parse(Answers.of("cloudrift", types=answer), NOW)


def one(**changes: Any) -> Offer:
    return fetched(variant(**changes)).offers[0]


def test_a_variant_is_an_offer_in_each_data_centre() -> None:
    here, there = fetched(variant()).offers
    assert (here.server, here.region, here.availability) == ("rtx59-16c-nr.2", "us-east-nc-nr-1", "3 free")
    assert (there.region, there.availability) == ("ap-east-tw-kn-2", "out of stock")
    assert (here.price_per_hour, here.vcpus, here.ram_gib, here.storage) == (1.3, 32.0, 128.0, "1000 GiB")
    assert (here.gpu_model, here.gpu_count, here.vram_gib_per_gpu) == ("RTX-5090", 2.0, 32.0)


def test_the_newer_name_of_the_free_machines() -> None:
    assert one(available_nodes_per_dc={"eu-central-it-gv-1": 1}).region == "eu-central-it-gv-1"


@pytest.mark.parametrize("places", [{}, None])
def test_a_variant_in_no_data_centre_is_out_of_stock(places: Any) -> None:
    offer = one(nodes_per_dc=places)
    assert (offer.region, offer.availability) == (None, "out of stock")


def test_memory_of_one_card_or_of_all() -> None:
    assert one(vram=64 * GIB).gpu_model == "RTX-5090"
    assert one(vram=64 * GIB).vram_gib_per_gpu == 32.0
    assert one(vram=None).vram_gib_per_gpu == 32.0
    # 40 GiB is neither: another card than the catalog's.
    assert one(vram=40 * GIB).gpu_model == "RTX 5090"


def test_a_variant_without_cards_is_a_cpu_server() -> None:
    offer = one(gpu_count=0, vram=0)
    assert (offer.kind, offer.gpu_model) == ("cpu", None)


def test_what_is_no_offer_is_counted() -> None:
    found = fetched(variant(), variant(), variant(name="x", cost_per_hour=0))
    assert len(found.offers) == 2
    assert found.skipped == {"listed twice": 2, "variant without a name, card or price": 1}
    assert fetched(variant(), brand=None).offers == ()


@pytest.mark.parametrize(
    "changes", [{"cost_per_hour": "130"}, {"cost_per_hour": -1}, {"gpu_count": True}, {"nodes_per_dc": [1]}]
)
def test_other_types_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(FeedError, match="known shape"):
        fetched(variant(**changes))


@pytest.mark.parametrize("answer", [[], {"data": {}}, {"data": {"instance_types": {}}}, {"data": "too old"}, "no"])
def test_another_shape_is_refused(answer: Any) -> None:
    with pytest.raises(FeedError):
        provider("cloudrift").parse(Answers.of("cloudrift", types=json.dumps(answer)), NOW)


def test_it_posts_its_question(httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]) -> None:
    def answer(request: Request) -> Response:
        assert json.loads(request.get_data()) == cloudrift.BODY
        types = [{"brand_short": "RTX 5090", "variants": [variant()]}]
        return Response(json.dumps({"data": {"instance_types": types}}), mimetype="application/json")

    path = "/api.cloudrift.ai/api/v1/instance-types/list"
    httpserver.expect_oneshot_request(path, method="POST").respond_with_handler(answer)
    assert len(fetch_and_parse("cloudrift").offers) == 2
    httpserver.check_assertions()
