"""One server on its own: the same comparison on a market of that one offer, for other workloads than the table's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tui.rows import Rows, Texts

if TYPE_CHECKING:
    from models.traffic import Workload
    from pricing.offer import Offer
    from pricing.terms import CompareOptions


class OneServer:
    """A market of one offer, kept while workloads are tried on it."""

    def __init__(self, offer: Offer, options: CompareOptions) -> None:
        from pricing.market import Market

        self.market: Market = Market([offer])
        self.options = options
        self.texts = Texts(self.market.offers)

    def rows(self, workload: Workload) -> Rows:
        """What a workload comes to on it, in its one row. Raises RackrateError where the estimator takes no such workload."""
        from pricing.compare import compare

        return Rows(compare(self.market, workload, self.options), np.array([0]), self.texts)
