"""Linode: prices of single regions, GPU plans at 0, cards told by the plan's id, monthly caps."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from pricing.answers import Answers
from pricing.errors import FeedError
from pricing.provider import Fetched, provider

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_httpserver import HTTPServer

    from pricing.offer import Offer

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
PATH = "/api.linode.com/v4/linode/types"


def plan(**changes: Any) -> dict[str, Any]:
    return {
        "id": "g6-dedicated-8",
        "label": "Dedicated 16GB",
        "class": "dedicated",
        "vcpus": 8,
        "memory": 16384,
        "disk": 327680,
        "gpus": 0,
        "accelerated_devices": 0,
        "price": {"hourly": 0.22, "monthly": 146.0},
        "region_prices": [{"id": "br-gru", "hourly": 0.31, "monthly": 204.4}],
    } | changes


def parsed(*plans: Any) -> dict[tuple[str, str | None], Offer]:
    found = fetched(*plans).offers
    keyed = {(offer.server, offer.region): offer for offer in found}
    assert len(keyed) == len(found) == len({offer.offer_id for offer in found})
    return keyed


def fetched(*plans: Any) -> Fetched:
    return provider("linode").parse(Answers.of("linode", types={"data": list(plans), "page": 1, "pages": 1}), NOW)


def test_regions_may_have_a_price_of_their_own() -> None:
    offers = parsed(plan())
    common, brazil = offers["g6-dedicated-8", None], offers["g6-dedicated-8", "br-gru"]
    assert (common.price_per_hour, common.price_per_month) == (0.22, 146.0)
    assert (brazil.price_per_hour, brazil.price_per_month, brazil.region_group) == (0.31, 204.4, "other")
    assert common.note == "price of every region without one of its own"
    assert (common.vcpus, common.ram_gib, common.storage) == (8.0, 16.0, "320 GB")


def test_a_list_without_region_prices_is_read() -> None:
    row = plan()
    del row["region_prices"]
    assert list(parsed(row)) == [("g6-dedicated-8", None)]


def test_a_gpu_at_0_has_no_price_but_may_have_one_in_a_region() -> None:
    row = plan(
        id="g2-gpu-rtx4000a2-m",
        gpus=2,
        price={"hourly": 0, "monthly": 0},
        region_prices=[{"id": "de-fra-2", "hourly": 1.4, "monthly": 900.0}, {"id": "us-ord", "hourly": 0.0}],
        **{"class": "gpu"},
    )
    offers = parsed(row)
    assert list(offers) == [("g2-gpu-rtx4000a2-m", "de-fra-2")]
    ada = offers["g2-gpu-rtx4000a2-m", "de-fra-2"]
    assert (ada.gpu_model, ada.gpu_count, ada.vram_gib_per_gpu) == ("RTX-4000-Ada", 2.0, 20.0)
    assert fetched(row).skipped == {"price 0": 2}


@pytest.mark.parametrize(
    ("name", "chip"),
    [
        ("g1-gpu-rtx6000-1", "Quadro-RTX-6000"),
        ("g2-gpu-rtx4000a1-s", "RTX-4000-Ada"),
        ("g3-gpu-rtxpro6000-blackwell-1", "RTX-PRO-6000-Blackwell-Server"),
        ("g9-gpu-card2030-1", "g9-gpu-card2030-1"),
    ],
)
def test_cards_are_told_by_the_id(name: str, chip: str) -> None:
    offer = parsed(plan(id=name, gpus=1, region_prices=[], **{"class": "gpu"}))[name, None]
    assert (offer.kind, offer.gpu_model) == ("gpu", chip)


@pytest.mark.parametrize(
    ("family", "shared"), [("nanode", True), ("standard", True), ("dedicated", False), ("new", None)]
)
def test_classes_tell_whether_the_cpu_is_shared(family: str, shared: bool | None) -> None:
    assert parsed(plan(**{"class": family}))["g6-dedicated-8", None].shared_cpu is shared


def test_video_encoders_are_no_gpus() -> None:
    offer = parsed(plan(accelerated_devices=1, **{"class": "accelerated"}))["g6-dedicated-8", "br-gru"]
    assert (offer.kind, offer.gpu_model, offer.note) == ("cpu", None, "with video encoders")


def test_what_is_no_offer_is_counted() -> None:
    found = fetched(plan(), plan(), plan(id=None), plan(id="a", price=None, region_prices=[{"hourly": 1.0}]))
    assert found.skipped == {
        "listed twice": 1,
        "plan without a name": 1,
        "no price": 1,
        "price of a region without a name": 1,
    }


@pytest.mark.parametrize(
    "price",
    [{"hourly": "0.2"}, {"hourly": -1}, {"hourly": True}, [], "x", pytest.param({"hourly": 10**400}, id="huge")],
)
def test_what_is_no_price_is_refused(price: Any) -> None:
    with pytest.raises(FeedError, match="known shape"):
        fetched(plan(price=price))


@pytest.mark.parametrize("answer", [[], {"data": {}}, {"errors": []}])
def test_another_shape_is_refused(answer: Any) -> None:
    with pytest.raises(FeedError, match="no list"):
        provider("linode").parse(Answers.of("linode", types=json.dumps(answer)), NOW)


def test_an_empty_list_has_no_offers() -> None:
    assert parsed() == {}


def test_all_pages_are_asked_for(httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]) -> None:
    for page in (1, 2):
        query = {"page": str(page), "page_size": "500"}
        answer = {"data": [plan(id=f"g6-dedicated-{page}")], "page": page, "pages": 2, "results": 2}
        httpserver.expect_oneshot_request(PATH, query_string=query).respond_with_json(answer)
    found = fetch_and_parse("linode")
    assert {offer.server for offer in found.offers} == {"g6-dedicated-1", "g6-dedicated-2"}
    httpserver.check_assertions()


def test_pages_that_do_not_tell_their_number_end(
    httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]
) -> None:
    httpserver.expect_request(PATH).respond_with_json({"data": [plan()]})
    assert len(fetch_and_parse("linode").offers) == 2


def test_page_numbers_of_another_type_are_no_end(
    httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]
) -> None:
    httpserver.expect_request(PATH).respond_with_json({"data": [plan()], "page": "1", "pages": "9"})
    with pytest.raises(FeedError, match="page numbers"):
        fetch_and_parse("linode")


def test_real_answers(capture: Callable[[str], bytes]) -> None:
    newest = provider("linode").parse(Answers.of("linode", types=capture("linode/types-2024-07-19.json")), NOW)
    offers = {(o.server, o.region): o for o in newest.offers}
    assert len(offers) == len(newest.offers) == 103
    prices = {key: offer.price_per_hour for key, offer in offers.items()}
    assert prices["g6-nanode-1", None] == 0.0075
    assert prices["g6-nanode-1", "id-cgk"] == 0.009
    assert prices["g6-nanode-1", "br-gru"] == 0.0105
    assert prices["g6-dedicated-2", None] == 0.054
    assert (prices["g6-dedicated-64", None], offers["g6-dedicated-64", None].ram_gib) == (6.912, 512.0)
    assert (prices["g7-highmem-16", "br-gru"], offers["g7-highmem-16", "br-gru"].vcpus) == (2.016, 16.0)
    assert prices["g7-premium-2", None] == 0.0645
    one, four = offers["g1-gpu-rtx6000-1", None], offers["g1-gpu-rtx6000-4", None]
    assert (one.gpu_model, one.vram_gib_per_gpu, one.price_per_hour) == ("Quadro-RTX-6000", 24.0, 1.5)
    assert (one.vcpus, one.ram_gib, one.price_per_month) == (8.0, 32.0, 1000.0)
    assert (four.gpu_count, four.ram_gib, four.price_per_hour) == (4.0, 128.0, 6.0)
    oldest = provider("linode").parse(Answers.of("linode", types=capture("linode/types-2022-05-10.json")), NOW)
    assert {o.price_per_hour for o in oldest.offers if o.server == "g1-gpu-rtx6000-2"} == {3.0}
