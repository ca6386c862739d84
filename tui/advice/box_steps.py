"""What-ifs of one server: the prefix cache, longer prompts, guessing ahead; each a figure of the estimator for that server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from models import cost
from models.estimate import ServerTable, estimate
from models.prefix_cache import saved_share
from models.speculation import USUAL, Speculation
from models.speculative import ACCEPTANCE, BAND
from tui import format as fmt
from tui.advice.report import Part, Table
from tui.cli.output import plain
from tui.cli.table import Column
from tui.input_text import show_traffic

if TYPE_CHECKING:
    from models.traffic import Workload
    from pricing.compare import Comparison

HITS = (0.0, 0.3, 0.6, 0.9)
PROMPTS = (1024, 2048, 4096, 8192, 16384, 32768)
OWN_BEST = "Where a row misses the targets, its rate is the server's own best, not one inside the targets."
IN_A_JOB = frozenset({"ttft_ms", "servers_needed", "meets_targets"})
"""Columns that say nothing of a job: it has no targets, and its servers are counted by its deadline."""
USERS = (1, 2, 4, 8, 16, 32, 64, 128)


def _where(comparison: Comparison, at: int) -> str:
    """The server and the traffic that a table is for."""
    work = comparison.workload
    pace = "as fast as it goes" if work.full else f"at {show_traffic(work)}"
    return f"{_name(comparison, at)} {pace}"


def _one(comparison: Comparison, at: int, workload: Workload) -> dict[str, Any]:
    """The estimator's figures of one offer's server, and what they cost."""
    market = comparison.market
    table = ServerTable.build([market.table.servers[int(market.server_index[at])]])
    row = dict(estimate(table, workload).row(0))
    month = float(comparison.server_monthly_cost[at]) if row["fits"] else float("nan")
    servers, tokens = row["servers_needed"], workload.input_tokens + workload.output_tokens
    bill = month * float(str(servers)) if servers is not None else float("nan")
    served = row["requests_per_s_served"]
    hour = bill / comparison.terms.hours_per_month
    per_m = cost.cost_per_m_tokens(hour, float(str(served)) * tokens) if served is not None else np.nan
    able = row["requests_per_s_at_target"]
    full = (
        cost.cost_per_m_tokens(month / comparison.terms.hours_per_month, float(str(able)) * tokens)
        if able is not None
        else np.nan
    )
    return {
        **row,
        "monthly_cost": plain(bill),
        "cost_per_m_total_tokens": plain(float(per_m)),
        "cost_per_m_total_tokens_full_load": plain(float(full)),
    }


_NAMES = (
    "fits", "meets_targets", "ttft_ms", "ttft_ms_low", "ttft_ms_high", "ttft_p95_ms", "tpot_ms", "max_concurrency",
    "requests_per_s_at_target", "servers_needed", "monthly_cost", "cost_per_m_total_tokens", "cost_per_m_total_tokens_full_load", "reason",
)  # fmt: skip


def _columns(comparison: Comparison, *first: Column) -> tuple[Column, ...]:
    code = comparison.terms.currency
    found = (
        *first,
        Column("ttft_ms", "TTFT", 1, fmt.duration),
        Column("tpot_ms", "TPOT", 3, fmt.duration),
        Column("max_concurrency", "Users a server", 3, fmt.count),
        Column("requests_per_s_at_target", "req/s a server", 1),
        Column("servers_needed", "Servers", 2, fmt.count),
        Column("monthly_cost", f"{code}/month", 1),
        Column("cost_per_m_total_tokens", f"{code}/M tokens", 2),
        Column("cost_per_m_total_tokens_full_load", "at full load", 2),
        Column("meets_targets", "Meets", 2),
    )
    return tuple(one for one in found if one.key not in IN_A_JOB) if comparison.workload.full else found


def prefix(comparison: Comparison, at: int) -> tuple[Part, dict[str, Any]]:
    """TTFT, capacity and cost by the share of prompts that the prefix cache holds."""
    work = comparison.workload
    rows = []
    for hit in HITS:
        found = _one(comparison, at, work.changed(prefix_hit=hit))
        rows.append({"prefix_hit": hit, **{name: found[name] for name in _NAMES}})
    cold, warm = rows[0], rows[-1]
    sentence = "There is no estimate of this server."
    if cold["ttft_ms"] is not None and warm["ttft_ms"] is not None:
        gain = warm["requests_per_s_at_target"] / cold["requests_per_s_at_target"]
        sentence = (
            f"On {_name(comparison, at)} a prefix cache that holds {HITS[-1]:.0%} of the prompts takes a server's rate to {gain:.2f}x."
            if work.full
            else f"On {_name(comparison, at)} a prefix cache that holds {HITS[-1]:.0%} of the prompts takes TTFT from "
            f"{fmt.duration(cold['ttft_ms'])} to {fmt.duration(warm['ttft_ms'])} and a server's rate to {gain:.2f}x; "
            f"TPOT from {fmt.duration(cold['tpot_ms'])} to "
            f"{fmt.duration(warm['tpot_ms'])}, as prompts of others interrupt less."
        )
    note = (
        ("" if work.full else f"{OWN_BEST} ")
        + "Prompt work x (1 - hit); reading the cache and writing the answer stay. Measured: 49 % hits 1.81x the input rate of an 8B on an "
        "L40S (vLLM PR 9668, 2024), 95 % hits only 1.06x where answers are long (PR 53395): never more than 1 / (1 - hit). "
        f"The steady state: a cold cache saves {float(saved_share(0.5, 1)):.0%} of the work over two batches that share half."
    )
    first = Column("prefix_hit", "In cache", 1, lambda value: f"{value:.0%}")
    return (
        Part(
            f"Prefix cache: {_where(comparison, at)}",
            (sentence,),
            Table(tuple(rows), _columns(comparison, first)),
            (note,),
        ),
        {"offer_id": comparison.market.offers[at].offer_id, "steps": rows},
    )


def prompt(comparison: Comparison, at: int) -> tuple[Part, dict[str, Any]]:
    """TTFT, users and whether it fits, by the length of the prompt."""
    work = comparison.workload
    rows = []
    for tokens in PROMPTS:
        found = _one(comparison, at, work.changed(input_tokens=tokens))
        cache = (found["kv_bytes_per_token"] or 0.0) * (tokens + work.output_tokens) / 2**30 or None
        rows.append(
            {"input_tokens": tokens, "cache_gib_a_user": plain(cache), **{name: found[name] for name in _NAMES}}
        )
    good = [row["input_tokens"] for row in rows if row["meets_targets"]]
    held = [row["input_tokens"] for row in rows if row["fits"]]
    target = (
        f"inside the targets up to prompts of {max(good):,} tokens"
        if good
        else "not inside the targets with any of these prompts"
    )
    fits = f"it holds them up to {max(held):,}" if held else "it holds none of them"
    sentence = f"{_name(comparison, at)} is {target}; {fits}."
    if work.full:
        sentence = f"Prompts on {_name(comparison, at)}: {fits} tokens."
    notes = (
        *(() if work.full else (OWN_BEST,)),
        (
            "Of the lengths in the table. Each prompt is computed anew but for the workload's prefix cache; the cache of a user is that of "
            "prompt and answer, with windows and state of some models counted in the fit only."
        ),
    )
    columns = _columns(
        comparison,
        Column("input_tokens", "Prompt", 1, fmt.count),
        Column("cache_gib_a_user", "Cache GiB", 4),
        Column("fits", "Fits", 2),
    )
    return (
        Part(f"Longer prompts: {_where(comparison, at)}", (sentence,), Table(tuple(rows), columns), notes),
        {"offer_id": comparison.market.offers[at].offer_id, "steps": rows},
    )


def guess(comparison: Comparison, at: int) -> tuple[Part, dict[str, Any]]:
    """The gain of speculative decoding by users at once, until it stops paying."""
    work = comparison.workload
    method = work.speculative.method if work.speculative else ("mtp" if work.model.params_mtp else "draft")
    chosen = work.speculative or Speculation(method, USUAL[method])
    rows: list[dict[str, Any]] = []
    for users in USERS:
        plainly = work.changed(concurrency=users, ttft_ms=None, tpot_ms=None, speculative=None)
        before, after = (_one(comparison, at, one) for one in (plainly, plainly.changed(speculative=chosen)))
        if not after["fits"] or (after["max_sequences"] or 0) < users:
            break
        rows.append(
            {
                "users": users,
                "gain": after["speculative_gain"],
                "tpot_ms_plain": before["tpot_ms"],
                "tpot_ms": after["tpot_ms"],
                "tpot_ratio": before["tpot_ms"] / after["tpot_ms"],
            }
        )
    kept = chosen.acceptance if chosen.acceptance is not None else ACCEPTANCE[chosen.method]
    ends = next((row["users"] for row in rows if row["tpot_ratio"] < 1), None)
    if not rows:
        sentence = f"{_name(comparison, at)} has no room for it, or no estimate."
    elif ends == 1:
        sentence = f"Guessing ahead ({chosen}) never pays on {_name(comparison, at)}, not even for one user."
    else:
        until = (
            f"from {ends} users at once it makes tokens slower"
            if ends is not None
            else f"at {rows[-1]['users']} users, the most looked at, {rows[-1]['tpot_ratio']:.2f}x"
        )
        faster = f"{rows[0]['tpot_ratio']:.2f}x faster for one user on {_name(comparison, at)}"
        sentence = f"Guessing ahead ({chosen}) makes tokens {faster}; {until}."
    notes = (
        (
            f"{kept:.0%} of the guesses kept{'' if chosen.acceptance is not None else ' (assumed)'}; a step keeps (1 - a^(k+1)) / (1 - a) "
            f"tokens and checks k + 1 positions. The gain may be {BAND[0]:g} to {BAND[1]:g} times this; it is not fitted."
        ),
    )
    columns = (
        Column("users", "Users at once", 1),
        Column("tpot_ms_plain", "TPOT without", 1, fmt.duration),
        Column("tpot_ms", "TPOT", 1, fmt.duration),
        Column("tpot_ratio", "Faster, x", 1),
        Column("gain", "A step alone, x", 2),
    )
    return Part("Guessing ahead", (sentence,), Table(tuple(rows), columns), notes), {
        "method": str(chosen),
        "steps": rows,
    }


def _name(comparison: Comparison, at: int) -> str:
    entry = comparison.market.offers[at]
    return f"{entry.provider} {entry.server}"
