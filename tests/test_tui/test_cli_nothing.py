"""Commands with nothing to show: why, on stderr, also where a program reads stdout."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tui.__main__ import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("form", [[], ["--format", "table"], ["--format", "json"]])
@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--max-usd-month", "0.01"], "; without --max-usd-month 3,"),
        (["--since", "2099-01-01"], "; without --since "),
        (["--where", "gpus>99"], "; without --where 3,"),
        (["--term", "savings_plan", "--kind", "cpu"], "; with --term all "),
        (["--max-usd-month", "0.01", "--where", "gpus>99"], "passes the filters together; leave several of them out."),
    ],
)
def test_an_empty_comparison_says_which_filter_it_is(
    flags: list[str], words: str, form: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", *flags, *form]) == 0
    out, err = capsys.readouterr()
    assert words in err
    assert err.count("None of ") == 1
    assert "{" not in out


def test_advice_on_nothing_says_it_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", "--max-usd-month", "0.01"]) == 0
    assert "; without --max-usd-month 3," in capsys.readouterr().err


def test_no_offer_at_all_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "--no-bundled"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "rackrate: There is no offer to compare. Leave out --no-bundled, or give --prices OFFERS.csv.\n"


HEAD = "model,hardware,count,quant,engine,input_tokens,output_tokens,concurrency,scenario,metric,value,repeats"
ROW = "Llama-3.1-8B,H100-SXM,1,fp8,vllm,512,128,4,online,"


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([f"{ROW}foo,5,1"], "has no metric to score, such as 'foo'. It is one of tpot_ms,"),
        ([f"{ROW}tpot_ms,0,1"], "has no value above zero"),
        ([f"{ROW}tpot_ms,x,1"], "has no value above zero"),
        ([f"{ROW}tpot_ms,5,0"], "repeats is '0'; it is a number from 1 up."),
        ([f"{ROW}tpot_ms,5,-1"], "repeats is '-1'"),
        ([f"{ROW}tpot_ms,5,x"], "repeats is 'x'"),
        ([f"{ROW.replace('Llama-3.1-8B', 'Nobody-1B')}tpot_ms,5,1"], "can be scored: Unknown model 'Nobody-1B'."),
    ],
)
def test_measurements_of_no_use_are_bad_input(
    rows: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "m.csv").write_text("\n".join([HEAD, *rows]) + "\n")
    assert main(["accuracy", str(tmp_path / "m.csv")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("rackrate: ")
    assert words in err
    assert err.count("\n") == 1


def test_a_row_with_impossible_repeats_is_left_out_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [HEAD, *(f"{ROW}tpot_ms,5,{repeats}" for repeats in ("1", "0", "x", "", "3"))]
    (tmp_path / "m.csv").write_text("\n".join(rows) + "\n")
    assert main(["accuracy", str(tmp_path / "m.csv"), "--by", "metric"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[1].startswith("tpot_ms,3,3,")
    assert "2 rows of " in err
    assert "left out: repeats is a number from 1 up, not '0'." in err
