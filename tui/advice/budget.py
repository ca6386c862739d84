"""Which model fits a budget: the largest of each family, its format and its server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from models.errors import InputError
from models.quality import loss
from models.verdict_view import look
from pricing.budget import affordable, least
from tui import format as fmt
from tui.advice.offers import offer_row, printed
from tui.advice.report import Part, Report, Table
from tui.advice.verdict import workload_data
from tui.cli.table import Column

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from models.traffic import Workload
    from pricing.budget import Affordable
    from pricing.terms import CompareOptions
    from tui.advice.question import Question

BUDGET = 300.0
"""A month, where nobody says: what a small team pays without asking (assumed)."""
QUALITY = (
    "Against 16 bits = what somebody published for the format, of another model as a rule: a worse perplexity, or better or worse "
    "scores in tests than the same model in 16 bits has; --format json names model and source."
)


def prepare(workload: Workload, said: Mapping[str, Any], options: CompareOptions, given: frozenset[str]) -> Workload:
    """The workload as it is. Raises InputError for a model: it is what the budget looks for."""
    del said, options
    if "model" in given:
        raise InputError(
            "`rackrate advise budget` looks for the model itself, so --model says nothing to it.",
            hint="--models WORD,... leaves only models whose name or family holds a word.",
        )
    return workload


def asked_for(said: Mapping[str, Any]) -> str:
    """Model and format as the question has them: they are what is looked for."""
    which = f"Models of {_or(said['models'])}" if "models" in said else "Any model"
    return f"{which}, {said.get('quant', 'any')} weights"


def report(question: Question) -> Report:
    """The largest model of each family within the budget, at the workload's traffic and targets."""
    comparison = question.comparison
    budget = float(question.said.get("budget", BUDGET))
    families, quant = tuple(question.said.get("models", ())), question.said.get("quant")
    found = affordable(comparison, question.asked(), budget, families, quant)
    view = look(comparison, None)
    code = comparison.terms.currency
    rows = tuple(_row(one) for one in found)
    table = Table(
        rows,
        (
            Column("model", "Model", 1), Column("parameters_b", "Params B", 1), Column("quant", "Weights", 1),
            Column("released", "Released", 2), Column("alike", "As fast", 10, widest=32),
            Column("loss", "Against 16 bits", 8, widest=24),
            Column("fleet", "Servers", 1, widest=28), Column("provider", "Provider", 9),
            Column("monthly_cost", f"{code}/month", 1), Column("ttft", "TTFT (band)", 4), Column("tpot", "TPOT (band)", 6),
            Column("max_concurrency", "Users", 3, fmt.count),
        ),
    )  # fmt: skip
    said = [*_best(view.money(budget), found)] if found else [_none(question, budget, families, quant)]
    notes = (
        "Ranked by parameters. Size is no measure of quality, and newer models of a size are better: rackrate has no scores of quality.",
        (
            f"Of each family the largest model that fits is listed, {f'in {quant}' if quant else 'in the most bits that fit'}; of models "
            "of one shape, which take the same server at the same speed, the newest general one."
        ),
        *((QUALITY,) if any(row["loss"] for row in rows) else ()),
    )
    data = {"budget": budget, "models": [dict(row) for row in rows], "sentences": said, **workload_data(question)}
    # The workload's own model is not asked about, nor is its format unless it was said.
    data["workload"] = {
        key: value
        for key, value in data["workload"].items()
        if key != "model" and (key != "quant" or quant is not None)
    }
    return Report("budget", (Part("Budget", tuple(said), table, notes),), data, table)


def _best(budget: str, found: tuple[Affordable, ...]) -> Iterator[str]:
    """The largest, whether it holds at the slow end of its band, and the newest, which may be the better one."""
    largest = found[0]
    view = look(largest.comparison, np.array([largest.at]))
    yield (
        f"For {budget} a month the largest model is {largest.llm.name} in {largest.format} on {view.price(largest.at)}, "
        f"{view.speed(largest.at)}."
    )
    (month,) = largest.comparison.months_at((largest.at,), "low")
    if np.isnan(month):
        yield "At the slow end of its error band it misses the targets."
    elif np.isinf(month):
        yield "At the slow end of its error band more than fifty servers would be needed."
    elif month > largest.comparison.column("monthly_cost")[largest.at] * (1 + 1e-9):
        yield f"At the slow end of its error band it takes more servers: {view.money(month)}."
    newest = max(found, key=lambda one: one.llm.release_date or "")
    if newest is not largest and newest.llm.release_date:
        place = look(newest.comparison, None).price(newest.at)
        yield f"The newest is {newest.llm.name} of {newest.llm.release_date} in {newest.format} on {place}."


def _row(one: Affordable) -> dict[str, Any]:
    row = printed(offer_row(one.comparison, one.at))
    known = loss(str(row["quant"] or ""))
    return {
        "model": one.llm.name,
        "family": one.llm.family,
        "parameters_b": one.llm.params_total / 1e9,
        "active_parameters_b": None if one.llm.params_active is None else one.llm.params_active / 1e9,
        "released": one.llm.release_date,
        "loss": None if known is None else known.judged,
        "loss_model": None if known is None else known.model,
        "loss_source_url": None if known is None else known.source_url,
        "alike": [llm.name for llm in one.alike] or None,
    } | row


def _or(words: Sequence[str]) -> str:
    """Several words of which one is enough."""
    return " or ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else words[0]


def _none(question: Question, budget: float, families: tuple[str, ...], quant: str | None) -> str:
    """What the cheapest costs that would do."""
    comparison, asked = question.comparison, question.asked()
    which = f" of {_or(families)}" if families else ""
    which += f" in {quant}" if quant is not None else ""
    said = f"No model{which} meets these targets at this traffic for {look(comparison, None).money(budget)} a month"
    found = least(comparison, asked, families, quant)
    if found is None:
        return f"{said}, nor for any other amount on these offers: the smallest of each family miss them on every server in stock."
    view = look(found.comparison, None)
    return f"{said}; of the smallest of each family the cheapest to serve is {found.llm.name} in {found.format} on {view.price(found.at)}."
