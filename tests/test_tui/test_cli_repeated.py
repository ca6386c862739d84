"""Options of the command line given more than once: lists combine, nothing is lost without a word."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import pytest

from pricing.errors import WhereError
from tui.__main__ import main
from tui.cli.parser import build, nearest
from tui.cli.workload import filters_from

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "provider,server,kind,currency,price_per_month,gpu_model,gpu_count"


def _rows(capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, str]]:
    assert main(["compare", "--format", "csv", *words]) == 0
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


def test_filters_given_twice_must_both_hold(capsys: pytest.CaptureFixture[str]) -> None:
    rows = _rows(capsys, "--where", "gpu", "--where", "region:eu $mo<500")
    assert rows
    assert {(row["kind"], row["region_group"]) for row in rows} == {("gpu", "eu")}
    assert rows == _rows(capsys, "--where", "gpu region:eu $mo<500")
    assert _rows(capsys, "--where", "cpu", "--where", "gpu") == []


def test_each_filter_is_read_by_itself() -> None:
    read = build().parse_args(["compare", "--where", "cpu", "--where", '"two words'])
    with pytest.raises(WhereError, match="the quote is not closed"):
        filters_from(read)


def test_two_kinds_are_both(capsys: pytest.CaptureFixture[str]) -> None:
    both = _rows(capsys, "--kind", "cpu", "--kind", "gpu")
    assert {row["kind"] for row in both} == {"cpu", "gpu"}
    assert both == _rows(capsys, "--kind", "gpu,cpu")
    assert {row["kind"] for row in _rows(capsys, "--kind", "cpu", "--kind", "cpu")} == {"cpu"}


def test_several_price_files_are_one_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.csv").write_text(f"{HEAD}\nacme,{name},gpu,USD,100,L40S,1\n")
    (tmp_path / "later.csv").write_text(f"{HEAD}\nacme,one,gpu,USD,90,L40S,1\n")
    files = [flag for name in ("one", "two", "later") for flag in ("--prices", str(tmp_path / f"{name}.csv"))]
    rows = _rows(capsys, "--no-bundled", *files)
    assert {row["server"]: row["price_per_month"] for row in rows} == {"one": "90", "two": "100"}


def test_a_price_file_without_offers_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "none.csv").write_text(f"{HEAD}\n")
    assert main(["compare", "--prices", str(tmp_path / "none.csv")]) == 2
    assert "none.csv has a header but no offers." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("typed", "known", "meant"),
    [
        ("--assert", ["--passages", "--where"], ""),
        ("--modle", ["--model", "--months"], "--model"),
        ("--ttft", ["--ttft-ms", "--tpot-ms"], "--ttft-ms"),
        ("hetzer", ["hetzner", "ovh"], "hetzner"),
    ],
)
def test_a_suggestion_is_a_slip_away(typed: str, known: list[str], meant: str) -> None:
    assert nearest(typed, known) == meant
