"""Lambda's parser: cents, regions with room, GPUs by table, description or name."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from pricing.answers import Answers
from pricing.errors import FeedError
from pricing.providers.lambda_ import Lambda

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_httpserver import HTTPServer

    from pricing.offer import Offer
    from pricing.provider import Fetched

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
PATH = "/cloud.lambda.ai/api/v1/instance-types"


def a_type(name: str, cents: Any, regions: tuple[str, ...] = (), **facts: Any) -> dict[str, Any]:
    specs = {"vcpus": 20, "memory_gib": 180, "storage_gib": 400, "gpus": facts.pop("gpus", 1)}
    kind = {"name": name, "price_cents_per_hour": cents, "specs": specs, **facts}
    return {"instance_type": kind, "regions_with_capacity_available": [{"name": region} for region in regions]}


def payload(*types: dict[str, Any]) -> dict[str, Any]:
    return {"data": {entry["instance_type"]["name"]: entry for entry in types}}


def parsed(answer: Any) -> Fetched:
    return Lambda().parse(Answers.of("lambda", types=answer), NOW)


def only(answer: Any) -> Offer:
    (offer,) = parsed(answer).offers
    return offer


def test_cents_are_dollars_of_the_whole_instance() -> None:
    offer = only(payload(a_type("gpu_8x_h100_sxm5", 2888, ("us-test-1",), gpus=8)))
    assert (offer.price_per_hour, offer.currency, offer.term) == (28.88, "USD", "on_demand")
    assert (offer.gpu_model, offer.gpu_count, offer.vram_gib_per_gpu) == ("H100-80GB-SXM5", 8.0, 80.0)
    assert (offer.vcpus, offer.ram_gib, offer.storage) == (20.0, 180.0, "400 GiB ssd")


def test_one_offer_a_region_with_room_and_none_elsewhere() -> None:
    found = parsed(payload(a_type("gpu_1x_a10", 90, ("us-test-1", "eu-test-2")))).offers
    assert {(o.region, o.availability) for o in found} == {("us-test-1", "in stock"), ("eu-test-2", "in stock")}


def test_without_room_a_type_has_no_region_but_a_price() -> None:
    offer = only(payload(a_type("gpu_1x_a10", 90)))
    assert (offer.region, offer.availability, offer.price_per_hour) == (None, "out of stock", 0.9)


def test_memory_comes_from_the_table_of_instances() -> None:
    sxm = only(payload(a_type("gpu_1x_a100_sxm4", 150)))
    large = only(payload(a_type("gpu_8x_a100_80gb_sxm4", 1500, gpus=8)))
    grace = only(payload(a_type("gpu_1x_gh200", 210)))
    assert (sxm.gpu_model, large.gpu_model, grace.gpu_model) == ("A100-40GB-SXM4", "A100-80GB-SXM4", "GH200-96GB")


def test_a_new_type_is_read_by_its_description_or_name() -> None:
    told = only(payload(a_type("gpu_4x_a100", 500, gpus=4, description="4x A100 (40 GB PCIe)")))
    assert (told.gpu_model, told.gpu_count, told.vram_gib_per_gpu) == ("A100-40GB-PCIe", 4.0, 40.0)
    unknown = only(payload(a_type("gpu_2x_z900", 500, gpus=2)))
    assert (unknown.gpu_model, unknown.gpu_count, unknown.kind) == ("Z900", 2.0, "gpu")


def test_more_than_nine_gpus_are_counted() -> None:
    entry = a_type("gpu_16x_b200_sxm6", 9000)
    entry["instance_type"]["specs"]["gpus"] = None
    assert only(payload(entry)).gpu_count == 16.0


def test_a_type_without_gpus_is_a_cpu_server() -> None:
    offer = only(payload(a_type("cpu_4x_general", 20, ("us-test-1",), gpus=0)))
    assert (offer.kind, offer.gpu_model, offer.price_per_hour) == ("cpu", None, 0.2)


@pytest.mark.parametrize("answer", [[], {"data": []}, {"data": None}, {"error": {"code": "x"}}])
def test_an_answer_that_is_none_says_so(answer: Any) -> None:
    with pytest.raises(FeedError, match="no object"):
        parsed(answer)


@pytest.mark.parametrize("cents", ["429", True, [], -5])
def test_what_is_no_price_takes_nothing(cents: Any) -> None:
    with pytest.raises(FeedError, match="not in the known shape"):
        parsed(payload(a_type("gpu_1x_a10", cents)))


def test_a_placeholder_is_no_price() -> None:
    found = parsed(payload(a_type("gpu_1x_a10", 0), a_type("gpu_1x_gh200", None)))
    assert found.offers == ()
    assert found.skipped == {"type without name or price": 2}


def test_the_key_is_sent_in_a_header_only(
    httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAMBDA_API_KEY", "not-a-secret")
    httpserver.expect_ordered_request(
        PATH, headers={"Authorization": "Bearer not-a-secret"}, query_string=""
    ).respond_with_json(payload(a_type("gpu_1x_a10", 90)))
    assert len(fetch_and_parse("lambda").offers) == 1


def test_without_a_key_nothing_is_asked(
    fetch_and_parse: Callable[..., Fetched], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LAMBDA_API_KEY", raising=False)
    with pytest.raises(FeedError, match="LAMBDA_API_KEY"):
        fetch_and_parse("lambda")


def test_a_real_answer(capture: Callable[[str], bytes]) -> None:
    found = parsed(json.loads(capture("lambda/instance-types-2026-08-15.json"))).offers
    by_key = {
        (o.server, o.region): (o.gpu_model, o.vram_gib_per_gpu, o.price_per_hour, o.vcpus, o.ram_gib) for o in found
    }
    assert by_key == {
        ("gpu_1x_h100_sxm5", None): ("H100-80GB-SXM5", 80.0, 4.29, 26.0, 225.0),
        ("gpu_1x_a100_sxm4", "us-east-1"): ("A100-40GB-SXM4", 40.0, 1.99, 30.0, 220.0),
        ("gpu_1x_a100_sxm4", "us-west-2"): ("A100-40GB-SXM4", 40.0, 1.99, 30.0, 220.0),
        ("gpu_1x_gh200", "us-east-3"): ("GH200-96GB", 96.0, 2.29, 64.0, 432.0),
    }
