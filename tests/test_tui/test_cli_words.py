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
    (["compare", "--ttft-ms", "0"], "0 is not above 0"),
    (["compare", "--prefix-hit", "140%"], "between 0 and 1"),
    (["compare", "--concurrency", "1.5"], "not a whole number"),
    (["compare", "--since", "yesterday"], "is not a date like 2026-11-30"),
    (["compare", "surplus"], "Unexpected word: surplus."),
    (["compare", "--csv", ""], "--csv: the value is empty."),
    (["compare", "--model", " "], "--model: the value is empty."),
    (["compare", "--kind", "x"], "--kind cannot be 'x'. It is one of cpu, gpu."),
    (["compare", "--kind=--"], "--kind cannot be '--'."),
    (["compare", "--prefix-hit=--"], "--prefix-hit cannot be '--'."),
    (["compare", "--utilization=--"], "--utilization cannot be '--'."),
    (["compare", "--max-usd-hour=--"], "--max-usd-hour cannot be '--'."),
    (["compare", "--provider="], "--provider: the value is empty."),
    (["compare", "--region", ","], "--region: the value is empty."),
    (["compare", "--term="], "--term: the value is empty."),
    (["compare", "--hours-per-month", "0"], "0 is not above 0 and at most 744"),
    (["compare", "--hours-per-month", "745"], "745 is not above 0 and at most 744"),
    (["compare", "--vat", "0.19"], "write 19 if you mean that"),
    (["compare", "--csv", "-", "--format", "json"], "would both write to stdout"),
    (["estimate"], "Missing: CASES.csv."),
    (["--"], "Unknown flag --"),
    (["catalog", "modells"], "Did you mean models?"),
    (["compare", "--limit", "-1"], "--limit: '-1' is not a whole number from 0 up."),
    (["advise", "--limit", "3"], "--limit is no flag of `rackrate advise`. It belongs to `rackrate compare`."),
    (["advise", "--assert", "x"], "--assert is no flag of `rackrate advise`. It belongs to `rackrate compare`."),
    (["advise", "--asert", "x"], "Unknown flag --asert. See rackrate advise --help."),
    (["offers", "add", "x", "--gqu", "L40S"], "Unknown flag --gqu."),
    (["compare", "--rps", "1", "--rps", "2"], "--rps is given twice."),
    (
        ["advise", "buy", "--api-price", "0/0"],
        "--api-price: '0/0' is free: IN/OUT are dollars a million tokens, one of them above 0.",
    ),
    (["advise", "buy", "--api-price", "-1/2"], "--api-price: '-1/2' has a price below 0."),
    (["advise", "buy", "--api-price", "1"], "--api-price: '1' is not IN/OUT or IN/OUT/CACHED"),
    (["compare", "--speculative", "foo"], "cannot be 'foo'. It is one of mtp, eagle, draft, ngram or none"),
    (["compare", "--speculative", ""], "--speculative: the value is empty."),
    (["compare", "--assert", "foo"], "'foo': an assertion is a column, an operator and a number."),
    (["compare", "--where", "monthly_cost<1e999"], "'1e999' is not a finite number."),
    (["compare", "--model", "pyproject.toml"], "pyproject.toml is a file, and not a model's config.json."),
    (["compare", "--model", "a", "--model=b"], "--model is given twice."),
    (["compare", "--csv", "a", "--csv", "b"], "--csv is given twice."),
    (["advise", "buy", "--api", "x", "--api", "y"], "--api is given twice."),
    (["advise", "fleet", "--trace", "a", "--trace", "b"], "--trace is given twice."),
    (["estimate", "a.csv", "-o", "b", "--output", "c"], "--output is given twice."),
    (["offers", "add", "x", "--gpu", "a", "--gpu", "b"], "--gpu is given twice."),
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


LONG = "x" * 3000


@pytest.mark.parametrize(
    "words",
    [
        ["compare", "--kind", LONG], ["compare", "--rps", LONG], ["compare", "--vat", f"{'9' * 300}"], ["compare", LONG],
        ["compare", f"--{LONG}"], ["compare", "--model", LONG], ["compare", "--model", f"{LONG}.json"], ["compare", "--sort", LONG],
        ["compare", "--region", LONG], ["compare", "--term", LONG], ["compare", "--currency", LONG], ["compare", "--provider", LONG],
        ["compare", "--quant", LONG], ["compare", "--since", LONG], ["compare", "--where", f"{LONG}>=1"], ["catalog", LONG],
        ["refresh", LONG], [LONG], ["compare", "--csv", LONG, "--limit", "1"],
    ],
    ids=lambda words: " ".join(f"{word[:12]}{word[-5:]}" for word in words),
)  # fmt: skip
def test_a_long_value_is_named_by_its_beginning(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    err = capsys.readouterr().err
    assert len(err) < 450
    assert err.startswith("rackrate: ")
    assert "Errno" not in err


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
        (flags.percentage, "0", 0.0),
        (flags.between(0, 744, above=True), "744", 744.0), (flags.day, "2026-11-30", date(2026, 11, 30)),
        (flags.words, "eu, us", ["eu", "us"]), (flags.kinds, "cpu,gpu", ["cpu", "gpu"]),
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


def shell(line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A line of the shell in which `$R` is rackrate."""
    own = {**os.environ, "R": f"{sys.executable} -m tui", **environment}
    return subprocess.run(
        ["sh", "-c", line], cwd=ROOT, env=own, capture_output=True, text=True, check=False, timeout=120
    )


FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")


@pytest.mark.skipif(os.name != "posix", reason="closing a stream is a matter of the shell")
@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("$R catalog engines >&-", 2, "rackrate: stdout is closed: the result has nowhere to go.\n"),
        ("$R compare --limit 1 >&-", 2, "rackrate: stdout is closed: the result has nowhere to go.\n"),
        ("$R >&-", 2, "rackrate: stdout is closed: the result has nowhere to go.\n"),
        ("$R compare --limit 1 --csv /dev/null >&-", 0, "Wrote 1 offer to /dev/null.\n"),
        ("$R estimate - <&-", 2, "rackrate: stdin is closed: there is nothing to read.\n"),
        ("$R catalog nosuch 2>&-", 2, ""),
        ("$R nosuch 2>&-", 2, ""),
        pytest.param("$R nosuch 2>/dev/full", 2, "", marks=FULL),
        pytest.param("$R compare --limit 1 --format table 2>/dev/full >/dev/null", 0, "", marks=FULL),
        pytest.param("$R catalog engines >/dev/full", 2, "rackrate: No space left on device.\n", marks=FULL),
    ],
)
def test_a_closed_stream_is_one_sentence(line: str, code: int, said: str) -> None:
    done = shell(line)
    assert (done.returncode, done.stderr, done.stdout) == (code, said, "")


@pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals are a matter of POSIX")
def test_a_dumb_terminal_gets_the_table() -> None:
    import pty

    child, terminal = pty.fork()
    if child == 0:
        os.chdir(ROOT)
        os.environ["TERM"] = "dumb"
        os.execv(sys.executable, [sys.executable, "-m", "tui"])  # noqa: S606
    text = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # Linux says so when the child has closed its side
            break
        if not part:
            break
        text += part
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert text.startswith(b"TERM is dumb")
    assert b"USD/Mtok" in text
    assert b"\x1b[?1049h" not in text


def test_ctrl_c_is_130(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def stopped(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("tui.cli.config.run", stopped)
    assert main(["config", "path"]) == 130
    assert capsys.readouterr().err == "rackrate: stopped.\n"
