"""Verda: prices as texts, memory as totals, and a list of its own for where a type is to be had."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from pricing.answers import Answers
from pricing.errors import FeedError
from pricing.provider import Fetched, Missing, provider

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_httpserver import HTTPServer

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOST = "/api.datacrunch.io/v1"


def kind(**changes: Any) -> dict[str, Any]:
    return {
        "instance_type": "4H200.141S.176V",
        "name": "H200 SXM5 141GB",
        "model": "H200",
        "gpu": {"description": "4x H200 SXM5 141GB", "number_of_gpus": 4},
        "gpu_memory": {"description": "564GB GPU RAM", "size_in_gigabytes": 564},
        "cpu": {"number_of_cores": 176},
        "memory": {"size_in_gigabytes": 740},
        "price_per_hour": "13.20",
        "spot_price": "4.62",
        "currency": "usd",
        "storage": {"description": "dynamic"},
    } | changes


CPU = {
    "instance_type": "CPU.4V.16G",
    "name": "AMD EPYC",
    "display_name": "Milan",
    "gpu": {"description": "", "number_of_gpus": 0},
    "gpu_memory": {"description": "", "size_in_gigabytes": 0},
    "cpu": {"number_of_cores": 4},
    "memory": {"size_in_gigabytes": 16},
    "price_per_hour": "0.03",
    "spot_price": None,
}
PLACES = [
    {"location_code": "FIN-03", "availabilities": ["4H200.141S.176V", "CPU.4V.16G"]},
    {"location_code": "ICE-01", "availabilities": ["CPU.4V.16G", "CPU.4V.16G"]},
]
LOCATIONS = [{"code": "FIN-03", "country_code": "FI"}, {"code": "ICE-01", "country_code": "IS"}]
ALL = {"types": [kind(), CPU], "on_demand": PLACES, "spot": PLACES[1:], "locations": LOCATIONS}


def parsed(**parts: Any) -> Fetched:
    return provider("verda").parse(Answers.of("verda", **parts), NOW)


def keyed(found: Fetched) -> dict[tuple[str, str | None, str], Any]:
    result = {(o.server, o.region, o.term): o for o in found.offers}
    assert len(result) == len(found.offers) == len({o.offer_id for o in found.offers})
    return result


def test_types_stand_in_the_locations_that_have_them() -> None:
    offers = keyed(parsed(**ALL))
    gpu = offers["4H200.141S.176V", "FIN-03", "on_demand"]
    assert (gpu.gpu_model, gpu.gpu_count, gpu.vram_gib_per_gpu) == ("H200-141GB-SXM", 4.0, 141.0)
    assert (gpu.price_per_hour, gpu.vcpus, gpu.ram_gib) == (13.2, 176.0, 740.0)
    assert (gpu.currency, gpu.storage, gpu.availability) == ("USD", None, "available")
    assert {key[1:] for key in offers if key[0] == "CPU.4V.16G"} == {("FIN-03", "on_demand"), ("ICE-01", "on_demand")}
    assert offers["CPU.4V.16G", "ICE-01", "on_demand"].region_group == "eu"


def test_a_type_in_no_location_is_out_of_stock() -> None:
    spot = keyed(parsed(**ALL))["4H200.141S.176V", None, "spot"]
    assert (spot.price_per_hour, spot.availability) == (4.62, "out of stock")


def test_no_cards_are_no_division() -> None:
    cpu = keyed(parsed(**ALL))["CPU.4V.16G", "FIN-03", "on_demand"]
    assert (cpu.kind, cpu.gpu_model, cpu.gpu_count, cpu.vram_gib_per_gpu) == ("cpu", None, None, None)
    assert (cpu.cpu_model, cpu.note) == (None, "AMD EPYC, Milan")
    assert parsed(**ALL).skipped == {"no spot price": 1}


@pytest.mark.parametrize("places", [None, {"error": "no"}, [{"location_code": 5}]])
def test_without_the_list_of_places_prices_stand_for_any(places: Any) -> None:
    parts = {"types": [kind()]} | ({} if places is None else {"on_demand": places, "spot": places})
    offers = keyed(parsed(**parts))
    assert offers["4H200.141S.176V", None, "on_demand"].availability is None


def test_the_other_name_of_the_spot_price() -> None:
    row = kind(spot_price_per_hour="4.00", price_per_hour=13.2)
    del row["spot_price"]
    prices = {o.term: o.price_per_hour for o in parsed(types=[row]).offers}
    assert prices == {"on_demand": 13.2, "spot": 4.0}


def test_another_currency_is_no_offer() -> None:
    assert parsed(types=[kind(currency="eur")]).skipped == {"not in dollars": 1}


@pytest.mark.parametrize("types", [{}, "x", None])
def test_another_shape_is_refused(types: Any) -> None:
    with pytest.raises(FeedError, match="no list"):
        parsed(types=json.dumps(types))


@pytest.mark.parametrize("value", [True, [], "1_0", "much", "-1", "nan", "1e400"])
def test_what_is_no_price_is_refused(value: Any) -> None:
    with pytest.raises(FeedError, match="known shape"):
        parsed(types=[kind(price_per_hour=value)])


def test_nothing_asked_has_no_answer() -> None:
    with pytest.raises(FeedError):
        parsed()


def serve(httpserver: HTTPServer, *, spot_status: int = 200) -> None:
    httpserver.expect_request(f"{HOST}/instance-types").respond_with_json(ALL["types"])
    httpserver.expect_request(f"{HOST}/locations").respond_with_json(LOCATIONS)
    there = httpserver.expect_request(f"{HOST}/instance-availability", query_string={"is_spot": "false"})
    there.respond_with_json(PLACES)
    spot = httpserver.expect_request(f"{HOST}/instance-availability", query_string={"is_spot": "true"})
    spot.respond_with_json(PLACES, status=spot_status)


def test_it_asks_for_types_places_and_locations(
    httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]
) -> None:
    serve(httpserver)
    found = fetch_and_parse("verda")
    assert len(found.offers) == 4
    assert found.missing == ()


def test_places_that_fail_are_told(httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]) -> None:
    serve(httpserver, spot_status=403)
    found = fetch_and_parse("verda")
    assert [(part.term, part.kind) for part in found.missing] == [("spot", None)]
    assert isinstance(found.missing[0], Missing)
    assert {o.region for o in found.offers if o.term == "spot"} == {None}


def test_real_answers(capture: Callable[[str], bytes]) -> None:
    places = capture("verda/instance-availability-2026-08.json")
    offers = keyed(
        parsed(
            types=capture("verda/instance-types-2026-08.json"),
            on_demand=places,
            spot=places,
            locations=capture("verda/locations-2026-08.json"),
        )
    )
    assert len(offers) == 8
    h100 = offers["1H100.80S.30V", None, "on_demand"]
    assert (h100.vcpus, h100.ram_gib, h100.gpu_model, h100.price_per_hour) == (30.0, 120.0, "H100-80GB-SXM5", 3.95)
    assert h100.availability == "out of stock"
    assert offers["1H100.80S.30V", None, "spot"].price_per_hour == 1.7
    a6000 = offers["2A6000.20V", "FIN-01", "on_demand"]
    assert (a6000.gpu_count, a6000.vram_gib_per_gpu, a6000.price_per_hour) == (2.0, 48.0, 1.98)
    assert offers["CPU.120V.480G", "ICE-01", "on_demand"].price_per_hour == 3.0
    v100 = offers["1V100.6V", "FIN-01", "on_demand"]
    assert (v100.ram_gib, v100.vram_gib_per_gpu, v100.price_per_hour) == (23.0, 16.0, 0.89)
