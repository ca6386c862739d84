"""The one entry point of table, details, plots and files: what every server does with a workload."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from models.encoders import estimate_encoder
from models.engine_choice import Choice, choose_cpu, choose_gpu
from models.estimates import Estimates
from models.layout import cpu_layouts, gguf_layouts
from models.pulled import pull_layouts
from models.serving_layout import serving_layouts
from models.solve import solve
from models.table import ServerTable

if TYPE_CHECKING:
    from models.band_ends import End
    from models.traffic import Workload

__all__ = ["Estimates", "ServerTable", "estimate"]

Codes = NDArray[np.intp]

PATHS = (serving_layouts, gguf_layouts, cpu_layouts)
"""Ways to put a model on a server, each for the servers whose engine it suits."""


def choices(result: Estimates) -> Codes:
    """Fill choices and engine codes; returns a code per server, -1 where nothing runs (with the reason kept)."""
    table, workload = result.table, result.workload
    llm = workload.model
    codes = np.full(len(table), -1, dtype=np.intp)
    per_chip: list[int] = []
    for chip, device in zip(table.chips, table.devices, strict=True):
        if device is None:
            chosen = Choice("", None, gguf=False, reason="the catalog has no bandwidth or compute figure for this chip")
        elif not device.measured_vendor:
            chosen = Choice("", None, gguf=False, reason="no measured engine on this chip")
        else:
            chosen = choose_gpu(llm, workload.quant, workload.engine, chip)
        per_chip.append(len(result.choices))
        result.choices.append(chosen)
    cpu_code = len(result.choices)
    result.choices.append(choose_cpu(llm, workload.quant, workload.engine))
    if per_chip:
        known = table.chip_index >= 0
        codes[known] = np.array(per_chip, dtype=np.intp)[table.chip_index[known]]
    codes[~table.is_gpu] = cpu_code
    if workload.speculative is not None:
        from models.guessed import able  # only those who ask for it pay for it

        result.choices = [able(chosen, workload.engine) for chosen in result.choices]
    usable = np.array([chosen.quant is not None for chosen in result.choices], dtype=bool)
    for i in np.flatnonzero(table.is_gpu & (table.chip_index < 0)):
        result.unanswered[int(i)] = "this GPU is not in the catalog"
    for i in np.flatnonzero((codes >= 0) & ~usable[codes]):
        result.unanswered[int(i)] = result.choices[int(codes[i])].reason
    result.engine_code = codes
    return np.where((codes >= 0) & usable[codes], codes, -1)


def estimate(table: ServerTable, workload: Workload, *, pull: bool = True, end: End | None = None) -> Estimates:
    """Memory, speed, largest concurrency inside the targets and servers needed, for every server of the table at once.

    Args:
        table: distinct servers; workload: model, format, lengths, traffic, targets.
        pull: move the figures towards measured rows of the model near a server's load; without it the formulas alone answer.
        end: take every server as slow ("low") or as fast ("high") as its error band allows; the bands of such figures mean nothing.

    Returns:
        Estimates with one entry per server. Raises UnknownNameError on a format, cache format or engine nobody knows.
    """
    result = Estimates.empty(workload, table)
    if not len(table):
        return result
    if not workload.model.kv_cache:
        estimate_encoder(result, end)
        return result
    most, wanted = workload.model.max_context, workload.input_tokens + workload.output_tokens
    if most and wanted > most:
        words = f"{workload.model.name} reads at most {most:,} tokens; prompt and answer are {wanted:,}"
        result.unanswered = dict.fromkeys(range(len(table)), words)
        return result
    codes = choices(result)
    for path in PATHS:
        layouts = path(result, codes)
        if layouts is not None:
            if pull:
                pull_layouts(result, layouts)
            if workload.lengths is not None:
                from models.spread import spread_layouts  # only a trace pays for it

                spread_layouts(result, layouts, pull=pull)
            if workload.speculative is not None:
                from models.guessed import guess_layouts

                guess_layouts(layouts, workload.model, workload.speculative)
            if end is not None:
                from models.band_ends import end_layouts  # the same

                end_layouts(layouts, workload, end)
            if not workload.beside:
                solve(result, layouts)
            else:
                from models.beside import solve_beside  # the same

                solve_beside(result, layouts, end)
    return result
