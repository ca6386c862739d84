"""Settings: defaults, one sentence for every mistake, no half-written file."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from pricing import atomic, paths, settings
from pricing.errors import SettingsError, StoreError
from pricing.settings import Settings


def test_no_file_means_defaults() -> None:
    assert Settings.load() == Settings()
    assert (Settings().currency, Settings().hours_per_month, Settings().vat) == ("USD", 730.0, None)


def test_a_saved_file_is_read_back() -> None:
    mine = Settings(
        currency="EUR", vat=0.19, discounts={"hetzner": 0.1}, keys={"quit": "x"}, mirror="http://127.0.0.1:1"
    )
    mine.save()
    assert Settings.load() == mine


def test_the_written_template_is_the_defaults_and_is_not_overwritten() -> None:
    path = settings.init()
    assert path == paths.settings_file()
    assert Settings.load() == Settings()
    with pytest.raises(SettingsError, match="exists already"):
        settings.init()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("currencey = 'EUR'", "unknown field 'currencey'"),
        ("currency = 5", "currency must be"),
        ("currency = 'euro'", "currency must be"),
        ("vat = 119", "vat is 119"),
        ("vat = 0.19", "it is in percent. Write 19."),
        ("vat = -1", "vat is -1"),
        ("vat = true", "vat must be a number"),
        ("vat = nan", "vat must be a number"),
        ("hours_per_month = 0", "hours_per_month is 0"),
        ("setup_months = 'a year'", "setup_months must be a number"),
        ("mirror = 'localhost:8790'", "mirror must be an address"),
        ("mirror = 'http://localhost:99999'", "mirror must be an address"),
        ("mirror = 'http://'", "mirror must be an address"),
        ("discounts = 3", "discounts must be a table"),
        ("[discounts]\naws = 100", "discounts.aws is 100"),
        ("[discounts]\naws = 0.05", "it is in percent. Write 5."),
        ("[keys]\nquit = 3", "keys.quit must be text"),
        ("currency = ", "not valid TOML"),
    ],
)
def test_a_mistake_is_one_sentence_with_the_field(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        Settings.load(path)
    assert said in str(caught.value)
    assert str(path) in str(caught.value)


def test_percentages_of_the_file_are_shares_inside(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("vat = 19\n[discounts]\nHetzner = 7\naws = 12.5\n", encoding="utf-8")
    found = Settings.load(path)
    assert found.vat == pytest.approx(0.19)
    assert found.discounts == pytest.approx({"hetzner": 0.07, "aws": 0.125})
    assert found.to_table()["vat"] == 19
    assert found.to_table()["discounts"] == {"hetzner": 7, "aws": 12.5}


def test_a_file_that_is_no_text_is_told_in_plain_words(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SettingsError, match="is not a text file in UTF-8"):
        Settings.load(path)
    with pytest.raises(SettingsError) as caught:
        Settings.load(tmp_path)
    assert "Errno" not in str(caught.value)


def test_a_long_value_is_not_repeated_whole(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_table({"currency": "x" * 5000})
    assert len(str(caught.value)) < 200


def test_folders_come_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RACKRATE_CONFIG_DIR", str(tmp_path / "c"))
    monkeypatch.setenv("RACKRATE_DATA_DIR", str(tmp_path / "d"))
    assert (paths.config_dir(), paths.data_dir()) == (tmp_path / "c", tmp_path / "d")
    monkeypatch.delenv("RACKRATE_DATA_DIR")
    assert paths.data_dir().name == "rackrate"


def test_a_failed_write_keeps_the_old_file_and_leaves_no_scraps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file.txt"
    atomic.write_text(path, "old")

    def fail(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(StoreError, match="No space left"):
        atomic.write_text(path, "new")
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_template_is_toml() -> None:
    assert tomllib.loads(settings.template())["currency"] == "USD"
