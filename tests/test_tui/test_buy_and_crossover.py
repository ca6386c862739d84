"""`advise buy` and `advise crossover` say the same of the same workload, whatever its traffic; prices in the user's money."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tui.__main__ import main

CHAT = ("--model", "llama-3.1-8b", "--workload", "chat")
RAG = ("--model", "llama-3.3-70b", "--workload", "rag", "--prefix-hit", "0.6")
EXTRAS = (
    "--ops-percent",
    "30",
    "--engineer-hours",
    "2",
    "--engineer-rate",
    "50",
    "--egress-gb",
    "100",
    "--egress-price",
    "0.1",
)


def _json(capsys: pytest.CaptureFixture[str], *flags: str) -> dict[str, Any]:
    assert main(["advise", *flags, "--format", "json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize(
    ("flags", "traffics"),
    [
        (CHAT, (("--rps", "1"), ("--rps", "10"))),
        (RAG, (("--tokens-per-month", "3B"), ("--tokens-per-month", "30B"))),
        ((*CHAT, "--utilization", "0.6", "--currency", "EUR", "--vat", "19"), (("--rps", "3"),)),
    ],
    ids=["chat", "rag", "utilization"],
)
def test_the_break_even_is_that_of_the_crossover_at_any_traffic(
    flags: tuple[str, ...], traffics: tuple[tuple[str, ...], ...], capsys: pytest.CaptureFixture[str]
) -> None:
    turn = _json(capsys, "crossover", *flags, "--rps", "3")
    pays = turn["own_cheaper_than_cheapest_api"]
    assert pays["from_requests_per_s"] == turn["own_against_cheapest_api"][0]
    for traffic in traffics:
        found = _json(capsys, "buy", *flags, *traffic)
        best = found["apis"][0]
        assert best["break_even_requests_per_s"] == pytest.approx(pays["from_requests_per_s"])
        assert best["break_even_tokens_per_month"] == pytest.approx(pays["from_tokens_per_month"])
        assert best["cheaper_without_gap_from_tokens_per_month"] == pytest.approx(pays["stays_from_tokens_per_month"])
        assert best["cheaper_by_turns"] is (pays["stays_from_requests_per_s"] != pays["from_requests_per_s"])


@pytest.mark.parametrize(
    "flags",
    [CHAT, (*CHAT, *EXTRAS), (*CHAT, "--self-host", "runpod-rtx-a5000-community"),
     (*CHAT, "--self-host", "l40s", "--purchase", "9000", "--months", "36", "--watts", "500", "--power-price", "0.2")],
    ids=["cheapest", "extras", "named", "bought"],
)  # fmt: skip
def test_below_it_the_bill_of_the_api_is_smaller_and_above_it_that_of_the_servers(
    flags: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """The bills are those of fleets sized for that very traffic, so they know nothing of the break-even."""
    best = _json(capsys, "buy", *flags)["apis"][0]
    edges = [best["break_even_requests_per_s"]]
    if best["cheaper_by_turns"]:
        edges.append(edges[0] / best["break_even_tokens_per_month"] * best["cheaper_without_gap_from_tokens_per_month"])
    for rps in edges:
        for factor, servers_cheaper in ((1 - 1e-4, False), (1 + 1e-4, True)):
            found = _json(capsys, "buy", *flags, "--rps", f"{rps * factor:.12g}")
            hosted, api = found["self_hosted"]["monthly_cost"], found["apis"][0]["monthly_cost"]
            assert (hosted < api) is servers_cheaper, (rps, factor)


def test_a_named_server_is_the_only_one_of_its_fleets(capsys: pytest.CaptureFixture[str]) -> None:
    """One more of it each time, so it is never first cheaper than the cheapest fleet is."""
    named, any_server = _json(capsys, "buy", *CHAT, "--self-host", "l40s"), _json(capsys, "buy", *CHAT)
    assert "L40S" in named["self_hosted"]["hardware"]
    for one, other in zip(named["apis"], any_server["apis"], strict=True):
        mine, least = (api["break_even_tokens_per_month"] for api in (one, other))
        assert mine is None or mine >= least
    dearest = named["apis"][-1]
    # One server carries that, so both break-evens are the same figure.
    assert dearest["break_even_tokens_per_month"] == pytest.approx(dearest["this_fleet_break_even_tokens_per_month"])


def test_a_named_server_that_misses_the_targets_is_not_said_to_be_too_dear(capsys: pytest.CaptureFixture[str]) -> None:
    flags = (*CHAT, "--self-host", "rtx-a4000", "--tpot-ms", "2")
    said = " ".join(_json(capsys, "buy", *flags)["sentences"])
    assert "there is no break-even inside the targets: this server misses them" in said
    assert "never breaks even" not in said
    assert main(["advise", "buy", *flags]) == 0
    assert "Self-host from" not in capsys.readouterr().out


def test_cached_prompts_without_a_price_are_said_to_be_billed_as_fresh(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    silent = [api for api in _json(capsys, "buy", *RAG)["apis"] if api["cached_input_billed_as_fresh"]]
    assert silent
    assert all(api["cached_input_usd_per_m_tokens"] is None for api in silent)
    assert main(["advise", "buy", *RAG]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert told.count("as fresh") == len(silent) + 1
    assert f"{len(silent)} of 13 prices say nothing of cached prompts: there the 60 % of the prompt" in told
    assert not any(api["cached_input_billed_as_fresh"] for api in _json(capsys, "buy", *CHAT)["apis"])


def test_every_price_of_the_table_is_in_the_users_money_with_its_tax(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    money = ("--currency", "EUR", "--vat", "19")
    usd, eur = _json(capsys, "buy", *CHAT), _json(capsys, "buy", *CHAT, *money)
    for one, other in zip(usd["apis"], eur["apis"], strict=True):
        factor = other["blended_cost_per_m_tokens"] / one["blended_cost_per_m_tokens"]
        for name in ("input", "output"):
            assert one[f"{name}_cost_per_m_tokens"] == one[f"{name}_usd_per_m_tokens"]
            assert other[f"{name}_cost_per_m_tokens"] == pytest.approx(one[f"{name}_usd_per_m_tokens"] * factor)
    assert main(["advise", "buy", *CHAT, *money]) == 0
    told = capsys.readouterr().out
    assert "In EUR/M" in told
    assert "$" not in told
    assert "All amounts are EUR, 19 % tax included" in told
