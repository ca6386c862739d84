"""What stands under a printed comparison, and which of its columns stay on a narrow terminal."""

from __future__ import annotations

import csv
import io
import re
from datetime import date
from typing import TYPE_CHECKING

import pytest

from pricing.filters import LeftOut
from tui.__main__ import main
from tui.cli import footer

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("fixed_clock")


def printed(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[list[str], str]:
    """The table's lines and what is said beside it."""
    assert main(["compare", "--format", "table", *words]) == 0
    out, err = capsys.readouterr()
    return out.splitlines(), err


def csv_rows(words: list[str], capsys: pytest.CaptureFixture[str]) -> list[dict[str, str]]:
    assert main(["compare", "--format", "csv", *words]) == 0
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """Three offers of the user's own: an old one, a spot one and one that cannot hold the model."""
    path = tmp_path / "mine.csv"
    path.write_text(
        "provider,server,kind,gpu_model,vram_gib_per_gpu,currency,price_per_hour,term,source_date\n"
        "acme,old-l4,gpu,L4,24,USD,0.5,,2026-02-01\n"
        "acme,spot-l4,gpu,L4,24,USD,0.6,spot,2026-11-02\n"
        "acme,tiny,gpu,T4,4,USD,0.1,,2026-11-03\n",
        encoding="utf-8",
    )
    return path


def test_the_days_are_those_of_the_prices_that_pass(capsys: pytest.CaptureFixture[str]) -> None:
    days = sorted({row["source_date"] for row in csv_rows(["--provider", "hetzner"], capsys)})
    _, err = printed(["--provider", "hetzner", "--limit", "1"], capsys)
    seen = f"{days[0]} to {days[-1]}" if len(days) > 1 else days[0]
    assert f"bundled list of 2026-11-30, prices seen {seen}" in err


def test_a_file_alone_is_not_called_bundled(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, err = printed(["--prices", str(mine), "--no-bundled", "--term", "all"], capsys)
    assert "bundled" not in err
    assert "3 offers out of 3; prices seen 2026-02-01 to 2026-11-03." in err


def test_an_old_price_is_marked_and_the_mark_explained_only_where_it_is(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines, err = printed(["--prices", str(mine), "--no-bundled", "--term", "all"], capsys)
    cell = {line.split()[0]: line for line in lines}
    assert re.search(r"\d\*", cell["old-l4"])
    assert "*" not in cell["spot-l4"]
    assert err.count("* price older than 180 days, or not to be had now.") == 1
    lines, err = printed(["--prices", str(mine), "--no-bundled", "--term", "spot"], capsys)
    assert "*" not in "\n".join(lines)
    assert "180 days" not in err


def test_what_region_and_age_hide_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    everything = csv_rows(["--undated"], capsys)
    shown = csv_rows([], capsys)
    _, err = printed(["--limit", "1"], capsys)
    assert f"Left out: {len(everything) - len(shown):,} offers undated or older than 24 months (--undated" in err
    regionless = [row for row in shown if not row["region"]]
    _, err = printed(["--limit", "1", "--region", "eu"], capsys)
    assert f"Left out: {len(regionless):,} offers that state no region, " in err
    _, err = printed(["--limit", "1", "--undated"], capsys)
    assert "Left out" not in err


def test_one_of_something_is_said_in_the_singular() -> None:
    assert footer.left_out(LeftOut(1, 0), since=None) == "Left out: 1 offer that states no region."
    assert footer.left_out(LeftOut(0, 2), since=date(2026, 9, 1)) == "Left out: 2 offers undated or before 2026-09-01."
    assert footer.left_out(LeftOut(), since=None) == ""


@pytest.mark.parametrize("cells", [80, 100, 120])
def test_the_hardware_stays_on_a_narrow_terminal(
    cells: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(cells))
    lines, _ = printed(["--limit", "8"], capsys)
    assert max(map(len, lines)) <= cells
    assert {"Hardware", "USD/month", "USD/Mtok"} <= set(lines[0].split())
    assert all("× " in line for line in lines[1:])


def test_a_miss_and_an_unusual_term_are_told_on_a_narrow_terminal(
    mine: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    words = ["--prices", str(mine), "--no-bundled"]
    lines, _ = printed([*words, "--term", "all"], capsys)
    assert "Meets" in lines[0]
    assert "Term" in lines[0]
    lines, _ = printed([*words, "--term", "spot"], capsys)
    assert "Meets" not in lines[0]
    assert "spot" in lines[1]
    assert "Term" not in printed(words, capsys)[0][0]


def settings(folder: Path, text: str) -> None:
    (folder / "rackrate-config").mkdir()
    (folder / "rackrate-config" / "settings.toml").write_text(text, encoding="utf-8")


def test_a_discount_for_nobody_is_said(own_folders: Path, mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings(own_folders, "[discounts]\nhetznr = 5\novh = 3\nacme = 2\n")
    words = ["compare", "--limit", "1", "--format", "csv", "--prices", str(mine)]
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 2
    assert err == (
        "The settings have a discount for 'hetznr', which is no provider: it changes no price. Did you mean hetzner?\n"
    )
    assert main([*words, "--no-bundled"]) == 0
    assert "'ovh'" not in capsys.readouterr().err


def test_a_discount_and_vat_of_the_settings_are_percent(
    own_folders: Path, mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--prices", str(mine), "--no-bundled", "--where", "old-l4"]
    before = float(csv_rows(words, capsys)[0]["monthly_cost"])
    settings(own_folders, "vat = 19\n[discounts]\nacme = 10\n")
    assert float(csv_rows(words, capsys)[0]["monthly_cost"]) == pytest.approx(before * 1.19 * 0.9)


def test_damaged_files_of_ours_are_told(own_folders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = own_folders / "rackrate-data"
    (data / "prices").mkdir(parents=True)
    (data / "prices" / "aws.csv").write_text("offer_id,prov", encoding="utf-8")
    (data / "rates.json").write_text('{"source"', encoding="utf-8")
    assert main(["compare", "--limit", "1", "--format", "csv"]) == 0
    err = capsys.readouterr().err
    assert "aws.csv was not used because its end is missing" in err
    assert "rates.json was not used because it holds no exchange rates" in err
