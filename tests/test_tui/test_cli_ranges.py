"""Numbers that follow from what was said are told by the flags that said it, and contradictions by theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pricing import paths
from tui.__main__ import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["buy", "--tokens-per-month", "1000"], "--tokens-per-month makes 2.78563e-07 requests/s; it must lie between"),
        (["buy", "--rps", "1e9"], "--rps is 1e+09; it must lie between"),
        (["fleet", "--peak", "1e9"], "--peak makes 1e+09 requests/s;"),
        (["fleet", "--rps", "1", "--peak", "1e9"], "--peak makes 1e+09 requests/s;"),
        (["fleet", "--day", ",".join(["1e-9"] * 24)], "--day makes 1e-09 requests/s;"),
        (["box", "--calls", "1000000000"], "--calls makes 1e+08 requests/s;"),
        (["box", "--calls", "10", "--turns", "1e9"], "--calls and --turns make 1.66667e+08 requests/s;"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)
def test_a_number_is_told_by_what_was_said(words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", *words]) == 2
    err = capsys.readouterr().err
    assert sentence in err
    assert ("--rps" in words) or ("--rps" not in err)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ("0,100,50\n300000000,100,50\n", "--trace makes 6.66"),
        ("0,100,5000000\n3000,100,5000000\n", "--trace makes 5e+06 tokens an answer;"),
    ],
)
def test_a_traces_numbers_are_told_as_its(
    rows: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "trace.csv").write_text(f"timestamp,input_tokens,output_tokens\n{rows}")
    assert main(["advise", "fleet", "--trace", str(tmp_path / "trace.csv")]) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--gpu", "L40S", "--monthly", "300", "--watts", "30"], "--watts: it is of a bought server, and --purchase is missing."),
        (["--gpu", "L40S", "--hourly", "3", "--pue", "1.5"], "--pue: it is of a bought server, and --purchase is missing."),
        (["--gpu", "L40S", "--hourly", "3", "--purchase", "5"], "--hourly: it does not go with --purchase."),
        (["--gpu", "L40S", "--monthly", "3", "--region", "eu", "--region-group", "us"], "--region-group: us contradicts the region eu"),
        (["--gpu", "L40S", "--monthly", "3", "--region", "Berlin, DE", "--region-group", "us"], "which is in eu"),
        (["--cpu", "AMD EPYC 9454P", "--monthly", "3", "--vcpus", "4", "--cores", "8"], "--cores: 8 is more than the 4"),
    ],
    ids=lambda value: " ".join(value[4:]) if isinstance(value, list) else "",
)  # fmt: skip
def test_contradictions_of_a_server_are_refused(
    words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["offers", "add", "x", *words]) == 2
    assert sentence in capsys.readouterr().err
    assert not paths.own_servers_file().exists()


@pytest.mark.parametrize(
    "words",
    [
        ["--region", "rack 7", "--region-group", "us"],
        ["--region", "fra1", "--region-group", "eu"],
        ["--vcpus", "8", "--cores", "4"],
    ],
)
def test_what_agrees_is_taken(words: list[str]) -> None:
    assert main(["offers", "add", "x", "--gpu", "L40S", "--monthly", "300", *words]) == 0
