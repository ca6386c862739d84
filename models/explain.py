"""Sentences about an estimate: why a model does not fit, which target is missed and by how much."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from models.estimate import Estimates


def _time(milliseconds: float) -> str:
    return f"{milliseconds / 1e3:.3g} s" if milliseconds >= 1e3 else f"{milliseconds:.3g} ms"


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
    """Which latency target server i misses even for one request, with the figure; empty where it meets them."""
    workload = estimates.workload
    if not estimates.answered[i] or not estimates.fits[i] or estimates.meets_targets[i]:
        if (
            estimates.answered[i]
            and estimates.saturated[i]
            and workload.ttft_ms is None
            and workload.tpot_ms is None
            and workload.requests_per_s
        ):
            return f"one server serves {estimates.requests_per_s[i]:.3g} of {workload.requests_per_s:.3g} requests/s"
        return ""
    code = int(estimates.limit_code[i])
    parts = []
    if code & 1 and workload.ttft_ms is not None:
        parts.append(f"TTFT {_time(estimates.ttft_solo_ms[i])} even alone, target {_time(workload.ttft_ms)}")
    if code & 2 and workload.tpot_ms is not None:
        parts.append(f"TPOT {_time(estimates.tpot_solo_ms[i])} even alone, target {_time(workload.tpot_ms)}")
    return "; ".join(parts) or "misses the targets"
