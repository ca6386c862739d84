"""Memory of cases: what weights and cache take of the device, and how many sequences are left room for."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from models import memory
from models.engine_limits import Planner, planner_of
from models.errors import known
from models.gpu_speed import CHIPS
from models.quantize import WeightBytes, weight_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from models.case_input import Case
    from models.devices import Device
    from models.llm import LLM

Array = NDArray[np.float64]

_WINDOWED = "llama.cpp"
"""Since 2025-05 its sliding layers keep a window and one batch; older builds and ik_llama.cpp keep the whole context."""
_AMD = CHIPS.index("amd")


class CaseRoom:
    """Memory facts of one case."""

    __slots__ = (
        "context",
        "fits",
        "kv_per_token",
        "pool",
        "reason",
        "run_room",
        "sequences",
        "tokens",
        "too_small",
        "weights",
    )

    context: float
    fits: bool
    kv_per_token: float
    pool: float
    reason: str
    run_room: float
    sequences: float
    tokens: float
    too_small: bool
    weights: float

    def __init__(self, case: Case, device: Device | None) -> None:
        _fill([self], [case], [device])

    @classmethod
    def of(cls, cases: Sequence[Case], devices: Sequence[Device | None]) -> list[Self]:
        """Rooms of many cases: the same figures, each formula once for all cases of a model and a planner."""
        rooms = [cls.__new__(cls) for _ in cases]
        _fill(rooms, cases, devices)
        return rooms


@lru_cache(maxsize=4096)
def _planner(engine: str, stated: str, max_model_len: float | None, *, pipeline: bool) -> Planner:
    return planner_of(engine, stated).at_context(max_model_len, pipeline=pipeline)


def _planner_of(case: Case) -> Planner:
    stated = f"{case.raw.get('engine_version', '')} {case.raw.get('source_date', '')}"
    return _planner(case.engine, stated, case.max_model_len, pipeline=case.pp > 1)


def _fill(rooms: Sequence[CaseRoom], cases: Sequence[Case], devices: Sequence[Device | None]) -> None:
    """Write the figures of every case into its room."""
    if not cases:
        return
    facts = _Facts(cases, devices)
    # Objects of one identity are one: hashing a whole model would cost more than its memory does.
    caches: dict[tuple[int, bool, bool, bool], list[int]] = {}
    pools: dict[tuple[int, int, bool], list[int]] = {}
    planners: dict[int, Planner] = {}
    for i, (case, serves) in enumerate(zip(cases, facts.serves.tolist(), strict=True)):
        whole, paged = case.gguf and case.engine != _WINDOWED, False
        if not case.gguf:
            planner = _planner_of(case)
            paged = planner.paged_state
            if serves:
                planners[id(planner)] = planner
                pools.setdefault((id(case.llm), id(planner), case.utilization is not None), []).append(i)
        caches.setdefault((id(case.llm), whole, paged, serves), []).append(i)
    for (_, whole, paged, serves), places in caches.items():
        facts.cache(known(cases[places[0]].llm), np.array(places), whole=whole, paged=paged, serves=serves)
    for (_, which, stated), places in pools.items():
        facts.plan(known(cases[places[0]].llm), np.array(places), planners[which], stated=stated)
    facts.write(rooms)


class _Facts:
    """Many cases as arrays; sizes in GiB."""

    def __init__(self, cases: Sequence[Case], devices: Sequence[Device | None]) -> None:
        n = len(cases)
        sizes: dict[tuple[int, int, bool], WeightBytes] = {}
        found = [_size(case, sizes) for case in cases]
        gguf = np.array([case.gguf for case in cases], dtype=bool)
        ram = np.array([device is None or case.apple for case, device in zip(cases, devices, strict=True)], dtype=bool)
        self.serves = ~gguf & ~ram
        self._total = np.array([size.total for size in found]) / memory.GIB
        host = np.array([size.host for size in found]) / memory.GIB
        self._tp = np.array([case.tp for case in cases], dtype=np.float64)
        self._pp = np.array([case.pp for case in cases], dtype=np.float64)
        alone = np.array([device is None for device in devices], dtype=bool)
        self._gpus = np.where(alone, 1.0, self._tp * self._pp)
        self._weights: Array = (self._total - np.where(gguf & ~ram, host, 0.0)) / self._gpus
        self._kv = np.array([case.kv_bytes for case in cases], dtype=np.float64)
        self._data_parallel = np.array([case.data_parallel for case in cases], dtype=bool)
        self._asked = np.array([case.max_model_len or case.input_tokens + case.output_tokens for case in cases])
        self._share = np.array([case.utilization or np.nan for case in cases], dtype=np.float64)
        stated = np.array([(not case.gguf and case.usable_gib) or np.nan for case in cases], dtype=np.float64)
        nominal = np.array([np.nan if device is None else device.memory_gib for device in devices])
        usable = np.array([(device and device.usable_gib) or np.nan for device in devices], dtype=np.float64)
        # A slice of a card has its share of the memory, unless the case says how much.
        slice_of = np.minimum(np.array([case.count for case in cases], dtype=np.float64), 1.0)
        self._nominal = np.where(np.isnan(stated), nominal * slice_of, stated)
        self._usable = np.where(np.isnan(stated), usable * slice_of, stated)
        self._amd = np.array([device is not None and device.chip == _AMD for device in devices], dtype=bool)
        self._small = np.array([device is not None and device.small_chunk for device in devices], dtype=bool)
        self._chunk = memory.Cards(self._nominal, self._usable, self._amd, self._small).chunk_tokens
        self._batch = np.where(gguf, float(memory.GGUF_BATCH), 0.0)
        stated_ram = np.array([np.nan if case.memory_gib is None else case.memory_gib for case in cases])
        self._room = memory.usable_gib(self._nominal, self._usable)
        self._pool = np.where(
            ram,
            stated_ram - self._total - memory.CPU_COMPUTE_GIB - memory.OS_RESERVE_GIB,
            self._room - self._weights - memory.GGUF_COMPUTE_GIB,
        )
        self._each, self._admitted, self._slope, self._per_token = (np.zeros(n) for _ in range(4))

    def cache(self, llm: LLM, at: NDArray[np.intp], *, whole: bool, paged: bool, serves: bool) -> None:
        """Cache of a sequence, of one let in, and of a token, for cases of one model."""
        tp, kv = self._tp[at], self._kv[at]
        shards = memory.kv_shards(llm.kv_heads, llm.mla is not None, tp, data_parallel=self._data_parallel[at])
        shards = shards * self._pp[at]

        def sequence(chunk: Array) -> Array:
            return memory.sequence_gib(
                llm, self._asked[at], kv, shards, self._gpus[at], full_window=whole, chunk=chunk, paged_state=paged
            )

        self._each[at] = sequence(self._batch[at])
        self._admitted[at] = sequence(self._chunk[at]) if serves else self._each[at]
        self._slope[at] = memory.token_gib(llm, kv, shards, sliding=whole)
        self._per_token[at] = memory.kv_bytes_per_token(llm, 1.0) * kv

    def plan(self, llm: LLM, at: NDArray[np.intp], planner: Planner, *, stated: bool) -> None:
        """KV pool under a serving engine, for cases of one model and planner; `stated`: the rows name the engine's share."""
        cards = memory.Cards(self._nominal[at], self._usable[at], self._amd[at], self._small[at])
        share = self._share[at] if stated else None
        self._pool[at] = memory.pool_gib(llm, self._weights[at], cards, self._tp[at], planner, share)

    def write(self, rooms: Sequence[CaseRoom]) -> None:
        """Fill one room a case."""
        pool, each, admitted, slope, asked = self._pool, self._each, self._admitted, self._slope, self._asked
        fitted = memory.fitted_room_gib(self._weights, self._nominal)
        run_room = np.where(self.serves, np.floor(_ratio(np.maximum(fitted, pool), each, np.inf)), np.nan)
        too_small = self.serves & (self._weights > self._room)
        unknown = np.isnan(pool)
        room = np.maximum(pool, 0.0)
        sequences = np.where(each > 0, np.floor(_ratio(room, each, 0.0)), np.where(room > 0, np.inf, 0.0))
        tokens = np.where((slope > 0) & (admitted > 0), _ratio(room, admitted, np.nan) * asked, np.nan)
        context = np.maximum(_ratio(room - (admitted - slope * asked), slope, np.nan), 0.0)
        fits = unknown | ((pool > 0) & (room >= admitted))
        sequences = np.where(unknown, np.inf, sequences)
        tokens, context = np.where(unknown, np.nan, tokens), np.where(unknown, np.nan, context)
        columns = (self._weights, self._per_token, pool, run_room, sequences, tokens, context, asked, too_small, fits)
        for one, values in zip(rooms, zip(*(column.tolist() for column in columns), strict=True), strict=True):
            (
                one.weights,
                one.kv_per_token,
                one.pool,
                one.run_room,
                one.sequences,
                one.tokens,
                one.context,
                wanted,
                one.too_small,
                one.fits,
            ) = values
            one.reason = "" if one.fits and one.pool == one.pool else _reason(one, wanted)


def _size(case: Case, sizes: dict[tuple[int, int, bool], WeightBytes]) -> WeightBytes:
    key = (id(case.llm), id(case.quant), case.gguf)
    size = sizes.get(key)
    if size is None:
        size = sizes[key] = weight_bytes(known(case.llm), known(case.quant), gguf=case.gguf)
    return size


def _ratio(over: Array, under: Array, otherwise: float) -> Array:
    """`over` / `under` where that is above zero."""
    result: Array = np.divide(over, under, out=np.full(np.shape(over), otherwise), where=under > 0)
    return result


def _reason(room: CaseRoom, wanted: float) -> str:
    if room.pool != room.pool:
        return "memory of the machine not stated"
    if room.pool <= 0:
        return f"weights take {room.weights:.1f} GiB a device; {-room.pool:.1f} GiB too much"
    return f"room for {room.context:.0f} tokens of context, the case needs {wanted:.0f}"
