"""Sentences about an estimate: why a model does not fit, which target is missed and by how much."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from models.estimate import Estimates


_UNITS = ((86_400e3, 86_400e3, "days"), (3_600e3, 3_600e3, "h"), (600e3, 60e3, "min"), (1e3, 1e3, "s"))
"""From so many milliseconds on, counted in so many, called so: ten minutes are the first that is no longer said in seconds."""


def duration(milliseconds: float) -> str:
    """Milliseconds as people say them: 805 ms, 2.8 s, 12 min, 1.5 days."""
    for least, size, unit in _UNITS:
        if milliseconds >= least:
            return f"{milliseconds / size:.3g} {unit}"
    return f"{milliseconds:.3g} ms"


def fit_reason(estimates: Estimates, i: int) -> str:
    """Why the model does not fit on server i: how much is missing, or how much context there is room for."""
    if not estimates.answered[i] or estimates.fits[i]:
        return ""
    server = estimates.table.servers[i]
    need = estimates.weights_gib[i] + estimates.overhead_gib[i] + estimates.kv_gib[i]
    where = (
        "RAM"
        if server.kind == "cpu"
        else f"GPU memory over {int(estimates.tp_used[i])} GPU{'s' if estimates.tp_used[i] > 1 else ''}"
    )
    if estimates.kv_pool_gib_per_device[i] > 0:
        wanted = estimates.workload.input_tokens + estimates.workload.output_tokens
        return f"room for {estimates.max_context[i]:,.0f} tokens of context, one request needs {wanted:,}"
    return f"needs {need:.3g} GiB of {where}, has {estimates.memory_total_gib[i]:.3g}"


def miss_reason(estimates: Estimates, i: int) -> str:
    """Which latency target server i misses even for one request, or how much of the traffic it serves; empty where it meets."""
    workload = estimates.workload
    if not estimates.answered[i] or not estimates.fits[i] or estimates.meets_targets[i]:
        return ""
    if not workload.has_targets:
        if workload.requests_per_s is not None:
            return f"one server serves {estimates.requests_per_s[i]:.3g} of the {workload.requests_per_s:,.6g} req/s"
        users = workload.concurrency or 0
        return f"one server holds {estimates.max_concurrency[i]:,.0f} of {users:,} user{'' if users == 1 else 's'}"
    code = int(estimates.limit_code[i])
    parts = []
    if code & 1 and workload.ttft_ms is not None:
        parts.append(
            f"{workload.ttft_name} {duration(estimates.ttft_solo_ms[i])} even alone, target {duration(workload.ttft_ms)}"
        )
    if code & 2 and workload.tpot_ms is not None:
        parts.append(f"TPOT {duration(estimates.tpot_solo_ms[i])} even alone, target {duration(workload.tpot_ms)}")
    return "; ".join(parts) or "misses the targets"
