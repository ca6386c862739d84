"""The machine behind an offer: what two offers must share to be one and the same server."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from models import catalog
from models.cpu_measured import instance_of
from models.server import Server
from pricing.offer_list import column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from models.chip import Chip
    from models.cpu import CPU
    from pricing.offer import Offer

    Array = np.ndarray[Any, Any]

# Clouds that cut AMD hosts chiplet by chiplet.
_PACKING = frozenset({"aws", "azure", "gcp", "alibaba"})
_ARM_NAMES = re.compile(r"graviton|ampere|altra|cobalt|axion|grace|aarch64|\barm\b|cortex|neoverse", re.IGNORECASE)
_ARM_SERVERS: dict[str, re.Pattern[str]] = {
    "aws": re.compile(r"^(a1|[a-z]+\d+g[a-z]*)\.", re.IGNORECASE),
    "azure": re.compile(r"^(standard_)?[a-z]+\d+[a-z]*p[a-z]*_", re.IGNORECASE),
    "gcp": re.compile(r"^(t2a|c4a|n4a)-", re.IGNORECASE),
    "hetzner": re.compile(r"^cax", re.IGNORECASE),
    "oci": re.compile(r"\.a[124]\b", re.IGNORECASE),
    "scaleway": re.compile(r"coparm|^amp|^(basic|standard)\d-a\d", re.IGNORECASE),
}
_BARE_METAL = re.compile(r"metal|^bm\.", re.IGNORECASE)


def is_arm(provider: str, server: str, cpu_model: str | None) -> bool:
    """Whether the names of an offer say Arm."""
    if cpu_model:
        return _ARM_NAMES.search(cpu_model) is not None
    pattern = _ARM_SERVERS.get(provider)
    return bool(_ARM_NAMES.search(server) or (pattern and pattern.search(server)))


def distinct(offers: Sequence[Offer]) -> tuple[tuple[Server, ...], Array]:
    """The distinct servers of some offers, and each offer's place among them."""
    finder = _Finder()
    places: dict[tuple[Any, ...], int] = {}
    servers: list[Server] = []
    # Regions and terms repeat the same facts over and over: each set of facts is looked at once.
    seen: dict[tuple[Any, ...], int] = {}
    index = np.empty(len(offers), dtype=np.intp)
    gpus, cpus = (zip(*(column(offers, name) for name in of._fields), strict=True) for of in (_GpuFacts, _CpuFacts))
    for at, (kind, gpu, cpu) in enumerate(zip(column(offers, "kind"), gpus, cpus, strict=True)):
        facts = gpu if kind == "gpu" else cpu
        place = seen.get(facts)
        if place is None:
            key = finder.gpu_key(_GpuFacts(*facts)) if kind == "gpu" else finder.cpu_key(_CpuFacts(*facts))
            place = places.get(key)
            if place is None:
                place = places[key] = len(servers)
                servers.append(finder.server(key))
            seen[facts] = place
        index[at] = place
    return tuple(servers), index


class _GpuFacts(NamedTuple):
    """What tells GPU servers apart."""

    gpu_model: str | None
    gpu_count: float | None
    vram_gib_per_gpu: float | None
    interconnect: str | None


class _CpuFacts(NamedTuple):
    """What tells CPU servers apart."""

    provider: str
    server: str
    cpu_model: str | None
    sockets: int | None
    cores: float | None
    vcpus: float | None
    shared_cpu: bool | None
    memory_channels: float | None
    memory_mts: float | None
    ram_gib: float | None
    memory_read_gb_s_measured: float | None


class _Finder:
    """Looks up chips and CPUs once per spelling, and makes the key of an offer's machine."""

    def __init__(self) -> None:
        self._chips: dict[tuple[Any, ...], Chip | None] = {}
        self._chip_by_key: dict[tuple[Any, ...], Chip | None] = {}
        self._cpus: dict[str, CPU | None] = {}
        self._machines: dict[tuple[str, str, str | None], tuple[bool, float]] = {}

    def gpu_key(self, entry: _GpuFacts) -> tuple[Any, ...]:
        # How many there are is not known: what they do together is not either.
        count = entry.gpu_count or 1.0
        slice_gib = entry.vram_gib_per_gpu if count < 1 else None
        link = entry.interconnect or "" if count > 1 else ""
        spelling = (entry.gpu_model, None if count < 1 else entry.vram_gib_per_gpu, entry.interconnect)
        if spelling not in self._chips:
            self._chips[spelling] = _find_chip(*spelling)
        chip = self._chips[spelling] if entry.gpu_count else None
        key = (
            "gpu",
            chip.name if chip else None,
            chip.memory_gib if chip else entry.vram_gib_per_gpu,
            count,
            slice_gib,
            link,
        )
        self._chip_by_key[key] = chip
        return key

    def cpu_key(self, entry: _CpuFacts) -> tuple[Any, ...]:
        name = entry.cpu_model
        if name and name not in self._cpus:
            self._cpus[name] = catalog.find_cpu(name)
        cpu = self._cpus[name] if name else None
        arm, per_core = self._machine(entry)
        cores = entry.cores or (entry.vcpus / per_core if entry.vcpus else None)
        sockets = entry.sockets or 1
        whole = bool(cpu and cpu.cores and cores and cores >= cpu.cores * sockets)
        channels = entry.memory_channels / sockets if whole and entry.memory_channels else None
        metal = _BARE_METAL.search(entry.server) is not None
        packed = bool(cpu and cpu.vendor == "AMD" and entry.provider in _PACKING and not metal)
        return (
            "cpu",
            name if cpu else None,
            arm,
            entry.sockets,
            _whole(cores),
            _whole(entry.vcpus),
            bool(entry.shared_cpu),
            packed,
            _whole(channels),
            entry.memory_mts if whole else None,
            entry.ram_gib,
            _whole(entry.memory_read_gb_s_measured),
            instance_of(entry.provider, entry.server),
        )

    def _machine(self, entry: _CpuFacts) -> tuple[bool, float]:
        """Arm or not, and vCPUs per core, of a provider's instance."""
        key = (entry.provider, entry.server, entry.cpu_model)
        found = self._machines.get(key)
        if found is None:
            arm = is_arm(*key)
            per_core = 1.0 if arm else 2.0
            if entry.cores is None:
                row = catalog.instance_family(entry.provider, entry.server) or {}
                per_core = float(row.get("vcpu_per_core") or per_core)
            found = self._machines[key] = (arm, per_core)
        return found

    def server(self, key: tuple[Any, ...]) -> Server:
        if key[0] == "gpu":
            _, _, _, count, slice_gib, link = key
            return Server(
                "gpu", chip=self._chip_by_key[key], gpu_count=count, vram_gib_per_gpu=slice_gib, interconnect=link
            )
        _, name, arm, sockets, cores, vcpus, shared, packed, channels, mts, ram_gib, read_gb_s, instance = key
        return Server(
            "cpu",
            cpu=self._cpus[name] if name else None,
            arch="arm" if arm else "x86",
            sockets=sockets,
            cores=cores,
            vcpus=vcpus,
            shared_cpu=shared,
            packed=packed,
            memory_channels=channels,
            memory_mts=mts,
            ram_gib=ram_gib,
            memory_read_gb_s=read_gb_s,
            instance=instance,
        )


def _find_chip(name: str | None, memory_gib: float | None, link: str | None) -> Chip | None:
    if not name:
        return None
    chip = catalog.find_chip(name, memory_gib=memory_gib, link=link)
    # The catalog's card with another memory size is another card.
    if chip is not None and memory_gib is not None and abs(chip.memory_gib - memory_gib) > 0.1 * chip.memory_gib:
        return None
    return chip


def _whole(value: float | None) -> int | None:
    return None if value is None else max(1, round(value))
