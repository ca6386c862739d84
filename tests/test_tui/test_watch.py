"""compare --assert, diff and advise budget through the command line: exit codes, sentences, nothing else changed."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest

from pricing.diff import difference
from tui.__main__ import main

if TYPE_CHECKING:
    from pathlib import Path

COMPARE = ["compare", "--provider", "hetzner,ovh,runpod", "--workload", "internal"]


def test_an_assertion_that_holds_and_one_that_does_not(capsys: pytest.CaptureFixture[str]) -> None:
    plain = main([*COMPARE, "--format", "csv"]), capsys.readouterr().out
    held = main([*COMPARE, "--format", "csv", "--assert", "cost_per_m_output_tokens < 1000"]), capsys.readouterr().out
    missed = main([*COMPARE, "--format", "csv", "--assert", "cost_per_m_output_tokens < 0.0001"]), capsys.readouterr()
    assert (plain[0], held[0], missed[0]) == (0, 0, 1)
    assert plain[1] == held[1] == missed[1].out, "what is written stays as it is"
    assert "nearest is" in missed[1].err


def test_conditions_hold_for_one_and_the_same_offer(capsys: pytest.CaptureFixture[str]) -> None:
    both = [*COMPARE, "--format", "csv", "--assert", "provider = hetzner and kind:cpu", "--assert", "provider = ovh"]
    assert main(both) == 1
    assert "all of them by none" in capsys.readouterr().err
    assert main([*COMPARE, "--format", "csv", "--assert", "provider = ovh and cpu"]) == 0


@pytest.mark.parametrize("text", ["cost_per < 1", "ttft <", "price < many"])
def test_a_wrong_assertion_names_the_term(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COMPARE, "--format", "csv", "--assert", text]) == 2
    found = capsys.readouterr()
    assert found.out == ""
    assert "Traceback" not in found.err


@pytest.fixture
def written(tmp_path: Path) -> Path:
    assert main([*COMPARE, "--csv", str(tmp_path / "old.csv")]) == 0
    return tmp_path


def rewritten(folder: Path, change) -> str:
    with (folder / "old.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    names = list(rows[0])
    changed = change(rows)
    with (folder / "new.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(changed)
    return str(folder / "new.csv")


def test_nothing_changed(written: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", str(written / "old.csv"), str(written / "old.csv"), "--format", "csv"]) == 0
    assert "Nothing changed" not in capsys.readouterr().err, "cron would mail it"


def test_a_person_is_told_that_nothing_changed(
    written: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert main(["diff", str(written / "old.csv"), str(written / "old.csv"), "--only", "gone", "--by", "2"]) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "Nothing changed that --only gone asks for by 2 % or more; cheapest that meets the targets is " in said


def test_a_price_a_new_and_a_gone_offer(written: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def change(rows):
        priced = next(row for row in rows if row["price_per_month"])
        priced["price_per_month"] = str(float(priced["price_per_month"]) * 1.1)
        priced["server"] = "=cmd|' /C calc'!A0"
        added = dict(rows[1], offer_id="a_new_one")
        return [*rows[:2], added, *rows[3:]] if priced not in rows[:3] else [rows[0], rows[1], added, *rows[3:]]

    new = rewritten(written, change)
    assert main(["diff", str(written / "old.csv"), new, "--format", "csv"]) == 1
    found = capsys.readouterr()
    kinds = {row["change"] for row in csv.DictReader(io.StringIO(found.out))}
    assert {"new", "gone"} <= kinds
    assert "\n=" not in found.out
    assert ",=" not in found.out
    assert "1 new" in found.err


def test_a_price_is_told_in_percent(written: Path) -> None:
    def change(rows):
        row = next(row for row in rows if row["price_per_hour"])
        row["price_per_hour"] = str(float(row["price_per_hour"]) * 1.25)
        return rows

    found = difference(str(written / "old.csv"), rewritten(written, change))
    assert [(one.kind, one.column) for one in found.changes] == [("dearer", "price_per_hour")]
    assert found.changes[0].percent == pytest.approx(25)
    assert difference(str(written / "old.csv"), str(written / "new.csv"), 30.0).changes == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no column offer_id"),
        ("a,b\n1,2\n", "no column offer_id"),
        (
            "offer_id,provider,server,monthly_cost,meets_targets,cost_currency\nx,p,s,1,true,USD\nx,p,s,1,true,USD\n",
            "listed twice",
        ),
        ("offer_id,provider,server,monthly_cost,meets_targets,cost_currency\nx,p\n", "not as many values"),
        (
            "offer_id,provider,server,monthly_cost,meets_targets,cost_currency\nx,p,s,1,true,EUR\n",
            "different currencies",
        ),
    ],
    ids=["empty", "other", "twice", "torn", "currency"],
)
def test_files_that_cannot_be_compared(
    written: Path, text: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (written / "bad.csv").write_text(text)
    assert main(["diff", str(written / "old.csv"), str(written / "bad.csv")]) == 2
    assert words in capsys.readouterr().err


def test_a_budget_names_models_formats_and_servers(capsys: pytest.CaptureFixture[str]) -> None:
    asked = [
        "advise",
        "budget",
        "--budget",
        "150",
        "--provider",
        "runpod,hetzner",
        "--models",
        "qwen3",
        "--format",
        "json",
    ]
    assert main(asked) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["models"]
    assert all(one["monthly_cost"] <= 150 and one["meets_targets"] for one in found["models"])
    sizes = [one["parameters_b"] for one in found["models"]]
    assert sizes == sorted(sizes, reverse=True)
    assert not any("rerank" in one["model"].lower() for one in found["models"])


def test_a_budget_too_small_says_what_it_takes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", "budget", "--budget", "0.5", "--provider", "runpod", "--format", "text"]) == 0
    assert "No model" in capsys.readouterr().out


def test_the_nearest_offer_meets_all_other_terms(capsys: pytest.CaptureFixture[str]) -> None:
    asked = [*COMPARE, "--format", "csv", "--assert", "provider = ovh and monthly_cost < 1"]
    assert main(asked) == 1
    said = capsys.readouterr().err
    assert "nearest is ovh " in said
    assert "above 1" in said


@pytest.mark.parametrize(
    "text", ["provider:ovh,hetzner and cpu", "monthly_cost < 1500, cpu", 'provider = "ovh"', "meets_targets = true"]
)
def test_ways_to_write_a_condition_that_holds(text: str) -> None:
    assert main([*COMPARE, "--format", "csv", "--assert", text]) == 0


@pytest.mark.parametrize("text", ["cpu or gpu", "not spot", "cpu and", "monthly_cost:5", " "])
def test_what_would_be_read_as_something_else_is_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COMPARE, "--format", "csv", "--assert", text]) == 2
    assert capsys.readouterr().out == ""


def test_two_workloads_are_not_compared(written: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COMPARE, "--rps", "2", "--csv", str(written / "other.csv")]) == 0
    assert main(["diff", str(written / "old.csv"), str(written / "other.csv")]) == 2
    assert "traffic 0.1 a second and 2 a second" in capsys.readouterr().err


def test_targets_that_turned_are_counted(written: Path) -> None:
    def change(rows):
        row = next(row for row in rows if row["meets_targets"] == "true")
        row["meets_targets"] = "false"
        return rows

    found = difference(str(written / "old.csv"), rewritten(written, change))
    assert (found.now_meeting, found.now_missing) == (0, 1)
