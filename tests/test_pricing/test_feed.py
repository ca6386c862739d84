"""Making offers of a feed's rows: values that are what they should be, hardware in the catalogs' names, measured hosts."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from pricing import feed
from pricing.answers import Answer
from pricing.errors import FeedError
from pricing.feed import BrokenRowError, Harvest
from pricing.provider import Missing

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def harvest() -> Harvest:
    return Harvest.at("aws", "a list", "https://example.org", NOW)


class TestValues:
    @pytest.mark.parametrize(("value", "read"), [(3, 3.0), (0.5, 0.5), (None, None), (0, None)])
    def test_a_number(self, value: Any, read: float | None) -> None:
        assert feed.number({"a": {"b": value}}, "a", "b") == read

    @pytest.mark.parametrize("value", ["3", True, -1, float("nan"), float("inf"), 10**400, [], {}])
    def test_what_is_no_number(self, value: Any) -> None:
        with pytest.raises(BrokenRowError):
            feed.number({"a": value}, "a")

    @pytest.mark.parametrize(
        ("value", "read"), [("3.95", 3.95), ("9.0E-4", 0.0009), ("N/A*", None), ("", None), ("0.0", None), (None, None)]
    )
    def test_a_number_in_a_text(self, value: Any, read: float | None) -> None:
        assert feed.decimal({"a": value}, "a") == read

    @pytest.mark.parametrize("value", [3.95, "$3", "1_000", "nan", "1e309", "-1", "3,95"])
    def test_what_is_no_number_in_a_text(self, value: Any) -> None:
        with pytest.raises(BrokenRowError):
            feed.decimal({"a": value}, "a")

    def test_a_zero_that_is_a_statement(self) -> None:
        assert feed.number({"fee": 0}, "fee", zero=True) == 0.0

    def test_texts_are_cleaned_and_cut(self) -> None:
        assert feed.text({"a": "x\x1b[31m" + "y" * 500}, "a") == ("x[31m" + "y" * 500)[:200]
        assert feed.flag({"a": False}, "a") is False
        for reader in (feed.text, feed.flag):
            with pytest.raises(BrokenRowError):
                reader({"a": 1}, "a")

    def test_a_step_that_is_no_object(self) -> None:
        assert feed.value_at({"a": None}, "a", "b") is None
        with pytest.raises(BrokenRowError):
            feed.value_at({"a": []}, "a", "b")


class TestOffers:
    def test_measured_hosts_are_known_by_instance_type(self, harvest: Harvest) -> None:
        harvest.add(server="a1.4xlarge", vcpus=16.0, ram_gib=32.0, price_per_hour=0.4)
        harvest.add(server="a1.4xlarge", region="x", vcpus=16.0, price_per_hour=0.4, memory_read_gb_s_measured=30.0)
        harvest.add(server="unheard.of", vcpus=16.0, ram_gib=32.0, price_per_hour=0.4)
        assert [(o.memory_read_gb_s_measured, o.numa_nodes) for o in harvest.offers] == [
            (33.3, 1),
            (30.0, 1),
            (None, None),
        ]
        assert harvest.offers[0].cpu_model == "Cortex-A72"

    def test_azure_is_looked_up_without_its_prefix(self) -> None:
        harvest = Harvest.at("azure", "a list", "https://example.org", NOW)
        harvest.add(server="Standard_B16as_v2", vcpus=16.0, ram_gib=64.0, price_per_hour=0.6)
        harvest.add(server="B16as_v2", region="x", vcpus=16.0, ram_gib=64.0, price_per_hour=0.6)
        first, second = harvest.offers
        assert first.memory_read_gb_s_measured == second.memory_read_gb_s_measured is not None

    def test_no_price_and_no_server_s_price_are_none(self, harvest: Harvest) -> None:
        harvest.add(server="a", vcpus=1.0)
        harvest.add(server="b", vcpus=1.0, price_per_hour=1e6)
        harvest.add(server="c", vcpus=1.0, ram_gib=1e9, price_per_hour=1.0)
        assert harvest.offers == []
        assert harvest.skipped == {"no price": 1, "price beyond any server's": 1, "ram_gib beyond any server's": 1}

    def test_a_gpu_s_memory_is_the_catalog_s(self, harvest: Harvest) -> None:
        for stated in (79.6, 80.0, 85.0):
            harvest.add(
                server=f"s{stated}", gpu_model="H100 SXM", gpu_count=8.0, vram_gib_per_gpu=stated, price_per_hour=20.0
            )
        harvest.add(server="other", gpu_model="H100 SXM", gpu_count=8.0, vram_gib_per_gpu=40.0, price_per_hour=20.0)
        assert [(o.gpu_model, o.vram_gib_per_gpu) for o in harvest.offers] == [
            *[("H100-80GB-SXM5", 80.0)] * 3,
            ("H100 SXM", 40.0),
        ]

    @pytest.mark.parametrize(
        ("spelling", "gib", "link", "chip"),
        [
            ("A100 SXM4", 80.0, None, "A100-80GB-SXM4"),
            ("A100 SXM4", 40.0, None, "A100-40GB-SXM4"),
            ("h100", 80.0, "PCIe", "H100-80GB-PCIe"),
            ("A100", 80.0, None, "A100"),
            ("RTX A4000", 16.0, None, "RTX-A4000"),
            ("NVIDIA B300 SXM6 AC MIG 1g.34gb", 34.0, None, "NVIDIA B300 SXM6 AC MIG 1g.34gb"),
        ],
    )
    def test_memory_and_link_decide_between_brothers(
        self, harvest: Harvest, spelling: str, gib: float, link: str | None, chip: str
    ) -> None:
        harvest.add(
            server="s", gpu_model=spelling, gpu_count=1.0, vram_gib_per_gpu=gib, interconnect=link, price_per_hour=2.0
        )
        assert harvest.offers[0].gpu_model == chip

    def test_an_instance_s_gpus_are_our_table_s(self, harvest: Harvest) -> None:
        # describe-instance-types counts eight H100 in a p5.4xlarge, and calls those of a p5en "NVIDIA".
        harvest.add(server="p5.4xlarge", gpu_model="NVIDIA", gpu_count=8.0, vram_gib_per_gpu=1.0, price_per_hour=6.88)
        (offer,) = harvest.offers
        assert (offer.gpu_model, offer.gpu_count, offer.vram_gib_per_gpu) == ("H100-80GB-SXM5", 1.0, 80.0)

    def test_offers_of_a_kept_answer_have_its_day(self, harvest: Harvest) -> None:
        for age, day in (("", "2026-11-30"), ("100000", "2026-11-29"), ("x", "2026-11-30"), ("518400", "2026-11-24")):
            harvest.dated_by(Answer("aws", "bulk", b"", headers={"age": age}))
            harvest.add(server=f"s{age}", vcpus=1.0, price_per_hour=1.0)
            assert harvest.offers[-1].source_date == day
            assert harvest.offers[-1].fetched_at == "2026-11-30T12:00:00+00:00"


class TestParts:
    def test_a_list_in_no_known_shape_is_missing(self, harvest: Harvest) -> None:
        def bad(_: Harvest) -> None:
            raise FeedError("aws", "the answer is a web page.")

        missing = harvest.part(lambda own: own.add(server="a", vcpus=1.0, price_per_hour=1.0), Missing("", term="spot"))
        missing += harvest.part(bad, Missing("", term="reserved"))
        assert [(part.term, part.reason) for part in missing] == [("reserved", "the answer is a web page.")]
        assert harvest.done_with_some(missing).missing == missing

    def test_nothing_of_all_lists_is_an_error(self, harvest: Harvest) -> None:
        assert harvest.done_with_some(()).offers == ()
        with pytest.raises(FeedError, match="down"):
            harvest.done_with_some((Missing("down", term="spot"),))

    def test_too_many_broken_rows_refuse_a_list(self, harvest: Harvest) -> None:
        def take(row: Any) -> None:
            feed.number(row, "price")

        harvest.each([{"price": 1}] * 3 + [{"price": "1"}], take)
        with pytest.raises(FeedError, match="1 of 4 rows"):
            harvest.check()
