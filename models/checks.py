"""What an estimate does not show about a server: four checks beside it, each with its formula, figures and source.

`masks` answers for arrays of servers at once, `server_checks` says it in words for one of them. Facts that an offer does
not state give no warning: unknown is not wrong.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from models import catalog

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

RAM_BELOW_WEIGHTS: Final = "ram_below_weights"
SLOW_LOAD: Final = "slow_load"
TP_OVER_PCIE: Final = "tp_over_pcie"
FEW_CORES: Final = "few_cores"
CODES: Final = (RAM_BELOW_WEIGHTS, SLOW_LOAD, TP_OVER_PCIE, FEW_CORES)

READ_GB_S: Final = {"nvme": 3.0, "ssd": 0.5, "hdd": 0.15, "network": 0.2, "unknown": 0.5}
"""Sequential read by kind of storage in GB/s: NVMe on four PCIe 3.0 lanes (3.9 less overhead), SATA SSD (0.6 at the line),
one hard disk, a cloud volume at its standard rate (AWS gp3 0.125, Azure P30 0.2). `unknown` is assumed."""
_READ_SOURCE = "line rates of SATA 3 and PCIe 3.0 x4; AWS gp3 and Azure P30 data sheets, 2026-11-30"
SLOW_LOAD_S: Final = 300.0
RAM_MARGIN: Final = 1.25
"""Below this many times the weights, loading is tight: 65 GB of weights failed on 32 GB of RAM and just worked on 64 GB."""
_RAM_SOURCE = "vllm-project/vllm issue 5269, 2024-06"
_PCIE_SOURCE = "turboderp-org/exllamav2 issue 734, 2025-02: 379 instead of 1046 prompt tokens/s on two RTX 3090"
_CORES_SOURCE = "vLLM documentation, CPU resources for GPU deployments, read 2026-11-30"
_GB_PER_GIB = 1.073741824


@dataclass(frozen=True, slots=True)
class Check:
    """One check that found something."""

    code: str
    text: str
    """A sentence with the figures."""
    formula: str
    value: float
    limit: float
    source: str
    severity: str = "warning"
    """warning, or note where it works but only just."""


@lru_cache(maxsize=4096)
def storage_kind(text: str | None) -> str:
    """nvme, ssd, hdd, network or unknown, from an offer's storage text; of several drives the fastest."""
    words = (text or "").lower()
    drives = re.sub(r"\b0\s*(?:x\s*0\s*)?gb\b", " ", words)
    if "nvme" in words and not re.search(r"\b0x0gb", words):
        return "nvme"
    if re.search(r"network|managed|block|ebs|volume|flexible|required|premium|hyperdisk", drives):
        return "network"
    if re.search(r"ssd|u\.2", drives):
        return "ssd" if not re.search(r"\b0x0gb", words) else "unknown"
    return "hdd" if re.search(r"hdd|sata|sas\b", drives) else "unknown"


def load_seconds(weights_gib: ArrayLike, storage: Sequence[str | None]) -> NDArray[np.float64]:
    """Seconds to read the weights (GiB, whole server) from disk, from each offer's storage text; NaN where weights are not known.

    Storage of unknown kind is taken as a SATA SSD: `storage_kind` tells which figures are assumed.
    """
    rates = np.array([READ_GB_S[storage_kind(text)] for text in storage], dtype=np.float64)
    return np.asarray(weights_gib, dtype=np.float64) * _GB_PER_GIB / rates


def cores_needed(gpu_count: ArrayLike) -> NDArray[np.float64]:
    """Physical host cores an engine wants: one a GPU worker, one for the scheduler, one for the HTTP server."""
    return np.ceil(np.asarray(gpu_count, dtype=np.float64)) + 2.0


def is_fast_link(interconnect: str) -> bool:
    """Whether GPUs talk past PCIe: NVLink without a bridge, xGMI, on-chip RoCE, ICI."""
    text = interconnect.lower()
    if "nvlink" in text:
        # An "NVLink bridge" joins pairs only.
        return "bridge" not in text
    return any(
        link in text for link in ("xgmi", "infinity fabric", "roce", "ici", "neuronlink", "hccs", "xelink", "sxm")
    )


def joined_fast(interconnect: str | None, gpu_model: str | None) -> bool:
    """Whether a server's GPUs talk past PCIe: as the offer says, else as the chip is built."""
    if interconnect:
        return is_fast_link(interconnect)
    chip = catalog.find_chip(gpu_model) if gpu_model else None
    return chip is not None and is_fast_link(chip.interconnect)


def masks(
    *,
    gpu: ArrayLike,
    weights_gib: ArrayLike,
    ram_gib: ArrayLike,
    load_s: ArrayLike,
    tp: ArrayLike,
    fast_link: ArrayLike,
    gpu_count: ArrayLike,
    cores: ArrayLike,
) -> dict[str, NDArray[np.bool_]]:
    """Which servers each check warns about; NaN = not stated. `gpu` and `fast_link` are booleans, memory in GiB, cores physical."""
    is_gpu = np.asarray(gpu, dtype=bool)
    weights, ram = np.asarray(weights_gib, dtype=np.float64), np.asarray(ram_gib, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        return {
            RAM_BELOW_WEIGHTS: is_gpu & (ram < weights),
            SLOW_LOAD: np.asarray(load_s, dtype=np.float64) > SLOW_LOAD_S,
            TP_OVER_PCIE: is_gpu & (np.asarray(tp, dtype=np.float64) > 1) & ~np.asarray(fast_link, dtype=bool),
            FEW_CORES: is_gpu & (np.asarray(cores, dtype=np.float64) < cores_needed(gpu_count)),
        }


def server_checks(  # noqa: PLR0913 - the facts of one case, by name
    *,
    kind: str,
    gpu_count: float | None,
    ram_gib: float | None,
    storage: str | None,
    weights_gib: float | None,
    tp_used: float | None,
    interconnect: str | None = None,
    gpu_model: str | None = None,
    cores: float | None = None,
    vcpus: float | None = None,
    load_s: float | None = None,
) -> tuple[Check, ...]:
    """The checks that find something on one server, in the order of `CODES`; None = not stated.

    `cores` are physical; without them two vCPUs count as one. Without `interconnect` the chip's own link counts.
    """
    gpu, gpus, tp = kind == "gpu", gpu_count or 1.0, int(tp_used or 1)
    cores = cores or (vcpus / 2 if vcpus else None)
    found = []
    if gpu and weights_gib and ram_gib and ram_gib < RAM_MARGIN * weights_gib:
        short = ram_gib < weights_gib
        found.append(
            Check(
                RAM_BELOW_WEIGHTS,
                f"Host RAM of {ram_gib:,.0f} GiB is {'below' if short else 'hardly more than'} the {weights_gib:,.0f} GiB of weights: "
                f"loading {'may fail' if short else 'is tight'}.",
                "host RAM < weights" if short else f"host RAM < {RAM_MARGIN} x weights",
                ram_gib,
                weights_gib * (1.0 if short else RAM_MARGIN),
                _RAM_SOURCE,
                "warning" if short else "note",
            )
        )
    if weights_gib:
        disk_kind = storage_kind(storage)
        seconds = load_s if load_s is not None else float(load_seconds([weights_gib], [storage])[0])
        if math.isfinite(seconds) and seconds > SLOW_LOAD_S:
            disk = {
                "nvme": "NVMe",
                "ssd": "SSD",
                "hdd": "hard disk",
                "network": "network storage",
                "unknown": "a disk of unknown kind (SATA SSD assumed)",
            }[disk_kind]
            found.append(
                Check(
                    SLOW_LOAD,
                    f"Loading {weights_gib:,.0f} GiB of weights from {disk} takes about {_minutes(seconds)}.",
                    f"weights / {READ_GB_S[disk_kind]:g} GB/s",
                    seconds,
                    SLOW_LOAD_S,
                    _READ_SOURCE,
                    "note" if disk_kind == "unknown" else "warning",
                )
            )
    if gpu and tp > 1 and not joined_fast(interconnect, gpu_model):
        found.append(
            Check(
                TP_OVER_PCIE,
                f"Tensor parallelism over {tp} GPUs runs through PCIe: prefill can drop to 0.2-0.6 of NVLink's.",
                "tp > 1 and no NVLink, xGMI or RoCE",
                float(tp),
                1.0,
                _PCIE_SOURCE,
            )
        )
    if gpu and cores and cores < (needed := float(cores_needed(gpus))):
        found.append(
            Check(
                FEW_CORES,
                f"{cores:g} host {'core' if cores == 1 else 'cores'} for {_gpus(gpus)}: engines want {needed:g}, "
                "or the scheduler slows the GPU down.",
                "physical cores < 2 + GPUs",
                cores,
                needed,
                _CORES_SOURCE,
            )
        )
    return tuple(found)


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"


def _gpus(count: float) -> str:
    if count < 1:
        return f"{count:g} of a GPU"
    return "1 GPU" if count == 1 else f"{count:g} GPUs"
