"""llama.cpp speeds measured on the very cloud instance types that providers rent out; a look-up beats any formula.

Data: `data/measured/cpu_instances.csv.gz`, from Spare Cores inspection data (CC BY-SA 4.0, see the README beside it): llama-bench,
one build (b4753, February 2025), six models in q4_K_M, prompts of 512 and generations of 128 tokens, all physical cores.
"""

from __future__ import annotations

import csv
import gzip
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from models import catalog
from models.build import GgufModel, column
from models.constants import constants
from models.cpu_speed import CpuCase, CpuSpeed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from models.cpu_rates import CpuRates
    from models.cpu_speed import Array

FILE = Path(__file__).parent / "data" / "measured" / "cpu_instances.csv.gz"
SOURCE = "github SpareCores/sc-inspector-data@804d3c7 (2026-08-22), CC BY-SA 4.0"
MODELS = {
    "smollm_135m": "SmolLM-135M",
    "qwen_0_5b": "Qwen1.5-0.5B-Chat",
    "gemma_2b": "Gemma-2B",
    "llama_7b": "Llama-7B",
    "phi_14b": "Phi-4",
    "llama_70b": "Llama-3.3-70B-Instruct",
}
"""Column of the table -> model."""
LARGE = ("gemma_2b", "llama_7b", "phi_14b", "llama_70b")
"""Models large enough to say how fast weights stream; the small ones measure waiting threads."""
PROMPT_TOKENS, OUTPUT_TOKENS = 512.0, 128.0
PROVIDERS = {"alicloud": "alibaba", "hcloud": "hetzner"}
"""The inspection's names of providers -> ours."""


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """One model's figures on one instance type; None = not run or too slow for the benchmark's limits."""

    model: str
    """Column name, see MODELS."""
    prompt_tokens_per_s: float | None
    tokens_per_s: float | None


@dataclass(frozen=True, slots=True)
class MeasuredCpu:
    """What was measured on one instance type."""

    provider: str
    server: str
    cpu: str
    """The CPU of that run; another may serve the next customer of some families."""
    vcpus: int
    threads: int
    """Physical cores, over all sockets."""
    sockets: int
    numa_nodes: int
    bare_metal: bool
    read_gb_s: float | None
    date: str
    runs: tuple[MeasuredRun, ...]
    source: str = SOURCE

    def rates(self, estimate: CpuRates) -> CpuRates:
        """An estimate of this instance type's rates, moved so that the formulas meet what was measured on it.

        Streaming, decode arithmetic and waiting move by one factor, prompts by another: the medians over the measured models of
        2B parameters and more (over the small ones where there is nothing else).
        """
        return adjusted([self], [estimate])[0]

    def stream_gb_s(self, estimate: CpuRates) -> float:
        """Effective streaming rate that the measured decodes imply, GB/s."""
        return self.rates(estimate).stream / 1e9

    def prompt_gflops(self, estimate: CpuRates) -> float:
        """Effective arithmetic that the measured prompts imply, GFLOP/s."""
        return self.rates(estimate).prefill / 1e9

    def scale(self, figure: str, predicted: dict[str, float]) -> float:
        """Measured over predicted: the median over the large models, over the small ones where there is nothing else."""
        ratios: dict[str, float] = {}
        for run in self.runs:
            value = getattr(run, figure)
            if value:
                ratios[run.model] = value / predicted[run.model]
        large = [ratio for name, ratio in ratios.items() if name in LARGE]
        return _median(large or list(ratios.values())) if ratios else 1.0


def _median(values: list[float]) -> float:
    # The module statistics loads fractions, decimals and random numbers, at every start.
    ordered, middle = sorted(values), len(values) // 2
    return ordered[middle] if len(values) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


@cache
def _files() -> tuple[GgufModel, ...]:
    quant = catalog.quant("q4_k_m")
    return tuple(GgufModel(catalog.llm(name), quant) for name in MODELS.values())


def adjusted(records: Sequence[MeasuredCpu], estimates: Sequence[CpuRates]) -> list[CpuRates]:
    """`MeasuredCpu.rates` of many instance types at once."""
    names, result = list(MODELS), []
    decodes, prompts = _predicted(estimates)
    for record, estimate, decode, prompt in zip(records, estimates, decodes.tolist(), prompts.tolist(), strict=True):
        decode_scale = record.scale("tokens_per_s", dict(zip(names, decode, strict=True)))
        prompt_scale = record.scale("prompt_tokens_per_s", dict(zip(names, prompt, strict=True)))
        result.append(
            replace(
                estimate,
                stream=estimate.stream * decode_scale,
                decode=estimate.decode * decode_scale,
                sync=estimate.sync / decode_scale,
                prefill=estimate.prefill * prompt_scale,
            )
        )
    return result


def _predicted(rates: Sequence[CpuRates]) -> tuple[Array, Array]:
    """(generation, prompt) tokens/s of the six models as the formulas have them, (instance types, models) each."""
    files = _files()

    def each(name: str) -> Array:
        return column(rates, name)[:, None]

    case = CpuCase(
        layers=column(files, "layers"),
        stream_dense=column(files, "dense"),
        stream_routed=column(files, "routed"),
        experts=column(files, "experts"),
        experts_per_token=column(files, "per_token"),
        active=column(files, "active"),
        active_layers=column(files, "active_layers"),
        query=column(files, "query"),
        kv_bytes_per_token=column(files, "kv_elements") * 2,
        state_bytes=column(files, "state_bytes"),
        moe=column(files, "moe") > 0,
        cores=each("cores"),
        rate=each("stream"),
        prefill_rate=each("prefill"),
        decode_rate=each("decode"),
        input_tokens=1.0,
        output_tokens=OUTPUT_TOKENS,
        sync=each("sync"),
    )
    k = constants().cpu
    prompt = CpuSpeed(replace(case, input_tokens=PROMPT_TOKENS), k).prefill()
    return 1 / CpuSpeed(case, k).step(1.0), PROMPT_TOKENS / prompt


def _number(text: str) -> float | None:
    return float(text) if text else None


def read(path: Path = FILE) -> list[MeasuredCpu]:
    """All instance types of the table."""
    names, lines = _lines(path)
    return [_record(dict(zip(names, line, strict=True))) for line in lines]


def _lines(path: Path) -> tuple[list[str], list[list[str]]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        names, *lines = csv.reader(file)
    return names, lines


def _record(row: dict[str, str]) -> MeasuredCpu:
    return MeasuredCpu(
        provider=row["provider"],
        server=row["server"],
        cpu=row["cpu"],
        vcpus=int(row["vcpus"]),
        threads=int(row["threads"]),
        sockets=int(row["sockets"]),
        numa_nodes=int(row["numa_nodes"]),
        bare_metal=row["bare_metal"] == "1",
        read_gb_s=_number(row["read_gb_s"]),
        date=row["date"],
        runs=tuple(MeasuredRun(name, _number(row[f"{name}_pp512"]), _number(row[f"{name}_tg128"])) for name in MODELS),
    )


@cache
def _index() -> dict[tuple[str, str], str]:
    """Lines as they are: thousands are looked up by name, hundreds are read."""
    if not FILE.exists():
        return {}
    _, *lines = gzip.decompress(FILE.read_bytes()).decode("utf-8").splitlines()
    # No cell of the file holds a line break, and no name a comma.
    cells = (line.split(",", 2) for line in lines)
    return {(provider, _plain(server)): line for (provider, server, _), line in zip(cells, lines, strict=True)}


@cache
def _names() -> list[str]:
    with gzip.open(FILE, "rt", encoding="utf-8") as file:
        return file.readline().rstrip("\n").split(",")


def _plain(server: str) -> str:
    """Azure's types are written with and without "Standard_"."""
    return server.casefold().removeprefix("standard_")


def instance_of(provider: str, server: str) -> str:
    """The name under which a provider's type was measured ("aws m7a.8xlarge"); empty if it was not."""
    name = provider.casefold()
    key = (PROVIDERS.get(name, name), _plain(server))
    return f"{key[0]} {key[1]}" if key in _index() else ""


@cache
def by_instance(name: str) -> MeasuredCpu | None:
    """The record of a name that `instance_of` gave; None for another."""
    provider, _, server = name.partition(" ")
    line = _index().get((provider, server))
    if line is None:
        return None
    (cells,) = csv.reader([line])
    return _record(dict(zip(_names(), cells, strict=True)))


def measured(provider: str, server: str) -> MeasuredCpu | None:
    """What was measured on a provider's instance type ("aws", "m7a.8xlarge"); None if nothing was."""
    name = instance_of(provider, server)
    return by_instance(name) if name else None
