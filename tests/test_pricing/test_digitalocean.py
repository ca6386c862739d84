"""DigitalOcean's parser: memory of all GPUs together, noise of single precision, sizes without regions, pages."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from pricing.answers import Answers
from pricing.errors import FeedError
from pricing.providers.digitalocean import DigitalOcean

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_httpserver import HTTPServer

    from pricing.provider import Fetched

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
PATH = "/api.digitalocean.com/v2/sizes"


def a_size(slug: str, hourly: Any, regions: Any = ("ams3",), **facts: Any) -> dict[str, Any]:
    return {
        "slug": slug,
        "memory": 2048,
        "vcpus": 2,
        "disk": 60,
        "price_hourly": hourly,
        "price_monthly": 12,
        "regions": list(regions),
        "available": True,
        "description": "Basic",
        **facts,
    }


def gpus(count: int, total_gib: float, model: str | None) -> dict[str, Any]:
    return {
        "gpu_info": {"count": count, "model": model, "vram": {"amount": total_gib, "unit": "gib"}},
        "description": "GPU",
    }


def parsed(*sizes: Any) -> Fetched:
    return DigitalOcean().parse(Answers.of("digitalocean", sizes={"sizes": list(sizes)}), NOW)


def test_a_size_is_one_offer_a_region() -> None:
    found = parsed(a_size("s-2vcpu-2gb", 0.018, ("ams3", "nyc9"))).offers
    assert {o.region for o in found} == {"ams3", "nyc9"}
    assert {(o.vcpus, o.ram_gib, o.price_per_hour, o.price_per_month, o.shared_cpu) for o in found} == {
        (2.0, 2.0, 0.018, 12.0, True)
    }


def test_the_memory_of_all_gpus_is_shared_out() -> None:
    (offer,) = parsed(a_size("gpu-h100x8-640gb", 24.5, **gpus(8, 640, "nvidia_h100"))).offers
    assert (offer.gpu_model, offer.gpu_count, offer.vram_gib_per_gpu) == ("H100-80GB-SXM5", 8.0, 80.0)
    assert (offer.kind, offer.price_per_hour) == ("gpu", 24.5)


@pytest.mark.parametrize(
    ("model", "total", "chip"),
    [("amd_mi300x", 192, "MI300X"), ("nvidia_rtx4000_ada", 20, "RTX-4000-Ada"), ("nvidia_l40s", 48, "L40S")],
)
def test_gpu_ids_are_known(model: str, total: float, chip: str) -> None:
    (offer,) = parsed(a_size("gpu-x1", 1.5, **gpus(1, total, model))).offers
    assert offer.gpu_model == chip


def test_noise_of_single_precision_is_rounded_away() -> None:
    (offer,) = parsed(a_size("s-1vcpu-1gb", 0.008929999917745590)).offers
    assert offer.price_per_hour == 0.00893


def test_what_is_sold_in_no_region_is_no_offer() -> None:
    found = parsed(a_size("s-old", 0.5, ()))
    assert (found.offers, found.skipped) == ((), {"sold in no region": 1})


def test_stock_and_disks_are_kept() -> None:
    disks = [
        {"type": "local", "size": {"amount": 700, "unit": "gib"}},
        {"type": "scratch", "size": {"amount": 5000, "unit": "gib"}},
    ]
    (offer,) = parsed(
        a_size("gpu-l40sx1-48gb", 1.5, available=False, disk_info=disks, **gpus(1, 48, "nvidia_l40s"))
    ).offers
    assert (offer.availability, offer.storage) == ("out of stock", "700 GiB local + 5000 GiB scratch")


def test_a_gpu_without_a_name_is_no_cpu_server() -> None:
    found = parsed(a_size("gpu-new", 1.5, **gpus(1, 48, None)))
    assert (found.offers, found.skipped) == ((), {"GPU without a name": 1})


@pytest.mark.parametrize("answer", [[], {}, {"sizes": {}}, {"id": "Unauthorized"}])
def test_an_answer_that_is_none_says_so(answer: Any) -> None:
    with pytest.raises(FeedError, match="no list"):
        DigitalOcean().parse(Answers.of("digitalocean", sizes=answer), NOW)


@pytest.mark.parametrize(
    "facts", [{"price_hourly": "0.1"}, {"memory": "2048"}, {"regions": [7]}, {"gpu_info": "x"}, {"available": "no"}]
)
def test_wrong_types_take_nothing(facts: dict[str, Any]) -> None:
    with pytest.raises(FeedError, match="not in the known shape"):
        parsed(a_size("s-1", 0.1) | facts)


def test_pages_are_followed_by_number_whatever_the_link_says(
    httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIGITALOCEAN_TOKEN", "not-a-secret")
    headers = {"Authorization": "Bearer not-a-secret"}
    links = {"pages": {"next": "https://elsewhere.example/v2/sizes?page=2", "last": "x"}}
    httpserver.expect_ordered_request(PATH, query_string="page=1&per_page=200", headers=headers).respond_with_json(
        {"sizes": [a_size("s-a", 0.1)], "links": links}
    )
    httpserver.expect_ordered_request(PATH, query_string="page=2&per_page=200", headers=headers).respond_with_json(
        {"sizes": [a_size("s-b", 0.2)], "links": {}}
    )
    assert [o.server for o in fetch_and_parse("digitalocean").offers] == ["s-a", "s-b"]


def test_real_answers(capture: Callable[[str], bytes]) -> None:
    sizes = json.loads(capture("digitalocean/sizes-2026-08.json"))["sizes"]
    sizes += json.loads(capture("digitalocean/sizes-pydo-sample.json"))["sizes"]
    found = {(o.server, o.region): o for o in parsed(*sizes).offers}
    h100, amd = found["gpu-h100x8-640gb", "nyc1"], found["gpu-mi300x8-1536gb", "nyc1"]
    assert (h100.gpu_model, h100.gpu_count, h100.vram_gib_per_gpu, h100.price_per_hour) == (
        "H100-80GB-SXM5",
        8,
        80,
        23.92,
    )
    assert (h100.vcpus, h100.ram_gib) == (160, 1920)
    assert (amd.gpu_model, amd.vram_gib_per_gpu, amd.price_per_hour) == ("MI300X", 192, 15.92)
    assert found["s-1vcpu-512mb-10gb", "fra1"].price_per_hour == 0.00595
    assert found["s-1vcpu-1gb", "ams2"].price_per_hour == pytest.approx(0.00743999984115362, abs=1e-6)
