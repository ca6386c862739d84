"""A chip in the units and classes of the speed formulas."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from models.gguf_speed import KINDS, MEMORY
from models.gpu_speed import CHIPS, LINKS, MEMORIES

if TYPE_CHECKING:
    from models.chip import Chip

_GEFORCE = re.compile(r"^(RTX-[2345]0\d0|GTX-|TITAN-RTX|RTX-TITAN|A10G$)")
"""Chips whose listed 16-bit tensor rate is the one with fp32 sums: with fp16 sums, as llama.cpp computes, it is twice that."""
_DATA_CENTRE_GDDR = re.compile(
    r"^(?:T4|A2|A10|A16|A40|L4|L20|L40)[GS]?$|^RTX-PRO-6000-Blackwell-Server|^(?:P4|P40|M60|K80)$"
)
_NO_TENSOR_CORES = {"Pascal", "Maxwell 2.0", "Maxwell", "Kepler", "Kepler 2.0"}
_DIES = {"MI250": 2, "MI250X": 2}
"""Cards that the operating system shows as several devices, each with its part of memory, bandwidth and compute."""
_PCIE_DEFAULT_GB_S = 32.0
"""PCIe 4.0 x16, one direction: assumed where the sheet names no PCIe link."""
TURING_SLOWDOWN = 1.5
"""Compute capability 7.5 lacks the fast 4-bit kernels and bf16: T4 measured about 1.5x slower than the form says
(llama.cpp b4753 on AWS, Azure and GCP instances, 2026-08)."""

_WATTS_PER_TFLOP = {
    "Volta": 2.5,
    "Turing": 2.0,
    "Ampere": 1.4,
    "Ada Lovelace": 1.7,
    "Hopper": 0.71,
    "Blackwell": 0.44,
    "Blackwell Ultra": 0.44,
    "Blackwell 2.0": 1.2,
}
"""Watts per dense 16-bit TFLOP at which a generation stops being held back by power: prompts of an 8B model on ten cloud GPUs reached
0.73 of peak at 700 W (H100 SXM) and 0.51 at 400 W (H100 NVL), 0.70 and 0.64 on A100 at 400 and 300 W, 0.53 and 0.42 on L40S at 350 and
L4 at 72 W (vLLM 0.22, Spare Cores inspection data, 2026-08); Blackwell: its own
cards at their limit. Volta and Turing are assumed: no server of theirs was measured on long prompts."""

_HALF_LANES = {"Ampere", "Ada Lovelace", "Hopper", "Blackwell", "Blackwell 2.0", "Blackwell Ultra"}
"""NVIDIA generations with 128 fp32 lanes but 64 integer lanes' worth of issue a multiprocessor; GA100 has 64 of both."""
_DUAL_ISSUE = {"RDNA 3.0", "RDNA 3.5", "RDNA 4.0"}
"""AMD generations whose listed fp32 rate counts two instructions a lane and clock, which integer code does not reach."""
_APPLE = re.compile(r"^Apple-M(\d)")
_APPLE_NEW_GPU = 3
"""From M3 on Apple's GPU allocates registers dynamically: kernels reach more of its rate."""
_CLOCK_GHZ = {
    "Kepler 2.0": 0.88,
    "Kepler": 1.0,
    "Maxwell 2.0": 1.18,
    "Pascal": 1.6,
    "Volta": 1.5,
    "Turing": 1.65,
    "Ampere": 1.7,
    "Ada Lovelace": 2.5,
    "Hopper": 1.75,
    "Blackwell": 1.9,
    "Blackwell Ultra": 1.9,
    "Blackwell 2.0": 2.5,
}
"""Typical boost clock of NVIDIA's generations (data sheets); GA100 and GP100 run at 1.4."""
_OTHER_CLOCK_GHZ = 1.7
_ENERGY = {"Volta": 1.9, "Turing": 1.9, "Ampere": 1.7}
"""Energy of an instruction in 12 nm and Samsung's 8 nm relative to 4 nm, as lanes x clock per watt of their cards show."""
_ENERGY_OLD = 1.9

NO_ENGINE = {"AWS", "Google", "Huawei", "Qualcomm"}
"""Vendors on whose chips no engine was measured: a bound in the details, never an estimate."""


@dataclass(frozen=True, slots=True)
class Device:
    """One device as the operating system shows it: bytes/s, FLOP/s, class codes."""

    bandwidth: float
    memory_gib: float
    usable_gib: float | None
    peak_16bit: float
    peak: tuple[float, float, float, float, float]
    """FLOP/s per compute class (bf16, f8, f4, w8, w4)."""
    gguf_peak: float
    """fp16-accumulate rate for llama.cpp."""
    chip: int
    gguf_kind: int
    """Index into gguf_speed.KINDS."""
    lanes: float
    """Integer operations/s of all lanes (multiprocessors x 64 x clock on NVIDIA)."""
    clock_ghz: float
    """Boost clock of the generation."""
    lanes_per_watt: float
    """Lane operations/s for each watt of the power limit, as if made in 4 nm: high values cannot be held."""
    ecc: bool
    """GDDR with error correction in the same memory (on by default on NVIDIA's data-centre cards)."""
    graphs: bool
    """Whether llama.cpp replays a step as a CUDA graph (compute capability 8.0 on)."""
    memory: int
    """Index into gguf_speed.MEMORY."""
    pcie: float
    """Bytes/s, one direction."""
    slowdown: float
    measured_vendor: bool
    """Whether any serving engine was measured on this vendor's chips."""
    dies: int
    memory_class: int
    """Index into gpu_speed.MEMORIES."""
    before_hopper: bool
    power_room: float
    """Power limit over what the chip's generation needs for its 16-bit peak, at most 1."""
    small_chunk: bool
    """Prefills in small chunks although the card is large (A100)."""


def _apple_generation(chip: Chip) -> int:
    found = _APPLE.match(chip.name)
    return int(found.group(1)) if found else 0


def _gguf_kind(chip: Chip) -> str:
    capability = chip.compute_capability
    if chip.vendor == "Apple":
        return "apple3" if _apple_generation(chip) >= _APPLE_NEW_GPU else "apple"
    if chip.vendor != "NVIDIA":
        return "intel" if chip.vendor == "Intel" else "rdna3" if chip.arch in _DUAL_ISSUE else "amd"
    if capability == 7.0:
        return "volta"
    if chip.arch == "Pascal" and capability != 6.0:
        return "dp4a"
    if chip.arch == "Pascal" or chip.arch in _NO_TENSOR_CORES:
        return "old"
    if not (chip.fp16_tflops or chip.bf16_tflops):
        return "old"  # GTX 16: the engine takes it for a chip with tensor cores
    return "turing" if chip.arch == "Turing" else "ampere"


def _lanes_tops(chip: Chip, fallback: float) -> float:
    """Integer operations of all lanes, in 1e12/s: half the FMA-counted fp32 rate, and half of that where only every second lane counts."""
    fp32 = chip.fp32_tflops or fallback / 8
    halved = chip.arch in _DUAL_ISSUE or (
        chip.vendor == "NVIDIA" and chip.arch in _HALF_LANES and chip.compute_capability != 8.0
    )
    return fp32 / (4 if halved else 2)


def _energy(chip: Chip) -> float:
    if chip.vendor != "NVIDIA" or chip.compute_capability == 8.0:
        return 1.0
    older = chip.arch in _NO_TENSOR_CORES
    return _ENERGY_OLD if older else _ENERGY.get(chip.arch, 1.0)


@lru_cache(maxsize=32_768)
def device_of(chip: Chip) -> Device | None:
    """Translate a catalog chip; None where its bandwidth or compute is unknown."""
    if not chip.memory_bandwidth_gb_s:
        return None
    dies = _DIES.get(chip.name, 1)
    sixteen = chip.bf16_tflops or chip.fp16_tflops or chip.fp32_tflops
    if not sixteen:
        return None
    hbm = chip.memory_type.startswith("HBM")
    if chip.vendor == "NVIDIA":
        kind = "nvidia_hbm_blackwell" if chip.arch.startswith("Blackwell") and hbm else "nvidia"
    elif chip.vendor == "AMD":
        kind = "amd"
    elif chip.vendor == "Intel":
        kind = "gaudi" if chip.arch == "Gaudi" else "intel"
    else:
        kind = "nvidia"
    memory = "apple" if chip.vendor == "Apple" else "hbm" if hbm else "gddr"
    no_tensor = chip.arch in _NO_TENSOR_CORES and not (chip.fp16_tflops and chip.compute_capability == 6.0)
    fp16 = chip.fp16_tflops or chip.bf16_tflops
    gguf = chip.fp32_tflops if no_tensor or not fp16 else fp16 * (2 if _GEFORCE.match(chip.name) else 1)
    scale = 1e12 / dies
    return Device(
        bandwidth=chip.memory_bandwidth_gb_s * 1e9 / dies,
        memory_gib=(chip.memory_gib or 0.0) / dies,
        usable_gib=chip.usable_gib / dies if chip.usable_gib else None,
        peak_16bit=sixteen * scale,
        peak=(
            sixteen * scale,
            (chip.fp8_tflops or sixteen) * scale,
            (chip.fp4_tflops or sixteen) * scale,
            sixteen * scale,
            sixteen * scale,
        ),
        gguf_peak=(gguf or sixteen) * scale,
        chip=CHIPS.index(kind),
        gguf_kind=KINDS.index(_gguf_kind(chip)),
        lanes=_lanes_tops(chip, sixteen) * scale,
        ecc=_DATA_CENTRE_GDDR.match(chip.name) is not None,
        graphs=chip.vendor == "NVIDIA" and (chip.compute_capability or 0.0) >= 8.0,
        clock_ghz=1.4 if chip.compute_capability in {6.0, 8.0} else _CLOCK_GHZ.get(chip.arch, _OTHER_CLOCK_GHZ),
        lanes_per_watt=_lanes_tops(chip, sixteen) * 1e12 * _energy(chip) / chip.tdp_w if chip.tdp_w else 0.0,
        memory=MEMORY.index(memory),
        pcie=(chip.pcie_gb_s or _PCIE_DEFAULT_GB_S) * 1e9,
        slowdown=TURING_SLOWDOWN if chip.compute_capability == 7.5 else 1.0,
        measured_vendor=chip.vendor not in NO_ENGINE,
        dies=dies,
        memory_class=MEMORIES.index(
            "gddr"
            if not hbm
            else "hbm_blackwell"
            if kind == "nvidia_hbm_blackwell"
            else "hbm_ampere"
            if (chip.compute_capability or 9) < 9
            else "hbm"
        ),
        before_hopper=chip.vendor == "NVIDIA" and (chip.compute_capability or 9) < 9,
        power_room=min(chip.tdp_w / sixteen / _WATTS_PER_TFLOP.get(chip.arch, 0.7), 1.0) if chip.tdp_w else 1.0,
        small_chunk=chip.name.startswith("A100"),
    )


def _no_peer(chip: Chip) -> bool:
    """Whether transfers between cards pass the host: GeForce drivers forbid peer-to-peer, clouds switch it off on L4, L40S, A10."""
    return bool(_GEFORCE.match(chip.name)) or chip.name in {"L4", "L40S", "L40", "A10", "A10G", "T4"}


def link_of(chip: Chip, interconnect: str | None = None) -> tuple[float, int, bool]:
    """(bytes/s one direction, index into LINKS, whether it is PCIe) between the GPUs of a server.

    An NVLink bridge counts as PCIe unless the offer itself says NVLink: it joins pairs, and offers rarely say which.
    """
    device = device_of(chip)
    pcie = device.pcie if device else _PCIE_DEFAULT_GB_S * 1e9
    said = (interconnect or "").lower()
    own = chip.interconnect
    bridge = "bridge" in own
    if (
        own == "none"
        or not chip.link_gb_s
        or (bridge and ("nvlink" not in said or "bridge" in said))
        or said in {"pcie", "none"}
    ):
        return pcie, LINKS.index("pcie_host" if _no_peer(chip) else "pcie_p2p"), True
    link = chip.link_gb_s * 1e9
    if own.startswith("NVLink"):
        blackwell = device is not None and device.chip == CHIPS.index("nvidia_hbm_blackwell")
        return link, LINKS.index("nvlink_blackwell" if blackwell else "nvlink"), False
    return link, LINKS.index("fabric"), False
