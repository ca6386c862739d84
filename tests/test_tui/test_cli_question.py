"""What was asked stands in the document that answers it, with all that differs from the usual; tables take the width there is."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from models import catalog
from models.beside import Companion
from models.demand import facts_of, parse_day
from models.speculation import speculation
from models.traffic import Workload
from pricing.terms import CompareOptions
from tui import format as fmt
from tui.__main__ import main
from tui.cli.flags import limit, whole_number
from tui.cli.question import markdown_line, question

FEW = ["--provider", "runpod,hetzner"]
LLAMA = Workload(catalog.llm("Llama-3.1-8B"))
USUAL = (
    "Llama-3.1-8B, 8bit weights, 16bit KV, auto engine; 1,155 -> 211 tokens, 1 request/s; TTFT <= 2 s, TPOT <= 200 ms."
)


def test_the_usual_is_one_short_line() -> None:
    assert question(LLAMA, CompareOptions()) == USUAL


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"prefix_hit": 0.6}, "-> 211 tokens (60 % of the prompt cached), 1 request/s"),
        ({"speculative": speculation("eagle:3")}, "auto engine, speculative eagle:3;"),
        ({"beside": (Companion(catalog.llm("bge-m3"), 1, 32),)}, "auto engine, beside bge-m3;"),
        ({"utilization": 0.7}, "; servers filled to 70 %."),
        ({"output_tokens": 1}, "1,155 -> 1 token, "),
        ({"requests_per_s": 2.0}, " 2 requests/s;"),
        ({"requests_per_s": None, "concurrency": 1}, " 1 user;"),
        ({"requests_per_s": None, "concurrency": 20}, " 20 users;"),
        ({"ttft_ms": None, "tpot_ms": None}, "; no targets."),
        ({"ttft_at": "p95"}, "TTFT p95 <= 2 s"),
    ],
)
def test_what_differs_is_said(change: dict[str, object], words: str) -> None:
    assert words in question(replace(LLAMA, **change), CompareOptions())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("terms", "words"),
    [
        (CompareOptions(vat=0.19), "; with 19 % VAT."),
        (CompareOptions(hours_per_month=200), "; 200 hours a month."),
        (CompareOptions(setup_months=1), "; setup fees over 1 month."),
        (CompareOptions(discounts={"ovh": 0.1}), "; 10 % off ovh."),
    ],
)
def test_how_money_is_counted_is_said(terms: CompareOptions, words: str) -> None:
    assert question(LLAMA, terms).endswith(words)


def test_a_hostile_name_is_only_a_name() -> None:
    work = replace(LLAMA, model=replace(LLAMA.model, name="a*b|<script>\x1b[31m"))
    assert "\x1b" not in question(work, CompareOptions())
    assert markdown_line(question(work, CompareOptions())).startswith(r"a\*b\|\<script\> \[31m, 8bit")
    assert "1,155 -> 211 tokens" in markdown_line(USUAL)
    assert "TTFT <= 2 s" in markdown_line(USUAL)


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_an_advice_holds_its_question(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", *FEW, "--prefix-hit", "0.6", "--vat", "19", "--format", form]) == 0
    out, err = capsys.readouterr()
    head = " ".join(out.split("Verdict")[0].split())
    assert head.startswith("Llama-3.1-8B, 8bit weights")
    assert "60 % of the prompt cached" in head
    assert "with 19 % VAT." in head
    assert "8bit weights" not in err, "once is enough"


def test_a_budget_is_not_for_the_model_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", "budget", *FEW, "--models", "qwen3"]) == 0
    assert capsys.readouterr().out.startswith("Models of qwen3, any weights, 16bit KV")


def test_a_comparison_as_markdown_holds_its_question(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *FEW, "--limit", "2", "--format", "markdown"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == USUAL
    assert lines[1] == ""
    assert lines[2].startswith("| server |")


def test_programs_get_the_question_as_values(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", *FEW, "--prefix-hit", "0.6", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["workload"]["prefix_hit"] == 0.6
    assert main(["compare", *FEW, "--limit", "1", "--prefix-hit", "0.6", "--format", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert "prefix hit: 0.6" in row["workload"]
    assert "first: 1 by cost_per_m_output_tokens" in row["selection"]


# widths


def test_an_advice_takes_the_columns_there_are(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    widths = {}
    for columns in (80, 120, 200):
        monkeypatch.setenv("COLUMNS", str(columns))
        assert main(["advise", *FEW]) == 0
        text = capsys.readouterr().out
        widths[columns] = max(len(line) for line in text.splitlines())
        assert widths[columns] <= columns
        tables = [line for line in text.splitlines() if "USD/month" in line]
        assert tables
        if columns > 80:  # at 80 the second table has room for names and costs only
            assert all("Hardware" in line for line in tables)
        hidden = " ".join(text.split()).split("No room for: ")[1:]
        assert all("A wider terminal or --format json shows them." in one for one in hidden)
    assert widths[200] > 140, "tables are not cut at the width of sentences"


def test_sentences_stay_short_where_tables_are_wide(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "250")
    assert main(["advise", *FEW]) == 0
    said = capsys.readouterr().out.split("Offers to look at")[0]
    assert max(len(line) for line in said.splitlines()) <= 120


# counts


@pytest.mark.parametrize(
    ("text", "number"), [("2,000,000", 2_000_000), ("1,155", 1155), ("2_000", 2000), ("2M", 2_000_000), ("1.5k", 1500)]
)
def test_counts_may_have_separators(text: str, number: int) -> None:
    assert whole_number(text) == number
    assert limit(text) == number


@pytest.mark.parametrize("text", ["1,5", "1,5k", "1,500k", "1,00,000", ",100", "10,000.5", "1000,000"])
def test_what_may_be_a_decimal_comma_is_no_count(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", f"--input-tokens={text}"]) == 2
    assert "is not a number" in capsys.readouterr().err or "whole number" in capsys.readouterr().err


def test_documents_and_tokens_with_separators(capsys: pytest.CaptureFixture[str]) -> None:
    found = []
    for words in (["box", "--documents", "2,000,000"], ["box", "--documents", "2M"]):
        assert main(["advise", *words, *FEW, "--format", "csv"]) == 0
        found.append(capsys.readouterr().out)
    for amount in ("300,000,000", "300M"):
        assert main(["advise", "buy", "--tokens-per-month", amount, *FEW, "--format", "csv"]) == 0
        found.append(capsys.readouterr().out)
    assert found[0] == found[1]
    assert found[2] == found[3]


def test_a_day_is_a_list_all_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    hours = ",".join(["1"] * 23 + ["100"])
    assert main(["advise", "fleet", "--day", hours, *FEW, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["demand"]["hourly_requests_per_s"] == [1.0] * 23 + [100.0]
    assert parse_day((1.0,) * 23 + (100.0,), None).mean > 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "—"),
        (964.0, "964"),
        (1_060.4, "1,060"),
        (99_949.0, "99,900"),
        (99_951.0, "100,000"),
        (316_123.0, "316,000"),
        (2.5e6, "2,500,000"),
    ],
)
def test_milliseconds_are_figures_in_full(value: float | None, text: str) -> None:
    assert fmt.milliseconds(value) == text


def test_one_is_singular() -> None:
    assert [fmt.amount(value, "month") for value in (1, 1.0, 0.5, 12)] == [
        "1 month",
        "1 month",
        "0.5 months",
        "12 months",
    ]


def test_a_trace_of_one_day_is_one_of_one_day() -> None:
    seconds = np.arange(0.0, 86_401.0, 60.0)
    tokens = np.full(len(seconds), 100)
    assert "a trace of 1 day, hour by hour" in facts_of(seconds, tokens, tokens).demand.note
    assert "a trace of 2 days," in facts_of(seconds * 2, tokens, tokens).demand.note
