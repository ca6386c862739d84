"""The quick ways to offers give what the slow ones give: packed columns, offers made when looked at, the prepared bundle."""

from __future__ import annotations

import json
import shutil
from dataclasses import astuple
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pricing import bundled, offer_columns, offer_list, paths
from pricing.machines import distinct
from pricing.market import Market
from pricing.offer import OFFER_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pricing.offer import Offer

    Make = Callable[..., Offer]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the bundled files that may be damaged."""
    copy = tmp_path / "data"
    shutil.copytree(paths.bundled("snapshot.json").parent, copy)
    monkeypatch.setattr(paths, "bundled", lambda name: copy / name)
    return copy


def values(offers: Any) -> list[tuple[Any, ...]]:
    """Every value with its type: 1, 1.0 and True are equal and not the same."""
    return [tuple((type(value), value) for value in astuple(offer)) for offer in offers]


class TestThePreparedBundle:
    """`data/bundled.json` against the files that people edit."""

    def test_it_was_made_of_the_files_beside_it(self) -> None:
        assert paths.bundled(bundled.PACKED).read_bytes() == bundled.prepare(), "run: make prepare"

    def test_it_holds_the_same_offers_row_by_row(self) -> None:
        quick, slow = bundled.load_bundled(), bundled.read_bundled()
        assert isinstance(quick, offer_list.OfferList)
        assert values(quick) == values(slow)

    def test_the_market_of_both_is_the_same(self) -> None:
        quick, slow = Market(bundled.load_bundled()), Market(bundled.read_bundled())
        assert quick.servers == slow.servers
        assert np.array_equal(quick.server_index, slow.server_index)
        assert np.array_equal(quick.rank, slow.rank)
        assert quick.haystack == slow.haystack
        for name in OFFER_COLUMNS:
            one, two = quick.column(name), slow.column(name)
            assert one.dtype == two.dtype
            assert np.array_equal(one, two, equal_nan=one.dtype != object)

    @pytest.mark.parametrize("name", ["snapshot.json", "hand_kept.csv", "snapshot_sources.csv", "measured_hosts.csv"])
    def test_a_changed_source_makes_it_count_for_nothing(self, folder: Path, name: str) -> None:
        path = folder / name
        path.write_bytes(path.read_bytes() + b"\n")
        assert bundled.load_bundled() == bundled.read_bundled()
        assert isinstance(bundled.load_bundled(), tuple)

    @pytest.mark.parametrize("keep", [0, 9, 20, 1000, -2], ids=["nothing", "sum", "start", "part", "no end"])
    def test_a_torn_one_counts_for_nothing(self, folder: Path, keep: int) -> None:
        path = folder / bundled.PACKED
        path.write_bytes(path.read_bytes()[:keep])
        assert isinstance(bundled.load_bundled(), tuple)
        assert len(bundled.load_bundled()) == len(bundled.read_bundled())

    def test_a_missing_one_is_not_missed(self, folder: Path) -> None:
        (folder / bundled.PACKED).unlink()
        assert bundled.load_bundled() == bundled.read_bundled()


class TestPackedColumns:
    """What the price folder holds."""

    def test_every_width_of_places(self, make_offer: Make) -> None:
        for count in (3, 255, 256, 257, 900):
            offers = tuple(
                make_offer(region=f"r{n % count}", server=f"s{n}", storage=None if n % 2 else "disk")
                for n in range(count * 3 + 1)
            )
            assert values(offer_columns.unpack(offer_columns.pack(offers), len(offers))) == values(offers)

    def test_places_as_numbers_are_still_read(self, make_offer: Make) -> None:
        offers = tuple(make_offer(region=f"r{n % 2}", server=f"s{n}") for n in range(9))
        packed = json.loads(offer_columns.pack(offers))
        packed["region"] = {"of": ["r0", "r1"], "at": [n % 2 for n in range(9)]}
        assert offer_columns.unpack(json.dumps(packed), 9) == offers

    @pytest.mark.parametrize(
        "region",
        [
            {"of": ["a"], "w": 1, "at": "AAAB"},
            {"of": ["a"], "w": 1, "at": "AAA"},
            {"of": ["a"], "w": 1, "at": "AA*A"},
            {"of": ["a"], "w": 1, "at": "AAAAAAAA"},
            {"of": ["a"], "w": 2, "at": "AAAA"},
            {"of": ["a"], "w": 2, "at": "AAABAAAA"},
            {"of": ["a"], "w": 3, "at": "AAAA"},
            {"of": [1], "w": 1, "at": "AAAA"},
        ],
        ids=["place behind", "short", "no base64", "long", "odd bytes", "wide behind", "no width", "value"],
    )
    def test_places_that_cannot_be_are_refused(self, make_offer: Make, region: dict[str, Any]) -> None:
        packed = json.loads(offer_columns.pack([make_offer(server=f"s{n}") for n in range(3)]))
        with pytest.raises(ValueError, match="its "):
            offer_columns.unpack(json.dumps({**packed, "region": region}), 3)

    @pytest.mark.parametrize("bad", [-1.0, 1e18, True, "1"], ids=["negative", "too much", "yes", "text"])
    def test_one_price_that_cannot_be_spoils_its_column(self, make_offer: Make, bad: Any) -> None:
        packed = json.loads(offer_columns.pack([make_offer(server=f"s{n}", price_per_hour=n + 0.5) for n in range(3)]))
        packed["price_per_hour"]["row"][1] = bad
        with pytest.raises(ValueError, match="price_per_hour"):
            offer_columns.unpack(json.dumps(packed), 3)

    def test_one_text_with_control_characters_is_cleaned(self, make_offer: Make) -> None:
        packed = json.loads(offer_columns.pack([make_offer(server=f"s{n}") for n in range(3)]))
        packed["server"]["row"][1:] = [" \x1b[31mred\ttab ", " plain "]
        assert offer_columns.unpack(json.dumps(packed), 3).column("server") == ["s0", "[31mred tab", "plain"]


class TestOfferList:
    """Offers that are made when they are looked at."""

    @pytest.fixture
    def offers(self, make_offer: Make) -> tuple[Offer, ...]:
        return tuple(make_offer(server=f"s{n}", price_per_hour=float(n)) for n in range(6))

    def test_it_is_a_sequence_like_a_tuple(self, offers: tuple[Offer, ...]) -> None:
        made = offer_list.offer_list(offers)
        assert (len(made), made[0], made[-1], made[1:3]) == (6, offers[0], offers[5], offers[1:3])
        assert made == offers
        assert offers == made
        assert made != offers[1:]
        assert list(made) == list(offers)
        with pytest.raises(IndexError):
            made[6]

    def test_an_offer_looked_at_twice_is_one_object(self, offers: tuple[Offer, ...]) -> None:
        made = offer_list.offer_list(offers)
        one = made[2]
        assert made[2] is one
        assert list(made)[2] is one

    def test_lists_joined_and_picked_from(self, offers: tuple[Offer, ...]) -> None:
        both = offer_list.joined((offer_list.offer_list(offers[:4]), (), offers[4:]))
        assert both == offers
        some = offer_list.pick([both, offers], [(0, 5), (0, 1), (1, 0)])
        assert (some[0], some[1], some[2], some[-1]) == (offers[5], offers[1], offers[0], offers[0])
        assert tuple(some) == (offers[5], offers[1], offers[0])
        assert len(offer_list.joined([])) == 0

    def test_the_last_of_an_id_stands_at_the_first_ones_place(self, make_offer: Make) -> None:
        first, other, last = (
            make_offer(offer_id=name, price_per_hour=n) for name, n in (("a", 1.0), ("b", 2.0), ("a", 3.0))
        )
        assert offer_list.latest([first, other, last]) == [last, other]

    def test_distinct_servers_come_in_the_order_of_the_offers(self, make_offer: Make) -> None:
        offers = [make_offer(server=f"s{n}", gpu_count=float(1 + n % 3)) for n in range(9)]
        servers, index = distinct(offers)
        assert [server.gpu_count for server in servers] == [1.0, 2.0, 3.0]
        assert index.tolist() == [0, 1, 2] * 3
