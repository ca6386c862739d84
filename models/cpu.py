"""A CPU's specification: cores, memory channels, instruction set."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CPU:
    """One CPU of the catalog; bandwidth is one socket's theoretical peak."""

    name: str
    vendor: str
    codename: str
    microarchitecture: str
    isa_class: str
    """avx2, avx512, amx, neon, sve, ..."""
    cores: int | None
    threads: int | None
    all_core_ghz: float | None
    memory_channels: int | None
    memory_mts: float | None
    peak_bandwidth_gb_s: float | None
    measured_read_gb_s: float | None
    max_sockets: int | None
    pcie_gen: float | None
    pcie_lanes: int | None
    simd: str = ""
    launch: str = ""
    assumed: str = ""
    """Which fields were filled from the platform rather than the part's own sheet."""
    source: str = ""
    source_date: str = ""
