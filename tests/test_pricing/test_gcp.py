"""Google's parts and the machines made of them: units and nanos, terms, what is no part, what is not sold."""

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
from pricing.feed import BrokenRowError
from pricing.identity import gpu_instance, looks_like_gpu
from pricing.provider import provider
from pricing.providers import gcp
from pricing.providers._gcp_parts import Part, machine_types, read_part

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_httpserver import HTTPServer
    from werkzeug import Request

    from pricing.offer import Offer
    from pricing.provider import Fetched

PAYLOADS = Path(__file__).parent / "payloads"
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
SKUS = "/cloudbilling.googleapis.com/v1/services/6F81-5844-456A/skus"
KEY = "a-key-of-the-tests"


def payload() -> Any:
    return json.loads((PAYLOADS / "gcp_skus.json").read_text(encoding="utf-8"))


def parsed(value: Any, regions: str | None = "us-central1 europe-west4") -> Fetched:
    return provider("gcp").parse(Answers([Answer("gcp", "skus", json.dumps(value).encode(), regions)]), NOW)


def sku(description: str, **changes: Any) -> dict[str, Any]:
    row: dict[str, Any] = copy.deepcopy(payload()["skus"][0])
    row["description"] = description
    expression = row["pricingInfo"][0]["pricingExpression"]
    expression["usageUnit"] = changes.pop("unit", "h")
    expression["tieredRates"][0]["unitPrice"] |= changes
    return row


@pytest.fixture(scope="module")
def fetched() -> Fetched:
    return parsed(payload())


@pytest.fixture(scope="module")
def offers(fetched: Fetched) -> dict[tuple[Any, ...], Offer]:
    found = {(o.server, o.region, o.term, o.commitment_months): o for o in fetched.offers}
    assert len(found) == len(fetched.offers)
    return found


def price(
    offers: dict[tuple[Any, ...], Offer], server: str, term: str = "on_demand", months: int | None = None,
    region: str = "us-central1",
) -> float | None:  # fmt: skip
    found = offers.get((server, region, term, months))
    return found.price_per_hour if found else None


def test_a_machine_is_the_sum_of_its_parts(offers: dict[tuple[Any, ...], Offer]) -> None:
    assert price(offers, "a2-highgpu-1g") == pytest.approx(12 * 0.03 + 85 * 0.004 + 2.9)
    assert price(offers, "a2-highgpu-1g", "reserved", 12) == pytest.approx(12 * 0.02 + 85 * 0.003 + 1.8)
    offer = offers["a2-highgpu-1g", "us-central1", "on_demand", None]
    assert (offer.vcpus, offer.ram_gib, offer.gpu_model, offer.gpu_count) == (12.0, 85.0, "A100-40GB-SXM4", 1.0)
    assert (offer.price_basis, offer.upfront_share) == ("listed", None)
    assert offers["a2-highgpu-1g", "us-central1", "reserved", 12].upfront_share == 0.0


def test_local_ssd_that_comes_with_a_machine_is_paid(offers: dict[tuple[Any, ...], Offer]) -> None:
    assert price(offers, "a2-ultragpu-8g") == pytest.approx(96 * 0.03 + 1360 * 0.004 + 8 * 3.5 + 8 * 375 * 0.073 / 730)
    assert offers["a2-ultragpu-1g", "us-central1", "on_demand", None].storage == "375 GiB local SSD"


def test_spot_that_saves_little_is_marked(offers: dict[tuple[Any, ...], Offer]) -> None:
    assert price(offers, "a2-highgpu-1g", "spot") == pytest.approx(12 * 0.01 + 85 * 0.001 + 1.0)
    assert offers["a2-highgpu-1g", "us-central1", "spot", None].note is None
    assert offers["a2-highgpu-1g", "europe-west4", "spot", None].note == "spot close to on-demand"


def test_what_is_listed_but_not_sold(offers: dict[tuple[Any, ...], Offer]) -> None:
    assert price(offers, "a3-highgpu-8g") is not None
    assert price(offers, "a3-highgpu-1g") is None
    assert price(offers, "a4-highgpu-8g") is None
    assert price(offers, "a4-highgpu-8g", "spot") == pytest.approx(40.0)


def test_a_machine_without_all_its_parts_is_none(offers: dict[tuple[Any, ...], Offer]) -> None:
    assert not any(server.startswith(("t2d-", "g2-", "a3-mega", "c3-")) for server, *_ in offers)
    # T4 has a price for three years, and so have N1's cores; V100 has none.
    assert price(offers, "n1-standard-4+t4", "reserved", 36) == pytest.approx(4 * 0.014 + 15 * 0.0019 + 0.15)
    assert not any("v100" in server for server, *_ in offers)


def test_families_by_their_words(offers: dict[tuple[Any, ...], Offer]) -> None:
    assert price(offers, "c2-standard-4") == pytest.approx(4 * 0.033 + 16 * 0.0045)
    assert price(offers, "n1-standard-1") == pytest.approx(0.032 + 3.75 * 0.0043)
    # "N2 Custom" and "Sole Tenancy" are not N2; of two N2 cores, the SKU of one region is the exact one.
    assert price(offers, "n2-standard-2") == pytest.approx(2 * 0.03 + 8 * 0.0042)
    assert price(offers, "n2-standard-2", region="europe-west4") == pytest.approx(2 * 0.031 + 8 * 0.0042)


def test_memory_by_the_decimal_gigabyte(offers: dict[tuple[Any, ...], Offer]) -> None:
    assert price(offers, "c4d-standard-4") == pytest.approx(4 * 0.03 + 15 * 0.003 * 1.073741824, abs=1e-6)


def test_shared_cores_and_free_tiers(offers: dict[tuple[Any, ...], Offer]) -> None:
    assert price(offers, "e2-micro") == pytest.approx(0.25 * 0.02 + 0.003)
    micro = offers["e2-micro", "us-central1", "on_demand", None]
    assert (micro.vcpus, micro.shared_cpu) == (2.0, True)
    # In the other region only rupiah are listed.
    assert price(offers, "e2-micro", region="europe-west4") is None


def test_g4_is_whole_or_sliced(offers: dict[tuple[Any, ...], Offer]) -> None:
    assert price(offers, "g4-standard-48") == pytest.approx(48 * 0.048 + 180 * 0.005 + 1.1)
    assert price(offers, "g4-standard-12") == pytest.approx(1.28)
    quarter = offers["g4-standard-12", "us-central1", "on_demand", None]
    assert (quarter.gpu_model, quarter.gpu_count, quarter.vram_gib_per_gpu) == (
        "RTX-PRO-6000-Blackwell-Server",
        0.25,
        24.0,
    )


def test_rows_that_are_no_part(fetched: Fetched) -> None:
    assert fetched.skipped["not a part of a known machine"] == 7
    assert fetched.skipped["currency is not USD"] == 2
    assert fetched.skipped["unit not known"] == 1
    assert fetched.skipped["second price of a part"] == 1


def test_a_dollar_is_units_and_nanos() -> None:
    part = read_part(sku("Nvidia H100 80GB GPU running in Iowa", units="9", nanos=250_000_000))
    assert part == Part("gpu", "nvidia h100 80gb", "on_demand", None, "iowa", ("us-central1", "europe-west4"), 9.25)
    whole = read_part(sku("Nvidia L4 GPU running in Iowa", units=1, nanos=None))
    assert isinstance(whole, Part)
    assert whole.usd_per_hour == 1.0


@pytest.mark.parametrize(
    "changes", [{"units": "x"}, {"units": 1.5}, {"units": True}, {"nanos": "5"}, {"nanos": 0.5}, {"currencyCode": 1}]
)
def test_amounts_of_other_types(changes: dict[str, Any]) -> None:
    with pytest.raises(BrokenRowError):
        read_part(sku("Nvidia L4 GPU running in Iowa", **changes))


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (sku("Nvidia L4 GPU running in Iowa", units="-1", nanos=0), "price is 0"),
        (sku("Nvidia L4 GPU running in Iowa", units="0", nanos=0), "price is 0"),
        (sku("Nvidia L4 GPU running in Iowa", currencyCode="EUR"), "currency is not USD"),
        (sku("Nvidia L4 GPU running in Iowa", unit="s"), "unit not known"),
        (sku("Nvidia L4 GPU running in Iowa") | {"pricingInfo": []}, "no price"),
        (sku("Nvidia L4 GPU running in Iowa") | {"category": {"usageType": "Preemptible"}}, "usage type contradicts"),
        (sku("Commitment v1: Nvidia L4 GPU running in Iowa for ever"), "not a part"),
        ({}, "not a part"),
    ],
)
def test_why_a_row_is_no_part(row: Any, why: str) -> None:
    found = read_part(row)
    assert isinstance(found, str)
    assert why in found


def test_the_table_of_machines() -> None:
    for machine in machine_types():
        assert machine.vcpus > 0
        assert machine.ram_gib > 0
        assert machine.families or machine.gpu_skus
        assert bool(machine.gpu_skus) == bool(gpu_instance("gcp", machine.name)), machine.name
        assert bool(machine.gpu_skus) == (machine.gpu_units > 0)
        assert machine.gpu_skus or not looks_like_gpu("gcp", machine.name)
        assert machine.sold <= {"on_demand", "spot", "reserved"}


def test_default_regions_without_a_label() -> None:
    assert {o.region for o in parsed(payload(), None).offers} == {"us-central1", "europe-west4"}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([], "no list skus"),
        ({"skus": {}}, "no list skus"),
        ({"skus": [1, "x"]}, "known shape"),
        ({"error": {}}, "no list"),
    ],
)
def test_bad_shapes(value: Any, said: str) -> None:
    with pytest.raises(FeedError, match=said):
        parsed(value)


def test_a_list_in_another_currency_says_so() -> None:
    rows = [sku("Nvidia L4 GPU running in Iowa", currencyCode="IDR")] * 3
    with pytest.raises(FeedError, match="not in dollars"):
        parsed({"skus": rows})


def test_an_empty_list_has_no_offers() -> None:
    assert parsed({"skus": []}).offers == ()


def test_all_pages_are_asked_and_the_key_stays_in_the_header(
    httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GCP_API_KEY", KEY)
    rows, seen = payload()["skus"], []

    def pages(request: Request) -> Response:
        seen.append((request.full_path, request.headers.get("X-Goog-Api-Key")))
        start = int(request.args.get("pageToken", "0"))
        following = str(start + 20) if start + 20 < len(rows) else ""
        return Response(json.dumps({"skus": rows[start : start + 20], "nextPageToken": following}))

    httpserver.expect_request(SKUS).respond_with_handler(pages)
    found = fetch_and_parse("gcp", ("us-central1",))
    assert {o.region for o in found.offers} == {"us-central1"}
    assert [key for _, key in seen] == [KEY] * 3
    assert all(KEY not in path and "currencyCode=USD" in path and "pageSize=5000" in path for path, _ in seen)


def test_without_a_key_nothing_is_asked(
    fetch_and_parse: Callable[..., Fetched], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GCP_API_KEY", raising=False)
    with pytest.raises(FeedError, match="GCP_API_KEY"):
        fetch_and_parse("gcp")


def test_captured_gpu_skus(capture: Callable[[str], bytes]) -> None:
    parts: dict[tuple[Any, ...], float] = {}
    for row in json.loads(capture("gcp/gpu-skus-2025-06-17.json"))["skus"]:
        part = read_part(row)
        if isinstance(part, Part):
            parts[part.name, part.place, part.term, part.months] = part.usd_per_hour
    expected = {
        ("nvidia h100 80gb", "americas", "on_demand", None): 9.796550569,
        ("nvidia h100 80gb", "netherlands", "on_demand", None): 12.735516,
        ("h200 141gb", "americas", "on_demand", None): 9.31174,
        ("nvidia tesla a100", "americas", "on_demand", None): 2.933908,
        ("nvidia tesla a100 80gb", "americas", "on_demand", None): 3.92808,
        ("nvidia l4", "americas", "on_demand", None): 0.560040239,
        ("nvidia tesla t4", "americas", "on_demand", None): 0.35,
        ("nvidia h100 80gb", "belgium", "spot", None): 1.9417,
        ("h200 141gb", "netherlands", "reserved", 12): 6.75296,
    }
    assert {key: parts[key] for key in expected} == pytest.approx(expected)
    assert not any("reserved" in name or "quadro" in name or "dws" in name for name, *_ in parts)
    berlin = ("nvidia h100 80gb", "berlin")
    assert parts[*berlin, "spot", None] >= gcp.SPOT_LIST_SHARE * parts[*berlin, "on_demand", None]


def test_captured_first_page(capture: Callable[[str], bytes]) -> None:
    page = json.loads(capture("gcp/skus-page1-2023-08.json"))
    found = parsed(page, "us-central1 us-east1")
    one = next(o for o in found.offers if o.server == "a2-highgpu-1g")
    assert (one.vcpus, one.ram_gib, one.price_per_hour, one.region) == (
        12.0,
        85.0,
        pytest.approx(3.673385),
        "us-central1",
    )
    assert {o.server.partition("-")[0] for o in found.offers} == {"a2"}
    assert found.skipped["currency is not USD"] == 4
    assert gcp._following(Answer("gcp", "skus", json.dumps(page).encode())) is not None
