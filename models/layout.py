"""Ways to put a model on a server: tensor parallelism and replicas, layers over cards, one process on a CPU socket."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from models import catalog, memory
from models.bands import BandNames, cpu_bands, gguf_bands
from models.build import GgufModel, Picked, column, gguf_case
from models.constants import constants
from models.cpu_speed import CpuCase, CpuSpeed
from models.errors import known
from models.gguf_speed import GgufSpeed
from models.groups import groups
from models.near_bands import instance_bands
from models.table import MEASURED_ENGINE

if TYPE_CHECKING:
    from models.cpu_socket import Family
    from models.engine_choice import Choice
    from models.estimates import Estimates
    from models.gguf_speed import GgufCase
    from models.gpu_speed import GpuCase, GpuSpeed
    from models.server import Server
    from models.streaming import StreamSpeed
    from models.table import ServerTable
    from models.traffic import Workload

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Codes = NDArray[np.intp]

CPU_STREAMS = 32
"""Most streams counted on one CPU server."""
GGUF_STREAMS = 64
"""Most streams counted on a llama.cpp GPU server: batches beyond a few were hardly measured."""


@dataclass(slots=True)
class Layouts:
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
    devices: Array
    """Devices of one replica."""
    case: GpuCase | GgufCase | CpuCase
    """What `speed` was made of."""


def kv_bytes(workload: Workload, choice: Choice) -> float:
    """Bytes of one KV-cache element; llama.cpp stores 8-bit caches as q8_0."""
    found = catalog.kv_quant(workload.kv_quant)
    wide = found.bytes_per_weight or 2.0
    if choice.gguf and found.key == "kv_fp8":
        return catalog.kv_quant("q8_0").bytes_per_weight or wide
    return wide


def fresh_tokens(workload: Workload) -> float:
    """Prompt tokens that the prefix cache does not hold."""
    return max(workload.input_tokens * (1 - workload.prefix_hit), 1.0)


def _files(result: Estimates, codes: list[int]) -> list[GgufModel]:
    """The model file of each of these choices; most share a format, and so a file."""
    made: dict[int, GgufModel] = {}
    files = []
    for code in codes:
        quant = known(result.choices[code].quant)
        if id(quant) not in made:
            made[id(quant)] = GgufModel(result.workload.model, quant)
        files.append(made[id(quant)])
    return files


def gguf_layouts(result: Estimates, codes: Codes) -> Layouts | None:
    """llama.cpp on GPU servers: layers over as few cards as hold them."""
    table, workload = result.table, result.workload
    llm = workload.model
    streaming = np.array([chosen.gguf for chosen in result.choices], dtype=bool)
    server = np.flatnonzero(table.is_gpu & (codes >= 0) & streaming[codes])
    if not len(server):
        return None
    choice = codes[server]
    distinct, which = groups(choice)
    files = _files(result, distinct.tolist())
    picked = Picked(files, which)
    kv = np.full(len(server), kv_bytes(workload, result.choices[int(distinct[0])]))
    chips, chip = groups(table.chip_index[server])
    real = Picked([known(table.devices[i]) for i in chips.tolist()], chip)
    count = table.gpu_count[server]
    gpus = np.maximum(count, 1.0)
    # An input embedding of its own stays in the machine's RAM.
    total = (column(picked, "total_bytes") - column(picked, "host_bytes")) / memory.GIB
    nominal, usable = table.memory_gib[server], table.usable_gib[server]
    room = memory.usable_gib(nominal, usable)
    # Layers are spread over as few cards as hold them; the others would run copies of their own.
    context = workload.input_tokens + workload.output_tokens
    one = memory.sequence_gib(llm, context, kv, 1.0, 1.0, chunk=memory.GGUF_BATCH)
    span = np.clip(np.ceil((total + one) / np.maximum(room - memory.GGUF_COMPUTE_GIB, 1e-9)), 1, gpus)
    replicas = np.maximum(np.floor(gpus / span), 1.0)
    weights_each = total / span
    pool = room - weights_each - memory.GGUF_COMPUTE_GIB
    case = gguf_case(
        picked,
        kv_bytes=kv,
        devices=real,
        gpus=span,
        input_tokens=float(workload.input_tokens),
        output_tokens=float(workload.output_tokens),
        fresh_tokens=fresh_tokens(workload),
    )
    bands = [gguf_bands(table.chips[i], streams=2.0) for i in chips.tolist()]
    share = np.minimum(count, 1.0)
    case.bandwidth = case.bandwidth * share
    case.peak = case.peak * share
    case.lanes = case.lanes * share
    each = memory.sequence_gib(llm, context, kv, span, span, chunk=memory.GGUF_BATCH)
    fits = (pool > 0) & (pool >= each)
    token = memory.token_gib(llm, kv, span)
    return Layouts(
        server,
        span,
        replicas,
        choice,
        GgufSpeed(case, constants().gguf),
        fits,
        weights_each,
        pool,
        each,
        token,
        np.maximum(each - token * context, 0.0),
        room,
        np.full(len(server), float(GGUF_STREAMS)),
        [bands[i] for i in chip.tolist()],
        span,
        case,
    )


def _cpu_bands(family: Family, server: Server, choice: Choice) -> BandNames:
    bands = cpu_bands(family, arm=server.arch == "arm", shared=server.shared_cpu)
    # Instance types were measured in 4-bit formats, shared plans not with the neighbours of the next customer.
    measured = server.instance and choice.engine == MEASURED_ENGINE and known(choice.quant).bit_class == "4bit"
    return instance_bands(bands) if measured and not server.shared_cpu else bands


def _all_cpu_bands(table: ServerTable, chosen: Choice) -> list[BandNames | None]:
    """Bands of every server with rates; servers alike share one object."""
    made: dict[BandNames, BandNames] = {}
    alike: dict[tuple[Family, str, bool, bool], BandNames] = {}
    found: list[BandNames | None] = []
    for family, server in zip(table.cpu_families(chosen.engine), table.servers, strict=True):
        if family is None:
            found.append(None)
            continue
        key = family, server.arch, server.shared_cpu, bool(server.instance)
        bands = alike.get(key)
        if bands is None:
            bands = _cpu_bands(family, server, chosen)
            bands = alike[key] = made.setdefault(bands, bands)
        found.append(bands)
    return found


def cpu_layouts(result: Estimates, codes: Codes) -> Layouts | None:
    """One process on one socket of the CPU servers."""
    table, workload = result.table, result.workload
    llm = workload.model
    rows = np.flatnonzero(~table.is_gpu & (codes >= 0))
    if not len(rows):
        return None
    chosen = result.choices[int(codes[rows[0]])]
    quant = known(chosen.quant)
    columns = table.cpu_columns(chosen.engine)
    known_rate = ~np.isnan(columns["stream"][rows])
    stated = ~np.isnan(table.ram_gib[rows])
    words = "neither the core count nor the memory bandwidth of this CPU is known"
    result.unanswered |= dict.fromkeys(rows[~known_rate].tolist(), words)
    result.unanswered |= dict.fromkeys(rows[known_rate & ~stated].tolist(), "the offer does not state its RAM")
    server = rows[known_rate & stated]
    if not len(server):
        return None
    model = GgufModel(llm, quant)
    kv = kv_bytes(workload, chosen)
    n = len(server)
    ram = table.ram_gib[server]
    total = model.total_bytes / memory.GIB
    context = workload.input_tokens + workload.output_tokens
    whole = chosen.engine != "llama.cpp"
    each = np.full(
        n, float(memory.sequence_gib(llm, context, kv, 1.0, 1.0, full_window=whole, chunk=memory.GGUF_BATCH))
    )
    pool = ram - total - memory.CPU_COMPUTE_GIB - memory.OS_RESERVE_GIB
    case = CpuCase(
        layers=model.layers,
        stream_dense=model.dense,
        stream_routed=model.routed,
        experts=model.experts,
        experts_per_token=model.per_token,
        active=model.active,
        active_layers=model.active_layers,
        query=model.query,
        kv_bytes_per_token=model.kv_elements * kv,
        state_bytes=model.state_bytes,
        moe=model.moe > 0,
        cores=columns["cores"][server],
        rate=columns["stream"][server],
        prefill_rate=columns["prefill"][server],
        decode_rate=columns["decode"][server],
        sync=columns["sync"][server],
        input_tokens=float(workload.input_tokens),
        output_tokens=float(workload.output_tokens),
        fresh_tokens=fresh_tokens(workload),
    )
    token = np.full(n, float(memory.token_gib(llm, kv, 1.0, sliding=whole)))
    key = chosen.engine, quant.bit_class
    if key not in table.cpu_bands:
        table.cpu_bands[key] = _all_cpu_bands(table, chosen)
    named = table.cpu_bands[key]
    bands = [named[i] for i in server.tolist()]
    return Layouts(
        server,
        np.ones(n),
        np.ones(n),
        codes[server],
        CpuSpeed(case, constants().cpu),
        (pool > 0) & (pool >= each),
        np.full(n, total),
        pool,
        each,
        token,
        np.maximum(each - token * context, 0.0),
        ram,
        np.full(n, float(CPU_STREAMS)),
        bands,
        np.ones(n),
        case,
    )
