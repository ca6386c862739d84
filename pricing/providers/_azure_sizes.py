"""vCPUs and memory of Azure's VM sizes, which the price list does not have: from the calculator, else from the name.

A size's number is its vCPUs in every series since the third version of D and E; the older ones (A, D, DS, G) count
otherwise. Memory follows from the name in the series below only; elsewhere it stays unknown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pricing.feed import BrokenRowError, number, table

if TYPE_CHECKING:
    from collections.abc import Mapping

_SIZE = re.compile(
    r"(?:standard|basic)_([a-z]+)(\d+)(?:-(\d+))?([a-z]*\d*?)((?:_[a-z0-9]+)*?)(?:_(v\d+))?(?:_promo)?", re.IGNORECASE
)
_LEGACY_D = {1: 1, 2: 2, 3: 4, 4: 8, 5: 16, 11: 2, 12: 4, 13: 8, 14: 16, 15: 20}
_LEGACY_G = {1: 2, 2: 4, 3: 8, 4: 16, 5: 32}
_LEGACY_A = {0: 1, 1: 1, 2: 2, 3: 4, 4: 8, 5: 2, 6: 4, 7: 8}
_LEGACY = {
    ("a", None): _LEGACY_A,
    ("d", None): _LEGACY_D,
    ("ds", None): _LEGACY_D,
    ("d", "v2"): _LEGACY_D,
    ("ds", "v2"): _LEGACY_D,
    ("g", None): _LEGACY_G,
    ("gs", None): _LEGACY_G,
}
"""Series whose number is not the vCPUs: D and G as measured in instance_cpu.csv, D v2 and A by public lists of sizes."""
MAX_E_VCPUS = 48
"""E sizes have 8 GiB a vCPU up to here; the largest have less."""
MAX_ARM_V5_GIB = 208.0
"""D64ps v5 and E32ps v5, the largest Arm sizes of their version, have less than their ratio."""
_GPU_RAM_GIB = {
    "nc4as_t4_v3": 28, "nc8as_t4_v3": 56, "nc16as_t4_v3": 110, "nc64as_t4_v3": 440,
    "nc6s_v3": 112, "nc12s_v3": 224, "nc24s_v3": 448, "nc24rs_v3": 448,
    "nc24ads_a100_v4": 220, "nc48ads_a100_v4": 440, "nc96ads_a100_v4": 880,
    "nc40ads_h100_v5": 320, "nc80adis_h100_v5": 640, "ncc40ads_h100_v5": 320,
    "nd40rs_v2": 672, "nd96asr_v4": 900, "nd96isr_h100_v5": 1900, "nd96isr_h200_v5": 1850,
    "nd96isr_mi300x_v5": 1850, "nd128isr_ndr_gb200_v6": 900, "nd128isr_gb300_v6": 864, "nd128isrg5_gb300_v6": 864,
    "nv6ads_a10_v5": 55, "nv12ads_a10_v5": 110, "nv18ads_a10_v5": 220, "nv36ads_a10_v5": 440,
    "nv36adms_a10_v5": 880, "nv72ads_a10_v5": 880,
    "nv4ads_v710_v5": 16, "nv8ads_v710_v5": 32, "nv12ads_v710_v5": 64, "nv24ads_v710_v5": 128, "nv28adms_v710_v5": 160,
    "nv12s_v3": 112, "nv24s_v3": 224, "nv48s_v3": 448, "nv4as_v4": 14, "nv8as_v4": 28, "nv16as_v4": 56, "nv32as_v4": 112,
    "ng8ads_v620_v1": 16, "ng16ads_v620_v1": 32, "ng32ads_v620_v1": 64, "ng32adms_v620_v1": 176,
    "nc128ds_xl_rtxpro6000bse_v6": 512, "nc256ds_xl_rtxpro6000bse_v6": 1024, "nc320ds_xl_rtxpro6000bse_v6": 1280,
    "nc128lds_xl_rtxpro6000bse_v6": 256, "nc256lds_xl_rtxpro6000bse_v6": 512, "nc320lds_xl_rtxpro6000bse_v6": 640,
}  # fmt: skip
"""Host memory of the GPU sizes: learn.microsoft.com/azure/virtual-machines/sizes/gpu-accelerated, read 2026-11-30."""


_RETIRED = {
    ("nc", "v3"): "2025-09-30",
    ("nd", None): "2023-09-06",
    ("nv", "v3"): "2026-09-30",
    ("nv", "v4"): "2026-09-30",
}
"""Series that the documentation calls retired, though meters of them may still be listed."""


@dataclass(frozen=True, slots=True)
class Size:
    """What a VM size has."""

    vcpus: float | None
    ram_gib: float | None


def from_calculator(provider: str, answer: Any) -> dict[str, Size]:
    """Sizes by the calculator's own spelling ("d2sv3"). Raises FeedError if the answer is not in the known shape."""
    found: dict[str, Size] = {}
    for name, offer in table(provider, answer, "offers").items():
        parts = name.split("-")
        # "linux-e16-4sv5-standard": a constrained size has a dash of its own.
        if parts[0] != "linux" or len(parts) < 3:
            continue
        try:
            size = Size(number(offer, "cores"), number(offer, "ram"))
        except BrokenRowError:
            continue
        if size.vcpus and size.ram_gib:
            found["-".join((parts[-1], *parts[1:-1]))] = size
    return found


def size_of(server: str, calculator: Mapping[str, Size]) -> Size:
    """Cores and memory of a size: from the calculator, else as far as its name says."""
    tier, _, rest = server.lower().partition("_")
    known = calculator.get(f"{tier}-{rest.replace('_', '')}")
    return known or from_name(server)


@lru_cache(maxsize=8192)
def retired(server: str) -> str | None:
    """The day on which a size's series was retired; None if it is sold, as far as is known."""
    found = _SIZE.fullmatch(server)
    if found is None or found[5]:
        return None
    return _RETIRED.get((found[1].lower(), found[6].lower() if found[6] else None))


@lru_cache(maxsize=8192)
def from_name(server: str) -> Size:
    """Cores and memory as far as the size's name says."""
    found = _SIZE.fullmatch(server)
    if found is None:
        return Size(None, None)
    series, digits, constrained, features, _, version = found.groups()
    series, count, version = series.lower(), int(digits), version.lower() if version else None
    legacy = _LEGACY.get((series, version))
    base = float(legacy.get(count, 0) if legacy is not None else count)
    # "E16-4s": the memory of 16 vCPUs with 4 of them.
    vcpus = float(constrained) if constrained else base
    ram_gib: float | None = _GPU_RAM_GIB.get(server.lower().removeprefix("standard_"))
    if ram_gib is None and base and legacy is None:
        ram_gib = _memory(series, base, features.lower(), version)
    return Size(vcpus or None, ram_gib)


def _memory(series: str, vcpus: float, features: str, version: str | None) -> float | None:
    generation = int(version[1:]) if version else 1
    if series == "f" and features == "s" and generation == 2:
        return vcpus * 2
    if series not in {"d", "e"} or generation < 3 or (series == "e" and vcpus > MAX_E_VCPUS):
        return None
    each = 8 if series == "e" else 2 if "l" in features else 4
    return min(vcpus * each, MAX_ARM_V5_GIB) if "p" in features and generation == 5 else vcpus * each
