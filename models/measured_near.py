"""The measurements behind a server's figures, in words: the nearest rows, or the speeds of its own instance type."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from models.cpu_measured import MODELS, by_instance
from models.nearest import CLOSED, OPEN, coordinates, family, nearest
from models.table import MEASURED_ENGINE

if TYPE_CHECKING:
    from models.estimates import Estimates
    from models.nearest import Key

MOST = 3
"""Runs named beside one estimate."""
_ROWS = 12
"""Rows looked at for them: a run has some figures."""


def measurements(estimates: Estimates, i: int, most: int = MOST) -> tuple[str, ...]:
    """What was measured on or near server i, nearest first; empty where no row is near."""
    server, choice = estimates.table.servers[i], estimates.choice(i)
    if choice is None or choice.quant is None or not estimates.answered[i]:
        return ()
    if server.instance and choice.engine == MEASURED_ENGINE:
        return _instance(server.instance)
    key = _key(estimates, i)
    seconds = (estimates.ttft_ms[i] + estimates.workload.output_tokens * estimates.tpot_ms[i]) / 1e3
    running = estimates.requests_per_s[i] * seconds / max(int(estimates.replicas[i]), 1)
    if key is None or not np.isfinite(running):
        return ()
    workload = estimates.workload
    load = coordinates(running, workload.input_tokens, workload.output_tokens)[0]
    test = OPEN if workload.requests_per_s is not None else CLOSED
    runs: dict[str, list[str]] = {}
    for near in nearest(workload.model.name, key, load, test, _ROWS):
        runs.setdefault(near.run(), []).append(near.figure())
    return tuple(f"{', '.join(dict.fromkeys(figures))}: {run}" for run, figures in list(runs.items())[:most])


def _key(estimates: Estimates, i: int) -> Key | None:
    server, choice = estimates.table.servers[i], estimates.choice(i)
    if choice is None or choice.quant is None:
        return None
    engine, form = family(choice.engine), choice.quant.bit_class
    if server.kind == "gpu" and server.chip is not None:
        count = float(estimates.table.gpu_count[i])
        return server.chip.name, count if count < 1 else float(estimates.tp_used[i]), 1, engine, form
    rate = estimates.table.cpu_rates(choice.engine)[i]
    if server.cpu is None or rate is None or server.shared_cpu:
        return None
    return server.cpu.name, float(round(rate.cores)), 1, engine, form


def _instance(name: str) -> tuple[str, ...]:
    """The largest measured model of an instance type, with licence and date."""
    record = by_instance(name)
    if record is None:
        return ()
    runs = [run for run in record.runs if run.tokens_per_s or run.prompt_tokens_per_s]
    if not runs:
        return ()
    run = runs[-1]
    parts = [
        f"{run.tokens_per_s:.4g} tok/s" if run.tokens_per_s else "",
        f"prompts {run.prompt_tokens_per_s:.4g} tok/s" if run.prompt_tokens_per_s else "",
    ]
    figures = ", ".join(part for part in parts if part)
    words = f"llama.cpp on {name} ({len(runs)} models; {MODELS[run.model]} q4_K_M: {figures})"
    return (f"{words}; {record.source}, {record.date}",)
