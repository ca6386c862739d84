"""Embedding and reranking models in cases and comparisons: documents a second instead of tokens, no time between tokens.

A request is one document (for a reranker query and document together). A case's concurrency is the documents computed together; without
one, and for servers, the engine joins BATCH waiting documents, and every GPU runs a copy of the model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from models import memory
from models.bands import BASES
from models.bound import BOUND_BY
from models.encoder_speed import BASIS, ENDS, EncoderSpeed, cpu_peak, encoder_case
from models.engine_choice import Choice, choose_cpu, choose_gpu
from models.errors import known
from models.gpu_speed import COMPUTE
from models.quantize import CLASSES, compute_class, weight_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from models.band_ends import End
    from models.case_input import Case
    from models.cases import Sorted
    from models.chip import Chip
    from models.cpu import CPU
    from models.devices import Device
    from models.estimates import Estimates
    from models.llm import LLM
    from models.quant import Quant
    from models.server import Server

Array = NDArray[np.float64]

BATCH = 32.0
"""Documents that a server under load computes together (default of text-embeddings-inference and of infinity)."""
BATCH_TOKENS = 16384.0
"""Tokens of a batch at most (default of text-embeddings-inference, 2024-12); one longer document is a batch of its own."""
CONTEXT_GIB = 0.35
"""Driver context, kernels and small buffers: bge-reranker-v2-m3 takes 926 MiB under llama.cpp, which keeps the embedding table in RAM
(592 MiB of weights are left; gpustack issue 2412, 2025-07), and 1.5 GB where 1.14 GB are weights (text-embeddings-inference issue 280,
2024-06)."""
_GHZ = 3.0
"""All-core clock where the catalog has none."""
_NAME = "embedding server"
_COMPUTE, _MEMORY, _ENGINE = (BOUND_BY.index(word) for word in ("compute", "memory bandwidth", "engine overhead"))


def workspace_gib(llm: LLM, documents: Any, tokens: Any) -> Any:
    """Context of the device and activations of one batch beside the weights, of so many documents of so many tokens.

    Activations are those of a language model's prompt step (`memory.prefill_bytes`): XLM-RoBERTa-base at 512 documents of 512 tokens
    comes to 6.5 GiB in all, about 6 were seen (netease-youdao/BCEmbedding issue 9, 2024-01). Attention is taken as fused; engines that
    write scores out take quadratically more for long documents.
    """
    longest = np.minimum(np.asarray(tokens, dtype=np.float64), float(llm.max_context or np.inf))
    together = np.minimum(documents * longest, np.maximum(BATCH_TOKENS, longest))
    return CONTEXT_GIB + together * memory.prefill_bytes(llm) / memory.GIB


def gpu_peak(device: Device, chip: Chip, quant: Quant) -> float:
    """FLOP/s of one whole card in a format."""
    return device.peak[COMPUTE.index(compute_class(quant, chip))] / device.slowdown


def socket_peak(cpu: CPU | None, cores: Any) -> Any:
    """FLOP/s of so many cores; an assumed clock where the catalog has none."""
    ghz = cpu.all_core_ghz if cpu is not None else None
    return cpu_peak(cores, ghz or _GHZ)


def _limits(speed: EncoderSpeed) -> NDArray[np.intp]:
    """Index into BOUND_BY of what one request's time goes to."""
    work = speed.documents * speed.tokens * speed.token_s
    device = np.where(speed.launch_s > speed.read_s, _ENGINE, _MEMORY)
    return np.where(work >= np.maximum(speed.read_s, speed.launch_s), _COMPUTE, device).astype(np.intp)


def encoder_columns(group: Sorted, hide: Sequence[bool]) -> dict[int, dict[str, object]]:
    """Place in the group -> columns of every case whose model is an encoder; no speeds where `hide`."""
    result: dict[int, dict[str, object]] = {}
    for place, case in enumerate(group.cases):
        if known(case.llm).kv_cache:
            continue
        columns: dict[str, object] = {"error": "", "basis": BASIS, "max_concurrency": None, "kv_bytes_per_token": None}
        if not hide[place]:
            columns |= _figures(case, *_hardware(group, place))
        result[place] = columns
    return result


def _hardware(group: Sorted, place: int) -> tuple[float, float, bool, float]:
    """(FLOP/s, bytes/s, whether a CPU, copies) of a case."""
    case = group.cases[place]
    if group.kind == "cpu":
        rate = group.rates[place]
        return socket_peak(case.cpu, rate.cores), rate.stream, True, 1.0
    device = group.devices[place]
    share = min(case.count, 1.0)
    return (
        gpu_peak(device, known(case.chip), known(case.quant)) * share,
        device.bandwidth * share,
        False,
        max(case.count, 1.0),
    )


def _figures(case: Case, peak: float, bandwidth: float, cpu: bool, copies: float) -> dict[str, object]:
    llm, quant = known(case.llm), known(case.quant)
    together = max((case.concurrency or BATCH * copies) / copies, 1.0)
    common: dict[str, Any] = {
        "tokens": case.input_tokens,
        "peak": peak,
        "bandwidth": bandwidth,
        "cpu": cpu,
        "copies": copies,
        "weight_bytes": quant.bytes_per_weight or 2.0,
    }
    full = EncoderSpeed(encoder_case(llm, documents=together, **common))
    alone = EncoderSpeed(encoder_case(llm, documents=1.0, **common))
    rate = float(full.documents_per_s())
    served = min(case.rate, rate) if case.rate else rate
    # A request rate finds the server mostly free; documents at once wait for the batch they are in.
    latency = float((full if case.concurrency and case.rate is None else alone).latency_s()) * 1e3
    tokens = float(full.tokens) * served
    return {
        "ttft_ms": latency,
        "ttft_ms_low": latency / full.high,
        "ttft_ms_high": latency / full.low,
        "ttft_solo_ms": float(alone.latency_s()) * 1e3,
        "requests_per_s": served,
        "prompt_tokens_per_s": tokens,
        "total_tokens_per_s": tokens,
        "bound_by": BOUND_BY[int(_limits(full))],
    }


# servers


def estimate_encoder(result: Estimates, end: End | None = None) -> None:
    """Fill the estimate of a workload whose model is an encoder: copies on every GPU, one process on a CPU socket."""
    llm, table = result.workload.model, result.table
    wanted = "16bit" if result.workload.quant in CLASSES else result.workload.quant
    codes: dict[Any, int] = {}
    for i, server in enumerate(table.servers):
        chosen = _choice(llm, wanted, result.workload.engine, server, table.devices, int(table.chip_index[i]))
        if chosen.quant is None:
            result.unanswered[i] = chosen.reason
            continue
        if chosen not in codes:
            codes[chosen] = len(result.choices)
            result.choices.append(chosen)
        result.engine_code[i] = codes[chosen]
    index = np.flatnonzero(result.engine_code >= 0)
    facts = [_server_facts(result, int(i)) for i in index]
    kept = [at for at, fact in enumerate(facts) if fact is not None]
    for at in sorted(set(range(len(facts))) - set(kept)):
        result.unanswered[int(index[at])] = "cores, memory bandwidth or RAM of this CPU are not known"
    if kept:
        _solve(result, index[kept], np.array([facts[at] for at in kept], dtype=np.float64), ENDS[end])


def _choice(
    llm: LLM, wanted: str, engine: str, server: Server, devices: Sequence[Device | None], chip_index: int
) -> Choice:
    if server.kind == "cpu":
        found = choose_cpu(llm, wanted, engine)
    elif server.chip is None:
        return Choice("", None, gguf=False, reason="this GPU is not in the catalog")
    else:
        device = devices[chip_index]
        if device is None:
            return Choice("", None, gguf=False, reason="the catalog has no bandwidth or compute figure for this chip")
        if not device.measured_vendor:
            return Choice("", None, gguf=False, reason="no measured engine on this chip")
        found = choose_gpu(llm, wanted, engine, server.chip)
    return found if found.quant is None else Choice(found.engine, found.quant, gguf=found.gguf, name=_NAME)


def _server_facts(result: Estimates, i: int) -> tuple[float, ...] | None:
    """(FLOP/s, bytes/s, CPU, copies, GiB a device, bytes a weight, weights GiB, workspace GiB); None where something is not known."""
    table, choice = result.table, known(result.choice(i))
    quant, server = known(choice.quant), table.servers[i]
    llm = result.workload.model
    weights = weight_bytes(llm, quant, gguf=choice.gguf).total / memory.GIB
    workspace = float(workspace_gib(llm, BATCH, result.workload.input_tokens))
    each = quant.bytes_per_weight or 2.0
    if server.kind == "cpu":
        rate = table.cpu_rates("llama.cpp")[i]
        if rate is None or np.isnan(table.ram_gib[i]):
            return None
        peak = socket_peak(server.cpu, rate.cores) * (0.5 if server.shared_cpu else 1.0)
        return peak, rate.stream, 1.0, 1.0, table.ram_gib[i], each, weights, workspace + memory.OS_RESERVE_GIB
    device, count = known(table.devices[table.chip_index[i]]), float(table.gpu_count[i])
    share = min(count, 1.0)
    total = float(memory.usable_gib(table.memory_gib[i], table.usable_gib[i]))
    peak = gpu_peak(device, known(server.chip), quant) * share
    return peak, device.bandwidth * share, 0.0, max(np.floor(count), 1.0), total, each, weights, workspace


def _solve(result: Estimates, at: NDArray[np.intp], facts: Array, pace: float) -> None:
    """Rates, latency, servers for the traffic and memory of the servers `at`, at `pace` times the rates estimated."""
    workload = result.workload
    peak, bandwidth, cpu, copies, total, each, weights, workspace = facts.T
    common: dict[str, Any] = {
        "tokens": float(workload.input_tokens),
        "peak": peak,
        "bandwidth": bandwidth,
        "cpu": cpu > 0,
        "copies": copies,
        "weight_bytes": each,
    }
    full = EncoderSpeed(encoder_case(workload.model, documents=BATCH, **common))
    alone = EncoderSpeed(encoder_case(workload.model, documents=1.0, **common))
    fits = weights + workspace <= total
    solo, capacity, batch = alone.latency_s() / pace, full.documents_per_s() * pace, full.compute_s() / pace
    target = None if workload.ttft_ms is None else workload.ttft_ms / 1e3
    meets = fits & (solo <= target if target is not None else True)
    # Documents that wait together are answered within the target if the server gets through them in that time.
    users = np.maximum(np.floor(capacity * (target if target is not None else 1.0)), 1.0)
    # Random arrivals wait for the batch being computed, half of it on average: a target leaves that much of the time for batches.
    patience = np.inf if target is None else np.maximum(target - solo, 0.0)
    inside = capacity * np.clip(2 * patience / np.maximum(batch, 1e-12), 0.01, 1.0)
    able = inside if workload.requests_per_s is not None else users
    asked = float(workload.requests_per_s or workload.concurrency or 1)
    servers = np.ones(len(at))
    if target is not None:
        servers = np.maximum(np.ceil(asked / (able * workload.utilization) - 1e-9), 1.0)
    busy = np.minimum(asked / (servers * able), 1.0)
    if workload.requests_per_s is not None:
        rate = np.minimum(asked / servers, capacity)
        # Random arrivals wait for the batch that is being computed.
        latency = solo + np.minimum(rate / capacity, 0.98) * batch / 2
    else:
        here = asked / servers
        latency = np.maximum(solo, here / capacity)
        rate = np.minimum(here / solo, capacity)
    # Who finds a batch being computed waits for the rest of it, evenly distributed: 19 of 20 wait less than this.
    busy_share = np.minimum(rate / capacity, 1.0)
    tail = np.maximum(latency, solo + batch * np.maximum(1 - 0.05 / np.maximum(busy_share, 1e-9), 0.0))
    overloaded = asked > servers * able * (1 + 1e-6)
    tokens = np.broadcast_to(full.tokens, rate.shape) * rate
    result.answered[at], result.fits[at] = True, fits
    aimed = tail if workload.ttft_at == "p95" else latency
    late = aimed > target * (1 + 1e-6) if target is not None else np.zeros(len(at), dtype=bool)
    result.meets_targets[at] = meets & ~overloaded & ~late
    result.saturated[at] = overloaded
    result.tp_used[at], result.replicas[at] = 1, copies.astype(np.intp)
    result.basis_code[at] = BASES.index(BASIS)
    result.bound_by_code[at] = np.broadcast_to(_limits(full), rate.shape)
    result.limit_code[at] = 0 if target is None else (solo > target).astype(np.intp)
    figures = {
        "ttft_ms": latency * 1e3,
        "ttft_ms_low": latency * 1e3 / full.high,
        "ttft_ms_high": latency * 1e3 / full.low,
        "ttft_solo_ms": solo * 1e3,
        "ttft_p95_ms": tail * 1e3,
        "requests_per_s": rate,
        "prompt_tokens_per_s": tokens,
        "total_tokens_per_s": tokens,
        "max_concurrency": np.where(meets, users, 0.0),
        "requests_per_s_at_target": able if workload.requests_per_s is not None else capacity,
        "servers_needed": servers,
        "utilization": busy,
        "requests_per_s_served": rate * servers,
    }
    for name, values in figures.items():
        getattr(result, name)[at] = np.where(fits, values, np.nan)
    memory_figures = {
        "weights_gib_per_device": weights,
        "memory_total_gib": total * copies,
        "weights_gib": weights * copies,
        "kv_gib": 0.0 * weights,
        "overhead_gib": workspace * copies,
        "memory_used_share": (weights + workspace) / total,
    }
    for name, values in memory_figures.items():
        getattr(result, name)[at] = values
