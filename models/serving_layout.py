"""Serving engines on GPU servers: which splits are valid, what each leaves for the KV cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from models import memory
from models.bands import BandNames, serving_bands
from models.build import Picked, attention_bytes, column, cut, gpu_case
from models.constants import constants
from models.engine_limits import max_sequences, planner_of
from models.errors import known
from models.gpu_speed import CHIPS, COMPUTE, ENGINES, GpuSpeed, own_name
from models.groups import groups
from models.layout import Layouts, fresh_tokens, kv_bytes
from models.quantize import compute_class, weight_bytes
from models.shape import shape_of

if TYPE_CHECKING:
    from models.estimates import Estimates
    from models.llm import LLM
    from models.memory import Cards

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

SEQUENCES = 1024
"""Most sequences of one replica that are looked at."""
_TP = (1, 2, 4, 8, 16)
_AMD = CHIPS.index("amd")


class _Formats:
    """What each chip's engine and format decide, as arrays over the choices of a workload."""

    def __init__(self, result: Estimates) -> None:
        llm, workload = result.workload.model, result.workload
        n = len(result.choices)
        self.own = [""] * n
        self.bands: dict[int, BandNames] = {}
        figures: Array = np.zeros((7, n))
        places, rows, kv = [], [], 0.0
        total: dict[int, float] = {}
        # Chips alike share one object: what is made of bands is then made once.
        made: dict[BandNames, BandNames] = {}
        for code, choice in enumerate(result.choices):
            if choice.quant is None or choice.gguf:
                continue
            kv = kv or kv_bytes(workload, choice)
            chip, quant = result.table.chips[code], choice.quant
            if id(quant) not in total:
                total[id(quant)] = weight_bytes(llm, quant).total / memory.GIB
            row = (
                total[id(quant)],
                quant.bytes_per_weight or 2.0,
                attention_bytes(llm, quant),
                kv,
                max_sequences(choice.engine, known(result.table.devices[code]).memory_gib, chip.name),
                COMPUTE.index(compute_class(quant, chip)),
                ENGINES.index(choice.engine),
            )
            places.append(code)
            rows.append(row)
            self.own[code] = own_name(choice.engine, llm.name, quant.bit_class)
            bands = serving_bands(chip, choice.engine, moe=llm.moe is not None)
            self.bands[code] = made.setdefault(bands, bands)
        figures[:, places] = np.array(rows).reshape(-1, 7).T
        self.total_gib, self.weight, self.attention, self.kv, self.cap = figures[:5]
        self.compute, self.engine = figures[5:].astype(np.intp)


def _splits(result: Estimates, codes: Codes) -> tuple[Codes, Array]:
    """(server, GPUs of a replica) of every valid tensor-parallel split, servers in order, splits ascending."""
    table, llm = result.table, result.workload.model
    serving = np.array([not choice.gguf for choice in result.choices], dtype=bool)
    rows = np.flatnonzero(table.is_gpu & (codes >= 0) & serving[codes])
    gpus = np.maximum(table.gpu_count[rows], 1)
    pairs = [(rows[gpus >= tp], tp) for tp in _TP if memory.valid_tp(llm.heads, llm.kv_heads, llm.vocab, tp)]
    server = np.concatenate([which for which, _ in pairs])
    tp = np.concatenate([np.full(len(which), float(tp)) for which, tp in pairs])
    order = np.lexsort((tp, server))
    return server[order], tp[order]


def serving_layouts(result: Estimates, codes: Codes) -> Layouts | None:
    """Tensor parallelism x replicas of the GPU servers that run a serving engine; None where there is none."""
    table, workload = result.table, result.workload
    llm = workload.model
    server, tp = _splits(result, codes)
    if not len(server):
        return None
    formats, choice = _Formats(result), codes[server]
    chips, which = groups(table.chip_index[server])
    devices = Picked([known(table.devices[i]) for i in chips.tolist()], which)
    kv, count = formats.kv[choice], table.gpu_count[server]
    nominal, usable = table.memory_gib[server], table.usable_gib[server]
    weights = formats.total_gib[choice] / tp
    cards = memory.Cards(
        nominal,
        usable,
        column(devices, "chip") == _AMD,
        column(devices, "small_chunk") > 0,
    )
    context = workload.input_tokens + workload.output_tokens
    pool, each, admitted = _room(llm, weights, cards, tp, (formats.engine[choice], kv, float(context)))
    token = memory.token_gib(llm, kv, memory.kv_shards(llm.kv_heads, llm.mla is not None, tp))
    case = gpu_case(
        shape_of(llm),
        weight_bytes_each=formats.weight[choice],
        attention_bytes_each=formats.attention[choice],
        compute=formats.compute[choice],
        kv_bytes=kv,
        devices=devices,
        link=table.link[server],
        link_class=table.link_class[server],
        gpus=tp,
        data_parallel=np.zeros(len(tp), dtype=bool),
        engine=formats.engine[choice],
        own=(formats.own, choice),
        input_tokens=float(workload.input_tokens),
        output_tokens=float(workload.output_tokens),
        fresh_tokens=fresh_tokens(workload),
    )
    # A slice of a card has its share of bandwidth and arithmetic.
    share = np.minimum(count, 1.0)
    case.bandwidth, case.peak_16bit = case.bandwidth * share, case.peak_16bit * share
    case.peak_compute = case.peak_compute * share
    # An encoder keeps no cache: it fits where its weights do.
    fits = (pool > 0) & (pool >= admitted)
    index = np.flatnonzero(_worthwhile(server, tp, fits, table.pcie[server], len(table)))
    some = cut(case, index)
    return Layouts(
        server=server[index],
        tp=tp[index],
        replicas=np.maximum(np.floor(count / tp), 1.0)[index],
        choice=choice[index],
        speed=GpuSpeed(some, constants().gpu),
        fits=fits[index],
        weights_each=weights[index],
        pool=pool[index],
        each=each[index],
        token_gib=token[index],
        fixed_gib=np.maximum(each - token * context, 0.0)[index],
        total=memory.usable_gib(nominal, usable)[index],
        cap=np.minimum(formats.cap[choice], SEQUENCES)[index],
        bands=[formats.bands[code] for code in choice[index].tolist()],
        devices=tp[index],
        case=some,
    )


def _room(
    llm: LLM, weights: Array, cards: Cards, tp: Array, served: tuple[Codes, Array, float]
) -> tuple[Array, Array, Array]:
    """KV pool, cache of a running sequence and cache it needs to be let in, GiB a GPU; `served`: engines, bytes an element, context."""
    engine, kv, context = served
    shards = memory.kv_shards(llm.kv_heads, llm.mla is not None, tp)
    pool, each, admitted = (np.zeros(len(tp)) for _ in range(3))
    for code in sorted(set(engine.tolist())):
        planner = planner_of(ENGINES[code])
        mine = engine == code
        pool[mine] = memory.pool_gib(llm, weights, cards, tp, planner)[mine]
        paged = planner.paged_state
        each[mine] = memory.sequence_gib(llm, context, kv, shards, tp, paged_state=paged)[mine]
        admitted[mine] = memory.sequence_gib(llm, context, kv, shards, tp, chunk=cards.chunk_tokens, paged_state=paged)[
            mine
        ]
    return pool, each, admitted


def _worthwhile(
    server: Codes, tp: Array, fits: NDArray[np.bool_], pcie: NDArray[np.bool_], n: int
) -> NDArray[np.bool_]:
    """Splits to look at: those that fit (over PCIe the smallest only, which memory forces), else a server's widest."""
    smallest = np.full(n, np.inf)
    np.minimum.at(smallest, server[fits], tp[fits])
    widest = np.r_[server[1:] != server[:-1], True]
    none_fits = ~np.isfinite(smallest[server])
    kept: NDArray[np.bool_] = (fits & (~pcie | (tp <= smallest[server]))) | (widest & none_fits)
    return kept
