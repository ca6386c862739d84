"""Distinct whole numbers of an array, and distinct objects of a list."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

Codes = NDArray[np.intp]
_One = TypeVar("_One")


def groups(codes: Codes) -> tuple[Codes, Codes]:
    """The distinct codes in order, and which of them stands where: numpy.unique would load masked arrays at every start."""
    found = np.array(sorted(set(codes.tolist())), dtype=np.intp)
    return found, np.searchsorted(found, codes)


def distinct(values: Sequence[_One]) -> tuple[list[_One], Codes]:
    """(the distinct ones, which of them stands where); looked up by object: equal ones that are two stay two."""
    places: dict[int, int] = {}
    which = np.array([places.setdefault(id(value), len(places)) for value in values], dtype=np.intp)
    by_id = {id(value): value for value in values}
    return [by_id[key] for key in places], which
