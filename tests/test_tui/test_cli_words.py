"""The command line's words: one sentence for every mistake, the nearest flag named, values read as a person means them."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tui.__main__ import main
from tui.cli import flags
from tui.cli.parser import COMMANDS, build

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]

MISTAKES = [
    (["compare", "--modle", "x"], "Unknown flag --modle. Did you mean --model?"),
    (["compare", "--ttft", "300"], "Unknown flag --ttft. Did you mean --ttft-ms?"),
    (["--model", "x"], "Unknown flag --model. It belongs to a command: rackrate compare --model."),
    (["cmpare"], "Did you mean compare?"),
    (["compare", "--kind", "gpus"], "--kind cannot be 'gpus'. Did you mean gpu?"),
    (["compare", "--rps", "1", "--concurrency", "2"], "exclude each other"),
    (["compare", "--rps"], "--rps needs a value."),
    (["compare", "--rps", "abc"], "--rps: 'abc' is not a number."),
    (["compare", "--rps", "nan"], "is not a finite number"),
    (["compare", "--rps", "1,000"], "'1,000' is not a number"),
    (["compare", "--limit", "-1"], "--limit"),
    (["compare", "--ttft-ms", "0"], "0 is not above 0"),
    (["compare", "--prefix-hit", "140%"], "between 0 and 1"),
    (["compare", "--concurrency", "1.5"], "not a whole number"),
    (["compare", "--since", "yesterday"], "is not a date like 2026-11-30"),
    (["compare", "surplus"], "Unexpected word: surplus."),
    (["compare", "--csv", ""], "--csv: the value is empty."),
    (["compare", "--model", " "], "--model: the value is empty."),
    (["estimate"], "Missing: CASES.csv."),
    (["catalog", "modells"], "Did you mean models?"),
]


@pytest.mark.parametrize(("words", "sentence"), MISTAKES, ids=[" ".join(words) for words, _ in MISTAKES])
def test_a_mistake_gets_one_sentence_and_code_2(
    words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert sentence in err
    assert err.startswith("rackrate: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_with_examples(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    out = capsys.readouterr().out
    assert f"usage: rackrate {command}" in out
    assert f"\nexamples:\n  rackrate {command}" in out


def test_every_flag_has_a_help_text() -> None:
    for name, parser in build().commands().items():
        for action in parser._actions:
            assert action.help, f"{name} {action.dest}"


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("rackrate 0.")


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [
        (flags.whole_number, "4k", 4000), (flags.whole_number, "1.5k", 1500), (flags.whole_number, "8Ki", 8192),
        (flags.whole_number, "1_000", 1000), (flags.share, "80%", 0.8), (flags.share, "0.8", 0.8), (flags.target, "none", 0.0),
        (flags.target, "250", 250.0), (flags.percentage, "19", 0.19), (flags.percentage, "19%", 0.19), (flags.limit, "0", 0),
        (flags.day, "2026-11-30", date(2026, 11, 30)), (flags.words, "eu, us", ["eu", "us"]),
    ],
)  # fmt: skip
def test_values_are_read_as_a_person_means_them(read: Callable[[str], object], text: str, value: object) -> None:
    assert read(text) == value


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (flags.positive_number, "-1"),
        (flags.whole_number, "0"),
        (flags.share, "2"),
        (flags.percentage, "119"),
        (flags.day, "30.11.2026"),
    ],
)
def test_values_that_cannot_be_meant_are_refused(read: Callable[[str], object], text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        read(text)


def test_a_closed_pipe_is_no_error() -> None:
    """`rackrate catalog models | head -1` ends quietly."""
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "tui", "catalog", "models", "--format", "csv"]
    done = subprocess.run(command, cwd=ROOT, stdout=writer, stderr=subprocess.PIPE, text=True, check=False, timeout=120)
    os.close(writer)
    assert done.stderr == ""
    assert done.returncode == 0


def test_a_terminal_without_utf_8_is_no_error() -> None:
    """Where the locale says ASCII a pipe still gets UTF-8, and nothing breaks."""
    command = [sys.executable, "-X", "utf8=0", "-m", "tui", "catalog", "hardware", "--format", "table"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "—" in done.stdout.decode("utf-8")


def test_ctrl_c_is_130(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def stopped(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("tui.cli.config.run", stopped)
    assert main(["config", "path"]) == 130
    assert capsys.readouterr().err == "rackrate: stopped.\n"
