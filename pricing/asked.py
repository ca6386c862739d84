"""What a comparison was asked, as plain text that its files carry, so that answers to two questions are not taken for a change.

`name: value; name: value` in a fixed order, numbers in full. Every row of a file holds it, so what is as nearly everybody has it is left
out: `unset` says what that means, for good. The currency is a column of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from models import catalog
from models.quantize import CLASSES
from pricing.offer_csv import clean_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import date

    from models.llm import LLM
    from models.traffic import Workload
    from pricing.filters import Filters
    from pricing.terms import CompareOptions

COLUMNS: Mapping[str, str] = {
    "workload": "what was asked, as `name: value; …`: model, formats, tokens, traffic, targets, VAT, hours; left out is what nearly "
    "everybody has (KV 16bit, engine auto, prefix hit 0, utilization 1, no VAT, 730 hours a month, setup fees over 12 months)",
    "selection": "which offers are listed, as `name: value; …`: filters, age of prices, --limit; `rackrate diff` refuses files that "
    "differ in either",
}
"""The columns of a file that hold it, and what they say."""
_UNSET = {
    "KV": "16bit", "engine": "auto", "prefix hit": "0", "utilization": "1", "hours a month": "730", "setup months": "12",
    "kind": "any", "providers": "all", "regions": "all", "age": "any", "since": "any day",
    "undated": "no", "fit": "all", "bundled prices": "there", "first": "all",
}  # fmt: skip
_BETWEEN = "; "


def workload_text(work: Workload, terms: CompareOptions) -> str:
    """The workload and the money of a comparison."""
    return _joined(_workload(work, terms))


def selection_text(
    filters: Filters, *, first: str = "", since: date | None = None, bundled: bool = True, listed: bool = False
) -> str:
    """Which offers are in a file.

    Args:
        filters: what they pass.
        first: how many by which column, where not all are written.
        since: the day asked for, of which the filters hold only the age.
        bundled: whether the bundled prices are among them.
        listed: whether a file of prices is.
    """
    return _joined(_selection(filters, first, since, bundled=bundled, listed=listed))


def read(text: str) -> dict[str, str]:
    """The values of such a text by name."""
    parts = (part.partition(": ") for part in text.split(_BETWEEN) if part)
    return {name: value for name, _, value in parts}


def differing(old: str, new: str) -> list[tuple[str, str, str]]:
    """(name, then, now) of what two texts do not agree on, in their order."""
    then, now = read(old), read(new)
    names = dict.fromkeys((*then, *now))
    return [
        (name, then.get(name, unset(name)), now.get(name, unset(name)))
        for name in names
        if then.get(name) != now.get(name)
    ]


def unset(name: str) -> str:
    """What a value that is left out means."""
    return _UNSET.get(name, "none")


def _joined(parts: Iterator[tuple[str, object]]) -> str:
    # A name from a file may hold anything; only the separator has to be kept apart.
    said = ((name, clean_text(str(value)).replace(";", ",")) for name, value in parts if value)
    return _BETWEEN.join(f"{name}: {value}" for name, value in said if value != _UNSET.get(name))


def _workload(work: Workload, terms: CompareOptions) -> Iterator[tuple[str, object]]:
    yield "model", _model(work.model)
    yield "weights", work.quant.lower() if work.quant.lower() in CLASSES else catalog.quant(work.quant).key
    yield "KV", work.kv_quant.lower()
    yield "engine", work.engine.lower() if work.engine.lower() == "auto" else catalog.engine(work.engine).key
    yield "speculative", work.speculative
    yield "beside", ", ".join(f"{one.model.name} {one.documents} x {one.tokens} on {one.on}" for one in work.beside)
    yield "tokens", f"{work.input_tokens} -> {work.output_tokens}"
    yield "prefix hit", _figure(work.prefix_hit)
    yield (
        "traffic",
        f"{work.concurrency} at once" if work.requests_per_s is None else f"{_figure(work.requests_per_s)} a second",
    )
    yield "TTFT target", "" if work.ttft_ms is None else f"{_figure(work.ttft_ms)} ms {work.ttft_at}"
    yield "TPOT target", "" if work.tpot_ms is None else f"{_figure(work.tpot_ms)} ms"
    yield "utilization", _figure(work.utilization)
    yield "VAT", f"{_figure(terms.vat * 100)} %" if terms.vat else ""
    yield (
        "discounts",
        ", ".join(f"{name} {_figure(off * 100)} %" for name, off in sorted(terms.discounts.items()) if off),
    )
    yield "hours a month", _figure(terms.hours_per_month)
    yield "setup months", _figure(terms.setup_months)


def _model(llm: LLM) -> str:
    """A model of the user's own is known by its size too: every config.json may be called the same."""
    return llm.name if llm.path is None else f"{llm.name} (own, {llm.params_total} parameters)"


def _selection(
    filters: Filters, first: str, since: date | None, *, bundled: bool, listed: bool
) -> Iterator[tuple[str, object]]:
    yield "kind", filters.kind
    yield "providers", ",".join(sorted(name.lower() for name in filters.providers))
    yield "regions", ",".join(sorted(name.lower() for name in filters.regions))
    yield "terms", ",".join(sorted(filters.terms))
    if since is not None:
        yield "since", since
    elif filters.max_age_months is not None:
        yield "age", f"at most {_figure(filters.max_age_months)} months"
    yield "undated", "yes" if filters.undated else ""
    yield "USD an hour", f"at most {_figure(filters.max_usd_hour)}" if filters.max_usd_hour is not None else ""
    yield "USD a month", f"at most {_figure(filters.max_usd_month)}" if filters.max_usd_month is not None else ""
    yield "fit", filters.fit
    yield "words", filters.text
    yield "where", filters.where.text if filters.where is not None else ""
    yield "bundled prices", "" if bundled else "left out"
    yield "file of prices", "added" if listed else ""
    yield "first", first


def _figure(value: float) -> str:
    """A number in full, without zeros that say nothing."""
    return f"{value:.10g}"
