"""OVHcloud's stock: by machine, memory and storage, what each data centre can deliver and how soon."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pricing.feed import BrokenRowError, items, text

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

OUT = "out of stock"
NOT_YET = "comingSoon"
_HOURS = re.compile(r"^(\d+)H(?:-(low|high))?$")
_OPTIONS = ("memory", "storage", "gpu")


@dataclass(frozen=True, slots=True)
class Stock:
    """Rows of the list by plan."""

    plans: Mapping[str, Sequence[Mapping[str, Any]]]

    @classmethod
    def of(cls, rows: Sequence[Any]) -> Stock:
        """The stock of a list; a row of another shape says nothing."""
        plans: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
        for row in rows:
            if isinstance(row, dict) and isinstance(row.get("planCode"), str):
                plans[row["planCode"]].append(row)
        return cls(plans)

    def state(self, plan: str, options: Mapping[str, Collection[str]], places: Collection[str]) -> str | None:
        """What can be had of a plan with these options at these data centres, in words; None where nothing is known."""
        found: dict[str, str] = {}
        for row in self.plans.get(plan, ()):
            if not all(name not in row or row[name] in options.get(name, ()) for name in _OPTIONS if options.get(name)):
                continue
            try:
                for place in items(row, "datacenters"):
                    name, state = text(place, "datacenter"), text(place, "availability")
                    if name and state and (not places or name in places):
                        found[name] = _better(state, found.get(name))
            except BrokenRowError:
                continue
        return _words(found)


def _hours(state: str) -> float:
    """Hours until delivery; out of stock is never, any word that is not known comes after all that are."""
    found = _HOURS.match(state)
    if found:
        return float(found[1]) + (0.5 if found[2] == "low" else 0.0)
    return {"unknown": 1e9, NOT_YET: 1e8, "unavailable": 1e8}.get(state, 1e7)


def _better(state: str, other: str | None) -> str:
    return state if other is None or _hours(state) < _hours(other) else other


def _word(state: str) -> str | None:
    found = _HOURS.match(state)
    if found:
        return f"in {found[1]} h" + (", few left" if found[2] == "low" else "")
    return {"unknown": None, "unavailable": OUT, NOT_YET: OUT}.get(state, state.lower())


def _words(found: Mapping[str, str]) -> str | None:
    """One word where all data centres say the same, else each word with its data centres, soonest first."""
    by_word: dict[str, list[str]] = {}
    for place in sorted(found, key=lambda name: (_hours(found[name]), name)):
        word = _word(found[place])
        if word:
            by_word.setdefault(word, []).append(place)
    if len(by_word) <= 1:
        return next(iter(by_word), None)
    return "; ".join(f"{word}: {' '.join(places)}" for word, places in by_word.items())
