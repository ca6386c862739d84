"""What to change where no server holds the model: how far the nearest one is off, and which single change brings servers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tui import format as fmt
from tui.input_steps import scale_prompt, step_quant
from tui.keys import first

if TYPE_CHECKING:
    from collections.abc import Iterator

    from models.traffic import Workload
    from tui.session import Session

HALVINGS = 4
"""A prompt of a sixteenth is another workload."""


def ways_out(session: Session) -> list[str]:
    """Lines for a table in which nothing fits; looked for once for a comparison and a view."""
    asked = (session.comparison, session.view)
    if session.ways_out is None or session.ways_out[0] != asked:
        session.ways_out = (asked, _found(session))
    return session.ways_out[1]


def _found(session: Session) -> list[str]:
    work = session.workload
    lines = [
        f"No server shown holds {work.model.name} in {work.quant} with a prompt of {work.input_tokens:,} tokens.",
        *_nearest(session),
        *_smaller(session),
        *_smaller_cache(session),
        *_shorter(session),
        *_other_kinds(session),
    ]
    return [*lines, f"{first('filter.fit')} shows all servers with how far each is off"]


def _nearest(session: Session) -> Iterator[str]:
    """The server that lacks the least memory."""
    comparison = session.comparison
    if comparison is None:
        return
    shown = comparison.select(session.filters(session.view.changed(fit="all")))
    used = np.asarray(comparison.column("memory_used_share"), dtype=float)[shown]
    if not len(used) or np.isnan(used).all():
        return
    best = int(shown[int(np.nanargmin(used))])
    offer, market = comparison.market.offers[best], comparison.market
    reason = str(comparison.estimates.fit_reason(int(market.server_index[best])) or "")
    share = f"{np.nanmin(used):.0%} of its memory"
    yield f"Nearest: {offer.server} ({offer.provider}), {share}{':' if reason else ''}"
    if reason:
        yield f"  {reason}"


def _count(session: Session, workload: Workload) -> int:
    return len(session.compare(workload).select(session.filters(session.view)))


def _smaller(session: Session) -> Iterator[str]:
    """The first step of the weights that fits somewhere."""
    work = session.workload
    smaller = step_quant(work, -1)
    while smaller.quant != work.quant:
        if count := _count(session, smaller):
            yield f"{smaller.quant}: {fmt.few(count, 'server')} — {first('quant.lower')} goes there"
            return
        work, smaller = smaller, step_quant(smaller, -1)


def _smaller_cache(session: Session) -> Iterator[str]:
    """The KV cache in eight bits."""
    work = session.workload
    if work.kv_quant == "16bit" and (count := _count(session, work.changed(kv_quant="fp8"))):
        yield f"KV cache in fp8: {fmt.few(count, 'server')} — {first('workload.edit')}, field KV"


def _shorter(session: Session) -> Iterator[str]:
    """The first halving of the prompt that fits somewhere."""
    work = session.workload
    for _ in range(HALVINGS):
        shorter = scale_prompt(work, 0.5)
        if shorter == work:
            return
        work = shorter
        if count := _count(session, work):
            yield f"prompt of {work.input_tokens:,} tokens: {fmt.few(count, 'server')} — {first('prompt.halve')} goes there"
            return


def _other_kinds(session: Session) -> Iterator[str]:
    """GPU servers where CPU servers are shown, and the other way round."""
    view, comparison = session.view, session.comparison
    if view.kind == "any" or comparison is None:
        return
    if count := len(comparison.select(session.filters(view.changed(kind="any")))):
        other = "CPU" if view.kind == "gpu" else "GPU"
        yield f"{other}: {fmt.few(count, 'server')} — {first('filter.kind')} shows them"
