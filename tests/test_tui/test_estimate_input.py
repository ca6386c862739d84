"""`rackrate estimate`: what stands in a file reaches the answer, is named, or stops it; nothing of it reaches a terminal as a command."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import pytest

from tui.__main__ import main
from tui.cli.estimate import _is_slip

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "case_id,model,quant,hardware,concurrency"
GOOD = "a,Llama-3.1-8B,fp8,H100 SXM 80GB,8"


def _file(tmp_path: Path, *lines: str) -> str:
    path = tmp_path / "cases.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def _rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_control_characters_never_reach_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _file(
        tmp_path,
        f"{HEAD},no\x1bte",
        "[red]\x1b[31m,Llama-3.1-8B,fp8,H100 SXM 80GB,8,\x9b2J\x07",
        "nul,Llama-3.1-8B,f\0p8,H100 SXM 80GB,8,",
    )
    assert main(["estimate", path]) == 0
    out, err = capsys.readouterr()
    for sign in "\x1b\x9b\x07\0":
        assert sign not in out + err
    rows = _rows(out)
    assert rows[0]["case_id"] == "[red][31m"
    assert rows[0]["note"] == "2J"
    assert rows[1]["error"] == "quant holds control characters."


def test_own_columns_come_back_and_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _file(tmp_path, f"{HEAD},owner,cost centre,", f"{GOOD},Ann,=1+1,", f"{GOOD},Bo,7,")
    assert main(["estimate", path]) == 0
    out, err = capsys.readouterr()
    assert [row["owner"] for row in _rows(out)] == ["Ann", "Bo"]
    assert [row["cost centre"] for row in _rows(out)] == ["'=1+1", "7"]
    assert "Not read, passed on as they are: owner, cost centre." in err


def test_answers_asked_again_are_answered_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["estimate", _file(tmp_path, HEAD, GOOD)]) == 0
    first = capsys.readouterr().out
    (tmp_path / "again.csv").write_text(first)
    assert main(["estimate", str(tmp_path / "again.csv")]) == 0
    out, err = capsys.readouterr()
    assert out == first
    assert err == ""


@pytest.mark.parametrize(
    ("header", "meant"),
    [
        (HEAD.replace("concurrency", "concurency"), "concurrency"),
        (HEAD.replace("concurrency", "Concurrency"), "concurrency"),
        (f"{HEAD},Input Tokens", "input_tokens"),
        (f"{HEAD},max-model-length", None),
        (f"{HEAD},max_modle_len", "max_model_len"),
        (HEAD.replace("hardware", "Hardware"), "hardware"),
        (f"{HEAD},concurrency_2", None),
        (f"{HEAD},source", None),
        (f"{HEAD},tps", None),
    ],
)
def test_a_misspelt_column_is_not_read_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], header: str, meant: str | None
) -> None:
    more = "," if header.count(",") > HEAD.count(",") else ""
    code = main(["estimate", _file(tmp_path, header, GOOD + more)])
    out, err = capsys.readouterr()
    assert code == (0 if meant is None else 2)
    if meant is not None:
        assert out == ""
        assert err.endswith(f"which is not known. Did you mean {meant}?\n")


def test_short_names_have_no_slips() -> None:
    assert not _is_slip("tps", "tp")
    assert _is_slip("TP", "tp")


def test_a_row_with_too_many_values_stops_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["estimate", _file(tmp_path, HEAD, f"{GOOD},9,9", GOOD)]) == 0
    bad, good = _rows(capsys.readouterr().out)
    assert bad["error"] == "Line 2: 2 values more than the header has columns."
    assert bad["output_tokens_per_s"] == ""
    assert good["error"] == ""
    assert float(good["output_tokens_per_s"]) > 0


def test_a_question_that_contradicts_itself_is_an_error_of_its_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["estimate", _file(tmp_path, f"{HEAD},request_rate_rps", f"{GOOD},2", f"{GOOD},")]) == 0
    both, one = _rows(capsys.readouterr().out)
    assert "concurrency and request_rate_rps are both given" in both["error"]
    assert one["error"] == ""


def test_answers_do_not_replace_the_questions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _file(tmp_path, HEAD, GOOD)
    (tmp_path / "link.csv").symlink_to(path)
    for target in (path, str(tmp_path / "link.csv")):
        assert main(["estimate", path, "-o", target]) == 2
        assert "is the file of cases itself" in capsys.readouterr().err
    assert (tmp_path / "cases.csv").read_text() == f"{HEAD}\n{GOOD}\n"


def test_a_field_longer_than_csv_has_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["estimate", _file(tmp_path, HEAD, GOOD, "x" * 200_000)]) == 2
    err = capsys.readouterr().err
    assert "line 3 cannot be read as CSV: a field is longer than 131,072 characters" in err
    assert err.count("\n") == 1
