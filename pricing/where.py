"""The filter expression of `--where` and of the dashboard's filter line.

Terms are separated by spaces and must all hold; `!` in front turns one round.

    word            occurs in provider, region, server, chip, CPU, tier or term ("two words" in quotes)
    cpu gpu spot reserved monthly fresh undated unknown fits targets stock     what the offer is
    provider:a,b    region: term: tier: server: chip: processor: engine: bound: basis: currency: source: kind:
    gpu>=24         a number: > >= < <= = != ; gpu = GiB of one GPU, gpus = how many, vram = GiB of all
    ttft<1s         ttft tpot load (ms or s), price = list price an hour, $h $mo $mtok = cost at the traffic,
                    ram cores vcpus users servers rps tok age fit (percent of the memory used), the dashboard's
                    headings (n $/mo $/mtok tok/s tok/s·u), or any number column by its full name

    a|b             the one or the other; `!` in front turns the whole term

Spaces around a comparison's sign, before its unit and around `|` are allowed.
"""

from __future__ import annotations

import math
import operator
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from models.errors import brief
from models.practical import STALE_DAYS
from pricing import offer as schema
from pricing.compare import COMPARE_COLUMNS
from pricing.errors import WhereError
from pricing.filters import region_mask, text_mask
from pricing.where_fields import (
    ALIASES,
    COSTS,
    EXACT,
    FIELDS,
    MORE_COLUMNS,
    NAMES,
    SIGNS,
    TEXT_FIELDS,
    UNITS,
    units_of,
    unknown,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from pricing.compare import Comparison

    Array = np.ndarray[Any, Any]
    Mask = Callable[[Comparison], Array]

MAX_LENGTH = 2000

_TOKEN = re.compile(r'"[^"]*"(?!\|)|(?:[^\s"]|"[^"]*")+')
_NUMBER_TERM = re.compile(r"(?P<field>[$€£¥₹a-z_][a-z0-9_$¥/·.]*)(?P<op>>=|<=|!=|==|=|>|<)(?P<value>.*)", re.IGNORECASE)
_VALUE = re.compile(r"\$?(?P<number>(?:\d+(?:_\d+)*(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)(?P<unit>[a-z%]*)", re.IGNORECASE)
"""A number as every flag reads it, 1e9 and 1_000 among them, and its unit."""
_SPACED = re.compile(r'("[^"]*"?)|\s*(>=|<=|!=|==|=|>|<|\|)\s*')
_UNIT_BEHIND = re.compile(
    r'("[^"]*"?)|(?<![^\s!|])(?P<term>(?P<field>[^\s"|<>=!:]+)(?:>=|<=|!=|==|=|>|<)\$?[\d.,_]+(?:e[+-]?\d+)?)\s+(?P<unit>[a-z%]+)(?![^\s|])',
    re.IGNORECASE,
)
"""A number and behind a space what may be its unit."""
_ALTERNATIVES = re.compile(r'\|(?=(?:[^"]*"[^"]*")*[^"]*$)')
_OPS: dict[str, Callable[[Any, Any], Any]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
    "==": operator.eq,
    "!=": operator.ne,
}


@dataclass(frozen=True)
class Where:
    """A compiled expression; `mask` says which offers pass."""

    text: str
    terms: tuple[tuple[str, Mask], ...]

    def mask(self, comparison: Comparison) -> Array:
        """True for the offers that all terms let through."""
        result = np.ones(len(comparison), dtype=bool)
        for _, term in self.terms:
            result &= term(comparison)
        return result

    def anywhere(self) -> Where:
        """The same without what it asks of the region."""
        kept = tuple(
            term for term in self.terms if not term[0].lower().startswith(("region:", "where:")) or "|" in term[0]
        )
        return self if len(kept) == len(self.terms) else Where(" ".join(text for text, _ in kept), kept)

    def culprit(self, comparison: Comparison, base: Array) -> tuple[str, int]:
        """The term whose removal brings most of the `base` offers back, and how many; empty and 0 if none does alone."""
        best, most = "", 0
        masks = [term(comparison) for _, term in self.terms]
        for at, (text, _) in enumerate(self.terms):
            left = base.copy()
            for other, mask in enumerate(masks):
                if other != at:
                    left &= mask
            if (count := int(left.sum())) > most:
                best, most = text, count
        return best, most


def compile_where(text: str) -> Where:
    """Compile an expression; an empty one lets everything through. Raises WhereError naming the term at fault."""
    if len(text) > MAX_LENGTH:
        raise WhereError(text[:20] + "…", f"the expression is longer than {MAX_LENGTH} characters.")
    if text.count('"') % 2:
        raise WhereError(text[text.rindex('"') :], "the quote is not closed.")
    return Where(text, tuple((token, _term(token)) for token in terms_of(text)))


def terms_of(text: str) -> list[str]:
    """The terms of an expression, each without the spaces that may stand in it."""
    # "gpu > 24 gb" is what people write; as four words it would find nothing and not say why.
    joined = _SPACED.sub(lambda found: found[1] or found[2], text)
    return _TOKEN.findall(_UNIT_BEHIND.sub(_with_unit, joined))


def _with_unit(found: re.Match[str]) -> str:
    if found[1] is not None or found["unit"].lower() not in units_of(found["field"]):
        return found[0]
    return found["term"] + found["unit"]


def asks_cost(text: str) -> bool:
    """Whether an expression compares a price or cost, which is in the currency shown."""
    found = (
        _NUMBER_TERM.fullmatch(part.lstrip("!")) for token in terms_of(text) for part in _ALTERNATIVES.split(token)
    )
    fields = (SIGNS.sub("$", match["field"].lower()) for match in found if match)
    return any(FIELDS.get(field, (field, ""))[0] in COSTS for field in fields)


def word_of(token: str) -> str | None:
    """The word that a term looks for in names; None for any other term."""
    plain = token.strip('"').lower()
    return plain if plain and _term(token) is _words(plain) else None


def _term(token: str) -> Mask:
    if token.startswith("!"):
        if len(token) == 1:
            raise WhereError(token, "there is nothing after the exclamation mark.", hint="Write !spot, for example.")
        inner = _term(token[1:])
        return lambda comparison: ~inner(comparison)
    parts = _ALTERNATIVES.split(token)
    if len(parts) > 1:
        if not all(parts):
            raise WhereError(token, "there is nothing on one side of the bar.", hint="Write h100|a100, for example.")
        either = [_term(part) for part in parts]
        return lambda comparison: np.logical_or.reduce([mask(comparison) for mask in either])
    if token.startswith('"'):
        return _words(token.strip('"').lower())
    if match := _NUMBER_TERM.fullmatch(token):
        return _number(token, match["field"].lower(), match["op"], match["value"])
    name, colon, value = token.partition(":")
    if colon:
        return _names(token, name.lower(), value)
    return _FLAGS.get(token.lower()) or _words(token.lower())


@lru_cache(maxsize=256)
def _words(word: str) -> Mask:
    return lambda comparison: text_mask(comparison, word)


def limit_of(token: str) -> tuple[str, str, float] | None:
    """(column, sign, number in the column's unit) of a term that compares one number; None for any other term. Raises WhereError."""
    match = _NUMBER_TERM.fullmatch(token)
    if match is None or len(_ALTERNATIVES.split(token)) > 1:
        return None
    return _limit(token, match["field"].lower(), match["op"], match["value"])


def _limit(token: str, field: str, op: str, text: str) -> tuple[str, str, float]:
    field = SIGNS.sub("$", field)
    column, kind = FIELDS.get(field, (field, ""))
    if column in TEXT_FIELDS:
        raise WhereError(token, f"{field} is text, not a number.", hint=f"Write {field}:something instead.")
    if column not in COMPARE_COLUMNS and column not in MORE_COLUMNS:
        raise unknown(token, field)
    value = _VALUE.fullmatch(text.strip().replace(",", ""))
    if value is None:
        raise WhereError(
            token,
            f"{brief(text)} is not a number." if text else "the number is missing.",
            hint=f"Write {field}{op}10, for example.",
        )
    unit = UNITS[kind].get(value["unit"].lower())
    if unit is None:
        known = ", ".join(filter(None, UNITS[kind]))
        raise WhereError(token, f"the unit {value['unit']!r} is not known here.", hint=f"Known: {known}.")
    number = float(value["number"]) * unit
    if not math.isfinite(number):
        raise WhereError(token, f"{brief(text)} is not a finite number.")
    return column, op, number


def _number(token: str, field: str, op: str, text: str) -> Mask:
    column, op, limit = _limit(token, field, op, text)
    compare = _OPS[op]

    def mask(comparison: Comparison) -> Array:
        found = numbers(comparison, token, column)
        # An unknown value passes no comparison, "not equal" included.
        return np.asarray(compare(found, limit) & ~np.isnan(found), dtype=bool)

    return mask


def numbers(comparison: Comparison, token: str, column: str) -> Array:
    """A column that a term compares, NaN where there is no figure. Raises WhereError for a column of texts."""
    if column == "price":
        return comparison.price_per_hour
    values = comparison.column(column)
    if values.dtype == object:
        if column in {"shared_cpu", "vat_included"}:
            return np.array([np.nan if value is None else float(value) for value in values])
        raise WhereError(token, f"{column} is text, not a number.", hint=f"Write {column}:something instead.")
    return values.astype(float)


def _names(token: str, name: str, value: str) -> Mask:
    wanted = tuple(part.strip('"').lower() for part in value.split(",") if part.strip('"'))
    if not wanted:
        raise WhereError(token, "the value after the colon is missing.", hint=f"Write {name}:something.")
    if ALIASES.get(name, name) == "region":
        return lambda comparison: region_mask(comparison, wanted)
    if name in FIELDS and name not in NAMES:
        raise WhereError(token, f"{name} is a number, not a text.", hint=f"Write {name}>=10, for example.")
    columns = NAMES.get(name) or ((name,) if name in COMPARE_COLUMNS else None)
    if columns is None:
        raise unknown(token, name)
    if name == "term":
        wanted = tuple(part.replace("-", "_") for part in wanted)
        for part in wanted:
            if part not in schema.TERMS:
                raise WhereError(token, f"there is no term {brief(part)}.", hint=f"Known: {', '.join(schema.TERMS)}.")

    def mask(comparison: Comparison) -> Array:
        result = np.zeros(len(comparison), dtype=bool)
        for column in columns:
            result |= _holds(comparison.column(column), wanted, exact=name in EXACT)
        return result

    return mask


def _holds(values: Array, wanted: tuple[str, ...], *, exact: bool) -> Array:
    known: dict[Any, bool] = {}
    result = np.empty(len(values), dtype=bool)
    for at, value in enumerate(values):
        found = known.get(value)
        if found is None:
            text = "" if value is None else str(value).lower()
            found = known[value] = text in wanted if exact else any(part in text for part in wanted)
        result[at] = found
    return result


def _is_term(term: str) -> Mask:
    return lambda comparison: comparison.market.column("term") == term


_FLAGS: dict[str, Mask] = {
    "gpu": lambda comparison: comparison.market.is_gpu,
    "cpu": lambda comparison: ~comparison.market.is_gpu,
    **{term: _is_term(term) for term in schema.TERMS},
    "fresh": lambda comparison: comparison.price_age_days <= STALE_DAYS,
    "undated": lambda comparison: np.isnan(comparison.price_age_days),
    "unknown": lambda comparison: ~comparison.market.known_hardware,
    "fits": lambda comparison: comparison.column("fits").astype(bool),
    "targets": lambda comparison: comparison.column("meets_targets").astype(bool),
    "stock": lambda comparison: ~comparison.market.out_of_stock,
}
FLAGS: tuple[str, ...] = tuple(_FLAGS)
"""The words that stand for a property rather than for themselves."""
