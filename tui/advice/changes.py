"""What would change the answer: the same question asked again with one thing other, each with what it then costs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from models.errors import RackrateError
from models.explain import duration
from models.verdict import verdict
from models.verdict_view import look
from tui.input_steps import scale_prompt, step_quant, step_ttft

if TYPE_CHECKING:
    from collections.abc import Iterator

    from models.traffic import Workload
    from models.verdict import Verdict
    from pricing.compare import Comparison
    from pricing.filters import Filters
    from tui.advice.question import Question

WORTH = 0.05
"""A change of the bill by less than this share is not told."""
PATIENCE = 3
"""Steps of the TTFT target that are tried; further ones are another workload."""


@dataclass(frozen=True, slots=True)
class Change:
    """One thing other, and the cheapest offer that then meets the targets."""

    words: str
    comparison: Comparison
    pick: int | None
    """None where nothing meets the targets even so."""
    monthly_cost: float | None
    kind: str
    ratio: float | None
    """Of the monthly cost to that of the answer; None where one of them has none."""


def cheapest_pick(found: Verdict, comparison: Comparison) -> int | None:
    """The cheaper one of a verdict's picks."""
    picks = [pick for pick in (found.cpu_pick, found.gpu_pick) if pick is not None]
    cost = comparison.column("monthly_cost")
    return min(picks, key=lambda pick: float(cost[pick]), default=None)


def changes(question: Question, found: Verdict) -> tuple[Change, ...]:
    """Those that move the bill by a twentieth, or the kind of server, or whether anything meets the targets; the largest saving first."""
    pick = cheapest_pick(found, question.comparison)
    now = float(question.comparison.column("monthly_cost")[pick]) if pick is not None else None
    kind = question.comparison.market.offers[pick].kind if pick is not None else ""
    told: list[Change] = []
    seen: set[str] = set()
    for group, words, workload, filters in _variants(question):
        if group in seen:  # a longer step of what already helped
            continue
        change = _asked(question, words, workload, filters, now)
        if change is None or change.pick is None:
            continue
        turned = now is None or change.kind != kind
        if turned or (change.ratio is not None and abs(change.ratio - 1) >= WORTH):
            told.append(change)
            seen.add(group)
    return tuple(sorted(told, key=lambda one: one.monthly_cost or 0.0))


def _asked(question: Question, words: str, workload: Workload, filters: Filters, now: float | None) -> Change | None:
    try:
        comparison = question.compared(workload)
    except RackrateError:  # a format that this model or engine has not
        return None
    import numpy as np

    found = verdict(comparison, np.flatnonzero(filters.mask(comparison)))
    pick = cheapest_pick(found, comparison)
    if pick is None or not look(comparison, None).practical(pick):
        return Change(words, comparison, None, None, "", None)
    cost = float(comparison.column("monthly_cost")[pick])
    return Change(words, comparison, pick, cost, comparison.market.offers[pick].kind, cost / now if now else None)


def _variants(question: Question) -> Iterator[tuple[str, str, Workload, Filters]]:
    """(what it is a step of, in words, workload, filters)."""
    work, filters = question.workload, question.filters
    fewer, more = step_quant(work, -1), step_quant(work, 1)
    if fewer != work:
        yield "fewer", f"weights in {fewer.quant}", fewer, filters
    if more != work:
        yield "more", f"weights in {more.quant}", more, filters
    if work.kv_quant == "16bit":
        yield "kv", "KV cache in fp8", work.changed(kv_quant="fp8"), filters
    patient = work
    for _ in range(PATIENCE if work.ttft_ms is not None else 0):
        patient = step_ttft(patient, 1)
        if patient.ttft_ms is None:
            break
        yield "patient", f"a TTFT target of {duration(patient.ttft_ms)}", patient, filters
    if work.input_tokens >= 64:
        half = scale_prompt(work, 0.5)
        yield "prompt", f"prompts of {half.input_tokens:,} tokens", half, filters
    if not work.prefix_hit:
        yield "prefix", "half of the prompt in the prefix cache", work.changed(prefix_hit=0.5, preset=None), filters
    yield from _wider(work, filters)


def _wider(work: Workload, filters: Filters) -> Iterator[tuple[str, str, Workload, Filters]]:
    """The same workload on more offers."""
    if "all" not in filters.terms:
        for term in ("reserved", "savings_plan", "spot"):
            if term not in filters.terms:
                words = {"reserved": "reserved terms", "savings_plan": "savings plans", "spot": "spot servers"}[term]
                yield term, words, work, replace(filters, terms=(*filters.terms, term))
    if filters.regions:
        yield "region", "any region", work, replace(filters, regions=())
    if filters.providers:
        yield "provider", "any provider", work, replace(filters, providers=())
    if filters.kind:
        yield (
            "kind",
            "GPU servers too" if filters.kind == "cpu" else "CPU servers too",
            work,
            replace(filters, kind=None),
        )
    if filters.max_usd_month is not None or filters.max_usd_hour is not None:
        yield "price", "no limit on the price", work, replace(filters, max_usd_month=None, max_usd_hour=None)
    if filters.max_age_months is not None or not filters.undated:
        yield "old", "undated and older prices too", work, replace(filters, undated=True, max_age_months=None)
