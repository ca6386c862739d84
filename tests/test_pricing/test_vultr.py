"""Vultr: slices of cards, plans that do not state their GPUs, preemptible prices, prices of single locations, cursors."""

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
HOST = "/api.vultr.com/v2"


def machine(**changes: Any) -> dict[str, Any]:
    return {
        "id": "vc2-2c-4gb",
        "vcpu_count": 2,
        "ram": 4096,
        "disk": 80,
        "disk_count": 1,
        "monthly_cost": 20,
        "hourly_cost": 0.027,
        "type": "vc2",
        "locations": ["ams", "nrt"],
    } | changes


def gpu(**changes: Any) -> dict[str, Any]:
    return machine(id="vcg-a40-8c-40g-16vram", type="vcg", gpu_type="NVIDIA_A40", gpu_vram_gb=16) | changes


def metal(**changes: Any) -> dict[str, Any]:
    return {
        "id": "vbm-24c-256gb-amd",
        "physical_cpus": 1,
        "cpu_count": 24,
        "cpu_threads": 48,
        "cpu_model": "EPYC 7443P",
        "ram": 262144,
        "disk": 480,
        "disk_count": 2,
        "monthly_cost": 725.0,
        "hourly_cost": 1.079,
        "type": "SSD",
        "locations": ["fra"],
    } | changes


def fetched(plans: list[Any] | None = None, bare: list[Any] | None = None) -> Fetched:
    parts = {"plans": {"plans": plans or []}, "metal": {"plans_metal": bare or []}}
    return provider("vultr").parse(Answers.of("vultr", **parts), NOW)


def parsed(plans: list[Any] | None = None, bare: list[Any] | None = None) -> dict[tuple[Any, ...], Offer]:
    found = fetched(plans, bare).offers
    keyed = {(o.server, o.region, o.term): o for o in found}
    assert len(keyed) == len(found) == len({o.offer_id for o in found})
    return keyed


def first(plan: Any) -> Offer:
    return fetched([plan]).offers[0]


def test_a_plan_is_an_offer_in_each_location() -> None:
    offers = parsed([machine()])
    assert {region for _, region, _ in offers} == {"ams", "nrt"}
    offer = offers["vc2-2c-4gb", "ams", "on_demand"]
    assert (offer.kind, offer.vcpus, offer.ram_gib, offer.shared_cpu) == ("cpu", 2.0, 4.0, True)
    assert (offer.price_per_hour, offer.price_per_month, offer.storage) == (0.027, 20.0, "80 GB")


@pytest.mark.parametrize(
    ("place", "group"), [("sea", "us"), ("ewr", "us"), ("sgp", "asia"), ("waw", "eu"), ("jnb", "other")]
)
def test_locations_are_airports(place: str, group: str) -> None:
    """The code "sea" is Seattle, not South East Asia."""
    offer = first(machine(locations=[place]))
    assert (offer.region, offer.region_group) == (place, group)


@pytest.mark.parametrize(
    ("card", "total", "chip", "count", "memory"),
    [
        ("NVIDIA_A40", 16, "A40", 0.333333, 16.0),
        ("NVIDIA_A40", 48, "A40", 1.0, 48.0),
        ("NVIDIA_A40", 192, "A40", 4.0, 48.0),
        ("NVIDIA_A100", 4, "A100-80GB-PCIe", 0.05, 4.0),
        ("NVIDIA_A100", 40, "A100-80GB-PCIe", 0.5, 40.0),
        ("NVIDIA_A100", 640, "A100-80GB-PCIe", 8.0, 80.0),
        ("NVIDIA_B200", 1536, "B200-180GB-SXM", 8.0, 180.0),
        ("NVIDIA_CARD2030", 48, "NVIDIA_CARD2030", None, None),
    ],
)
def test_memory_is_the_total_of_a_plan(
    card: str, total: int, chip: str, count: float | None, memory: float | None
) -> None:
    offer = first(gpu(gpu_type=card, gpu_vram_gb=total))
    assert (offer.gpu_model, offer.gpu_count, offer.vram_gib_per_gpu) == (chip, count, memory)


@pytest.mark.parametrize(("stated", "count", "memory"), [("1/8", 0.125, 6.0), ("2", 2.0, 48.0), (4, 4.0, 48.0)])
def test_a_stated_count_may_be_a_fraction(stated: Any, count: float, memory: float) -> None:
    offer = first(gpu(gpu_count=stated, gpu_vram_gb=6 if count < 1 else 48 * count))
    assert (offer.gpu_model, offer.gpu_count, offer.vram_gib_per_gpu) == ("A40", count, memory)


@pytest.mark.parametrize("stated", ["1/0", "0/8", "-1/8", "half", "1/8/2"])
def test_a_count_that_is_none_is_refused(stated: str) -> None:
    with pytest.raises(FeedError, match="no fraction"):
        fetched([gpu(gpu_count=stated)])


def test_whole_hosts_do_not_state_their_cards() -> None:
    known = first(machine(id="vcg-h100-216c-1914gb-640vram", type="vdm"))
    assert (known.gpu_model, known.gpu_count, known.vram_gib_per_gpu) == ("H100-80GB-SXM5", 8.0, 80.0)
    # Its id says 1536 GB, which is six of these cards or eight smaller ones: two readers of the feed disagree.
    unknown = first(machine(id="vcg-mi325x-252c-2872g-1536vram", type="vdm"))
    assert (unknown.kind, unknown.gpu_model, unknown.gpu_count) == ("gpu", "vcg-mi325x-252c-2872g-1536vram", None)


def test_bare_metal_is_sold_by_threads_and_names_its_cpu() -> None:
    offer = parsed(None, [metal()])["vbm-24c-256gb-amd", "fra", "on_demand"]
    assert (offer.cpu_model, offer.sockets, offer.cores, offer.vcpus) == ("AMD EPYC 7443P", 1, 24.0, 48.0)
    assert (offer.ram_gib, offer.shared_cpu, offer.storage) == (256.0, False, "2x 480 GB")
    assert (offer.price_per_hour, offer.price_per_month) == (1.079, 725.0)


@pytest.mark.parametrize(
    ("name", "chip", "count"),
    [
        ("vbm-64c-2048gb-8-l40-gpu", "L40S", 8.0),
        ("vbm-256c-3072gb-8-mi325x-gpu", "MI325X", 8.0),
        ("vbm-999c-1gb-4-x1-gpu", "vbm-999c-1gb-4-x1-gpu", None),
    ],
)
def test_cards_of_bare_metal_are_told_by_the_plan(name: str, chip: str, count: float | None) -> None:
    offer = fetched(None, [metal(id=name)]).offers[0]
    assert (offer.kind, offer.gpu_model, offer.gpu_count) == ("gpu", chip, count)
    assert fetched(None, [metal(gpu_brand="NVIDIA")]).offers[0].kind == "gpu"
    assert fetched(None, [metal(gpu_brand="none")]).offers[0].kind == "cpu"


def test_a_month_is_no_cap_where_hours_are_invoiced() -> None:
    assert fetched(None, [metal(invoice_type="hourly")]).offers[0].price_per_month is None
    assert fetched(None, [metal(invoice_type="monthly")]).offers[0].price_per_month == 725.0


def test_preemptible_is_spot() -> None:
    row = metal(hourly_cost_preemptible=0.7, monthly_cost_preemptible=470.4)
    offers = parsed(None, [row])
    spot = offers["vbm-24c-256gb-amd", "fra", "spot"]
    assert (spot.price_per_hour, spot.price_per_month) == (0.7, 470.4)
    assert {term for *_, term in parsed(None, [row | {"deploy_preemptible": False}])} == {"on_demand"}
    only = fetched(None, [row | {"deploy_ondemand": False}])
    assert [offer.term for offer in only.offers] == ["spot"]
    assert only.skipped == {"not sold on demand": 1}


def test_locations_may_have_a_price_of_their_own() -> None:
    row = machine(location_cost={"nrt": {"hourly_cost": 0.05, "monthly_cost": 36.5}, "ams": []})
    prices = {region: (o.price_per_hour, o.price_per_month) for (_, region, _), o in parsed([row]).items()}
    assert prices == {"ams": (0.027, 20.0), "nrt": (0.05, 36.5)}


@pytest.mark.parametrize("places", [[], [""], None])
def test_a_plan_in_no_location_cannot_be_had(places: Any) -> None:
    offer = first(machine(locations=places))
    assert (offer.region, offer.availability) == (None, "out of stock")
    # An account may see places of whole hosts.
    assert first(machine(id="vcg-a40-24c-120g-48vram", type="vdm", locations=places)).availability is None


def test_free_plans_and_repeats_are_no_offers() -> None:
    found = fetched([machine(), machine(), machine(id="free", hourly_cost=0, monthly_cost=0), machine(id=None)])
    assert {offer.server for offer in found.offers} == {"vc2-2c-4gb"}
    assert found.skipped == {"listed twice": 1, "price 0": 2, "plan without a name": 1}


def test_a_plan_without_an_hourly_price_keeps_its_month() -> None:
    offer = first(machine(hourly_cost=0))
    assert (offer.price_per_hour, offer.price_per_month) == (None, 20.0)


@pytest.mark.parametrize("value", [True, "0.1", -1, [], pytest.param(10**400, id="huge")])
def test_what_is_no_price_is_refused(value: Any) -> None:
    with pytest.raises(FeedError, match="known shape"):
        fetched([machine(hourly_cost=value)])


@pytest.mark.parametrize("answer", [[], {"plans": {}}, {"error": "no"}])
def test_another_shape_is_refused(answer: Any) -> None:
    with pytest.raises(FeedError, match="no list"):
        provider("vultr").parse(Answers.of("vultr", plans=json.dumps(answer)), NOW)


def test_nothing_asked_has_no_answer() -> None:
    with pytest.raises(FeedError):
        provider("vultr").parse(Answers(), NOW)


def page(key: str, rows: list[Any], cursor: str) -> dict[str, Any]:
    return {key: rows, "meta": {"total": 2, "links": {"next": cursor, "prev": ""}}}


def test_the_next_page_is_a_cursor(httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]) -> None:
    first_page = {"type": "all", "per_page": "500"}
    httpserver.expect_oneshot_request(f"{HOST}/plans", query_string=first_page).respond_with_json(
        page("plans", [machine()], "bmV4dA==")
    )
    httpserver.expect_oneshot_request(
        f"{HOST}/plans", query_string=first_page | {"cursor": "bmV4dA=="}
    ).respond_with_json(page("plans", [machine(id="vc2-4c-8gb")], ""))
    httpserver.expect_oneshot_request(f"{HOST}/plans-metal", query_string={"per_page": "500"}).respond_with_json(
        page("plans_metal", [metal()], "")
    )
    found = fetch_and_parse("vultr")
    assert {offer.server for offer in found.offers} == {"vc2-2c-4gb", "vc2-4c-8gb", "vbm-24c-256gb-amd"}
    assert found.missing == ()


def test_bare_metal_may_fail(httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]) -> None:
    httpserver.expect_request(f"{HOST}/plans").respond_with_json({"plans": [machine()], "meta": []})
    httpserver.expect_request(f"{HOST}/plans-metal").respond_with_data("no", status=404)
    found = fetch_and_parse("vultr")
    assert {offer.server for offer in found.offers} == {"vc2-2c-4gb"}
    assert len(found.missing) == 1


def test_real_answers(capture: Callable[[str], bytes]) -> None:
    parts = {"plans": capture("vultr/plans-2026-08.json"), "metal": capture("vultr/plans-metal-2026-08.json")}
    found = provider("vultr").parse(Answers.of("vultr", **parts), NOW).offers
    offers = {(o.server, o.term): o for o in found}
    assert len(offers) == len(found) == 7
    whole, slice_, half = (
        offers[f"vcg-a100-{size}vram", "on_demand"] for size in ("12c-120g-80", "1c-6g-4", "6c-60g-40")
    )
    assert (whole.vcpus, whole.ram_gib, whole.gpu_count, whole.vram_gib_per_gpu) == (12.0, 120.0, 1.0, 80.0)
    assert (whole.price_per_hour, whole.region) == (2.397, "ewr")
    assert (slice_.gpu_count, slice_.vram_gib_per_gpu, slice_.price_per_hour) == (0.05, 4.0, 0.123)
    assert (half.vcpus, half.gpu_count, half.vram_gib_per_gpu, half.price_per_hour) == (12.0, 0.5, 40.0, 1.397)
    h100, mi300x = (
        offers["vbm-112c-2048gb-8-h100-gpu", "on_demand"],
        offers["vbm-256c-2048gb-8-mi300x-gpu", "on_demand"],
    )
    assert (h100.vcpus, h100.ram_gib, h100.gpu_model, h100.price_per_hour) == (224.0, 2048.0, "H100-80GB-SXM5", 23.92)
    assert (h100.price_per_month, offers[h100.server, "spot"].price_per_hour) == (16074.24, 18.4)
    assert (mi300x.vcpus, mi300x.ram_gib) == (256.0, pytest.approx(2267.5, abs=0.01))
    assert (mi300x.gpu_count, mi300x.vram_gib_per_gpu, mi300x.price_per_hour) == (8.0, 192.0, 17.52)
