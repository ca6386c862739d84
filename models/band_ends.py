"""Speeds at the ends of their error bands: the same formulas with every time as long, or as short, as its band allows.

The load is solved anew at such speeds, so that a slow server is asked for what it then carries inside the targets, not for a share of
what it carries at its estimate. At one and the same load TTFT and TPOT are the ends shown beside them; the time a prompt takes of the
server follows the band of the throughput, which is what was measured of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from models.bands import factors
from models.constants import constants
from models.derived import derived
from models.groups import distinct

if TYPE_CHECKING:
    from models.layout import Layouts
    from models.traffic import Workload

Array = NDArray[np.float64]

End = Literal["low", "high"]
"""Of a speed: a server at its low end is slow."""


class _Ended:
    """A speed whose times are at an end of their bands."""

    end_ttft: Array
    end_tpot: Array
    end_prompt: Array

    def steady(self, sequences: Any) -> tuple[Array, Array, Array]:
        """See the formulas."""
        tpot, ttft, prompt = super().steady(sequences)  # type: ignore[misc]
        return tpot * self.end_tpot, ttft * self.end_ttft, prompt * self.end_prompt

    def queued(self, prefill_load: Any) -> Array:
        """See the formulas; a wait is part of the TTFT whose band this is."""
        result: Array = super().queued(prefill_load) * self.end_ttft  # type: ignore[misc]
        return result

    def queue_unit(self) -> Array:
        """See the formulas."""
        result: Array = super().queue_unit() * self.end_ttft  # type: ignore[misc]
        return result


def end_layouts(layouts: Layouts, workload: Workload, end: End) -> None:
    """Put the speeds of candidate layouts at an end of their bands."""
    names, which = distinct(layouts.bands)
    low_ttft, high_ttft, low_tpot, high_tpot, low_rate, high_rate = np.stack(factors(names, constants().band))[:, which]
    if workload.speculative is not None:
        from models.speculative import BAND  # only those who ask for it pay for it

        low_tpot, high_tpot, low_rate, high_rate = (
            low_tpot / BAND[1],
            high_tpot / BAND[0],
            low_rate * BAND[0],
            high_rate * BAND[1],
        )
    slow = end == "low"
    ttft = high_ttft if slow else low_ttft
    # The lengths of a trace lie as much further apart as a prompt takes longer; the tail takes their mean off as it was.
    apart = getattr(layouts.speed, "apart", None)
    if apart is not None:
        apart = apart * ttft[:, None] + (layouts.speed.on_average * (1 - ttft))[:, None]  # type: ignore[union-attr]
    layouts.speed = derived(
        layouts.speed,
        _Ended,
        end_ttft=ttft,
        end_tpot=high_tpot if slow else low_tpot,
        end_prompt=1 / (low_rate if slow else high_rate),
        **({} if apart is None else {"apart": apart}),
    )
