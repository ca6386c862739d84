"""Every constant carries its unit, its meaning and the rows behind it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import models
from models import catalog
from models.constants import FILES, constants

FOLDER = Path(models.__file__).parent / "data" / "constants"
DATA: dict[str, Any] = {}
for _name in FILES:
    DATA |= tomllib.loads((FOLDER / f"{_name}.toml").read_text(encoding="utf-8"))


def test_every_constant_says_what_it_is() -> None:
    """Value, unit, meaning, rows; a source and a date for the file."""
    assert DATA["source"]
    assert DATA["source_date"]
    for group in ("gpu", "gguf", "cpu"):
        for name, entry in DATA[group].items():
            assert entry["unit"], name
            assert entry["meaning"], name
            # Without a row the constant is what it was believed to be, and the file says so.
            assert entry["rows"] > 0 or entry["value"] == entry["prior"], name
            assert entry["value"] > 0, name


def test_shares_are_shares() -> None:
    """Efficiencies of bandwidth lie below one."""
    k = constants().gpu
    shares = [value for name, value in k.items() if name.startswith(("em_", "mfu_", "ekv"))]
    assert len(shares) > 15
    # Fused 4-bit expert kernels are a factor on another share, and may exceed one.
    assert all(0.1 < value < 1.1 for value in shares if value != k["em_moe_4bit"])
    assert k["em_gddr"] * k["em_w4"] * k["em_moe_4bit"] < 1
    assert k["c_int"] < 1


def test_bands_hold_the_estimate() -> None:
    """Low below one, high above; static MoE too after rounding."""
    for name, band in constants().band.items():
        assert 0 < band.low <= 1 <= band.high, name


def test_measured_chips_are_in_the_catalog() -> None:
    """The list behind `calibrated` names catalog entries."""
    names = {chip.name for chip in catalog.chips()}
    assert set(constants().measured_chips) <= names
    assert len(constants().measured_chips) > 100
