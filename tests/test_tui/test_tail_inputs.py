"""p95 of TTFT and speculative decoding as a user types, reads and keeps them."""

from __future__ import annotations

import json

import pytest

from models import catalog
from models.errors import RackrateError
from models.speculation import speculation
from models.traffic import Workload
from tui.__main__ import main
from tui.input_text import read_engine, read_ttft, show_engine, show_ttft
from tui.workload_table import from_table, to_table

PLAIN = Workload(catalog.llm("Llama-3.1-8B"))


@pytest.mark.parametrize(
    ("text", "ms", "at"),
    [
        ("2 s p95", 2000, "p95"),
        ("p95", 2000, "p95"),
        ("450 ms P95", 450, "p95"),
        ("3 s", 3000, "mean"),
        ("1 s mean", 1000, "mean"),
    ],
)
def test_a_ttft_target_is_typed(text: str, ms: float, at: str) -> None:
    found = read_ttft(PLAIN, text)
    assert (found.ttft_ms, found.ttft_at) == (ms, at)
    assert read_ttft(PLAIN, show_ttft(found)) == found


def test_a_new_time_keeps_what_it_is_for() -> None:
    tail = read_ttft(PLAIN, "2 s p95")
    assert read_ttft(tail, "3 s").ttft_at == "p95"
    assert read_ttft(tail, "mean").ttft_at == "mean"


@pytest.mark.parametrize(
    ("text", "engine", "guess"),
    [
        ("vllm mtp:3", "vllm", "mtp:3"),
        ("eagle:5@0.7", "auto", "eagle:5@0.7"),
        ("auto ngram", "auto", "ngram:4"),
        ("sglang", "sglang", None),
    ],
)
def test_guessing_is_typed_behind_the_engine(text: str, engine: str, guess: str | None) -> None:
    found = read_engine(PLAIN, text)
    assert found.engine == engine
    assert found.speculative == (speculation(guess) if guess else None)
    assert read_engine(PLAIN, show_engine(found)) == found


@pytest.mark.parametrize("text", ["vllm mtp:99", "mtp:3 nonsense", "vllm eagle:3@2"])
def test_what_cannot_be_is_refused(text: str) -> None:
    with pytest.raises(RackrateError):
        read_engine(PLAIN, text)


@pytest.mark.parametrize("base", [PLAIN, PLAIN.changed(ttft_at="p95", speculative=speculation("eagle:3"))])
@pytest.mark.parametrize(
    "kept", [PLAIN, PLAIN.changed(ttft_at="p95", speculative=speculation("mtp:3@0.7"), preset=None)]
)
def test_what_was_kept_comes_back_whatever_the_start_says(kept: Workload, base: Workload) -> None:
    found, wrong = from_table(json.loads(json.dumps(to_table(kept))), base)
    assert not wrong
    assert (found.ttft_at, found.speculative) == (kept.ttft_at, kept.speculative)


def test_voice_is_for_the_tail_unless_told_otherwise(capsys: pytest.CaptureFixture[str]) -> None:
    """The preset's own target is for 95 of 100; a flag beats it."""
    rows = {}
    for at in ((), ("--ttft-at", "mean")):
        assert main(["compare", "--workload", "voice", "--limit", "40", "--format", "json", *at]) == 0
        rows[at] = json.loads(capsys.readouterr().out)
    tails = [row for row in rows[()] if row["meets_targets"]]
    assert tails
    assert all(row["ttft_p95_ms"] <= 300 * (1 + 1e-6) for row in tails)
    assert catalog.preset("voice").ttft_at == "p95"
    best = {at: sum(row["requests_per_s_at_target"] or 0 for row in found) for at, found in rows.items()}
    assert best[()] <= best["--ttft-at", "mean"]
