"""Distinct whole numbers of an array."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.intp]


def groups(codes: Codes) -> tuple[Codes, Codes]:
    """The distinct codes in order, and which of them stands where: numpy.unique would load masked arrays at every start."""
    distinct = np.array(sorted(set(codes.tolist())), dtype=np.intp)
    return distinct, np.searchsorted(distinct, codes)
