"""One figure taken apart: numbers that multiply and divide to a part, parts that add up to the figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

_SAME = 1e-3
"""How near the product of named constants must come to a share to be called its source."""


@dataclass(frozen=True, slots=True)
class Factor:
    """A number of a product in plain units: bytes, bytes/s, FLOP, FLOP/s, seconds, counts."""

    value: float
    unit: str
    """bytes, bytes/s, flop, flop/s, s, share, count, billion or bits."""
    label: str = ""
    """What is counted."""


@dataclass(frozen=True, slots=True)
class Term:
    """A part of a figure: `over` multiplied and divided by `under`, or its own parts joined."""

    name: str
    value: float
    """Seconds or bytes, as the figure it belongs to."""
    over: tuple[Factor, ...] = ()
    under: tuple[Factor, ...] = ()
    constants: tuple[tuple[str, float], ...] = ()
    """Fitted constants whose product is the share in `under`."""
    parts: tuple[Term, ...] = ()
    joined: str = ""
    """How the parts become the value: squares (root of the sum of squares), powers (the same with `power`) or larger."""
    power: float = 2.0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Sum:
    """A figure with the parts that add up to it."""

    name: str
    value: float
    terms: tuple[Term, ...]

    @property
    def rest(self) -> float:
        """What the parts leave; rounding only."""
        return self.value - sum(term.value for term in self.terms)


def quotient(
    name: str,
    value: float,
    over: tuple[Factor, ...],
    rate: Factor,
    constants: tuple[tuple[str, float], ...] = (),
    *,
    note: str = "",
) -> Term:
    """An amount over a rate of which a share is reached; the share is what amount, rate and time leave."""
    amount = float(np.prod([factor.value for factor in over]))
    if not value or not amount or not rate.value:
        return Term(name, value)
    share = amount / (rate.value * value)
    product = float(np.prod([each for _, each in constants])) if constants else float("nan")
    named = constants if abs(product / share - 1) < _SAME else ()
    return Term(name, value, over, (rate, Factor(share, "share")), named, note=note)


def counted(name: str, value: float, count: float, label: str, *, note: str = "") -> Term:
    """So many of something at a time each."""
    if not count or not value:
        return Term(name, value, note=note)
    return Term(name, value, (Factor(count, "count", label), Factor(value / count, "s", "each")), note=note)


def named(k: Mapping[str, float], name: str, kind: str = "") -> tuple[str, float]:
    """A constant by name: that of its class, or the pooled one."""
    own = f"{name}_{kind}" if kind else name
    return (own, k[own]) if own in k else (name, k.get(name, 1.0))


def one(values: Any, i: int) -> float:
    """Entry i of a number or an array."""
    array = np.asarray(values, dtype=np.float64)
    return float(array[i] if array.ndim else array)
