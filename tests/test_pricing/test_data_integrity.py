"""Every row of the tables that feeds are read with, and every provider's description of itself."""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from datetime import date
from importlib.resources import files
from typing import TYPE_CHECKING

import pytest

from models import catalog
from pricing import paths, quality
from pricing.hand_kept import load_hand_kept
from pricing.identity import find_cpu, find_gpu, gpu_instance, looks_like_gpu
from pricing.money import Rates
from pricing.offer import KINDS, TERMS
from pricing.provider import About, provider, providers
from pricing.snapshot import load_snapshot

if TYPE_CHECKING:
    from models.chip import Chip

TODAY = "2026-11-30"
# No public data sheet of it was found: its servers are shown without an estimate.
CHIPS_WITHOUT_FIGURES = {"Gaudi-HL-205"}
LOCAL_SSD_GIB = 375.0
TERMS_OF_FEEDS = {(kind, term) for kind in KINDS for term in TERMS}


def table(name: str) -> list[dict[str, str]]:
    with paths.bundled(name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def chips() -> dict[str, Chip]:
    return {chip.name: chip for chip in catalog.chips()}


def sourced(row: dict[str, str]) -> bool:
    """Whether a row names its source and the day it was read, which is not to come."""
    return len(row["source"]) > 5 and date.fromisoformat(row["source_date"]) <= date.fromisoformat(TODAY)


# GPUs of instance types

GPU_INSTANCES = table("gpu_instances.csv")


def test_gpu_instances_are_sourced_sorted_and_once_each() -> None:
    keys = [(row["provider"], row["server"]) for row in GPU_INSTANCES]
    assert keys == sorted(keys)
    assert len({(name, server.lower()) for name, server in keys}) == len(keys) > 200
    assert {name for name, _ in keys} <= set(providers())
    assert [row["server"] for row in GPU_INSTANCES if not sourced(row)] == []
    # Both spellings are looked up without it.
    assert not [server for _, server in keys if server.lower().startswith("standard_")]


def test_gpus_of_instances_are_in_the_catalog_with_its_memory() -> None:
    known = chips()
    assert {row["gpu_model"] for row in GPU_INSTANCES} - set(known) == CHIPS_WITHOUT_FIGURES
    for row in GPU_INSTANCES:
        count, memory_gib = float(row["gpu_count"]), float(row["vram_gib_per_gpu"])
        assert count > 0, row
        if (chip := known.get(row["gpu_model"])) is None:
            continue
        if count < 1:
            share = memory_gib / (chip.memory_gib * count)
            assert 1 - quality.SLICE_TOLERANCE <= share <= 1 + quality.SLICE_TOLERANCE, row
        else:
            assert count == int(count) <= 16, row
            assert memory_gib == chip.memory_gib, row


def test_links_of_instances_are_those_of_their_chips() -> None:
    known = chips()
    for row in GPU_INSTANCES:
        chip = known.get(row["gpu_model"])
        assert not row["interconnect"] or chip is None or row["interconnect"] == chip.interconnect, row


def test_bundled_prices_have_the_gpus_of_their_instances() -> None:
    for offer in load_snapshot():
        known = gpu_instance(offer.provider, offer.server)
        if known is not None:
            assert (offer.kind, offer.gpu_model) == ("gpu", known.gpu_model), offer.offer_id
            assert offer.gpu_count == pytest.approx(known.gpu_count, abs=1e-3), offer.offer_id
        assert offer.kind == "gpu" or not looks_like_gpu(offer.provider, offer.server), offer.offer_id


# Price bands


def test_price_bands_are_those_of_the_bundled_prices() -> None:
    rates = Rates.bundled()
    prices: dict[str | None, list[float]] = defaultdict(list)
    for offer in load_snapshot():
        if offer.kind == "gpu" and offer.term == "on_demand" and offer.price_per_hour and offer.gpu_count:
            usd = offer.price_per_hour * (rates.factor(offer.currency, "USD") or 0.0)
            prices[offer.gpu_model].append(usd / offer.gpu_count)
    bands = table("price_bands.csv")
    family: dict[str, list[str]] = defaultdict(list)
    for row in bands:
        family[row["source"]].append(row["gpu_model"])
    assert [row["gpu_model"] for row in bands] == sorted({row["gpu_model"] for row in bands})
    for row in bands:
        found = re.search(r"family (\S+) in all sizes and forms, widened (\d) times", row["source"])
        assert found, row
        assert row["gpu_model"].startswith(found[1]), row
        widened = float(found[2])
        seen = [price for name in family[row["source"]] for price in prices[name]]
        assert len(seen) == int(row["prices_seen"]) > 0, row
        assert min(seen) == pytest.approx(float(row["lowest_seen"]), rel=1e-3), row
        assert max(seen) == pytest.approx(float(row["highest_seen"]), rel=1e-3), row
        assert float(row["low_usd_h"]) == pytest.approx(min(seen) / widened, rel=1e-3), row
        assert float(row["high_usd_h"]) == pytest.approx(max(seen) * widened, rel=1e-3), row
        assert sourced(row)


# Machine types of Google


def test_machine_types_are_sourced_sorted_and_once_each() -> None:
    names = [row["name"] for row in table("gcp_machine_types.csv")]
    assert names == sorted(set(names))
    assert len(names) > 300
    assert [row["name"] for row in table("gcp_machine_types.csv") if not sourced(row)] == []


def test_machine_types_have_sizes_that_go_with_their_names() -> None:
    for row in table("gcp_machine_types.csv"):
        name, vcpus, ram_gib = row["name"], float(row["vcpus"]), float(row["ram_gib"])
        assert 0.25 <= float(row["billed_vcpus"] or vcpus) <= vcpus, name
        assert 0.5 <= ram_gib / vcpus <= 18, name
        stated = re.search(r"-(?:standard|highcpu|highmem)-(\d+)", name)
        assert stated is None or int(stated[1]) == vcpus, name
        assert not row["billed_vcpus"] or name.startswith("e2-"), name
        # The words of descriptions are compared in lower case.
        assert row["family"] + row["gpu_sku"] == (row["family"] + row["gpu_sku"]).lower(), name
        if row["local_ssd_gib"]:
            assert float(row["local_ssd_gib"]) % LOCAL_SSD_GIB == 0, name


def test_machine_types_are_billed_for_the_gpus_they_have() -> None:
    for row in table("gcp_machine_types.csv"):
        known = gpu_instance("gcp", row["name"])
        if known is not None:
            # A slice is billed in eighths of a card.
            units = known.gpu_count * (1 if known.gpu_count >= 1 else 8)
            assert float(row["gpu_units"]) == units, row["name"]


# Rows kept by hand, aliases


def test_rows_kept_by_hand_keep_the_rules_of_feeds() -> None:
    """A host that no page states is all that the file may lack: each such row says so in its note."""
    market = About("by hand", "By hand", "prices", gpus_alone=True)
    kept, counts = quality.check(load_hand_kept(), market, Rates.bundled())
    assert (kept, counts) == (load_hand_kept(), {})


def test_token_prices_are_once_each_and_in_whole_tokens() -> None:
    rows = table("token_prices.csv")
    assert len({(row["source"], row["provider"], row["model"]) for row in rows}) == len(rows)
    for row in rows:
        assert all(not row[name] or int(row[name]) > 0 for name in ("context_tokens", "max_output_tokens")), row


def test_every_alias_leads_to_its_own_entry() -> None:
    """What is on the same line decides: memory and link where a spelling has two meanings."""
    text = files("models").joinpath("data", "hardware_aliases.csv").read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines()):
        raw, memory = row["raw"], float(row["memory_gib"]) if row["memory_gib"] else None
        assert row["link"] in {"", "pcie", "sxm", "nvl"}
        found = find_gpu(raw, memory, row["link"] or None) if row["kind"] == "gpu" else find_cpu(raw)
        assert (found.name if found else None) == row["key"], raw


# What providers say of themselves

ABOUTS = {name: found.about for name, found in providers().items()}
PRICES = [name for name, about in ABOUTS.items() if about.what == "prices"]


@pytest.mark.parametrize("name", ABOUTS)
def test_a_provider_describes_itself(name: str) -> None:
    about = ABOUTS[name]
    assert about.name == type(provider(name)).__module__.rpartition(".")[2].rstrip("_")
    assert re.fullmatch(r"[a-z0-9]+", name)
    assert about.title.strip() == about.title != ""
    assert about.what in {"prices", "rates", "tokens", "machines"}
    assert about.page.startswith("https://")
    assert about.hosts
    assert all(re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+", host) for host in about.hosts)
    assert len(set(about.hosts)) == len(about.hosts)
    assert 10 <= about.time_limit_s <= 600
    assert 0 <= about.pace_s <= 5
    assert about.version >= 1
    assert len(set(about.regions)) == len(about.regions)
    assert about.regions or not about.regional


@pytest.mark.parametrize("name", ABOUTS)
def test_a_key_and_a_month_are_written_as_such(name: str) -> None:
    about = ABOUTS[name]
    assert about.key_variable is None or re.fullmatch(r"[A-Z][A-Z0-9_]+", about.key_variable)
    assert about.key_variable or not about.key_needed
    if about.verified is not None:
        assert re.fullmatch(r"20\d\d-(0[1-9]|1[0-2])", about.verified)
        assert about.verified <= TODAY[:7]


@pytest.mark.parametrize("name", PRICES)
def test_a_price_feed_says_what_it_covers_and_what_it_cannot_tell(name: str) -> None:
    about = ABOUTS[name]
    assert set(about.covers) <= TERMS_OF_FEEDS
    assert len(set(about.covers)) == len(about.covers)
    assert set(about.kinds) <= set(KINDS)
    # A catalogue that lists only some families covers nothing as a whole.
    assert {kind for kind, _ in about.covers} in ({*about.kinds}, set())
    assert about.covers or about.serves
    assert about.cannot
    assert all(words == words.strip() != "" and not words.endswith(".") for words in about.cannot)
    assert set(about.serves) <= {*PRICES, *(offer.provider for offer in load_hand_kept())}
    assert "gpu" in about.kinds or not about.gpus_alone


def test_keys_and_titles_are_one_providers_own() -> None:
    for field in ("title", "key_variable"):
        values = [value for about in ABOUTS.values() if (value := getattr(about, field))]
        assert len(set(values)) == len(values)
