"""The estimator's fitted constants, read once from the files of `data/constants`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent / "data" / "constants"
FILES = ("serving", "gguf", "cpu", "bands")


@dataclass(frozen=True, slots=True)
class CpuFamily:
    """One server platform's decode and prefill constants (harmonic form, see `models.cpu_rates`)."""

    name: str
    b1_gb_s_per_core: float
    cap_gb_s: float
    """inf where no cap showed."""
    ccd_gb_s: float
    """inf where VMs are not limited by a chiplet link."""
    prefill_gflops: float
    prefill_exponent: float
    second_socket: float
    """One stream on all cores of two sockets, relative to one socket."""


@dataclass(frozen=True, slots=True)
class Band:
    """Measured over predicted, tenth to ninetieth percentile."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Constants:
    """All fitted values by group; `gpu["em"]` is a number, `cpu_family["genoa"]` a record."""

    gpu: dict[str, float]
    gguf: dict[str, float]
    cpu: dict[str, float]
    cpu_family: dict[str, CpuFamily]
    band: dict[str, Band]
    measured_chips: tuple[str, ...]
    """Catalog names of the chips with benchmark rows behind the constants."""


def read(folder: Path) -> Constants:
    """Read a folder of constants files; raises KeyError or TOMLDecodeError on a damaged one (ours are tested)."""
    data: dict[str, Any] = {}
    for name in FILES:
        data |= tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8"))
    return Constants(
        gpu={name: float(entry["value"]) for name, entry in data["gpu"].items()},
        gguf={name: float(entry["value"]) for name, entry in data["gguf"].items()},
        cpu={name: float(entry["value"]) for name, entry in data["cpu"].items()},
        cpu_family={
            name: CpuFamily(
                name,
                entry["b1_gb_s_per_core"],
                entry.get("cap_gb_s", float("inf")),
                entry.get("ccd_gb_s", float("inf")),
                entry["prefill_gflops"],
                entry["prefill_exponent"],
                entry["second_socket"],
            )
            for name, entry in data["cpu_family"].items()
        },
        band={name: Band(entry["low"], entry["high"]) for name, entry in data["band"].items()},
        measured_chips=tuple(data["measured"]["chips"]),
    )


@cache
def constants() -> Constants:
    """The bundled constants."""
    return read(_FOLDER)
