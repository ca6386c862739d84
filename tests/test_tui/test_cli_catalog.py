"""`rackrate catalog` and `rackrate config`: what rackrate knows, and where it keeps things."""

from __future__ import annotations

import csv
import io
import json
import tomllib
from typing import TYPE_CHECKING

import pytest

from tui.__main__ import main
from tui.cli.catalog import LISTS
from tui.cli.parser import CATALOGS

if TYPE_CHECKING:
    from pathlib import Path


def test_every_list_of_the_help_exists() -> None:
    assert set(LISTS) == set(CATALOGS)


@pytest.mark.parametrize("what", CATALOGS)
def test_lists_come_as_csv_json_table_and_markdown(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["catalog", what]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert main(["catalog", what, "--format", "json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == len(rows) > 5
    assert main(["catalog", what, "--format", "table"]) == 0
    assert f"{len(rows):,} of {len(rows):,} entries." in capsys.readouterr().err
    assert main(["catalog", what, "--format", "markdown"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(rows) + 2


def test_without_a_list_it_names_the_lists(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["catalog"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["command"] for row in rows] == [f"rackrate catalog {what}" for what in CATALOGS]
    assert all(row["holds"] for row in rows)


def test_a_search_takes_all_its_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["catalog", "models", "qwen", "72b"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert rows
    assert all("72b" in row["name"].lower() for row in rows)


def test_a_search_without_a_hit_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["catalog", "models", "nosuchmodel", "--format", "table"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "No models entry holds nosuchmodel" in err


def test_providers_count_what_they_sell(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["catalog", "providers"]) == 0
    rows = {row["provider"]: row for row in csv.DictReader(io.StringIO(capsys.readouterr().out))}
    assert rows["ecb"]["offers"] == "0"
    assert rows["runpod"]["feed"] == "prices"
    assert rows["gcp"]["key"] == "GCP_API_KEY"
    assert rows["vast"]["key"] == "VAST_API_KEY (optional)"
    assert rows["gpuhunt"]["feed"].startswith("prices of ")
    assert "by name only" in rows["sparecores"]["feed"]
    assert "us-east-1" in rows["aws"]["regions"].split()
    assert "spot" in rows["aws"]["terms"]
    feeds = [row for row in rows.values() if row["feed"]]
    assert all(row["verified"] for row in feeds)
    assert all(row["cannot"] for row in feeds if row["feed"].startswith("prices"))
    assert all(int(row["offers"]) == int(row["cpu_offers"]) + int(row["gpu_offers"]) for row in rows.values())


def test_config_init_show_path(own_folders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "path"]) == 0
    out = capsys.readouterr().out
    assert str(own_folders / "rackrate-config") in out
    assert "servers.toml" in out
    assert main(["config", "init"]) == 0
    assert main(["config", "show"]) == 0
    out, err = capsys.readouterr()
    assert tomllib.loads(out)["currency"] == "USD"
    assert "rackrate-config" in err
    assert main(["config", "init"]) == 2
    assert "exists already" in capsys.readouterr().err


def test_a_broken_settings_file_is_one_sentence(own_folders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = own_folders / "rackrate-config"
    folder.mkdir()
    (folder / "settings.toml").write_text("currency = [", encoding="utf-8")
    assert main(["config", "show"]) == 2
    assert "is not valid TOML" in capsys.readouterr().err
