"""Where no server carries the LLM with its companions: what would, the companions elsewhere."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from models.beside import devices_of, host_wait_s, query_share, spent
from models.tail import tail_wait
from models.verdict import verdict
from models.verdict_view import look
from pricing.terms import month_of_one
from tui import format as fmt
from tui.advice.changes import cheapest_pick

if TYPE_CHECKING:
    from models.beside import Companion
    from tui.advice.question import Question

    Array = np.ndarray[Any, Any]


def ways_out(question: Question, beside: tuple[Companion, ...], before: int | None) -> list[str]:
    """Sentences, the cheapest first; `before` is the cheapest offer that meets the targets with the LLM alone."""
    alone = question.comparison
    if before is None or not alone.practical[before]:
        found = verdict(alone, question.asked())
        return [f"The LLM alone is too much already: {found.sentence[:1].lower()}{found.sentence[1:]}"]
    said: list[tuple[float, str]] = []
    if any(one.on == "cpu" for one in beside):
        moved = tuple(replace(one, on="gpu") for one in beside)
        cards = question.compared(question.workload.changed(beside=moved))
        at = cheapest_pick(verdict(cards, question.asked(cards)), cards)
        if at is not None and cards.practical[at]:
            cost = float(cards.column("monthly_cost")[at])
            said.append((cost, f"On the cards (--embed-on gpu): {look(cards, None).price(at)}."))
    view = look(alone, None)
    llm = float(alone.column("monthly_cost")[before])
    own = own_machine(question, beside, before)
    if own is not None:
        at, month, ttft = own
        label = view.label(at)
        said.append(
            (
                llm + month,
                (
                    f"On a machine of their own: {label} for the companions at {view.money(month)} a month, beside "
                    f"{view.price(before)} for the LLM: {view.money(llm + month)} together, "
                    f"{question.workload.ttft_name} {fmt.duration(ttft)}."
                ),
            )
        )
    if not said:
        return [
            f"The LLM alone: {view.price(before)}; no one server carries the companions inside what is left of the target."
        ]
    return [words for _, words in sorted(said)]


def own_machine(question: Question, beside: tuple[Companion, ...], before: int) -> tuple[int, float, float] | None:
    """(offer, its month, TTFT in ms) of the cheapest server that carries the companions alone in what the LLM leaves of the target.

    Every card has a copy and takes its share of the requests, one after the other (M/D/1).
    """
    alone, market, work = question.comparison, question.comparison.market, question.workload
    table = market.table
    peak, read, cpu = devices_of(table, np.arange(len(table)))
    took = spent(beside, peak, read, cpu=cpu)
    copies = np.maximum(np.floor(np.where(table.is_gpu, table.gpu_count, 1.0)), 1.0)
    rate = float(alone.column("requests_per_s_served")[before]) if work.requests_per_s is None else work.requests_per_s
    wait = host_wait_s(rate / copies, took.busy_s)
    if work.ttft_at == "p95":
        wait = tail_wait(wait, took.busy_s / 2)
    ttft = float(alone.column(work.ttft_column)[before]) + (took.latency_s + wait) * 1e3
    able = (query_share(rate / copies, took.busy_s) < 1) & np.isfinite(ttft)
    able &= np.where(table.is_gpu, table.memory_gib, table.ram_gib) >= took.gib
    if work.ttft_ms is not None:
        able &= ttft <= work.ttft_ms
    asked = question.asked()
    month = month_of_one(market, alone.terms)[asked]
    good = able[market.server_index[asked]] & ~market.out_of_stock[asked] & np.isfinite(month)
    if not good.any():
        return None
    at = int(np.argmin(np.where(good, month, np.inf)))
    return int(asked[at]), float(month[at]), float(ttft[market.server_index[asked[at]]])
