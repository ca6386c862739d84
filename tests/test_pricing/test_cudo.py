"""Cudo: machines put together of parts within their type's rules."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from pricing.answers import Answers
from pricing.errors import FeedError
from pricing.provider import Fetched, provider
from pricing.providers import cudo

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_httpserver import HTTPServer

    from pricing.offer import Offer

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def kind(**changes: Any) -> dict[str, Any]:
    return {
        "dataCenterId": "se-smedjebacken-1",
        "machineType": "epyc-milan-rtx-a6000",
        "cpuModel": "EPYC-Milan",
        "gpuModel": "RTX A6000",
        "minVcpuPerMemoryGib": 0.25,
        "maxVcpuPerMemoryGib": 2,
        "minVcpuPerGpu": 1,
        "maxVcpuPerGpu": 6,
        "vcpuPriceHr": {"value": "0.002"},
        "memoryGibPriceHr": {"value": "0.003"},
        "gpuPriceHr": {"value": "0.50"},
        "maxGpuFree": 8,
        "totalGpuFree": 19,
        "maxVcpuFree": 48,
        "maxMemoryGibFree": 200,
    } | changes


def fetched(*types: Any) -> Fetched:
    return provider("cudo").parse(Answers.of("cudo", types={"machineTypes": list(types)}), NOW)


def parsed(*types: Any) -> dict[str, Offer]:
    found = fetched(*types).offers
    keyed = {offer.server: offer for offer in found}
    assert len(keyed) == len(found) == len({offer.offer_id for offer in found})
    return keyed


def sizes(**changes: Any) -> list[tuple[float, float | None, float | None]]:
    return [(o.gpu_count or 0, o.vcpus, o.ram_gib) for o in parsed(kind(**changes)).values()]


def test_parts_are_added_up() -> None:
    offer = parsed(kind())["epyc-milan-rtx-a6000_2x8v32gb"]
    assert offer.price_per_hour == pytest.approx(2 * 0.50 + 8 * 0.002 + 32 * 0.003)
    assert (offer.gpu_model, offer.gpu_count, offer.vram_gib_per_gpu) == ("RTX-A6000", 2.0, 48.0)
    assert (offer.region, offer.price_basis, offer.currency) == ("se-smedjebacken-1", "derived", "USD")
    assert offer.cpu_model == "AMD EPYC Milan (model hidden)"
    assert (offer.availability, offer.note) == ("available", "19 GPUs free in the data centre")


def test_rules_of_the_type_are_kept_to() -> None:
    assert sizes(maxGpuFree=1) == [(1, 1, 4), (1, 4, 16), (1, 6, 24)]
    assert sizes(maxGpuFree=1, minVcpuPerGpu=5) == [(1, 5, 20), (1, 6, 24)]
    assert sizes(maxGpuFree=1, minVcpuPerMemoryGib=0.5) == [(1, 1, 2), (1, 4, 8), (1, 6, 12)]
    assert sizes(maxGpuFree=1, minVcpu=4, minMemoryGib=20) == [(1, 6, 24)]
    assert sizes(maxGpuFree=1, maxVcpuPerMemoryGib=0.1) == []


def test_more_gpus_than_a_host_has_free_are_no_machine() -> None:
    assert {size[0] for size in sizes(maxGpuFree=5)} == {1, 2, 4}
    assert {size[0] for size in sizes(maxGpuFree=0)} == {1}
    assert {size[0] for size in sizes(maxGpuFree=None)} == {1}


def test_what_is_not_free_is_out_of_stock() -> None:
    assert {o.availability for o in parsed(kind(maxGpuFree=0)).values()} == {"out of stock"}
    offers = parsed(kind())
    assert offers["epyc-milan-rtx-a6000_8x48v192gb"].availability == "available"
    short = parsed(kind(maxMemoryGibFree=100))
    assert short["epyc-milan-rtx-a6000_8x48v192gb"].availability == "out of stock"
    unknown = parsed(kind(maxGpuFree=None))
    assert {offer.availability for offer in unknown.values()} == {None}


@pytest.mark.parametrize("most", ["Infinity", None])
def test_a_limit_may_be_none(most: Any) -> None:
    assert sizes(maxGpuFree=1, maxVcpuPerGpu=most)[-1] == (1, 8, 32)


def test_machines_without_gpus() -> None:
    offers = parsed(kind(machineType="epyc-milan", gpuModel="", gpuPriceHr={"value": "0"}))
    assert list(offers) == ["epyc-milan_2v8gb", "epyc-milan_8v32gb", "epyc-milan_32v128gb"]
    small = offers["epyc-milan_2v8gb"]
    assert (small.kind, small.gpu_model, small.gpu_count, small.note) == ("cpu", None, None, None)
    assert small.price_per_hour == pytest.approx(0.028)


@pytest.mark.parametrize(
    ("card", "chip"),
    [
        ("RTX A5000", "RTX A5000"),
        ("A40 (compute mode)", "A40"),
        ("H100 SXM", "H100 SXM"),
        ("A100 80GB PCIe", "A100 80GB PCIe"),
        ("A100 PCIe", "A100 PCIe (memory not stated)"),
        ("V100", "V100 (memory not stated)"),
        ("RTX 3080", "RTX 3080 (memory not stated)"),
        ("Card 2030", "Card 2030"),
    ],
)
def test_cards_of_several_sizes_stay_unknown(card: str, chip: str) -> None:
    assert cudo.spelling(card) == chip


def test_what_is_no_offer_is_counted() -> None:
    found = fetched(
        kind(maxGpuFree=1), kind(), kind(machineType="x", gpuPriceHr={"value": "0"}), kind(machineType=None)
    )
    assert found.skipped == {"listed twice": 1, "GPU without a price": 1, "machine type without a name or a price": 1}


def test_another_currency_is_no_offer() -> None:
    assert fetched(kind(vcpuPriceHr={"value": "0.1", "currency": "GBP"})).skipped == {"not in dollars": 1}
    with pytest.raises(FeedError, match="smallest size"):
        fetched(kind(minVcpuPerGpu=1e300))


@pytest.mark.parametrize("value", [0.5, "x", "-1", [], True, "nan"])
def test_what_is_no_price_is_refused(value: Any) -> None:
    with pytest.raises(FeedError, match="known shape"):
        fetched(kind(gpuPriceHr={"value": value}))


@pytest.mark.parametrize("answer", [[], {"machineTypes": {}}, {"code": 7}])
def test_another_shape_is_refused(answer: Any) -> None:
    with pytest.raises(FeedError, match="no list"):
        provider("cudo").parse(Answers.of("cudo", types=json.dumps(answer)), NOW)


def test_it_asks_once(httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]) -> None:
    httpserver.expect_oneshot_request("/rest.compute.cudo.org/v1/vms/machine-types", method="GET").respond_with_json(
        {"machineTypes": [kind(maxGpuFree=1)]}
    )
    assert len(fetch_and_parse("cudo").offers) == 3


def test_a_real_answer(capture: Callable[[str], bytes]) -> None:
    found = provider("cudo").parse(Answers.of("cudo", types=capture("cudo/machine-types-2024.json")), NOW).offers
    offers = {(o.server, o.region): o for o in found}
    assert len(offers) == len(found) == 18
    small = offers["cascade-lake_1x1v4gb", "br-saopaulo-1"]
    assert (small.price_per_hour, small.vcpus, small.ram_gib) == (pytest.approx(0.0677), 1.0, 4.0)
    assert small.gpu_model == "RTX 3080 (memory not stated)"
    # Four vCPUs carry 15 GiB here: 16 would need 4.15 of them.
    a5000 = offers["epyc-rome-rtx-a5000_1x4v15gb", "no-luster-1"]
    assert a5000.price_per_hour == pytest.approx(0.52 + 4 * 0.0021 + 15 * 0.0034)
    assert (a5000.gpu_model, a5000.vram_gib_per_gpu) == ("RTX-A5000", 24.0)
