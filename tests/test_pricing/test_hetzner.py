"""Hetzner's three lists: auction in two schemas, dedicated lines, cloud types; each may fail alone."""

from __future__ import annotations

import copy
import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from pricing.answers import Answers
from pricing.errors import FeedError
from pricing.providers.hetzner import Hetzner

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_httpserver import HTTPServer

    from pricing.offer import Offer
    from pricing.provider import Fetched

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
FEED = "/www.hetzner.com/_resources/app/data/app"


def flat_auction(number: int = 9000001, **facts: Any) -> dict[str, Any]:
    return {
        "id": number,
        "cpu": "AMD EPYC 7502P",
        "cpu_count": 1,
        "ram_size": 128,
        "bandwidth": 1000,
        "serverDiskData": {"nvme": [960, 960], "sata": [], "hdd": [6000], "general": [960, 960, 6000]},
        "datacenter": "FSN1-DC99",
        "price": 111,
        "hourly_price": 0.18,
        "setup_price": 0,
        "ip_price": None,
        "fixed_price": False,
        "specials": ["IPv4", "ECC"],
        "information": ["4 x RAM 32768 MB DDR4 ECC"],
        **facts,
    }


def nested_auction(number: int = 9000002) -> dict[str, Any]:
    return {
        "Id": number,
        "Hardware": {
            "CPU": {"Name": "Intel Core i7-7700", "CoreCount": 1},
            "RAM": {"RealSize": 16384, "Size": 65536, "SizeUnit": "GB", "Amount": 4, "ecc": False},
            "Storage": {"Details": {"nvme": [], "sata": [512, 512], "hdd": [], "general": [512, 512]}},
        },
        "Prices": {
            "monthly": {"EUR": 61.5, "USD": 70.0},
            "hourly": {"EUR": 0.1, "USD": 0.11},
            "setup": {"EUR": 0, "USD": 0},
            "fixed": True,
        },
        "IPPrices": {"monthly": {"EUR": 1.7, "USD": 1.9}},
        "Details": {
            "Information": ["GPU - GeForce GTX 1080", "NIC 1 Gbit"],
            "Specials": ["IPv4", "GPU"],
            "Bandwidth": 1000,
            "Datacenter": {"Name": "HEL1-DC99"},
        },
    }


def a_line(name: str = "AX99", **facts: Any) -> dict[str, Any]:
    return {
        "id": 777,
        "name": name,
        "category": "Dedicated Root Server AX",
        "description": "<p>A machine.</p>",
        "cpu": "AMD Ryzen™ 9 7950X3D",
        "cores": 16,
        "threads": 32,
        "ram": 128,
        "bandwith": 1000,
        "hdd_arr": ["1.92 TB NVMe SSD", "1.92 TB NVMe SSD"],
        "price": 99.5,
        "maxprice": 444.0,
        "hourPrice": 0.16,
        "setup_price": 42,
        "is_disabled": False,
        "is_pre_order": False,
        "isLocationDependentMonthlyPrice": False,
        "datacenter": [{"datacenter": "HEL1"}],
        "specials": ["IPv4"],
        **facts,
    }


def a_new_line(**facts: Any) -> dict[str, Any]:
    return {
        "name": "GEX99",
        "product": {"id": 778},
        "cpuData": {"cpu": "Intel® Core™ i5-13500", "cores": 14, "threads": 20},
        "priceData": {"price": 201.5, "maxPrice": 201.5, "setupPrice": 0, "ipPrice": {"Monthly": 1.7}},
        "filterData": {"ramMin": 64},
        "variations": [
            {"ram": [{"Size": 64}], "drive": [{"RealSize": 1920, "Amount": 2, "Type": "NVMe"}]},
            {"ram": [{"Size": 128}], "drive": [{"RealSize": 3840, "Amount": 2, "Type": "NVMe"}]},
        ],
        "gpuData": {"title": "NVIDIA RTX™ 4000 SFF Ada generation"},
        "details": {"bandwidth": 1000, "datacenter": {"a": {"datacenter": "FSN1"}, "b": {"datacenter": "HEL1"}}},
        **facts,
    }


def a_type(name: str = "ccx93", **facts: Any) -> dict[str, Any]:
    price = {
        "price_hourly": {"net": "0.1230000000", "gross": "0.1463700000"},
        "price_monthly": {"net": "76.5000000000", "gross": "91.03"},
    }
    return {
        "name": name,
        "cores": 8,
        "memory": 32.0,
        "disk": 240,
        "storage_type": "local",
        "cpu_type": "dedicated",
        "deprecated": False,
        "prices": [{"location": place, **copy.deepcopy(price)} for place in ("fsn1", "ash")],
        "deprecation": None,
        **facts,
    }


def parsed(**parts: Any) -> Fetched:
    names = {"auction": "server", "dedicated": "server", "cloud": "server_types"}
    return Hetzner().parse(Answers.of("hetzner", **{part: {names[part]: rows} for part, rows in parts.items()}), NOW)


def only(**parts: Any) -> Offer:
    (offer,) = parsed(**parts).offers
    return offer


# the auction


def test_an_auction_is_a_month_of_one_machine() -> None:
    offer = only(auction=[flat_auction()])
    assert (offer.server, offer.region, offer.tier, offer.term) == (
        "auction 9000001",
        "FSN1-DC99",
        "auction",
        "monthly",
    )
    assert (offer.price_per_month, offer.price_per_hour, offer.setup_fee, offer.vat_included) == (
        111.0,
        0.18,
        0.0,
        False,
    )
    assert (offer.storage, offer.ram_gib) == ("2x 960 GB NVMe SSD + 1x 6000 GB HDD", 128.0)
    assert offer.note == "IPv4 extra; price still falls"


def test_cores_come_from_the_catalog() -> None:
    offer = only(auction=[flat_auction()])
    assert (offer.cpu_model, offer.sockets, offer.cores, offer.vcpus) == ("AMD EPYC 7502P", 1, 32.0, 64.0)
    two = only(auction=[flat_auction(cpu="2x Intel(R) Xeon(R) Gold 6438Y+", cpu_count=1)])
    assert (two.sockets, two.cores, two.vcpus) == (2, 64.0, 128.0)


def test_a_count_of_cores_is_not_one_of_sockets() -> None:
    offer = only(auction=[flat_auction(cpu="AMD Ryzen 5 3600", cpu_count=6)])
    assert (offer.sockets, offer.cores) == (None, 6.0)


def test_the_nested_schema_is_read_too() -> None:
    offer = only(auction=[nested_auction()])
    assert (offer.server, offer.region, offer.price_per_month, offer.price_per_hour) == (
        "auction 9000002",
        "HEL1-DC99",
        61.5,
        0.1,
    )
    assert (offer.gpu_model, offer.gpu_count, offer.vram_gib_per_gpu) == ("GTX-1080", 1.0, 8.0)
    assert (offer.ram_gib, offer.storage, offer.setup_fee) == (64.0, "2x 512 GB SATA SSD", 0.0)
    assert offer.note == "IPv4 1.70 EUR a month extra"


def test_an_unnamed_gpu_is_no_cpu_server() -> None:
    found = parsed(auction=[flat_auction(specials=["GPU"]), flat_auction(9000003)])
    assert found.skipped == {"GPU without a name": 1}


def test_a_machine_listed_twice_is_one() -> None:
    assert parsed(auction=[flat_auction(), flat_auction(price=90)]).skipped == {"listed twice": 1}


# dedicated lines


def test_a_line_costs_its_entry_price() -> None:
    offer = only(dedicated=[a_line()])
    assert (offer.server, offer.region, offer.price_per_month, offer.setup_fee) == ("AX99", "HEL1", 99.5, 42.0)
    assert (offer.cores, offer.vcpus, offer.ram_gib, offer.storage) == (16.0, 32.0, 128.0, "2x 1.92 TB NVMe SSD")
    assert (offer.availability, offer.note) == (None, "IPv4 extra")


def test_configurations_of_one_name_are_told_apart() -> None:
    rows = [a_line("AX9", configuration_id="1-2"), a_line("AX9", configuration_id="1-2-2"), a_line("AX9")]
    assert [o.server for o in parsed(dedicated=rows).offers] == ["AX9 1-2", "AX9 1-2-2", "AX9"]


def test_a_price_that_depends_on_the_place_is_marked() -> None:
    places = [{"datacenter": "FSN1"}, {"datacenter": "HEL1"}]
    offer = only(dedicated=[a_line(isLocationDependentMonthlyPrice=True, datacenter=places)])
    assert offer.region == "FSN1 HEL1"
    assert offer.note == "entry price, dearer at some of these sites; IPv4 extra"


def test_what_cannot_be_had_is_out_of_stock() -> None:
    assert only(dedicated=[a_line(is_disabled=True)]).availability == "out of stock"
    assert only(dedicated=[a_line(is_pre_order=True)]).availability == "pre-order"


def test_optional_disks_are_not_included() -> None:
    assert only(dedicated=[a_line(hdd_arr=["optional (at extra cost)"] * 10)]).storage == "none included"


@pytest.mark.parametrize(
    ("said", "chip", "gib"),
    [
        (
            "<p>It has an NVIDIA RTX™ 4000 SFF Ada generation graphics card with 20 GB of GDDR6 ECC GPU memory.</p>",
            "RTX-4000-SFF-Ada",
            20,
        ),
        ("<p>The NVIDIA RTX™ 6000 Ada generation card has 48 GB of GPU memory, and cores.</p>", "RTX-6000-Ada", 48),
    ],
)
def test_the_gpu_is_in_the_description(said: str, chip: str, gib: float) -> None:
    offer = only(dedicated=[a_line("GEX9", description=said, category="Dedicated Root Server GPU")])
    assert (offer.gpu_model, offer.gpu_count, offer.vram_gib_per_gpu) == (chip, 1.0, gib)


def test_a_gpu_that_is_not_named_is_not_guessed() -> None:
    offer = only(dedicated=[a_line("GEX9", description="<p>With a very fast graphics card.</p>")])
    assert (offer.kind, offer.gpu_model) == ("gpu", "GPU of GEX9, not named")


def test_of_the_new_schema_the_entry_variation_is_taken() -> None:
    offer = only(dedicated=[a_new_line()])
    assert (offer.server, offer.price_per_month, offer.setup_fee, offer.ram_gib) == ("GEX99", 201.5, 0.0, 64.0)
    assert (offer.storage, offer.region) == ("2x 1920 GB NVMe", "FSN1 HEL1")
    assert (offer.gpu_model, offer.cores, offer.vcpus) == ("RTX-4000-SFF-Ada", 14.0, 20.0)
    assert offer.note == "IPv4 1.70 EUR a month extra"


# the cloud


def test_net_prices_and_a_cap_by_location() -> None:
    found = parsed(cloud=[a_type()]).offers
    assert {(o.region, o.region_group) for o in found} == {("fsn1", "eu"), ("ash", "us")}
    assert {(o.price_per_hour, o.price_per_month, o.vcpus, o.ram_gib, o.shared_cpu) for o in found} == {
        (0.123, 76.5, 8.0, 32.0, False)
    }


def test_an_end_in_the_past_is_no_offer_whatever_the_flag_says() -> None:
    gone = a_type(
        "cx91", deprecation={"announced": "2026-01-01T00:00:00+00:00", "unavailable_after": "2026-09-06T00:00:00+00:00"}
    )
    soon = a_type(
        "cx92", deprecation={"announced": "2026-10-01T00:00:00+00:00", "unavailable_after": "2027-01-15T00:00:00+00:00"}
    )
    flagged = a_type("cx93", deprecated=True)
    found = parsed(cloud=[gone, soon, flagged])
    assert {(o.server, o.note) for o in found.offers} == {("cx92", "sold until 2027-01-15")}
    assert found.skipped == {"no longer sold": 2}


def test_places_end_and_sell_out_one_by_one() -> None:
    places = [
        {"name": "fsn1", "available": True, "deprecation": {"unavailable_after": "2026-11-01T00:00:00+00:00"}},
        {"name": "ash", "available": False, "deprecation": None},
    ]
    offer = only(cloud=[a_type(locations=places)])
    assert (offer.region, offer.availability) == ("ash", "out of stock")


def test_the_text_none_is_nothing() -> None:
    row = a_type(deprecated="None", deprecation="None")
    row["prices"][1]["price_hourly"]["net"] = "None"
    row["prices"][1]["price_monthly"]["net"] = "None"
    found = parsed(cloud=[row])
    assert [o.region for o in found.offers] == ["fsn1"]
    assert found.skipped == {"no price": 1}


# all of them


def test_a_list_of_another_shape_leaves_the_others() -> None:
    answers = Answers.of("hetzner", auction={"servers": []}, dedicated={"server": [a_line()]})
    found = Hetzner().parse(answers, NOW)
    assert [o.server for o in found.offers] == ["AX99"]
    assert [(m.kind, m.term) for m in found.missing] == [(None, "monthly")]


def test_an_empty_list_leaves_old_rows() -> None:
    found = parsed(auction=[], cloud=[a_type()])
    assert len(found.offers) == 2
    assert "holds no servers" in found.missing[0].reason


@pytest.mark.parametrize("answer", [[], {}, {"server": {}}, {"server": []}, {"server": [7, "x"]}])
def test_nothing_in_the_known_shape_is_an_error(answer: Any) -> None:
    with pytest.raises(FeedError):
        Hetzner().parse(Answers.of("hetzner", auction=answer), NOW)


@pytest.mark.parametrize(
    "facts", [{"price": "111"}, {"ram_size": True}, {"specials": "GPU"}, {"serverDiskData": []}, {"id": "9"}]
)
def test_wrong_types_take_nothing(facts: dict[str, Any]) -> None:
    with pytest.raises(FeedError, match="not in the known shape"):
        parsed(auction=[flat_auction(**facts)])


def test_without_a_token_the_cloud_is_not_asked(
    httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HCLOUD_TOKEN", raising=False)
    httpserver.expect_request(f"{FEED}/live_data_sb.json").respond_with_json({"server": [nested_auction()]})
    httpserver.expect_request(f"{FEED}/live_data_en_EUR.json").respond_with_json({"server": [a_new_line()]})
    found = fetch_and_parse("hetzner")
    assert {o.server for o in found.offers} == {"auction 9000002", "GEX99"}
    assert [(m.kind, m.term) for m in found.missing] == [("cpu", "on_demand")]


def test_cloud_pages_are_followed_with_the_token(
    httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HCLOUD_TOKEN", "not-a-secret")
    httpserver.expect_request(
        re.compile(f"{FEED}/.*"), headers={"Authorization": "Bearer not-a-secret"}
    ).respond_with_data("", status=418)
    httpserver.expect_request(re.compile(f"{FEED}/.*")).respond_with_data("", status=404)
    for page, following in ((1, 2), (2, "None")):
        httpserver.expect_request(
            "/api.hetzner.cloud/v1/server_types",
            query_string=f"page={page}&per_page=50",
            headers={"Authorization": "Bearer not-a-secret"},
        ).respond_with_json({"server_types": [a_type(f"cx9{page}")], "meta": {"pagination": {"next_page": following}}})
    found = fetch_and_parse("hetzner")
    assert {o.server for o in found.offers} == {"cx91", "cx92"}
    assert [m.term for m in found.missing] == ["monthly", "monthly"]
    assert all("404" in m.reason for m in found.missing)


def test_nothing_answered_is_an_error(
    httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HCLOUD_TOKEN", raising=False)
    httpserver.expect_request(re.compile(".*")).respond_with_data("", status=404)
    with pytest.raises(FeedError, match="404"):
        fetch_and_parse("hetzner")


def test_a_real_auction(capture: Callable[[str], bytes]) -> None:
    answers = Answers.of("hetzner", auction=capture("hetzner_auction/live_data_sb-2024-11-21.json"))
    found = {o.server: o for o in Hetzner().parse(answers, NOW).offers}
    assert len(found) == 1173
    for number, region, ram_gib, price, hour in (
        (2521312, "FSN1-DC8", 32, 33, 0.0529),
        (2534017, "FSN1-DC1", 256, 52, 0.0833),
        (2442195, "HEL1-DC6", 1024, 722, 1.1571),
        (2527988, "HEL1-DC2", 64, 104, 0.1667),
        (2499613, "HEL1-DC5", 64, 36, 0.0577),
    ):
        offer = found[f"auction {number}"]
        assert (offer.region, offer.ram_gib, offer.price_per_month, offer.price_per_hour) == (
            region,
            ram_gib,
            price,
            hour,
        )
    assert found["auction 2521312"].cpu_model == "Intel Core i7-6700 Processor"
    gpus = [o for o in found.values() if o.kind == "gpu"]
    assert {(o.gpu_model, o.gpu_count, o.vram_gib_per_gpu) for o in gpus} == {("GTX-1080", 1.0, 8.0)}
    assert len(gpus) == 21
    assert all(o.note and "IPv4 extra" in o.note for o in found.values())


def test_real_dedicated_lines(capture: Callable[[str], bytes]) -> None:
    answers = Answers.of("hetzner", dedicated=capture("hetzner_dedicated/live_data_en-2024-11-21.json"))
    offers = Hetzner().parse(answers, NOW).offers
    found = {(o.server, o.region): o for o in offers}
    assert len(found) == len(offers) == len({o.offer_id for o in offers}) == 95
    for server, region, vcpus, ram_gib, chip, price, setup in (
        ("GEX44", "FSN1", 20, 64, "RTX-4000-SFF-Ada", 182.3, 79),
        ("GEX130", "NBG1", 48, 128, "RTX-6000-Ada", 836.3, 0),
        ("AX102 1395", "HEL1", 32, 128, None, 102.3, 39),
        ("AX162-R 1416-1416-1416-1416-1416-1416-1441-1441-1607", "FSN1", 96, 320, None, 614.3, 79),
        ("EX44 1399", "NBG1", 20, 64, None, 42.3, 39),
        ("EX44 1399-1433", "HEL1", 20, 128, None, 54.3, 39),
        ("EX44", "FSN1 HEL1", 20, 64, None, 37.3, 39),
    ):
        offer = found[server, region]
        assert (offer.vcpus, offer.ram_gib, offer.gpu_model, offer.price_per_month, offer.setup_fee) == (
            vcpus,
            ram_gib,
            chip,
            price,
            setup,
        )


@pytest.mark.parametrize(
    ("file", "when", "expected", "absent"),
    [
        (
            "server_types-2024-10-07",
            datetime(2024, 10, 7, tzinfo=UTC),
            {
                ("cax11", "fsn1"): (0.0053, 2, 4),
                ("ccx63", "fsn1"): (0.4615, 48, 192),
                ("cx22", "hel1"): (0.0052, 2, 4),
                ("cpx51", "ash"): (0.0872, 16, 32),
            },
            "cx11",
        ),
        (
            "server_types-2019-12-05",
            datetime(2019, 12, 5, tzinfo=UTC),
            {("ccx51", "fsn1"): (0.48, 32, 128), ("cx11", "fsn1"): (0.004, 1, 2)},
            None,
        ),
    ],
)
def test_real_cloud_types(
    capture: Callable[[str], bytes],
    file: str,
    when: datetime,
    expected: dict[tuple[str, str], tuple[float, float, float]],
    absent: str | None,
) -> None:
    answers = Answers.of("hetzner", cloud=json.loads(capture(f"hetzner_cloud/{file}.json")))
    found = {(o.server, o.region): o for o in Hetzner().parse(answers, when).offers}
    assert {key: (found[key].price_per_hour, found[key].vcpus, found[key].ram_gib) for key in expected} == expected
    assert absent not in {server for server, _ in found}
    if absent:
        assert found["ccx13", "fsn1"].price_per_month == 11.99
        assert found["ccx63", "fsn1"].price_per_month == 287.99
