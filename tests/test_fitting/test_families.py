"""The families as one: figures come back to their rows, constants fitted anew can be used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from models import catalog
from models.accuracy import score
from models.constants import FILES, constants, use
from models.errors import InputError
from models.fitting import families, refit
from models.fitting.families import FAMILIES, LABELS, fitted_rows, left_out, parts_of
from models.fitting.serving_terms import ABOUT
from models.measured_rows import measured_rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


pytestmark = pytest.mark.usefixtures("_bundled_again")


@pytest.fixture
def _bundled_again() -> Iterator[None]:
    yield
    use(None)


@pytest.fixture
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every thirtieth instance type and a few steps: the fits take a second."""
    thinned = families.instance_rows()[::30]
    few = tuple(
        family if family.further is tuple else families.Family(
            family.name, family.group, family.what, family.problem, family.text, lambda: thinned
        )
        for family in FAMILIES
    )  # fmt: skip
    monkeypatch.setattr(families, "FAMILIES", few)
    monkeypatch.setattr(families, "ROUNDS", 4)


def rows() -> list[dict[str, str]]:
    """A few shipped rows of every family."""
    return measured_rows()[::25]


@pytest.mark.usefixtures("_short")
def test_every_entry_is_of_its_row() -> None:
    """Measured values, chips and models of the entries are those of the rows they point to."""
    made = rows()
    parts = parts_of(made)
    assert [part.family.name for part in parts] == ["serving", "gguf", "cpu"]
    seen: list[int] = []
    for part in parts:
        assert set(LABELS) <= set(part.problem.labels)
        for place, measured, model in zip(part.row, part.problem.measured, part.problem.labels["model"], strict=True):
            if place >= 0:
                assert float(made[place]["value"]) == measured
                assert made[place]["model"] == model
                seen.append(int(place))
    assert len(seen) == len(set(seen))
    # Few of the rows that may be fitted are nobody's.
    assert len(seen) > 0.97 * len(fitted_rows(made))


def test_rows_that_no_fit_may_see() -> None:
    """Checks, and values that are none."""
    made = [
        {"value": "1"},
        {"value": "1", "use": "check"},
        {"value": "x"},
        {"value": "0"},
        {"value": "2", "use": "fit"},
    ]
    assert fitted_rows(made) == [0, 4]


@pytest.mark.usefixtures("_short")
def test_leaving_out_is_worse_and_comes_back_to_the_rows() -> None:
    """A ratio for every fitted row, none for the others; unseen groups are predicted less well than seen ones."""
    made = rows()
    told: list[str] = []
    ratios = left_out(made, "source", tell=told.append)
    assert len(ratios) == len(made)
    assert len(told) == 3
    assert all(ratio is None for ratio, row in zip(ratios, made, strict=True) if row["use"] != "fit")
    found = [ratio for ratio in ratios if ratio is not None]
    assert len(found) > 0.97 * len(fitted_rows(made))
    assert all(ratio > 0 and np.isfinite(ratio) for ratio in found)
    grouped = score(made, by=["class"], ratios=ratios)
    assert {"cpu", "gpu serving", "gpu llama.cpp"} <= {line["class"] for line in grouped}


@pytest.mark.usefixtures("_short")
def test_a_row_alone_has_its_family_alone() -> None:
    """No serving row: the others are fitted all the same."""
    made = [row for row in rows() if row["engine"] == "llama.cpp"]
    assert [part.family.name for part in parts_of(made)] == ["gguf", "cpu"]


@pytest.mark.usefixtures("_short")
def test_repeats_that_are_no_number_are_told() -> None:
    made = [{**rows()[0], "use": "fit", "repeats": "often"}]
    with pytest.raises(InputError, match="repeats is 'often', not a number"):
        parts_of(made)


@pytest.mark.usefixtures("_short")
def test_the_same_rows_give_the_same_constants() -> None:
    """To the last digit, and with the errors they were made for."""
    made = rows()
    told: list[str] = []
    first, second = refit.refit(made, tell=told.append), refit.refit(made, tell=told.append)
    assert refit.table(first) == refit.table(second)
    assert refit.files(first, made, "2026-11-30") == refit.files(second, made, "2026-11-30")
    assert len(told) == 6
    for each in first:
        before, after = each.errors()
        assert after <= before * 1.3, each.part.family.name


@pytest.mark.usefixtures("_short")
def test_the_table_names_old_and_new() -> None:
    """Every bundled constant that a row feels; a new one has no old value but rows."""
    lines = refit.table(refit.refit(rows(), tell=lambda _: None))
    bundled = {"serving": constants().gpu, "gguf": constants().gguf, "cpu": constants().cpu}
    for line in lines:
        name, old = str(line["constant"]), bundled[str(line["file"])]
        assert line["old"] == old.get(name)
        assert isinstance(line["new"], float)
        assert line["new"] > 0
        assert line["old"] is not None or line["rows"]
    assert set(ABOUT) <= {line["constant"] for line in lines}


@pytest.mark.usefixtures("_short")
def test_own_rows_move_the_constants_and_their_errors() -> None:
    """Cards that are half as fast as measured elsewhere: the refit comes nearer to them."""
    made = rows()
    slow = [
        {**row, "value": str(float(row["value"]) / 2), "source_group": "mine"}
        for row in measured_rows()
        if row["use"] == "fit"
        and row["hardware"] == "L4"
        and row["metric"] == "tokens_per_s_per_user"
        and row["engine"] == "llama.cpp"
    ]
    assert len(slow) > 5
    both = [*made, *slow * 3]
    places = range(len(made), len(both))
    refits = {each.part.family.name: each for each in refit.refit(both, tell=lambda _: None)}
    mine = refits["gguf"].among(places)
    assert mine.sum() == len(slow) * 3
    before, after = refits["gguf"].errors(mine)
    assert after < before
    assert not refits["cpu"].among(places).any()
    assert np.isnan(refits["cpu"].errors(refits["cpu"].among(places))).all()


def test_written_constants_are_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files of a fit to the shipped rows are complete, a chip that was measured counts as such, and values hardly move."""
    monkeypatch.setattr(families, "ROUNDS", 1)
    bundled = constants()
    own = {**measured_rows()[0], "hardware": "RTX-5060", "model": "Llama-3.2-1B", "engine": "vLLM", "quant": "bf16"}
    own |= {"use": "fit", "count": "1", "tp": "1", "pp": "1", "metric": "tpot_ms", "value": "9"}
    # All rows of CPUs, whose constants need them, and a tenth of the others.
    some = [
        row for i, row in enumerate(measured_rows()) if i % 10 == 0 or catalog.hardware(row["hardware"])[0] == "cpu"
    ]
    both = [*some, own]
    texts = refit.files(refit.refit(both, tell=lambda _: None), both, "2026-11-30")
    assert sorted(texts) == sorted(f"{name}.toml" for name in FILES)
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    use(tmp_path)
    assert set(constants().gpu) >= {name for name in bundled.gpu if not name.startswith("own:")}
    assert set(constants().measured_chips) >= {*bundled.measured_chips, "RTX-5060"}
    assert set(constants().band) == set(bundled.band)
