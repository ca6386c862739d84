"""Every bundled price row: sourced, dated or openly undated, sane, unique, its hardware known or openly unknown."""

from __future__ import annotations

import csv
import re
import statistics
from collections import Counter, defaultdict
from datetime import date

import pytest

from models import catalog
from pricing import paths
from pricing.offer import KINDS, OFFER_COLUMNS, REGION_GROUPS, TERMS, Offer
from pricing.offer_csv import format_offers, parse_offers
from pricing.snapshot import SNAPSHOT_DATE, load_snapshot

# Chips that offers name without their form factor: rows stay, without an estimate.
UNKNOWN_CHIPS = {"NVIDIA A100", "NVIDIA H100 (form factor not stated)"}


@pytest.fixture(scope="module")
def offers() -> tuple[Offer, ...]:
    return load_snapshot()


def test_enough_of_the_market(offers: tuple[Offer, ...]) -> None:
    assert len(offers) >= 5000
    assert len({offer.provider for offer in offers}) >= 45
    assert {offer.kind for offer in offers} == set(KINDS)


def test_ids_are_unique_and_hold_the_whole_key(offers: tuple[Offer, ...]) -> None:
    assert len({offer.offer_id for offer in offers}) == len(offers)
    assert not [offer.offer_id for offer in offers if "~" in offer.offer_id]
    keys = {(o.provider, o.server, o.region, o.term, o.commitment_months, o.tier, o.currency) for o in offers}
    assert len(keys) == len(offers)


def test_the_bundled_file_passes_everything_the_csv_reader_checks(offers: tuple[Offer, ...]) -> None:
    """Written as CSV and read back through the strict reader: the same offers, types and ids included."""
    again = parse_offers(format_offers(offers), "the bundled prices")
    assert again == offers
    assert all(
        type(getattr(one, name)) is type(getattr(two, name))
        for one, two in zip(offers, again, strict=True)
        for name in OFFER_COLUMNS
    )


def test_every_row_says_where_its_price_is_from(offers: tuple[Offer, ...]) -> None:
    assert not [offer.offer_id for offer in offers if not offer.source]
    assert not [offer for offer in offers if offer.source_url and not offer.source_url.startswith("https://")]
    assert all(offer.fetched_at == SNAPSHOT_DATE for offer in offers)


def test_no_price_is_from_the_future(offers: tuple[Offer, ...]) -> None:
    made = date.fromisoformat(SNAPSHOT_DATE)
    assert not [offer for offer in offers if offer.source_date and date.fromisoformat(offer.source_date) > made]
    undated = sum(offer.source_date is None for offer in offers)
    assert 0 < undated < 0.15 * len(offers)


def test_prices_lie_where_prices_can_lie(offers: tuple[Offer, ...]) -> None:
    for offer in offers:
        assert offer.price_per_hour is not None or offer.price_per_month is not None, offer.offer_id
        if offer.price_per_hour is not None:
            assert 0.0004 <= offer.price_per_hour <= 200, offer.offer_id
        if offer.price_per_month is not None:
            assert 2 <= offer.price_per_month <= 40_000, offer.offer_id
        if offer.price_per_hour and offer.price_per_month:
            # A month is sold for 361 (Scaleway EM-B112X) to 744 hours: outside, a unit or a tax was mixed up.
            assert 360 <= offer.price_per_month / offer.price_per_hour <= 745, offer.offer_id


def test_price_per_gpu_is_in_a_band(offers: tuple[Offer, ...]) -> None:
    per_gpu = defaultdict(list)
    for offer in offers:
        if (
            offer.kind == "gpu"
            and offer.price_per_hour
            and offer.gpu_count
            and offer.gpu_count >= 1
            and offer.term == "on_demand"
        ):
            per_gpu[offer.gpu_model].append(offer.price_per_hour / offer.gpu_count)
    for chip, prices in per_gpu.items():
        middle = statistics.median(prices)
        assert 0.05 <= middle <= 40, chip
        assert max(prices) <= 12 * middle, chip


def test_spot_and_reserved_are_below_on_demand(offers: tuple[Offer, ...]) -> None:
    listed = {
        (o.provider, o.server, o.region, o.tier, o.currency): o.price_per_hour for o in offers if o.term == "on_demand"
    }
    compared = 0
    for offer in offers:
        full = listed.get((offer.provider, offer.server, offer.region, offer.tier, offer.currency))
        if offer.term in {"spot", "reserved"} and full and offer.price_per_hour:
            compared += 1
            assert 0.03 * full < offer.price_per_hour < full, offer.offer_id
    assert compared > 500


def test_words_are_those_of_the_schema(offers: tuple[Offer, ...]) -> None:
    assert {offer.term for offer in offers} <= set(TERMS)
    assert {offer.region_group for offer in offers} <= {None, *REGION_GROUPS}
    assert {offer.currency for offer in offers} == {"USD", "EUR"}
    assert {offer.shared_cpu for offer in offers} <= {True, None}
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9-]*", offer.provider) for offer in offers)
    assert all(bool(offer.commitment_months) == (offer.term == "reserved") for offer in offers)


def test_hardware_is_in_the_catalog_or_openly_unknown(offers: tuple[Offer, ...]) -> None:
    chips = {chip.name for chip in catalog.chips()}
    cpus = {cpu.name for cpu in catalog.cpus()}
    assert {o.gpu_model for o in offers if o.kind == "gpu"} - chips == UNKNOWN_CHIPS
    assert {o.cpu_model for o in offers if o.cpu_model} - cpus == set()


def test_slices_of_a_card_are_fractions(offers: tuple[Offer, ...]) -> None:
    memory = {chip.name: chip.memory_gib for chip in catalog.chips()}
    slices = [o for o in offers if o.gpu_count and o.gpu_count < 1]
    assert slices
    for offer in slices:
        assert offer.vram_gib_per_gpu is not None
        assert offer.gpu_count is not None
        assert offer.gpu_model is not None
        assert offer.vram_gib_per_gpu == pytest.approx(memory[offer.gpu_model] * offer.gpu_count, rel=0.1)


def test_hetzner_cloud_is_net(offers: tuple[Offer, ...]) -> None:
    cloud = [o for o in offers if o.provider == "hetzner" and o.kind == "cpu"]
    assert len(cloud) == 25
    # Net list prices end on .49 or .99; with 19 % tax none does.
    assert Counter(f"{o.price_per_month:.2f}"[-2:] for o in cloud).keys() <= {"49", "99"}


def test_measured_memory_rates_are_a_file_of_their_own() -> None:
    with paths.bundled("measured_hosts.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 3000
    assert all(0.05 < float(row["read_gb_s"]) < 1500 for row in rows if row["read_gb_s"])
    assert all(1 <= int(row["numa_nodes"]) <= 24 for row in rows if row["numa_nodes"])
    assert all(row["read_gb_s"] or row["numa_nodes"] for row in rows)
    assert len({(row["provider"], row["server"]) for row in rows}) == len(rows)


def test_every_source_of_the_side_table_is_used(offers: tuple[Offer, ...]) -> None:
    with paths.bundled("snapshot_sources.csv").open(encoding="utf-8") as file:
        listed = {row["source"] for row in csv.DictReader(file)}
    assert listed == {offer.source for offer in offers}
