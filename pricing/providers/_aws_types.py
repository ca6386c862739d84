"""What AWS's lists say of an instance type, and what we add: sizes, disks, and names that mean an accelerator."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from pricing.feed import BrokenRowError
from pricing.identity import gpu_instance, looks_like_gpu

if TYPE_CHECKING:
    from collections.abc import Mapping

_GIB = re.compile(r"([\d,]*\d(?:\.\d+)?) ?GiB", re.IGNORECASE)
_BURSTABLE = re.compile(r"t\d")
_ACCELERATED = ("gpu", "asic", "fpga", "accelerat")
_NO_DISK = "EBS only"


class Size(NamedTuple):
    """An instance type as one of the lists describes it."""

    vcpus: float | None = None
    ram_gib: float | None = None
    storage: str | None = None
    nic: str | None = None
    accelerated: bool = False
    """The list counts it among servers with accelerators."""


Sizes = dict[str, Size]
"""Instance type -> size; the same in every region."""


def facts(server: str, size: Size | None) -> dict[str, Any]:
    """The columns of an offer that depend on the instance type only."""
    size = size or Size()
    return {
        "server": server,
        "vcpus": size.vcpus,
        "ram_gib": size.ram_gib,
        "storage": size.storage,
        "nic": size.nic,
        "shared_cpu": True if _BURSTABLE.match(server) else None,
        "gpu_model": unknown_accelerator(server, size.accelerated),
    }


@lru_cache(maxsize=8192)
def unknown_accelerator(server: str, accelerated: bool = False) -> str | None:
    """What to call the accelerator of a type that our table lacks: better unknown than sold as a CPU server."""
    if gpu_instance("aws", server) is not None or not (accelerated or looks_like_gpu("aws", server)):
        return None
    return f"accelerator of {server.partition('.')[0]}"


def counts_as_accelerated(family: str | None) -> bool:
    """Whether a list's own class of servers ("GPU instance", "gpuCurrentGen") means an accelerator."""
    return family is not None and any(word in family.lower() for word in _ACCELERATED)


def storage(said: str | None) -> str | None:
    """Local disks as stated; "network" where disks are sold apart."""
    return "network" if said == _NO_DISK else said


@lru_cache(maxsize=1024)
def gib(said: str | None) -> float | None:
    """GiB of "1,952 GiB"; None where nothing is stated. Raises BrokenRowError at anything else."""
    if said is None or said.upper().startswith("NA"):
        return None
    found = _GIB.fullmatch(said.strip())
    if found is None:
        raise BrokenRowError("Memory is no size")
    return float(found[1].replace(",", "")) or None


def known_size(sizes: Mapping[str, Size], server: str, *, accelerated: bool) -> Size:
    """The size of a type, counted as accelerated if either list does so."""
    size = sizes.get(server, Size())
    return size if size.accelerated or not accelerated else size._replace(accelerated=True)
