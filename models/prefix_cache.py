"""How a prefix cache warms up: the first batch computes every prompt whole, only those after it find something."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def saved_share(hit: Any, batches: Any) -> NDArray[np.float64]:
    """Share of the prompts' work saved over one cold batch and `batches` warm ones that find the share `hit` of it.

    k r / (k + 1), after a published test of prefix caching (vllm-project/vllm-ascend pull 7468, 2026): half of it cached saves a
    quarter over two batches, and half in the long run, which is what an estimate's steady state says.
    """
    share, warm = np.asarray(hit, dtype=np.float64), np.asarray(batches, dtype=np.float64)
    found: NDArray[np.float64] = warm * share / (warm + 1)
    return found
