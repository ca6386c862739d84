"""Hidden bottlenecks of a server: each a named check with its formula, its number, what it costs, and where that is from.

A check that finds nothing says so; one whose facts an offer does not state says that. What the estimate already counts is told apart
from what is only shown.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from models import catalog, checks, start
from models.devices import device_of
from models.errors import known
from models.gpu_terms import LINK_TERMS
from models.worked import WAITING, worked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from models.chip import Chip
    from models.cpu import CPU
    from models.estimate import Estimates

OK: Final = "ok"
NOTE: Final = "note"
WARNING: Final = "warning"
UNKNOWN: Final = "not stated"
HOST_GHZ = 3.0
"""All-core clock of the hosts behind the fitted host time (EPYC 9004 and Xeon 8400 of cloud GPU servers; assumed)."""
FETCH_LIMIT_S, COLD_LIMIT_S = 600.0, 300.0
LINK_LIMIT = 0.15
"""Share of a token's or a prompt's time between GPUs that is worth a word."""
POWER_LIMIT = 0.9
_ENGINE_LOGS = (
    "published vLLM 0.11-0.13 server logs, 2025-12: 15 starts took 8 to 62 s after the weights; "
    "the weights 0.28 to 3.3 times the NVMe figure (drives and page cache not stated)"
)
"""kyuz0/amd-r9700-vllm-toolboxes@18a88f1, R9700, RTX 3090, RTX 5090, A100: 0.9 to 10.6 GB/s, median 4.7,
with the weights of our own estimate."""
_FITTED = "a fitted constant of the estimator: `rackrate accuracy --fit` shows the rows behind it"
_NUMA_SOURCE = "ggml-org/llama.cpp issue 11744, 2025-02: 2.4 tokens/s before and 4.31 after the pages were placed, 41 and 74 % of the bandwidth"
_VCPU_SOURCE = "cores as the offer states them, else the provider's family of instances, else assumed: two vCPUs of an x86 server or one of an Arm server are a core"
_NVLINK_SOURCE = "4x RTX 3090, Qwen3.6-27B AWQ, vLLM 0.20.1, 2026-05: +25 % at one stream, +53 % at four; exllamav2 issue 734, 2025-02: prompts 0.2-0.6x"


@dataclass(frozen=True, slots=True)
class Host:
    """What an offer states of the machine around its GPUs or CPUs; None = not stated."""

    cpu: CPU | None = None
    cores: float | None = None
    """Physical, all sockets."""
    vcpus: float | None = None
    sockets: int | None = None
    ram_gib: float | None = None
    memory_channels: float | None = None
    memory_mts: float | None = None
    storage: str | None = None
    nic: str | None = None
    shared_cpu: bool = False
    interconnect: str | None = None
    gpu_model: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found."""

    code: str
    name: str
    severity: str
    """ok, note, warning or "not stated"."""
    text: str
    cost: str
    """What it costs, in a few words; "" = nothing."""
    formula: str
    value: float | None
    unit: str
    limit: float | None
    source: str
    counted: bool
    """Whether the estimate's figures already hold it."""


def findings(estimates: Estimates, i: int, host: Host) -> tuple[Finding, ...]:
    """All checks that apply to server i of the estimates, the worst first; empty where there is no estimate."""
    if not estimates.answered[i] or not estimates.fits[i]:
        return ()
    made = _of_gpu(estimates, i, host) if estimates.table.servers[i].kind == "gpu" else _of_cpu(estimates, i, host)
    order = {WARNING: 0, NOTE: 1, UNKNOWN: 2, OK: 3}
    return tuple(sorted((*made, *_of_any(estimates, i, host)), key=lambda one: order[one.severity]))


# GPU servers


def _of_gpu(estimates: Estimates, i: int, host: Host) -> Iterator[Finding]:
    table = estimates.table
    chip = table.chips[int(table.chip_index[i])]
    yield _host_cpu(estimates, i, host)
    yield from _tokenizer(estimates, i, host)
    yield _host_cores(table.gpu_count[i], host)
    yield from _links(estimates, i, host)
    yield _ram(estimates, i, host)
    yield from _power(chip)


def _host_cpu(estimates: Estimates, i: int, host: Host) -> Finding:
    """The scheduler's single core: its part of a step against the GPU's."""
    steps = dict(estimates.step(i))
    engine, whole = steps.get("engine overhead", 0.0), sum(steps.values())
    base: dict[str, Any] = {
        "code": "host_cpu",
        "name": "Host CPU, one core",
        "unit": "GHz",
        "limit": HOST_GHZ,
        "counted": False,
    }
    formula = f"engine overhead of a token x ({HOST_GHZ:g} GHz / all-core clock - 1)"
    source = "engine overhead: the estimator's fitted constants; that it goes with the clock is assumed"
    ghz = host.cpu.all_core_ghz if host.cpu is not None else None
    share = (
        f"The engine's own work is {engine:.2g} of {whole:.3g} ms a token ({engine / whole * 100:.0f} %)"
        if whole
        else ""
    )
    if ghz is None:
        return Finding(
            severity=UNKNOWN, text=f"{share}; the offer does not name its CPU.".lstrip("; "), cost="", formula=formula, value=None, source=source, **base
        )  # fmt: skip
    more = engine * (HOST_GHZ / ghz - 1)
    slow = ghz < HOST_GHZ * 0.85 and more > 0.02 * whole
    text = f"{share}; this host's cores run at {ghz:g} GHz with all at work, those behind the figures at about {HOST_GHZ:g}."
    cost = f"about {more:.2g} ms a token ({more / whole * 100:.0f} %)" if slow else ""
    return Finding(
        severity=NOTE if slow else OK, text=text, cost=cost, formula=formula, value=ghz, source=source, **base
    )  # fmt: skip


def _tokenizer(estimates: Estimates, i: int, host: Host) -> Iterator[Finding]:
    """Prompts are read as text before the GPU sees them: cores that this takes at the server's rate."""
    from models.constants import constants

    choice, work = estimates.choice(i), estimates.workload
    gpu = constants().gpu
    each = gpu.get(f"tok_{choice.engine}", gpu.get("tok")) if choice is not None and not choice.gguf else None
    rate = float(estimates.requests_per_s[i])
    if each is None or not math.isfinite(rate):
        return
    busy = rate * work.input_tokens * each * 1e-6
    cores = host.cores or (host.vcpus / 2 if host.vcpus else None)
    wait = work.input_tokens * each * 1e-3
    one_process = busy > 1
    text = f"{rate:.3g} request{'' if rate == 1 else 's'}/s of {work.input_tokens:,} tokens keep {busy:.2g} cores reading text ({each:.3g} µs a token); a prompt waits {wait:.2g} ms for it."
    yield Finding(
        "tokenizer", "Tokenizer", NOTE if one_process else OK, text, f"{wait:.2g} ms of TTFT" if wait >= 1 else "",
        "requests/s x prompt tokens x time of a token", busy, "cores", cores, _FITTED, counted=True,
    )  # fmt: skip


def _host_cores(gpus: float, host: Host) -> Finding:
    cores = host.cores or (host.vcpus / 2 if host.vcpus else None)
    needed = float(checks.cores_needed(gpus))
    few = cores is not None and cores < needed
    text = (
        "The offer states no cores."
        if cores is None
        else f"{cores:g} physical cores{'' if host.cores else ' (half of the vCPUs, assumed)'}; engines want {needed:g} "
        "(a worker for each GPU, the scheduler, the HTTP server)."
    )
    return Finding(
        "few_cores", "Host cores", UNKNOWN if cores is None else WARNING if few else OK, text,
        "the GPU waits for its scheduler; not measured by us" if few else "", "physical cores < 2 + GPUs", cores, "cores", needed,
        checks._CORES_SOURCE, counted=False,  # noqa: SLF001 - one source for one check
    )  # fmt: skip


def _links(estimates: Estimates, i: int, host: Host) -> Iterator[Finding]:
    """Traffic between the GPUs of one replica, and the copy of the weights to them."""
    table = estimates.table
    chip = table.chips[int(table.chip_index[i])]
    tp = int(estimates.tp_used[i])
    if tp > 1:
        steps = dict(estimates.step(i))
        link, whole = steps.get("interconnect", 0.0), sum(steps.values())
        fast = checks.joined_fast(host.interconnect, host.gpu_model)
        share = link / whole if whole else 0.0
        prompt_ms, of_prompt = _prompt_link(estimates, i)
        slow = not fast and max(share, of_prompt) > LINK_LIMIT
        text = (
            f"GPU-to-GPU traffic takes {link:.2g} of {whole:.3g} ms a token ({share * 100:.0f} %) and {prompt_ms:.3g} ms of a prompt "
            f"({of_prompt * 100:.0f} %) over {tp} GPUs{'' if fast else ', through PCIe: NVLink measured 0 to 55 % faster, prompts 1.7 to 5 times'}."
        )
        yield Finding(
            "tp_link", "Link between GPUs", WARNING if slow else NOTE if not fast else OK, text,
            f"{link:.2g} ms a token, {prompt_ms:.3g} ms a prompt" if not fast else "",
            "two all-reduces a layer: 2 (n - 1) / n x tokens x hidden x 2 bytes / link + latency", max(share, of_prompt), "of a token or a prompt", LINK_LIMIT,
            _NVLINK_SOURCE, counted=True,
        )  # fmt: skip
    pcie = chip.pcie_gb_s
    each = float(estimates.weights_gib_per_device[i])
    if pcie and math.isfinite(each):
        seconds = start.copy_seconds(each, pcie)
        name = f"PCIe {chip.pcie_gen:g}.0" if chip.pcie_gen else "PCIe"
        yield Finding(
            "pcie_load", "PCIe, weight load", OK, f"{each:.3g} GiB a GPU over {name} ({pcie:g} GB/s as stated) takes {seconds:.2g} s; x4 takes four times that.",
            f"{seconds:.2g} s of every start", f"weights of a GPU / ({start.PCIE_SHARE:g} x link)", seconds, "s", None,
            "chip's data sheet; share of it assumed", counted=False,
        )  # fmt: skip


def _prompt_link(estimates: Estimates, i: int) -> tuple[float, float]:
    """Milliseconds of a prompt that the link takes, and their share of it; the queue before it is left out."""
    ttft = known(known(worked(estimates, i)).ttft)  # only servers that hold a language model are checked for it
    terms = [term for term in ttft.terms if term.name != WAITING]
    whole, link = (sum(t.value for t in terms if not names or t.name in names) for names in ((), LINK_TERMS))
    return link * 1e3, link / whole


def _ram(estimates: Estimates, i: int, host: Host) -> Finding:
    weights = _replica_gib(estimates, i)
    ram, margin = host.ram_gib, checks.RAM_MARGIN
    if ram is None:
        severity, text = UNKNOWN, "The offer states no RAM."
    else:
        severity = WARNING if ram < weights else NOTE if ram < margin * weights else OK
        text = f"{ram:,.0f} GiB of RAM for {weights:,.3g} GiB of weights that pass through it."
    cost = "loading may fail" if severity == WARNING else "loading is tight" if severity == NOTE else ""
    return Finding(
        "ram", "Host RAM", severity, text, cost, f"RAM < {margin:g} x weights of a replica", ram, "GiB", weights,
        checks._RAM_SOURCE, counted=False,  # noqa: SLF001
    )  # fmt: skip


def _power(chip: Chip) -> Iterator[Finding]:
    device = device_of(chip)
    if device is None or not chip.tdp_w:
        return
    room = device.power_room
    from models.constants import constants

    exponent = constants().gpu["power"]
    share = min(room, 1.0) ** exponent
    capped = share < POWER_LIMIT
    text = (
        f"{chip.tdp_w:g} W are {room * 100:.0f} % of what this generation needs for its arithmetic: prompts run at "
        f"{share * 100:.0f} % of an uncapped card's speed."
        if capped
        else f"{chip.tdp_w:g} W do not hold its arithmetic back."
    )
    yield Finding(
        "power", "Power limit", NOTE if capped else OK, text, f"prompts take {1 / share:.2g}x as long" if capped else "",
        f"(W / W at peak) ^ {exponent:.2f}", room, "of the power", 1.0, _FITTED, counted=True,
    )  # fmt: skip


# CPU servers


def _of_cpu(estimates: Estimates, i: int, host: Host) -> Iterator[Finding]:
    server = estimates.table.servers[i]
    sockets = host.sockets or server.sockets
    if sockets is not None:
        two = sockets > 1
        yield Finding(
            "sockets", "Sockets and NUMA", NOTE if two else OK,
            f"{sockets} sockets; one is estimated: without placing the pages, two gave 41 % of their bandwidth, and 74 % with it."
            if two else "One socket: all memory is near.",
            f"{(sockets - 1) / sockets * 100:.0f} % of the cores are not counted on" if two else "", "sockets > 1", float(sockets), "sockets", 1.0,
            _NUMA_SOURCE, counted=True,
        )  # fmt: skip
    # The estimate's own cores; a server with all cores of its sockets shares their memory channels with nobody.
    cores, cpu = server.cores, host.cpu
    whole = bool(cpu and cpu.cores and cores and cores >= cpu.cores * (sockets or 1))
    yield _channels(host, part=bool(host.vcpus) and not whole)
    if host.vcpus and cores:
        threads = host.vcpus > cores
        yield Finding(
            "smt", "SMT", NOTE if threads else OK,
            f"{host.vcpus:g} vCPUs are {cores:g} physical cores; hyperthreads add nothing to reading weights."
            if threads else f"Each of the {host.vcpus:g} vCPUs is a physical core.",
            f"{(1 - cores / host.vcpus) * 100:.0f} % of the vCPUs" if threads else "", "vCPUs > physical cores", host.vcpus, "vCPUs", float(cores),
            _VCPU_SOURCE, counted=True,
        )  # fmt: skip
    if host.shared_cpu:
        yield Finding(
            "shared", "Shared vCPUs", WARNING, "Neighbours take part of cores and memory bandwidth; the pessimistic class of shared plans is used.",
            "half of the rate, and the band's low end", "half the rate of its class", None, "", None, "assumed: three small virtual machines were measured",
            counted=True,
        )  # fmt: skip


def _channels(host: Host, *, part: bool) -> Finding:
    """Memory channels that are there and not filled; `part` = a virtual machine on a part of its host."""
    base: dict[str, Any] = {
        "code": "channels", "name": "Memory channels", "formula": "(CPU's channels - filled ones) x MT/s x 8 bytes", "unit": "channels",
        "source": "CPU catalog: the maker's sheet", "counted": True,
    }  # fmt: skip
    cpu, filled = host.cpu, host.memory_channels
    if cpu is None or not cpu.memory_channels or not filled or part:
        why = (
            "A virtual machine shares its host's channels." if part else "The offer does not state its memory channels."
        )
        return Finding(severity=OK if part else UNKNOWN, text=why, cost="", value=filled, limit=None, **base)
    whole = cpu.memory_channels * (host.sockets or 1)
    lost = (whole - filled) * (host.memory_mts or cpu.memory_mts or 0.0) * 8 / 1000
    empty = filled < whole
    text = f"{filled:g} of {whole:g} channels are filled." if empty else f"All {whole:g} channels are filled."
    return Finding(
        severity=WARNING if empty else OK, text=text, cost=f"{lost:,.0f} GB/s ({(whole - filled) / whole * 100:.0f} % of decode speed)" if empty else "",
        value=filled, limit=float(whole), **base,
    )  # fmt: skip


# any server


def _replica_gib(estimates: Estimates, i: int) -> float:
    return float(estimates.weights_gib_per_device[i]) * max(float(estimates.tp_used[i]), 1.0)


def _of_any(estimates: Estimates, i: int, host: Host) -> Iterator[Finding]:
    """The way to the first answer: network, disk, engine."""
    weights = _replica_gib(estimates, i)
    kind = checks.storage_kind(host.storage)
    disk = float(checks.load_seconds([weights], [host.storage])[0])
    engine = start.ENGINE_START_S if estimates.table.servers[i].kind == "gpu" else 0.0
    cold = disk + engine
    known = kind != "unknown"
    text = (
        f"{weights:,.3g} GiB from {kind if known else 'a disk of unknown kind (SATA SSD assumed)'} in {disk:,.0f} s"
        f"{f', {engine:.0f} s of engine start' if engine else ''}: a server that is added answers after {cold:,.0f} s."
    )
    yield Finding(
        "cold_start", "Disk, cold start", (WARNING if known else NOTE) if cold > COLD_LIMIT_S else OK if known else UNKNOWN, text, f"{cold:,.0f} s of every start",
        f"weights / {checks.READ_GB_S[kind]:g} GB/s{' + engine start' if engine else ''}", cold, "s", COLD_LIMIT_S,
        f"{checks._READ_SOURCE}; {_ENGINE_LOGS}", counted=False,  # noqa: SLF001
    )  # fmt: skip
    gbit = start.nic_gbit_s(host.nic)
    formula = "weights x 8 / Gbit/s"
    if gbit is None:
        yield Finding(
            "network",
            "Network, first fetch",
            UNKNOWN,
            "The offer states no network rate.",
            "",
            formula,
            None,
            "s",
            None,
            "",
            counted=False,
        )
        return
    seconds = start.fetch_seconds(weights, gbit)
    yield Finding(
        "network", "Network, first fetch", NOTE if seconds > FETCH_LIMIT_S else OK,
        f"Fetching the model over {gbit:g} Gbit/s takes {seconds / 60:,.1f} minutes.", f"{seconds / 60:,.1f} minutes, once", formula, seconds, "s",
        FETCH_LIMIT_S, "the offer's stated rate", counted=False,
    )  # fmt: skip


def host_of(  # noqa: PLR0913 - the facts of one offer, by name
    *,
    cpu_model: str | None,
    cores: float | None,
    vcpus: float | None,
    sockets: int | None,
    ram_gib: float | None,
    memory_channels: float | None,
    memory_mts: float | None,
    storage: str | None,
    nic: str | None,
    shared_cpu: bool | None,
    interconnect: str | None,
    gpu_model: str | None,
) -> Host:
    """The facts with the catalog's CPU for the name."""
    cpu = catalog.find_cpu(cpu_model) if cpu_model else None
    return Host(
        cpu,
        cores,
        vcpus,
        sockets,
        ram_gib,
        memory_channels,
        memory_mts,
        storage,
        nic,
        bool(shared_cpu),
        interconnect,
        gpu_model,
    )
