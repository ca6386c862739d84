"""An estimate taken apart: the terms behind memory, TTFT and TPOT of one server, from the estimator's own numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from models.estimate import PATHS, choices
from models.estimates import Estimates
from models.gpu_speed import GpuSpeed
from models.gpu_terms import GpuTerms
from models.memory_terms import memory_sum
from models.pulled import pull_layouts
from models.solve import Solved, solve
from models.stream_terms import StreamTerms
from models.table import ServerTable
from models.terms import Sum, Term, one

if TYPE_CHECKING:
    from models.layout import Layouts


WAITING = "waiting behind other prompts"


@dataclass(frozen=True, slots=True)
class Worked:
    """The sums behind the figures of one server."""

    memory: Sum
    """Bytes of the whole server."""
    ttft: Sum | None
    """Seconds; None where the model does not fit."""
    tpot: Sum | None
    sequences: float
    """Running on one replica."""
    replicas: int
    gpus: int
    """Of one replica."""


def worked(estimates: Estimates, i: int) -> Worked | None:
    """The sums of server i; None where it has no estimate, or an encoder's.

    The server is estimated once more alone, by the very functions that filled `estimates`, and their numbers are kept.
    """
    workload = estimates.workload
    if not estimates.answered[i] or not workload.model.kv_cache:
        return None
    alone = Estimates.empty(workload, ServerTable((estimates.table.servers[i],)))
    codes = choices(alone)
    for path in PATHS:
        layouts = path(alone, codes)
        if layouts is not None:
            pull_layouts(alone, layouts)
            return _sums(alone, layouts, solve(alone, layouts))
    return None


def _sums(alone: Estimates, layouts: Layouts, solved: Solved) -> Worked | None:
    choice = alone.choice(0)
    if choice is None:
        return None
    at, load = int(solved.pick[0]), solved.load
    sequences = max(float(load.sequences[0]), 1.0)
    n = max(one(load.sequences if load.read_at is None else load.read_at, 0), 1.0)
    kind: Any = GpuTerms if isinstance(solved.speed, GpuSpeed) else StreamTerms
    terms = kind(solved.speed, layouts.case, 0, at)
    fits = bool(alone.fits[0])
    return Worked(
        memory_sum(alone.workload, alone.table.servers[0], choice, layouts, solved),
        _time("TTFT", float(load.ttft[0]), terms.ttft(n), _near(solved, "near_prompt"), queued=True) if fits else None,
        _time("TPOT", float(load.tpot[0]), terms.tpot(n), _near(solved, "near_decode")) if fits else None,
        sequences,
        int(solved.replicas[0]),
        int(layouts.tp[at]),
    )


def _near(solved: Solved, name: str) -> float:
    return one(getattr(solved.speed, name, np.float64(1.0)), 0)


def _time(name: str, value: float, terms: tuple[Term, ...], near: float, *, queued: bool = False) -> Sum:
    """The terms, moved by the measured rows near the load, and the wait behind other prompts where there is a queue."""
    formula = sum(term.value for term in terms)
    more = [Term("measured rows nearby", (near - 1) * formula, note=f"factor {near:.3g}")] if near != 1 else []
    if queued:
        more.append(Term(WAITING, max(value - formula * near, 0.0)))
    return Sum(name, value, (*terms, *(term for term in more if term.value)))
