"""How wrong an estimate may be: the band of its class, and whether measurements stand behind it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from models.constants import constants
from models.devices import device_of
from models.errors import known
from models.gguf_speed import MEMORY
from models.gpu_speed import CHIPS
from models.near_bands import NEAR

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from models.case_input import Case
    from models.chip import Chip
    from models.constants import Band
    from models.cpu_rates import CpuRates
    from models.cpu_socket import Family

Array = NDArray[np.float64]

_TURING = 7.5
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


def _ttft(engine: str, scenario: str) -> str:
    """Band of a time to first token by engine and by how requests arrive."""
    if scenario == "static":
        return "ttft_static"
    family = "sglang" if engine == "sglang" else "trt" if engine.startswith("trt") else "vllm"
    if family == "sglang":
        return "ttft_sglang"
    if engine == "vllm_2026" and scenario == "online":
        # Closed loops of equal requests run in waves: what one measures depends on how they fall.
        return "ttft_waves"
    arrival = {"server": "open_", "single_stream": "solo_"}.get(scenario, "")
    # TensorRT-LLM was hardly measured at a request rate.
    return f"ttft_{'' if family == 'trt' and arrival == 'open_' else arrival}{family}"


def serving_bands(chip: Chip, engine: str, *, moe: bool, scenario: str = "server") -> BandNames:
    """Bands of a serving engine on a chip; `scenario` as in a cases file (a comparison is a server at a request rate)."""
    return _serving_bands(chip, engine, moe, scenario, chip.name in measured_chips())


@lru_cache(maxsize=4096)
def _serving_bands(chip: Chip, engine: str, moe: bool, scenario: str, measured: bool) -> BandNames:
    kind = "moe" if moe else "dense"
    device = device_of(chip)
    other = device is not None and device.chip in (CHIPS.index("amd"), CHIPS.index("intel"))
    ttft = "amd_intel_ttft" if other else _ttft(engine, scenario)
    tpot = "amd_intel_tpot" if other else "tpot_open_dense" if scenario == "server" and not moe else f"tpot_{kind}"
    batch = scenario if scenario in {"static", "online"} else "offline"
    output = "amd_intel_throughput" if other else f"{batch}_{kind}"
    basis = "calibrated"
    if not measured:
        # A chip's band covers its specification; the class band covers engine and model.
        output = "unmeasured_nvidia" if chip.vendor == "NVIDIA" else "unmeasured_other"
        basis = "extrapolated"
    elif chip.compute_capability == _TURING:
        basis = "extrapolated"
    return BandNames(ttft, tpot, output, output_is_time=False, basis=basis)


def gguf_bands(chip: Chip, *, streams: float = 1.0) -> BandNames:
    """Bands of llama.cpp on a GPU or Apple chip; several streams were measured on one kind of card."""
    device = device_of(chip)
    memory = "amd" if chip.vendor in {"AMD", "Intel"} else MEMORY[device.memory] if device else "gddr"
    basis = "calibrated" if chip.name in measured_chips() else "extrapolated"
    decode = "gguf_batch" if streams > 1 else f"gguf_decode_{memory}"
    return BandNames(f"gguf_prefill_{memory}", decode, decode, output_is_time=True, basis=basis)


def cpu_bands(
    rates: CpuRates | Family, *, arm: bool, shared: bool = False, engine: str = "llama.cpp", streams: float = 1.0
) -> BandNames:
    """Bands of an engine on a CPU: llama.cpp and its relatives, or vLLM; several streams were measured less than one."""
    if shared or rates.family.startswith("unknown"):
        return BandNames("cpu_unknown", "cpu_unknown", "cpu_unknown", output_is_time=True, basis="extrapolated")
    if engine == "vllm-cpu":
        output = "cpu_vllm_batch" if streams > 1 else "cpu_vllm_tpot"
        return BandNames("cpu_vllm_ttft", "cpu_vllm_tpot", output, output_is_time=True, basis="calibrated")
    side = "arm" if arm else "x86"
    decode = f"cpu_decode_{side}" if rates.measured_family else "cpu_decode_other"
    batch = "cpu_batch" if streams > 1 else decode
    return BandNames(f"cpu_prefill_{side}", batch, batch, output_is_time=True, basis="calibrated")


def band_names(group: str, cases: Sequence[Case], rates: Sequence[CpuRates]) -> list[BandNames]:
    """Bands of the rows of one group of a cases file (serving, gguf, or cpu with its rates)."""
    if group == "cpu":
        return [
            cpu_bands(
                rate,
                arm=known(case.cpu).isa_class in {"neon", "sve"},
                engine=case.engine,
                streams=case.concurrency or 1.0,
            )
            for case, rate in zip(cases, rates, strict=True)
        ]
    if group == "gguf":
        return [gguf_bands(known(case.chip), streams=case.concurrency or 1.0) for case in cases]
    return [
        serving_bands(known(case.chip), case.engine, moe=known(case.llm).moe is not None, scenario=case.scenario)
        for case in cases
    ]


def factors(names: Sequence[BandNames], bands: Mapping[str, Band]) -> tuple[Array, Array, Array, Array, Array, Array]:
    """(ttft low, high, tpot low, high, output low, high): what to multiply each estimate by."""

    def pair(name: str, *, invert: bool = False) -> tuple[float, float]:
        band = NEAR.get(name) or bands[name]
        return (1 / band.high, 1 / band.low) if invert else (band.low, band.high)

    table: dict[BandNames, tuple[float, ...]] = {}
    for name in names:
        if name not in table:
            table[name] = (*pair(name.ttft), *pair(name.tpot), *pair(name.output, invert=name.output_is_time))
    rows: Any = np.array([table[name] for name in names], dtype=np.float64).reshape(-1, 6)
    return rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3], rows[:, 4], rows[:, 5]
