"""The one entry point of table, details, plots and files: what every server does with a workload."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from models import catalog, memory
from models.bands import BASES, BandNames, cpu_bands, factors, gguf_bands, serving_bands
from models.bound import BOUND_BY, bound_codes
from models.build import GgufModel, attention_bytes, column, gguf_case, gpu_case
from models.cases import max_sequences
from models.constants import constants
from models.cpu_speed import CpuCase, CpuSpeed
from models.engine_choice import Choice, choose_cpu, choose_gpu
from models.explain import fit_reason, miss_reason
from models.gguf_speed import GgufSpeed
from models.gpu_speed import COMPUTE, ENGINES, GpuSpeed
from models.quantize import compute_class, weight_bytes
from models.serving import at_concurrency, largest_concurrency, open_loop
from models.shape import shape_of
from models.table import ServerTable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from models.streaming import StreamSpeed
    from models.traffic import Workload

__all__ = ["Estimates", "ServerTable", "estimate"]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Codes = NDArray[np.intp]

CPU_STREAMS = 32
"""Most streams counted on one CPU server."""
GGUF_STREAMS = 64
"""Most streams counted on a llama.cpp GPU server: batches beyond a few were hardly measured."""
SEQUENCES = 1024
_TP = (1, 2, 4, 8, 16)
_UTILIZATION = {"vllm_2026": 0.92, "vllm_new": 0.92, "vllm_old": 0.90, "trt_new": 0.90, "trt_old": 0.90, "sglang": 0.88, "habana": 0.90}
PRACTICAL_SERVERS = 50
"""More servers than this for one workload is marked not practical."""
_TIGHT = 0.10
_FLOATS = (
    "weights_gib_per_device", "kv_bytes_per_token", "kv_pool_gib_per_device", "kv_pool_tokens", "max_context", "max_sequences",
    "memory_total_gib", "weights_gib", "kv_gib", "overhead_gib", "memory_used_share", "ttft_ms", "ttft_ms_low", "ttft_ms_high",
    "ttft_solo_ms", "ttft_p95_ms", "tpot_ms", "tpot_ms_low", "tpot_ms_high", "tokens_per_s_user", "output_tokens_per_s",
    "output_tokens_per_s_low", "output_tokens_per_s_high", "total_tokens_per_s", "prompt_tokens_per_s", "requests_per_s",
    "max_concurrency", "requests_per_s_at_target", "servers_needed", "utilization", "requests_per_s_served",
)


def _nan(n: int) -> Array:
    return np.full(n, np.nan)


@dataclass
class Estimates:
    """Figures of one workload on every distinct server; NaN where there is none. Times in ms, memory in GiB, rates per second of one server."""

    workload: Workload
    table: ServerTable
    fits: Flags
    answered: Flags
    meets_targets: Flags
    tight: Flags
    saturated: Flags
    tp_used: Codes
    replicas: Codes
    bound_by_code: Codes
    engine_code: Codes
    """Index into `choices`."""
    basis_code: Codes
    limit_code: Codes
    """Which target even one request misses: 0 none, 1 TTFT, 2 TPOT, 3 both."""
    weights_gib_per_device: Array
    kv_bytes_per_token: Array
    kv_pool_gib_per_device: Array
    kv_pool_tokens: Array
    max_context: Array
    max_sequences: Array
    memory_total_gib: Array
    weights_gib: Array
    kv_gib: Array
    overhead_gib: Array
    memory_used_share: Array
    ttft_ms: Array
    ttft_ms_low: Array
    ttft_ms_high: Array
    ttft_solo_ms: Array
    ttft_p95_ms: Array
    tpot_ms: Array
    tpot_ms_low: Array
    tpot_ms_high: Array
    tokens_per_s_user: Array
    output_tokens_per_s: Array
    output_tokens_per_s_low: Array
    output_tokens_per_s_high: Array
    total_tokens_per_s: Array
    prompt_tokens_per_s: Array
    requests_per_s: Array
    max_concurrency: Array
    requests_per_s_at_target: Array
    servers_needed: Array
    utilization: Array
    requests_per_s_served: Array
    """Traffic that `servers_needed` servers really serve, all together."""
    choices: list[Choice] = field(default_factory=list)
    unanswered: dict[int, str] = field(default_factory=dict)

    @classmethod
    def empty(cls, workload: Workload, table: ServerTable) -> Estimates:
        """No figure for any server yet."""
        n = len(table)
        flags = {name: np.zeros(n, dtype=bool) for name in ("fits", "answered", "meets_targets", "tight", "saturated")}
        codes = {name: np.zeros(n, dtype=np.intp) for name in ("tp_used", "replicas", "bound_by_code", "basis_code", "limit_code")}
        return cls(workload, table, **flags, **codes, engine_code=np.full(n, -1, dtype=np.intp), **{name: _nan(n) for name in _FLOATS})

    def choice(self, i: int) -> Choice | None:
        """Engine and format of server i, None where nothing runs."""
        code = int(self.engine_code[i])
        return self.choices[code] if code >= 0 else None

    def engine_used(self, i: int) -> str:
        """The engine assumed on server i, empty where none runs."""
        chosen = self.choice(i)
        return chosen.engine_name if chosen and chosen.quant else ""

    def quant_used(self, i: int) -> str:
        """The format assumed on server i."""
        chosen = self.choice(i)
        return chosen.quant.key if chosen and chosen.quant else ""

    def bound_by(self, i: int) -> str:
        """What limits server i at its load."""
        return BOUND_BY[self.bound_by_code[i]] if self.answered[i] and self.fits[i] else ""

    def basis(self, i: int) -> str:
        """measured, calibrated or extrapolated; empty without an estimate."""
        return BASES[self.basis_code[i]] if self.answered[i] else ""

    def fit_reason(self, i: int) -> str:
        """Why the model does not fit on server i, empty where it does."""
        return fit_reason(self, i)

    def reason(self, i: int) -> str:
        """Why server i has no estimate, does not hold the model or misses a target; empty when all is well."""
        if not self.answered[i]:
            return self.unanswered.get(i, "no estimate for this hardware")
        return self.fit_reason(i) or miss_reason(self, i)

    def warnings(self, i: int) -> tuple[str, ...]:
        """What the estimate itself warns of on server i."""
        server = self.table.servers[i]
        found = []
        if server.kind == "cpu" and (server.sockets or 1) > 1:
            found.append("Two sockets: one is estimated; a process over both is slower on most platforms (NUMA).")
        if server.kind == "cpu" and server.shared_cpu:
            found.append("Shared vCPUs: speed depends on the neighbours; the pessimistic class is used.")
        if server.kind == "cpu" and server.cpu is None:
            found.append(f"CPU not named by the provider: an unknown {'Arm' if server.arch == 'arm' else 'x86'} vCPU is assumed.")
        if self.tight[i]:
            found.append("Memory is tight: less than a tenth of the KV pool stays free at this load.")
        if self.servers_needed[i] > PRACTICAL_SERVERS:
            found.append(f"Not practical: {self.servers_needed[i]:.0f} servers for this traffic.")
        return tuple(found)

    def row(self, i: int) -> dict[str, object]:
        """All figures of server i as plain values, None for missing."""
        values: dict[str, object] = {}
        for name in _FLOATS:
            number = float(getattr(self, name)[i])
            values[name] = number if np.isfinite(number) else None
        answered = bool(self.answered[i])
        values.update(
            fits=bool(self.fits[i]) if answered else None, meets_targets=bool(self.meets_targets[i]) if answered else None,
            tp_used=int(self.tp_used[i]) or None, replicas=int(self.replicas[i]) or None, engine_used=self.engine_used(i) or None,
            quant_used=self.quant_used(i) or None, bound_by=self.bound_by(i) or None, basis=self.basis(i) or None,
            fit_reason=self.fit_reason(i) or None, reason=self.reason(i) or None,
        )
        return values


@dataclass(slots=True)
class _Layouts:
    """Candidate layouts of some servers: one entry per (server, GPUs of a replica)."""

    server: Codes
    tp: Array
    replicas: Array
    choice: Codes
    speed: GpuSpeed | StreamSpeed
    fits: Flags
    weights_each: Array
    """GiB of weights on one device (or in RAM)."""
    pool: Array
    each: Array
    """GiB of one sequence on one device."""
    token_gib: Array
    fixed_gib: Array
    total: Array
    """GiB one device (or the RAM) offers."""
    cap: Array
    """Sequences one replica may run, memory aside."""
    bands: list[BandNames]
    shards_devices: Array


def _kv_bytes(workload: Workload, choice: Choice) -> float:
    found = catalog.kv_quant(workload.kv_quant)
    wide = found.bytes_per_weight or 2.0
    if choice.gguf and found.key == "kv_fp8":
        return catalog.kv_quant("q8_0").bytes_per_weight or wide
    return wide


def _fresh(workload: Workload) -> float:
    return max(workload.input_tokens * (1 - workload.prefix_hit), 1.0)


def _choices(result: Estimates) -> Codes:
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
    usable = np.array([chosen.quant is not None for chosen in result.choices], dtype=bool)
    for i in np.flatnonzero(table.is_gpu & (table.chip_index < 0)):
        result.unanswered[int(i)] = "this GPU is not in the catalog"
    for i in np.flatnonzero((codes >= 0) & ~usable[codes]):
        result.unanswered[int(i)] = result.choices[int(codes[i])].reason
    result.engine_code = codes
    return np.where((codes >= 0) & usable[codes], codes, -1)


def _serving_layouts(result: Estimates, codes: Codes) -> _Layouts | None:
    table, workload = result.table, result.workload
    llm = workload.model
    shape = shape_of(llm)
    serving = np.array([not chosen.gguf for chosen in result.choices], dtype=bool)
    rows = np.flatnonzero(table.is_gpu & (codes >= 0) & serving[codes])
    if not len(rows):
        return None
    tps = [tp for tp in _TP if memory.valid_tp(llm.heads, llm.kv_heads, llm.vocab, tp)]
    server = np.concatenate([rows[np.maximum(table.gpu_count[rows], 1) >= tp] for tp in tps])
    tp = np.concatenate([np.full(int((np.maximum(table.gpu_count[rows], 1) >= tp).sum()), float(tp)) for tp in tps])
    order = np.lexsort((tp, server))
    server, tp = server[order], tp[order]
    count = table.gpu_count[server]
    share = np.minimum(count, 1.0)
    replicas = np.maximum(np.floor(count / tp), 1.0)
    choice = codes[server]
    chosen = [result.choices[code] for code in range(len(result.choices))]
    # per choice (one a chip): bytes, kernels, limits
    size = {code: c for code, c in enumerate(chosen) if c.quant is not None and not c.gguf}
    blank = np.zeros(len(chosen))
    total_bytes, each_b, each_ba, kv_b, util, caps = (blank.copy() for _ in range(6))
    compute, engine = np.zeros(len(chosen), dtype=np.intp), np.zeros(len(chosen), dtype=np.intp)
    names: list[BandNames | None] = [None] * len(chosen)
    for code, c in size.items():
        quant = c.quant
        assert quant is not None
        chip = table.chips[code]
        device = table.devices[code]
        assert device is not None
        total_bytes[code] = weight_bytes(llm, quant).total / memory.GIB
        each_b[code], each_ba[code] = quant.bytes_per_weight or 2.0, attention_bytes(llm, quant)
        kv_b[code] = _kv_bytes(workload, c)
        util[code] = _UTILIZATION[c.engine]
        caps[code] = max_sequences(c.engine, device.memory_gib, chip.name)
        compute[code] = COMPUTE.index(compute_class(quant, chip))
        engine[code] = ENGINES.index(c.engine)
        names[code] = serving_bands(chip, c.engine, moe=llm.moe is not None)
    devices = [table.devices[i] for i in table.chip_index[server]]
    real = [device for device in devices if device is not None]
    kv = kv_b[choice]
    nominal, usable = table.memory_gib[server], table.usable_gib[server]
    amd = np.array([device.chip == 2 for device in real])  # noqa: PLR2004
    small = np.array([device.small_chunk for device in real])
    weights_each = total_bytes[choice] / tp
    pool = memory.kv_pool_gib(llm, weights_each, nominal, usable, tp, util[choice], amd=amd, small_chunk=small)
    shards = memory.kv_shards(llm.kv_heads, llm.mla is not None, tp)
    context = workload.input_tokens + workload.output_tokens
    each = memory.sequence_gib(llm, context, kv, shards, tp)
    token = (llm.kv_elements_full * kv / shards) / memory.GIB
    fixed = (llm.kv_elements_sliding * min(context, llm.sliding_window or 0) * kv / shards + llm.state_bytes_per_sequence / tp) / memory.GIB
    case = gpu_case(
        shape, weight_bytes_each=each_b[choice], attention_bytes_each=each_ba[choice], compute=compute[choice], kv_bytes=kv, devices=real,
        link=table.link[server], link_class=table.link_class[server], gpus=tp, data_parallel=np.zeros(len(tp), dtype=bool),
        engine=engine[choice], input_tokens=float(workload.input_tokens), output_tokens=float(workload.output_tokens),
        fresh_tokens=_fresh(workload))
    # A slice of a card has its share of bandwidth and arithmetic.
    case.bandwidth = case.bandwidth * share
    case.peak_16bit = case.peak_16bit * share
    case.peak_compute = case.peak_compute * share
    sequences = np.where(each > 0, np.floor(pool / np.maximum(each, 1e-12)), np.where(pool > 0, SEQUENCES, 0))
    fits = (pool > 0) & (sequences >= 1)
    # Over PCIe a wider group only where memory forces it: the smallest that fits.
    pcie = table.pcie[server]
    smallest = np.full(len(table), np.inf)
    np.minimum.at(smallest, server[fits], tp[fits])
    keep = ~pcie | (tp <= np.where(np.isfinite(smallest[server]), smallest[server], tp))
    last = np.r_[server[1:] != server[:-1], True]
    keep &= fits | last
    index = np.flatnonzero(keep)
    speed_case = _take(case, index)
    bands = [names[code] for code in choice[index]]
    return _Layouts(
        server[index], tp[index], replicas[index], choice[index], GpuSpeed(speed_case, constants().gpu), fits[index], weights_each[index],
        pool[index], each[index], token[index], fixed[index], memory.usable_gib(nominal, usable)[index],
        np.minimum(caps[choice], SEQUENCES)[index], [name for name in bands if name is not None], tp[index])


def _take(case: object, index: Codes) -> object:
    """The case with its arrays cut to some entries; numbers stay."""
    import dataclasses

    changes = {}
    for item in dataclasses.fields(case):  # type: ignore[arg-type]
        value = getattr(case, item.name)
        if isinstance(value, np.ndarray) and value.ndim:
            changes[item.name] = value[index]
    return dataclasses.replace(case, **changes)  # type: ignore[type-var]


def _gguf_layouts(result: Estimates, codes: Codes) -> _Layouts | None:
    table, workload = result.table, result.workload
    llm = workload.model
    streaming = np.array([chosen.gguf for chosen in result.choices], dtype=bool)
    server = np.flatnonzero(table.is_gpu & (codes >= 0) & streaming[codes])
    if not len(server):
        return None
    choice = codes[server]
    models = {code: GgufModel(llm, result.choices[code].quant) for code in set(choice.tolist()) if result.choices[code].quant is not None}  # type: ignore[arg-type]
    picked = [models[code] for code in choice.tolist()]
    real = [device for device in (table.devices[i] for i in table.chip_index[server]) if device is not None]
    kv = np.array([_kv_bytes(workload, result.choices[code]) for code in choice.tolist()])
    count = table.gpu_count[server]
    gpus = np.maximum(count, 1.0)
    total = column(picked, "total_bytes") / memory.GIB
    nominal, usable = table.memory_gib[server], table.usable_gib[server]
    room = memory.usable_gib(nominal, usable)
    # Layers are spread over as few cards as hold them; the others would run copies of their own.
    context = workload.input_tokens + workload.output_tokens
    one = (llm.kv_elements_full + llm.kv_elements_sliding) * context * kv / memory.GIB + llm.state_bytes_per_sequence / memory.GIB
    span = np.clip(np.ceil((total + one) / np.maximum(room - memory.GGUF_COMPUTE_GIB, 1e-9)), 1, gpus)
    replicas = np.maximum(np.floor(gpus / span), 1.0)
    weights_each = total / span
    pool = room - weights_each - memory.GGUF_COMPUTE_GIB
    case = gguf_case(picked, kv_bytes=kv, devices=real, gpus=span, input_tokens=float(workload.input_tokens),
                     output_tokens=float(workload.output_tokens), fresh_tokens=_fresh(workload))
    share = np.minimum(count, 1.0)
    case.bandwidth = case.bandwidth * share
    case.peak = case.peak * share
    each = memory.sequence_gib(llm, context, kv, span, span, full_window=True)
    fits = (pool > 0) & (pool >= each)
    token = (llm.kv_elements_full + llm.kv_elements_sliding) * kv / span / memory.GIB
    return _Layouts(
        server, span, replicas, choice, GgufSpeed(case, constants().gguf), fits, weights_each, pool, each, token,
        np.full(len(server), llm.state_bytes_per_sequence / memory.GIB) / span, room, np.full(len(server), float(GGUF_STREAMS)),
        [gguf_bands(table.chips[i]) for i in table.chip_index[server]], span)


def _cpu_layouts(result: Estimates, codes: Codes) -> _Layouts | None:
    table, workload = result.table, result.workload
    llm = workload.model
    rows = np.flatnonzero(~table.is_gpu & (codes >= 0))
    if not len(rows):
        return None
    chosen = result.choices[int(codes[rows[0]])]
    assert chosen.quant is not None
    rates = table.cpu_rates(chosen.engine)
    for i in rows:
        if rates[i] is None:
            result.unanswered[int(i)] = "neither the core count nor the memory bandwidth of this CPU is known"
        elif np.isnan(table.ram_gib[i]):
            result.unanswered[int(i)] = "the offer does not state its RAM"
    server = np.array([i for i in rows if rates[i] is not None and not np.isnan(table.ram_gib[i])], dtype=np.intp)
    if not len(server):
        return None
    found = [rate for rate in (rates[i] for i in server) if rate is not None]
    model = GgufModel(llm, chosen.quant)
    kv = _kv_bytes(workload, chosen)
    n = len(server)
    ram = table.ram_gib[server]
    total = model.total_bytes / memory.GIB
    context = workload.input_tokens + workload.output_tokens
    each = np.full(n, float(memory.sequence_gib(llm, context, kv, 1.0, 1.0, full_window=True)))
    pool = ram - total - memory.CPU_COMPUTE_GIB - memory.OS_RESERVE_GIB
    speed = CpuSpeed(CpuCase(
        layers=model.layers, stream_dense=model.dense, stream_routed=model.routed, experts=model.experts, experts_per_token=model.per_token,
        active=model.active, active_layers=model.active_layers, query=model.query, kv_bytes_per_token=model.kv_elements * kv,
        state_bytes=model.state_bytes, moe=model.moe > 0, cores=column(found, "cores"), rate=column(found, "stream"),
        prefill_rate=column(found, "prefill"), decode_rate=column(found, "decode"), input_tokens=float(workload.input_tokens),
        output_tokens=float(workload.output_tokens), fresh_tokens=_fresh(workload)), constants().cpu)
    token = np.full(n, model.kv_elements * kv / memory.GIB)
    bands = [cpu_bands(rate, arm=table.servers[i].arch == "arm", shared=table.servers[i].shared_cpu) for rate, i in zip(found, server, strict=True)]
    return _Layouts(
        server, np.ones(n), np.ones(n), codes[server], speed, (pool > 0) & (pool >= each), np.full(n, total), pool, each, token,
        np.full(n, llm.state_bytes_per_sequence / memory.GIB), ram, np.full(n, float(CPU_STREAMS)), bands, np.ones(n))


def _best(server: Codes, fits: Flags, value: Array, ttft: Array, n: int) -> Codes:
    """The best layout of each server: fitting first, then most requests/s, then lowest TTFT; an index into the layouts."""
    order = np.lexsort((ttft, -value, ~fits, server))
    first = np.r_[True, server[order][1:] != server[order][:-1]]
    del n
    picked: Codes = order[first]
    return picked


def _solve(result: Estimates, layouts: _Layouts) -> None:
    """Concurrency inside the targets, servers for the traffic, figures at the load: written into `result` for the best layouts."""
    workload = result.workload
    speed = layouts.speed
    room = np.where(layouts.each > 0, layouts.pool / np.maximum(layouts.each, 1e-12), np.inf)
    limit = np.maximum(np.floor(np.minimum(np.maximum(room, 0), layouts.cap)), np.where(layouts.fits, 1.0, 0.0))
    limit = np.where(layouts.fits, limit, 1.0)
    ttft_s = workload.ttft_ms / 1e3 if workload.ttft_ms is not None else None
    tpot_s = workload.tpot_ms / 1e3 if workload.tpot_ms is not None else None
    users, at_target = largest_concurrency(speed, limit, ttft_s, tpot_s)
    meets = (users >= 1) & layouts.fits
    own = at_concurrency(speed, limit)
    capacity = np.where(meets, at_target.requests_per_s, own.requests_per_s) * layouts.replicas
    streams = np.where(meets, users, limit) * layouts.replicas
    pick = _best(layouts.server, layouts.fits & (meets | ~_any(layouts.server, meets, len(result.table))), capacity, at_target.ttft, len(result.table))
    server = layouts.server[pick]
    speed = speed.take(pick)
    fits, meets = layouts.fits[pick], meets[pick]
    replicas, limit, capacity, streams = layouts.replicas[pick], limit[pick], capacity[pick], streams[pick]
    targets = ttft_s is not None or tpot_s is not None
    if workload.requests_per_s is not None:
        wanted = float(workload.requests_per_s)
        servers = np.ceil(wanted / (capacity * workload.utilization) - 1e-9) if targets else np.ones(len(pick))
        servers = np.maximum(servers, 1.0)
        each = np.minimum(wanted / servers, capacity) / replicas
        load = open_loop(speed, each, np.where(meets, np.maximum(limit, 1.0), limit))
        served = np.minimum(servers * load.requests_per_s * replicas, wanted)
        utilization = wanted / (servers * capacity)
    else:
        wanted = float(workload.concurrency or 1)
        servers = np.maximum(np.ceil(wanted / (streams * workload.utilization) - 1e-9), 1.0) if targets else np.ones(len(pick))
        each = np.clip(wanted / (servers * replicas), 1.0, np.maximum(limit, 1.0))
        load = at_concurrency(speed, each)
        rows = np.minimum(wanted / (servers * replicas), 1.0)
        served = servers * replicas * load.requests_per_s * rows
        utilization = wanted / (servers * streams)
    alone = at_concurrency(speed, np.ones(len(pick)))
    low_ttft, high_ttft, low_tpot, high_tpot, low_rate, high_rate = factors([layouts.bands[i] for i in pick], constants().band)
    show = fits

    def put(name: str, values: Array, *, always: bool = False) -> None:
        getattr(result, name)[server] = values if always else np.where(show, values, np.nan)

    context = workload.input_tokens + workload.output_tokens
    result.answered[server] = True
    result.fits[server] = fits
    result.meets_targets[server] = meets
    result.tp_used[server] = layouts.tp[pick].astype(np.intp)
    result.replicas[server] = replicas.astype(np.intp)
    result.saturated[server] = load.saturated
    result.bound_by_code[server] = bound_codes(speed, np.maximum(load.sequences, 1.0))
    result.basis_code[server] = [BASES.index(layouts.bands[i].basis) for i in pick]
    if targets:
        miss_ttft = alone.ttft > ttft_s if ttft_s is not None else np.zeros(len(pick), dtype=bool)
        miss_tpot = alone.tpot > tpot_s if tpot_s is not None else np.zeros(len(pick), dtype=bool)
        result.limit_code[server] = miss_ttft + 2 * miss_tpot
    per_server = replicas * layouts.shards_devices[pick]
    total = layouts.total[pick] * per_server
    weights = layouts.weights_each[pick] * per_server
    overhead = np.maximum(layouts.total[pick] - np.maximum(layouts.pool[pick], 0) - layouts.weights_each[pick], 0) * per_server
    overhead = np.where(layouts.pool[pick] < 0, (layouts.total[pick] - layouts.pool[pick] - layouts.weights_each[pick]) * per_server, overhead)
    kv = np.maximum(load.sequences, 1.0) * layouts.each[pick] * per_server
    put("weights_gib_per_device", layouts.weights_each[pick], always=True)
    choice_kv = np.array([_kv_bytes(workload, chosen) if chosen.quant else np.nan for chosen in result.choices])
    put("kv_bytes_per_token", memory.kv_bytes_per_token(workload.model, 1.0) * choice_kv[layouts.choice[pick]], always=True)
    put("kv_pool_gib_per_device", layouts.pool[pick], always=True)
    token = layouts.token_gib[pick]
    put("kv_pool_tokens", np.where(token > 0, np.maximum(layouts.pool[pick], 0) / np.maximum(token, 1e-30), np.nan), always=True)
    put("max_context", np.where(token > 0, np.maximum(layouts.pool[pick] - layouts.fixed_gib[pick], 0) / np.maximum(token, 1e-30), np.nan), always=True)
    put("max_sequences", np.floor(np.where(layouts.each[pick] > 0, np.maximum(layouts.pool[pick], 0) / np.maximum(layouts.each[pick], 1e-12), np.nan)) * replicas, always=True)
    put("memory_total_gib", total, always=True)
    put("weights_gib", weights, always=True)
    put("kv_gib", kv, always=True)
    put("overhead_gib", overhead, always=True)
    put("memory_used_share", (weights + overhead + kv) / total, always=True)
    result.tight[server] = fits & (kv > (1 - _TIGHT) * np.maximum(layouts.pool[pick], 0) * per_server)
    put("ttft_ms", load.ttft * 1e3)
    put("ttft_ms_low", load.ttft * 1e3 * low_ttft)
    put("ttft_ms_high", load.ttft * 1e3 * high_ttft)
    put("ttft_solo_ms", alone.ttft * 1e3)
    put("tpot_ms", load.tpot * 1e3)
    put("tpot_ms_low", load.tpot * 1e3 * low_tpot)
    put("tpot_ms_high", load.tpot * 1e3 * high_tpot)
    put("tokens_per_s_user", 1 / load.tpot)
    rate = served / servers
    output = rate * workload.output_tokens
    put("output_tokens_per_s", output)
    put("output_tokens_per_s_low", output * low_rate)
    put("output_tokens_per_s_high", output * high_rate)
    put("total_tokens_per_s", rate * context)
    put("prompt_tokens_per_s", rate * workload.input_tokens)
    put("requests_per_s", rate)
    put("max_concurrency", np.where(meets, streams, 0.0))
    put("requests_per_s_at_target", capacity)
    put("servers_needed", servers)
    put("utilization", utilization)
    put("requests_per_s_served", served)


def _any(server: Codes, flag: Flags, n: int) -> Flags:
    """For each layout, whether any layout of the same server has the flag."""
    some = np.zeros(n, dtype=bool)
    some[server[flag]] = True
    found: Flags = some[server]
    return found


_PATHS: Sequence[Callable[[Estimates, Codes], _Layouts | None]] = (_serving_layouts, _gguf_layouts, _cpu_layouts)


def estimate(table: ServerTable, workload: Workload) -> Estimates:
    """Memory, speed, largest concurrency inside the targets and servers needed, for every server of the table at once.

    Args:
        table: distinct servers; workload: model, format, lengths, traffic, targets.

    Returns:
        Estimates with one entry per server. Raises UnknownNameError on a format, cache format or engine nobody knows.
    """
    result = Estimates.empty(workload, table)
    if not len(table):
        return result
    codes = _choices(result)
    for path in _PATHS:
        layouts = path(result, codes)
        if layouts is not None:
            _solve(result, layouts)
    return result
