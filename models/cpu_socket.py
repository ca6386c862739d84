"""Rates of many servers' sockets at once: `cpu_rates` for arrays, with each CPU's facts looked up once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from models.constants import constants
from models.cpu_rates import (
    CORES_PER_CHIPLET,
    CpuFacts,
    Labels,
    decode_rate,
    facts_of,
    family_of,
    prefill_rate,
    stack,
    stream_rate,
    sync_time,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from models.cpu import CPU

    Array = NDArray[np.float64]


class Socket(NamedTuple):
    """One socket of a server; see the arguments of `cpu_rates`."""

    cpu: CPU | None
    arch: str
    cores: float
    packed: bool
    shared: bool
    bandwidth_gb_s: float | None
    measured_read_gb_s: float | None


class Family(NamedTuple):
    """See `CpuRates`."""

    family: str
    measured_family: bool


class SocketRates(NamedTuple):
    """One entry a socket; NaN and None where the bandwidth of its memory is not known. See `CpuRates`."""

    columns: Mapping[str, Array]
    families: list[Family | None]


def rates_of(sockets: Sequence[Socket], engine: str) -> SocketRates:
    """What `cpu_rates` says of each."""
    places: dict[tuple[int, str, float | None], int] = {}
    alike: list[tuple[CpuFacts | None, Family | None]] = []
    which = []
    for socket in sockets:
        key = id(socket.cpu), socket.arch, socket.bandwidth_gb_s  # hashing a CPU's twenty fields takes its time
        place = places.get(key)
        if place is None:
            place = places[key] = len(alike)
            alike.append(_facts(socket, engine))
        which.append(place)
    families = [alike[place][1] for place in which]
    columns = {name: np.full(len(sockets), np.nan) for name in ("cores", "stream", "prefill", "decode", "sync")}
    rows = np.array([at for at, place in enumerate(which) if alike[place][0] is not None], dtype=np.intp)
    if not len(rows):
        return SocketRates(columns, families)
    order: dict[int, int] = {}
    at = np.array([order.setdefault(which[row], len(order)) for row in rows.tolist()], dtype=np.intp)
    own = [sockets[row] for row in rows.tolist()]
    facts = _fitted(stack([fact for place in order if (fact := alike[place][0]) is not None]), at, own)
    k = constants().cpu
    columns["cores"][rows] = facts.cores
    for name, formula in (
        ("stream", stream_rate),
        ("prefill", prefill_rate),
        ("decode", decode_rate),
        ("sync", sync_time),
    ):
        columns[name][rows] = formula(facts, k)
    return SocketRates(columns, families)


def _facts(socket: Socket, engine: str) -> tuple[CpuFacts | None, Family | None]:
    """What the sockets with one CPU have in common: of a VM with one chiplet, none of it shared."""
    facts = facts_of(
        socket.cpu, arch=socket.arch, cores=1.0, engine=engine, packed=True, bandwidth_gb_s=socket.bandwidth_gb_s
    )
    if facts is None:
        return None, None
    family = family_of(socket.cpu, socket.arch)
    known = family is not None and not family.startswith("unknown")
    return facts, Family(family or facts.kind.name, known)


def _fitted(facts: CpuFacts, at: NDArray[np.intp], sockets: Sequence[Socket]) -> CpuFacts:
    """The facts at some places, with what each socket has of its own."""

    def spread(name: str) -> Any:
        value = getattr(facts, name)
        return value.taken(at) if isinstance(value, Labels) else value[at]

    every = CpuFacts(**{name: spread(name) for name in CpuFacts.__slots__})
    cores = np.array([socket.cores for socket in sockets])
    packed = np.array([socket.packed for socket in sockets])
    return replace(
        every,
        cores=cores,
        chiplets=np.where(packed, every.chiplets * np.ceil(cores / CORES_PER_CHIPLET), np.inf),
        read=np.array([socket.measured_read_gb_s or np.inf for socket in sockets]),
        share=np.where([socket.shared for socket in sockets], 0.5, 1.0),
    )
