"""Estimates for rows of a cases file: any hardware, any engine, no prices; thousands of rows in a few array operations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from models import memory
from models.bands import band_names, factors
from models.build import GgufModel, attention_bytes, column, gguf_case, gpu_case
from models.case_input import INPUT_COLUMNS, Case, parse_case
from models.constants import constants
from models.cpu_rates import CpuRates, cpu_rates
from models.cpu_speed import CpuCase, CpuSpeed
from models.devices import Device, device_of, link_of
from models.engine_limits import UTILIZATION, max_sequences
from models.errors import known
from models.gguf_speed import GgufSpeed
from models.gpu_speed import COMPUTE, ENGINES, GpuSpeed
from models.quantize import compute_class, weight_bytes
from models.result_columns import RESULT_COLUMNS
from models.serving import open_loop
from models.shape import shape_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from models.streaming import StreamSpeed

Array = NDArray[np.float64]

OUTPUT_COLUMNS = INPUT_COLUMNS + RESULT_COLUMNS
_STATIC_START_S = 0.002
_TAIL_FROM = 100
_SHARE_GPT_TOKENS = 300
_BURST_FROM = 500
"""One burst of at least `_TAIL_FROM` prompts with ShareGPT-like lengths (below `_SHARE_GPT_TOKENS`) has a tail of long answers; so has one
that exceeds the room, or of `_BURST_FROM` prompts: benchmarks send those at once. Equal lengths end together: half the tail."""


class _Room:
    """Memory facts of one case, computed one by one: a few multiplications each."""

    __slots__ = ("context", "fits", "kv_per_token", "pool", "reason", "run_room", "sequences", "tokens", "weights")

    def __init__(self, case: Case, device: Device | None) -> None:
        llm, quant = known(case.llm), known(case.quant)
        total = weight_bytes(llm, quant).total / memory.GIB
        gpus = case.tp * case.pp if device is not None else 1
        self.weights = total / gpus
        self.kv_per_token = memory.kv_bytes_per_token(llm, case.kv_bytes)
        mla = llm.mla is not None
        shards = float(memory.kv_shards(llm.kv_heads, mla, case.tp, data_parallel=case.data_parallel)) * case.pp
        context = case.max_model_len or case.input_tokens + case.output_tokens
        each = float(memory.sequence_gib(llm, context, case.kv_bytes, shards, gpus, full_window=case.gguf))
        slope = (
            (llm.kv_elements_full + (llm.kv_elements_sliding if case.gguf else 0)) * case.kv_bytes / shards / memory.GIB
        )
        fixed = float(memory.sequence_gib(llm, 0, case.kv_bytes, shards, gpus)) + (
            0
            if case.gguf
            else llm.kv_elements_sliding * min(context, llm.sliding_window or 0) * case.kv_bytes / shards / memory.GIB
        )
        self.run_room = float("nan")
        if device is None or case.apple:
            ram = case.memory_gib
            self.pool = float("nan") if ram is None else ram - total - memory.CPU_COMPUTE_GIB - memory.OS_RESERVE_GIB
        elif case.gguf:
            usable = float(memory.usable_gib(device.memory_gib, device.usable_gib or np.nan))
            self.pool = usable - self.weights - memory.GGUF_COMPUTE_GIB
        else:
            nominal = case.usable_gib or device.memory_gib
            measured = case.usable_gib or device.usable_gib or np.nan
            self.pool = float(
                memory.kv_pool_gib(
                    llm,
                    self.weights,
                    nominal,
                    measured,
                    case.tp * case.pp,
                    case.utilization or UTILIZATION[case.engine],
                    amd=device.chip == 2,
                    small_chunk=device.small_chunk,
                )
            )
            fitted = float(memory.fitted_room_gib(self.weights, nominal))
            self.run_room = np.floor(max(fitted, self.pool) / each) if each > 0 else float("inf")
        if np.isnan(self.pool):
            self.fits, self.sequences, self.tokens, self.context = True, float("inf"), float("nan"), float("nan")
            self.reason = "memory of the machine not stated"
            return
        self.sequences = (
            np.floor(self.pool / each) if each > 0 and self.pool > 0 else (float("inf") if self.pool > 0 else 0.0)
        )
        self.tokens = max(self.pool, 0.0) / slope if slope > 0 else float("nan")
        self.context = max((self.pool - fixed) / slope, 0.0) if slope > 0 else float("nan")
        self.fits = self.sequences >= 1
        if self.fits:
            self.reason = ""
        elif self.pool <= 0:
            self.reason = f"weights take {self.weights:.1f} GiB a device; {-self.pool:.1f} GiB too much"
        else:
            self.reason = f"room for {self.context:.0f} tokens of context, the case needs {context:.0f}"


def _streaming(
    cases: Sequence[Case], devices: Sequence[Device | None], rates: Sequence[CpuRates | None]
) -> StreamSpeed:
    s = np.array([case.input_tokens for case in cases])
    o = np.array([case.output_tokens for case in cases])
    cache: dict[tuple[int, int], GgufModel] = {}
    models = []
    for case in cases:
        key = (id(case.llm), id(case.quant))
        if key not in cache:
            cache[key] = GgufModel(known(case.llm), known(case.quant))
        models.append(cache[key])
    kv = np.array([case.kv_bytes for case in cases])
    fitted = constants()
    if devices[0] is not None:
        real = [device for device in devices if device is not None]
        gpus = np.array([case.count for case in cases])
        return GgufSpeed(
            gguf_case(models, kv_bytes=kv, devices=real, gpus=gpus, input_tokens=s, output_tokens=o), fitted.gguf
        )
    found = [rate for rate in rates if rate is not None]
    return CpuSpeed(
        CpuCase(
            layers=column(models, "layers"),
            stream_dense=column(models, "dense"),
            stream_routed=column(models, "routed"),
            experts=column(models, "experts"),
            experts_per_token=column(models, "per_token"),
            active=column(models, "active"),
            active_layers=column(models, "active_layers"),
            query=column(models, "query"),
            kv_bytes_per_token=column(models, "kv_elements") * kv,
            state_bytes=column(models, "state_bytes"),
            moe=column(models, "moe") > 0,
            cores=column(found, "cores"),
            rate=column(found, "stream"),
            prefill_rate=column(found, "prefill"),
            decode_rate=column(found, "decode"),
            input_tokens=s,
            output_tokens=o,
        ),
        fitted.cpu,
    )


def _serving(cases: Sequence[Case], devices: Sequence[Device]) -> GpuSpeed:
    shapes = [shape_of(case.llm) for case in cases if case.llm is not None]
    quants = [case.quant for case in cases if case.quant is not None]
    links = [link_of(case.chip) if case.chip else (1.0, 2, True) for case in cases]
    compute = [COMPUTE.index(compute_class(case.quant, case.chip)) for case in cases if case.quant and case.chip]
    attention = [attention_bytes(case.llm, case.quant) for case in cases if case.llm and case.quant]
    return GpuSpeed(
        gpu_case(
            shapes,
            weight_bytes_each=np.array([q.bytes_per_weight or 2.0 for q in quants]),
            attention_bytes_each=np.array(attention),
            compute=compute,
            kv_bytes=np.array([case.kv_bytes for case in cases]),
            devices=devices,
            link=np.array([link[0] for link in links]),
            link_class=np.array([link[1] for link in links]),
            gpus=np.array([case.tp * case.pp for case in cases], dtype=float),
            data_parallel=np.array([case.data_parallel for case in cases]),
            engine=np.array([ENGINES.index(case.engine) for case in cases]),
            input_tokens=np.array([case.input_tokens for case in cases]),
            output_tokens=np.array([case.output_tokens for case in cases]),
        ),
        constants().gpu,
    )


def _figures(
    speed: GpuSpeed | StreamSpeed, cases: Sequence[Case], rooms: Sequence[_Room], caps: Array
) -> dict[str, Array]:
    """TTFT, TPOT and throughput of every case in the way its scenario measures them."""
    replicas = np.array([case.replicas for case in cases])
    scenario = np.array([case.scenario for case in cases])
    room = np.array([r.sequences if np.isnan(r.run_room) else r.run_room for r in rooms])
    room = np.maximum(room, 1.0)
    limit = np.minimum(room, caps)
    asked = np.array([np.nan if case.concurrency is None else case.concurrency for case in cases]) / replicas
    offline = scenario == "offline"
    one = scenario == "single_stream"
    n = np.where(np.isnan(asked), np.where(offline, limit, 1.0), asked)
    n = np.maximum(np.where(one, 1.0, n), 1.0)
    bench = (scenario == "bench") | (scenario == "static")
    running = np.where(bench, n, np.minimum(n, limit))
    prefill = speed.prefill()
    tpot = speed.tpot(running)
    closed = speed.ttft_closed(running)
    cycle = speed.schedule + prefill + speed.o * tpot
    waiting = np.maximum(n / running - 1, 0) * cycle / 2
    ttft = closed + waiting
    output = running * speed.o / cycle
    # static batch and llama-bench: prompt and generation apart
    step = speed.step(running)
    batch = speed.prefill(running)
    static = scenario == "static"
    tpot = np.where(bench, step, tpot)
    ttft = np.where(bench, batch + np.where(static, _STATIC_START_S, 0.0), ttft)
    output = np.where(static, n * speed.o / (_STATIC_START_S + batch + speed.o * step), output)
    # A server's own benchmark counts its prompts; llama-bench reports generation alone.
    counted = np.array([case.engine == "vllm-cpu" for case in cases]) & (n > 1)
    output = np.where((scenario == "bench") & ~counted, n / step, output)
    full = running / (speed.step(running) + speed.interference * running * speed.marginal_prefill(running) / speed.o)
    output = np.where(offline, full, output)
    if isinstance(speed, GpuSpeed):
        mixed = speed.s < _SHARE_GPT_TOKENS
        burst = (n >= _TAIL_FROM) & (mixed | (n > limit) | (n >= _BURST_FROM)) & (scenario == "online")
        tail = np.where(mixed, speed.tail, speed.tail / 2)
        output = np.where(burst, output / (1 + tail), output)
    rate = np.array([np.nan if case.rate is None else case.rate for case in cases]) / replicas
    opened = (scenario == "server") & ~np.isnan(rate)
    if opened.any():
        load = open_loop(speed, np.where(opened, rate, 1e-6), limit)
        tpot = np.where(opened, load.tpot, tpot)
        ttft = np.where(opened, load.ttft, ttft)
        output = np.where(opened, load.requests_per_s * speed.o, output)
    solo = speed.ttft_steady(1.0)
    return {
        "ttft": ttft,
        "tpot": tpot,
        "output": output * replicas,
        "prompt": np.where(bench, n * speed.s / batch, 0.0) * replicas,
        "solo": solo,
        "limit": limit * replicas,
        "total": output * replicas * (speed.s + speed.o) / speed.o,
        "requests": output * replicas / speed.o,
        "bench": bench.astype(float),
        "input": speed.s,
        "stream": np.broadcast_to(_stream_share(speed, running), n.shape),
    }


def _stream_share(speed: GpuSpeed | StreamSpeed, n: Array) -> Array:
    """Share of a step that is weight streaming, for the bound-by word."""
    weights = speed.weights if isinstance(speed, GpuSpeed) else speed.stream(n)
    share: Array = weights / speed.step(n)
    return share


def _bound_by(speed: GpuSpeed | StreamSpeed, n: Array) -> list[str]:
    from models.bound import bound_words

    return bound_words(speed, n)


def estimate_rows(rows: Iterable[Mapping[str, str]]) -> list[dict[str, object]]:
    """Answer every row; a row that cannot be answered has its reason in `error` and stops nothing.

    Args:
        rows: mappings with INPUT_COLUMNS (all optional but model and hardware; `id` and `kv_dtype` are read as case_id and kv_quant).

    Returns:
        one dict a row in order: the given columns, then RESULT_COLUMNS; None where there is no figure.
    """
    cases = [parse_case(row) for row in rows]
    results: list[dict[str, object]] = [
        {**case.raw, **dict.fromkeys(RESULT_COLUMNS), "error": case.error} for case in cases
    ]
    groups: dict[str, list[int]] = {"serving": [], "gguf": [], "cpu": []}
    devices: dict[int, Device] = {}
    rates: dict[int, CpuRates] = {}
    for i, case in enumerate(cases):
        if case.error:
            continue
        if case.cpu is not None:
            physical = (case.cpu.cores or 0) * case.sockets or None
            # Threads beyond the physical cores add no bandwidth and no arithmetic.
            cores = min(case.cores or physical or 0, physical or float("inf")) or None
            if not cores:
                results[i]["error"] = "cores_used is empty and the catalog has no core count for this CPU."
                continue
            rate = cpu_rates(
                case.cpu,
                cores=max(cores / case.sockets, 1),
                engine=case.engine,
                bandwidth_gb_s=case.bandwidth_gb_s,
                sockets=case.sockets,
                packed=case.packed,
            )
            if rate is None:
                results[i]["error"] = "The memory bandwidth of this CPU is not known."
                continue
            rates[i] = rate
            groups["cpu"].append(i)
            continue
        device = device_of(known(case.chip))
        if device is None:
            results[i]["error"] = "The catalog has no bandwidth or compute figure for this chip."
        elif not device.measured_vendor:
            results[i]["error"] = "no measured engine on this chip"
        else:
            devices[i] = device
            groups["gguf" if case.gguf else "serving"].append(i)
    for group, index in groups.items():
        if index:
            _answer(group, index, cases, devices, rates, results)
    return results


def _answer(
    group: str,
    index: Sequence[int],
    cases: Sequence[Case],
    devices: Mapping[int, Device],
    rates: Mapping[int, CpuRates],
    results: list[dict[str, object]],
) -> None:
    picked = [cases[i] for i in index]
    mine = [devices.get(i) for i in index]
    rooms = [_Room(case, device) for case, device in zip(picked, mine, strict=True)]
    speed: GpuSpeed | StreamSpeed
    if group == "serving":
        real = [device for device in mine if device is not None]
        speed = _serving(picked, real)
        caps = np.array(
            [
                max_sequences(case.engine, device.memory_gib, case.chip.name if case.chip else "")
                for case, device in zip(picked, real, strict=True)
            ],
            dtype=float,
        )
    else:
        speed = _streaming(picked, mine, [rates.get(i) for i in index])
        caps = np.full(len(index), 1024.0)
    figures = _figures(speed, picked, rooms, caps)
    names = band_names(group, picked, [rates.get(i) for i in index])
    ttft_low, ttft_high, tpot_low, tpot_high, rate_low, rate_high = factors(names, constants().band)
    bound = _bound_by(speed, np.minimum(np.array([case.concurrency or 1.0 for case in picked]), figures["limit"]))
    for j, i in enumerate(index):
        case, room = picked[j], rooms[j]
        encoder = not known(case.llm).kv_cache
        # Where not even the weights fit there is no speed; a benchmark that ran did fit, whatever the planner thinks.
        startup = case.scenario == "startup" or encoder or room.run_room < 1

        def value(x: Any, *, hide: bool = startup) -> float | None:
            number = float(x)
            return None if hide or not np.isfinite(number) else number

        ttft, tpot, output = figures["ttft"][j] * 1e3, figures["tpot"][j] * 1e3, figures["output"][j]
        is_bench = bool(figures["bench"][j])
        results[i].update(
            {
                "fits": bool(room.fits),
                "fit_reason": room.reason,
                "weights_gib_per_device": room.weights,
                "kv_bytes_per_token": room.kv_per_token,
                "kv_pool_gib_per_device": value(room.pool, hide=False),
                "kv_pool_tokens": value(room.tokens, hide=False),
                "max_context": value(room.context, hide=False),
                "max_sequences": value(room.sequences, hide=False),
                "ttft_ms": value(ttft),
                "ttft_ms_low": value(ttft * ttft_low[j]),
                "ttft_ms_high": value(ttft * ttft_high[j]),
                "ttft_solo_ms": value(figures["solo"][j] * 1e3),
                "tpot_ms": value(tpot),
                "tpot_ms_low": value(tpot * tpot_low[j]),
                "tpot_ms_high": value(tpot * tpot_high[j]),
                "tokens_per_s_user": value(1e3 / tpot),
                "output_tokens_per_s": value(output),
                "output_tokens_per_s_low": value(output * rate_low[j]),
                "output_tokens_per_s_high": value(output * rate_high[j]),
                "total_tokens_per_s": None if is_bench and case.scenario == "bench" else value(figures["total"][j]),
                "prompt_tokens_per_s": value(
                    figures["prompt"][j] if is_bench else figures["requests"][j] * figures["input"][j]
                ),
                "requests_per_s": value(figures["requests"][j]),
                "max_concurrency": value(figures["limit"][j]),
                "engine_used": case.engine,
                "tp_used": case.tp,
                "replicas": case.replicas,
                "bound_by": None if startup else bound[j],
                "basis": names[j].basis,
                "error": "an encoder generates no tokens: memory only" if encoder else "",
            }
        )
