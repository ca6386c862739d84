"""What hardware an offer is, in the catalogs' names: by the provider's instance first, then by exact spelling and memory.

Nothing is guessed. A spelling that the catalogs do not know, or that means two cards, keeps the row as the provider
wrote it: it is shown without an estimate and counted. A GPU's memory is the catalog's, never a feed's own arithmetic.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from models import catalog, names
from pricing import paths
from pricing.measured_hosts import host_facts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from models.chip import Chip
    from models.cpu import CPU
    from pricing.offer import Offer

NEAR = 0.1
"""A stated memory this close to the catalog's is the same card: 24564 MiB, 44.7 GiB (L40S) and 268.6 GiB (B300) are read so."""
_SIZED = re.compile(r"^(.*?)-\d+GB(-.*)?$")
_FORMS = ("pcie", "sxm")
_WITHOUT_FAMILY = {
    "aws": re.compile(r"^(p\d|g\d|gr\d|trn|inf|dl\d|vt|f\d)"),
    "azure": re.compile(r"^(standard_)?n[cdvg]", re.IGNORECASE),
    "gcp": re.compile(r"^(a[234]-|a4x|g2-|g4-)"),
}
"""Instance names that mean an accelerator even where our table does not have them: better unknown than sold as a CPU."""


@dataclass(frozen=True, slots=True)
class GpuInstance:
    """The accelerators of one instance type: chip, count (a slice is a fraction), GiB per card or slice, link."""

    gpu_model: str
    gpu_count: float
    vram_gib_per_gpu: float
    interconnect: str | None


@cache
def _instances() -> dict[tuple[str, str], GpuInstance]:
    with paths.bundled("gpu_instances.csv").open(encoding="utf-8", newline="") as file:
        return {
            (row["provider"], row["server"].lower()): GpuInstance(
                row["gpu_model"], float(row["gpu_count"]), float(row["vram_gib_per_gpu"]), row["interconnect"] or None
            )
            for row in csv.DictReader(file)
        }


@lru_cache(maxsize=16384)
def gpu_instance(provider: str, server: str) -> GpuInstance | None:
    """The accelerators of a provider's instance type; None if our table does not have it."""
    return _instances().get((provider, server.lower().removeprefix("standard_")))


def looks_like_gpu(provider: str, server: str) -> bool:
    """Whether an instance's name means an accelerator."""
    pattern = _WITHOUT_FAMILY.get(provider)
    return bool(pattern and pattern.search(server.lower()))


@lru_cache(maxsize=4096)
def find_gpu(spelling: str, memory_gib: float | None = None, link: str | None = None) -> Chip | None:
    """The catalog's chip of a spelling with so much memory; None if unknown, ambiguous, or a card of another size."""
    # "NVIDIA B300 ... MIG" is a slice with other memory: never the whole card by a similar name.
    if "MIG" in spelling.upper().split():
        return None
    chip = catalog.find_chip(spelling, memory_gib=memory_gib, link=link)
    if chip is None or (_has(chip, memory_gib) and _is_built(chip, link)):
        return chip
    # "A100 SXM4" is sold with 40 and with 80 GB, "h100" as SXM and as PCIe: what is stated decides between such brothers.
    found = _SIZED.match(chip.name)
    brothers = [
        other
        for other in catalog.chips()
        if found and (match := _SIZED.match(other.name)) and match[1] == found[1]
        and (match[2] == found[2] or not _is_built(chip, link))
        and _has(other, chip.memory_gib if memory_gib is None else memory_gib) and _is_built(other, link)
    ]  # fmt: skip
    return brothers[0] if len(brothers) == 1 else None


def _has(chip: Chip, memory_gib: float | None) -> bool:
    return memory_gib is None or abs(chip.memory_gib - memory_gib) <= NEAR * memory_gib


def _is_built(chip: Chip, link: str | None) -> bool:
    """Whether a chip has the form that a link names; links without a form (NVLink, a bridge) suit all."""
    stated = next((form for form in _FORMS if link and form in link.lower()), None)
    own = next((form for form in _FORMS if form in chip.name.lower()), None)
    return stated is None or own is None or stated == own


@lru_cache(maxsize=4096)
def find_cpu(spelling: str) -> CPU | None:
    """The catalog's CPU of a provider's spelling; None if unknown or ambiguous."""
    return catalog.find_cpu(spelling)


def identify(facts: dict[str, Any]) -> None:
    """Put the catalogs' names and sizes into the facts of an offer, in place; what is not known stays as it was."""
    instance = gpu_instance(facts["provider"], facts["server"])
    if instance is not None:
        facts["kind"] = "gpu"
        facts["gpu_model"], facts["gpu_count"] = instance.gpu_model, instance.gpu_count
        facts["vram_gib_per_gpu"], facts["interconnect"] = instance.vram_gib_per_gpu, instance.interconnect
    if facts["kind"] == "gpu":
        _identify_gpu(facts)
    _identify_cpu(facts)
    host = host_facts(facts["provider"], facts["server"])
    if facts["memory_read_gb_s_measured"] is None:
        facts["memory_read_gb_s_measured"] = host.read_gb_s
    if facts["numa_nodes"] is None:
        facts["numa_nodes"] = host.numa_nodes


def _identify_gpu(facts: dict[str, Any]) -> None:
    count, memory = facts["gpu_count"], facts["vram_gib_per_gpu"]
    sliced = count is not None and count < 1
    chip = find_gpu(facts["gpu_model"] or "", None if sliced else memory, facts["interconnect"])
    if chip is None:
        return
    facts["gpu_model"] = chip.name
    facts["gpu_memory_bandwidth_gb_s"] = chip.memory_bandwidth_gb_s
    if not sliced:
        facts["vram_gib_per_gpu"] = chip.memory_gib


def _identify_cpu(facts: dict[str, Any]) -> None:
    stated = facts["cpu_model"]
    if stated:
        cpu = find_cpu(stated)
        if facts["sockets"] is None:
            facts["sockets"] = names.cpu_sockets(stated)
        if cpu is not None:
            facts["cpu_model"] = cpu.name
        facts["cpu_basis"] = facts["cpu_basis"] or ("row" if cpu else "unknown")
        return
    if facts["cpu_basis"] is None:
        family = _family(facts["provider"], facts["server"])
        facts["cpu_model"], facts["cpu_basis"] = family or (None, "unknown")


@lru_cache(maxsize=16384)
def _family(provider: str, server: str) -> tuple[str, str] | None:
    row = catalog.instance_family(provider, server)
    # Some families are listed with hosts of several makes: then no model is known.
    return (row["cpu_model"], row["confidence"]) if row and row["cpu_model"] not in {"", "unknown"} else None


def unmatched(offers: Iterable[Offer]) -> tuple[set[str], int]:
    """Spellings of hardware that the catalogs do not know, and how many distinct servers there are in all.

    Counted are servers still sold; one that names no CPU at all is a class (vCPU), not a miss.
    """
    from models.practical import is_out_of_stock

    strange: set[str] = set()
    servers: set[tuple[str, str]] = set()
    for entry in offers:
        if is_out_of_stock(entry.availability):
            continue
        servers.add((entry.provider, entry.server))
        if entry.kind == "gpu":
            memory = entry.vram_gib_per_gpu if (entry.gpu_count or 1) >= 1 else None
            known = find_gpu(entry.gpu_model or "", memory, entry.interconnect) is not None
        else:
            known = not entry.cpu_model or find_cpu(entry.cpu_model) is not None
        if not known:
            strange.add(
                f"{entry.server}: {(entry.gpu_model if entry.kind == 'gpu' else entry.cpu_model) or 'accelerator'}"
            )
    return strange, len(servers)
