"""diff compares answers to one question only, prints and fails for what was asked for, and works from cron as the README has it."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from models import catalog
from models.beside import Companion
from models.traffic import Workload
from pricing.asked import COLUMNS as ASKED
from pricing.asked import differing, read, workload_text
from pricing.diff import KINDS
from pricing.terms import CompareOptions
from tui.__main__ import main
from tui.cli.flags import CHANGES

ROOT = Path(__file__).resolve().parents[2]
COMPARE = ["compare", "--provider", "hetzner,ovh,runpod"]


def written(path: Path, *flags: str) -> str:
    assert main([*COMPARE, *flags, "--csv", str(path)]) == 0
    return str(path)


def rows_of(path: str | Path) -> list[dict[str, str]]:
    with Path(path).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write(path: Path, rows: list[dict[str, str]]) -> str:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return str(path)


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("old") / "old.csv"
    done = subprocess.run(
        [sys.executable, "-m", "tui", *COMPARE, "--csv", path], cwd=ROOT, check=True, capture_output=True,
        env={**os.environ, "RACKRATE_CONFIG_DIR": str(path.parent), "RACKRATE_DATA_DIR": str(path.parent)},
    )  # fmt: skip
    assert done.returncode == 0
    return path


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--model", "Mistral-7B-v0.3"], "model Llama-3.1-8B and Mistral-7B-v0.3"),
        (["--quant", "4bit"], "weights 8bit and 4bit"),
        (["--kv-quant", "fp8"], "KV 16bit and fp8"),
        (["--engine", "sglang"], "engine auto and sglang"),
        (["--input-tokens", "1156"], "tokens 1155 -> 211 and 1156 -> 211"),
        (["--rps", "1.0001"], "traffic 1 a second and 1.0001 a second"),
        (["--concurrency", "7"], "traffic 1 a second and 7 at once"),
        (["--ttft-ms", "2001"], "TTFT target 2000 ms mean and 2001 ms mean"),
        (["--ttft-at", "p95"], "TTFT target 2000 ms mean and 2000 ms p95"),
        (["--tpot-ms", "none"], "TPOT target 200 ms and none"),
        (["--prefix-hit", "0.5"], "prefix hit 0 and 0.5"),
        (["--utilization", "0.7"], "utilization 1 and 0.7"),
        (["--speculative", "eagle:3"], "speculative none and eagle:3"),
        (["--vat", "19"], "VAT none and 19 %"),
        (["--hours-per-month", "744"], "hours a month 730 and 744"),
        (["--setup-months", "6"], "setup months 12 and 6"),
        (["--limit", "50"], "first all and 50 by cost_per_m_output_tokens"),
        (["--kind", "gpu"], "kind any and gpu"),
        (["--region", "eu"], "regions all and eu"),
        (["--term", "all"], "terms monthly,on_demand and all"),
        (["--undated"], "undated no and yes"),
        (["--max-usd-month", "500"], "USD a month none and at most 500"),
        (["--where", "ram>=64"], "where none and ram>=64"),
    ],
)
def test_two_questions_are_refused_by_their_human_names(
    flags: list[str], words: str, old: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = written(tmp_path / "new.csv", *flags)
    capsys.readouterr()
    assert main(["diff", str(old), new]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert words in err


def test_several_differences_are_all_named(old: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new = written(tmp_path / "new.csv", "--quant", "4bit", "--vat", "19", "--kind", "cpu")
    assert main(["diff", str(old), new]) == 2
    assert "weights 8bit and 4bit; VAT none and 19 %; kind any and cpu." in capsys.readouterr().err


def test_spellings_of_one_question_are_one_question(tmp_path: Path) -> None:
    old = written(tmp_path / "old.csv", "--model", "llama-3.1-8b", "--quant", "FP8", "--region", "us,eu")
    new = written(tmp_path / "new.csv", "--model", "Llama-3.1-8B", "--quant", "fp8", "--region", "eu", "--region", "US")
    assert main(["diff", old, new]) == 0


def test_the_day_of_since_may_move_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = written(tmp_path / "old.csv", "--since", "2026-01-01")
    new = written(tmp_path / "new.csv", "--since", "2026-01-08")
    capsys.readouterr()
    assert main(["diff", old, new]) == 0
    assert capsys.readouterr() == ("", ""), "every week's mail would say it"
    rows = rows_of(new)
    assert main(["diff", old, write(tmp_path / "fewer.csv", rows[1:])]) == 1
    assert "since 2026-01-01 and 2026-01-08" in capsys.readouterr().err


def test_files_of_an_earlier_version_are_read_and_their_silence_is_told(
    old: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{name: cell for name, cell in row.items() if name not in ASKED} for row in rows_of(old)]
    silent = write(tmp_path / "silent.csv", rows)
    assert main(["diff", silent, str(old)]) == 0
    err = capsys.readouterr().err
    assert f"{silent} does not say what was asked" in err
    written(tmp_path / "other.csv", "--kv-quant", "fp8")
    assert main(["diff", silent, str(tmp_path / "other.csv")]) == 2
    assert "different workloads: models whose KV caches take so many bytes" in capsys.readouterr().err


def test_two_comparisons_in_one_file_are_refused(old: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = rows_of(old)
    rows[-1]["workload"] = "model: another"
    assert main(["diff", str(old), write(tmp_path / "mixed.csv", rows)]) == 2
    assert "more than one comparison" in capsys.readouterr().err


def test_all_that_a_workload_says_is_in_its_text() -> None:
    llama, bge = catalog.llm("Llama-3.1-8B"), catalog.llm("bge-m3")
    plain = workload_text(Workload(llama), CompareOptions())
    beside = workload_text(Workload(llama, beside=(Companion(bge, 1, 32),)), CompareOptions(discounts={"ovh": 0.1}))
    assert differing(plain, beside) == [("beside", "none", "bge-m3 1 x 32 on gpu"), ("discounts", "none", "ovh 10 %")]
    assert read(plain)["tokens"] == "1155 -> 211"


def test_what_was_asked_costs_little_of_a_file(old: Path) -> None:
    rows = rows_of(old)
    own = sum(len(row[name]) + 1 for row in rows for name in ASKED)
    assert own < 0.25 * old.stat().st_size
    assert len({tuple(row[name] for name in ASKED) for row in rows}) == 1


# what is printed, and the exit code


@pytest.fixture
def moved(old: Path, tmp_path: Path) -> str:
    """One offer dearer by 10 %, one cheaper by 20 %, one gone, one new, one that misses the targets now."""
    rows = rows_of(old)
    priced = [row for row in rows if row["price_per_hour"]]
    priced[0]["price_per_hour"] = str(float(priced[0]["price_per_hour"]) * 1.1)
    priced[1]["price_per_hour"] = str(float(priced[1]["price_per_hour"]) * 0.8)
    meets = [row for row in priced[2:] if row["meets_targets"] == "true"]
    meets[0]["meets_targets"] = "false"
    rows.remove(priced[-1])
    return write(tmp_path / "moved.csv", [*rows, dict(priced[-1], offer_id="a_new_one")])


@pytest.mark.parametrize("form", ["csv", "markdown", "table"])
def test_nothing_is_printed_where_nothing_changed(form: str, old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", str(old), str(old), "--format", form]) == 0
    assert capsys.readouterr() == ("", "")


def test_no_change_as_json_is_an_empty_list(old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", str(old), str(old), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


@pytest.mark.parametrize(
    ("flags", "kinds"),
    [
        ([], {"dearer", "cheaper", "new", "gone", "targets"}),
        (["--only", "dearer"], {"dearer"}),
        (["--only", "dearer,gone"], {"dearer", "gone"}),
        (["--only", "dearer", "--only", "new"], {"dearer", "new"}),
        (["--only", "targets"], {"targets"}),
        (["--only", "stock"], set()),
        (["--only", "dearer", "--by", "25"], set()),
        (["--only", "dearer,cheaper", "--by", "15"], {"cheaper"}),
        (["--by", "25"], {"new", "gone", "targets"}),
    ],
)
def test_only_chooses_what_is_printed_and_fails(
    flags: list[str], kinds: set[str], old: Path, moved: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["diff", str(old), moved, *flags, "--format", "csv"])
    out, err = capsys.readouterr()
    assert code == (1 if kinds else 0)
    assert {row["change"] for row in csv.DictReader(io.StringIO(out))} == kinds
    if not kinds:
        assert (out, err) == ("", "")
    elif "--only" in flags:  # what was not asked about is not counted either
        assert not [
            kind for kind in ("dearer", "cheaper", "new", "gone") if kind not in " ".join(flags) and f" {kind}" in err
        ]


def test_a_bill_that_an_exchange_rate_moves_is_dearer(
    old: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = rows_of(old)
    for row in rows:
        if row["monthly_cost"]:
            row["monthly_cost"] = str(float(row["monthly_cost"]) * 1.19)
    assert main(["diff", str(old), write(tmp_path / "new.csv", rows), "--only", "dearer"]) == 1
    found = capsys.readouterr()
    assert "0 offers dearer" not in found.err
    assert len(found.out.splitlines()) > 50


def test_an_unknown_kind_is_told(old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", str(old), str(old), "--only", "dear"]) == 2
    assert "dearer, cheaper" in capsys.readouterr().err


def test_the_flag_has_the_kinds_of_the_code() -> None:
    assert CHANGES == KINDS


@pytest.mark.skipif(shutil.which("sh") is None, reason="crontabs are run by sh")
def test_the_cron_line_of_the_readme(tmp_path: Path) -> None:
    """Run as it stands: exit 1 with a mail for a dearer offer, silence for none, and a failed comparison replaces nothing."""
    (line,) = re.findall(r"^30 6 \* \* 1  (.*)$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert line.startswith("cd /srv/prices && ")
    assert "%" not in line, "cron takes it for a line's end"
    folder, tools = tmp_path / "prices", tmp_path / "bin"
    folder.mkdir()
    tools.mkdir()
    program = tools / "rackrate"
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m tui "$@"\n')
    program.chmod(0o755)
    line = line.replace("/srv/prices", str(folder)).replace("rackrate compare", "rackrate compare --provider ovh")

    def cron() -> subprocess.CompletedProcess[str]:
        path = f"{tools}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run(
            ["sh", "-c", line], env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
        )

    first = cron()
    assert first.returncode == 2, "there is nothing to compare with yet"
    assert "old.csv does not exist" in first.stderr
    assert rows_of(folder / "old.csv"), "and from now on there is"
    second = cron()
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")

    rows = rows_of(folder / "old.csv")
    row = next(row for row in rows if row["price_per_month"])
    row["price_per_month"] = str(float(row["price_per_month"]) * 0.8)
    write(folder / "old.csv", rows)
    dearer = cron()
    assert dearer.returncode == 1
    assert row["server"] in dearer.stdout
    assert "25.0" in dearer.stdout or "25" in dearer.stdout
    assert cron().returncode == 0, "the new prices are the old ones now"

    kept = (folder / "old.csv").read_text()
    program.write_text(program.read_text().replace('"$@"', '"$@" --no-such-flag'))
    failed = cron()
    assert failed.returncode == 2
    assert (folder / "old.csv").read_text() == kept


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        ("monthly_cost", "abc"), ("monthly_cost", "nan"), ("monthly_cost", "inf"), ("monthly_cost", "1e400"), ("ttft_ms", "-5"),
        ("price_per_hour", "1,5"), ("meets_targets", "maybe"), ("meets_targets", ""),
    ],
)  # fmt: skip
def test_a_broken_cell_is_told_by_its_line_and_is_no_change(
    column: str, cell: str, old: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was taken for a figure that is missing: an alarm for a torn file."""
    rows = rows_of(old)
    rows[1][column] = cell
    assert main(["diff", str(old), write(tmp_path / "new.csv", rows)]) == 2
    told = capsys.readouterr()
    assert f"line 3: {column} " in told.err
    assert not told.out


def test_a_file_without_prices_is_no_file_where_nothing_changed(
    old: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{name: cell for name, cell in row.items() if not name.startswith("price_per")} for row in rows_of(old)]
    assert main(["diff", str(old), write(tmp_path / "new.csv", rows)]) == 2
    assert "no column price_per_hour" in capsys.readouterr().err
