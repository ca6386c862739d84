"""AWS's bulk price list: what is dropped as bytes, how a reservation's lines make one price, and the traps between them."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pricing.answers import Answer, Answers
from pricing.decoding import lines
from pricing.errors import FeedError
from pricing.provider import Missing, provider
from pricing.providers import _aws_bulk, aws

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from pytest_httpserver import HTTPServer

    from pricing.offer import Offer
    from pricing.provider import Fetched

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
PAYLOADS = Path(__file__).parent / "payloads"
BULK = "/pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonEC2/current/{}/index.csv"


def _generator() -> ModuleType:
    path = Path(__file__).parents[1] / "feeds" / "aws_bulk.py"
    spec = importlib.util.spec_from_file_location("aws_bulk", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


FEED = _generator()
PLAIN = {
    "SKU": "AAAA0000BBBB1111",
    "OfferTermCode": "JRTCKXETXF",
    "TermType": "OnDemand",
    "Unit": "Hrs",
    "PricePerUnit": "0.5000000000",
    "Currency": "USD",
    "Product Family": "Compute Instance",
    "Location Type": "AWS Region",
    "Instance Type": "m7i.2xlarge",
    "Instance Family": "General purpose",
    "vCPU": "8",
    "Memory": "32 GiB",
    "Storage": "EBS only",
    "Network Performance": "10 Gigabit",
    "Tenancy": "Shared",
    "Operating System": "Linux",
    "License Model": "No License required",
    "CapacityStatus": "Used",
    "MarketOption": "OnDemand",
    "Pre Installed S/W": "NA",
    "Region Code": "us-east-1",
}
RESERVED = PLAIN | {"TermType": "Reserved", "OfferTermCode": "R1", "OfferingClass": "standard"}


def file(*rows: dict[str, str]) -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, FEED.HEADER, restval="", quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return f"{FEED.PREAMBLE}{out.getvalue()}".encode()


def reserved(length: str, payment: str, hourly: str | None, upfront: str | None, **more: str) -> list[dict[str, str]]:
    base = (
        RESERVED | {"LeaseContractLength": length, "PurchaseOption": payment, "OfferTermCode": length + payment} | more
    )
    found = [] if hourly is None else [base | {"Unit": "Hrs", "PricePerUnit": hourly}]
    return found if upfront is None else [*found, base | {"Unit": "Quantity", "PricePerUnit": upfront}]


def kept(body: bytes) -> bytes:
    return b"\n".join(line for some in lines([body]) for line in some if _aws_bulk.may_be_plain(line))


def parsed(*rows: dict[str, str], region: str = "us-east-1", body: bytes | None = None) -> Fetched:
    found = Answers([Answer("aws", "bulk", kept(file(*rows)) if body is None else body, region)])
    found.missing.append(Missing("x", term="on_demand", region=region))
    return provider("aws").parse(found, NOW)


def by_key(result: Fetched) -> dict[tuple[Any, ...], Offer]:
    keyed = {(o.server, o.term, o.commitment_months, o.tier): o for o in result.offers}
    assert len(keyed) == len(result.offers) == len({o.offer_id for o in result.offers})
    return keyed


def test_a_reservations_lines_make_one_price() -> None:
    rows = [
        *reserved("1yr", "No Upfront", "0.3200000000", None),
        *reserved("1yr", "Partial Upfront", "0.1500000000", "1314"),
        *reserved("3yr", "All Upfront", "0.0000000000", "5256"),
        *reserved("3 yr", "Partial Upfront", "0.1000000000", "2628"),
    ]
    offers = by_key(parsed(PLAIN, *rows))
    found = {key[2:]: (o.price_per_hour, o.upfront_share) for key, o in offers.items() if key[1] == "reserved"}
    assert found == {
        (12, "no upfront"): (0.32, 0.0),
        (12, "partial upfront"): (0.3, 0.5),
        (36, "all upfront"): (0.2, 1.0),
        (36, "partial upfront"): (0.2, 0.5),
    }
    full = offers["m7i.2xlarge", "reserved", 36, "all upfront"]
    assert (full.vcpus, full.ram_gib, full.storage, full.region) == (8.0, 32.0, "network", "us-east-1")
    assert full.note == "5,256 USD upfront, spread over the term"
    assert full.source_url == aws.RESERVED_PAGE


def test_all_upfront_may_lack_its_empty_hourly_line() -> None:
    offers = by_key(parsed(PLAIN, *reserved("3yr", "All Upfront", None, "1161")))
    assert offers["m7i.2xlarge", "reserved", 36, "all upfront"].price_per_hour == pytest.approx(0.044178)


@pytest.mark.parametrize(
    ("payment", "hourly", "upfront"),
    [
        ("No Upfront", "0.0000000000", None),
        ("No Upfront", "0.3", "100"),
        ("Partial Upfront", "0.3", None),
        ("Partial Upfront", None, "100"),
        ("Partial Upfront", "0.3", "0"),
        ("All Upfront", "0.0000000000", None),
    ],
)
def test_a_reservation_with_a_part_missing_is_no_price(payment: str, hourly: str | None, upfront: str | None) -> None:
    result = parsed(PLAIN, *reserved("1yr", payment, hourly, upfront))
    assert {o.term for o in result.offers} == {"on_demand"}
    assert result.skipped["reserved price with a part missing"] == 1


TRAPS = {
    "capacity block": {"MarketOption": "CapacityBlock"},
    "not Linux": {"Operating System": "Windows"},
    "not Linux ": {"Operating System": "Ubuntu Pro"},
    "not Linux  ": {"Operating System": "RHEL"},
    "dedicated hardware": {"Tenancy": "Dedicated"},
    "dedicated hardware ": {"Tenancy": "Host"},
    "with software": {"Pre Installed S/W": "SQL Web"},
    "bring your own licence": {"License Model": "Bring your own license"},
    "unused capacity reservation": {"CapacityStatus": "UnusedCapacityReservation"},
    "local or wavelength zone": {"Location Type": "AWS Local Zone", "Region Code": "us-east-1-now-1"},
    "another region": {"Region Code": "us-east-2"},
    "not in dollars": {"Currency": "CNY"},
    "not a server": {"Product Family": "Storage", "Instance Type": ""},
    "no price": {"PricePerUnit": "0.0000000000"},
    "term of an unknown kind": {"Unit": "Quantity"},
}


@pytest.mark.parametrize("reason", TRAPS)
def test_rows_that_are_no_plain_server(reason: str) -> None:
    trap = PLAIN | {"Instance Type": "p5e.48xlarge", "PricePerUnit": "0.3360000000"} | TRAPS[reason]
    # Read whole, as if the quick test had let all lines through: the columns decide.
    result = parsed(body=file(PLAIN, trap))
    assert {o.server for o in result.offers} == {"m7i.2xlarge"}
    assert result.skipped[reason.strip()] == 1
    assert {o.server for o in parsed(PLAIN, trap).offers} == {"m7i.2xlarge"}


@pytest.mark.parametrize(
    "change",
    [
        {"OfferingClass": "convertible"},
        {"LeaseContractLength": "5yr"},
        {"PurchaseOption": "Heavy Utilization"},
        {"OfferingClass": ""},
        {"TermType": "OnDemand"},
    ],
)
def test_other_reservations_are_left_out(change: dict[str, str]) -> None:
    rows = reserved("1yr", "No Upfront", "0.3", None, **change)
    assert {o.term for o in parsed(body=file(PLAIN, *rows)).offers} == {"on_demand"}


def test_of_two_prices_the_higher_one_is_the_server() -> None:
    again = {"SKU": "CCCC0000DDDD1111"}
    rows = [
        *reserved("1yr", "No Upfront", "0.30", None),
        *reserved("1yr", "No Upfront", "0.01", None, **again),
        PLAIN | again | {"PricePerUnit": "0.01"},
    ]
    result = parsed(PLAIN, *rows)
    assert {o.term: o.price_per_hour for o in result.offers} == {"on_demand": 0.5, "reserved": 0.3}
    assert result.skipped["second price of the same server"] == 2


def test_a_type_that_the_list_counts_as_accelerated_is_no_cpu_server() -> None:
    (offer,) = parsed(PLAIN | {"Instance Type": "q9.xlarge", "GPU": "4"}).offers
    assert (offer.kind, offer.gpu_model, offer.gpu_count) == ("gpu", "accelerator of q9", None)


def test_a_sku_may_hold_the_letters_of_a_product() -> None:
    (offer,) = parsed(PLAIN | {"SKU": "AASQLAAA0000BBBB", "RateCode": "AASQLAAA0000BBBB.R.D"}).offers
    assert offer.price_per_hour == 0.5


def test_on_demand_stands_in_for_a_region_whose_map_failed() -> None:
    result = parsed(PLAIN, *reserved("1yr", "No Upfront", "0.3", None))
    assert {o.term for o in result.offers} == {"on_demand", "reserved"}
    assert result.missing == ()


def test_a_map_comes_before_the_bulk_list() -> None:
    answer = json.loads((PAYLOADS / "aws_map_us_east_1.json").read_text(encoding="utf-8"))
    found = Answers.of(
        "aws", bulk=kept(file(PLAIN | {"Instance Type": "m7i.xlarge"}, *reserved("1yr", "No Upfront", "0.3", None)))
    )
    found.items = [Answer("aws", one.part, one.body, "us-east-1") for one in found]
    found.items.append(Answer("aws", "on_demand", json.dumps(answer).encode(), "us-east-1"))
    offers = by_key(provider("aws").parse(found, NOW))
    assert offers["m7i.xlarge", "on_demand", None, None].price_per_hour == 0.21
    assert ("m7i.2xlarge", "reserved", 12, "no upfront") in offers


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "no column 'SKU'"),
        (b"<html>nothing here</html>", "no column 'SKU'"),
        (b'"SKU","TermType"\n"A","B"', "no column 'OfferTermCode'"),
        (b"\xff\xfe", "not text"),
        (b'"SKU"\n"' + b"x" * 200_000 + b'"', "no column"),
    ],
)
def test_another_shape_is_missing(body: bytes, said: str) -> None:
    with pytest.raises(FeedError, match="no region has on-demand prices"):
        parsed(body=body)
    answer = json.loads((PAYLOADS / "aws_map_us_east_1.json").read_text(encoding="utf-8"))
    found = Answers([Answer("aws", "bulk", body, "us-east-1")])
    found.items.append(Answer("aws", "on_demand", json.dumps(answer).encode(), "us-east-1"))
    result = provider("aws").parse(found, NOW)
    assert {o.term for o in result.offers} == {"on_demand"}
    (missing,) = result.missing
    assert (missing.term, missing.region) == ("reserved", "us-east-1")
    assert said in missing.reason


@pytest.mark.parametrize("price", ["nan", "1e309", "-1", "many"])
def test_a_price_that_is_none_is_counted(price: str) -> None:
    result = parsed(*[PLAIN | {"Instance Type": f"m7i.{n}xlarge"} for n in range(8)], PLAIN | {"PricePerUnit": price})
    assert len(result.offers) == 8
    assert sum(count for reason, count in result.skipped.items() if reason.startswith("PricePerUnit")) == 1


def test_a_field_without_end_is_refused() -> None:
    body = file(PLAIN) + b'"' + b"x" * 200_000 + b'"'
    with pytest.raises(FeedError, match="the bulk list is no CSV"):
        provider("aws").parse(Answers([Answer("aws", "bulk", body, "us-east-1")]), NOW)


def test_lines_of_another_length_are_counted() -> None:
    body = file(*[PLAIN | {"Instance Type": f"m7i.{n}xlarge"} for n in range(8)]) + b'"A","B"\n'
    assert parsed(body=body).skipped["line of another length"] == 1


# The invented list of any size.


def test_the_invented_list_is_the_same_every_time() -> None:
    first = b"".join(FEED.chunks(2, chunk_bytes=70_000))
    assert first == b"".join(FEED.chunks(2))
    assert 2e6 < len(first) < 3e6
    text = first.decode().splitlines()
    assert text[5].split(",")[:2] == ['"SKU"', '"OfferTermCode"']
    assert {len(row) for row in csv.reader(text[5:])} == {len(FEED.HEADER)}


def test_the_quick_test_loses_no_plain_server() -> None:
    body = b"".join(FEED.chunks(3))
    few = kept(body)
    assert len(few) < len(body) / 40
    quick, whole = parsed(body=few), parsed(body=body)
    assert quick.offers == whole.offers
    assert {o.term for o in quick.offers} == {"on_demand", "reserved"}


def test_prices_of_the_invented_list() -> None:
    offers = by_key(parsed(body=kept(b"".join(FEED.chunks(3)))))
    servers = {server for server, *_ in offers}
    assert len(offers) == 7 * len(servers)
    for server in servers:
        price = FEED.on_demand_price(server)
        assert offers[server, "on_demand", None, None].price_per_hour == pytest.approx(price)
        for (length, payment), (_, hourly, upfront) in FEED.RESERVED.items():
            offer = offers[server, "reserved", int(length[0]) * 12, payment.lower()]
            assert offer.price_per_hour == pytest.approx(price * (hourly + upfront), rel=1e-3)


def test_the_quick_test_is_quick() -> None:
    some = b"".join(FEED.chunks(20)).split(b"\n")
    size = sum(map(len, some))
    best = float("inf")
    for _ in range(3):
        started = time.process_time()
        count = sum(map(_aws_bulk.may_be_plain, some))
        best = min(best, time.process_time() - started)
    assert count < len(some) / 10
    # A third of what it does on a free core: this machine may be busy.
    assert size / best > 300e6


def test_the_large_list_is_read_as_a_stream(httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]) -> None:
    from werkzeug import Response

    httpserver.expect_request(BULK.format("eu-central-1")).respond_with_handler(
        lambda _: Response(FEED.chunks(5, "eu-central-1"), content_type="text/csv")
    )
    httpserver.expect_request("").respond_with_data("no", 404)
    result = fetch_and_parse("aws", ("eu-central-1", "eu-west-1"))
    assert {(o.region, o.term) for o in result.offers} == {("eu-central-1", "on_demand"), ("eu-central-1", "reserved")}
    assert ("on_demand", "eu-central-1") not in {(part.term, part.region) for part in result.missing}
    assert {("on_demand", "eu-west-1"), ("reserved", "eu-west-1"), ("spot", None)} == {
        (part.term, part.region) for part in result.missing
    }


# Real answers, where they are at hand.


def as_csv(body: bytes) -> bytes:
    """A captured JSON offer file as the CSV that the same terms make."""
    data = json.loads(body)
    names = {
        "Location Type": "locationType", "Instance Type": "instanceType", "Instance Family": "instanceFamily", "vCPU": "vcpu",
        "Memory": "memory", "Storage": "storage", "Tenancy": "tenancy", "Operating System": "operatingSystem",
        "License Model": "licenseModel", "CapacityStatus": "capacitystatus", "MarketOption": "marketoption",
        "Pre Installed S/W": "preInstalledSw", "Region Code": "regionCode", "GPU": "gpu",
    }  # fmt: skip
    found = []
    for kind, skus in data["terms"].items():
        for sku, terms in skus.items():
            product = data["products"].get(sku, {})
            facts = {name: product.get("attributes", {}).get(key, "") for name, key in names.items()}
            facts |= {"SKU": sku, "TermType": kind, "Product Family": product.get("productFamily", "")}
            for term in terms.values():
                lease = term.get("termAttributes", {})
                facts |= {
                    name: lease.get(name, "") for name in ("LeaseContractLength", "PurchaseOption", "OfferingClass")
                }
                for part in term["priceDimensions"].values():
                    for currency, price in part["pricePerUnit"].items():
                        money = {"Unit": part["unit"], "PricePerUnit": price, "Currency": currency}
                        found.append(facts | money | {"OfferTermCode": term["offerTermCode"]})
    return file(*found)


def test_the_captured_list_with_a_capacity_block(capture: Callable[[str], bytes]) -> None:
    result = parsed(body=kept(as_csv(capture("aws/offer_AmazonEC2-2024-05-28-1.json"))))
    (offer,) = result.offers
    assert (offer.server, offer.region, offer.term, offer.price_per_hour) == (
        "p4d.24xlarge",
        "us-east-1",
        "on_demand",
        32.7726,
    )
    assert (offer.vcpus, offer.ram_gib, offer.gpu_model) == (96.0, 1152.0, "A100-40GB-SXM4")
    assert (offer.gpu_count, offer.vram_gib_per_gpu) == (8.0, 40.0)
    assert result.skipped == {"capacity block": 1}


@pytest.mark.parametrize(
    ("name", "region"),
    [
        ("aws/offer_AmazonEC2-2023-03-22-0.json", "us-east-2"),
        ("aws/offer_AmazonEC2-2023-03-14-2.json", "cn-northwest-1"),
    ],
)
def test_captured_lists_without_a_plain_server(capture: Callable[[str], bytes], name: str, region: str) -> None:
    body = as_csv(capture(name))
    for some in (body, kept(body)):
        with pytest.raises(FeedError, match="no region has on-demand prices"):
            parsed(body=some, region=region)
