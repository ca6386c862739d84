"""What an advice is asked about: a comparison, the offers that the filters leave, and what else the user said."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from models.traffic import Workload
    from pricing.compare import Comparison
    from pricing.filters import Filters
    from pricing.tokens import TokenPrice


@dataclass(frozen=True, slots=True)
class Question:
    """One question to a topic; the same from the command line and from the dashboard."""

    comparison: Comparison
    filters: Filters
    tokens: Callable[[], tuple[TokenPrice, ...]]
    """Reads the prices of serverless APIs; only those who need them pay for it."""
    said: Mapping[str, Any] = field(default_factory=dict)
    """The topic's own flags by name; what was not said is missing."""
    _again: dict[Workload, Comparison] = field(default_factory=dict)

    @property
    def workload(self) -> Workload:
        """The workload asked about."""
        return self.comparison.workload

    def asked(self, comparison: Comparison | None = None) -> NDArray[np.intp]:
        """Indices of the offers that the filters leave of the comparison, or of another one of the same market."""
        import numpy as np

        compared = comparison or self.comparison
        found: NDArray[np.intp] = np.flatnonzero(self.filters.mask(compared))
        return found

    def compared(self, workload: Workload) -> Comparison:
        """The same offers for another workload; each is compared once."""
        from pricing.compare import compare

        if workload == self.workload:
            return self.comparison
        if workload not in self._again:
            self._again[workload] = compare(self.comparison.market, workload, self.comparison.terms)
        return self._again[workload]
