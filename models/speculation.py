"""A choice of speculative decoding: the method, how many tokens a step guesses, how often a guess is kept."""

from __future__ import annotations

import re
from dataclasses import dataclass

from models.errors import WorkloadError, brief

METHODS = ("mtp", "eagle", "draft", "ngram")
"""Heads trained with the model, an EAGLE head, a small model of the same vocabulary, words of the prompt."""
USUAL = {"mtp": 1, "eagle": 3, "draft": 4, "ngram": 4}
"""Tokens a step guesses where nobody says: what engines' own examples set (assumed)."""
MOST = 16
_TEXT = re.compile(r"(?P<method>[a-z]+)(?::(?P<drafted>\d{1,3}))?(?:@(?P<rate>\d*\.?\d+%?))?")
_HINT = "Write a method and, if you like, tokens and acceptance: mtp, eagle:3, draft:4@0.7, ngram:4, or none."


@dataclass(frozen=True, slots=True)
class Speculation:
    """One choice; `acceptance` None = the method's usual one."""

    method: str
    drafted: int
    acceptance: float | None = None

    def __str__(self) -> str:
        kept = "" if self.acceptance is None else f"@{self.acceptance:g}"
        return f"{self.method}:{self.drafted}{kept}"


def speculation(text: str) -> Speculation | None:
    """The choice that a text names; None for "none". Raises WorkloadError for any other text."""
    word = text.strip().lower()
    if word in {"none", "off", "no", ""}:
        return None
    found = _TEXT.fullmatch(word)
    if found is None or found["method"] not in METHODS:
        raise WorkloadError(f"Speculative decoding cannot be {brief(text)}.", hint=_HINT)
    drafted = int(found["drafted"]) if found["drafted"] else USUAL[found["method"]]
    rate = found["rate"]
    kept = None if rate is None else float(rate.rstrip("%")) / (100 if rate.endswith("%") else 1)
    if not 1 <= drafted <= MOST or (kept is not None and not 0 <= kept <= 1):
        raise WorkloadError(
            f"{brief(text)}: a step guesses 1 to {MOST} tokens, and 0 to 1 of them are kept.", hint=_HINT
        )
    return Speculation(found["method"], drafted, kept)
