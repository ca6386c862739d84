"""How fast one CPU streams weights and computes prompts, by microarchitecture, platform, cores used and engine.

One form for every CPU, for one server or for arrays of them, with the constants as an argument:

- a core streams `b1` of its side (AMD, Intel, Arm) x what its microarchitecture deviates x clock^a x vector width^b;
- the socket delivers a share of its theoretical bandwidth, VMs packed on AMD chiplets at most their links;
- both together 1/rate^p = 1/(cores b1)^p + 1/limit^p;
- prompts take a share of the cores' arithmetic, with a path of its own where the engine uses AMX tiles.

A microarchitecture or platform without measured rows has no deviation of its own and gets the pooled figure of its class.
"""

from __future__ import annotations

import copy
import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from models.constants import constants

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

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
_VCPUS = re.compile(r"\((\d+) vCPU")
_DESKTOP_CHANNELS = 4
_DEFAULT_GHZ = 3.0
"""All-core clock where the catalog has none: the median of the server parts that state one."""
_REFERENCE_GHZ, _REFERENCE_WIDTH, _REFERENCE_CHANNEL = 3.0, 32.0, 25.6
_REFERENCE_NODE = 300.0
_DOMAINS = {"zen1": 4.0, "granite-rapids": 3.0, "neoverse-v3": 2.0}
"""NUMA domains of a socket as clouds run it: four dies on Naples, sub-NUMA clusters on Granite Rapids, two on Graviton5."""

_WIDTH = {
    "zen1": 16.0,
    "zen+": 16.0,
    "zen4": 48.0,
    "zen5": 64.0,
    "neoverse-n1": 16.0,
    "neoverse-n2": 16.0,
    "neoverse-n3": 16.0,
    "ampereone": 16.0,
    "cortex-a72": 8.0,
    "cortex-a76": 16.0,
    "nehalem": 8.0,
    "atom": 8.0,
    "sandy-bridge": 16.0,
    "ivy-bridge": 16.0,
    "gracemont": 16.0,
}
"""fp32 FLOP a core and cycle that llama.cpp's kernels can use: two 256-bit FMA units (32) unless listed. Zen 1 and the smaller Arm
cores have 128-bit units or two pipes; Zen 4 runs 512-bit instructions in two passes but has VNNI; AVX-512 of Intel parts is not used."""
_BFLOAT = {"zen4": "avx512", "zen5": "avx512"}
"""What computes bf16 in vLLM where it is neither AMX nor Arm: native AVX-512 BF16 or emulation."""
AMX_ENGINES = frozenset({"llama.cpp", "sglang-cpu"})
"""Engines whose prompts run on AMX tiles where the CPU has them (llama.cpp from 2025 on)."""
_PLATFORM_PEAK = {"neoverse_v2": 500.0}
"""Bandwidth (GB/s) of platforms with a part whose own is not in the catalog: Grace has 500 of LPDDR5X, Graviton4 537."""
_UNKNOWN = {
    "x86": ("intel", "xeon", "skylake", "skylake-sp", 128.0),
    "arm": ("arm", "arm", "neoverse_n1", "neoverse-n1", 204.8),
}
"""An unknown CPU is taken for the slowest server part still sold widely, with its socket's bandwidth (GB/s)."""


@dataclass(frozen=True, slots=True)
class CpuRates:
    """Bytes/s of weight streaming, FLOP/s of prompts and of batched decode, cores used, and how the figure was found."""

    stream: float
    prefill: float
    decode: float
    cores: float
    family: str
    """Platform name (genoa, ...), or the class of an unlisted CPU (desk, zen, xeon, arm)."""
    measured_family: bool
    sync: float = 0.0
    """Seconds a layer that the threads of one step spend waiting for each other."""


class Label:
    """One name, which picks one constant: `Labels` for a single server."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def pick(self, k: Mapping[str, float], prefix: str, default: float = 1.0) -> Any:
        """The constant `prefix` + name, or the default."""
        return k.get(prefix + self.name, default)


class Labels:
    """One name a row; picks an array of constants with one look-up a distinct name."""

    __slots__ = ("index", "names")

    def __init__(self, names: Sequence[str]) -> None:
        self.names = sorted(set(names))
        place = {name: i for i, name in enumerate(self.names)}
        self.index = np.array([place[name] for name in names], dtype=np.intp)

    def pick(self, k: Mapping[str, float], prefix: str, default: float = 1.0) -> Any:
        """The constants `prefix` + name of every row, or the default."""
        return np.array([k.get(prefix + name, default) for name in self.names])[self.index]

    def taken(self, at: NDArray[np.intp]) -> Labels:
        """The names of some rows."""
        some = copy.copy(self)
        some.index = self.index[at]
        return some


@dataclass(slots=True)
class CpuFacts:
    """What the rates depend on; one server (numbers and `Label`) or many (arrays and `Labels`)."""

    side: Any
    """amd, intel or arm: whose cores."""
    kind: Any
    """desk, zen, xeon or arm: which share of the socket's bandwidth is reached."""
    platform: Any
    micro: Any
    engine: Any
    bfloat: Any
    """What computes bf16 under vLLM: amx, avx512, arm or old."""
    width: Any
    ghz: Any
    channel: Any
    """One memory channel's bandwidth, GB/s."""
    domains: Any
    """NUMA domains of one socket."""
    cores: Any
    sockets: Any
    theory: Any
    """One socket's theoretical bandwidth, GB/s."""
    chiplets: Any
    """AMD chiplets a packed VM sits on, inf where links do not matter."""
    read: Any
    """Measured read bandwidth, GB/s, inf where not measured."""
    share: Any
    """1, or a half for shared plans."""
    amx: Any
    """1 where prompts run on AMX tiles, else 0."""
    vllm: Any
    """1 for vLLM, else 0."""


def slug(name: str) -> str:
    """A microarchitecture's name as part of a constant's name."""
    return name.replace("-", "_").replace(".", "_").replace("+", "_plus").replace(" ", "_").lower()


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


def _platform(cpu: CPU) -> tuple[str, str]:
    """(class, platform): servers by platform, others by class and microarchitecture."""
    family = family_of(cpu)
    if family is None:
        kind = share_class(cpu)
        return kind, f"{kind}_{slug(cpu.microarchitecture)}"
    if cpu.isa_class in {"neon", "sve"}:
        return "arm", family
    return ("zen" if cpu.vendor == "AMD" else "xeon"), family


def cpu_engine(engine: str, name: str = "") -> str:
    """The engine whose constants describe a row: its class, but llamafile has kernels of its own."""
    return "llamafile" if "llamafile" in name.lower() and engine.startswith("llama.cpp") else engine


def socket_cores(cpu: CPU, threads: float | None, sockets: int = 1, name: str = "") -> tuple[float | None, int]:
    """(physical cores a socket, sockets) of a run with so many threads.

    More threads than the sockets have cores are hyperthreads, which add neither bandwidth nor arithmetic; unless the machine's name
    states at least twice as many vCPU, or more than the sockets have threads: then it spans further sockets.
    """
    each = cpu.cores
    if each is None:
        return (max(threads / sockets, 1.0), sockets) if threads else (None, sockets)
    if not threads:
        return float(each), sockets
    if threads > each * sockets:
        stated = _VCPUS.search(name)
        hyper = (cpu.threads or 2 * each) * sockets
        if threads > hyper or (stated and int(stated.group(1)) >= 2 * threads):
            sockets = math.ceil(threads / each)
        else:
            return float(each), sockets
    return max(threads / sockets, 1.0), sockets


def facts_of(  # noqa: PLR0913 - the facts of one socket, by name
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
) -> CpuFacts | None:
    """What the rates of one server depend on; None where the bandwidth of its memory is not known. Arguments as `cpu_rates`."""
    theory: float | None
    if cpu is None:
        side, kind, platform, micro, theory = _UNKNOWN["arm" if arch == "arm" else "x86"]
        ghz, channel = _DEFAULT_GHZ, _REFERENCE_CHANNEL
        isa = "neon" if arch == "arm" else "avx512"
    else:
        kind, platform = _platform(cpu)
        micro, isa = cpu.microarchitecture, cpu.isa_class
        side = "arm" if isa in {"neon", "sve"} else "amd" if cpu.vendor == "AMD" else "intel"
        peak = cpu.peak_bandwidth_gb_s
        # A server platform runs faster modules at its own speed; a desktop takes what is plugged in.
        stated = min(bandwidth_gb_s, peak) if bandwidth_gb_s and peak and family_of(cpu) else bandwidth_gb_s
        theory = stated or peak or cpu.measured_read_gb_s or _PLATFORM_PEAK.get(platform)
        ghz = cpu.all_core_ghz or _DEFAULT_GHZ
        channel = cpu.memory_mts * 8 / 1000 if cpu.memory_mts else _REFERENCE_CHANNEL
    if not theory:
        return None
    bfloat = "arm" if side == "arm" else "amx" if isa == "amx" else _BFLOAT.get(micro, "old")
    return CpuFacts(
        side=Label(side),
        kind=Label(kind),
        platform=Label(platform),
        micro=Label(slug(micro)),
        engine=Label(slug(engine)),
        bfloat=Label(bfloat),
        width=_WIDTH.get(micro, 32.0),
        ghz=ghz,
        channel=channel,
        domains=_DOMAINS.get(micro, 1.0),
        cores=cores,
        sockets=sockets,
        theory=theory,
        chiplets=float(math.ceil(cores / CORES_PER_CHIPLET)) if packed and side == "amd" else math.inf,
        read=measured_read_gb_s or math.inf,
        share=0.5 if shared else 1.0,
        amx=1.0 if isa == "amx" and engine in AMX_ENGINES else 0.0,
        vllm=1.0 if engine == "vllm-cpu" else 0.0,
    )


def stack(facts: Sequence[CpuFacts]) -> CpuFacts:
    """Many servers' facts as arrays."""

    def gather(name: str) -> Any:
        values = [getattr(fact, name) for fact in facts]
        if values and isinstance(values[0], Label):
            return Labels([value.name for value in values])
        return np.array(values, dtype=np.float64)

    return CpuFacts(**{name: gather(name) for name in CpuFacts.__slots__})


def _below(a: Any, b: Any, power: Any) -> Any:
    """Two limits at once: less than the smaller of them, smoothly."""
    return (a**-power + b**-power) ** (-1 / power)


def _choose(flag: Any, yes: Any, no: Any) -> Any:
    """`yes` where the flag is 1, else `no`, for numbers and arrays."""
    if isinstance(flag, np.ndarray):
        return np.where(flag > 0, yes, no)
    return yes if flag > 0 else no


def _smaller(a: Any, b: Any) -> Any:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.minimum(a, b)
    return min(a, b)


def stream_rate(f: CpuFacts, k: Mapping[str, float]) -> Any:
    """Bytes/s of weights of one stream, all engines."""
    width = f.width / _REFERENCE_WIDTH
    clock = f.ghz / _REFERENCE_GHZ
    memory = f.channel / _REFERENCE_CHANNEL
    core = f.side.pick(k, "b1_") * f.micro.pick(k, "core_")
    core = core * clock ** k["b1_clock"] * width ** k["b1_width"] * memory ** k["b1_memory"]
    limit = f.kind.pick(k, "cap_") * f.platform.pick(k, "socket_") * f.theory * f.domains ** -k["domains"]
    links = f.chiplets * k["ccd"] * f.platform.pick(k, "link_")
    limit = _smaller(limit, links)
    engine = f.engine.pick(k, "stream_")
    plain = _below(f.cores * core * engine, limit * engine, k["roll_off"])
    node = f.bfloat.pick(k, "vllm_cap_") * (f.theory / f.domains / _REFERENCE_NODE) ** k["vllm_memory"]
    each = f.bfloat.pick(k, "vllm_b1_") * clock ** k["b1_clock"] * memory ** k["b1_memory"]
    bfloat = _below(f.cores * each, _smaller(node, links), k["vllm_roll_off"])
    rate = _choose(f.vllm, bfloat, plain)
    second = _choose(f.vllm, 1.0, k["second_socket"] * f.micro.pick(k, "second_"))
    rate = rate * _choose((f.sockets > 1) * 1.0, second, 1.0)
    return _smaller(rate, f.read) * f.share * 1e9


def _bfloat_prompts(f: CpuFacts, k: Mapping[str, float]) -> Any:
    """GFLOP/s of vLLM's prompts in bf16."""
    each = f.bfloat.pick(k, "vllm_pf_") * f.ghz / _REFERENCE_GHZ * f.width / _REFERENCE_WIDTH
    return _below(f.cores * each, f.bfloat.pick(k, "vllm_pf_cap_"), k["vllm_pf_roll_off"])


def prefill_rate(f: CpuFacts, k: Mapping[str, float]) -> Any:
    """FLOP/s of prompts."""
    peak = f.ghz * f.width
    cores = f.cores * f.sockets
    both = _choose((f.sockets > 1) * 1.0, k["pf_second_socket"], 1.0)
    vector = cores ** k["pf_cores"] * peak * f.side.pick(k, "pf_") * f.micro.pick(k, "prompt_")
    vector = _below(vector, k["pf_cap"], k["pf_roll_off"]) * f.engine.pick(k, "prefill_")
    tiles = _below(cores * k["pf_amx"] * f.micro.pick(k, "tiles_"), k["pf_amx_cap"], k["pf_amx_roll_off"])
    tiles = tiles * f.engine.pick(k, "tile_engine_")
    bfloat = _bfloat_prompts(f, k)
    return _choose(f.vllm, bfloat, _choose(f.amx, tiles, vector) * both) * f.share * 1e9


def decode_rate(f: CpuFacts, k: Mapping[str, float]) -> Any:
    """FLOP/s of decode steps: one vector product a weight and sequence."""
    plain = f.cores ** k["dec_cores"] * f.ghz * f.width * k["dec"] * f.engine.pick(k, "batch_")
    bfloat = _bfloat_prompts(f, k) * k["vllm_dec"]
    return _choose(f.vllm, bfloat, plain) * f.share * 1e9


def sync_time(f: CpuFacts, k: Mapping[str, float]) -> Any:
    """Seconds a layer of threads waiting for each other."""
    wait = f.side.pick(k, "sync0_") + k["sync1"] * f.cores
    wait = _choose(f.vllm, k["vllm_layer"], wait * f.sockets ** k["sync_sockets"])
    return wait / f.share * 1e-6


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
        None where neither the offer nor the catalog states the memory bandwidth.
    """
    facts = facts_of(
        cpu,
        arch=arch,
        cores=cores,
        engine=engine,
        packed=packed,
        shared=shared,
        bandwidth_gb_s=bandwidth_gb_s,
        measured_read_gb_s=measured_read_gb_s,
        sockets=sockets,
    )
    if facts is None:
        return None
    k = constants().cpu
    family = family_of(cpu, arch)
    return CpuRates(
        float(stream_rate(facts, k)),
        float(prefill_rate(facts, k)),
        float(decode_rate(facts, k)),
        cores,
        family or facts.kind.name,
        measured_family=family is not None and not family.startswith("unknown"),
        sync=float(sync_time(facts, k)),
    )
