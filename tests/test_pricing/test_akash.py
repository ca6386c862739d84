"""Akash: averages of a market, one GPU each."""

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

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def model(**changes: Any) -> dict[str, Any]:
    return {
        "vendor": "nvidia",
        "model": "h100",
        "ram": "80Gi",
        "interface": "SXM5",
        "availability": {"total": 40, "available": 12},
        "price": {"currency": "USD", "min": 1.2, "max": 3.0, "avg": 2.1, "weightedAverage": 1.9, "med": 2.0},
    } | changes


def fetched(*models: Any) -> Fetched:
    return provider("akash").parse(Answers.of("akash", prices={"models": list(models)}), NOW)


def test_the_average_says_that_it_is_one() -> None:
    (offer,) = fetched(model()).offers
    assert (offer.server, offer.gpu_model, offer.gpu_count) == ("h100 80Gi SXM5", "H100-80GB-SXM5", 1.0)
    assert (offer.price_per_hour, offer.price_basis, offer.term) == (2.1, "derived", "on_demand")
    assert offer.note == "market average, from 1.20 to 3.00 USD"
    assert (offer.availability, offer.ram_gib, offer.region) == ("12 of 40 free", None, None)


@pytest.mark.parametrize(
    ("name", "memory", "link", "chip"),
    [
        ("h100", "80Gi", "PCIe", "H100-80GB-PCIe"),
        ("a100", "40Gi", "SXM4", "A100-40GB-SXM4"),
        ("a100", "80Gi", "PCIe", "A100-80GB-PCIe"),
        ("rtx4090", "24Gi", "PCIe", "RTX-4090"),
        ("v100", "32Gi", "SXM2", "V100-32GB-SXM2"),
        ("pro6000se", "96Gi", "PCIe", "RTX-PRO-6000-Blackwell-Server"),
        ("card2030", "24Gi", "PCIe", "card2030 PCIe"),
        ("rtx4090", None, None, "RTX-4090"),
    ],
)
def test_memory_and_interface_tell_the_card(name: str, memory: str | None, link: str | None, chip: str) -> None:
    assert fetched(model(model=name, ram=memory, interface=link)).offers[0].gpu_model == chip


@pytest.mark.parametrize(
    ("free", "said"),
    [
        ({"available": 0, "total": 9}, "out of stock"),
        ({"available": 3}, "3 free"),
        ({"total": 9}, None),
        (None, None),
    ],
)
def test_stock(free: Any, said: str | None) -> None:
    assert fetched(model(availability=free)).offers[0].availability == said


def test_what_is_no_offer_is_counted() -> None:
    found = fetched(model(), model(), model(ram="94Gi", price=None), model(model=None))
    assert len(found.offers) == 1
    assert found.skipped == {"listed twice": 1, "card without an average price": 2}


def test_another_currency_is_no_offer() -> None:
    assert fetched(model(price={"currency": "AKT", "avg": 2.0})).skipped == {"not in dollars": 1}


def test_without_a_range_the_note_says_less() -> None:
    assert fetched(model(price={"avg": 2.0})).offers[0].note == "market average"


@pytest.mark.parametrize("value", ["2.1", True, -1.0, [], pytest.param(10**400, id="huge")])
def test_what_is_no_price_is_refused(value: Any) -> None:
    with pytest.raises(FeedError, match="known shape"):
        fetched(model(price={"avg": value}))


@pytest.mark.parametrize("answer", [[], {"models": {}}, {}])
def test_another_shape_is_refused(answer: Any) -> None:
    with pytest.raises(FeedError, match="no list"):
        provider("akash").parse(Answers.of("akash", prices=json.dumps(answer)), NOW)


def test_it_asks_once(httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]) -> None:
    path = "/console-api.akash.network/v1/gpu-prices"
    httpserver.expect_oneshot_request(path, method="GET").respond_with_json({"models": [model()]})
    assert len(fetch_and_parse("akash").offers) == 1
