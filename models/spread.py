"""Prompts that differ in length: what a spread of lengths does to the wait for prompts and to the tail of TTFT.

A speed is a formula for one length. Here it is asked for the lengths of a trace in turn, P(s) being TTFT without a queue at length s
and u(s) its `queue_unit`. Requests come one after the other (M/G/1):

- the mean of TTFT takes the mean of P(s), not P at the mean length;
- the wait is rho / (1 - rho) x E[u^2] / E[u]: its second moment, so that a few long prompts hold up all others;
- 95 of 100 stay below the t where the lengths' shares of P(wait > t - P(s)) add up to 5 % (`models.tail`).

So the tail is never below what the 95th length takes alone. It stops holding where long prompts come together or at certain hours
(lengths and arrivals are taken as independent), where an engine computes short prompts first, and where the waits' tail is thicker than
exponential: a few prompts many times as long as the rest at a load near 1. TPOT and memory stay those of the mean length.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from models.constants import constants
from models.cpu_speed import CpuSpeed
from models.derived import derived
from models.gguf_speed import GgufCase, GgufSpeed
from models.gpu_speed import GpuCase, GpuSpeed
from models.layout import fresh_tokens
from models.pulled import pull_layouts

if TYPE_CHECKING:
    from models.estimates import Estimates
    from models.layout import Layouts

Array = NDArray[np.float64]


class Spread:
    """A speed whose prompts differ in length; see the formulas above."""

    apart: Array
    """TTFT without a queue of each length over that of the mean one, seconds: one row a case."""
    on_average: Array
    """The mean of `apart`."""
    shares: tuple[float, ...]
    longer: Array
    """Mean time of a prompt over that of the mean length."""
    waits: Array
    """`queue_unit` with the second moment, over that of the mean length."""

    def steady(self, sequences: Any) -> tuple[Array, Array, Array]:
        """See the formulas."""
        tpot, ttft, prompt = super().steady(sequences)  # type: ignore[misc]
        return tpot, ttft + self.on_average, prompt * self.longer

    def queue_unit(self) -> Array:
        """See the formulas."""
        result: Array = super().queue_unit() * self.waits  # type: ignore[misc]
        return result

    def queued(self, prefill_load: Any) -> Array:
        """See the formulas."""
        result: Array = super().queued(prefill_load) * self.waits  # type: ignore[misc]
        return result


def _plain(case: Any) -> Any:
    """The formulas for a case, as no measured row has moved them."""
    if isinstance(case, GpuCase):
        return GpuSpeed(case, constants().gpu)
    return GgufSpeed(case, constants().gguf) if isinstance(case, GgufCase) else CpuSpeed(case, constants().cpu)


def spread_layouts(result: Estimates, layouts: Layouts, *, pull: bool) -> None:
    """Put the workload's lengths into candidate layouts; `pull`: measured rows have moved their speeds."""
    work, lengths = result.workload, result.workload.lengths
    if lengths is None or len(set(lengths.tokens)) < 2:
        return
    most = (work.model.max_context or np.inf) - work.output_tokens
    idle, unit = [], []
    for tokens in lengths.tokens:
        asked = work.changed(input_tokens=max(round(min(tokens, most)), 1))
        case = replace(layouts.case, input_tokens=float(asked.input_tokens), fresh_tokens=fresh_tokens(asked))
        one = replace(layouts, speed=_plain(case), case=case, bands=list(layouts.bands))
        if pull:
            pull_layouts(replace(result, workload=asked), one)
        idle.append(np.asarray(one.speed.steady(np.ones(len(layouts.server)))[1]))
        unit.append(np.broadcast_to(one.speed.queue_unit(), len(layouts.server)))
    shares, units = np.array(lengths.shares), np.stack(unit, axis=1)
    alone = np.asarray(layouts.speed.steady(np.ones(len(layouts.server)))[1])
    apart = np.stack(idle, axis=1) - alone[:, None]
    mean, base = units @ shares, np.maximum(layouts.speed.queue_unit(), 1e-12)
    layouts.speed = derived(
        layouts.speed,
        Spread,
        apart=apart,
        on_average=apart @ shares,
        shares=lengths.shares,
        longer=mean / base,
        waits=(units**2 @ shares) / np.maximum(mean, 1e-12) / base,
    )
