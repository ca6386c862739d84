"""What a comparison shows after every feed was refreshed over the bundled prices: each offer once, none at 0, hardware as catalogued."""

from __future__ import annotations

import sys
from collections import Counter
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from models import catalog
from models.traffic import Workload
from pricing import refresh
from pricing.bundled import load_bundled
from pricing.compare import CompareOptions, compare
from pricing.http import Client
from pricing.identity import gpu_instance
from pricing.market import Market
from pricing.provider import provider, providers
from pricing.store import Store

sys.path.append(str(Path(__file__).parents[1]))  # the invented feeds are beside the tests, not of a package

from feeds import fault_table, server

if TYPE_CHECKING:
    from pricing.offer import Offer
    from pricing.refresh_report import RefreshReport


@pytest.fixture(scope="module")
def refreshed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, RefreshReport]:
    store = Store(tmp_path_factory.mktemp("data"))
    with pytest.MonkeyPatch.context() as patch, server.serving() as running:
        for name, key in fault_table.KEYS.items():
            patch.setenv(str(provider(name).about.key_variable), key)
        with Client(mirror=running.address, timeout_s=60.0, sleep=lambda _: None) as client:
            names = [name for name, source in providers().items() if source.about.what in {"prices", "rates", "tokens"}]
            report = refresh.refresh(
                names, store=store, client=client, now=fault_table.NOW, regions=fault_table.REGIONS
            )
    return store, report


@pytest.fixture(scope="module")
def market(refreshed: tuple[Store, RefreshReport]) -> Market:
    return Market.load(store=refreshed[0])


def fetched(offer: Offer) -> bool:
    return (offer.fetched_at or "").startswith(f"{fault_table.NOW:%Y-%m-%dT%H}")


def test_every_feed_was_taken(refreshed: tuple[Store, RefreshReport], market: Market) -> None:
    assert {outcome.provider: outcome.message for outcome in refreshed[1].outcomes if not outcome.good} == {}
    feeds = {name for name, source in providers().items() if source.about.what == "prices" and not source.about.serves}
    assert {offer.provider for offer in market.offers if fetched(offer)} >= feeds
    assert refreshed[0].messages == []


def test_no_offer_is_named_twice(market: Market) -> None:
    ids = Counter(offer.offer_id for offer in market.offers)
    assert max(ids.values()) == 1
    keys = Counter(
        (o.provider, o.server, o.region, o.term, o.commitment_months, o.tier, o.currency)
        for o in market.offers
        if fetched(o)
    )
    assert [key for key, count in keys.items() if count > 1] == []


def test_none_is_at_zero(market: Market) -> None:
    for offer in market.offers:
        prices = (offer.price_per_hour, offer.price_per_month)
        assert any(prices)
        assert all(price is None or price > 0 for price in prices)


def test_gpus_are_those_of_the_catalog(market: Market) -> None:
    chips = {chip.name: chip for chip in catalog.chips()}
    wrong = []
    for offer in filter(fetched, market.offers):
        chip = chips.get(offer.gpu_model or "")
        if chip is None:
            continue
        instance = gpu_instance(offer.provider, offer.server)
        count_is_off = instance is not None and offer.gpu_count != instance.gpu_count
        whole = instance is None and offer.gpu_count is not None and offer.gpu_count >= 1
        memory_is_off = whole and offer.vram_gib_per_gpu != chip.memory_gib
        if count_is_off or memory_is_off or offer.gpu_memory_bandwidth_gb_s != chip.memory_bandwidth_gb_s:
            wrong.append(offer)
    assert wrong == []


def test_fresh_rows_stand_where_bundled_ones_stood(refreshed: tuple[Store, RefreshReport], market: Market) -> None:
    shown = {offer.offer_id: offer for offer in market.offers}
    for name in refreshed[0].providers():
        stored = refreshed[0].load(name)
        assert stored is not None
        if not stored.is_direct:
            continue
        assert all(shown[offer.offer_id] == offer for offer in stored.offers)
        left = [o for o in load_bundled() if o.provider == name and stored.answers_for(o)]
        assert not [o for o in left if o.offer_id in shown and not fetched(shown[o.offer_id])]


def test_what_is_left_of_the_bundled_prices_says_its_age(market: Market) -> None:
    workload = Workload(catalog.llm("Llama-3.1-8B"), input_tokens=1000, output_tokens=200, requests_per_s=1.0)
    comparison = compare(market, workload, CompareOptions(today=date(2026, 11, 30)))
    old = [at for at, offer in enumerate(market.offers) if (offer.source_date or "9999") < "2026-05-01"]
    assert len(old) > 100
    assert all(any("days old" in said for said in comparison.warnings(at)) for at in old[:200])
    fresh = next(at for at, offer in enumerate(market.offers) if fetched(offer) and offer.provider == "linode")
    assert comparison.price_age_days[fresh] == 0
