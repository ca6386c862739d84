"""An accelerator's specification: memory, bandwidth, dense peaks, links."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Chip:
    """One accelerator of the catalog; TFLOPS are dense (no sparsity), link speeds one direction."""

    name: str
    vendor: str
    arch: str
    compute_capability: float | None
    """NVIDIA's number (8.9 = Ada); None elsewhere."""
    memory_gib: float
    """NaN where the memory is the machine's RAM (Apple, Strix Halo) and the name does not say how much."""
    memory_type: str
    memory_bandwidth_gb_s: float | None
    fp32_tflops: float | None
    fp16_tflops: float | None
    bf16_tflops: float | None
    fp8_tflops: float | None
    int8_tops: float | None
    fp4_tflops: float | None
    interconnect: str
    """none, NVLink4, xGMI, RoCE on chip, ..."""
    link_gb_s: float | None
    pcie_gb_s: float | None
    pcie_gen: float | None
    usable_gib: float | None
    """Memory an engine really gets, where measured; None where only the nominal size is known."""
    tdp_w: float | None = None
    unit: str = "per card"
    launch_year: int | None = None
    note: str = ""
    unverified: tuple[str, ...] = ()
    """Fields without a first-hand source."""
    source: str = ""
    source_date: str = ""
