"""The rows kept by hand: dated, sourced, known hardware, never older than a bundled row, derived prices marked."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import pytest

from models import catalog
from pricing.hand_kept import CHECKED, load_hand_kept
from pricing.offer_csv import format_offers, parse_offers
from pricing.snapshot import load_snapshot

if TYPE_CHECKING:
    from pricing.offer import Offer

# The page names no form factor: the row stays, without an estimate.
UNKNOWN_CHIPS = {"NVIDIA A100"}


@pytest.fixture(scope="module")
def offers() -> tuple[Offer, ...]:
    return load_hand_kept()


def test_providers_without_a_feed_are_there(offers: tuple[Offer, ...]) -> None:
    assert {offer.provider for offer in offers} == {
        "coreweave",
        "crusoe",
        "hotaisle",
        "hyperstack",
        "nebius",
        "voltagepark",
    }
    assert len(offers) >= 80


def test_every_row_has_a_source_a_page_and_a_date(offers: tuple[Offer, ...]) -> None:
    for offer in offers:
        assert offer.source, offer.offer_id
        assert (offer.source_url or "").startswith("https://"), offer.offer_id
        assert "2026-01-01" <= (offer.source_date or "") <= CHECKED, offer.offer_id
        assert offer.fetched_at == CHECKED
        assert offer.vat_included is False


def test_ids_are_unique(offers: tuple[Offer, ...]) -> None:
    assert len({offer.offer_id for offer in offers}) == len(offers)
    assert not [offer.offer_id for offer in offers if "~" in offer.offer_id]


def test_a_row_that_stands_in_for_a_bundled_one_is_newer(offers: tuple[Offer, ...]) -> None:
    bundled = {offer.offer_id: offer for offer in load_snapshot()}
    shared = [(offer, bundled[offer.offer_id]) for offer in offers if offer.offer_id in bundled]
    assert len(shared) >= 20
    for new, old in shared:
        assert date.fromisoformat(new.source_date or "") > date.fromisoformat(old.source_date or "2000-01-01")
        assert (new.gpu_model, new.gpu_count) == (old.gpu_model, old.gpu_count), new.offer_id


def test_hardware_is_in_the_catalog_with_its_own_figures(offers: tuple[Offer, ...]) -> None:
    chips = {chip.name: chip for chip in catalog.chips()}
    cpus = {cpu.name for cpu in catalog.cpus()}
    for offer in offers:
        if offer.kind == "cpu":
            assert offer.cpu_model in cpus
        elif offer.gpu_model not in UNKNOWN_CHIPS:
            chip = chips[offer.gpu_model or ""]
            assert offer.vram_gib_per_gpu == pytest.approx(chip.memory_gib), offer.offer_id
            assert offer.gpu_memory_bandwidth_gb_s == pytest.approx(chip.memory_bandwidth_gb_s), offer.offer_id


def test_prices_lie_where_prices_can_lie(offers: tuple[Offer, ...]) -> None:
    full = {
        (o.provider, o.server, o.region): o.price_per_hour
        for o in offers
        if o.term == "on_demand" and o.price_per_hour is not None
    }
    for offer in offers:
        assert offer.price_per_hour is not None
        assert 0.1 <= offer.price_per_hour / (offer.gpu_count or 1) <= 15, offer.offer_id
        if offer.term == "spot" and (listed := full.get((offer.provider, offer.server, offer.region))):
            assert 0.2 * listed < offer.price_per_hour < listed, offer.offer_id


def test_the_price_of_one_gpu_is_marked_where_it_is_all_that_is_stated(offers: tuple[Offer, ...]) -> None:
    for offer in offers:
        if offer.kind == "gpu" and (offer.vcpus is None and offer.cores is None):
            assert offer.note, offer.offer_id
        if offer.price_basis == "derived":
            assert offer.note, offer.offer_id
    coreweave = [offer for offer in offers if offer.provider == "coreweave"]
    assert all(offer.price_basis == "listed" and offer.ram_gib for offer in coreweave)


def test_the_columns_that_were_mixed_up_elsewhere(offers: tuple[Offer, ...]) -> None:
    found = {(o.provider, o.server, o.region, o.term): o.price_per_hour for o in offers}
    nebius = "gpu-h100-sxm_8gpu-128vcpu-1600gb"
    assert found["nebius", nebius, "eu-north1", "on_demand"] == pytest.approx(8 * 3.85)
    assert found["nebius", nebius, "eu-north1", "spot"] == pytest.approx(8 * 2.15)
    assert found["coreweave", "NVIDIA HGX B200", "North America", "on_demand"] == 68.80
    assert found["crusoe", "l40s-48gb.1x", None, "on_demand"] == 1.50
    assert ("crusoe", "h100-80gb-sxm-ib.8x", None, "spot") not in found


def test_the_file_passes_everything_the_csv_reader_checks(offers: tuple[Offer, ...]) -> None:
    assert parse_offers(format_offers(offers), "the rows kept by hand", latest=CHECKED) == offers
