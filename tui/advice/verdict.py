"""What to rent and why: one sentence, and what would change it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from models.verdict import verdict
from tui.advice.report import Part, Report

if TYPE_CHECKING:
    from tui.advice.question import Question


def report(question: Question) -> Report:
    """The verdict over the offers asked about."""
    found = verdict(question.comparison, question.asked())
    return Report(
        "verdict",
        (Part("Verdict", (found.sentence, *found.changes)),),
        {"code": found.code, "sentence": found.sentence, "changes": list(found.changes)},
    )
