"""Faults seen in public trackers of dedicated servers and European clouds, and in comparing a month with an hour.

Left out, because no such thing is read here: backup percentages, object storage, Robot's ordering calls, page scrapes,
alerts of other tools, power of owned machines and the speed of memory (both in the estimator's tests).
"""

from __future__ import annotations

import dataclasses
import json
import math
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

import pytest

from pricing import export, quality
from pricing.answers import Answer, Answers
from pricing.market import Market
from pricing.money import Rates
from pricing.provider import About, provider
from pricing.providers import hetzner, ovh
from pricing.terms import CompareOptions, month_of_one

if TYPE_CHECKING:
    from collections.abc import Callable

    from pricing.offer import Offer

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
UNIT = 10**8


def offers(name: str, **parts: Any) -> list[Offer]:
    return list(provider(name).parse(Answers.of(name, **parts), NOW).offers)


def month(offer: Offer, *, months: float = 12, hours: float = 730, currency: str = "EUR") -> float:
    terms = CompareOptions(currency, hours, months, today=date(2026, 11, 30))
    return float(month_of_one(Market([offer]), terms)[0])


# Hetzner


def auction(**facts: Any) -> dict[str, Any]:
    return {
        "Id": 1, "Hardware": {"CPU": {"Name": "Intel Core i5-13500", "CoreCount": 1},
        "RAM": {"Size": 64, "SizeUnit": "GB"},
        "Storage": {"Details": {"nvme": [512, 512, 512], "sata": [240], "hdd": [16000]}}},
        "Prices": {"monthly": {"EUR": 89.0}, "hourly": {"EUR": 0.1426}, "setup": {"EUR": 0}, "fixed": True},
        "IPPrices": {"monthly": {"EUR": 1.7}}, "Details": {"Datacenter": {"Name": "FSN1-DC9"}}, **facts,
    }  # fmt: skip


def line(**facts: Any) -> dict[str, Any]:
    return {
        "name": "GEX63", "cpuData": {"cpu": "AMD Ryzen 9 7950X3D", "cores": 16, "threads": 32},
        "priceData": {"price": 999.0, "setupPrice": 999.0, "ipPrice": {"Monthly": 1.7}}, "filterData": {"ramMin": 128},
        "variations": [{"ram": [{"Size": size}], "drive": [{"RealSize": 1920, "Amount": 2, "Type": "NVMe"}]}
        for size in (128, 256)], "details": {}, **facts,
    }  # fmt: skip


def test_an_auction_is_net_without_its_address_and_has_all_its_disks() -> None:
    """19 % tax was assumed, 1.70 for IPv4 was in or out without a word, one disk of five was looked at."""
    (offer,) = offers("hetzner", auction={"server": [auction()]})
    assert (offer.price_per_month, offer.price_per_hour, offer.vat_included) == (89.0, 0.1426, False)
    assert offer.note == "IPv4 1.70 EUR a month extra"
    assert offer.storage == "3x 512 GB NVMe SSD + 1x 240 GB SATA SSD + 1x 16000 GB HDD"


def test_a_count_of_cores_is_one_of_sockets_and_threads_are_not_twice_the_cores() -> None:
    """The "CoreCount" 1 is one CPU; an i5-13500 has 14 cores (6 + 8) and 20 threads."""
    (offer,) = offers("hetzner", auction={"server": [auction()]})
    assert (offer.sockets, offer.cores, offer.vcpus) == (1, 14.0, 20.0)


def test_memory_in_megabytes_under_the_name_of_gigabytes() -> None:
    """32768 "GB" are 32."""
    hardware = {**auction()["Hardware"], "RAM": {"Size": 32768, "SizeUnit": "GB"}}
    assert offers("hetzner", auction={"server": [auction(Hardware=hardware)]})[0].ram_gib == 32.0


def test_only_the_entry_configuration_has_a_price() -> None:
    """Every variation was given the base price: 256 GB have none in the list, and are not offered."""
    assert [(o.ram_gib, o.price_per_month) for o in offers("hetzner", dedicated={"server": [line()]})] == [
        (128.0, 999.0)
    ]


def test_a_setup_fee_counts_by_the_months_that_are_kept() -> None:
    """GEX63 costs 999 and 999 once: twice as much over one month, 8.3 % more over twelve."""
    (offer,) = offers("hetzner", dedicated={"server": [line()]})
    assert offer.setup_fee == 999.0
    assert month(offer, months=1) == pytest.approx(2 * 999.0)
    assert month(offer) == pytest.approx(999.0 * (1 + 1 / 12))
    assert month(offer, hours=10) == month(offer)


def cloud_type(**facts: Any) -> dict[str, Any]:
    price = {"price_hourly": {"net": "0.0060000000", "gross": "0.0071400000"},
             "price_monthly": {"net": "3.7900000000", "gross": "4.5101000000"}}  # fmt: skip
    return {"name": "cx23", "cores": 2, "memory": 4.0, "disk": 40, "cpu_type": "shared",
            "prices": [{"location": "fsn1", **price}], **facts}  # fmt: skip


def test_cloud_prices_are_net_capped_by_the_month_and_paid_by_the_hour_begun() -> None:
    """Gross prices, half hours and months of 730 hours: net, whole hours, and never more than 3.79 (632 hours)."""
    (offer,) = offers("hetzner", cloud={"server_types": [cloud_type()]})
    assert (offer.price_per_hour, offer.price_per_month, offer.vat_included) == (0.006, 3.79, False)
    assert month(offer, hours=0.33) == pytest.approx(0.006)
    assert month(offer, hours=100.5) == pytest.approx(101 * 0.006)
    assert month(offer) == pytest.approx(3.79)


def test_listed_is_not_to_be_had() -> None:
    """Types stood in the list that nobody could order."""
    places = [{"name": "fsn1", "available": False}]
    (offer,) = offers("hetzner", cloud={"server_types": [cloud_type(locations=places)]})
    assert offer.availability == "out of stock"


def test_the_frozen_addresses_are_not_asked() -> None:
    """The old path stayed online with old machines and prices: only the one of 2026 is asked."""
    asked: list[str] = []

    class Ask:
        answers = Answers()

        def attempt(self, _: Any, call: Callable[[], Any]) -> Any:
            return call()

        def get(self, part: str, url: str, **_: Any) -> None:
            asked.append(url)
            self.answers.items.append(Answer("hetzner", part, b"{}"))

        def key(self) -> None:
            return None

    hetzner.Hetzner().fetch(Ask())  # type: ignore[arg-type]
    assert [url.rpartition("/")[2] for url in asked] == ["live_data_sb.json", "live_data_en_EUR.json"]


# OVHcloud


def fee(price: float, mode: str = "default", months: int = 1, capacity: str = "renew") -> dict[str, Any]:
    installed = capacity == "installation"
    return {"capacities": [capacity], "price": round(price * UNIT), "mode": mode, "commitment": 0,
            "interval": 0 if installed else months, "intervalUnit": "none" if installed else "month"}  # fmt: skip


RISE = (
    fee(70), fee(70, capacity="installation"), fee(66.5, "degressivity12"), fee(63, "degressivity24"),
    fee(756, "upfront12", 12), fee(1428, "upfront24", 24), fee(500, capacity="upgrade"),
)  # fmt: skip


def metal(*prices: dict[str, Any], currency: str = "USD", frequency: int = 2400, **cpu: Any) -> list[Offer]:
    """Offers of one machine of OVHcloud's catalogue, with its memory as the only option."""
    server = {"brand": "AMD", "model": "Epyc 7302", "cores": 16, "threads": 32, "number": 1, **cpu}
    free = [fee(0), fee(0, capacity="installation")]
    products = [
        {"name": "srv", "blobs": {"technical": {"server": {"range": "rise", "cpu": server}}}},
        {"name": "ram", "blobs": {"technical": {"memory": {"size": 128, "frequency": frequency}}}},
    ]
    plan = {
        "planCode": "29rise01-ca", "product": "srv", "invoiceName": "RISE-1", "pricings": list(prices),
        "addonFamilies": [{"name": "memory", "mandatory": True, "default": "ram-srv", "addons": ["ram-srv"]}],
    }  # fmt: skip
    answer = {"locale": {"currencyCode": currency}, "plans": [plan], "products": products,
              "addons": [{"planCode": "ram-srv", "product": "ram", "pricings": free}]}  # fmt: skip
    found = Answers([Answer("ovh", "metal", json.dumps(answer).encode(), "us eco US")])
    return list(provider("ovh").parse(found, NOW).offers)


def test_every_commitment_is_by_the_month_and_says_what_it_is() -> None:
    """RISE-1: 70 and 70 once; 66.50 and 63 with a commitment, 63 and 59.50 paid at once (756 and 1428 are terms)."""
    found = metal(*RISE)
    terms = {(o.term, o.commitment_months, o.upfront_share): o.price_per_month for o in found}
    assert terms == {
        ("monthly", None, None): 70.0,
        ("reserved", 12, 0.0): 66.5,
        ("reserved", 24, 0.0): 63.0,
        ("reserved", 12, 1.0): 63.0,
        ("reserved", 24, 1.0): 59.5,
    }
    assert [o.setup_fee for o in found if o.term == "monthly"] == [70.0]
    assert {o.currency for o in found} == {"USD"}  # was: taken for euros


def test_a_machine_sold_with_a_commitment_only_is_offered_with_it() -> None:
    """HGR-AI-1 has no month without a commitment, and was lost."""
    assert [(o.term, o.commitment_months) for o in metal(fee(900, "degressivity12"))] == [("reserved", 12)]


def test_memory_runs_at_the_offers_speed_and_cores_are_those_of_one_socket() -> None:
    """DDR4-2400 on an EPYC 7302 is not 3200; two sockets of 16 cores are 32."""
    offer = metal(*RISE, number=2)[0]
    assert (offer.memory_mts, offer.sockets, offer.cores, offer.vcpus) == (2400.0, 2, 32.0, 64.0)


def test_the_month_does_not_overwrite_the_hour() -> None:
    """The price of monthly.postpaid stood in for the hour's: two offers, and GPU flavours are all read."""
    blob = {"cpu": {"cores": 15}, "memory": {"size": 180}, "os": {"family": "linux"},
            "gpu": {"model": "H100", "number": 2, "memory": {"size": 80}}}  # fmt: skip
    rows = [
        {
            "planCode": f"h100-760.{plan}", "product": "publiccloud-instance", "blobs": {"technical": blob},
            "pricings": [{"mode": "default", "price": round(price * UNIT), "interval": 1, "intervalUnit": unit}],
        }
        for plan, price, unit in (("consumption", 5.5, "hour"), ("monthly.postpaid", 2500.0, "month"))
    ]  # fmt: skip
    for order in (rows, rows[::-1]):
        found = offers("ovh", cloud={"addons": order})
        assert {o.term: (o.price_per_hour, o.price_per_month) for o in found} == {
            "on_demand": (5.5, None),
            "monthly": (None, 2500.0),
        }
        assert {(o.gpu_count, o.vram_gib_per_gpu, o.ram_gib) for o in found} == {(2.0, 80.0, 180.0)}


def test_a_catalogue_is_asked_where_its_subsidiary_lives() -> None:
    """A subsidiary at another continent's address is an HTTP 400."""
    assert {(base, subsidiary) for _, _, base, subsidiary in ovh.CATALOGUES} <= {
        ("eu", "DE"), ("eu", "FR"), ("eu", "IE"), ("us", "US"),
    }  # fmt: skip


# Months and hours of others


def test_gpu_instances_by_the_minute_are_read() -> None:
    """Scaleway's B300-SXM-8-288G: 1.00 EUR a minute is 60 an hour; rows by the minute were dropped, all GPUs with them."""
    hardware = {"cpu": {"threads": 224}, "ram": {"size": 3840 * 1024**3}, "gpu": {"count": 8, "type": "B300-SXM"}}
    row = {
        "product": "B300-SXM-8-288G", "locality": {"zone": "fr-par-2"}, "status": "general_availability",
        "unit_of_measure": {"unit": "minute", "size": 1}, "properties": {"hardware": hardware, "instance": {}},
        "price": {"retail_price": {"currency_code": "EUR", "units": 1, "nanos": 0}},
    }  # fmt: skip
    (offer,) = offers("scaleway", catalog={"products": [row]})
    assert (offer.price_per_hour, offer.gpu_count, offer.ram_gib) == (60.0, 8.0, 3840.0)
    metal_row = row | {"product": "EM-B112X", "properties": {"hardware": {"cpu": {"threads": 12}}, "elastic_metal": {}}}
    sold = [
        metal_row | {"unit_of_measure": {"unit": unit, "size": 1},
                     "price": {"retail_price": {"currency_code": "EUR", "units": whole, "nanos": nanos}}}
        for unit, whole, nanos in (("hour", 0, 263_000_000), ("month", 94, 990_000_000))
    ]  # fmt: skip
    found = {o.term: o for o in offers("scaleway", catalog={"products": sold})}
    assert month(found["on_demand"], hours=361) < month(found["monthly"]) < month(found["on_demand"], hours=362)


@pytest.mark.parametrize(
    ("hour", "monthly"), [(23.92, 16074.24), (2.397, 1750.0), (0.3238, 189.0)], ids=["672 h", "730 h", "584 h"]
)
def test_neither_of_month_and_hour_is_made_of_the_other(hour: float, monthly: float) -> None:
    """A month is 672 hours of Vultr's bare metal, 730 of its cloud, 584 elsewhere; cents were cut off a month."""
    plan = {"id": "vbm-x", "cpu_threads": 8, "ram": 32768, "hourly_cost": hour, "monthly_cost": monthly,
            "locations": ["ams"]}  # fmt: skip
    (offer,) = offers("vultr", plans={"plans": []}, metal={"plans_metal": [plan]})
    assert (offer.price_per_hour, offer.price_per_month) == (hour, monthly)


def test_a_year_is_not_compared_with_an_hour() -> None:
    """Latitude: the month has 5 % off its hours and the year 30 %; stock is told, no machine is assumed to be there."""
    place = {"name": "Germany", "locations": {"available": ["FRA"], "in_stock": []},
             "pricing": {"USD": {"hour": 1.0, "month": 693.5, "year": 6132.0}}}  # fmt: skip
    specs = {"cpu": {"type": "AMD 9354", "cores": 64, "count": 2}, "memory": {"total": 768}, "gpu": {}}
    found = offers("latitude", plans={"data": [{"attributes": {"slug": "m", "specs": specs, "regions": [place]}}]})
    assert {(o.term, o.commitment_months): o.price_per_hour or o.price_per_month for o in found} == {
        ("on_demand", None): 1.0, ("monthly", None): 693.5, ("reserved", 12): 511.0,
    }  # fmt: skip
    assert {(o.availability, o.sockets, o.cores) for o in found} == {("out of stock", 2, 64.0)}


@pytest.mark.parametrize("price", [126.3 / 730 / 730, 126.3])
def test_a_month_divided_twice_or_never_does_not_pass(make_offer: Callable[..., Offer], price: float) -> None:
    """Bare metal was 700 to 1300 times too cheap (divided by 730 twice) or too dear (a month taken as an hour)."""
    server = make_offer(kind="cpu", server="metal", vcpus=16.0, ram_gib=64.0, price_per_hour=price)
    about = About("acme", "Acme", "prices")
    assert quality.check((server,), about, Rates.bundled())[1] == {"CPU price band": 1}
    sound = dataclasses.replace(server, price_per_hour=126.3 / 730)
    assert quality.check((sound,), about, Rates.bundled())[1] == {}


def test_a_currency_without_a_rate_has_no_price_rather_than_0(make_offer: Callable[..., Offer]) -> None:
    """A key of an exchange service expired, and every price was 0; another tool filled in 0.99."""
    assert math.isnan(month(make_offer(currency="XTS")))


def test_small_prices_are_shown_in_full() -> None:
    """0.0084 was printed as 0.008, and the month beside it looked wrong."""
    assert "| 0.0084 |" in export.markdown([{"price": 0.0084}], ["price"])
