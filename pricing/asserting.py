"""Conditions that at least one offer must meet, for CI and cron: the filter's terms, held against the offers that meet the targets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from pricing.compare import COMPARE_COLUMNS
from pricing.errors import WhereError
from pricing.where import Where, compile_where, limit_of, numbers, word_of
from pricing.where_fields import TEXT_FIELDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pricing.compare import Comparison

    Array = np.ndarray[Any, Any]

TEXT_COLUMNS = frozenset({
    *TEXT_FIELDS, "offer_id", "region_group", "cpu_model", "gpu_model", "interconnect", "storage", "nic", "availability", "source_url",
    "source_date", "fetched_at", "price_basis", "cpu_basis", "note", "fit_reason", "engine_used", "quant_used", "bound_by",
    "cost_currency", "reason", "warnings",
})  # fmt: skip
"""Columns that hold texts: `=` asks for one as the filter's colon does."""
_QUOTED = r'("[^"]*")'
_JOINED = re.compile(rf"{_QUOTED}|\s+and\s+|^and\b|\band$|,(?=\s|[^\s,\"]+\s*(?:[<>=!]=?|:))", re.IGNORECASE)
"""`and`, and a comma before a space or another term: neither the comma of 1,500 nor that of provider:a,b."""
_TEXT = re.compile(
    rf'{_QUOTED}|(?<![\w.$/])(?P<field>{"|".join(sorted(TEXT_COLUMNS))})\s*(?P<op>==?|!=)\s*(?P<value>"[^"]*"|[^\s<>=!]+)', re.IGNORECASE
)  # fmt: skip
_TRUTH = re.compile(rf"{_QUOTED}|(?<==)\s*(?P<word>true|false)\b", re.IGNORECASE)
_NO_WORDS = {
    "or": "Write a<1|b<2 for the one or the other.",
    "not": "Write !spot, for example, to turn a term round.",
}
"""What people write of other languages; as the filter's words they would stand for names."""


def condition(text: str) -> Where:
    """A condition as the filter's expression, with `and`, commas, and `=` for texts and for true and false. Raises WhereError."""
    parts = _parts(text)
    if not all(part.strip() for part in parts):
        raise WhereError(text, "there is no condition on one side of and." if len(parts) > 1 else "it is empty.")
    plain = " ".join(_TRUTH.sub(_truth, _TEXT.sub(_text, part.strip())) for part in parts)
    found = compile_where(plain)
    for token, _ in found.terms:
        if hint := _NO_WORDS.get(token.lower()):
            raise WhereError(token, "this word joins no terms.", hint=hint)
        if word_of(token) is not None:
            hint = "Write monthly_cost<500, or provider:hetzner for a name."
            raise WhereError(token, "an assertion is a column, an operator and a number.", hint=hint)
        name, colon, _ = token.lstrip("!").lower().partition(":")
        if colon and name in COMPARE_COLUMNS and name not in TEXT_COLUMNS:
            raise WhereError(token, f"{name} is no text.", hint=f"Write {name}<10, for example.")
    return found


def _parts(text: str) -> list[str]:
    parts, start = [], 0
    for found in _JOINED.finditer(text):
        if found[1] is None:
            parts.append(text[start : found.start()])
            start = found.end()
    return [*parts, text[start:]]


def _text(found: re.Match[str]) -> str:
    if found[1] is not None:
        return found[0]
    return f"{'!' if found['op'] == '!=' else ''}{found['field']}:{found['value']}"


def _truth(found: re.Match[str]) -> str:
    if found[1] is not None:
        return found[0]
    return "1" if found["word"].lower() == "true" else "0"


def unmet(comparison: Comparison, asked: Array, conditions: Sequence[Where]) -> str | None:
    """Why no offer of `asked` meets all conditions, in a sentence with the nearest one; None where one does.

    Offers that miss the latency targets or have no price do not count.
    """
    met = comparison.column("meets_targets")[asked].astype(bool) & np.isfinite(comparison.column("monthly_cost")[asked])
    usable = asked[met]
    if not len(usable):
        return "No offer meets the latency targets at a known price, so none can meet --assert."
    wanted = Where(" ".join(one.text for one in conditions), tuple(term for one in conditions for term in one.terms))
    masks = [term(comparison)[usable] for _, term in wanted.terms]
    if np.logical_and.reduce(masks).any():
        return None
    count = f"{len(usable):,} offers that meet" if len(usable) > 1 else "1 offer that meets"
    return f"None of the {count} the latency targets meets --assert {wanted.text!r}: {_nearest(comparison, usable, wanted, masks)}."


def _nearest(comparison: Comparison, usable: Array, wanted: Where, masks: Sequence[Array]) -> str:
    """The offer that misses one number by the smallest share and meets all other terms; else what nobody meets."""
    tokens = [token for token, _ in wanted.terms]
    misses = [
        miss
        for at, token in enumerate(tokens)
        if (miss := _miss(comparison, usable, token, [*masks[:at], *masks[at + 1 :]])) is not None
    ]
    if misses:
        return min(misses)[1]
    nobody = [token for token, mask in zip(tokens, masks, strict=True) if not mask.any()]
    if nobody:
        return f"none meets {nobody[0]}"
    return "each term is met by some offer, all of them by none"


def _miss(comparison: Comparison, usable: Array, token: str, others: Sequence[Array]) -> tuple[float, str] | None:
    """(share by which the nearest misses, sentence) among the offers that meet all other terms."""
    limited = limit_of(token)
    left = usable[np.logical_and.reduce(others)] if others else usable
    if limited is None or not len(left):
        return None
    column, sign, limit = limited
    values = numbers(comparison, token, column)[left]
    if sign == "!=" or not np.isfinite(values).any():
        return None
    at = int(np.nanargmin(np.abs(values - limit)))
    value = float(values[at])
    entry = comparison.market.offers[int(left[at])]
    share = abs(value - limit) / limit if limit else np.inf
    by = (
        f"{abs(value - limit):.4g} {'above' if value > limit else 'below'} {limit:.6g}"
        if value != limit
        else "just that"
    )
    much = f" ({share:.0%})" if 0.005 <= share < 10 else ""
    return share, f"nearest is {entry.provider} {entry.server} with {column} {value:.4g}, {by}{much}"
