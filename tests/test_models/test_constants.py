"""Every constant carries its unit, its meaning and the rows behind it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import models
from models import catalog
from models.bands import measured_chips
from models.constants import FILES, constants, use
from models.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

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


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Path]:
    """A folder of constants like the bundled ones; afterwards those are in force again."""
    for name in FILES:
        text = (FOLDER / f"{name}.toml").read_text(encoding="utf-8")
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    yield tmp_path
    use(None)


def test_a_users_own_constants_are_taken_and_given_back(own: Path) -> None:
    """Values and measured chips are the folder's, then the bundled ones again."""
    bundled = constants()
    name, value = next(iter(bundled.gpu.items()))
    path = own / "serving.toml"
    text = path.read_text(encoding="utf-8")
    old = next(line for line in text.splitlines() if line.startswith("value = "))
    path.write_text(text.replace(old, "value = 0.1234", 1), encoding="utf-8")
    bands = own / "bands.toml"
    bands.write_text(
        bands.read_text(encoding="utf-8").replace("chips = [", 'chips = [\n  "Zeta-9000",'), encoding="utf-8"
    )
    use(own)
    assert constants().gpu[name] == 0.1234
    assert "Zeta-9000" in measured_chips()
    use(None)
    assert constants().gpu[name] == value
    assert "Zeta-9000" not in measured_chips()


@pytest.mark.parametrize(
    ("file", "text", "sentence"),
    [
        ("serving", None, "cannot be read: serving.toml"),
        ("gguf", "[gguf", "are damaged: gguf.toml: "),
        ("gguf", "", "are damaged: gguf is missing"),
        ("cpu", "[cpu]\n[cpu_family]\n", "of another version: cpu."),
        ("gguf", "[gguf.g_em]\nvalue = 0.9\n", "of another version: gguf."),
        ("gguf", "[gguf.g_em]\nvalue = 'fast'\n", "are damaged"),
        ("gguf", "gguf = 3\n", "are damaged"),
        ("bands", "[band]\n[measured]\nchips = []\n", "of another version: band."),
    ],
)
def test_damaged_constants_are_one_sentence(own: Path, file: str, text: str | None, sentence: str) -> None:
    """Whatever is wrong with the folder, it is named, and the bundled constants stay."""
    path = own / f"{file}.toml"
    path.unlink() if text is None else path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=sentence) as caught:
        use(own)
    assert "\n" not in str(caught.value)
    assert "rackrate accuracy --fit" in caught.value.hint
    assert constants().gpu


def test_a_constant_of_nought_is_refused(own: Path) -> None:
    """It would divide by nothing somewhere."""
    path = own / "gguf.toml"
    text = path.read_text(encoding="utf-8")
    old = next(line for line in text.splitlines() if line.startswith("value = "))
    for wrong in ("0", "-1", "inf", "nan"):
        path.write_text(text.replace(old, f"value = {wrong}", 1), encoding="utf-8")
        with pytest.raises(InputError, match="are damaged: gguf"):
            use(own)
