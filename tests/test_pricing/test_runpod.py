"""RunPod's parser on answers in the feed's shape: tiers, placeholders, spot that is none, unknown cards."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pricing.errors import FeedError
from pricing.feed import Harvest
from pricing.providers import runpod

if TYPE_CHECKING:
    from pricing.offer import Offer

PAYLOADS = Path(__file__).parent / "payloads"
NOW = "2026-11-30T12:00:00+00:00"
PLACES = {"us": "US-TX-9", "eu": "EU-CZ-9"}


def payload(name: str) -> Any:
    return json.loads((PAYLOADS / name).read_text(encoding="utf-8"))


def parsed(answer: Any) -> Harvest:
    harvest = Harvest("runpod", "RunPod", runpod.PAGE, NOW)
    runpod.parse_gpus(answer, harvest)
    return harvest


@pytest.fixture(scope="module")
def offers() -> dict[tuple[Any, ...], Offer]:
    found = parsed(payload("runpod_gpu_types.json")).offers
    keyed = {(o.server, o.tier, o.term, o.commitment_months): o for o in found}
    assert len(keyed) == len(found) == len({o.offer_id for o in found})
    return keyed


def test_tiers_are_offers_of_their_own(offers: dict[tuple[Any, ...], Offer]) -> None:
    secure = offers["NVIDIA H100 80GB HBM3", "secure", "on_demand", None]
    community = offers["NVIDIA H100 80GB HBM3", "community", "on_demand", None]
    assert (secure.price_per_hour, community.price_per_hour) == (3.1, 2.6)
    assert (secure.gpu_model, secure.gpu_count, secure.vram_gib_per_gpu) == ("H100-80GB-SXM5", 1.0, 80.0)
    assert (secure.source_date, secure.fetched_at, secure.currency) == ("2026-11-30", NOW, "USD")


def test_a_single_gpu_has_no_host(offers: dict[tuple[Any, ...], Offer]) -> None:
    offer = offers["NVIDIA H100 80GB HBM3", "secure", "on_demand", None]
    assert (offer.cpu_model, offer.vcpus, offer.ram_gib, offer.cpu_basis) == (None, None, None, runpod.SHARED_HOST)


def test_several_gpus_cost_several_times(offers: dict[tuple[Any, ...], Offer]) -> None:
    eight = offers["NVIDIA H100 80GB HBM3 x8", "secure", "on_demand", None]
    assert (eight.gpu_count, eight.price_per_hour) == (8.0, pytest.approx(24.8))
    three = offers["NVIDIA GeForce RTX 4090 x3", "secure", "on_demand", None]
    assert three.price_per_hour == pytest.approx(2.1)
    assert ("NVIDIA H100 80GB HBM3 x4", "community", "on_demand", None) not in offers


def test_a_tier_that_a_card_is_not_sold_in_is_absent(offers: dict[tuple[Any, ...], Offer]) -> None:
    tiers = {(server, tier) for server, tier, *_ in offers}
    assert ("NVIDIA B200", "secure") in tiers
    assert ("NVIDIA B200", "community") not in tiers
    assert ("NVIDIA GeForce RTX 3070", "secure") not in tiers
    assert "unknown" not in {server for server, *_ in offers}


def test_spot_equal_to_or_above_on_demand_is_none(offers: dict[tuple[Any, ...], Offer]) -> None:
    spot = {(server, tier): o.price_per_hour for (server, tier, term, _), o in offers.items() if term == "spot"}
    assert spot["NVIDIA H100 80GB HBM3", "secure"] == 1.6
    assert ("NVIDIA H100 80GB HBM3", "community") not in spot
    assert ("NVIDIA GeForce RTX 4090", "secure") not in spot
    assert ("NVIDIA GeForce RTX 4090", "community") not in spot


def test_commitments_are_reserved_with_their_months(offers: dict[tuple[Any, ...], Offer]) -> None:
    months = {
        m: o.price_per_hour
        for (server, _, term, m), o in offers.items()
        if term == "reserved" and server == "NVIDIA H100 80GB HBM3"
    }
    assert months == {1: 2.9, 3: 2.8, 6: 2.5}
    assert {m for (server, _, term, m) in offers if term == "reserved" and server == "NVIDIA B200"} == {3, 6}


def test_stock_is_kept(offers: dict[tuple[Any, ...], Offer]) -> None:
    assert offers["NVIDIA H100 80GB HBM3", "secure", "on_demand", None].availability == "high"
    assert offers["NVIDIA H100 80GB HBM3", "community", "on_demand", None].availability == "out of stock"


@pytest.mark.parametrize(
    "server", ["Some Card From 2027", "NVIDIA GeForce RTX 4090 D", "NVIDIA B300 SXM6 AC MIG 1g.34gb"]
)
def test_an_unknown_card_keeps_its_own_name(offers: dict[tuple[Any, ...], Offer], server: str) -> None:
    assert offers[server, "secure", "on_demand", None].gpu_model == server


def test_without_tier_flags_half_a_dollar_is_a_placeholder_on_a_large_card() -> None:
    found = {
        (o.server, o.tier, o.term): o.price_per_hour
        for o in parsed(payload("runpod_gpu_types_without_flags.json")).offers
    }
    assert found == {
        ("NVIDIA L40S", "secure", "on_demand"): 1.02,
        ("NVIDIA L40S", "community", "on_demand"): 0.81,
        ("AMD Instinct MI300X OAM", "secure", "on_demand"): 2.3,
        ("NVIDIA RTX A5000", "community", "on_demand"): 0.5,
    }


def test_cpu_pods_scale_from_the_smallest() -> None:
    harvest = Harvest("runpod", "RunPod", runpod.PAGE, NOW)
    runpod.parse_cpus(payload("runpod_cpu_flavors.json"), PLACES, harvest)
    found = {(o.server, o.region): o for o in harvest.offers}
    assert {server for server, region in found if region == "US-TX-9"} == {
        "cpu3g-2-8",
        "cpu3g-4-16",
        "cpu3g-8-32",
        "cpu3g-16-64",
        "cpu3c-4-8",
    }
    large = found["cpu3g-16-64", "EU-CZ-9"]
    assert (large.vcpus, large.ram_gib, large.price_per_hour, large.region_group) == (
        16.0,
        64.0,
        pytest.approx(0.56),
        "eu",
    )
    assert found["cpu3c-4-8", "US-TX-9"].availability == "out of stock"
    assert harvest.skipped == {"CPU pod without price or size": 2, "CPU pod with impossible sizes": 1}


def test_one_listed_data_centre_a_region_group() -> None:
    assert runpod.data_centres(payload("runpod_gpu_types.json")) == PLACES
    query = runpod.cpu_query(PLACES)
    assert "us: cpuFlavors" in query
    assert '"EU-CZ-9"' in query


def test_a_data_centre_name_cannot_change_the_query() -> None:
    assert runpod.data_centres({"data": {"gpuTypes": [], "dataCenters": [{"id": 'X"}){}', "listed": True}]}}) == {}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"errors": [{"message": "Something went wrong"}]}, "Something went wrong"),
        ({"errors": "no"}, "no data"),
        ({"data": None}, "no data"),
        ([], "no data"),
        ({"data": {"gpuTypes": {}}}, "no list"),
        ({"data": {"other": []}}, "no list"),
    ],
)
def test_an_answer_that_is_none_says_so(answer: Any, said: str) -> None:
    with pytest.raises(FeedError, match=said):
        parsed(answer)


def test_text_in_place_of_numbers_takes_nothing() -> None:
    answer = payload("runpod_gpu_types.json")
    for row in answer["data"]["gpuTypes"]:
        row["securePrice"] = str(row["securePrice"])
        row["secureCloud"] = str(row["secureCloud"]).lower()
    with pytest.raises(FeedError, match="not in the known shape"):
        parsed(answer)


def test_one_broken_row_costs_only_itself() -> None:
    answer = payload("runpod_gpu_types.json")
    broken = copy.deepcopy(answer)
    broken["data"]["gpuTypes"][0]["securePrice"] = [3.1]
    harvest = parsed(broken)
    assert "NVIDIA B200" in {o.server for o in harvest.offers}
    assert "NVIDIA H100 80GB HBM3" not in {o.server for o in harvest.offers}
    assert harvest.broken == {"securePrice is list": 1}


@pytest.mark.parametrize("value", [True, -1.0, 1e400, "3", []])
def test_what_is_no_price_is_not_read_as_one(value: Any) -> None:
    answer = payload("runpod_gpu_types.json")
    answer["data"]["gpuTypes"][1]["securePrice"] = value
    assert "NVIDIA B200" not in {o.server for o in parsed(answer).offers}
