"""Why the table is empty, and what brings rows back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.keys import first
from tui.state import FIT_WORDS, KIND_WORDS

if TYPE_CHECKING:
    from pricing.compare import Comparison
    from tui.session import Session
    from tui.state import ViewState


def explain(session: Session) -> list[str]:
    """Lines for an empty table; the condition that removes most is named."""
    comparison, view = session.comparison, session.view
    if comparison is None or session.rows is None or len(session.rows):
        return []
    total = session.counts().total
    if not total:
        return ["No prices at hand.", f"{first('refresh')} fetches current ones."]

    def count(other: ViewState) -> int:
        return int(session.filters(other).mask(comparison).sum())

    if view.fit != "all" and count(view.changed(fit="all")) and not count(view.changed(fit="fits")):
        from tui.ways_out import ways_out  # half a dozen comparisons, and seldom

        return ways_out(session)
    without: list[tuple[int, str]] = []
    if view.where:
        from pricing.where import compile_where

        base = session.filters(view.changed(where="")).mask(comparison)
        term, brought = compile_where(view.where).culprit(comparison, base)
        without.append((brought, term))
    if view.kind != "any":
        without.append((count(view.changed(kind="any")), f"type {KIND_WORDS[view.kind]}"))
    if view.fit != "all":
        without.append((count(view.changed(fit="all")), f"fit: {FIT_WORDS[view.fit]}"))
    if view.terms != "everything":
        all_terms = f"dated on-demand and monthly prices only ({first('filter.terms')})"
        without.append((count(view.changed(terms="everything")), all_terms))
    best = max(without, default=(0, ""))
    lines = [f"0 of {total:,} offers: {best[1]} removes {best[0]:,}." if best[0] else f"0 of {total:,} offers."]
    unheard = _in_no_name(view.where, comparison)
    if unheard:
        lines += unheard
    elif not best[0]:
        lines.append("No single filter is to blame: together they remove everything.")
    lines.append(f"{first('back')} clears the filters")
    return lines


def _in_no_name(where: str, comparison: Comparison) -> list[str]:
    """The words that no offer's name holds, with the nearest that one does. A guess is offered, never taken silently."""
    from pricing.filters import text_mask
    from pricing.where import terms_of, word_of
    from tui.completion import nearest

    lines = []
    for token in terms_of(where):
        word = word_of(token)
        if word is not None and not text_mask(comparison, word).any():
            near = nearest(word, comparison.market)
            lines.append(f"No name holds {word}." + (f" Did you mean {', '.join(near)}?" if near else ""))
    return lines
