"""The quality rules on offers as public price trackers got them wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pricing import quality
from pricing.money import Rates
from pricing.provider import About
from pricing.snapshot import load_snapshot

if TYPE_CHECKING:
    from collections.abc import Callable

    from pricing.offer import Offer

    Make = Callable[..., Offer]

CLOUD = About("acme", "Acme", "prices")
MARKET = replace(CLOUD, gpus_alone=True)


def check(*offers: Offer, about: About = CLOUD) -> tuple[tuple[Offer, ...], dict[str, int]]:
    return quality.check(offers, about, Rates.bundled())


@pytest.fixture
def gpu(make_offer: Make) -> Make:
    return lambda **facts: make_offer(**{"vcpus": 8.0, "ram_gib": 32.0, "price_per_hour": 0.8, **facts})


@pytest.fixture
def cpu(make_offer: Make) -> Make:
    return lambda **facts: make_offer(kind="cpu", **{"vcpus": 4.0, "ram_gib": 16.0, "price_per_hour": 0.2, **facts})


def test_sound_offers_pass_untouched(gpu: Make, cpu: Make) -> None:
    offers = (gpu(), gpu(term="spot", price_per_hour=0.3), cpu(server="m5.xlarge"))
    assert check(*offers) == (offers, {})


class TestRepeatedKeys:
    def test_the_same_price_is_one_offer(self, cpu: Make) -> None:
        assert check(cpu(), cpu()) == ((cpu(),), {"repeated key": 1})

    def test_of_two_prices_the_lower_stays_and_names_the_other(self, cpu: Make) -> None:
        # Azure D2as_v5 westus3: 0.178 and 0.086 for one key, 0.086 was right.
        for pair in ((0.178, 0.086), (0.086, 0.178)):
            (offer,), counts = check(*(cpu(price_per_hour=price) for price in pair))
            assert (offer.price_per_hour, offer.note) == (0.086, "also listed at 0.178")
            assert counts["repeated key"] == 2

    def test_currencies_and_terms_are_keys_of_their_own(self, cpu: Make) -> None:
        offers = (cpu(), cpu(currency="EUR"), cpu(term="reserved", commitment_months=12), cpu(region="eu-west-1"))
        assert check(*offers)[1] == {}


class TestHosts:
    def test_a_gpu_alone_is_no_server(self, gpu: Make) -> None:
        alone = gpu(vcpus=None, ram_gib=None)
        assert check(alone) == ((), {"GPU without a host": 1})
        assert check(alone, about=MARKET) == ((alone,), {})

    def test_memory_in_another_unit(self, cpu: Make) -> None:
        assert check(cpu(ram_gib=16384.0)) == ((), {"memory unit": 1})
        assert check(cpu(vcpus=448.0, ram_gib=24576.0, price_per_hour=200.0))[1] == {}

    @pytest.mark.parametrize(("share", "gib", "sound"), [(1 / 6, 4.0, True), (1 / 6, 24.0, False), (0.5, 12.0, True)])
    def test_a_slice_adds_up(self, gpu: Make, share: float, gib: float, sound: bool) -> None:
        # Azure NV6ads_A10_v5 was counted as a whole A10 of 24 GB; it is a sixth with 4.
        offer = gpu(gpu_model="A10", gpu_count=share, vram_gib_per_gpu=gib, price_per_hour=2.0 * share)
        assert bool(check(offer)[0]) is sound


class TestBands:
    @pytest.mark.parametrize(
        ("price", "term", "sound"),
        [
            (3.0, "on_demand", True),
            (0.01, "on_demand", False),  # a bid floor taken as the price (H100, B200), Azure ukwest
            (310.0, "on_demand", False),  # cents
            (0.28, "spot", True),  # a real bid at a marketplace
            (0.01, "spot", False),
            (1.2, "reserved", True),
        ],
    )
    def test_dollars_per_gpu(self, gpu: Make, price: float, term: str, sound: bool) -> None:
        offer = gpu(gpu_model="H100-80GB-SXM5", vram_gib_per_gpu=80.0, price_per_hour=price, term=term)
        assert bool(check(offer)[0]) is sound

    def test_the_band_is_per_gpu(self, gpu: Make) -> None:
        eight = gpu(gpu_model="H100-80GB-SXM5", vram_gib_per_gpu=80.0, gpu_count=8.0, price_per_hour=98.32)
        assert check(eight)[1] == {}
        # One GPU's price taken as the instance's.
        assert check(replace(eight, price_per_hour=0.35))[1] == {"GPU price band": 1}

    def test_an_unknown_card_has_no_band(self, gpu: Make) -> None:
        assert check(gpu(gpu_model="Card From 2031", price_per_hour=400.0))[1] == {}

    @pytest.mark.parametrize("price", [0.086 / 730, 0.086 * 730])
    def test_a_month_and_an_hour_are_not_mixed_up(self, cpu: Make, price: float) -> None:
        # OVH's monthly row over its hourly one: 0.086 instead of 0.000119; a bare-metal month divided by 730 twice.
        assert check(cpu(vcpus=2.0, price_per_hour=price))[1] == {"CPU price band": 1}
        assert check(cpu(vcpus=2.0, price_per_hour=0.086))[1] == {}

    def test_other_currencies_are_converted_and_those_without_a_rate_pass(self, gpu: Make) -> None:
        assert check(gpu(currency="EUR", price_per_hour=0.01))[1] == {"GPU price band": 1}
        assert check(gpu(currency="XYZ", price_per_hour=0.01))[1] == {}

    def test_every_band_is_of_a_chip_and_has_room(self) -> None:
        from models import catalog

        names = {chip.name for chip in catalog.chips()}
        assert len(quality.price_bands()) > 35
        for name, (low, high) in quality.price_bands().items():
            assert name in names
            assert 0 < low * 5 < high

    def test_the_bundled_prices_pass(self) -> None:
        offers = load_snapshot()
        kept, counts = quality.check(offers, MARKET, Rates.bundled())
        assert len(offers) - len(kept) <= 0.002 * len(offers), counts


class TestSpot:
    @pytest.mark.parametrize(
        ("share", "note"),
        [(0.3, None), (0.97, "spot close to on-demand"), (1.0, "spot close to on-demand"), (0.05, "below a tenth")],
    )
    def test_spot_against_on_demand(self, cpu: Make, share: float, note: str | None) -> None:
        kept, _ = check(cpu(price_per_hour=1.0), cpu(term="spot", price_per_hour=share))
        assert len(kept) == 2
        assert (note or "") in (kept[1].note or "")
        assert note is not None or kept[1].note is None

    def test_spot_above_on_demand_is_none(self, cpu: Make) -> None:
        kept, counts = check(cpu(), cpu(term="spot", price_per_hour=0.21))
        assert [offer.term for offer in kept] == ["on_demand"]
        assert counts == {"spot above on-demand": 1}

    def test_another_region_is_no_measure(self, cpu: Make) -> None:
        assert check(cpu(), cpu(term="spot", price_per_hour=0.4, region="eu-west-1"))[1] == {}


class TestCounts:
    def eight_for_less(self, gpu: Make, term: str) -> list[Offer]:
        # Azure: eight A100 80 GB at about four dollars, cheaper than four.
        facts: dict[str, Any] = {"gpu_model": "Card without a band", "vram_gib_per_gpu": 80.0, "term": term}
        return [
            gpu(server="one", gpu_count=1.0, price_per_hour=2.0, **facts),
            gpu(server="four", gpu_count=4.0, price_per_hour=7.0, **facts),
            gpu(server="eight", gpu_count=8.0, price_per_hour=4.0, **facts),
        ]

    def test_more_gpus_for_less_money(self, gpu: Make) -> None:
        on_demand = self.eight_for_less(gpu, "on_demand")
        on_demand[2] = replace(on_demand[2], price_per_hour=1.9)
        kept, counts = check(*on_demand)
        assert [offer.server for offer in kept] == ["one", "four"]
        assert counts == {"price falls with GPU count": 1}

    def test_spot_is_marked_and_marketplaces_are_left_alone(self, gpu: Make) -> None:
        spot = self.eight_for_less(gpu, "spot")
        kept, _ = check(*spot)
        assert [offer.note for offer in kept] == [None, None, None]
        cheaper = [spot[0], spot[1], replace(spot[2], price_per_hour=1.9)]
        kept, counts = check(*cheaper)
        assert kept[2].note == "costs less than fewer of these GPUs"
        assert counts == {"price falls with GPU count": 1}
        assert check(*cheaper, about=MARKET)[1] == {}

    def test_a_larger_host_for_one_gpu_is_no_fault(self, gpu: Make) -> None:
        facts: dict[str, Any] = {"gpu_model": "T4", "vram_gib_per_gpu": 16.0}
        one = gpu(server="g4dn.xlarge", gpu_count=1.0, price_per_hour=0.526, **facts)
        large = gpu(server="g4dn.16xlarge", gpu_count=1.0, price_per_hour=4.352, **facts)
        four = gpu(server="g4dn.12xlarge", gpu_count=4.0, price_per_hour=3.912, **facts)
        assert check(one, large, four)[1] == {}
