"""Which model fits a budget: the largest of each family, its format and its server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from models.quality import loss
from models.verdict import verdict
from models.verdict_view import look
from pricing.budget import affordable
from tui import format as fmt
from tui.advice.changes import cheapest_pick
from tui.advice.offers import offer_row, printed
from tui.advice.report import Part, Report, Table
from tui.advice.verdict import workload_data
from tui.cli.table import Column

if TYPE_CHECKING:
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
            Column("released", "Released", 7),
            Column("loss", "Published loss", 8, widest=22), Column("fleet", "Servers", 1, widest=28), Column("provider", "Provider", 5),
            Column("monthly_cost", f"{code}/month", 1), Column("ttft", "TTFT (band)", 4), Column("tpot", "TPOT (band)", 6),
            Column("max_concurrency", "Users", 3, fmt.count),
        ),
    )  # fmt: skip
    if found:
        best = found[0]
        first = rows[0]
        where = f"{first['fleet']} ({first['provider']}) at {view.money(first['monthly_cost'])}"
        said = [f"For {view.money(budget)} a month the largest model is {best.llm.name} in {best.quant} on {where}."]
    else:
        said = [_none(question, budget, families)]
    notes = (
        "Ranked by parameters. Size is no measure of quality, and newer models of a size are better: rackrate has no scores of quality.",
        "Of each family the largest model that fits is listed, in the most bits that fit.",
    )
    data = {"budget": budget, "models": [dict(row) for row in rows], "sentences": said, **workload_data(question)}
    return Report("budget", (Part("Budget", tuple(said), table, notes),), data, table)


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
    """What the workload's own model would cost."""
    comparison = question.comparison
    view = look(comparison, None)
    which = f" that holds {' '.join(families)}" if families else ""
    said = f"No model{which} meets these targets at this traffic for {view.money(budget)} a month"
    pick = cheapest_pick(verdict(comparison, question.asked()), comparison)
    if pick is None or not np.isfinite(comparison.column("monthly_cost")[pick]):
        return f"{said}."
    cost = float(comparison.column("monthly_cost")[pick])
    return f"{said}; {question.workload.model.name} costs {view.money(cost)} at least."
