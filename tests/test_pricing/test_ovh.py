"""OVHcloud's parser: hundred-millionths, plan suffixes, default options, commitments, sockets, stock."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from pricing.answers import Answer, Answers
from pricing.errors import FeedError
from pricing.providers.ovh import OVH

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_httpserver import HTTPServer

    from pricing.offer import Offer
    from pricing.provider import Fetched

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
UNIT = 10**8


# payloads


def a_price(price: float, mode: str = "default", months: int = 1, promotions: tuple[Any, ...] = ()) -> dict[str, Any]:
    length = int("".join(filter(str.isdigit, mode)) or 0)
    return {
        "capacities": ["renew"],
        "price": round(price * UNIT),
        "tax": round(price * UNIT * 0.2),
        "mode": mode,
        "commitment": length,
        "interval": months,
        "intervalUnit": "month",
        "promotions": list(promotions),
    }


def a_setup(price: float, mode: str = "default") -> dict[str, Any]:
    return a_price(price, mode) | {
        "capacities": ["installation"],
        "commitment": 0,
        "interval": 0,
        "intervalUnit": "none",
    }


def an_addon(code: str, product: str, *pricings: dict[str, Any]) -> dict[str, Any]:
    return {"planCode": code, "product": product, "pricings": list(pricings) or [a_setup(0), a_price(0)]}


def technical(**blob: Any) -> dict[str, Any]:
    return {"blobs": {"technical": blob}}


CPU = {"brand": "Intel", "model": "Xeon Silver 4214R", "cores": 12, "threads": 24, "number": 2, "frequency": 2.4}
PRODUCTS = [
    {"name": "srv9", **technical(server={"range": "rise", "cpu": CPU})},
    {"name": "ram-96g-ecc-2666", **technical(memory={"size": 96, "frequency": 2666, "ramType": "DDR4", "ecc": True})},
    {
        "name": "disk-2x",
        **technical(storage={"disks": [{"number": 2, "capacity": 960, "technology": "SSD", "interface": "NVMe"}]}),
    },
    {
        "name": "noraid-0",
        **technical(storage={"disks": [{"number": 0, "capacity": 0, "technology": "SSD", "interface": "NVMe"}]}),
    },
    {"name": "bw-500", **technical(bandwidth={"level": 500, "limit": 0, "guaranteed": False})},
    {"name": "bw-tb", **technical(bandwidth={"level": 300, "limit": 25, "guaranteed": True})},
    {
        "name": "gpu-4x",
        **technical(gpu={"brand": "NVIDIA", "model": "Tesla V100S", "number": 4, "memory": {"size": 32}}),
    },
    {"name": "licence", **technical(license={"application": "Panel"})},
]
ADDONS = [
    an_addon("ram-96g-srv9", "ram-96g-ecc-2666", a_setup(5), a_price(10), a_price(9, "degressivity12")),
    an_addon("disk-srv9", "disk-2x"),
    an_addon("nodisk-srv9", "noraid-0"),
    an_addon("bw-srv9", "bw-500"),
    an_addon("bw-apac", "bw-tb"),
    an_addon("gpu-srv9", "gpu-4x", a_setup(0), a_price(0), a_price(0, "degressivity12")),
    an_addon("panel", "licence", a_setup(0), a_price(15)),
]


def a_family(name: str, default: str | None, *, mandatory: bool = True) -> dict[str, Any]:
    return {"name": name, "default": default, "mandatory": mandatory, "addons": [default or "x"]}


FAMILIES = [
    a_family("memory", "ram-96g-srv9"),
    a_family("storage", "disk-srv9"),
    a_family("bandwidth", "bw-srv9"),
    a_family("application-license", "panel", mandatory=False),
]
COMMITMENTS = (
    a_setup(120),
    a_price(100),
    a_setup(0, "degressivity12"),
    a_price(95, "degressivity12"),
    a_setup(0, "upfront12"),
    a_price(1080, "upfront12", 12),
    a_setup(120, "degressivity3"),
    a_price(100, "degressivity3"),
)


def a_plan(code: str = "29rise09", pricings: tuple[Any, ...] = COMMITMENTS, **facts: Any) -> dict[str, Any]:
    return {
        "planCode": code,
        "product": "srv9",
        "invoiceName": "RISE-99",
        "addonFamilies": FAMILIES,
        "configurations": [
            {"name": "dedicated_datacenter", "values": ["gra", "rbx"]},
            {"name": "region", "values": ["europe"]},
        ],
        "blobs": {"commercial": {"range": "elsewhere"}},
        "pricings": list(pricings),
        **facts,
    }


def a_catalogue(*plans: Any, currency: str = "EUR", products: Any = PRODUCTS, addons: Any = ADDONS) -> dict[str, Any]:
    return {
        "locale": {"currencyCode": currency, "taxRate": 20},
        "plans": list(plans),
        "products": products,
        "addons": addons,
    }


def a_flavor(code: str, price: float, unit: str = "hour", **facts: Any) -> dict[str, Any]:
    blob = {
        "cpu": {"cores": 4, "model": "vCore"},
        "memory": {"size": 16},
        "os": {"family": "linux"},
        "storage": {"disks": [{"capacity": 50, "number": 1, "technology": "NVMe"}]},
        "bandwidth": {"level": 500},
        **facts.pop("technical", {}),
    }
    pricing = a_price(price) | {"capacities": ["consumption"], "intervalUnit": unit}
    blobs = {"tags": facts.pop("tags", ["active"]), "technical": blob}
    return {"planCode": code, "product": "publiccloud-instance", "pricings": [pricing], "blobs": blobs, **facts}


def metal(*catalogues: tuple[str, Any], stock: Any = None) -> Fetched:
    answers = Answers()
    for label, catalogue in catalogues:
        answers.items.append(Answer("ovh", "metal", json.dumps(catalogue).encode(), label))
    if stock is not None:
        answers.items.append(Answer("ovh", "stock", json.dumps(stock).encode(), "eu"))
    return OVH().parse(answers, NOW)


def plans(*rows: Any, stock: Any = None) -> Fetched:
    return metal(("eu eco IE", a_catalogue(*rows)), stock=stock)


def cloud(*addons: Any) -> Fetched:
    return OVH().parse(
        Answers(items=[Answer("ovh", "cloud", json.dumps({"addons": addons}).encode(), "eu cloud DE")]), NOW
    )


def monthly(found: Fetched) -> Offer:
    (offer,) = [o for o in found.offers if o.term == "monthly"]
    return offer


# whole machines


def test_plan_and_default_options_cost_together() -> None:
    offer = monthly(plans(a_plan()))
    assert (offer.price_per_month, offer.setup_fee, offer.currency, offer.vat_included) == (110.0, 125.0, "EUR", False)
    assert (offer.server, offer.tier, offer.region) == ("29rise09 | RISE-99", "rise", "gra rbx")


def test_cores_and_threads_are_those_of_one_socket() -> None:
    offer = monthly(plans(a_plan()))
    assert (offer.cpu_model, offer.sockets, offer.cores, offer.vcpus) == (
        "Intel Xeon Silver 4214R Processor",
        2,
        24.0,
        48.0,
    )


def test_options_tell_memory_disks_and_traffic() -> None:
    offer = monthly(plans(a_plan()))
    assert (offer.ram_gib, offer.memory_mts, offer.storage) == (96.0, 2666.0, "2x960GB SSD NVMe")
    assert offer.nic == "500 Mbit/s not guaranteed; traffic unmetered"
    bare = [a_family("memory", "ram-96g-srv9"), a_family("storage", "nodisk-srv9"), a_family("bandwidth", "bw-apac")]
    offer = monthly(plans(a_plan(addonFamilies=bare)))
    assert (offer.storage, offer.nic) == ("none included", "300 Mbit/s guaranteed; traffic 25 TB")


def test_memory_without_a_description_is_read_off_its_name() -> None:
    products = [entry for entry in PRODUCTS if not entry["name"].startswith("ram")]
    offer = monthly(metal(("eu eco IE", a_catalogue(a_plan(), products=products))))
    assert (offer.ram_gib, offer.memory_mts) == (96.0, None)


def test_commitments_are_by_the_month_with_the_setup_of_their_mode() -> None:
    found = {
        (o.term, o.commitment_months, o.tier): (o.price_per_month, o.setup_fee, o.upfront_share)
        for o in plans(a_plan()).offers
    }
    assert found == {
        ("monthly", None, "rise"): (110.0, 125.0, None),
        ("reserved", 12, "rise"): (104.0, 0.0, 0.0),
        ("reserved", 12, "rise upfront"): (100.0, 5.0, 1.0),
    }


def test_a_machine_sold_with_a_commitment_only_has_no_free_month() -> None:
    found = plans(a_plan(pricings=(a_setup(0, "degressivity12"), a_price(95, "degressivity12"))))
    assert [(o.term, o.commitment_months, o.price_per_month) for o in found.offers] == [("reserved", 12, 104.0)]


def test_default_cards_belong_to_a_gpu_machine_though_optional() -> None:
    families = [*FAMILIES, a_family("gpu", "gpu-srv9", mandatory=False)]
    offer = monthly(plans(a_plan(addonFamilies=families)))
    assert (offer.kind, offer.gpu_model, offer.gpu_count, offer.vram_gib_per_gpu) == (
        "gpu",
        "V100S-32GB-PCIe",
        4.0,
        32.0,
    )


def test_a_promotion_is_noted_and_not_counted() -> None:
    def note(end: str | None) -> str | None:
        promotion = {"total": {"value": 80 * UNIT}, "endDate": end}
        return monthly(plans(a_plan(pricings=(a_setup(0), a_price(100, promotions=(promotion,)))))).note

    assert note("2026-12-24T10:00:00+01:00") == "promotion at 90.00 a month until 2026-12-24"
    assert note("2026-06-11T10:00:00+01:00") is None
    assert note(None) == "promotion at 90.00 a month"


@pytest.mark.parametrize(
    ("code", "region", "group"),
    [
        ("29rise09-ca", "ca", "us"),
        ("29rise09-mum", "mum", "asia"),
        ("29rise09-sgp-v2", "sgp", "asia"),
        ("29adv01-v3", "gra rbx", "eu"),
    ],
)
def test_the_region_is_the_end_of_the_code_or_the_data_centres(code: str, region: str, group: str) -> None:
    offer = monthly(plans(a_plan(code)))
    assert (offer.region, offer.region_group) == (region, group)


def test_data_centres_of_the_catalogues_own_part_of_the_world_lead() -> None:
    """Beauharnois stands first in Europe's lists: a machine of seven sites in Europe is no American one."""
    sites = [{"name": "dedicated_datacenter", "values": ["bhs", "fra", "waw"]}]
    offer = monthly(plans(a_plan(configurations=sites)))
    assert (offer.region, offer.region_group) == ("fra waw bhs", "eu")
    american = monthly(metal(("us eco US", a_catalogue(a_plan(configurations=sites), currency="USD"))))
    assert (american.region, american.region_group) == ("bhs fra waw", "us")


@pytest.mark.parametrize(
    ("cpu", "name", "sockets"),
    [
        ({"brand": "AMD", "model": "Epyc 7413", "number": 1}, "AMD EPYC 7413", 1),
        ({"brand": "Intel", "model": "i7-7700K", "number": 1}, "Intel Core i7-7700K Processor", 1),
        ({"brand": "Intel", "model": "Xeon-E 2386G"}, "Intel Xeon E-2386G Processor", 1),
        ({"brand": "Intel", "model": "2x Xeon Gold 6226R"}, "Intel Xeon Gold 6226R Processor", 2),
    ],
)
def test_spellings_of_cpus(cpu: dict[str, Any], name: str, sockets: int) -> None:
    products = copy.deepcopy(PRODUCTS)
    products[0]["blobs"]["technical"]["server"]["cpu"] = cpu
    offer = monthly(metal(("eu eco IE", a_catalogue(a_plan(), products=products))))
    assert (offer.cpu_model, offer.sockets) == (name, sockets)


@pytest.mark.parametrize(
    ("plan", "reason"),
    [
        (a_plan(product="licence"), "not a server"),
        (a_plan(product="gone"), "not a server"),
        (a_plan(addonFamilies=[a_family("memory", "gone")]), "default option without a price"),
        (a_plan(addonFamilies=[a_family("memory", None)]), "default option without a price"),
        (a_plan(pricings=()), "no price by the month"),
        (a_plan(pricings=(a_price(0),)), "no price by the month"),
    ],
)
def test_plans_that_are_no_offers(plan: dict[str, Any], reason: str) -> None:
    found = plans(plan)
    assert (found.offers, found.skipped) == ((), {reason: 1})


def test_a_plan_in_two_catalogues_is_one_offer_a_currency() -> None:
    found = metal(
        ("eu eco IE", a_catalogue(a_plan())),
        ("eu baremetalServers FR", a_catalogue(a_plan())),
        ("us eco US", a_catalogue(a_plan(), currency="USD")),
    )
    assert [(o.currency, o.term) for o in found.offers if o.term == "monthly"] == [
        ("EUR", "monthly"),
        ("USD", "monthly"),
    ]
    assert found.skipped == {"in two catalogues": 1}


# stock


def a_row(state: str, place: str = "gra", **options: str) -> dict[str, Any]:
    named = {"memory": "ram-96g-ecc-2666", "storage": "disk-2x", **options}
    return {
        "planCode": "29rise09",
        "server": "srv9",
        **named,
        "datacenters": [{"datacenter": place, "availability": state}],
    }


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([a_row("72H")], "in 72 h"),
        ([a_row("1H-low")], "in 1 h, few left"),
        ([a_row("1H-high")], "in 1 h"),
        ([a_row("unavailable")], "out of stock"),
        ([a_row("comingSoon")], "out of stock"),
        ([a_row("unknown")], None),
        ([a_row("1H-low", memory="ram-384g-ecc-4800"), a_row("72H")], "in 72 h"),
        ([a_row("1H-high", memory="other")], None),
        ([a_row("72H", storage="other")], None),
        ([a_row("240H", "gra"), a_row("24H", "rbx")], "in 24 h: rbx; in 240 h: gra"),
        ([a_row("unavailable", "gra"), a_row("24H", "rbx")], "in 24 h: rbx; out of stock: gra"),
        ([a_row("72H", "waw")], None),
        ([{"planCode": "29rise09", "memory": "m", "datacenters": []}], None),
        ([{"planCode": "29rise09", "datacenters": "gra"}, 7, {"planCode": 9}], None),
        ({"class": "Client::BadRequest"}, None),
    ],
)
def test_stock_in_words(rows: Any, said: str | None) -> None:
    assert monthly(plans(a_plan(), stock=rows)).availability == said


# the cloud


def test_cloud_prices_are_hundred_millionths() -> None:
    (offer,) = cloud(a_flavor("b9-16.consumption", 0.0512)).offers
    assert (offer.server, offer.price_per_hour, offer.term, offer.region) == ("b9-16", 0.0512, "on_demand", "eu")
    assert (offer.vcpus, offer.ram_gib, offer.storage, offer.nic) == (4.0, 16.0, "50 GB NVMe", "500 Mbit/s")
    assert (offer.cpu_model, offer.currency) == (None, "EUR")


def test_the_month_is_an_offer_of_its_own() -> None:
    found = cloud(a_flavor("b9-16.monthly.postpaid", 22.0, "month"), a_flavor("b9-16.consumption", 0.05)).offers
    assert [(o.term, o.price_per_hour, o.price_per_month) for o in found] == [
        ("monthly", None, 22.0),
        ("on_demand", 0.05, None),
    ]


@pytest.mark.parametrize(
    ("code", "server", "region", "group"),
    [
        ("b9-16.consumption.LZ.AF", "b9-16", "LZ.AF", "other"),
        ("b9-16.consumption.LZ.EUROZONE", "b9-16", "LZ.EUROZONE", "eu"),
        ("b9-16.consumption.3AZ", "b9-16", "3AZ", "eu"),
        ("metal.eg-256.consumption", "metal.eg-256", "eu", "eu"),
    ],
)
def test_plan_codes_are_read_from_their_end(code: str, server: str, region: str, group: str) -> None:
    (offer,) = cloud(a_flavor(code, 0.1)).offers
    assert (offer.server, offer.region, offer.region_group) == (server, region, group)


def test_gpus_are_those_the_catalogue_states() -> None:
    gpu = {"gpu": {"model": "L40S", "number": 4, "memory": {"size": 48, "interface": "GDDR6"}}}
    (offer,) = cloud(a_flavor("l40s-360.consumption", 5.6, technical=gpu)).offers
    assert (offer.gpu_model, offer.gpu_count, offer.vram_gib_per_gpu) == ("L40S", 4.0, 48.0)
    gpu = {"gpu": {"model": "H100", "number": 1, "memory": {"size": 80}}}
    (offer,) = cloud(a_flavor("h100-380.consumption", 2.8, technical=gpu)).offers
    assert offer.gpu_model == "H100-80GB-PCIe"


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (a_flavor("win-b9-16.consumption", 0.1), "Windows"),
        (a_flavor("b9-16.consumption", 0.1, technical={"os": {"family": "windows"}}), "Windows"),
        (a_flavor("b9-16.consumption", 0.1, tags=["legacy"]), "no longer sold"),
        (a_flavor("instance.licence.hour.consumption", 0.1), "not an instance"),
        (a_flavor("b9-16.savings-plan", 0.1), "not an instance"),
        (a_flavor("b9-16.consumption", 0), "no price"),
        (a_flavor("b9-16.consumption", 22.0, "month"), "no price"),
    ],
)
def test_cloud_rows_that_are_no_offers(row: dict[str, Any], reason: str) -> None:
    found = cloud(row)
    assert (found.offers, found.skipped) == ((), {reason: 1})


def test_training_by_the_minute_is_no_instance() -> None:
    row = a_flavor("ai-training.h100-1-gpu.minute.consumption", 0.05) | {"product": "publiccloud-ai"}
    assert cloud(row).offers == ()


# all of them


def test_a_catalogue_of_another_shape_leaves_the_others() -> None:
    found = metal(("eu eco IE", {"plans": []}), ("us eco US", a_catalogue(a_plan(), currency="USD")))
    assert {o.currency for o in found.offers} == {"USD"}
    assert [m.term for m in found.missing] == ["monthly", "reserved"]


def test_an_empty_catalogue_leaves_old_rows() -> None:
    found = metal(("eu eco IE", a_catalogue()), ("us eco US", a_catalogue(a_plan(), currency="USD")))
    assert [(m.reason, m.term) for m in found.missing] == [
        ("the catalogue eco IE is empty.", "monthly"),
        ("the catalogue eco IE is empty.", "reserved"),
    ]


@pytest.mark.parametrize("answer", [[], {}, {"addons": {}}, {"locale": []}, "x"])
@pytest.mark.parametrize("part", ["cloud", "metal"])
def test_nothing_in_the_known_shape_is_an_error(part: str, answer: Any) -> None:
    with pytest.raises(FeedError, match="the answer has no"):
        OVH().parse(Answers(items=[Answer("ovh", part, json.dumps(answer).encode(), "eu x X")]), NOW)


@pytest.mark.parametrize(
    "plan",
    [a_plan(pricings=({**a_price(1), "price": "100"},)), a_plan(addonFamilies={}), a_plan(configurations=[7]), 7],
)
def test_wrong_types_take_nothing(plan: Any) -> None:
    with pytest.raises(FeedError, match="not in the known shape"):
        plans(plan)


def test_catalogues_of_both_subsidiaries_are_asked(
    httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]
) -> None:
    order, stock = "v1/order/catalog/public", "v1/dedicated/server/datacenter/availabilities"
    for host, name, subsidiary, body in (
        ("eu.api.ovh.com", "cloud", "DE", {"addons": [a_flavor("b9-16.consumption", 0.05)]}),
        ("eu.api.ovh.com", "eco", "IE", a_catalogue(a_plan())),
        ("api.us.ovhcloud.com", "eco", "US", a_catalogue(a_plan("29rise09-us"), currency="USD")),
    ):
        httpserver.expect_request(
            f"/{host}/{order}/{name}", query_string=f"ovhSubsidiary={subsidiary}"
        ).respond_with_json(body)
    for host in ("eu.api.ovh.com", "api.us.ovhcloud.com"):
        httpserver.expect_request(f"/{host}/{order}/baremetalServers").respond_with_json({"class": "x"}, status=400)
    httpserver.expect_request(f"/eu.api.ovh.com/{stock}").respond_with_json([a_row("24H")])
    httpserver.expect_request(f"/api.us.ovhcloud.com/{stock}").respond_with_json({"class": "x"}, status=404)
    found = fetch_and_parse("ovh")
    states = {(o.server.split()[0], o.currency): o.availability for o in found.offers if o.term != "reserved"}
    assert states == {("b9-16", "EUR"): None, ("29rise09", "EUR"): "in 24 h", ("29rise09-us", "USD"): None}
    assert [m.term for m in found.missing] == ["monthly", "reserved"] * 2


def real(capture: Callable[[str], bytes], *parts: tuple[str, str, str]) -> list[Offer]:
    answers = Answers(items=[Answer("ovh", part, capture(f"ovh/{name}.json"), label) for part, name, label in parts])
    return list(OVH().parse(answers, NOW).offers)


def test_real_machines(capture: Callable[[str], bytes]) -> None:
    offers = real(
        capture,
        ("metal", "catalog_eco-IE-2025-06-06", "eu eco IE"),
        ("metal", "catalog_baremetalServers-FR-2022-02-08", "eu baremetalServers FR"),
        ("metal", "catalog_eco-US-2025-06-06", "us eco US"),
    )
    assert len({o.offer_id for o in offers}) == len(offers)
    found = {o.server.split()[0]: o for o in offers if o.term == "monthly"}
    assert len(found) == 33
    for code, region, vcpus, ram_gib, price, setup, currency in (
        ("22rise044", None, 32, 128, 169.99, 169.99, "EUR"),
        ("22rise052", None, 48, 192, 212.99, 179.99, "EUR"),
        ("22sk032", None, 8, 64, 26.99, 26.99, "EUR"),
        ("22sk081", None, 8, 32, 19.99, 19.99, "EUR"),
        ("21rise221-sgp", "sgp", 8, 32, 54.99, 54.99, "EUR"),
        ("22sys022", None, 16, 64, 32.99, 27.99, "EUR"),
        ("24rise09-ca", "ca", 96, 256, 260.0, 260.0, "USD"),
        ("24sk50-ca", "ca", 8, 32, 20.0, 20.0, "USD"),
        ("21adv01", None, 12, 32, 89.99, 89.99, "EUR"),
        ("21hci04", None, 64, 128, 669.99, 500.0, "EUR"),
        ("21scale02", None, 64, 256, 399.99, 400.0, "EUR"),
    ):
        offer = found[code]
        assert (offer.vcpus, offer.ram_gib, offer.price_per_month, offer.setup_fee) == (vcpus, ram_gib, price, setup), (
            code
        )
        assert offer.currency == currency
        assert region in {None, offer.region}
    assert "21sds02" not in found
    assert {o.term for o in offers if o.server.startswith("21sds02")} == {"reserved"}


def test_the_real_cloud(capture: Callable[[str], bytes]) -> None:
    found = {(o.server, o.region, o.term): o for o in real(capture, ("cloud", "catalog_cloud-2026-08", "eu cloud DE"))}
    a100 = found["a100-180", "eu", "on_demand"]
    assert (a100.price_per_hour, a100.vcpus, a100.ram_gib, a100.gpu_count, a100.vram_gib_per_gpu) == (
        2.75,
        15,
        180,
        1,
        80,
    )
    assert found["a100-180", "eu", "monthly"].price_per_month == 1100.0
    assert found["b3-8", "eu", "on_demand"].price_per_hour == 0.0512
    assert found["b3-8", "LZ.AF", "on_demand"].price_per_hour == 0.093
    assert found["c3-8", "eu", "on_demand"].price_per_hour == 0.0913
