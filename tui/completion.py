"""What the word under the cursor of a filter can become, and the nearest name to a word that is in none."""

from __future__ import annotations

import difflib
import re
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from pricing.offer import GROUP_WORDS, OFFER_COLUMNS, REGION_GROUPS, TERMS
from pricing.where import FLAGS
from pricing.where_fields import NAMES, NUMBER_HELP, TEXT_HELP, units_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pricing.compare import Comparison
    from pricing.market import Market

MOST = 60
"""Candidates that are offered at once."""
_LONGEST_LIST = 20_000
"""Names of one kind that are known at most: more would be felt."""
_MOST_COMPARED = 2_000
_HEAD = re.compile(r'(?:[^\s"|]|"[^"]*"?)*$')
_COMPARED = re.compile(r"(?P<field>[^<>=!:]+)(?:>=|<=|!=|==|=|>|<)")
_WORD = re.compile(r"[^\W_]+(?:[.+][^\W_]+)*")


class Completion(NamedTuple):
    """The part of a text that can be replaced, and by what."""

    start: int
    end: int
    options: tuple[str, ...]
    meaning: str = ""
    """Said where nothing can be completed: what the field is."""
    word: str = ""
    """The word as it stands."""

    def apply(self, text: str, option: str) -> str:
        """The text with one of the options."""
        return text[: self.start] + option + text[self.end :]


def completion(text: str, cursor: int, comparison: Comparison) -> Completion:
    """What can stand where the cursor is."""
    found = _HEAD.search(text[:cursor])
    start = found.start() if found is not None else cursor
    whole = word = text[start:cursor]
    if word.startswith("!"):
        start, word = start + 1, word[1:]
    if compared := _COMPARED.match(word):
        return Completion(cursor, cursor, (), _meaning(compared["field"]), whole)
    name, colon, value = word.partition(":")
    if colon:
        start += len(name) + 1 + len(value) - len(value.rpartition(",")[2])
        typed = value.rpartition(",")[2].strip('"')
        return Completion(
            start, cursor, _others(typed, _matching(typed, _values(name.lower(), comparison))), word=whole
        )
    if not word:
        return Completion(cursor, cursor, ())
    fields = [*(field for field, _ in TEXT_HELP), *(f"{field}>=" for field, _ in NUMBER_HELP), *FLAGS]
    starts = tuple(field for field in fields if field.startswith(word.lower()))
    names = _matching(word.strip('"'), words(comparison.market), parts=False) if len(word) > 1 else ()
    return Completion(start, cursor, _others(word, tuple(dict.fromkeys((*starts, *names)))[:MOST]), word=whole)


def _others(typed: str, options: tuple[str, ...]) -> tuple[str, ...]:
    """Nothing where what was typed is all there is."""
    return () if options == (typed,) else options


def _meaning(field: str) -> str:
    meaning = dict(NUMBER_HELP).get(field.lower(), "")
    units = ", ".join(filter(None, units_of(field)))
    return f"{field}: {meaning}" + (f" ({units})" if units else "") if meaning else ""


def _values(field: str, comparison: Comparison) -> tuple[str, ...]:
    if field in {"region", "where"}:
        groups = (*REGION_GROUPS, *GROUP_WORDS)
        return (*groups, *(name for name in _distinct(comparison, "region") if name.lower() not in groups))
    if field == "term":
        return TERMS
    return tuple(dict.fromkeys(text for column in NAMES.get(field, ()) for text in _distinct(comparison, column)))


def _distinct(comparison: Comparison, column: str) -> list[str]:
    if column in OFFER_COLUMNS:
        return _names(comparison.market, column)
    return sorted({str(value) for value in comparison.column(column) if value})


_KNOWN: WeakKeyDictionary[Market, dict[str, list[str]]] = WeakKeyDictionary()
"""The names of the offers by column, and all their words: worked out at the first key that asks for them."""


def _names(market: Market, column: str) -> list[str]:
    known = _KNOWN.setdefault(market, {})
    if column not in known:
        distinct = islice(dict.fromkeys(market.column(column).tolist()), _LONGEST_LIST)
        known[column] = sorted(str(value) for value in distinct if value)
    return known[column]


def _matching(typed: str, names: Sequence[str], *, parts: bool = True) -> tuple[str, ...]:
    """The names that begin with what was typed, then those that hold it."""
    typed = typed.lower()
    begin = [name for name in names if name.lower().startswith(typed)]
    hold = [name for name in names if parts and typed in name.lower() and not name.lower().startswith(typed)]
    return tuple(_quoted(name) for name in (*begin, *hold)[:MOST] if '"' not in name)


def _quoted(name: str) -> str:
    return f'"{name}"' if set(name) & set(' ,|!<>=:"') else name


def words(market: Market) -> list[str]:
    """The words that names are made of, those of chips and providers first."""
    known = _KNOWN.setdefault(market, {})
    if "" not in known:
        found: dict[str, None] = {}
        for column in ("provider", "gpu_model", "cpu_model", "region", "tier", "server"):
            for name in map(str.lower, _names(market, column)):
                if len(found) > _LONGEST_LIST:
                    break
                found[name] = None
                found.update(dict.fromkeys(_WORD.findall(name)))
        known[""] = list(found)
    return known[""]


def nearest(word: str, market: Market) -> list[str]:
    """The names most like a word, the likest first."""
    size, letters = len(word), set(word)
    least = round(0.6 * len(letters))
    close = [name for name in words(market) if abs(len(name) - size) <= 2 and len(letters.intersection(name)) >= least]
    return [_quoted(name) for name in difflib.get_close_matches(word, close[:_MOST_COMPARED], 3, 0.6)]
