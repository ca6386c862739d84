"""What hidden part of a server caps it: every check of the offers worth a look, or of one that is named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from models.bottlenecks import NOTE, OK, UNKNOWN, WARNING
from models.verdict import verdict
from tui.advice.changes import cheapest_pick
from tui.advice.named import named_offer
from tui.advice.report import Part, Report, Table
from tui.advice.verdict import workload_data
from tui.cli.output import plain
from tui.cli.table import Column

if TYPE_CHECKING:
    from collections.abc import Iterator

    from models.bottlenecks import Finding
    from tui.advice.question import Question

COLUMNS = (
    Column("name", "Check", 1),
    Column("severity", "Says", 2),
    Column("cost", "Costs", 3, widest=40),
    Column("text", "Finding", 1, wrap=True),
)


def report(question: Question) -> Report:
    """The checks of the verdict's picks, of a server with several GPUs and a CPU beside them, or of the offer that is named."""
    comparison = question.comparison
    parts: list[Part] = []
    rows: list[dict[str, Any]] = []
    picks, chosen = _offers(question)
    for at, why in picks.items():
        entry = comparison.market.offers[at]
        found = comparison.bottlenecks(at)
        made = [_row(entry.offer_id, finding) | {"chosen_as": why or None} for finding in found]
        rows += made
        title = f"{entry.provider} {entry.server}" + (f": {why}" if why else "")
        if not found:
            parts.append(
                Part(title, (f"There is no estimate to check: {comparison.reason(at) or 'unknown hardware'}.",))
            )
            continue
        sentences = (*_sentences(found), *filter(None, (chosen,)))
        parts.append(Part(title, sentences, Table(tuple(made), COLUMNS), tuple(_notes(found))))
    if not parts:
        parts = [Part("Bottlenecks", ("No offer asked about holds the model, so there is nothing to check.",))]
    return Report(
        "bottlenecks", tuple(parts), {"findings": rows, **workload_data(question)}, Table(tuple(rows), COLUMNS)
    )


def _offers(question: Question) -> tuple[dict[int, str], str]:
    """The offers to check with why each is among them, and how a named one was chosen."""
    if "server" in question.said:
        named = named_offer(question, question.said["server"], priced=False)
        return {named.at: ""}, named.said
    comparison = question.comparison
    found = verdict(comparison, question.asked())
    best = cheapest_pick(found, comparison)
    picks: dict[int, str] = {}
    for at, why in (
        (best, "the cheapest that meets the targets"),
        (found.cpu_pick, "the cheapest CPU server"),
        (found.gpu_pick, "the cheapest GPU server"),
        (found.nearest, "the nearest that misses"),
        *_others(question),
    ):
        if at is not None:
            picks.setdefault(at, why)
    return picks, ""


def _others(question: Question) -> Iterator[tuple[int | None, str]]:
    """The cheapest that splits the model over several GPUs, whose link is checked, and the cheapest CPU that holds it."""
    comparison, asked = question.comparison, question.asked()
    market = comparison.market
    cost, meets = comparison.column("monthly_cost"), comparison.column("meets_targets").astype(bool)
    good = np.isfinite(cost) & ~market.out_of_stock & comparison.practical
    split = good & market.is_gpu & (comparison.column("tp_used").astype(float) > 1)
    for mask, why in (
        (split, "the cheapest that splits the model over GPUs"),
        (good & ~market.is_gpu, "the cheapest CPU server"),
    ):
        some = asked[mask[asked]]
        # What meets the targets comes first; a miss has its limits all the same.
        yield (int(some[np.lexsort((cost[some], ~meets[some]))[0]]) if len(some) else None), why


def _row(offer_id: str, finding: Finding) -> dict[str, Any]:
    return {
        "offer_id": offer_id,
        "check": finding.code,
        "name": finding.name,
        "severity": finding.severity,
        "text": finding.text,
        "cost": finding.cost or None,
        "value": plain(finding.value),
        "unit": finding.unit or None,
        "limit": plain(finding.limit),
        "formula": finding.formula,
        "in_the_estimate": finding.counted,
        "source": finding.source or None,
    }


def _sentences(found: tuple[Finding, ...]) -> Iterator[str]:
    serious = [one for one in found if one.severity == WARNING]
    open_ones = [one.name for one in found if one.severity == UNKNOWN]
    if serious:
        yield f"{'; '.join(f'{one.name}: {one.cost or one.text}' for one in serious)}."
    elif costly := [one for one in found if one.severity == NOTE and one.cost]:
        yield f"Nothing stops this server; what costs it something: {'; '.join(f'{one.name}, {one.cost}' for one in costly)}."
    else:
        yield "Nothing hidden caps this server by the checks that its facts allow."
    if open_ones:
        yield f"Not stated by the seller, so not checked: {', '.join(open_ones)}."


def _notes(found: tuple[Finding, ...]) -> Iterator[str]:
    for one in found:
        if one.severity not in {OK, UNKNOWN}:
            counted = "in the estimate" if one.counted else "not in the estimate"
            yield f"{one.name}: {one.formula}; {counted}. Source: {one.source}."
