"""Which model fits a budget: the largest of each family, its format and its server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from models.quality import loss
from models.verdict_band import meets_at, month_at
from models.verdict_view import look
from pricing.budget import affordable, least
from tui import format as fmt
from tui.advice.offers import offer_row, printed
from tui.advice.report import Part, Report, Table
from tui.advice.verdict import workload_data
from tui.cli.table import Column

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pricing.budget import Affordable
    from tui.advice.question import Question

BUDGET = 300.0
"""A month, where nobody says: what a small team pays without asking (assumed)."""


def report(question: Question) -> Report:
    """The largest model of each family within the budget, at the workload's traffic and targets."""
    comparison = question.comparison
    budget = float(question.said.get("budget", BUDGET))
    families = tuple(question.said.get("models", ()))
    found = affordable(comparison, question.asked(), budget, families)
    view = look(comparison, None)
    code = comparison.terms.currency
    rows = tuple(_row(one) for one in found)
    table = Table(
        rows,
        (
            Column("model", "Model", 1), Column("parameters_b", "Params B", 1), Column("quant", "Weights", 1),
            Column("released", "Released", 2),
            Column("loss", "Published loss", 8, widest=22), Column("fleet", "Servers", 1, widest=28), Column("provider", "Provider", 9),
            Column("monthly_cost", f"{code}/month", 1), Column("ttft", "TTFT (band)", 4), Column("tpot", "TPOT (band)", 6),
            Column("max_concurrency", "Users", 3, fmt.count),
        ),
    )  # fmt: skip
    said = [*_best(view.money(budget), found)] if found else [_none(question, budget, families)]
    notes = (
        "Ranked by parameters. Size is no measure of quality, and newer models of a size are better: rackrate has no scores of quality.",
        "Of each family the largest model that fits is listed, in the most bits that fit.",
    )
    data = {"budget": budget, "models": [dict(row) for row in rows], "sentences": said, **workload_data(question)}
    return Report("budget", (Part("Budget", tuple(said), table, notes),), data, table)


def _best(budget: str, found: tuple[Affordable, ...]) -> Iterator[str]:
    """The largest, whether it holds at the slow end of its band, and the newest, which may be the better one."""
    largest = found[0]
    view = look(largest.comparison, np.array([largest.at]))
    yield (
        f"For {budget} a month the largest model is {largest.llm.name} in {largest.quant} on {view.price(largest.at)}, "
        f"{view.speed(largest.at)}."
    )
    month = float(month_at(view, "low")[0])
    if not meets_at(view, "low")[0]:
        yield "At the slow end of its error band it misses the targets."
    elif not np.isfinite(month):
        yield "At the slow end of its error band more than fifty servers would be needed."
    elif month > largest.comparison.column("monthly_cost")[largest.at] * (1 + 1e-9):
        yield f"At the slow end of its error band it takes more servers: {view.money(month)}."
    newest = max(found, key=lambda one: one.llm.release_date or "")
    if newest is not largest and newest.llm.release_date:
        place = look(newest.comparison, None).price(newest.at)
        yield f"The newest is {newest.llm.name} of {newest.llm.release_date} in {newest.quant} on {place}."


def _row(one: Affordable) -> dict[str, Any]:
    row = printed(offer_row(one.comparison, one.at))
    known = loss(str(row["quant"] or ""))
    return {
        "model": one.llm.name,
        "family": one.llm.family,
        "parameters_b": one.llm.params_total / 1e9,
        "active_parameters_b": None if one.llm.params_active is None else one.llm.params_active / 1e9,
        "released": one.llm.release_date,
        "loss": None if known is None else known.words,
    } | row


def _none(question: Question, budget: float, families: tuple[str, ...]) -> str:
    """What the cheapest costs that would do."""
    comparison, asked = question.comparison, question.asked()
    which = f" that holds {' '.join(families)}" if families else ""
    said = f"No model{which} meets these targets at this traffic for {look(comparison, None).money(budget)} a month"
    found = least(comparison, asked, families)
    if found is None:
        return f"{said}, nor for any other amount on these offers: the smallest of each family miss them on every server in stock."
    view = look(found.comparison, None)
    return f"{said}; of the smallest of each family the cheapest to serve is {found.llm.name} in {found.quant} on {view.price(found.at)}."
