"""Prompts of different lengths as a few parts: what a trace keeps of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

EDGES = (*(step / 10 for step in range(9)), 0.85, *(0.885 + step / 100 for step in range(12)), 0.999, 1.0)
"""Requests by length are cut here: in tenths, and finely where a tail is read off. 0.945 to 0.955 is one part, so that its middle is
the 95th of 100 lengths."""
TAIL_AT = 0.95


@dataclass(frozen=True, slots=True)
class Lengths:
    """Prompts of different lengths: which share has how many tokens, in ascending order."""

    shares: tuple[float, ...]
    tokens: tuple[float, ...]

    def at_least(self, tokens: float) -> Lengths:
        """The same with shorter prompts counted as so long."""
        return Lengths(self.shares, tuple(max(one, tokens) for one in self.tokens))

    @property
    def mean(self) -> float:
        """Tokens of a prompt on average."""
        return float(np.dot(self.shares, self.tokens))


def lengths_of(tokens: Array) -> Lengths:
    """The lengths of many prompts as the means of the parts between EDGES; the part around the 95th length is that length."""
    ordered = np.sort(np.asarray(tokens, dtype=np.float64))
    cuts = np.unique(np.round(np.array(EDGES) * len(ordered)).astype(np.intp))
    counts = np.diff(cuts)
    means = np.add.reduceat(ordered, cuts[:-1]) / counts
    tail = float(np.percentile(ordered, TAIL_AT * 100, method="inverted_cdf"))
    middle = int(np.searchsorted(cuts, TAIL_AT * len(ordered), side="right")) - 1
    means[min(middle, len(means) - 1)] = tail
    return Lengths(tuple((counts / len(ordered)).tolist()), tuple(np.maximum.accumulate(means).tolist()))
