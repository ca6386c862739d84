"""From an empty server to its first answer: fetching the model, reading it from disk, moving it to the GPU, starting the engine."""

from __future__ import annotations

import re
from functools import lru_cache

GB_PER_GIB = 1.073741824
ENGINE_START_S = 30.0
"""Profiling, compilation and graphs of vLLM 0.11 to 0.13: median 27 s of fifteen logged starts, 8 to 62 s (published server logs on
RTX 3090, RTX 5090, A100 and R9700, 2025-12)."""
PCIE_SHARE = 0.8
"""Of a PCIe link's stated rate that copies from the host reach (assumed: protocol overhead and copies of less than whole pages)."""
_NIC = re.compile(r"(\d+(?:\.\d+)?)\s*(?:x\s*(\d+(?:\.\d+)?)\s*)?(G|M)(?:bit|bps|b)", re.IGNORECASE)


@lru_cache(maxsize=1024)
def nic_gbit_s(text: str | None) -> float | None:
    """Gbit/s of a network text such as "1x 2 x 10Gbps" or "500 Mbit/s not guaranteed"; None where none is stated."""
    found = _NIC.search((text or "").replace("1x ", ""))
    if found is None:
        return None
    rate = float(found[1]) * (float(found[2]) if found[2] else 1.0)
    return rate / (1000.0 if found[3].upper() == "M" else 1.0)


def fetch_seconds(weights_gib: float, gbit_s: float) -> float:
    """Seconds to fetch the weights over the network at the stated rate."""
    return weights_gib * GB_PER_GIB * 8 / gbit_s


def copy_seconds(weights_gib_per_device: float, pcie_gb_s: float) -> float:
    """Seconds to move one device's weights over its PCIe link, devices at once."""
    return weights_gib_per_device * GB_PER_GIB / (pcie_gb_s * PCIE_SHARE)
