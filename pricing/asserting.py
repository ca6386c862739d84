"""Conditions that at least one offer must meet, for CI and cron: the filter's terms, held against the offers that meet the targets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from pricing.errors import WhereError
from pricing.where import Where, compile_where, terms_of
from pricing.where_fields import ALIASES, TEXT_FIELDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pricing.compare import Comparison

    Array = np.ndarray[Any, Any]

_AND = re.compile(r"\s+and\s+|\s*,\s+", re.IGNORECASE)
_TEXT = re.compile(rf"\b({'|'.join(sorted(TEXT_FIELDS))})\s*==?\s*([^\s<>=!]+)", re.IGNORECASE)
_NUMBER = re.compile(r"(?P<field>[^<>=!]+)(?P<op>>=|<=|>|<).*")


def condition(text: str) -> Where:
    """A condition as the filter's expression; "and" joins terms, `provider = x` means `provider:x`. Raises WhereError."""
    plain = _TEXT.sub(r"\1:\2", _AND.sub(" ", text.strip()))
    if not plain:
        raise WhereError(text, "there is no condition.")
    return compile_where(plain)


def unmet(comparison: Comparison, asked: Array, conditions: Sequence[Where]) -> str | None:
    """Why no offer of `asked` meets all conditions, in a sentence with the nearest figure; None where one does.

    Offers that miss the latency targets or have no price do not count.
    """
    met = comparison.column("meets_targets")[asked].astype(bool) & np.isfinite(comparison.column("monthly_cost")[asked])
    usable = asked[met]
    if not len(usable):
        return "No offer meets the latency targets at a known price, so none can meet --assert."
    wanted = Where(" ".join(one.text for one in conditions), tuple(term for one in conditions for term in one.terms))
    if wanted.mask(comparison)[usable].any():
        return None
    said = f"No offer that meets the latency targets meets --assert {wanted.text!r}"
    return f"{said}{_nearest(comparison, usable, wanted)}."


def _nearest(comparison: Comparison, usable: Array, wanted: Where) -> str:
    """The best figure there is for the first number that is missed."""
    for text, term in wanted.terms:
        if term(comparison)[usable].any():
            continue
        found = _NUMBER.fullmatch(terms_of(text)[0]) if text else None
        if found is None:
            return f": none has {text}"
        name = found["field"].strip().lower()
        try:
            values = np.asarray(comparison.column(ALIASES.get(name, name))[usable], dtype=float)
        except (KeyError, TypeError, ValueError):
            return f": none has {text}"
        if not np.isfinite(values).any():
            return f": none has a figure for {name}"
        at = int(np.nanargmin(values) if found["op"].startswith("<") else np.nanargmax(values))
        entry = comparison.market.offers[int(usable[at])]
        return f": nearest is {entry.provider} {entry.server} with {name} {values[at]:.4g}"
    return ": each term is met by some offer, all of them by none"
