"""One topic's answer: its module's report, or why there is nothing to report on."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from tui.advice.report import Part, Report, Table
from tui.cli.table import Column

if TYPE_CHECKING:
    from tui.advice.question import Question

NO_OFFERS = "No offer is left by the filters: fewer of them, `--term all` or `--undated` show more."
"""Without this a topic would say that nothing meets the targets, which nobody tried."""
SAYS_IT_ITSELF = frozenset({"verdict"})
"""Topics with an answer of their own to that."""


def answer(topic: str, question: Question) -> Report:
    """The report of a topic by name. Raises what the topic raises."""
    if topic not in SAYS_IT_ITSELF and not len(question.asked()):
        from tui.advice.verdict import workload_data

        table = Table(({"reason": NO_OFFERS},), (Column("reason", "Reason", 1),))
        data = {"sentences": [NO_OFFERS], **workload_data(question)}
        return Report(topic, (Part("Answer", (NO_OFFERS,)),), data, table)
    found: Report = importlib.import_module(f"tui.advice.{topic}").report(question)
    return found
