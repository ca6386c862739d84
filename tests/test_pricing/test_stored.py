"""How fetched prices lie over the bundled ones and over each other, and which formats of files are read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pricing.offer_csv import format_offers
from pricing.provider import Missing
from pricing.store import UNLISTED, Store
from pricing.store_mark import FORMAT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pricing.offer import Offer

    Make = Callable[..., Offer]

COVERS = (("gpu", "on_demand"), ("gpu", "spot"))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


def prices(offers: tuple[Offer, ...]) -> dict[tuple[str, str | None, str], float | None]:
    found = {(o.server, o.region, o.term): o.price_per_hour for o in offers}
    assert len(found) == len(offers)
    return found


class TestDirect:
    def test_what_a_feed_covers_is_replaced_even_under_another_name(self, store: Store, make_offer: Make) -> None:
        store.save("aws", [make_offer(server="new", price_per_hour=2.0)], COVERS)
        bundled = (make_offer(server="old"), make_offer(server="old", term="reserved", commitment_months=12))
        assert prices(store.merged(bundled)) == {
            ("new", "us-east-1", "on_demand"): 2.0,
            ("old", "us-east-1", "reserved"): 1.0,
        }

    def test_a_regional_feed_leaves_other_regions_and_terms_not_answered_there(
        self, store: Store, make_offer: Make
    ) -> None:
        store.save("aws", [make_offer(server="new")], COVERS, regional=True)
        bundled = (make_offer(server="old"), make_offer(region="eu-1"), make_offer(server="old", term="spot"))
        assert set(prices(store.merged(bundled))) == {
            ("new", "us-east-1", "on_demand"),
            ("g6.xlarge", "eu-1", "on_demand"),
            ("old", "us-east-1", "spot"),
        }

    def test_a_part_without_an_answer_keeps_bundled_and_older_rows(self, store: Store, make_offer: Make) -> None:
        spot = make_offer(server="a", term="spot", fetched_at="2026-11-29T00:00:00+00:00")
        store.save("aws", [spot, make_offer(server="a", fetched_at="2026-11-29T00:00:00+00:00")], COVERS)
        fresh = make_offer(server="a", price_per_hour=3.0, fetched_at="2026-11-30T00:00:00+00:00")
        store.save("aws", [fresh], COVERS, missing=[Missing("answered 503", term="spot")])
        stored = store.load("aws")
        assert stored is not None
        assert set(stored.offers) == {fresh, spot}
        bundled = (make_offer(server="b"), make_offer(server="b", term="spot"))
        assert set(prices(store.merged(bundled))) == {
            ("a", "us-east-1", "on_demand"),
            ("a", "us-east-1", "spot"),
            ("b", "us-east-1", "spot"),
        }

    def test_a_row_no_longer_listed_stays_a_week_marked(self, store: Store, make_offer: Make) -> None:
        for day, servers in (("20", "ab"), ("24", "b"), ("28", "b")):
            rows = [make_offer(server=name, fetched_at=f"2026-11-{day}T00:00:00+00:00") for name in servers]
            store.save("aws", rows, COVERS)
            stored = store.load("aws")
            assert stored is not None
            gone = {o.server: o.availability for o in stored.offers if o.server == "a"}
            assert gone == {"20": {"a": None}, "24": {"a": UNLISTED}, "28": {}}[day]


class TestCatalogues:
    def test_a_catalogue_fills_what_no_direct_feed_answered(self, store: Store, make_offer: Make) -> None:
        store.save("gpuhunt", [make_offer(price_per_hour=5.0), make_offer(provider="gcp", server="a2")], COVERS)
        merged = store.merged((make_offer(source_date="2026-01-21"),))
        assert {(o.provider, o.server): o.price_per_hour for o in merged} == {
            ("aws", "g6.xlarge"): 5.0,
            ("gcp", "a2"): 1.0,
        }

    @pytest.mark.parametrize(
        ("listed_on", "wins"), [("2026-11-28", "direct"), ("2026-11-29", "direct"), ("2026-11-30", "catalogue")]
    )
    def test_a_catalogue_never_overrides_a_fresher_direct_feed(
        self, store: Store, make_offer: Make, listed_on: str, wins: str
    ) -> None:
        day = {"source_date": "2026-11-29", "fetched_at": "2026-11-29T12:00:00+00:00"}
        store.save("aws", [make_offer(price_per_hour=2.0, **day)], COVERS)
        listed = [make_offer(price_per_hour=5.0, source_date=listed_on), make_offer(provider="gcp")]
        store.save("gpuhunt", listed, COVERS)
        (offer,) = (o for o in store.merged(()) if o.provider == "aws")
        assert offer.price_per_hour == {"direct": 2.0, "catalogue": 5.0}[wins]

    def test_of_two_catalogues_the_newer_counts(self, store: Store, make_offer: Make) -> None:
        other = make_offer(provider="gcp")
        store.save("gpuhunt", [make_offer(price_per_hour=5.0, source_date="2026-08-18"), other], COVERS)
        store.save("skypilot", [make_offer(price_per_hour=6.0, source_date="2026-11-30"), other], COVERS)
        assert {o.price_per_hour for o in store.merged(()) if o.provider == "aws"} == {6.0}

    def test_an_old_catalogue_does_not_override_newer_bundled_prices(self, store: Store, make_offer: Make) -> None:
        store.save(
            "gpuhunt", [make_offer(price_per_hour=5.0, source_date="2026-08-18"), make_offer(provider="gcp")], COVERS
        )
        bundled = (make_offer(price_per_hour=1.5, source_date="2026-10-02"),)
        assert {o.price_per_hour for o in store.merged(bundled) if o.provider == "aws"} == {1.5}


class TestFormats:
    MARKS = (
        "# rackrate 1 rows=1 covers=gpu:on_demand regional=1",
        '# rackrate 2 {"rows":1,"covers":[["gpu","on_demand"]],"regional":true,"missing":[],"providers":["aws"],"seen":null}',
    )

    @pytest.mark.parametrize("mark", MARKS)
    def test_an_older_format_is_still_read_and_then_replaced(self, store: Store, make_offer: Make, mark: str) -> None:
        older = store.prices / "aws.csv"
        older.parent.mkdir(parents=True)
        older.write_text(f"{format_offers([make_offer()])}{mark}\n", encoding="utf-8")
        stored = store.load("aws")
        assert stored is not None
        assert (stored.offers, stored.covers, stored.mark.regional) == ((make_offer(),), {("gpu", "on_demand")}, True)
        assert store.providers() == ("aws",)
        store.save("aws", [make_offer(price_per_hour=2.0)], COVERS)
        assert [path.name for path in store.prices.iterdir()] == ["aws.json"]
        assert store.messages == []

    def test_an_older_format_without_its_end_is_torn(self, store: Store, make_offer: Make) -> None:
        older = store.prices / "aws.csv"
        older.parent.mkdir(parents=True)
        older.write_text(format_offers([make_offer()]), encoding="utf-8")
        assert store.load("aws") is None
        assert (store.prices / "aws.csv.damaged").exists()

    def test_a_newer_format_is_left_alone_and_told(self, store: Store, make_offer: Make) -> None:
        store.save("aws", [make_offer()], COVERS)
        path = store.prices / "aws.json"
        text = path.read_text(encoding="utf-8").replace(f"# rackrate {FORMAT} ", "# rackrate 9 ")
        path.write_text(text, encoding="utf-8")
        assert store.load("aws") is None
        assert "newer rackrate" in store.messages[0]
        assert path.read_text(encoding="utf-8") == text
        store.save("aws", [make_offer(price_per_hour=2.0)], COVERS)
        assert (store.prices / "aws.json.damaged").read_text(encoding="utf-8") == text

    @pytest.mark.parametrize(
        "start",
        [
            "# rackrate 3 {}",
            "# rackrate 3 [1,2]",
            '# rackrate 3 {"rows":"many"}',
            "# rackrate 3 " + "[" * 5000,
            "# rackrate 1 rows=x",
            "# rackrate x",
        ],
    )
    def test_a_start_that_cannot_be_read_is_a_torn_file(self, store: Store, make_offer: Make, start: str) -> None:
        store.save("aws", [make_offer()], COVERS)
        path = store.prices / "aws.json"
        path.write_text(start + "\n" + path.read_text(encoding="utf-8").partition("\n")[2], encoding="utf-8")
        assert store.load("aws") is None
        assert (store.prices / "aws.json.damaged").exists()

    def test_columns_of_all_shapes_come_back(self, store: Store, make_offer: Make) -> None:
        offers = tuple(
            make_offer(
                server=f"s{at}",
                region=("a", "b", None)[at % 3],
                price_per_hour=0.1 + at / 7,
                gpu_count=(1.0, 0.125, 8.0)[at % 3],
                vat_included=(True, False, None)[at % 3],
                commitment_months=(1, None, 12)[at % 3],
                note='a "quoted", line' if at % 2 else None,
            )
            for at in range(100)
        )
        store.save("aws", offers, COVERS)
        stored = store.load("aws")
        assert stored is not None
        assert stored.offers == offers
        assert all(type(o.gpu_count) is float and type(o.commitment_months) in {int, type(None)} for o in stored.offers)


def test_half_written_files_and_answers_of_old_are_swept(store: Store, make_offer: Make) -> None:
    import os

    store.save("aws", [make_offer()], COVERS)
    old, young = store.prices / ".aws.json.x1.part", store.prices / ".aws.json.x2.part"
    for path in (old, young):
        path.write_text("half", encoding="utf-8")
    os.utime(old, (1000, 1000))
    kept, aged = store.folder / "cache" / "aws" / "a.gz", store.folder / "cache" / "aws" / "b.gz"
    kept.parent.mkdir(parents=True)
    for path in (kept, aged):
        path.write_bytes(b"x")
    os.utime(aged, (1000, 1000))
    store.sweep(young.stat().st_mtime + 10)
    assert [path.exists() for path in (old, young, aged, kept)] == [False, True, False, True]
    assert store.load("aws") is not None


def test_one_server_under_two_spellings_of_its_places_is_one(store: Store, make_offer: Make) -> None:
    # OVH's metal is listed in several catalogues; one that did not answer must not keep what another lists anew.
    fresh = make_offer(server="KS-17", region="fr gra rbx", price_per_hour=0.1)
    store.save("ovh", [replace(fresh, provider="ovh")], COVERS, missing=[Missing("answered 404", term="on_demand")])
    bundled = (
        make_offer(provider="ovh", server="KS-17", region="gra rbx fr"),
        make_offer(provider="ovh", server="KS-9", region="gra"),
    )
    assert set(prices(store.merged(bundled))) == {("KS-17", "fr gra rbx", "on_demand"), ("KS-9", "gra", "on_demand")}


def test_a_region_without_an_answer_keeps_servers_listed_elsewhere(store: Store, make_offer: Make) -> None:
    store.save("aws", [make_offer()], COVERS, missing=[Missing("answered 503", region="eu-1")])
    assert set(prices(store.merged((make_offer(region="eu-1"),)))) == {
        ("g6.xlarge", "us-east-1", "on_demand"),
        ("g6.xlarge", "eu-1", "on_demand"),
    }
