"""Azure's parser on answers in the feed's shape: several meters a size, units, totals of reservations, placeholders."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from werkzeug import Response

from pricing.answers import Answer, Answers
from pricing.errors import FeedError
from pricing.provider import provider
from pricing.providers import azure

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_httpserver import HTTPServer
    from werkzeug import Request

    from pricing.offer import Offer
    from pricing.provider import Fetched

PAYLOADS = Path(__file__).parent / "payloads"
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
PRICES = "/prices.azure.com/api/retail/prices"
SIZES = "/azure.microsoft.com/api/v3/pricing/virtual-machines/calculator/"


def payload(name: str) -> Any:
    return json.loads((PAYLOADS / f"azure_{name}.json").read_text(encoding="utf-8"))


def answer(part: str, value: Any, region: str | None = None) -> Answer:
    return Answer("azure", part, json.dumps(value).encode(), region)


def parsed(*answers: Answer) -> Fetched:
    return provider("azure").parse(Answers(list(answers)), NOW)


def by_key(fetched: Fetched) -> dict[tuple[Any, ...], Offer]:
    found = {(o.server, o.region, o.term, o.commitment_months): o for o in fetched.offers}
    assert len(found) == len(fetched.offers) == len({o.offer_id for o in fetched.offers})
    return found


def page(*rows: dict[str, Any]) -> dict[str, Any]:
    return {"Items": list(rows), "NextPageLink": None, "Count": len(rows)}


def meter(price: float, region: str = "westeurope", **facts: Any) -> dict[str, Any]:
    return {
        "currencyCode": "USD", "retailPrice": price, "armRegionName": region, "armSkuName": "Standard_D8s_v5",
        "meterName": "D8s v5", "productName": "Virtual Machines Dsv5 Series", "type": "Consumption", **facts,
    }  # fmt: skip


@pytest.fixture(scope="module")
def fetched() -> Fetched:
    return parsed(
        answer("sizes", payload("calculator")),
        answer("prices", payload("consumption"), "westeurope"),
        answer("reservations", payload("reservations"), "westeurope"),
    )


@pytest.fixture(scope="module")
def offers(fetched: Fetched) -> dict[tuple[Any, ...], Offer]:
    return by_key(fetched)


def price(offers: dict[tuple[Any, ...], Offer], server: str, term: str, months: int | None = None) -> float | None:
    found = offers.get((f"Standard_{server}", "westeurope", term, months))
    return found.price_per_hour if found else None


def test_only_the_linux_meters_are_offers(fetched: Fetched, offers: dict[tuple[Any, ...], Offer]) -> None:
    assert price(offers, "ND96isr_H100_v5", "on_demand") == 88.5
    assert price(offers, "ND96isr_H100_v5", "spot") == 17.25
    assert price(offers, "D2as_v5", "on_demand") == 0.0861
    assert {server for server, *_ in offers} == {
        f"Standard_{name}"
        for name in (
            "ND96isr_H100_v5", "D2as_v5", "D4as_v5", "E16-4s_v5", "NV6ads_A10_v5", "NC40ads_H100_v5", "ND96asr_v4",
            "NC8ads_A10_v4", "NC6s_v3", "B2s", "D14_v2",
        )
    }  # fmt: skip
    assert fetched.skipped == {
        "Windows": 2, "Low Priority": 1, "Cloud Services": 1, "Dedicated Host": 1, "unit is not hours": 1,
        "another region": 1, "price is 0": 1, "placeholder price": 1, "not an hourly price": 1, "no size": 1,
        "price not yet in force": 1, "currency is not USD": 1, "reservation without a term or a price": 1,
        "commitment out of proportion to on-demand": 1,
    }  # fmt: skip


def test_a_reservation_is_the_total_of_its_term(offers: dict[tuple[Any, ...], Offer]) -> None:
    assert price(offers, "ND96isr_H100_v5", "reserved", 12) == pytest.approx(60.0)
    assert price(offers, "ND96isr_H100_v5", "reserved", 36) == pytest.approx(40.0)
    # 0.05 is a price per hour where a total is due.
    assert price(offers, "D2as_v5", "reserved", 12) is None
    assert offers["Standard_ND96isr_H100_v5", "westeurope", "reserved", 12].upfront_share == 0.0


def test_a_savings_plan_is_hourly(offers: dict[tuple[Any, ...], Offer]) -> None:
    assert price(offers, "D2as_v5", "savings_plan", 12) == 0.06
    assert price(offers, "D2as_v5", "savings_plan", 36) == 0.042
    assert offers["Standard_D2as_v5", "westeurope", "on_demand", None].upfront_share is None


def test_units(offers: dict[tuple[Any, ...], Offer]) -> None:
    assert price(offers, "D4as_v5", "on_demand") == pytest.approx(0.172)
    assert price(offers, "D2as_v5", "spot") == 0.0091
    assert [azure.unit_hours(unit) for unit in (None, "1 Hour", "100 Hours", "1 GB", "0 Hours", "-1 Hour", "")] == [
        1.0, 1.0, 100.0, None, None, None, None,
    ]  # fmt: skip
    assert [azure.term_months(term) for term in ("1 Year", "3 Years", "x Years", "", None)] == [
        12,
        36,
        None,
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("server", "gpu", "count", "gib"),
    [
        ("ND96isr_H100_v5", "H100-80GB-SXM5", 8, 80),
        ("NC40ads_H100_v5", "H100-94GB-NVL", 1, 94),
        ("ND96asr_v4", "A100-40GB-SXM4", 8, 40),
        ("NV6ads_A10_v5", "A10", pytest.approx(1 / 6), 4),
        ("NC8ads_A10_v4", "accelerator of Standard_NC8ads_A10_v4", None, None),
        ("NC6s_v3", "V100-16GB-PCIe", 1, 16),
    ],
)
def test_gpus_come_from_our_table(
    offers: dict[tuple[Any, ...], Offer], server: str, gpu: str, count: Any, gib: float | None
) -> None:
    offer = offers[f"Standard_{server}", "westeurope", "on_demand", None]
    assert (offer.kind, offer.gpu_model, offer.gpu_count, offer.vram_gib_per_gpu) == ("gpu", gpu, count, gib)


def test_what_the_buyer_must_know(offers: dict[tuple[Any, ...], Offer]) -> None:
    assert offers["Standard_NC6s_v3", "westeurope", "on_demand", None].note == "series retired 2025-09-30"
    assert offers["Standard_D2as_v5", "westeurope", "on_demand", None].note is None
    assert offers["Standard_B2s", "westeurope", "on_demand", None].shared_cpu is True
    assert offers["Standard_D2as_v5", "westeurope", "on_demand", None].shared_cpu is None


def test_sizes_come_from_the_calculator(offers: dict[tuple[Any, ...], Offer]) -> None:
    sizes = {server: (o.vcpus, o.ram_gib) for (server, *_), o in offers.items()}
    assert sizes["Standard_B2s"] == (2.0, 4.0)
    assert sizes["Standard_D14_v2"] == (16.0, 112.0)
    assert sizes["Standard_E16-4s_v5"] == (4.0, 128.0)


def test_without_the_calculator_sizes_are_read_from_names() -> None:
    found = by_key(parsed(answer("prices", payload("consumption"), "westeurope")))
    assert found["Standard_D2as_v5", "westeurope", "on_demand", None].ram_gib == 8.0
    assert found["Standard_B2s", "westeurope", "on_demand", None].ram_gib is None
    broken = Answer("azure", "sizes", b"<html>")
    assert parsed(broken, answer("prices", payload("consumption"), "westeurope")).offers


def test_of_two_linux_meters_the_primary_then_the_lower_counts() -> None:
    two = page(meter(0.8), meter(0.4), meter(0.6))
    assert [o.price_per_hour for o in parsed(answer("prices", two, "westeurope")).offers] == [0.4]
    flagged = page(meter(0.3, isPrimaryMeterRegion=False), meter(0.5, isPrimaryMeterRegion=True))
    assert [o.price_per_hour for o in parsed(answer("prices", flagged, "westeurope")).offers] == [0.5]
    same = parsed(answer("prices", page(meter(0.4), meter(0.4)), "westeurope"))
    assert (len(same.offers), same.skipped) == (1, {})


@pytest.mark.parametrize("odd", [0.07, 2.1])
def test_a_price_far_from_the_other_regions_is_none(odd: float) -> None:
    regions = {"eastus": 0.38, "westeurope": 0.4, "uksouth": 0.42, "ukwest": odd}
    found = parsed(*(answer("prices", page(meter(price, region)), region) for region, price in regions.items()))
    assert {o.region for o in found.offers} == {"eastus", "westeurope", "uksouth"}
    assert found.skipped == {"price far from the other regions'": 1}


@pytest.mark.parametrize(("spot", "why"), [(0.41, "spot above on-demand"), (0.011, "spot far below on-demand")])
def test_spot_is_below_on_demand_but_not_nothing(spot: float, why: str) -> None:
    found = parsed(answer("prices", page(meter(0.4), meter(spot, meterName="D8s v5 Spot")), "westeurope"))
    assert (len(found.offers), found.skipped) == (1, {why: 1})


@pytest.mark.parametrize("region", ["usgovvirginia", "chinanorth3"])
def test_regions_of_states_are_not_sold(region: str) -> None:
    found = parsed(answer("prices", page(meter(0.4, region)), region))
    assert (found.offers, found.skipped) == ((), {"region not open to the public": 1})


def test_an_empty_region_is_missing() -> None:
    found = parsed(answer("prices", page(meter(0.4)), "westeurope"), answer("prices", page(), "uksouth"))
    assert [(part.region, part.term) for part in found.missing] == [("uksouth", None)]
    assert len(found.offers) == 1


@pytest.mark.parametrize(
    ("value", "said"), [([], "no list Items"), ({"Items": {}}, "no list Items"), ({"Items": [1, "x"]}, "known shape")]
)
def test_bad_shapes(value: Any, said: str) -> None:
    with pytest.raises(FeedError, match=said):
        parsed(answer("prices", value, "westeurope"))


@pytest.mark.parametrize("bad", ["0.4", True, -1.0, [], {}])
def test_one_broken_row_costs_only_itself(bad: Any) -> None:
    rows = [meter(0.4, armSkuName=f"Standard_D{n}s_v5") for n in (2, 4, 8, 16, 32)]
    broken = copy.deepcopy(rows)
    broken[0]["retailPrice"] = bad
    assert len(parsed(answer("prices", page(*broken), "westeurope")).offers) == 4


def serve(httpserver: HTTPServer, regions: dict[str, list[dict[str, Any]]], size: int = 2) -> list[dict[str, str]]:
    """Answers price requests as Azure does: a few rows a page, the next page's address in its own spelling."""
    seen: list[dict[str, str]] = []

    def answer_prices(request: Request) -> Response:
        query = dict(request.args.items())
        seen.append(query)
        region = next((name for name in regions if f"'{name}'" in query["$filter"]), None)
        if region is None:
            return Response("busy", 404)
        rows = regions[region] if "'Consumption'" in query["$filter"] else []
        start = int(query.get("$skip", "0"))
        more = start + size < len(rows)
        link = f"https://prices.azure.com:443/api/retail/prices?$filter=other&$skip={start + size}" if more else None
        return Response(json.dumps({"Items": rows[start : start + size], "NextPageLink": link}))

    httpserver.expect_request(PRICES).respond_with_handler(answer_prices)
    return seen


def test_each_region_is_paged_by_itself(httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]) -> None:
    httpserver.expect_request(SIZES).respond_with_json(payload("calculator"))
    rows = [meter(0.4, armSkuName=f"Standard_D{n}s_v5") for n in (2, 4, 8, 16, 32)]
    seen = serve(httpserver, {"westeurope": rows, "uksouth": [meter(0.5, "uksouth")]})
    found = fetch_and_parse("azure", ("WestEurope", "uksouth"))
    assert {(o.server, o.region) for o in found.offers} == {
        *((f"Standard_D{n}s_v5", "westeurope") for n in (2, 4, 8, 16, 32)),
        ("Standard_D8s_v5", "uksouth"),
    }
    assert not found.missing
    assert all(query["api-version"] == "2023-01-01-preview" and query["currencyCode"] == "'USD'" for query in seen)
    assert sorted(query.get("$skip", "0") for query in seen if "'Consumption'" in query["$filter"]) == [
        "0",
        "0",
        "2",
        "4",
    ]
    assert all("serviceName eq 'Virtual Machines' and priceType eq" in query["$filter"] for query in seen)


def test_a_region_that_fails_is_missing_as_a_whole(
    httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]
) -> None:
    httpserver.expect_request(SIZES).respond_with_data("gone", 404)
    serve(httpserver, {"westeurope": [meter(0.4)]})
    found = fetch_and_parse("azure", ("westeurope", "eastus"))
    assert {o.region for o in found.offers} == {"westeurope"}
    assert [(part.region, part.term) for part in found.missing] == [("eastus", None)]


def test_half_a_region_is_not_used(httpserver: HTTPServer, asker: Callable[..., Any]) -> None:
    def first_page_only(request: Request) -> Response:
        if "$skip" in request.args:
            return Response("gone", 404)
        link = "https://prices.azure.com:443/api/retail/prices?$skip=1"
        return Response(json.dumps({"Items": [meter(0.4)], "NextPageLink": link}))

    httpserver.expect_request(SIZES).respond_with_data("gone", 404)
    httpserver.expect_request(PRICES).respond_with_handler(first_page_only)
    ask = asker("azure", ("westeurope",))
    with pytest.raises(FeedError):
        provider("azure").fetch(ask)
    assert not ask.answers.all("prices")


def test_captured_answers(capture: Callable[[str], bytes]) -> None:
    names = ("retail_prices_H100_eastus-2026-09-16.json", "retail_prices_D2s_v3_eastus-2026-06.json")
    found = parsed(*(Answer("azure", "prices", capture(f"azure/{name}"), "eastus") for name in names))
    assert {(o.server, o.term, o.price_per_hour, o.vcpus, o.gpu_model, o.gpu_count) for o in found.offers} == {
        ("Standard_ND96isr_H100_v5", "on_demand", 98.32, 96.0, "H100-80GB-SXM5", 8.0),
        ("Standard_ND96isr_H100_v5", "spot", 18.169536, 96.0, "H100-80GB-SXM5", 8.0),
        ("Standard_D2s_v3", "on_demand", 0.096, 2.0, None, None),
        ("Standard_D2s_v3", "spot", 0.018816, 2.0, None, None),
    }
    assert next(o.ram_gib for o in found.offers if o.server == "Standard_D2s_v3") == 8.0
    nothing = parsed(Answer("azure", "prices", capture("azure/retail_prices_empty-2026-10-03.json"), "eastus"))
    assert not nothing.offers
    assert nothing.missing
