"""Voice calls and batch jobs: traffic that is given as calls at once, or as a pile of requests with a deadline."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from models.batch_job import job
from models.practical import MOST_SERVERS
from models.start import ENGINE_START_S
from models.verdict import verdict
from models.verdict_view import look
from tui import format as fmt
from tui.advice.changes import cheapest_pick
from tui.advice.report import Part, Table
from tui.cli.output import plain
from tui.cli.table import Column
from tui.input_text import show_traffic

if TYPE_CHECKING:
    from models.beside import Companion
    from pricing.compare import Comparison
    from tui.advice.question import Question

    Array = np.ndarray[Any, Any]

TURNS = 6.0
"""Answers a minute of a call (assumed)."""
BEST = 8


@dataclass(frozen=True, slots=True)
class BatchJob:
    """The part that says who finishes, its values, and the offer that does it for the least, or comes nearest."""

    part: Part
    data: dict[str, Any]
    at: int | None


def voice(
    question: Question, beside: tuple[Companion, ...], calls: int, turns: float, *, only: int | None = None
) -> tuple[Part, dict[str, Any]]:
    """Servers, TTFT of 95 of 100 answers and the price of a call's minute, with so many calls at once."""
    rate = calls * turns / 60
    work = question.workload.changed(requests_per_s=rate, ttft_at="p95", beside=beside)
    comparison = question.compared(work)
    rows_at = question.asked(comparison)
    found, view = verdict(comparison, rows_at), look(comparison, None)
    best = cheapest_pick(found, comparison)
    if best is not None and not comparison.practical[best]:
        best = None
    # What misses says something only where nothing meets.
    others = (found.cpu_pick, found.gpu_pick) if best is not None else (found.nearest,)
    picks = [pick for pick in (best, *others) if pick is not None and comparison.practical[pick]]
    if only is not None:
        held = comparison.column("meets_targets")[only] and comparison.practical[only]
        picks, best = [only], only if held else None
    rows = []
    for at in dict.fromkeys(picks):
        entry = comparison.market.offers[at]
        able, month = (float(comparison.column(name)[at]) for name in ("requests_per_s_at_target", "monthly_cost"))
        meets = bool(comparison.column("meets_targets")[at])
        rows.append(
            {
                "server": f"{entry.provider} {entry.server}",
                "offer_id": entry.offer_id,
                "kind": entry.kind,
                "meets_targets": meets,
                "servers_needed": plain(comparison.column("servers_needed")[at]),
                "calls_per_server": plain(math.floor(able * work.utilization * 60 / turns)) if meets else None,
                "ttft_ms": plain(comparison.column("ttft_ms")[at]),
                "ttft_p95_ms": plain(comparison.column("ttft_p95_ms")[at]),
                "tpot_ms": plain(comparison.column("tpot_ms")[at]),
                "monthly_cost": plain(month),
                "cost_per_call_minute": plain(month / (calls * comparison.terms.hours_per_month * 60)),
            }
        )
    target = (
        "no limit on TTFT" if work.ttft_ms is None else f"TTFT of 95 of 100 answers below {fmt.duration(work.ttft_ms)}"
    )
    if best is None:
        who = "No offer carries" if only is None else f"{rows[0]['server']} does not carry"
        most = f", with {MOST_SERVERS} servers or fewer" if only is None else ""
        said = [f"{who} {fmt.few(calls, 'call')} at once with {target}{most}."]
    else:
        row = rows[0]
        many = "" if row["servers_needed"] == 1 else f"{fmt.count(row['servers_needed'])} x "
        said = [
            (
                f"{fmt.few(calls, 'call')} at once ({fmt.number(rate)} requests/s): {many}{row['server']} at "
                f"{view.money(row['monthly_cost'])} a month; 95 of 100 answers begin within {fmt.duration(row['ttft_p95_ms'])}."
            ),
            (
                f"One server carries {fmt.few(row['calls_per_server'], 'call')}; a call's minute costs "
                f"{_fine(row['cost_per_call_minute'])} "
                f"{comparison.terms.currency} if that many calls go on around the clock."
            ),
        ]
    notes = (
        (
            f"Answers a minute of a call: {turns:g}{'' if 'turns' in question.said else ' (assumed)'}; target: {target}. "
            "Turns are taken as random: speech recognition, synthesis and the network are not in it."
        ),
        "The tail is that of the queue for prompts; its error was not measured, that of the mean applies at least.",
    )
    code = comparison.terms.currency
    columns = (
        Column("server", "Server", 1, widest=36),
        Column("servers_needed", "Servers", 1, fmt.count),
        Column("calls_per_server", "Calls a server", 1, fmt.count),
        Column("ttft_ms", "TTFT", 2, fmt.duration),
        Column("ttft_p95_ms", "TTFT p95", 1, fmt.duration),
        Column("monthly_cost", f"{code}/month", 1),
        Column("cost_per_call_minute", f"{code}/call-minute", 1, _fine),
    )
    data = {"calls": calls, "turns_per_minute": turns, "requests_per_s": rate, "servers": rows}
    return Part("Voice", tuple(said), Table(tuple(rows), columns), notes), data


def _fine(value: float | None) -> str:
    """A small price with three digits that count: 0.000100."""
    if value is None or not value > 0:
        return fmt.number(value)
    return f"{value:.{max(2 - math.floor(math.log10(value)), 0)}f}"


def batch(
    question: Question,
    requests: float,
    deadline_h: float,
    beside: tuple[Companion, ...] = (),
    *,
    only: int | None = None,
) -> BatchJob:
    """Which offers finish the requests in time, in how many hours, and what that costs by the hour."""
    work = question.workload.at_full_speed().changed(beside=beside)
    comparison = question.compared(work)
    asked = question.asked(comparison) if only is None else np.array([only])
    start = np.nan_to_num(comparison.column("load_s").astype(float)) + ENGINE_START_S
    done = job(requests, deadline_h, comparison.column("requests_per_s").astype(float), start)
    hour = comparison.price_per_hour
    bill = done.billed_hours * hour
    late = done.servers > comparison.market.most_servers
    can = asked[np.isfinite(bill[asked]) & ~late[asked] & ~comparison.market.out_of_stock[asked]]
    finish = int((np.isfinite(done.servers[asked]) & ~late[asked]).sum())
    alone = int((done.servers[asked] == 1).sum())
    kept: list[int] = []
    seen = set[tuple[str, str]]()
    kinds = set[str]()
    for at in can[np.argsort(bill[can], kind="stable")].tolist():
        entry = comparison.market.offers[at]
        if ((entry.provider, entry.server) in seen or len(kept) >= BEST) and entry.kind in kinds:
            continue
        seen.add((entry.provider, entry.server))
        kinds.add(entry.kind)
        kept.append(at)
    rows = []
    for at in kept:
        entry = comparison.market.offers[at]
        rate, low, high = (
            float(comparison.column(name)[at])
            for name in ("output_tokens_per_s", "output_tokens_per_s_low", "output_tokens_per_s_high")
        )
        hours = float(done.hours[at])
        rows.append(
            {
                "server": f"{entry.provider} {entry.server}",
                "offer_id": entry.offer_id,
                "kind": entry.kind,
                "term": entry.term,
                "servers": plain(float(done.servers[at])),
                "servers_at_worst": plain(
                    float(
                        job(
                            requests, deadline_h, float(comparison.column("requests_per_s")[at]) * low / rate, start[at]
                        ).servers
                    )
                ),
                "hours": plain(hours),
                "hours_low": plain(hours * rate / high),
                "hours_high": plain(hours * rate / low),
                "cost": plain(float(bill[at])),
                "cost_per_m_output_tokens": plain(float(bill[at]) * 1e6 / (requests * work.output_tokens)),
            }
        )
    view = look(comparison, None)
    deadline = f"{deadline_h:g} hour{'' if deadline_h == 1 else 's'}"
    near, nearest = ([], None) if rows else _nearest(comparison, asked, requests, deadline_h, start)
    if not rows:
        none = f"No offer billed by the hour finishes {requests:,.0f} requests in {deadline}"
        said = [
            f"{none} with {MOST_SERVERS} servers or fewer.",
            *near,
        ]
    else:
        best = rows[0]
        many = "" if best["servers"] == 1 else f"{best['servers']:.0f} x "
        said = [
            (
                f"{requests:,.0f} requests in {deadline}: {many}{best['server']} does it in "
                f"{fmt.number(best['hours'])} hours for {view.money(best['cost'])}."
            )
        ]
        if best["hours_high"] is not None and best["hours_high"] > deadline_h:
            said.append(
                f"At the slow end of its error band it takes {fmt.number(best['hours_high'])} hours and is late; "
                f"to be sure of the deadline plan {best['servers_at_worst']:,.0f} servers."
            )
        other = next((row for row in rows if row["kind"] != best["kind"]), None)
        if other is not None:
            said.append(
                f"The cheapest {other['kind'].upper()}: {other['servers']:.0f} x {other['server']} for {view.money(other['cost'])}."
            )
    if only is None:
        said.append(
            f"{alone:,} of {len(asked):,} offers finish alone, {finish:,} with {MOST_SERVERS} servers or fewer."
        )
    if not question.workload.full:
        said.append(f"The job is apart; what follows is for {show_traffic(question.workload)}.")
    notes = (
        (
            f"As fast as it goes, no latency targets; hours = start + requests / rate. A start reads the weights and takes "
            f"{ENGINE_START_S:.0f} s for the engine. Begun hours are paid; monthly prices are not counted."
        ),
    )
    code = comparison.terms.currency
    columns = (
        Column("server", "Server", 1, widest=36),
        Column("servers", "Servers", 1, fmt.count),
        Column("hours", "Hours", 1),
        Column("hours_low", "at best", 3),
        Column("hours_high", "at worst", 3),
        Column("term", "Term", 4),
        Column("cost", f"{code} the job", 1),
        Column("cost_per_m_output_tokens", f"{code}/M output", 3),
    )
    data = {"requests": requests, "deadline_hours": deadline_h, "finish_alone": alone, "finish": finish, "offers": rows}
    return BatchJob(
        Part("Overnight job", tuple(said), Table(tuple(rows), columns), notes), data, kept[0] if kept else nearest
    )


def _nearest(
    comparison: Comparison, asked: Array, requests: float, deadline_h: float, start: Array
) -> tuple[list[str], int | None]:
    """What comes closest to a deadline that nobody keeps: the fewest hours of one server (given too) and of all that can be had."""
    market = comparison.market
    rate = comparison.column("requests_per_s").astype(float)
    usable = asked[
        np.isfinite(rate[asked]) & np.isfinite(comparison.price_per_hour[asked]) & ~market.out_of_stock[asked]
    ]
    if not len(usable):
        return ["No offer billed by the hour holds the model."], None
    work, ready = requests / rate[usable] / 3600, start[usable] / 3600
    most = market.most_servers[usable]
    # More servers than finish in as long as they take to start are not worth it.
    many = np.minimum(np.maximum(np.ceil(work / np.maximum(ready, deadline_h)), 1.0), most)
    found = []
    for count in dict.fromkeys((False, True)):
        servers = many if count else np.ones(len(usable))
        hours = ready + work / servers
        best = int(np.argmin(hours))
        entry = market.offers[int(usable[best])]
        named = f"{servers[best]:,.0f} x " if servers[best] > 1 else ""
        found.append(f"{named}{entry.provider} {entry.server} in {fmt.number(float(hours[best]))} hours")
    first = int(np.argmin(ready))
    starts = (
        f" A start alone takes {fmt.number(float(ready[first]))} hours or more." if ready[first] > deadline_h else ""
    )
    return [f"The nearest: {', or '.join(dict.fromkeys(found))}.{starts}"], int(usable[int(np.argmin(work + ready))])
