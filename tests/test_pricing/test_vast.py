"""Vast.ai: shares of hosts, bid floors, names that need a size, the cut after 64 offers."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from werkzeug import Request, Response

from pricing.answers import Answers
from pricing.errors import FeedError
from pricing.provider import Fetched, provider
from pricing.providers import vast

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_httpserver import HTTPServer

    from pricing.asking import Asker
    from pricing.offer import Offer

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
PATH = "/console.vast.ai/api/v0/bundles/"


def machine(**changes: Any) -> dict[str, Any]:
    """A quarter of a host with eight cards: two of them."""
    return {
        "id": 7001,
        "gpu_name": "RTX 4090",
        "num_gpus": 2,
        "gpu_ram": 24564,
        "cpu_cores": 128,
        "cpu_cores_effective": 32.0,
        "cpu_ram": 524288,
        "cpu_name": "AMD EPYC 7763 64-Core Processor",
        "storage_cost": 0.15,
        "dph_base": 0.8,
        "dph_total": 0.9,
        "min_bid": 0.3,
        "geolocation": "Sofia, BG",
        "reliability2": 0.991,
        "verification": "verified",
        "hosting_type": 0,
        "pcie_bw": 24.5,
        "rentable": True,
        "rented": False,
    } | changes


def parsed(*machines: Any) -> Fetched:
    return provider("vast").parse(Answers.of("vast", offers={"offers": list(machines)}), NOW)


def one(**changes: Any) -> Offer:
    return parsed(machine(**changes)).offers[0]


def test_a_machine_is_an_offer_on_demand_and_by_bid() -> None:
    on_demand, spot = parsed(machine()).offers
    assert (on_demand.server, on_demand.term, on_demand.price_per_hour) == ("7001", "on_demand", 0.8)
    assert (spot.server, spot.term, spot.price_per_hour) == ("7001", "spot", 0.3)
    assert (on_demand.gpu_model, on_demand.gpu_count, on_demand.vram_gib_per_gpu) == ("RTX-4090", 2.0, 24.0)
    assert (on_demand.cpu_model, on_demand.cpu_basis) == ("AMD EPYC 7763", "row")
    assert on_demand.pcie_gb_s_measured == 24.5
    assert on_demand.note == "disk 0.15 USD per GB-month, reliability 99.1 %"


def test_memory_is_the_share_of_the_hosts() -> None:
    offer = one()
    assert (offer.vcpus, offer.ram_gib) == (32.0, 128.0)
    assert one(cpu_cores=None).ram_gib is None
    assert one(cpu_cores=16).ram_gib == 512.0


@pytest.mark.parametrize("bid", [0.8, 0.8000000001, 0.9])
def test_a_bid_floor_at_the_price_is_no_spot(bid: float) -> None:
    found = parsed(machine(min_bid=bid))
    assert [offer.term for offer in found.offers] == ["on_demand"]
    assert found.skipped == {"bid floor equals the price": 1}


@pytest.mark.parametrize(
    ("stated", "region", "group"),
    [("Sofia, BG", "Sofia, BG", "eu"), (", US", "US", "us"), ("Osaka, JP", "Osaka, JP", "asia"), ("", None, None)],
)
def test_an_empty_city_leaves_the_country(stated: str, region: str | None, group: str | None) -> None:
    offer = one(geolocation=stated)
    assert (offer.region, offer.region_group) == (region, group)


@pytest.mark.parametrize(
    ("name", "mib", "chip"),
    [
        ("A100 SXM4", 40536, "A100-40GB-SXM4"),
        ("A100 SXM4", 81251, "A100-80GB-SXM4"),
        ("A100 PCIE", 81251, "A100-80GB-PCIe"),
        ("RTX 3080", 12288, "RTX-3080-12GB"),
        ("RTX 4090", 49140, "RTX-4090-48GB-mod"),
        ("RTX 4060 Ti", 8188, "RTX-4060-Ti-8-GB"),
        ("RTX PRO 6000 WS", 97887, "RTX-PRO-6000-Blackwell-WS"),
        ("RTX PRO 6000 S", 97887, "RTX-PRO-6000-Blackwell-Server"),
        ("RTX PRO 5000", 73728, "RTX-PRO-5000-72GB-Blackwell"),
        ("Q RTX 8000", 49152, "Quadro-RTX-8000"),
        ("RTX 6000Ada", 49140, "RTX-6000-Ada"),
        ("RTX 4070S Ti", 16376, "RTX-4070-Ti-SUPER"),
        ("B200", 183359, "B200-180GB-SXM"),
        ("H200 NVL", 143771, "H200-141GB-NVL"),
        ("Card of 2030", 24564, "Card of 2030"),
        ("B300 PC", 275040, "B300 PC"),
    ],
)
def test_spellings_of_cards(name: str, mib: int, chip: str) -> None:
    assert one(gpu_name=name, gpu_ram=mib).gpu_model == chip


@pytest.mark.parametrize(
    ("facts", "tier"),
    [
        ({"hosting_type": 1}, "datacenter"),
        ({"datacenter": True}, "datacenter"),
        ({}, "verified"),
        ({"verification": "deverified"}, "unverified"),
        ({"verification": None}, None),
    ],
)
def test_who_runs_the_host(facts: dict[str, Any], tier: str | None) -> None:
    assert one(**facts).tier == tier


def test_what_is_no_offer_is_counted() -> None:
    found = parsed(
        machine(), machine(), machine(id=2, rented=True), machine(id=3, dph_base=0), machine(id=4, gpu_name=None)
    )
    assert {offer.server for offer in found.offers} == {"7001"}
    assert found.skipped == {"listed twice": 1, "rented": 1, "machine without card or price": 2}


def test_a_list_of_64_was_cut() -> None:
    found = parsed(*(machine(id=number) for number in range(1, 65)))
    assert found.skipped["list cut at 64 by the feed"] == 1
    assert "list cut at 64 by the feed" not in parsed(*(machine(id=number) for number in range(1, 64))).skipped


@pytest.mark.parametrize("answer", [[], {"offers": {}}, {"offers": None}, {"success": False}, "no"])
def test_another_shape_is_refused(answer: Any) -> None:
    with pytest.raises(FeedError, match="no list"):
        provider("vast").parse(Answers.of("vast", offers=json.dumps(answer)), NOW)


@pytest.mark.parametrize("value", [True, -1, "0.8", []])
def test_what_is_no_price_is_not_read_as_one(value: Any) -> None:
    rows = [machine(id=number) for number in range(1, 10)]
    found = provider("vast").parse(Answers.of("vast", offers={"offers": [*rows, machine(id=99, dph_base=value)]}), NOW)
    assert "99" not in {offer.server for offer in found.offers}


def test_an_empty_list_has_no_offers() -> None:
    assert parsed().offers == ()


class Market:
    """Answers as the feed does: nothing wrapped, 64 offers without a key, and one group that fails."""

    def __init__(self, *, broken: str = "") -> None:
        self.asked: list[tuple[dict[str, Any], str | None]] = []
        self.broken = broken

    def __call__(self, request: Request) -> Response:
        body = json.loads(request.get_data())
        self.asked.append((body, request.headers.get("Authorization")))
        if self.broken in {"all", *body["gpu_name"]["in"]}:
            return Response("{}", status=400)
        rows = [machine(id=len(self.asked), gpu_name=body["gpu_name"]["in"][0])]
        return Response(json.dumps({"offers": rows}), mimetype="application/json")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vast, "BUSY", ("RTX 4090",))
    monkeypatch.setattr(vast, "OTHERS", (("L40", "L40S"),))
    monkeypatch.delenv("VAST_API_KEY", raising=False)


@pytest.mark.usefixtures("quick")
def test_groups_are_asked_for_by_exact_names(httpserver: HTTPServer, asker: Callable[..., Asker]) -> None:
    market = Market()
    httpserver.expect_request(PATH, method="POST").respond_with_handler(market)
    ask = asker("vast")
    provider("vast").fetch(ask)
    assert len(ask.answers.items) == 4
    counts = [body["num_gpus"] for body, _ in market.asked if body["gpu_name"]["in"] == ["RTX 4090"]]
    assert sorted(map(str, counts)) == ["{'eq': 1}", "{'gte': 2, 'lt': 8}", "{'gte': 8}"]
    assert {body["limit"] for body, _ in market.asked} == {64}
    assert {key for _, key in market.asked} == {None}
    assert all("q" not in body and body["type"] == "on-demand" for body, _ in market.asked)


@pytest.mark.usefixtures("quick")
def test_the_key_goes_into_the_header_only(
    httpserver: HTTPServer, asker: Callable[..., Asker], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VAST_API_KEY", "sesame")
    market = Market()
    httpserver.expect_request(PATH, method="POST").respond_with_handler(market)
    provider("vast").fetch(asker("vast"))
    assert {key for _, key in market.asked} == {"Bearer sesame"}
    assert "sesame" not in str([body for body, _ in market.asked])
    assert {body["limit"] for body, _ in market.asked} == {500}


@pytest.mark.usefixtures("quick")
def test_a_group_that_fails_costs_its_own_cards(
    httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]
) -> None:
    httpserver.expect_request(PATH, method="POST").respond_with_handler(Market(broken="L40S"))
    found = fetch_and_parse("vast")
    assert {offer.gpu_model for offer in found.offers} == {"RTX-4090"}
    assert [part.region for part in found.missing] == ["L40 ..."]


@pytest.mark.usefixtures("quick")
def test_without_any_answer_it_fails(httpserver: HTTPServer, asker: Callable[..., Asker]) -> None:
    httpserver.expect_request(PATH, method="POST").respond_with_handler(Market(broken="all"))
    with pytest.raises(FeedError):
        provider("vast").fetch(asker("vast"))


def test_a_real_answer(capture: Callable[[str], bytes]) -> None:
    body = capture("vast/bundles_h100_sxm-2026-08-22.json")
    found = provider("vast").parse(Answers.of("vast", offers=body), NOW)
    offers = {(o.server, o.term): o for o in found.offers}
    assert len(offers) == len(found.offers) == 9
    whole, half, quarter = (offers[server, "on_demand"] for server in ("48285735", "48254133", "40291943"))
    assert (whole.region, whole.vcpus, whole.vram_gib_per_gpu) == ("US", 26.0, 80.0)
    assert (whole.ram_gib, whole.price_per_hour) == (pytest.approx(221.18, abs=0.01), pytest.approx(1.3866666667))
    assert (half.region, half.vcpus, half.ram_gib) == ("Japan, JP", 56.0, pytest.approx(125.92, abs=0.01))
    assert (quarter.region, quarter.ram_gib) == ("Washington, US", pytest.approx(31.47, abs=0.01))
    assert offers["48254133", "spot"].price_per_hour == pytest.approx(0.28)
    assert half.note is not None
    assert "0.533 USD per GB-month" in half.note
    assert ("40291943", "spot") not in offers
