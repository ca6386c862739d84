"""How fast one CPU streams weights and computes prompts, by platform, cores used and engine.

Two forms. Platforms measured over thousands of cloud instances (`cpu_family` in data/constants/cpu.toml) use
1/eff = 1/(cores b1) + 1/lim, with lim a chiplet limit for VMs packed on AMD chiplets; every other CPU streams a share of
its socket's theoretical bandwidth, at most so much a core. vLLM on CPUs has its own ceiling.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from models.constants import constants
from models.errors import known

if TYPE_CHECKING:
    from models.constants import CpuFamily
    from models.cpu import CPU

CORES_PER_CHIPLET = 8
_EPYC = {"zen1": "naples", "zen2": "rome", "zen3": "milan", "zen4": "genoa", "zen5": "turin"}
_XEON = {
    "sapphire-rapids": "sapphire_rapids",
    "emerald-rapids": "emerald_rapids",
    "granite-rapids": "granite_rapids",
    "ice-lake": "ice_lake",
    "cascade-lake": "cascade_lake",
    "skylake-sp": "skylake",
}
_ARM = {
    "neoverse-n1": "neoverse_n1",
    "neoverse-n2": "neoverse_n2",
    "neoverse-v1": "neoverse_v1",
    "neoverse-v2": "neoverse_v2",
    "neoverse-v3": "neoverse_v3",
}
_DESKTOP_EPYC = re.compile(r"EPYC 4\d{3}")
_SERVER_XEON = re.compile(r"Xeon (?:Platinum|Gold|Silver|Bronze|Max|6\d{3})|model hidden")
_XEON_E5 = re.compile(r"Xeon (?:Processor )?E[57]-\d{4}\w* v[234]|Haswell/Broadwell")
_DESKTOP_CHANNELS = 4
_DEFAULT_GHZ = 3.0
"""All-core clock where the catalog has none: the median of the server parts that state one."""

# vLLM's CPU backend in bf16 on one NUMA node: streaming of one stream (GB/s a core, cap) and prompts (GFLOP/s = a cores^x), by what
# computes bf16. Read off 137 runs of 1 to 96 cores (vLLM 0.22-0.27 with GuideLLM, Spare Cores inspection data, 2026); wide band.
VLLM_RATES = {
    "amx": (13.0, 210.0, 2400.0, 0.43),
    "zen4": (15.0, 230.0, 750.0, 0.55),
    "arm": (16.0, 250.0, 350.0, 0.55),
    "old": (7.0, 100.0, 60.0, 0.5),
}

_ENGINE_DECODE: dict[str, str | None] = {"ik_llama.cpp": None, "itrex": "eng_amx", "sglang-cpu": "eng_amx"}
_ENGINE_PREFILL = {
    "ik_llama.cpp": "pf_ik",
    "itrex": "pf_itrex",
    "ampere-llama.cpp": "pf_amp",
    "sglang-cpu": "pf_amx",
    "ggml-2023": "pf_old",
}


@dataclass(frozen=True, slots=True)
class CpuRates:
    """Bytes/s of weight streaming, FLOP/s of prompts and of batched decode, cores used, and how the figure was found."""

    stream: float
    prefill: float
    decode: float
    cores: float
    family: str
    """Platform name of data/constants/cpu.toml, or the share class (desk, zen, xeon, arm)."""
    measured_family: bool


def family_of(cpu: CPU | None, arch: str = "x86") -> str | None:
    """The measured platform of a CPU: the server platform, never the microarchitecture (a Ryzen 5900X is not Milan)."""
    if cpu is None:
        return "unknown_arm" if arch == "arm" else "unknown_x86"
    micro = cpu.microarchitecture
    if micro in _ARM:
        return _ARM[micro]
    if "EPYC" in cpu.name and not _DESKTOP_EPYC.search(cpu.name):
        return _EPYC.get(micro)
    if _XEON_E5.search(cpu.name):
        return "xeon_e5"
    if micro in _XEON and _SERVER_XEON.search(cpu.name):
        return _XEON[micro]
    return None


def share_class(cpu: CPU) -> str:
    """Which share of theoretical bandwidth an unlisted CPU reaches: desk, zen, xeon or arm."""
    if cpu.isa_class in {"neon", "sve"}:
        return "arm"
    if (cpu.memory_channels or 2) <= _DESKTOP_CHANNELS:
        return "desk"
    return "zen" if cpu.vendor == "AMD" else "xeon"


def _bf16_kind(cpu: CPU | None, arch: str) -> str:
    if cpu is None:
        return "arm" if arch == "arm" else "old"
    if cpu.isa_class in {"amx", "neon", "sve"}:
        return "amx" if cpu.isa_class == "amx" else "arm"
    return "zen4" if cpu.microarchitecture in {"zen4", "zen5"} else "old"


def flop_per_cycle(cpu: CPU | None, arch: str) -> float:
    """FLOP a core and cycle, by the vector units of the core.

    32 on x86 with AVX2 and on wide Arm cores, 16 before AVX2 and on N1, AmpereOne and small cores, 8 before AVX.
    """
    if cpu is None:
        return 16.0 if arch == "arm" else 32.0
    if cpu.microarchitecture in {"nehalem", "atom"}:
        return 8.0
    if cpu.isa_class in {"pre_avx2", "neon"}:
        return 16.0
    return 32.0


def _harmonic(family: CpuFamily, cores: float, *, packed: bool) -> float:
    limit = family.cap_gb_s
    if packed:
        limit = min(limit, math.ceil(cores / CORES_PER_CHIPLET) * family.ccd_gb_s)
    return 1e9 / (1 / (cores * family.b1_gb_s_per_core) + 1 / limit)


@lru_cache(maxsize=8192)
def cpu_rates(  # noqa: PLR0913 - the facts of one socket, by name
    cpu: CPU | None,
    *,
    arch: str = "x86",
    cores: float,
    engine: str = "llama.cpp",
    packed: bool = False,
    shared: bool = False,
    bandwidth_gb_s: float | None = None,
    measured_read_gb_s: float | None = None,
    sockets: int = 1,
) -> CpuRates | None:
    """Rates of `cores` physical cores of one socket.

    Args:
        cpu: catalog entry, None = unknown (then `arch` picks the class).
        cores: physical cores one process uses.
        engine: llama.cpp (llama.cpp-2024 before AMX), ik_llama.cpp, vllm-cpu, itrex, sglang-cpu, ampere-llama.cpp, ggml-2023.
        packed: a cloud VM on as few AMD chiplets as its cores need.
        shared: burstable or shared plan: half the rate of its class.
        bandwidth_gb_s: one socket's bandwidth as the offer states it; None = the catalog's.
        measured_read_gb_s: read bandwidth measured on this instance type: a cap on streaming.
        sockets: 2 = a run spread over two sockets (measured rows only).

    Returns:
        None where neither platform nor bandwidth is known.
    """
    fitted = constants()
    k = fitted.cpu
    name = family_of(cpu, arch)
    ghz = (cpu.all_core_ghz if cpu else None) or _DEFAULT_GHZ
    peak = cores ** k["pf_corexp"] * ghz * 1e9 * flop_per_cycle(cpu, arch)
    decode = peak * k["dec_gf"]
    factor = _ENGINE_DECODE.get(engine, "eng_llama")
    relative = (k[factor] if factor else 1.0) / k["eng_llama"]
    prefill_name = _ENGINE_PREFILL.get(engine, "pf_llama")
    half = 0.5 if shared else 1.0
    if name is not None:
        family = fitted.cpu_family[name]
        stream = _harmonic(family, cores, packed=packed) * relative
        prefill = family.prefill_gflops * 1e9 * cores**family.prefill_exponent
        if prefill_name != "pf_llama" or engine == "llama.cpp-2024":
            # The platform's prompt rate was measured with a 2025 build, which has AMX and newer kernels.
            prefill = peak * k[prefill_name]
        label = name
    else:
        cpu = known(cpu)
        label = share_class(cpu)
        theory = bandwidth_gb_s or cpu.peak_bandwidth_gb_s or cpu.measured_read_gb_s
        if not theory:
            return None
        stream = 1e9 * min(k[f"eta_{label}"] * theory, cores * k["bwcore"]) * relative * k["eng_llama"]
        prefill = peak * k[prefill_name]
    if sockets > 1:
        stream *= fitted.cpu_family[name].second_socket if name is not None else k["numa2"]
    if engine == "vllm-cpu":
        b1, cap, a, x = VLLM_RATES[_bf16_kind(cpu, arch)]
        stream = 1e9 / (1 / (cores * b1) + 1 / cap)
        prefill = a * 1e9 * cores**x
        decode = prefill
    if measured_read_gb_s:
        stream = min(stream, measured_read_gb_s * 1e9)
    return CpuRates(
        stream * half,
        prefill * half,
        decode * half,
        cores,
        label,
        measured_family=name is not None and not name.startswith("unknown"),
    )
