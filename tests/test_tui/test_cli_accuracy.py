"""`rackrate accuracy`: shipped rows and a user's own, groups left out, constants fitted anew and taken into use."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import TYPE_CHECKING

import pytest

from models.constants import BUNDLED, FILES, use
from models.errors import InputError
from models.fitting import families
from models.measured_rows import measured_rows
from tui import app, own_constants
from tui.__main__ import main
from tui.cli import accuracy
from tui.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HEAD = "id,model,quant,engine,engine_version,hardware,count,tp,input_tokens,output_tokens,concurrency,scenario,metric,value"
ROWS = [
    f"x{n},Llama-3.1-8B,bf16,vllm,0.19,H100 SXM 80GB,1,1,1024,1024,{n},online,tpot_ms,{value}"
    for n, value in ((1, 7.0), (16, 9.0), (64, 14.0))
]
SHARE = re.compile(r'value = (\S+)(\nunit = "share of specified bandwidth")')


@pytest.fixture(autouse=True)
def _thinned(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Some of the shipped rows and instance types, and few steps: no test waits for a whole fit."""
    rows, instances = measured_rows()[::20], families.instance_rows()[::30]
    serving, gguf, cpu = families.FAMILIES
    few = families.Family(cpu.name, cpu.group, cpu.what, cpu.problem, cpu.text, lambda: instances)
    monkeypatch.setattr(accuracy, "measured_rows", lambda: rows)
    monkeypatch.setattr(families, "FAMILIES", (serving, gguf, few))
    monkeypatch.setattr(families, "ROUNDS", 2)
    yield
    use(None)


@pytest.fixture
def measurements(tmp_path: Path) -> Path:
    """Three measured rows of one set-up."""
    path = tmp_path / "measurements.csv"
    path.write_text("\n".join([HEAD, *ROWS]) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def own() -> Path:
    """The folder of a user's constants: the bundled ones, but every share of a GPU's bandwidth is half of it."""
    folder = own_constants.folder()
    folder.mkdir(parents=True)
    for name in FILES:
        text = (BUNDLED / f"{name}.toml").read_text(encoding="utf-8")
        if name == "serving":
            text = SHARE.sub(lambda found: f"value = {float(found[1]) / 2:.4g}{found[2]}", text)
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    return folder


def answers(capsys: pytest.CaptureFixture[str]) -> list[dict[str, str]]:
    """What was printed, as rows."""
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


def test_without_a_file_the_shipped_rows_are_scored(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["accuracy", "--by", "class"]) == 0
    out, err = capsys.readouterr()
    rows = list(csv.DictReader(io.StringIO(out)))
    assert {"gpu serving", "gpu llama.cpp", "cpu", "all"} <= {row["class"] for row in rows}
    assert "rows that the constants were fitted to" in err


def test_a_files_rows_alone_or_with_ours(measurements: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["accuracy", str(measurements), "--by", "metric"]) == 0
    (alone,) = answers(capsys)
    assert alone["rows"] == "3"
    assert main(["accuracy", str(measurements), "--by", "metric", "--with-bundled"]) == 0
    assert int(answers(capsys)[-1]["rows"]) > 500


@pytest.mark.parametrize("column", ["load", "model_kind", "source_group", "basis"])
def test_groups_of_a_file(column: str, measurements: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = {
        "load": {"single", "medium", "all"},
        "model_kind": {"dense"},
        "source_group": {"measurements.csv"},
        "basis": {"calibrated"},
    }
    assert main(["accuracy", str(measurements), "--by", column]) == 0
    assert {row[column] for row in answers(capsys)} == expected[column]


def test_a_printed_table_has_its_headers(
    measurements: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["accuracy", str(measurements), "--by", "load", "--format", "table"]) == 0
    out = capsys.readouterr().out
    for header in ("Median error %", "In band %", "Median of chips %", "Median of models %"):
        assert header in out


def test_leaving_out_scores_the_files_rows_on_fits_to_all(
    measurements: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["accuracy", str(measurements), "--by", "metric"]) == 0
    (plain,) = answers(capsys)
    assert main(["accuracy", str(measurements), "--by", "metric", "--leave-out", "gpu"]) == 0
    out, err = capsys.readouterr()
    (found,) = csv.DictReader(io.StringIO(out))
    assert found["rows"] == found["answered"] == "3"
    assert found["bias"] != plain["bias"]
    assert err.count("Fitting ") == 3


def test_a_fit_prints_old_and_new_and_writes_nothing(
    measurements: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(tmp_path.rglob("*"))
    assert main(["accuracy", str(measurements), "--fit", "--format", "json"]) == 0
    out, err = capsys.readouterr()
    table = json.loads(out)
    assert {row["file"] for row in table} == {"serving", "gguf", "cpu"}
    assert set(table[0]) == {"file", "constant", "old", "new", "change_pct", "relative_sd", "rows"}
    assert "your 3 rows" in err
    assert "Nothing was written" in err
    assert sorted(tmp_path.rglob("*")) == before
    assert main(["accuracy", str(measurements), "--fit", "--format", "json"]) == 0
    assert capsys.readouterr().out == out


def test_fitted_constants_are_written_and_then_used(
    measurements: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = tmp_path / "deep" / "folder"
    assert main(["accuracy", str(measurements), "--fit", "--out", str(elsewhere)]) == 0
    assert f"once the folder is {own_constants.folder()}" in capsys.readouterr().err
    assert sorted(path.name for path in elsewhere.iterdir()) == sorted(f"{name}.toml" for name in FILES)
    assert main(["accuracy", "--fit", "--out", str(own_constants.folder())]) == 0
    assert "from now on" in capsys.readouterr().err


def test_own_constants_change_the_estimates(own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And every command that estimates says so, once, on stderr."""
    cases = tmp_path / "cases.csv"
    cases.write_text("model,quant,engine,hardware\nLlama-3.1-8B,bf16,vllm,H100 SXM 80GB\n", encoding="utf-8")
    note = f"Estimates use your own fitted constants ({own})."
    for words in (["estimate", str(cases)], ["compare", "--kind", "gpu", "--limit", "3", "--format", "csv"]):
        assert main(words) == 0
        theirs, err = capsys.readouterr()
        assert err.count(note) == 1
        own.rename(own.with_name("away"))
        assert main(words) == 0
        ours, err = capsys.readouterr()
        assert note not in err
        assert theirs != ours
        own.with_name("away").rename(own)


@pytest.mark.parametrize("words", [["estimate", "cases.csv"], ["compare"], ["accuracy"]])
def test_damaged_constants_are_one_sentence(
    words: list[str], own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cases.csv").write_text("model,hardware\nLlama-3.1-8B,L4\n", encoding="utf-8")
    (own / "cpu.toml").write_text("[cpu", encoding="utf-8")
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert str(own) in err
    assert err.count("\n") == 1


def test_a_fit_mends_damaged_constants(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is what the sentence advises: it must not stumble over them itself."""
    (own / "cpu.toml").write_text("[cpu", encoding="utf-8")
    assert main(["accuracy", "--fit"]) == 0
    assert "Nothing was written" in capsys.readouterr().err


def test_the_dashboard_takes_and_tells_them_or_does_not_start(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app.RackrateApp, "run", lambda _: None)
    session = Session()
    assert app.run(session) == 0
    assert session.messages == [f"Estimates use your own fitted constants ({own})."]
    (own / "gguf.toml").unlink()
    with pytest.raises(InputError, match=r"gguf\.toml"):
        app.run(Session())


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--by", "planet"], "--by planet is not a group"),
        (["--leave-out", "planet"], "--leave-out cannot be 'planet'"),
        (["--fit", "--by", "class"], "--fit and --by exclude each other"),
        (["--fit", "--leave-out", "gpu"], "--fit and --leave-out exclude each other"),
        (["--out", "x"], "--out needs --fit"),
        (["--fit", "--out", "measurements.csv"], "measurements.csv is no folder"),
        (["--fit", "--out", "measurements.csv/deep"], "measurements.csv is no folder"),
        (["--with-bundled"], "--with-bundled needs a file"),
        (["measurements.csv", "--with-bundled", "--fit"], "goes without saying"),
        (["nothing.csv"], "nothing.csv does not exist"),
        (["empty.csv"], "empty.csv is empty"),
        (["head.csv"], "no rows"),
        (["cases.csv"], "has no column metric and no column value"),
        (["often.csv", "--fit"], "repeats is 'often'; it is a number from 1 up"),
    ],
)
def test_bad_input_is_one_sentence(
    words: list[str],
    sentence: str,
    measurements: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = measurements.parent
    monkeypatch.chdir(folder)
    (folder / "empty.csv").write_text("", encoding="utf-8")
    (folder / "head.csv").write_text(f"{HEAD}\n", encoding="utf-8")
    (folder / "cases.csv").write_text("model,hardware\nLlama-3.1-8B,L4\n", encoding="utf-8")
    (folder / "often.csv").write_text(f"{HEAD},repeats\n{ROWS[0]},often\n", encoding="utf-8")
    assert main(["accuracy", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert sentence in err
    assert err.count("\n") == 1


def test_rows_that_cannot_be_read_are_counted(measurements: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = measurements.read_text(encoding="utf-8")
    measurements.write_text(text + ROWS[0].replace(",7.0", ",fast") + "\n", encoding="utf-8")
    assert main(["accuracy", str(measurements), "--by", "metric"]) == 0
    out, err = capsys.readouterr()
    (found,) = csv.DictReader(io.StringIO(out))
    assert (found["rows"], found["answered"]) == ("4", "3")
    assert "1 row of" in err


def test_a_file_without_a_scored_metric_says_which_there_are(
    measurements: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    measurements.write_text(f"{HEAD}\n{ROWS[0].replace('tpot_ms', 'happiness')}\n", encoding="utf-8")
    assert main(["accuracy", str(measurements)]) == 2
    assert "tpot_ms" in capsys.readouterr().err
