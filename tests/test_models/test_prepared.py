"""Prepared data is what its sources say, and counts for nothing where it is older, torn or missing."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest

from models import constants, measured_rows, prepared
from models.groups import groups

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Copies of the files that may be damaged."""
    shutil.copytree(constants.BUNDLED, tmp_path / "constants")
    shutil.copytree(measured_rows.FOLDER, tmp_path / "measured")
    shutil.copytree(prepared.FOLDER, tmp_path / "prepared")
    monkeypatch.setattr(constants, "BUNDLED", tmp_path / "constants")
    monkeypatch.setattr(constants, "PREPARED", tmp_path / "prepared" / constants.PREPARED.name)
    monkeypatch.setattr(measured_rows, "FOLDER", tmp_path / "measured")
    monkeypatch.setattr(measured_rows, "PREPARED", tmp_path / "prepared" / measured_rows.PREPARED.name)
    kept = (constants._bundled, measured_rows._prepared, measured_rows._by_model)
    for one in kept:
        one.cache_clear()
    yield tmp_path
    for one in kept:
        one.cache_clear()


def test_the_prepared_files_were_made_of_the_files_beside_them() -> None:
    assert constants.PREPARED.read_bytes() == constants.prepare(), "run: make prepare"
    # Compressed bytes differ between versions of zlib: the rows are compared below.
    assert prepared.read(measured_rows.PREPARED, measured_rows._files()) is not None, "run: make prepare"


def test_prepared_constants_are_those_of_the_files() -> None:
    assert constants._bundled() == constants.read(constants.BUNDLED)


def test_a_changed_constant_counts_at_once(folder: Path) -> None:
    path = folder / "constants" / "bands.toml"
    before = constants._bundled().band
    path.write_text(re.sub(r"low = [\d.]+", "low = 0.125", path.read_text(encoding="utf-8"), count=1), encoding="utf-8")
    constants._bundled.cache_clear()
    assert constants._bundled().band != before


@pytest.mark.parametrize("keep", [0, 5, 9, 400, -1], ids=["nothing", "sum", "head", "part", "no end"])
def test_torn_files_count_for_nothing(folder: Path, keep: int) -> None:
    whole = constants.read(constants.BUNDLED)
    rows = [row for row in measured_rows.measured_rows() if row["model"] == "Phi-4"]
    for path in (constants.PREPARED, measured_rows.PREPARED):
        path.write_bytes(path.read_bytes()[:keep])
    last = list(measured_rows._by_model())[-1]
    assert constants._bundled() == whole
    assert measured_rows.rows_of("Phi-4") == rows
    assert measured_rows.rows_of(last) == measured_rows._by_model()[last]


def test_missing_files_are_not_missed(folder: Path) -> None:
    rows = measured_rows.rows_of("Phi-4")
    shutil.rmtree(folder / "prepared")
    measured_rows._prepared.cache_clear()
    constants._bundled.cache_clear()
    assert measured_rows.rows_of("Phi-4") == rows != []
    assert constants._bundled() == constants.read(constants.BUNDLED)


def test_every_model_has_the_rows_of_the_whole() -> None:
    for model, rows in measured_rows._by_model().items():
        assert measured_rows.rows_of(model) == rows
        assert list(measured_rows.rows_of(model)[0]) == list(rows[0])


def test_only_wanted_rows() -> None:
    wanted = measured_rows.rows_of("Phi-4", lambda row: row == {"metric": "tpot_ms"}, ["metric"])
    assert wanted == [row for row in measured_rows.rows_of("Phi-4") if row["metric"] == "tpot_ms"] != []
    assert measured_rows.rows_of("no such model", lambda row: True, ["metric"]) == []  # noqa: ARG005


def test_line_ends_of_a_checkout_do_not_matter(folder: Path) -> None:
    for path in (folder / "constants").glob("*.toml"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert prepared.read(constants.PREPARED, constants._sources()) is not None


@pytest.mark.parametrize("codes", [[], [3], [5, 1, 5, 0, -1, 1]], ids=str)
def test_groups_are_those_of_numpy(codes: list[int]) -> None:
    array = np.array(codes, dtype=np.intp)
    distinct, which = groups(array)
    expected, places = np.unique(array, return_inverse=True)
    assert distinct.tolist() == expected.tolist()
    assert which.tolist() == places.tolist()
