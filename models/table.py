"""Distinct servers as arrays, made once: every change of a workload then runs over arrays only."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from models.cpu_measured import SCALED, adjusted, all_figures
from models.cpu_rates import CpuRates
from models.cpu_socket import Family, Socket, rates_of
from models.devices import Device, device_of, link_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from models.chip import Chip
    from models.server import Server

Array = NDArray[np.float64]

_WHOLE_GPU = 1.0
RATES = SCALED
"""What the formulas read of a CPU's rates."""
MEASURED_ENGINE = "llama.cpp"
"""The engine of the measured instance types (`models.cpu_measured`)."""


class ServerTable:
    """Struct of arrays over distinct servers; index i everywhere is `servers[i]`."""

    def __init__(self, servers: Sequence[Server]) -> None:
        """Look up devices, links and CPU rates of all servers; a few microseconds a server."""
        self.servers = tuple(servers)
        n = len(self.servers)
        self.is_gpu = np.array([server.kind == "gpu" for server in self.servers], dtype=bool)
        self.chips: list[Chip] = []
        places: dict[Chip, int] = {}
        self.chip_index = np.full(n, -1, dtype=np.intp)
        self.gpu_count = np.zeros(n)
        self.link = np.ones(n)
        self.link_class = np.full(n, 2, dtype=np.intp)
        self.pcie = np.zeros(n, dtype=bool)
        self.memory_gib = np.full(n, np.nan)
        self.usable_gib = np.full(n, np.nan)
        self.ram_gib = np.array([np.nan if server.ram_gib is None else server.ram_gib for server in self.servers])
        links: dict[tuple[Chip, str], tuple[float, int, bool]] = {}
        for i, server in enumerate(self.servers):
            chip = server.chip
            if chip is None:
                continue
            if chip not in places:
                places[chip] = len(self.chips)
                self.chips.append(chip)
            self.chip_index[i] = places[chip]
            device = device_of(chip)
            dies = device.dies if device else 1
            self.gpu_count[i] = (server.gpu_count or _WHOLE_GPU) * dies
            link = links.get((chip, server.interconnect))
            if link is None:
                link = links[(chip, server.interconnect)] = link_of(chip, server.interconnect)
            self.link[i], self.link_class[i], self.pcie[i] = link
            nominal = server.vram_gib_per_gpu or (device.memory_gib if device else np.nan)
            self.memory_gib[i] = nominal
            if device is not None and device.usable_gib and server.vram_gib_per_gpu is None:
                self.usable_gib[i] = device.usable_gib
        self.devices: list[Device | None] = [device_of(chip) for chip in self.chips]

    @classmethod
    def build(cls, servers: Sequence[Server]) -> ServerTable:
        """The table of these servers."""
        return cls(servers)

    def __len__(self) -> int:
        return len(self.servers)

    @cached_property
    def _rates(self) -> dict[str, list[CpuRates | None]]:
        return {}

    @cached_property
    def _columns(self) -> dict[str, dict[str, Array]]:
        return {}

    @cached_property
    def _families(self) -> dict[str, list[Family | None]]:
        return {}

    @cached_property
    def cpu_bands(self) -> dict[tuple[str, str], list[Any]]:
        """Bands of all servers by engine and class of format, kept for `layout.cpu_layouts`."""
        return {}

    @cached_property
    def memory_gb_s(self) -> Array:
        """Memory bandwidth, GB/s: of all GPUs as their maker states it; of a CPU server what one socket is reckoned to read."""
        found = self.cpu_columns(MEASURED_ENGINE)["stream"] / 1e9
        for i in np.flatnonzero(self.chip_index >= 0):
            each = self.chips[self.chip_index[i]].memory_bandwidth_gb_s
            count = self.servers[i].gpu_count
            found[i] = np.nan if each is None or count is None else each * count
        return found

    def cpu_rates(self, engine: str) -> list[CpuRates | None]:
        """Rates of every CPU server's one socket under an engine (None for GPU servers and unknown bandwidth)."""
        known = self._rates.get(engine)
        if known is None:
            columns = self.cpu_columns(engine)
            known = self._rates[engine] = [None] * len(self.servers)
            cells = zip(*(columns[name].tolist() for name in RATES), self._families[engine], strict=True)
            for i, (cores, stream, prefill, decode, sync, of) in enumerate(cells):
                if of is not None:
                    known[i] = CpuRates(stream, prefill, decode, cores, of.family, of.measured_family, sync)
        return known

    def cpu_families(self, engine: str) -> list[Family | None]:
        """The families among `cpu_rates`: a start needs no more of them."""
        self.cpu_columns(engine)
        return self._families[engine]

    def cpu_columns(self, engine: str) -> Mapping[str, Array]:
        """The numbers among `cpu_rates` (RATES) as arrays over all servers, NaN where there are none."""
        columns = self._columns.get(engine)
        if columns is None:
            columns = self._columns[engine] = {name: np.full(len(self.servers), np.nan) for name in RATES}
            families = self._families[engine] = [None] * len(self.servers)
            sockets = {i: socket for i, server in enumerate(self.servers) if (socket := socket_of(server)) is not None}
            found = rates_of(list(sockets.values()), engine)
            places = list(sockets)
            for name in RATES:
                columns[name][places] = found.columns[name]
            for i, family in zip(places, found.families, strict=True):
                families[i] = family
            if engine == MEASURED_ENGINE:
                self._meet_measurements(columns)
        return columns

    def _meet_measurements(self, columns: dict[str, Array]) -> None:
        """Instance types whose own llama.cpp speeds were measured get rates that meet them: the measurement wins."""
        measured, figures = all_figures()
        unknown = np.isnan(columns["stream"]).tolist()
        rows = {
            i: measured[server.instance]
            for i, server in enumerate(self.servers)
            if server.instance in measured and not unknown[i]
        }
        if not rows:
            return
        places = list(rows)
        moved = adjusted(figures[list(rows.values())], {name: columns[name][places] for name in RATES})
        for name in RATES:
            columns[name][places] = moved[name]


def one_socket_cores(server: Server) -> float | None:
    """Physical cores of one socket of a CPU server: a second socket is not counted on."""
    cores = server.cores or (server.cpu.cores if server.cpu else None)
    if cores is None:
        return None
    each = cores / max(server.sockets or 1, 1)
    own = server.cpu.cores if server.cpu else None
    return float(max(min(each, own) if own else each, 1))


def socket_of(server: Server) -> Socket | None:
    """The one socket of a CPU server that a process uses; None for a GPU server, or where the cores are not known."""
    cores = one_socket_cores(server) if server.kind == "cpu" else None
    if cores is None:
        return None
    bandwidth = None
    if server.memory_channels and server.memory_mts and server.vcpus is None:
        bandwidth = server.memory_channels * server.memory_mts * 8 / 1000
    return Socket(server.cpu, server.arch, cores, server.packed, server.shared_cpu, bandwidth, server.memory_read_gb_s)
