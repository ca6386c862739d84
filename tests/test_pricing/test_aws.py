"""AWS's three lists: maps of on-demand prices, spot prices against them, and what a region that fails takes with it."""

from __future__ import annotations

import copy
import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pricing.answers import Answer, Answers
from pricing.errors import FeedError
from pricing.provider import provider
from pricing.providers import _aws_spot, aws

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_httpserver import HTTPServer
    from werkzeug import Request

    from pricing.offer import Offer
    from pricing.provider import Fetched

PAYLOADS = Path(__file__).parent / "payloads"
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
VIRGINIA = "US East (N. Virginia)"
MAPS = "/b0.p.awsstatic.com/pricing/2.0/meteredUnitMaps/ec2/USD/current/ec2-ondemand-without-sec-sel"
SPOT = "/website.spot.ec2.aws.a2z.com/spot.json"
ADVISOR = "/spot-bid-advisor.s3.amazonaws.com/spot-advisor-data.json"


def payload(name: str) -> Any:
    return json.loads((PAYLOADS / f"aws_{name}.json").read_text(encoding="utf-8"))


def answers(maps: dict[str, Any], **parts: Any) -> Answers:
    found = Answers.of("aws", **parts)
    found.items += [Answer("aws", "on_demand", json.dumps(value).encode(), region) for region, value in maps.items()]
    return found


def parsed(*args: Any, **parts: Any) -> Fetched:
    return provider("aws").parse(answers(*args, **parts), NOW)


def by_key(offers: Any) -> dict[tuple[Any, ...], Offer]:
    keyed = {(o.server, o.region, o.term): o for o in offers}
    assert len(keyed) == len(offers) == len({o.offer_id for o in offers})
    return keyed


@pytest.fixture(scope="module")
def fetched() -> Fetched:
    return parsed({"us-east-1": payload("map_us_east_1")}, spot=payload("spot"), advisor=payload("spot_advisor"))


@pytest.fixture(scope="module")
def offers(fetched: Fetched) -> dict[tuple[Any, ...], Offer]:
    return by_key(fetched.offers)


def test_a_server_has_its_code_size_and_price(offers: dict[tuple[Any, ...], Offer]) -> None:
    offer = offers["m7i.xlarge", "us-east-1", "on_demand"]
    assert (offer.kind, offer.vcpus, offer.ram_gib, offer.price_per_hour) == ("cpu", 4.0, 16.0, 0.21)
    assert (offer.storage, offer.nic, offer.region_group, offer.currency) == ("network", "10 Gigabit", "us", "USD")
    assert (offer.cpu_model, offer.shared_cpu, offer.price_per_month) == ("Intel Xeon Platinum 8488C", None, None)
    assert (offer.source_date, offer.fetched_at) == ("2026-11-30", "2026-11-30T12:00:00+00:00")


def test_sizes_with_points_and_thousands(offers: dict[tuple[Any, ...], Offer]) -> None:
    assert offers["t3.nano", "us-east-1", "on_demand"].ram_gib == 0.5
    large = offers["x1e.32xlarge", "us-east-1", "on_demand"]
    assert (large.ram_gib, large.storage) == (3904.0, "2 x 1,920 SSD")


def test_burstable_servers_share_their_cpu(offers: dict[tuple[Any, ...], Offer]) -> None:
    assert offers["t3.nano", "us-east-1", "on_demand"].shared_cpu is True


def test_bare_metal_has_the_stated_threads(offers: dict[tuple[Any, ...], Offer]) -> None:
    assert offers["m7i.metal-48xl", "us-east-1", "on_demand"].vcpus == 192.0


def test_prices_are_not_rounded(offers: dict[tuple[Any, ...], Offer]) -> None:
    assert offers["p4d.24xlarge", "us-east-1", "on_demand"].price_per_hour == 21.123456789


def test_gpus_come_from_our_table(offers: dict[tuple[Any, ...], Offer]) -> None:
    offer = offers["p4d.24xlarge", "us-east-1", "on_demand"]
    assert (offer.kind, offer.gpu_model, offer.gpu_count) == ("gpu", "A100-40GB-SXM4", 8.0)
    assert (offer.vram_gib_per_gpu, offer.interconnect, offer.storage) == (40.0, "NVLink3", "8 x 1000 SSD")


@pytest.mark.parametrize(("server", "count", "memory_gib"), [("g6f.large", 0.125, 3.0), ("g6f.2xlarge", 0.25, 6.0)])
def test_slices_are_fractions(
    offers: dict[tuple[Any, ...], Offer], server: str, count: float, memory_gib: float
) -> None:
    offer = offers[server, "us-east-1", "on_demand"]
    assert (offer.gpu_model, offer.gpu_count, offer.vram_gib_per_gpu) == ("L4", count, memory_gib)


@pytest.mark.parametrize("server", ["p9.48xlarge", "q1.xlarge"])
def test_an_unknown_accelerator_is_never_sold_as_a_cpu_server(
    offers: dict[tuple[Any, ...], Offer], server: str
) -> None:
    offer = offers[server, "us-east-1", "on_demand"]
    assert (offer.kind, offer.gpu_model) == ("gpu", f"accelerator of {server.partition('.')[0]}")
    assert (offer.gpu_count, offer.vram_gib_per_gpu) == (None, None)


@pytest.mark.parametrize(
    ("server", "model", "count", "memory_gib"),
    [
        ("p5e.48xlarge", "H200-141GB-SXM", 8.0, 141.0),
        ("p6e-gb200.36xlarge", "GB200", 4.0, 185.0),
        ("p5.4xlarge", "H100-80GB-SXM5", 1.0, 80.0),
        ("trn2.48xlarge", "Trainium2", 16.0, 96.0),
        ("g7.12xlarge", "RTX-PRO-4500-Blackwell", 2.0, 32.0),
        ("g6.48xlarge", "L4", 8.0, 24.0),
        ("g6e.12xlarge", "L40S", 4.0, 48.0),
        ("g5g.xlarge", "T4G", 1.0, 16.0),
        ("gr6f.4xlarge", "L4", 0.5, 12.0),
        ("p3dn.24xlarge", "V100-32GB-SXM2", 8.0, 32.0),
        ("p4de.24xlarge", "A100-80GB-SXM4", 8.0, 80.0),
    ],
)
def test_types_that_aws_itself_describes_wrongly(server: str, model: str, count: float, memory_gib: float) -> None:
    from pricing.identity import gpu_instance

    found = gpu_instance("aws", server)
    assert found is not None
    assert (found.gpu_model, found.gpu_count, found.vram_gib_per_gpu) == (model, count, memory_gib)


def test_rows_that_are_no_plain_linux_server_are_left_out(
    fetched: Fetched, offers: dict[tuple[Any, ...], Offer]
) -> None:
    servers = {server for server, _, term in offers if term == "on_demand"}
    assert not servers & {"c6i.large", "c6a.large", "r6i.large", "r6a.large", "u-p9e"}
    assert fetched.skipped["not plain Linux"] == 2
    assert fetched.skipped["another location"] == 1
    assert fetched.skipped["no server with a price"] == 2


def test_a_cheaper_second_row_is_a_fee(fetched: Fetched, offers: dict[tuple[Any, ...], Offer]) -> None:
    assert offers["m7i.xlarge", "us-east-1", "on_demand"].price_per_hour == 0.21
    assert fetched.skipped["second price of the same server"] == 2


def test_spot_takes_the_linux_column_of_old_region_names(offers: dict[tuple[Any, ...], Offer]) -> None:
    spot = offers["m7i.xlarge", "us-east-1", "spot"]
    assert (spot.price_per_hour, spot.vcpus, spot.ram_gib) == (0.08, 4.0, 16.0)
    assert spot.note == "interrupted 5-10 % a month"
    assert spot.source_url == aws.SPOT_PAGE


def test_spot_prices_with_an_exponent(offers: dict[tuple[Any, ...], Offer]) -> None:
    assert offers["t3.nano", "us-east-1", "spot"].price_per_hour == 0.0009
    assert offers["t3.nano", "us-east-1", "spot"].note == "interrupted less than 5 % a month"


def test_spot_near_on_demand_is_marked(offers: dict[tuple[Any, ...], Offer]) -> None:
    metal = offers["m7i.metal-48xl", "us-east-1", "spot"]
    assert metal.note == "interrupted more than 20 % a month; spot close to on-demand"
    assert offers["p4d.24xlarge", "us-east-1", "spot"].note == "spot close to on-demand"


def test_spot_above_on_demand_is_left_out(fetched: Fetched, offers: dict[tuple[Any, ...], Offer]) -> None:
    assert ("g4dn.xlarge", "us-east-1", "spot") not in offers
    assert fetched.skipped["spot price above on-demand"] == 1


def test_not_available_is_no_price(fetched: Fetched, offers: dict[tuple[Any, ...], Offer]) -> None:
    assert ("m1.small", "us-east-1", "spot") not in offers
    assert fetched.skipped["no spot price for Linux"] == 1


def test_spot_without_an_on_demand_price_says_so(offers: dict[tuple[Any, ...], Offer]) -> None:
    spot = offers["q2.xlarge", "us-east-1", "spot"]
    assert (spot.note, spot.vcpus, spot.ram_gib) == ("spot not checked against on-demand", 4.0, 24.0)


def test_the_spot_list_knows_accelerators_too(offers: dict[tuple[Any, ...], Offer]) -> None:
    assert offers["k1.xlarge", "us-east-1", "spot"].gpu_model == "accelerator of k1"
    assert offers["g6f.2xlarge", "us-east-1", "spot"].gpu_count == 0.25
    # A range that the advisor does not explain is not explained by us.
    assert offers["g6f.2xlarge", "us-east-1", "spot"].note is None


def test_spot_stays_within_the_regions_asked_for(fetched: Fetched, offers: dict[tuple[Any, ...], Offer]) -> None:
    assert {region for _, region, _ in offers} == {"us-east-1"}
    assert fetched.skipped["region not asked for"] == 2


def test_a_region_whose_map_failed_keeps_its_spot_prices() -> None:
    from pricing.provider import Missing

    found = answers({"us-east-1": payload("map_us_east_1")}, spot=payload("spot"))
    found.missing += [Missing("x", term="on_demand", region=code) for code in ("eu-central-1", "ap-northeast-1")]
    result = provider("aws").parse(found, NOW)
    spot = {(o.server, o.region): o for o in result.offers if o.term == "spot"}
    assert spot["c6g.large", "ap-northeast-1"].price_per_hour == 0.031
    frankfurt = spot["c6g.large", "eu-central-1"]
    # Sizes are those that another region's map states.
    assert (frankfurt.vcpus, frankfurt.ram_gib, frankfurt.note) == (2.0, 4.0, _aws_spot.UNCHECKED_NOTE)
    assert [(part.term, part.region) for part in result.missing] == [
        ("on_demand", "eu-central-1"),
        ("on_demand", "ap-northeast-1"),
    ]


@pytest.mark.parametrize(
    "advisor",
    [
        [],
        {"ranges": "x"},
        {"ranges": [], "spot_advisor": {"us-east-1": 3}, "instance_types": {}},
        {"ranges": [{"index": "0", "label": "<5%"}], "spot_advisor": {}, "instance_types": {}},
        "<html>",
    ],
)
def test_a_changed_advisor_only_costs_the_notes(advisor: Any) -> None:
    result = parsed({"us-east-1": payload("map_us_east_1")}, spot=payload("spot"), advisor=advisor)
    assert by_key(result.offers)["m7i.xlarge", "us-east-1", "spot"].note is None
    assert result.missing == ()


@pytest.mark.parametrize(
    "spot",
    [
        [],
        {},
        {"config": {"regions": {}}},
        {"config": {"regions": []}},
        {"config": {"regions": ["us-east-1", 3, None]}},
        {"config": {"regions": [{"region": "us-east-1", "instanceTypes": "none"}]}},
        {"config": {"regions": [{"region": "us-east-1", "instanceTypes": [{"type": "x", "sizes": [1, "a", None]}]}]}},
        "<html>",
        'callback({"config":{"regions":[]}});',
    ],
)
def test_a_changed_spot_list_is_missing_and_costs_nothing_else(spot: Any) -> None:
    result = parsed({"us-east-1": payload("map_us_east_1")}, spot=spot)
    assert {o.term for o in result.offers} == {"on_demand"}
    assert [(part.term, part.region) for part in result.missing] == [("spot", None)]


@pytest.mark.parametrize("price", ["nan", "1e309", "-1", "free", 0.08, True, ["0.08"], "1_0"])
def test_a_spot_price_that_is_none_is_counted(price: Any) -> None:
    changed = copy.deepcopy(payload("spot"))
    changed["config"]["regions"][0]["instanceTypes"][0]["sizes"][0]["valueColumns"][1]["prices"]["USD"] = price
    result = parsed({"us-east-1": payload("map_us_east_1")}, spot=changed)
    # The second row of this server is then the only one; the first is a broken row, not an offer.
    assert by_key(result.offers)["m7i.xlarge", "us-east-1", "spot"].price_per_hour == 0.01
    assert sum(count for reason, count in result.skipped.items() if reason.startswith("USD is")) == 1


@pytest.mark.parametrize(
    "answer",
    [
        [],
        {},
        {"regions": []},
        {"regions": {}},
        {"regions": {"US West (Oregon)": {}}},
        {"regions": {VIRGINIA: []}},
        {"regions": {VIRGINIA: {}}},
        {"regions": {VIRGINIA: {"a": 1, "b": None, "c": []}}},
        {"regions": {VIRGINIA: {"a": {"Instance Type": 4, "price": "1"}}}},
        {"regions": {VIRGINIA: {"a": {"Instance Type": "m7i.large", "price": 1.0}}}},
        {"regions": {VIRGINIA: {"a": {"Instance Type": "m7i.large", "price": "NaN"}}}},
        {"regions": {VIRGINIA: {"a": {"Instance Type": "m7i.large", "price": "1", "Memory": "lots"}}}},
    ],
)
def test_a_changed_map_is_an_error_where_it_is_the_only_one(answer: Any) -> None:
    with pytest.raises(FeedError, match="no region has on-demand prices"):
        parsed({"us-east-1": answer}, spot=payload("spot"))


def test_a_changed_map_leaves_the_other_regions_alone() -> None:
    result = parsed({"us-east-1": payload("map_us_east_1"), "eu-west-1": {"regions": {}}})
    assert {o.region for o in result.offers} == {"us-east-1"}
    assert [(part.term, part.region, part.kind) for part in result.missing] == [("on_demand", "eu-west-1", None)]


def test_europe_is_written_in_two_ways() -> None:
    assert aws.spellings("eu-central-1") == ("EU (Frankfurt)", "Europe (Frankfurt)")
    assert aws.spellings("eu-central-2") == ("Europe (Zurich)", "EU (Zurich)")
    assert aws.spellings("us-east-1") == (VIRGINIA,)
    row = {"Instance Type": "m7i.large", "price": "0.1", "vCPU": "2", "Memory": "8 GiB", "Location": "EU (Zurich)"}
    result = parsed({"eu-central-2": {"regions": {"EU (Zurich)": {"x": row}}}})
    assert [(o.region, o.region_group) for o in result.offers] == [("eu-central-2", "eu")]


def test_one_region_more_does_not_repeat_a_key() -> None:
    elsewhere = {"Europe (Paris)": payload("map_us_east_1")["regions"][VIRGINIA]}
    for row in elsewhere["Europe (Paris)"].values():
        row["Location"] = "Europe (Paris)"
    result = parsed({"us-east-1": payload("map_us_east_1"), "eu-west-3": {"regions": elsewhere}})
    assert Counter(o.region for o in result.offers)["eu-west-3"] >= 11
    by_key(result.offers)


class Feeds:
    """Maps of some locations, both spot lists; all else is refused as the real host does."""

    def __init__(self, server: HTTPServer, maps: dict[str, Any]) -> None:
        self.asked: list[str] = []
        self.headers: list[dict[str, str]] = []
        server.expect_request(SPOT).respond_with_json(payload("spot"))
        server.expect_request(ADVISOR).respond_with_json(payload("spot_advisor"))
        for place, answer in maps.items():
            server.expect_request(f"{MAPS}/{place}/Linux/index.json").respond_with_json(answer)
        server.expect_request("").respond_with_handler(self.refuse)
        self.server = server

    def refuse(self, request: Request) -> Any:
        from werkzeug import Response

        self.asked.append(request.path)
        return Response("<Error><Code>AccessDenied</Code></Error>", 403, content_type="application/xml")


def test_each_region_is_asked_and_a_refused_one_is_missing(
    httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]
) -> None:
    zurich = {"regions": {"EU (Zurich)": {"x": {"Instance Type": "m7i.large", "price": "0.13", "vCPU": "2"}}}}
    feeds = Feeds(httpserver, {VIRGINIA: payload("map_us_east_1"), "EU (Zurich)": zurich})
    result = fetch_and_parse("aws", ("us-east-1", "eu-central-2", "sa-east-1", "cn-north-1"))
    assert {o.region for o in result.offers} == {"us-east-1", "eu-central-2"}
    assert {o.term for o in result.offers} == {"on_demand", "spot"}
    # The likelier spelling first, then the other one.
    assert any("Europe (Zurich)" in path for path in feeds.asked)
    missing = {(part.term, part.region): part.reason for part in result.missing}
    assert missing["on_demand", "sa-east-1"] == "there is no price map of South America (Sao Paulo)."
    assert missing["on_demand", "cn-north-1"] == "cn-north-1 is no region that we know"
    # us-east-1 was asked for its reserved prices and refused, the others are not asked.
    assert "refused access" in missing["reserved", "us-east-1"]
    assert "only asked for in us-east-1 and eu-central-1" in missing["reserved", "sa-east-1"]
    assert ("on_demand", "us-east-1") not in missing


def test_the_order_of_answers_is_that_of_the_regions(httpserver: HTTPServer, asker: Callable[..., Any]) -> None:
    regions = ("us-west-2", "us-east-1", "us-east-2")
    Feeds(httpserver, {aws.LOCATIONS[code]: payload("map_us_east_1") for code in regions})
    ask = asker("aws", regions)
    provider("aws").fetch(ask)
    assert [answer.region for answer in ask.answers.all("on_demand")] == list(regions)


def test_no_region_at_all_is_an_error(httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]) -> None:
    Feeds(httpserver, {})
    with pytest.raises(FeedError, match="no region was answered"):
        fetch_and_parse("aws", ("us-west-2", "eu-west-1"))


def test_without_spot_and_advisor_on_demand_stays(
    httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]
) -> None:
    for path in (SPOT, ADVISOR):
        httpserver.expect_request(path).respond_with_data("gone", 404)
    httpserver.expect_request(f"{MAPS}/US West (Oregon)/Linux/index.json").respond_with_json(
        {"regions": {"US West (Oregon)": {"x": {"Instance Type": "m7i.large", "price": "0.1"}}}}
    )
    result = fetch_and_parse("aws", ("us-west-2",))
    assert [(o.server, o.vcpus, o.ram_gib) for o in result.offers] == [("m7i.large", None, None)]
    assert [part.term for part in result.missing] == ["reserved", "spot"] or [part.term for part in result.missing] == [
        "spot",
        "reserved",
    ]


def test_default_regions_are_the_commercial_ones() -> None:
    about = provider("aws").about
    assert len(about.regions) == 34
    assert not any(code.startswith(("us-gov", "cn-")) for code in about.regions)
    assert about.key_variable is None
    assert set(aws.BULK_REGIONS) <= set(about.regions)


# Real answers, where they are at hand.

CAPTURED = {
    "p5.48xlarge": (192, 2048, "H100-80GB-SXM5", 8, 80, 55.04),
    "p5.4xlarge": (16, 256, "H100-80GB-SXM5", 1, 80, 6.88),
    "p5en.48xlarge": (192, 2048, "H200-141GB-SXM", 8, 141, 63.296),
    "p6-b200.48xlarge": (192, 2048, "B200-180GB-SXM", 8, 180, 113.9328),
    "p6-b300.48xlarge": (192, 4096, "B300-288GB-SXM", 8, 268.6, 142.416),
    "p4d.24xlarge": (96, 1152, "A100-40GB-SXM4", 8, 40, 21.957642),
    "p4de.24xlarge": (96, 1152, "A100-80GB-SXM4", 8, 80, 27.44705),
    "g6e.xlarge": (4, 32, "L40S", 1, 48, 1.861),
    "g6e.48xlarge": (192, 1536, "L40S", 8, 48, 30.13118),
}


def test_the_captured_map(capture: Callable[[str], bytes]) -> None:
    body = capture("aws/ec2-ondemand-without-sec-sel/US_East_N_Virginia-Linux-2026-10.json")
    result = parsed({"us-east-1": json.loads(body)})
    found = {
        o.server: (o.vcpus, o.ram_gib, o.gpu_model, o.gpu_count, o.vram_gib_per_gpu, o.price_per_hour)
        for o in result.offers
    }
    assert len(found) == len(result.offers) == 10
    assert {server: found[server] for server in CAPTURED} == CAPTURED
    assert {(o.term, o.kind) for o in result.offers} == {("on_demand", "gpu")}


def test_the_captured_spot_list(capture: Callable[[str], bytes]) -> None:
    from pricing.provider import Missing

    found = answers(
        {"us-east-1": payload("map_us_east_1")},
        spot=capture("aws/spot-2026-08.json"),
        advisor=capture("aws/spot-advisor-data-2025-07-28.json"),
    )
    found.missing.append(Missing("x", term="on_demand", region="af-south-1"))
    spot = {o.server: o for o in provider("aws").parse(found, NOW).offers if o.term == "spot"}
    assert len(spot) == 39
    prices = {server: offer.price_per_hour for server, offer in spot.items()}
    assert (prices["t3.nano"], prices["g4dn.xlarge"], prices["m8i.96xlarge"]) == (0.0009, 0.2452, 2.6884)
    assert (prices["g4dn.8xlarge"], prices["g4dn.4xlarge"]) == (0.38, 0.4347)
    metal = spot["g4dn.metal"]
    assert (metal.gpu_model, metal.gpu_count, metal.price_per_hour, metal.region) == ("T4", 8.0, 10.381, "af-south-1")
    assert metal.note is not None
    assert _aws_spot.UNCHECKED_NOTE in metal.note
    assert "interrupted less than 5 % a month" in metal.note
    assert 2.5156 not in prices.values()


def test_the_dead_spot_feed_is_refused(capture: Callable[[str], bytes]) -> None:
    result = parsed({"us-east-1": payload("map_us_east_1")}, spot=capture("aws/spot-2012-12-11.js"))
    assert {o.term for o in result.offers} == {"on_demand"}
    assert [part.term for part in result.missing] == ["spot"]
