"""Measured instance types: the look-up, and rates that meet what was measured."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import numpy as np
import pytest

from models import catalog, cpu_measured
from models.build import column
from models.cpu_measured import (
    ENTRIES,
    FILE,
    LARGE,
    MODELS,
    PREPARED,
    SCALED,
    MeasuredCpu,
    MeasuredRun,
    _middle,
    _predicted,
    all_figures,
    by_instance,
    instance_of,
    measured,
    prepare,
    read,
)
from models.cpu_rates import CpuRates, cpu_rates
from models.fitting.cpu_instances import cpu_of, instance_rows, pack

if TYPE_CHECKING:
    from pathlib import Path


def predicted(rates: CpuRates) -> tuple[np.ndarray, np.ndarray]:
    """Generation and prompt tokens/s of the six models."""
    decode, prompt = _predicted({name: column([rates], name) for name in SCALED})
    return decode[0], prompt[0]


RAW = {
    "server": "aws/m7a.8xlarge",
    "cpu": "AMD EPYC 9R14",
    "vcpus": "32",
    "n_threads": "32",
    "threads_per_core": "1",
    "sockets": "1",
    "numa_nodes": "1",
    "bare_metal": "0",
    "bw_mem_rd_gbs": "150.4",
    "model": "Llama-7B",
    "n_prompt": "0",
    "n_gen": "128",
    "tokens_per_s": "30.0231",
    "date": "2025-04-17",
}


def test_the_table_is_small_and_names_its_licence() -> None:
    """Under 400 kB, gzip without a time stamp, the licence beside it."""
    data = FILE.read_bytes()
    assert len(data) < 400_000
    assert data[4:8] == b"\0\0\0\0"
    assert "CC BY-SA 4.0" in (FILE.parent / "README.md").read_text(encoding="utf-8")
    assert len(read()) > 2_000


def test_look_up_by_provider_and_type() -> None:
    """Any case, Azure's prefix or not, our names of providers."""
    found = measured("aws", "M7A.8xlarge")
    assert found is not None
    assert found.cpu == "AMD EPYC 9R14"
    assert measured("azure", "D2s_v5") is measured("azure", "Standard_D2s_v5") is not None
    assert measured("hetzner", "cpx11") is measured("hcloud", "cpx11") is not None
    assert measured("aws", "m7a.77xlarge") is None


def test_the_prepared_figures_are_those_of_the_table() -> None:
    """Every instance type, and the bytes that `make prepare` would write."""
    assert PREPARED.read_bytes() == prepare(), "run: make prepare"
    places, figures = all_figures()
    names = [instance_of(record.provider, record.server) for record in read()]
    assert set(names) == set(places)
    for name in names:
        record = by_instance(name)
        assert record is not None
        np.testing.assert_array_equal(figures[places[name]], record.figures())


@pytest.mark.parametrize("keep", [0, 9, 2000, -5, -96], ids=["nothing", "sum", "names", "no end", "one less"])
def test_torn_figures_count_for_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keep: int) -> None:
    """The table is read instead."""
    places, figures = all_figures()
    path = tmp_path / PREPARED.name
    path.write_bytes(PREPARED.read_bytes()[:keep])
    monkeypatch.setattr(cpu_measured, "PREPARED", path)
    torn_places, torn_figures = all_figures.__wrapped__()
    assert torn_places == places
    np.testing.assert_array_equal(torn_figures, figures)


def test_the_measured_models_are_found_without_aliases() -> None:
    """The catalog means the same entries."""
    for name in MODELS.values():
        assert catalog.llm(name).name == ENTRIES.get(name, name)


def test_the_middle_is_that_of_numpy() -> None:
    """With any number of values missing."""
    rng = np.random.default_rng(5)
    values = rng.random((500, 6))
    values[rng.random(values.shape) < rng.random((500, 1))] = np.nan
    some = ~np.isnan(values).all(axis=1)
    np.testing.assert_array_equal(_middle(values)[some], np.nanmedian(values[some], axis=1))
    assert np.isnan(_middle(values)[~some]).all()
    assert 0 < some.sum() < 500


def test_rates_meet_what_was_measured() -> None:
    """The middle one of the measured models comes out exactly, the others nearly."""
    record = measured("aws", "m7a.8xlarge")
    assert record is not None
    estimate = cpu_rates(catalog.cpu(record.cpu), cores=32, packed=True)
    assert estimate is not None
    decode, prompt = predicted(record.rates(estimate))
    names = list(MODELS)
    for run in record.runs:
        if run.model in LARGE:
            assert decode[names.index(run.model)] == pytest.approx(run.tokens_per_s, rel=0.2)
            assert prompt[names.index(run.model)] == pytest.approx(run.prompt_tokens_per_s, rel=0.3)
    assert record.stream_gb_s(estimate) == pytest.approx(record.rates(estimate).stream / 1e9)
    assert 500 < record.prompt_gflops(estimate) < 5000


def test_a_record_without_large_models_uses_the_small_ones_and_one_without_any_changes_nothing() -> None:
    """Slow machines never ran the large ones."""
    estimate = cpu_rates(None, cores=2)
    assert estimate is not None
    decode, _ = predicted(estimate)
    slow = MeasuredCpu(
        "x", "y", "", 2, 2, 1, 1, False, None, "", (MeasuredRun("smollm_135m", None, float(decode[0]) / 2),)
    )
    assert slow.rates(estimate).stream == pytest.approx(estimate.stream / 2)
    assert slow.rates(estimate).prefill == estimate.prefill
    none = MeasuredCpu("x", "y", "", 2, 2, 1, 1, False, None, "", ())
    assert none.rates(estimate) == estimate


def test_packing_prefers_the_longer_test_and_is_reproducible(tmp_path: Path) -> None:
    """128 generated tokens win over 16 in either order; the same rows give the same bytes."""
    short = RAW | {"n_gen": "16", "tokens_per_s": "31"}
    other = RAW | {"model": "Phi-4", "n_gen": "0", "n_prompt": "128", "tokens_per_s": "72.3"}
    data = pack([RAW, short, other])
    assert data == pack([short, RAW, other])
    path = tmp_path / "table.csv.gz"
    path.write_bytes(data)
    (record,) = read(path)
    assert {run.model: run.tokens_per_s for run in record.runs if run.tokens_per_s} == {"llama_7b": 30.02}
    assert {run.model: run.prompt_tokens_per_s for run in record.runs if run.prompt_tokens_per_s} == {"phi_14b": 72.3}
    assert "30.02" in gzip.decompress(data).decode()
    rows = instance_rows(path)
    assert {(row["metric"], row["value"], row["packed"]) for row in rows} == {
        ("tokens_per_s_per_user", "30.02", "1"),
        ("prompt_tokens_per_s", "72.3", "1"),
    }


@pytest.mark.parametrize(
    ("provider", "cpu", "expected"),
    [
        ("aws", "Neoverse-V2", "AWS Graviton4"),
        ("gcp", "Neoverse-V2", "Google Axion"),
        ("hetzner", "Neoverse-N1", "Ampere Altra Q80-30"),
        ("vultr", "AMD EPYC-Milan", "AMD EPYC Milan (model hidden)"),
        ("azure", "Intel Xeon Platinum 8370C", "Intel Xeon Platinum 8370C"),
        ("aws", "Intel Xeon", None),
    ],
)
def test_the_cpu_behind_an_instance(provider: str, cpu: str, expected: str | None) -> None:
    """Arm names say the core only; the provider decides the part."""
    record = MeasuredCpu(provider, "x", cpu, 2, 2, 1, 1, False, None, "", ())
    found = cpu_of(record)
    assert (found.name if found else None) == expected
