"""How wrong an estimate may be: the band of its class, and whether measurements stand behind it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from models.constants import constants
from models.devices import device_of
from models.errors import known
from models.gguf_speed import MEMORY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from models.case_input import Case
    from models.chip import Chip
    from models.constants import Band
    from models.cpu_rates import CpuRates

Array = NDArray[np.float64]

BASES = ("measured", "calibrated", "extrapolated")


@dataclass(frozen=True, slots=True)
class BandNames:
    """Names of the bands of one estimate and its basis; decode and prompt bands are times, `output` a rate unless `output_is_time`."""

    ttft: str
    tpot: str
    output: str
    output_is_time: bool
    basis: str


def measured_chips() -> frozenset[str]:
    """Chips with at least one benchmark row behind the constants."""
    return _set_of(constants().measured_chips)


@cache
def _set_of(chips: tuple[str, ...]) -> frozenset[str]:
    return frozenset(chips)


def serving_bands(chip: Chip, engine: str, *, moe: bool, scenario: str = "online") -> BandNames:
    """Bands of a serving engine on a chip."""
    kind = "moe" if moe else "dense"
    ttft = (
        "ttft_static"
        if scenario == "static"
        else "ttft_sglang"
        if engine == "sglang"
        else "ttft_trt"
        if engine.startswith("trt")
        else "ttft_vllm"
    )
    device = device_of(chip)
    other = device is not None and device.chip in (2, 3)
    if chip.name not in measured_chips():
        wide = "unmeasured_nvidia" if chip.vendor == "NVIDIA" else "unmeasured_other"
        # a chip's band covers its specification; the class band covers engine and model: the wider of the two is shown
        return BandNames(
            ttft if not other else "ttft_trt",
            "amd_intel_tpot" if other else f"tpot_{kind}",
            wide,
            output_is_time=False,
            basis="extrapolated",
        )
    if other:
        return BandNames("ttft_trt", "amd_intel_tpot", "amd_intel_throughput", output_is_time=False, basis="calibrated")
    batch = "static" if scenario == "static" else "offline"
    basis = "extrapolated" if chip.compute_capability == 7.5 else "calibrated"
    return BandNames(ttft, f"tpot_{kind}", f"{batch}_{kind}", output_is_time=False, basis=basis)


def gguf_bands(chip: Chip) -> BandNames:
    """Bands of llama.cpp on a GPU or Apple chip."""
    device = device_of(chip)
    memory = MEMORY[device.memory] if device else "gddr"
    basis = "calibrated" if chip.name in measured_chips() else "extrapolated"
    return BandNames(
        f"gguf_prefill_{memory}", f"gguf_decode_{memory}", f"gguf_decode_{memory}", output_is_time=True, basis=basis
    )


def cpu_bands(rates: CpuRates, *, arm: bool, shared: bool = False) -> BandNames:
    """Bands of llama.cpp on a CPU."""
    side = "arm" if arm else "x86"
    if shared or rates.family.startswith("unknown"):
        return BandNames("cpu_unknown", "cpu_unknown", "cpu_unknown", output_is_time=True, basis="extrapolated")
    if rates.measured_family:
        return BandNames(
            f"cpu_prefill_{side}", "cpu_family_decode", "cpu_family_decode", output_is_time=True, basis="calibrated"
        )
    return BandNames(
        f"cpu_prefill_{side}", f"cpu_decode_{side}", f"cpu_decode_{side}", output_is_time=True, basis="calibrated"
    )


def band_names(group: str, cases: Sequence[Case], rates: Sequence[CpuRates]) -> list[BandNames]:
    """Bands of the rows of one group of a cases file (serving, gguf, or cpu with its rates)."""
    if group == "cpu":
        return [
            cpu_bands(rate, arm=known(case.cpu).isa_class in {"neon", "sve"})
            for case, rate in zip(cases, rates, strict=True)
        ]
    if group == "gguf":
        return [gguf_bands(known(case.chip)) for case in cases]
    return [
        serving_bands(known(case.chip), case.engine, moe=known(case.llm).moe is not None, scenario=case.scenario)
        for case in cases
    ]


def factors(names: Sequence[BandNames], bands: Mapping[str, Band]) -> tuple[Array, Array, Array, Array, Array, Array]:
    """(ttft low, high, tpot low, high, output low, high): what to multiply each estimate by."""

    def pair(name: str, *, invert: bool = False) -> tuple[float, float]:
        band = bands[name]
        return (1 / band.high, 1 / band.low) if invert else (band.low, band.high)

    table: dict[BandNames, tuple[float, ...]] = {}
    for name in names:
        if name not in table:
            table[name] = (*pair(name.ttft), *pair(name.tpot), *pair(name.output, invert=name.output_is_time))
    rows: Any = np.array([table[name] for name in names], dtype=np.float64).reshape(-1, 6)
    return rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3], rows[:, 4], rows[:, 5]
