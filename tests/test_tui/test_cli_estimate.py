"""`rackrate estimate` and `rackrate accuracy`: files in, one answer a row, bad rows named."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING

import pytest

from models.cases import OUTPUT_COLUMNS
from tui.__main__ import main
from tui.cli import estimate
from tui.cli.output import csv_text

if TYPE_CHECKING:
    from pathlib import Path

HEADER = "case_id,model,quant,engine,hardware,count,input_tokens,output_tokens,concurrency,scenario"
GOOD = "a,Llama-3.1-8B,fp8,vllm,H100 SXM 80GB,1,1024,256,8,online"
UNKNOWN = "b,NoSuchModel,fp8,vllm,H100 SXM 80GB,1,1024,256,8,online"


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    """A file with one row that can be answered and one that cannot."""
    path = tmp_path / "cases.csv"
    path.write_text(f"{HEADER}\n{GOOD}\n{UNKNOWN}\n", encoding="utf-8")
    return path


def test_every_row_gets_an_answer_or_its_reason(cases: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["estimate", str(cases)]) == 0
    out, err = capsys.readouterr()
    rows = list(csv.DictReader(io.StringIO(out)))
    assert list(rows[0]) == list(OUTPUT_COLUMNS)
    good, unknown = rows
    assert good["case_id"] == "a"
    assert good["error"] == ""
    assert float(good["ttft_ms_low"]) < float(good["ttft_ms"]) < float(good["ttft_ms_high"])
    assert "NoSuchModel" in unknown["error"]
    assert unknown["ttft_ms"] == ""
    assert "No estimate for 1 of 2 rows; the column error says why." in err


def test_a_file_out_is_the_same(cases: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["estimate", str(cases)]) == 0
    printed = capsys.readouterr().out
    target = tmp_path / "answers.csv"
    assert main(["estimate", str(cases), "-o", str(target)]) == 0
    assert capsys.readouterr().out == ""
    assert target.read_text(encoding="utf-8") == printed


def test_chunks_do_not_change_the_answer(
    cases: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["estimate", str(cases)]) == 0
    whole = capsys.readouterr().out
    monkeypatch.setattr(estimate, "CHUNK_ROWS", 1)
    assert main(["estimate", str(cases)]) == 0
    assert capsys.readouterr().out == whole


@pytest.mark.parametrize(
    "values",
    [
        [0.0, -0.0, 1.0, -3.0, 131072.0, 0.1, -2.5, 1e-3, 9.9e-4, 1e-9, 12.000000000001, 99999.9999999999],
        [1e9, 1e10 + 0.5, 1e15, 1e16, 1.5e300, 123456789.123456789, math.inf, math.nan, None],
        [True, False, None],
        [1, 2, None, 10**20],
        ["a", "=1+1", " -x", "", None, 'with "quotes", commas', "two\nlines"],
        [None, None],
        [1, True, "1", 1.0, None],
    ],
)
def test_columns_are_written_like_any_other_file(values: list[object]) -> None:
    """Figures are formatted a column at a time; each cell must be what a cell alone is."""
    # A second column: the csv module quotes a line that would be empty.
    whole = csv_text([{"a": value, "b": 1} for value in values], ["a", "b"]).split("\n", 1)[1]
    assert "".join(f"{cell},1\n" for cell in estimate._cells(values)) == whole


@pytest.mark.parametrize(
    ("content", "sentence"),
    [("", "is empty"), (HEADER, "no rows"), ("model,count\nx,1\n", "no column hardware"),
     ("a,b\n1,2\n", "no column model and no column hardware")],
)  # fmt: skip
def test_a_file_without_cases_is_one_sentence(
    content: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cases.csv"
    path.write_text(content, encoding="utf-8")
    assert main(["estimate", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert sentence in err
    assert err.count("\n") == 1


@pytest.fixture
def measurements(tmp_path: Path) -> Path:
    """Three measured rows of one set-up."""
    path = tmp_path / "measurements.csv"
    head = (
        "id,source,model,quant,kv_dtype,engine,engine_version,hardware,count,tp,input_tokens,output_tokens,concurrency,"
        "scenario,metric,value,repeats,use"
    )
    rows = [
        f"x{n},test,Llama-3.1-8B,bf16,,vllm,0.9,H100 SXM 80GB,1,1,1024,1024,{n},online,tpot_ms,{value},1,fit"
        for n, value in ((1, 7.0), (16, 9.0), (64, 14.0))
    ]
    path.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    return path


def test_accuracy_scores_and_groups(measurements: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["accuracy", str(measurements)]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert rows
    assert main(["accuracy", str(measurements), "--by", "engine", "--by", "hardware"]) == 0
    grouped = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {"engine", "hardware"} <= set(grouped[0])


def test_accuracy_knows_its_groups(measurements: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["accuracy", str(measurements), "--by", "planet"]) == 2
    assert "--by planet" in capsys.readouterr().err
