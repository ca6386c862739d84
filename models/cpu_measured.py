"""llama.cpp speeds measured on the very cloud instance types that providers rent out; a look-up beats any formula.

Data: `data/measured/cpu_instances.csv.gz`, from Spare Cores inspection data (CC BY-SA 4.0, see the README beside it): llama-bench,
one build (b4753, February 2025), six models in q4_K_M, prompts of 512 and generations of 128 tokens, all physical cores.
"""

from __future__ import annotations

import csv
import gzip
import json
import math
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from models import catalog, prepared
from models.build import GgufModel, column
from models.constants import constants
from models.cpu_speed import CpuCase, CpuSpeed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from models.cpu_rates import CpuRates
    from models.cpu_speed import Array

FILE = Path(__file__).parent / "data" / "measured" / "cpu_instances.csv.gz"
PREPARED = prepared.FOLDER / "cpu_instances.bin"
_FLOATS = np.dtype("<f8")
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
ENTRIES = {
    "SmolLM-135M": "SmolLM2-135M",
    "Qwen1.5-0.5B-Chat": "Qwen1.5-0.5B",
    "Llama-7B": "Llama-2-7B",
    "Llama-3.3-70B-Instruct": "Llama-3.3-70B",
}
"""Their entries in the catalog where the names differ: an alias would make every start read all of them."""
LARGE = ("gemma_2b", "llama_7b", "phi_14b", "llama_70b")
"""Models large enough to say how fast weights stream; the small ones measure waiting threads."""
SCALED = ("cores", "stream", "prefill", "decode", "sync")
"""Rates (`models.cpu_rates`) that measurements speak about; the cores stay."""
_WORDS = " ".join(MODELS)
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
        """An estimate of this instance type's rates, moved so that the formulas meet what was measured on it."""
        own = {name: column([estimate], name) for name in SCALED}
        moved = {name: float(values[0]) for name, values in adjusted(np.array([self.figures()]), own).items()}
        return replace(
            estimate,
            stream=moved["stream"],
            prefill=moved["prefill"],
            decode=moved["decode"],
            sync=moved["sync"],
        )

    def figures(self) -> tuple[float, ...]:
        """Prompt and generation tokens/s of each model in turn (MODELS), NaN = not run."""
        runs = {run.model: (run.prompt_tokens_per_s, run.tokens_per_s) for run in self.runs}
        return tuple(value or math.nan for name in MODELS for value in runs.get(name, (None, None)))

    def stream_gb_s(self, estimate: CpuRates) -> float:
        """Effective streaming rate that the measured decodes imply, GB/s."""
        return self.rates(estimate).stream / 1e9

    def prompt_gflops(self, estimate: CpuRates) -> float:
        """Effective arithmetic that the measured prompts imply, GFLOP/s."""
        return self.rates(estimate).prefill / 1e9


@cache
def _files() -> tuple[GgufModel, ...]:
    quant = catalog.quant("q4_k_m")
    return tuple(GgufModel(catalog.llm(ENTRIES.get(name, name)), quant) for name in MODELS.values())


def adjusted(figures: Array, rates: Mapping[str, Array]) -> dict[str, Array]:
    """Rates (SCALED) of instance types, moved so that the formulas meet what was measured on them.

    Streaming, decode arithmetic and waiting move by one factor, prompts by another: the medians over the measured models of
    2B parameters and more (over the small ones where there is nothing else).

    Args:
        figures: (instance types, 2 x models), see `MeasuredCpu.figures`; rates: as estimated.
    """
    decode, prompt = _predicted(rates)
    with np.errstate(divide="ignore", invalid="ignore"):
        decode_scale, prompt_scale = _scale(figures[:, 1::2] / decode), _scale(figures[:, 0::2] / prompt)
    return {
        "cores": rates["cores"],
        "stream": rates["stream"] * decode_scale,
        "prefill": rates["prefill"] * prompt_scale,
        "decode": rates["decode"] * decode_scale,
        "sync": rates["sync"] / decode_scale,
    }


def _scale(ratios: Array) -> Array:
    """Of measured over predicted, (instance types, models), the median over the large models, else over all, else 1."""
    large = [at for at, name in enumerate(MODELS) if name in LARGE]
    found = _middle(ratios[:, large])
    found = np.where(np.isnan(found), _middle(ratios), found)
    return np.where(np.isnan(found), 1.0, found)


def _middle(values: Array) -> Array:
    """The median of each row without its NaN; NaN for a row of nothing else; numpy's nanmedian loads masked arrays."""
    ordered, count = np.sort(values, axis=1), np.count_nonzero(~np.isnan(values), axis=1)
    rows = np.arange(len(values))
    middle: Array = (ordered[rows, np.maximum(count - 1, 0) // 2] + ordered[rows, count // 2]) / 2
    return middle


def _predicted(rates: Mapping[str, Array]) -> tuple[Array, Array]:
    """(generation, prompt) tokens/s of the six models as the formulas have them, (instance types, models) each."""
    files = _files()
    each = {name: values[:, None] for name, values in rates.items()}
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
        cores=each["cores"],
        rate=each["stream"],
        prefill_rate=each["prefill"],
        decode_rate=each["decode"],
        input_tokens=1.0,
        output_tokens=OUTPUT_TOKENS,
        sync=each["sync"],
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
    found = f"{PROVIDERS.get(name, name)} {_plain(server)}"
    return found if found in all_figures()[0] else ""


@cache
def by_instance(name: str) -> MeasuredCpu | None:
    """The record of a name that `instance_of` gave; None for another."""
    provider, _, server = name.partition(" ")
    line = _index().get((provider, server))
    if line is None:
        return None
    (cells,) = csv.reader([line])
    return _record(dict(zip(_names(), cells, strict=True)))


@cache
def all_figures() -> tuple[dict[str, int], Array]:
    """Names that `instance_of` gives -> rows of what `MeasuredCpu.figures` has; a start needs no more of the instance types."""
    try:
        found = prepared.read(PREPARED, [FILE], _WORDS)
        if found is not None:
            names, _, content = found.partition(b"\n")
            figures = np.frombuffer(content, dtype=_FLOATS).reshape(-1, 2 * len(MODELS))
            places = {name: at for at, name in enumerate(json.loads(names))}
            if len(places) == len(figures):
                return places, figures
    except ValueError:  # torn
        pass
    return _read_figures()


def _read_figures() -> tuple[dict[str, int], Array]:
    records = [record for name in _index() if (record := by_instance(" ".join(name))) is not None]
    figures = np.array([record.figures() for record in records]).reshape(-1, 2 * len(MODELS))
    return {" ".join(name): at for at, name in enumerate(_index())}, figures


def prepare() -> bytes:
    """What the prepared figures have to hold: a line with the names, then their figures as floats."""
    places, figures = _read_figures()
    names = json.dumps(list(places), separators=(",", ":"))
    return prepared.content(names.encode() + b"\n" + figures.astype(_FLOATS).tobytes(), [FILE], _WORDS)


def measured(provider: str, server: str) -> MeasuredCpu | None:
    """What was measured on a provider's instance type ("aws", "m7a.8xlarge"); None if nothing was."""
    name = instance_of(provider, server)
    return by_instance(name) if name else None
