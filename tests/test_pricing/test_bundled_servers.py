"""The prepared machines of the bundled offers are those that a search through the catalogs finds."""

from __future__ import annotations

import shutil
from dataclasses import astuple, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from models import catalog
from pricing import bundled, bundled_servers, machines, paths
from pricing.market import Market

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pricing.offer import Offer

    Make = Callable[..., Offer]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copies of the bundled prices and of the catalogs, which may be damaged."""
    machines.distinct(bundled.read_bundled())  # the catalogs are read once, before they are damaged
    copy, catalogs = tmp_path / "data", tmp_path / "catalogs"
    shutil.copytree(paths.bundled("snapshot.json").parent, copy)
    shutil.copytree(catalog.FOLDER, catalogs)
    monkeypatch.setattr(paths, "bundled", lambda name: copy / name)
    monkeypatch.setattr(catalog, "FOLDER", catalogs)
    return tmp_path


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many offers were searched for machines, one entry a search."""
    counts: list[int] = []

    def distinct(offers: Any) -> Any:
        counts.append(len(offers))
        return machines.distinct(offers)

    monkeypatch.setattr(bundled_servers, "distinct", distinct)
    return counts


def types(servers: Any) -> list[Any]:
    """Every value with its type."""
    return [[(type(value), value) for value in astuple(server)] for server in servers]


def test_the_file_was_made_of_the_files_there_are() -> None:
    assert paths.bundled(bundled_servers.PACKED).read_bytes() == bundled_servers.prepare(), "run: make prepare"


def test_it_holds_the_same_servers_and_places(searched: list[int]) -> None:
    servers, index = bundled_servers.machines(bundled.load_bundled())
    assert searched == []
    slow, places = machines.distinct(bundled.read_bundled())
    assert servers == slow
    assert repr(types(servers)) == repr(types(slow))  # of a chip without a memory size of its own NaN is one
    assert index.dtype == places.dtype
    assert np.array_equal(index, places)
    index[0] = 1  # an array of its own, not the file's bytes


def test_a_start_uses_it_and_other_offers_do_not(searched: list[int], make_offer: Make, tmp_path: Path) -> None:
    shipped = Market.load()
    assert searched == []
    mine = Market.load(extra=[make_offer(offer_id="mine", gpu_model="H100", gpu_count=3.0)])
    assert len(mine) == len(shipped) + 1
    assert mine.servers[mine.server_index[-1]].gpu_count == 3.0
    changed = Market([replace(entry, gpu_model="A100") for entry in shipped.offers])
    assert changed.servers != shipped.servers


@pytest.mark.parametrize("name", bundled_servers._CATALOGS)
def test_a_changed_catalog_makes_it_count_for_nothing(folder: Path, searched: list[int], name: str) -> None:
    path = folder / "catalogs" / name
    path.write_bytes(path.read_bytes().rstrip(b"\n") + b"\n\n")
    bundled_servers.machines(bundled.load_bundled())
    assert len(searched) == 1


def test_changed_prices_make_it_count_for_nothing(folder: Path, searched: list[int]) -> None:
    path = folder / "data" / "hand_kept.csv"
    path.write_bytes(path.read_bytes() + b"\n")
    offers = bundled.load_bundled()
    servers, _ = bundled_servers.machines(offers)
    assert searched == [len(offers)]
    assert servers == machines.distinct(offers)[0]


def test_the_prices_of_another_time_make_it_count_for_nothing(folder: Path, searched: list[int]) -> None:
    offers, path = bundled.load_bundled(), folder / "data" / bundled.PACKED
    path.write_bytes(b"0" * 8 + path.read_bytes()[8:])
    bundled_servers.machines(offers)
    assert searched == [len(offers)]


@pytest.mark.parametrize("keep", [0, 9, 1000, 60_000, -3], ids=["nothing", "sum", "chips", "part", "no end"])
def test_a_torn_one_counts_for_nothing(folder: Path, searched: list[int], keep: int) -> None:
    path = folder / "data" / bundled_servers.PACKED
    path.write_bytes(path.read_bytes()[:keep])
    servers, _ = bundled_servers.machines(bundled.load_bundled())
    assert len(searched) == 1
    assert len(servers) > 1000


def test_a_missing_one_is_not_missed(folder: Path, searched: list[int]) -> None:
    (folder / "data" / bundled_servers.PACKED).unlink()
    assert bundled_servers.machines(bundled.load_bundled())[0] == Market.load().servers
    assert len(searched) == 2


def test_exact_names_of_cpus_mean_no_gpu() -> None:
    """They are looked up before the spellings of GPUs are read."""
    for cpu in catalog.cpus():
        assert catalog.candidates(cpu.name, None, None, catalog._chip_readings) == []
        assert catalog.find_cpu(cpu.name) == cpu == catalog.cpu_named(cpu.name)
        assert catalog.hardware(cpu.name) == ("cpu", cpu)
