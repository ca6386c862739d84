"""The hardware of an offer, without its price: what the estimator is asked about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from models.chip import Chip
    from models.cpu import CPU


@dataclass(frozen=True, slots=True)
class Server:
    """One distinct machine; hashable, so that thousands of offers share one estimate.

    A GPU server is its chip, count (0.125 = an eighth of a card) and link; host RAM, PCIe and price are joined
    after the estimate. A CPU server is its CPU or class, sockets, cores, memory and how the provider cuts it.
    """

    kind: str
    """cpu or gpu."""
    chip: Chip | None = None
    """None on a GPU server: the chip is not in the catalog, so no estimate."""
    gpu_count: float = 0.0
    vram_gib_per_gpu: float | None = None
    """Nominal memory per GPU (the slice's own for a fraction); None = the chip's."""
    interconnect: str = ""
    """As the offer says; empty = not stated (the chip's own for SXM parts)."""
    cpu: CPU | None = None
    """None on a CPU server: unknown SKU, the class decides."""
    arch: str = "x86"
    """x86 or arm; decides the class of an unknown CPU."""
    sockets: int | None = None
    cores: int | None = None
    """Physical cores the offer gives, over all sockets."""
    vcpus: int | None = None
    shared_cpu: bool = False
    packed: bool = False
    """Cloud VMs that sit on as few AMD chiplets as their cores need."""
    memory_channels: int | None = None
    """Per socket for whole machines; a share for VMs (informative only)."""
    memory_mts: float | None = None
    ram_gib: float | None = None
    memory_read_gb_s: float | None = None
    """Read bandwidth measured on this very instance type; no process streams weights faster."""
    instance: str = ""
    """Provider and type ("aws m7a.8xlarge") where llama.cpp was measured on this very instance type; empty elsewhere."""
