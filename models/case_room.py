"""Memory of cases: what weights and cache take of the device, and how many sequences are left room for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Self

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


@dataclass(frozen=True, slots=True)
class _Kind:
    """What cases must share to be computed together."""

    llm: LLM
    place: str
    """ram (CPUs, Apple), gguf or serving."""
    whole: bool
    """Sliding layers keep the whole context."""
    planner: Planner | None
    stated: bool
    """Whether the rows state the engine's share of memory."""


@lru_cache(maxsize=4096)
def _planner(engine: str, stated: str, max_model_len: float | None, *, pipeline: bool) -> Planner:
    return planner_of(engine, stated).at_context(max_model_len, pipeline=pipeline)


def _kind(case: Case, device: Device | None) -> tuple[tuple[object, ...], _Kind]:
    """(key, kind): objects of one identity are one; hashing a whole model would cost more than its memory does."""
    llm = known(case.llm)
    place = "ram" if device is None or case.apple else "gguf" if case.gguf else "serving"
    whole = case.gguf and case.engine != _WINDOWED
    planner = None
    if not case.gguf:
        stated = f"{case.raw.get('engine_version', '')} {case.raw.get('source_date', '')}"
        planner = _planner(case.engine, stated, case.max_model_len, pipeline=case.pp > 1)
    share = case.utilization is not None
    return (id(llm), place, whole, id(planner), share), _Kind(llm, place, whole, planner, share)


def _fill(rooms: Sequence[CaseRoom], cases: Sequence[Case], devices: Sequence[Device | None]) -> None:
    groups: dict[tuple[object, ...], tuple[_Kind, list[int]]] = {}
    for i, (case, device) in enumerate(zip(cases, devices, strict=True)):
        key, kind = _kind(case, device)
        found = groups.get(key)
        if found is None:
            groups[key] = kind, [i]
        else:
            found[1].append(i)
    sizes: dict[tuple[int, int, bool], WeightBytes] = {}
    for kind, places in groups.values():
        group = _Group(kind, [cases[i] for i in places], [devices[i] for i in places], sizes)
        group.write([rooms[i] for i in places])


class _Group:
    """Cases of one kind as arrays; sizes in GiB."""

    def __init__(
        self,
        kind: _Kind,
        cases: Sequence[Case],
        devices: Sequence[Device | None],
        sizes: dict[tuple[int, int, bool], WeightBytes],
    ) -> None:
        self._kind, self._cases, self._devices = kind, cases, devices
        llm = kind.llm
        found = [_size(case, sizes) for case in cases]
        self._total = np.array([size.total for size in found]) / memory.GIB
        on_gpu = kind.place == "gguf"
        host = np.array([size.host for size in found]) / memory.GIB if on_gpu else 0.0
        self._tp = np.array([case.tp for case in cases], dtype=np.float64)
        pp = np.array([case.pp for case in cases], dtype=np.float64)
        alone = np.array([device is None for device in devices], dtype=bool)
        self._gpus = np.where(alone, 1.0, self._tp * pp)
        self.weights: Array = (self._total - host) / self._gpus
        self._kv = np.array([case.kv_bytes for case in cases])
        data_parallel = np.array([case.data_parallel for case in cases], dtype=bool)
        self._shards = memory.kv_shards(llm.kv_heads, llm.mla is not None, self._tp, data_parallel=data_parallel) * pp
        self.asked = np.array([case.max_model_len or case.input_tokens + case.output_tokens for case in cases])

    def _sequence(self, chunk: Any) -> Array:
        kind = self._kind
        paged = kind.planner is not None and kind.planner.paged_state
        result = memory.sequence_gib(
            kind.llm,
            self.asked,
            self._kv,
            self._shards,
            self._gpus,
            full_window=kind.whole,
            chunk=chunk,
            paged_state=paged,
        )
        return np.broadcast_to(result, self.asked.shape)

    def _column(self, name: str) -> Array:
        return np.array([getattr(device, name) or np.nan for device in self._devices], dtype=np.float64)

    def _serving(self) -> tuple[Array, Array, NDArray[np.bool_], Array]:
        """(KV pool, what a request needs to be let in, whether weights are larger than the card, room as the constants were fitted)."""
        cases, kind = self._cases, self._kind
        stated = np.array([case.usable_gib or np.nan for case in cases], dtype=np.float64)
        unstated = np.isnan(stated)
        nominal = np.where(unstated, [known(device).memory_gib for device in self._devices], stated)
        usable = np.where(unstated, self._column("usable_gib"), stated)
        amd = np.array([known(device).chip == _AMD for device in self._devices], dtype=bool)
        small = np.array([known(device).small_chunk for device in self._devices], dtype=bool)
        cards = memory.Cards(nominal, usable, amd, small)
        share = np.array([case.utilization for case in cases], dtype=np.float64) if kind.stated else None
        pool = memory.pool_gib(kind.llm, self.weights, cards, self._tp, known(kind.planner), share)
        small_card = self.weights > memory.usable_gib(nominal, usable)
        return pool, self._sequence(cards.chunk_tokens), small_card, memory.fitted_room_gib(self.weights, nominal)

    def write(self, rooms: Sequence[CaseRoom]) -> None:
        """Fill one room a case."""
        kind, asked = self._kind, self.asked
        llm, n = kind.llm, len(asked)
        each = admitted = self._sequence(memory.GGUF_BATCH if self._cases[0].gguf else 0.0)
        slope = np.broadcast_to(memory.token_gib(llm, self._kv, self._shards, sliding=kind.whole), n)
        run_room, too_small = np.full(n, np.nan), np.zeros(n, dtype=bool)
        if kind.place == "ram":
            ram = np.array([np.nan if case.memory_gib is None else case.memory_gib for case in self._cases])
            pool = ram - self._total - memory.CPU_COMPUTE_GIB - memory.OS_RESERVE_GIB
        elif kind.place == "gguf":
            usable = memory.usable_gib(
                [known(device).memory_gib for device in self._devices], self._column("usable_gib")
            )
            pool = usable - self.weights - memory.GGUF_COMPUTE_GIB
        else:
            pool, admitted, too_small, fitted = self._serving()
            run_room = np.floor(_ratio(np.maximum(fitted, pool), each, np.inf))
        unknown = np.isnan(pool)
        room = np.maximum(pool, 0.0)
        sequences = np.where(each > 0, np.floor(_ratio(room, each, 0.0)), np.where(room > 0, np.inf, 0.0))
        grows = slope > 0
        tokens = np.where(grows & (admitted > 0), _ratio(room, admitted, np.nan) * asked, np.nan)
        context = np.maximum(_ratio(room - (admitted - slope * asked), slope, np.nan), 0.0)
        fits = unknown | ((pool > 0) & (room >= admitted))
        sequences = np.where(unknown, np.inf, sequences)
        tokens, context = np.where(unknown, np.nan, tokens), np.where(unknown, np.nan, context)
        per_token = memory.kv_bytes_per_token(llm, 1.0) * self._kv
        columns = (self.weights, per_token, pool, run_room, sequences, tokens, context, asked, too_small, fits)
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
