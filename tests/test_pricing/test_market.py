"""Offers become distinct machines: what makes two offers one machine and what keeps them apart."""

from __future__ import annotations

import os
from datetime import date
from typing import TYPE_CHECKING

import pytest

from models import catalog
from models.practical import is_out_of_stock
from pricing.errors import OffersError
from pricing.machines import is_arm
from pricing.market import Market
from pricing.offer_csv import format_offers
from pricing.snapshot import load_snapshot
from pricing.store import UNLISTED, Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from models.server import Server
    from pricing.offer import Offer

Make = "Callable[..., Offer]"


def server_of(offer: Offer) -> Server:
    (server,) = Market([offer]).servers
    return server


def test_price_region_and_host_do_not_make_another_gpu_machine(make_offer: Callable[..., Offer]) -> None:
    offers = [
        make_offer(),
        make_offer(region="eu-west-1", price_per_hour=2.0),
        make_offer(provider="gcp", vcpus=8, ram_gib=99.0),
        make_offer(server="other", vram_gib_per_gpu=22.5),
    ]
    market = Market(offers)
    assert len(market.servers) == 1
    assert market.server_index.tolist() == [0, 0, 0, 0]
    assert market.servers[0].chip == catalog.chip("L4")


def test_count_fraction_and_link_make_another_gpu_machine(make_offer: Callable[..., Offer]) -> None:
    chip = {"gpu_model": "A100-80GB-PCIe", "vram_gib_per_gpu": 80.0}
    offers = [
        make_offer(**chip),
        make_offer(**chip, server="b", gpu_count=4.0, interconnect="none"),
        make_offer(**chip, server="c", gpu_count=4.0, interconnect="NVLink3 bridge"),
        make_offer(**chip, server="d", interconnect="NVLink3 bridge"),
        make_offer(server="e", gpu_count=0.125, vram_gib_per_gpu=3.0),
    ]
    market = Market(offers)
    assert [market.servers[at].gpu_count for at in market.server_index] == [1, 4, 4, 1, 0.125]
    assert market.server_index[0] == market.server_index[3]
    assert len(market.servers) == 4
    assert market.servers[market.server_index[4]].vram_gib_per_gpu == 3.0


def test_an_unknown_chip_keeps_its_row_and_is_marked(make_offer: Callable[..., Offer]) -> None:
    market = Market([make_offer(), make_offer(server="x", gpu_model="Card of 2029", vram_gib_per_gpu=512.0)])
    assert market.known_hardware.tolist() == [True, False]
    assert market.servers[market.server_index[1]].chip is None


def test_a_known_name_with_another_memory_is_another_card(make_offer: Callable[..., Offer]) -> None:
    assert server_of(make_offer(gpu_model="L40S", vram_gib_per_gpu=96.0)).chip is None


def test_a_cpu_vm_has_half_as_many_cores_as_hyperthreads(make_offer: Callable[..., Offer]) -> None:
    server = server_of(
        make_offer(kind="cpu", server="m7i.2xlarge", cpu_model="Intel Xeon Platinum 8488C", vcpus=8.0, ram_gib=32.0)
    )
    assert (server.cores, server.vcpus, server.arch, server.packed, server.memory_channels) == (
        4,
        8,
        "x86",
        False,
        None,
    )
    assert server.cpu == catalog.cpu("Intel Xeon Platinum 8488C")


@pytest.mark.parametrize(
    ("provider", "name", "cpu", "cores", "arch"),
    [
        ("aws", "c7g.2xlarge", "AWS Graviton3", 8, "arm"),
        ("aws", "m7a.2xlarge", "AMD EPYC 9R14", 8, "x86"),
        ("hetzner", "cax31", None, 8, "arm"),
        ("acme", "vps-8", None, 4, "x86"),
    ],
)
def test_a_vcpu_is_a_core_on_arm_and_where_threads_are_off(
    make_offer: Callable[..., Offer],
    provider: str,
    name: str,
    cpu: str | None,
    cores: int,
    arch: str,
) -> None:
    server = server_of(make_offer(kind="cpu", provider=provider, server=name, cpu_model=cpu, vcpus=8.0, ram_gib=16.0))
    assert (server.cores, server.arch) == (cores, arch)


@pytest.mark.parametrize(
    ("provider", "name", "packed"), [("aws", "m6a.4xlarge", True), ("aws", "m6a.metal", False), ("ovh", "adv-1", False)]
)
def test_amd_vms_of_the_large_clouds_are_packed(
    make_offer: Callable[..., Offer], provider: str, name: str, packed: bool
) -> None:
    offer = make_offer(kind="cpu", provider=provider, server=name, cpu_model="AMD EPYC 7R13", cores=8.0, vcpus=16.0)
    assert server_of(offer).packed is packed


def test_memory_channels_count_for_whole_machines_only(make_offer: Callable[..., Offer]) -> None:
    facts = {"kind": "cpu", "provider": "ovh", "cpu_model": "AMD EPYC 9354", "memory_mts": 4800.0}
    whole = server_of(make_offer(**facts, server="metal", sockets=2, cores=64.0, memory_channels=24.0))
    part = server_of(make_offer(**facts, server="vps", cores=8.0, memory_channels=3.0))
    assert (whole.memory_channels, whole.memory_mts, whole.sockets) == (12, 4800.0, 2)
    assert (part.memory_channels, part.memory_mts) == (None, None)


@pytest.mark.parametrize(
    ("provider", "server", "arm"),
    [
        ("aws", "m8g.xlarge", True),
        ("aws", "g5g.xlarge", True),
        ("aws", "g5.xlarge", False),
        ("aws", "a1.large", True),
        ("azure", "Standard_D4ps_v5", True),
        ("azure", "D4s_v5", False),
        ("gcp", "t2a-standard-4", True),
        ("gcp", "n2-standard-4", False),
        ("hetzner", "cax11", True),
        ("hetzner", "cx23", False),
        ("netcup", "vps-arm-1", True),
        ("acme", "farm-2", False),
    ],
)
def test_arm_is_read_from_names(provider: str, server: str, arm: bool) -> None:
    assert is_arm(provider, server, None) is arm


@pytest.mark.parametrize(
    ("word", "gone"),
    [(None, False), ("high", False), ("low", False), ("out of stock", True), ("Sold_Out", True), (UNLISTED, True)],
)
def test_out_of_stock_words(word: str | None, gone: bool) -> None:
    assert is_out_of_stock(word) is gone


def test_the_users_file_wins_over_fetched_over_bundled(make_offer: Callable[..., Offer], tmp_path: Path) -> None:
    bundled = load_snapshot()[0]
    mine = tmp_path / "mine.csv"
    rows = [
        make_offer(provider="acme", server="own"),
        make_offer(
            provider=bundled.provider,
            server=bundled.server,
            region=bundled.region,
            kind=bundled.kind,
            term=bundled.term,
            currency=bundled.currency,
            price_per_hour=123.0,
        ),
    ]
    mine.write_text(format_offers(rows), encoding="utf-8")
    store = Store(tmp_path / "data")
    store.save("lium", [make_offer(provider="lium", server="fetched")], [("gpu", "on_demand")])
    everything = Market.load(mine, store=store)
    prices = {offer.offer_id: offer.price_per_hour for offer in everything.offers}
    assert prices[bundled.offer_id] == 123.0
    assert any(offer.server == "fetched" for offer in everything.offers)
    alone = Market.load(mine, bundled=False, store=store)
    assert [offer.server for offer in alone.offers] == ["own", bundled.server]
    own = make_offer(provider="custom", server="under the desk")
    assert Market.load(mine, bundled=False, extra=[own]).offers[-1] == own


def test_a_users_rows_without_a_date_were_seen_when_the_file_changed(
    make_offer: Callable[..., Offer], tmp_path: Path
) -> None:
    mine = tmp_path / "mine.csv"
    rows = [make_offer(server="dated"), make_offer(server="undated", source_date=None)]
    mine.write_text(format_offers(rows), encoding="utf-8")
    os.utime(mine, (1_790_000_000, 1_790_000_000))  # 2026-09-21
    dates = {o.server: o.source_date for o in Market.load(mine, bundled=False, today=date(2026, 11, 30)).offers}
    assert dates == {"dated": "2026-11-01", "undated": "2026-09-21"}


def test_a_users_price_cannot_be_of_the_future(make_offer: Callable[..., Offer], tmp_path: Path) -> None:
    mine = tmp_path / "mine.csv"
    mine.write_text(format_offers([make_offer(), make_offer(server="b", source_date="2027-01-09")]), encoding="utf-8")
    with pytest.raises(OffersError, match=r"line 3, column source_date: 2027-01-09 lies in the future"):
        Market.load(mine, bundled=False, today=date(2027, 1, 7))
    assert len(Market.load(mine, bundled=False, today=date(2027, 1, 8))) == 2


def test_the_bundled_market_is_some_hundred_machines() -> None:
    market = Market.load()
    assert len(market) >= 5000
    assert len(market.servers) < 0.35 * len(market)
    assert (~market.known_hardware).sum() < 0.01 * len(market)


def test_an_empty_market_has_columns() -> None:
    market = Market([])
    assert len(market.column("price_per_hour")) == len(market.known_hardware) == len(market.rank) == 0
