"""Cudo Compute: virtual machines put together by the customer, of GPUs, vCPUs and memory that are priced apart.

An offer is a machine of 1, 2, 4 or 8 GPUs within the rules of its type: so many vCPUs per GPU, so many vCPUs per GiB.
Free GPUs are told for the data centre and for the host that has most; how large a host is, is not told.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from models import catalog
from pricing.feed import BrokenRowError, Harvest, decimal, number, rows, text, value_at
from pricing.identity import find_gpu
from pricing.provider import About, Fetched, register

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from pricing.answers import Answers
    from pricing.asking import Asker

URL = "https://rest.compute.cudo.org/v1/vms/machine-types"
PAGE = "https://www.cudocompute.com/pricing"
GPU_COUNTS = (1, 2, 4, 8)
VCPUS_PER_GPU = (1, 4, 8)
VCPUS = (2, 8, 32)
"""Of machines without GPUs."""
GIB_PER_VCPU = 4.0
"""As much memory as the type's rules allow, up to this."""
MOST = 4096.0
"""vCPUs or GiB of the smallest machine; more is no size."""
_MODE = re.compile(r"\s*\([a-z]+ mode\)", re.IGNORECASE)
_SIZE = re.compile(r"-\d+-?GB(?=-|$)")


@register
class Cudo:
    """Machines of a few sizes of every type and data centre."""

    about = About(
        "cudo",
        "Cudo Compute",
        "prices",
        kinds=("gpu", "cpu"),
        covers=(("gpu", "on_demand"), ("cpu", "on_demand")),
        hosts=("rest.compute.cudo.org",),
        cannot=(
            "the memory of a GPU",
            "the size of a host",
            "prices with a commitment",
            "disks and addresses, priced apart",
        ),
        page=PAGE,
    )

    def fetch(self, ask: Asker) -> None:
        """One request. Raises FeedError."""
        ask.get("types", URL)

    def parse(self, answers: Answers, now: datetime) -> Fetched:
        """Offers of every type. Raises FeedError if the list is not in the known shape."""
        harvest = Harvest.at("cudo", "Cudo Compute machine types, parts added up", PAGE, now)
        answer = answers.first("types")
        seen: set[tuple[str, str | None]] = set()
        found = rows("cudo", answer.json() if answer else None, "machineTypes")
        harvest.each(found, lambda row: _type(row, seen, harvest))
        return harvest.done(answers.missing)


def _type(row: Any, seen: set[tuple[str, str | None]], harvest: Harvest) -> None:
    name, place = text(row, "machineType"), text(row, "dataCenterId")
    per_vcpu, per_gib, per_gpu = (_price(row, part) for part in ("vcpuPriceHr", "memoryGibPriceHr", "gpuPriceHr"))
    if name is None or per_vcpu is None or per_gib is None:
        harvest.skip("machine type without a name or a price")
        return
    if (name, place) in seen:
        harvest.skip("listed twice")
        return
    seen.add((name, place))
    # The currency is often left out; the price list is in dollars.
    if (text(row, "vcpuPriceHr", "currency") or "USD").upper() != "USD":
        harvest.skip("not in dollars")
        return
    card = text(row, "gpuModel")
    if card and per_gpu is None:
        harvest.skip("GPU without a price")
        return
    free, in_all = number(row, "maxGpuFree", zero=True), number(row, "totalGpuFree", zero=True)
    for gpus, vcpus, ram_gib in _sizes(row, free, has_gpus=card is not None):
        harvest.add(
            server=f"{name}_{gpus}x{vcpus}v{ram_gib}gb" if gpus else f"{name}_{vcpus}v{ram_gib}gb",
            kind="gpu" if gpus else "cpu",
            region=place,
            cpu_model=text(row, "cpuModel"),
            vcpus=float(vcpus),
            ram_gib=float(ram_gib),
            gpu_model=spelling(card) if card else None,
            gpu_count=float(gpus) or None,
            price_per_hour=round(gpus * (per_gpu or 0.0) + vcpus * per_vcpu + ram_gib * per_gib, 6),
            price_basis="derived",
            availability=_stock(row, gpus, vcpus, ram_gib, free),
            note=f"{in_all:.0f} GPUs free in the data centre" if gpus and in_all else None,
        )


def _sizes(row: Any, free_gpus: float | None, *, has_gpus: bool) -> Iterator[tuple[int, int, int]]:
    """GPUs, vCPUs and GiB of the machines shown. More GPUs than a host has free may not exist at all: they are left out."""
    least, least_gib = number(row, "minVcpu") or 1.0, number(row, "minMemoryGib") or 1.0
    low, high = number(row, "minVcpuPerMemoryGib"), _limit(row, "maxVcpuPerMemoryGib")
    per_gpu_low, per_gpu_high = number(row, "minVcpuPerGpu") or 0.0, _limit(row, "maxVcpuPerGpu")
    if max(least, least_gib, per_gpu_low) > MOST:
        raise BrokenRowError("smallest size beyond any server's")
    shown: set[tuple[int, int, int]] = set()
    for gpus in GPU_COUNTS if has_gpus else (0,):
        if gpus > max(1.0, free_gpus or 1.0):
            return
        for step in VCPUS_PER_GPU if gpus else VCPUS:
            vcpus = math.ceil(max(least, min(step * (gpus or 1), gpus * per_gpu_high if gpus else math.inf)))
            vcpus = max(vcpus, math.ceil(gpus * per_gpu_low))
            ram_gib = math.floor(min(vcpus * GIB_PER_VCPU, vcpus / low if low else math.inf))
            ram_gib = max(ram_gib, math.ceil(least_gib), 1)
            allowed = (low is None or vcpus >= ram_gib * low) and vcpus <= ram_gib * high
            size = (gpus, vcpus, ram_gib)
            if allowed and (not gpus or vcpus <= gpus * per_gpu_high) and size not in shown:
                shown.add(size)
                yield size


def _stock(row: Any, gpus: int, vcpus: int, ram_gib: int, free_gpus: float | None) -> str | None:
    """Whether one host has all of it free; None where the feed does not say."""
    wanted = [(gpus, free_gpus)] if gpus else []
    wanted += [(vcpus, number(row, "maxVcpuFree", zero=True)), (ram_gib, number(row, "maxMemoryGibFree", zero=True))]
    if any(free is not None and need > free for need, free in wanted):
        return "out of stock"
    return None if any(free is None for _, free in wanted) else "available"


def _price(row: Any, part: str) -> float | None:
    return decimal(row, part, "value")


def _limit(row: Any, name: str) -> float:
    """An upper limit; none where it is absent or "Infinity"."""
    return math.inf if value_at(row, name) == "Infinity" else (number(row, name) or math.inf)


@lru_cache(maxsize=256)
def spelling(card: str) -> str:
    """The card as the catalogs may take it: marked where it comes with several sizes of memory and none is stated."""
    name = _MODE.sub("", card).strip()
    chip = find_gpu(name)
    if chip is None or re.search(r"\d+\s*GB", name, re.IGNORECASE):
        return name
    family = _SIZE.sub("", chip.name)
    sizes = {one.memory_gib for one in catalog.chips() if _SIZE.sub("", one.name) == family}
    return name if len(sizes) == 1 else f"{name} (memory not stated)"
