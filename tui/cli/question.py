"""The question in one line, over the answer or in the document that holds it: all that differs from the usual is said."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from models.explain import duration
from pricing.terms import CompareOptions
from tui import format as fmt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from models.traffic import Workload

_READ_AS_MARKS = re.compile(r"([\\`*_\[\]|]|<(?!= )|(?<!-)>)")
"""What Markdown would not show as it is; `<= 2` and `->` are left alone: they are shown, and read better so."""


def question(workload: Workload, terms: CompareOptions, which: str = "") -> str:
    """The workload and how money is counted; `which` stands for model and format where they are not the workload's own."""
    model = which or f"{workload.model.name}, {workload.quant} weights"
    return fmt.clean(f"{model}, {'; '.join(_parts(workload, terms))}.")


def markdown_line(text: str) -> str:
    """A sentence as a paragraph of a document."""
    return _READ_AS_MARKS.sub(r"\\\1", fmt.clean(text))


def _parts(work: Workload, terms: CompareOptions) -> Iterator[str]:
    guessing = f", speculative {work.speculative}" if work.speculative is not None else ""
    beside = f", beside {', '.join(one.model.name for one in work.beside)}" if work.beside else ""
    writes = work.model.kv_cache  # an embedding model reads, and has neither an answer nor a time between tokens
    yield f"{f'{work.kv_quant} KV, ' if writes else ''}{work.engine} engine{guessing}{beside}"
    cached = f" ({_percent(work.prefix_hit)} of the prompt cached)" if work.prefix_hit else ""
    traffic = (
        "as fast as it goes"
        if work.full
        else f"{fmt.amount(work.requests_per_s, 'request')}/s"
        if work.requests_per_s is not None
        else fmt.few(work.concurrency or 0, "user")
    )
    read = (
        f"{work.input_tokens:,} -> {fmt.few(work.output_tokens, 'token')}"
        if writes
        else f"{work.input_tokens:,} tokens a document"
    )
    yield f"{read}{cached}, {traffic}"
    targets = [
        f"{name} <= {duration(limit)}"
        for name, limit in ((work.ttft_name, work.ttft_ms), ("TPOT", work.tpot_ms if writes else None))
        if limit is not None
    ]
    yield ", ".join(targets) or "no targets"
    if work.utilization != 1:
        yield f"servers filled to {_percent(work.utilization)}"
    usual = CompareOptions(today=terms.today, rates=terms.rates)
    if terms.vat:
        yield f"with {_percent(terms.vat)} VAT"
    if terms.hours_per_month != usual.hours_per_month:
        yield f"{fmt.amount(terms.hours_per_month, 'hour')} a month"
    if terms.setup_months != usual.setup_months:
        yield f"setup fees over {fmt.amount(terms.setup_months, 'month')}"
    if off := [f"{_percent(share)} off {name}" for name, share in sorted(terms.discounts.items()) if share]:
        yield ", ".join(off)


def _percent(share: float) -> str:
    return f"{fmt.plain(share * 100)} %"
