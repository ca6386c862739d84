"""How to check an estimate on the server: the commands, and which figures to hold against which."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from models.table import one_socket_cores
from tui import commands
from tui import format as fmt
from tui.sections.speed import band
from tui.text import Section, TextLine

if TYPE_CHECKING:
    from tui.rows import Rows

_WIDEST = 1_000_000


def steps(rows: Rows, i: int) -> commands.Check | None:
    """The commands for one offer; None where it has no figures to check."""
    estimates = rows.comparison.estimates
    server = int(rows.comparison.market.server_index[i])
    choice, workload = estimates.choice(server), rows.workload
    tpot, ttft, rate = (rows.value(name, i) for name in ("tpot_ms", "ttft_ms", "requests_per_s"))
    if choice is None or choice.quant is None or tpot is None or ttft is None or not workload.model.kv_cache:
        return None
    replicas = int(rows.value("replicas", i) or 1)
    machine = estimates.table.servers[server]
    needed = rows.value("servers_needed", i) or 1.0
    seconds = (ttft + workload.output_tokens * tpot) / 1e3
    layout = commands.Layout(
        tp=int(rows.value("tp_used", i) or 1),
        replicas=replicas,
        cores=int(one_socket_cores(machine) or 0) if machine.kind == "cpu" else 0,
        on_gpu=machine.kind == "gpu",
        sequences=(rate or 0.0) * seconds / replicas,
        requests_per_s=rate if workload.requests_per_s is not None else None,
        users=max(math.ceil((workload.concurrency or 1) / needed - 1e-9), 1),
    )
    return commands.check(workload, choice, layout)


def check(rows: Rows, i: int, width: int = _WIDEST) -> Section | None:
    """The commands, lines of at most `width` cells, and the figures they should give."""
    found = steps(rows, i)
    if found is None:
        return None
    lines: list[TextLine] = []
    for step in found.steps:
        lines.append([(f"# {step.what}", "muted")])
        lines += [[(line, "text")] for line in step.lines(width)]
    for name, words in _figures(rows, i):
        lines.append([(name, "muted"), (words, "strong")])
    lines += [[(note, "muted")] for note in found.notes]
    return Section("Check it", lines, wide=True)


def _figures(rows: Rows, i: int) -> list[tuple[str, str]]:
    """What the test should print, with our bands."""
    found = []
    for name, key, show in (
        ("mean TTFT  ", "ttft_ms", fmt.duration),
        ("mean TPOT  ", "tpot_ms", fmt.duration),
        ("output tok/s  ", "output_tokens_per_s", fmt.number),
    ):
        value = rows.value(key, i)
        if value is not None:
            found.append((name, show(value) + band(rows.value(f"{key}_low", i), rows.value(f"{key}_high", i), show)))
    return found
