"""`rackrate advise box` from the command line: companions, a corpus, calls, a job, and sentences for what contradicts itself."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from tui.__main__ import main


def _json(capsys: pytest.CaptureFixture[str], *flags: str) -> dict[str, Any]:
    assert main(["advise", "box", "--format", "json", *flags]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_companions_take_from_the_llm(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, "--workload", "rag", "--documents", "100k", "--per-day", "1k")
    (row, *_) = found["companions"]["servers"]
    assert row["meets_targets"]
    assert row["ttft_ms"] > row["ttft_ms_alone"] + 0.9 * row["companions_ms"]
    assert row["requests_per_s_at_target"] < row["requests_per_s_at_target_alone"]
    assert row["companions_ms_low"] < row["companions_ms"] < row["companions_ms_high"]
    kinds = {server["kind"]: server for server in found["ingestion"]["servers"]}
    assert set(kinds) == {"cpu", "gpu"}
    for server in found["ingestion"]["servers"]:
        assert server["corpus_hours"] == pytest.approx(100_000 / server["documents_per_s"] / 3600)
        assert server["day_hours"] == pytest.approx(server["corpus_hours"] / 100)


def test_more_in_the_prefix_cache_is_never_slower(capsys: pytest.CaptureFixture[str]) -> None:
    steps = _json(capsys, "--workload", "rag", "--embed", "none", "--rerank", "none")["prefix"]["steps"]
    assert [step["prefix_hit"] for step in steps] == [0.0, 0.3, 0.6, 0.9]
    ttft = [step["ttft_ms"] for step in steps]
    assert ttft == sorted(ttft, reverse=True)
    full = [step["cost_per_m_total_tokens_full_load"] for step in steps]
    assert full == sorted(full, reverse=True)


def test_the_step_of_the_workload_is_the_comparison_s_own(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, "--workload", "rag")
    (row, *_) = found["companions"]["servers"]
    assert found["prefix"]["steps"][0]["ttft_ms"] == pytest.approx(row["ttft_ms"])
    assert found["prefix"]["steps"][0]["monthly_cost"] == pytest.approx(row["monthly_cost"])
    (step,) = (step for step in found["prompt"]["steps"] if step["input_tokens"] == 4096)
    assert step["ttft_ms"] == pytest.approx(row["ttft_ms"])


def test_calls_are_the_traffic(capsys: pytest.CaptureFixture[str]) -> None:
    voice = _json(capsys, "--workload", "voice", "--calls", "50", "--turns", "12")["voice"]
    assert voice["requests_per_s"] == pytest.approx(10)
    for row in voice["servers"]:
        if row["meets_targets"]:
            assert row["ttft_p95_ms"] <= 300 * (1 + 1e-6)
            assert row["calls_per_server"] * row["servers_needed"] >= 50 - row["servers_needed"]
            assert row["cost_per_call_minute"] == pytest.approx(row["monthly_cost"] / 50 / 730 / 60)


def test_a_job_ends_before_its_deadline(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, "--requests", "50k", "--deadline", "6")["batch"]
    prices = [row["cost"] for row in found["offers"]]
    assert prices
    assert prices == sorted(prices)
    assert {row["kind"] for row in found["offers"]} == {"cpu", "gpu"}
    assert all(row["hours"] <= 6 and row["hours_low"] <= row["hours"] <= row["hours_high"] for row in found["offers"])
    assert found["finish_alone"] <= found["finish"]


def test_the_gain_of_guessing_falls_with_the_users(capsys: pytest.CaptureFixture[str]) -> None:
    steps = _json(capsys, "--speculative", "draft:4@0.6", "--kind", "gpu")["speculative"]["steps"]
    gains = [step["tpot_ratio"] for step in steps]
    assert len(gains) > 3
    assert gains[0] > gains[-1]
    assert all(math.isfinite(gain) for gain in gains)


def test_a_host_that_cannot_carry_them_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, "--workload", "rag", "--embed-on", "cpu", "--passages", "5", "--passage-tokens", "128")
    for row in found["companions"]["servers"]:
        if row["meets_targets"] and row["where"] == "host":
            assert row["ttft_ms"] <= 2000
            assert row["requests_per_s_at_target"] <= row["requests_per_s_at_target_alone"]


def test_a_named_server_whose_host_is_too_slow_misses(capsys: pytest.CaptureFixture[str]) -> None:
    flags = ("--workload", "rag", "--box", "gpuhub rtx-5090", "--embed-on")
    (card,), (host,) = (_json(capsys, *flags, on)["companions"]["servers"] for on in ("gpu", "cpu"))
    assert card["meets_targets"]
    assert host["companions_share"] > 1
    assert not host["meets_targets"]


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--turns", "3"], "--calls"),
        (["--deadline", "3"], "--requests"),
        (["--document-tokens", "3"], "--documents"),
        (["--calls", "3", "--rps", "3"], "exclude"),
        (["--embed", "Llama-3.1-8B"], "writes text"),
        (["--embed", "nothing-known"], "nothing-known"),
        (["--model", "bge-m3"], "writes no text"),
        (["--embed", "none", "--documents", "3"], "--embed none"),
        (["--box", "no such server"], "no such server"),
    ],
)
def test_contradictions_are_sentences(flags: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", "box", *flags]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert "Traceback" not in said
    assert len(said.splitlines()) <= 3


def test_text_markdown_and_csv(capsys: pytest.CaptureFixture[str]) -> None:
    for form in ("text", "markdown", "csv"):
        assert main(["advise", "box", "--format", form, "--calls", "3", "--requests", "10", "--documents", "5"]) == 0
        assert "nan" not in capsys.readouterr().out.lower().split()


def test_all_sections_are_of_the_calls_and_of_one_server(capsys: pytest.CaptureFixture[str]) -> None:
    for calls in (50, 500):
        found = _json(capsys, "--workload", "voice", "--calls", str(calls))
        assert found["workload"]["requests_per_s"] == pytest.approx(calls / 10)
        best = found["voice"]["servers"][0]
        assert found["prefix"]["offer_id"] == found["prompt"]["offer_id"] == best["offer_id"]
        assert found["prefix"]["steps"][0]["monthly_cost"] == pytest.approx(best["monthly_cost"])
        assert all(row["meets_targets"] for row in found["voice"]["servers"]), "no miss beside an answer"


def test_all_sections_are_of_the_job_and_of_its_server(capsys: pytest.CaptureFixture[str]) -> None:
    flags = ("--workload", "batch", "--requests", "1M", "--input-tokens", "1000", "--output-tokens", "100")
    found = _json(capsys, *flags)
    best = found["batch"]["offers"][0]
    assert found["prefix"]["offer_id"] == found["prompt"]["offer_id"] == best["offer_id"]
    rate = 1e6 / 3600 / best["hours"] / best["servers"]
    assert found["prefix"]["steps"][0]["requests_per_s_at_target"] == pytest.approx(rate, rel=0.05)
    assert main(["advise", "box", *flags, "--rps", "2"]) == 0
    assert "The job is apart; what follows is for 2 req/s." in capsys.readouterr().out


def test_calls_ask_for_a_named_server(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, "--workload", "voice", "--calls", "50", "--box", "hetzner gex45")
    (row,) = found["voice"]["servers"]
    assert row["offer_id"] == found["prefix"]["offer_id"]
    assert "hetzner" in row["server"]


def test_a_named_server_says_how_many_it_takes(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, "--workload", "rag", "--rps", "1", "--box", "hetzner gex45", "--passages", "100")
    (row,) = found["companions"]["servers"]
    assert row["servers_needed"] > row["servers_needed_alone"] > 1
    assert row["monthly_cost"] / row["servers_needed"] == pytest.approx(
        row["monthly_cost_alone"] / row["servers_needed_alone"]
    )
    said = " ".join(found["sentences"])
    assert f"{row['servers_needed']:.0f} would be needed, {row['servers_needed_alone']:.0f} for the LLM alone" in said
    assert f"One carries {row['requests_per_s_at_target']:.0%} of 1 req/s" in said


def test_where_nothing_meets_there_are_ways_out(capsys: pytest.CaptureFixture[str]) -> None:
    """No fleet that nobody runs, no latency that companions make better, and what would do instead."""
    flags = ("--workload", "rag", "--rps", "1", "--input-tokens", "32k", "--prefix-hit", "0.5", "--embed-on", "cpu")
    found = _json(capsys, *flags)
    said = " ".join(found["sentences"])
    assert "No offer meets the targets" in said
    assert "On the cards (--embed-on gpu):" in said
    assert "On a machine of their own:" in said
    for row in found["companions"]["servers"]:
        assert (row["servers_needed"] or 0) <= 50
        if row["ttft_solo_ms"] is not None:
            assert row["ttft_solo_ms"] >= row["ttft_solo_ms_alone"]
    assert all(step["servers_needed"] <= 50 for step in found["prefix"]["steps"])


def test_no_fleet_that_nobody_runs(capsys: pytest.CaptureFixture[str]) -> None:
    for flags in (("--workload", "rag", "--rps", "30000"), ("--workload", "voice", "--calls", "90000000")):
        found = _json(capsys, *flags)
        assert "50 servers or fewer" in found["sentences"][0]
        rows = found["companions"]["servers"] if "companions" in found else []
        assert all((row["servers_needed"] or 0) <= 50 for row in rows)


def test_companions_are_not_why_the_llm_alone_is_too_much(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, "--workload", "rag", "--kind", "cpu", "--input-tokens", "32k", "--ttft-ms", "100")
    assert "The LLM alone is too much already" in " ".join(found["sentences"])


def test_a_corpus_by_a_deadline(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, "--documents", "1M", "--deadline", "8")["ingestion"]
    chosen = [row for row in found["servers"] if "cheapest" in row["why"]]
    assert {row["kind"] for row in chosen} == {"cpu", "gpu"}
    for row in found["servers"]:
        if row["servers"] is not None:
            assert row["corpus_hours"] / row["servers"] <= 8
            assert row["servers"] == 1 or row["corpus_hours"] / (row["servers"] - 1) > 8
    late = _json(capsys, "--documents", "1000M", "--deadline", "0.01", "--kind", "cpu")
    assert "The nearest: 50 x" in " ".join(late["sentences"])


def test_a_corpus_is_not_given_to_what_takes_months(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, "--documents", "2M", "--per-day", "20000")["ingestion"]["servers"]
    assert all(row["why"] for row in found)
    for row in found:
        assert row["corpus_hours"] <= 30 * 24
        assert row["day_hours"] <= 24


def test_a_deadline_that_nobody_keeps_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, "--kind", "cpu", "--requests", "1M", "--deadline", "0.01")
    said = " ".join(found["sentences"])
    assert "The nearest:" in said
    assert " hours" in said.split("The nearest:")[1]
    assert found["batch"]["offers"] == []
    assert found["prefix"]["offer_id"].split("_")[0] in said.split("The nearest:")[1]


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--rerank", "bge-m3"], "bge-m3 embeds; --rerank takes a reranker"),
        (["--embed", "bge-reranker-v2-m3"], "bge-reranker-v2-m3 reranks; --embed takes an embedding model"),
        (["--rerank", "none", "--passages", "99"], "--passages belongs to --rerank MODEL"),
        (["--embed", "none", "--query-tokens", "5"], "--query-tokens belongs to --embed MODEL"),
        (["--embed", "none", "--rerank", "none", "--embed-on", "cpu"], "--embed-on belongs to --embed MODEL or --rerank MODEL"),
        (["--calls", "5", "--passages", "9"], "--passages belongs to --rerank MODEL"),
        (["--passage-tokens", "9000"], "reads at most 8,192 tokens at once"),
        (["--documents", "1e30"], "is more than 1,000,000,000,000"),
    ],
)  # fmt: skip
def test_what_no_companion_would_read_is_refused(
    flags: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["advise", "box", *flags]) == 2
    told = capsys.readouterr()
    assert said in told.err
    assert not told.out
