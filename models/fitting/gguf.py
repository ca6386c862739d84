"""Fit of llama.cpp on GPUs and Apple chips: rows of a measurements file to the constants of `data/constants/gguf.toml`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from models.build import GgufModel, gguf_case
from models.case_input import Case, number, parse_case
from models.devices import device_of
from models.errors import known
from models.fitting.least_squares import Array, Constant, Fit, Problem
from models.gguf_speed import MEMORY, GgufSpeed
from models.local_score import PAIRS, Hosts, generation, is_local_score
from models.memory import GIB, kv_bytes_per_token
from models.quantize import weight_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

DECODE = ("tokens_per_s_per_user", "output_tokens_per_s", "tpot_ms")
PROMPT = ("prompt_tokens_per_s",)
_BUFFER_GIB = 0.3
FILE = Path(__file__).parent.parent / "data" / "constants" / "gguf.toml"

SHARE, US, RATIO, OPS = "share of specified rate", "us", "factor", "lane operations per weight"
ABOUT: dict[str, tuple[float, float, str, str]] = {
    "g_em": (0.88, 0.1, "share of specified bandwidth", "decode, weight read, NVIDIA"),
    "g_ecc": (1.0, 0.1, RATIO, "bandwidth left by error correction inside GDDR memory, data-centre cards"),
    "g_em_amd": (0.85, 0.05, "share of specified bandwidth", "decode, weight read, AMD"),
    "g_em_apple": (0.85, 0.15, "share of specified bandwidth", "decode, weight read, Apple"),
    "g_em_intel": (0.7, 0.2, "share of specified bandwidth", "decode, weight read, Intel Arc"),
    "g_unpack": (4.4, 0.3, OPS, "decode, unpacking a quantized weight with int8 dot products, NVIDIA"),
    "g_unpack_old": (13.0, 0.3, OPS, "the same without int8 dot products: before compute capability 6.1, and P100"),
    "g_unpack_turing": (5.5, 0.3, OPS, "the same on Turing, which holds half the threads in flight"),
    "g_unpack_amd": (15.0, 0.4, OPS, "the same, AMD and Intel"),
    "g_unpack_apple": (16.0, 0.3, OPS, "the same, Apple"),
    "g_layer": (65.0, 0.3, "us per layer", "kernels of a layer replayed as a CUDA graph (one card, Ampere on)"),
    "g_layer_launch": (110.0, 0.3, "us per layer", "the same launched one by one: several cards, before Ampere, 2024"),
    "g_layer_old": (110.0, 0.3, "us per layer", "the same, 2024 and llamafile"),
    "g_layer_amd": (150.0, 0.4, "us per layer", "the same, AMD and Intel"),
    "g_layer_apple": (80.0, 0.4, "us per layer", "the same, Apple"),
    "g_card": (150.0, 0.5, "us per further card", "layer split: hand-over to the next card"),
    "g_step": (100.0, 0.5, "us per token", "host work of a token"),
    "g_kv": (0.8, 0.2, "share of specified bandwidth", "KV read with flash attention"),
    "g_kv_plain": (0.43, 0.2, "share of specified bandwidth", "KV read without flash attention (2024, llamafile)"),
    "g_mma": (
        0.4,
        0.3,
        "share of int8 tensor rate",
        "prompts, quantized: tensor part of int8 kernels (twice the fp16 rate)",
    ),
    "g_lanes": (8.9, 0.3, "FLOP per lane operation", "prompts, quantized: instruction part of int8 kernels"),
    "g_lanes_dp4a": (
        3.5,
        0.4,
        "FLOP per lane operation",
        "prompts on chips with int8 dot products but no tensor cores",
    ),
    "g_lanes_old": (1.2, 0.3, "FLOP per lane operation", "prompts on chips without either"),
    "g_lanes_amd": (1.4, 0.4, "FLOP per lane operation", "prompts, AMD"),
    "g_lanes_apple": (1.1, 0.3, "FLOP per lane operation", "prompts, Apple"),
    "g_lanes_intel": (4.0, 0.4, "FLOP per lane operation", "prompts, Intel Arc"),
    "g_volta": (0.32, 0.3, "share of fp16 tensor rate", "prompts, quantized, Volta: unpacked to fp16"),
    "g_mfu": (
        0.4,
        0.3,
        "share of fp16-accumulate peak at 100 TFLOPS",
        "prompts, 16-bit weights",
    ),
    "g_mfu_exp": (0.2, 0.5, "exponent", "of (peak/100 TFLOPS) by which that share falls"),
    "g_2024": (1.0, 0.3, RATIO, "prompts, quantized, 2024: unpacked to 16 bits first"),
    "g_llamafile": (1.0, 0.2, RATIO, "prompts, llamafile's kernels on NVIDIA"),
    "g_watt": (0.078, 0.3, "1e12 lane operations/s per W, 4 nm", "what the power limit can hold: T4, L4, A10"),
    "g_turing": (1.0, 0.2, RATIO, "int8 tensor kernels on Turing, whose instructions are smaller"),
    "g_unpack_16": (20.0, 0.3, OPS, "decode, 16-bit weights, NVIDIA before 2025"),
    "g_amd_old": (1.8, 0.3, RATIO, "llamafile and 2024 on AMD: slower by"),
    "g_rdna3_old": (1.8, 0.3, RATIO, "prompts of llamafile on RDNA 3 and 4: slower still by"),
    "g_apple3": (1.0, 0.15, RATIO, "lanes reached from M3 on, relative to M1 and M2"),
    "g_windows": (1.5, 0.4, RATIO, "launches under Windows (LocalScore): slower by"),
    "g_kv_apple": (0.4, 0.3, "share of specified bandwidth", "KV read, Apple"),
    "g_width": (30.0, 0.6, "bytes per layer, token and width", "activations of a prompt through memory"),
    "g_att": (0.9, 0.4, RATIO, "prompt attention with flash attention, relative to weights"),
    "g_att_plain": (0.6, 0.4, RATIO, "the same without flash attention"),
    "g_att_old": (0.2, 0.4, RATIO, "the same on NVIDIA chips before Turing"),
    "g_pass": (450.0, 0.4, "us per layer and pass of 512 tokens", "launches and small kernels of a prompt, NVIDIA"),
    "g_pass_old": (450.0, 0.4, "us per layer and pass of 512 tokens", "the same, 2024 and llamafile"),
    "g_pass_other": (450.0, 0.6, "us per layer and pass of 512 tokens", "the same, other makers"),
    "g_pipe": (2.6, 0.3, "gain x cards^2", "passes of a long prompt overlap on several cards"),
    "g_host_attention": (600.0, 0.5, "us per layer", "LocalScore on hosts with AVX512-BF16: attention runs on the CPU"),
    "g_host_attention_amd": (3000.0, 0.5, "us per layer", "the same with AMD GPUs"),
    "g_host_prompt": (1.2, 0.3, RATIO, "its prompts on such hosts: slower by"),
}
"""Start, sd of its logarithm, unit, meaning of every constant."""


def _fits(case: Case) -> bool:
    """Whether the file and a LocalScore context fit the cards: otherwise drivers spill to the host and the link is measured."""
    llm = known(case.llm)
    device = known(device_of(known(case.chip)))
    if case.apple or not device.memory_gib > 0:  # NaN: the machine's own RAM
        return True
    context = max(s + o for s, o in PAIRS) if is_local_score(case) else 1
    need = weight_bytes(llm, known(case.quant)).total + kv_bytes_per_token(llm, case.kv_bytes) * context
    return bool(need / GIB + _BUFFER_GIB < device.memory_gib * max(case.count, 1.0))


def cases_of(rows: Iterable[Mapping[str, str]]) -> list[Case]:
    """The rows this fit is about: llama.cpp on a GPU or Apple chip whose figures are known."""
    cases = []
    for row in rows:
        case = parse_case(row)
        if case.error or not case.gguf or case.chip is None or device_of(case.chip) is None:
            continue
        if case.engine in {"llama.cpp", "llama.cpp-2024"} and row["metric"] in DECODE + PROMPT and _fits(case):
            cases.append(case)
    return cases


class _Rows:
    """Rows as arrays; a LocalScore row is nine entries."""

    def __init__(self, cases: Sequence[Case]) -> None:
        lengths = [PAIRS if is_local_score(c) else ((c.input_tokens, c.output_tokens),) for c in cases]
        self.row = np.repeat(np.arange(len(cases)), [len(pairs) for pairs in lengths])
        files: dict[tuple[int, int], GgufModel] = {}
        models = []
        for case in cases:
            key = (id(case.llm), id(case.quant))
            if key not in files:
                files[key] = GgufModel(known(case.llm), known(case.quant))
            models.append(files[key])
        self.case = gguf_case(
            [models[int(i)] for i in self.row],
            kv_bytes=np.array([c.kv_bytes for c in cases])[self.row],
            devices=[known(device_of(known(cases[int(i)].chip))) for i in self.row],
            gpus=np.array([c.count for c in cases])[self.row],
            input_tokens=np.array([float(s) for pairs in lengths for s, _ in pairs]),
            output_tokens=np.array([float(o) for pairs in lengths for _, o in pairs]),
            engine=[generation(cases[int(i)]) for i in self.row],
        )
        metric = np.array([c.raw["metric"] for c in cases])
        self.prompt = np.isin(metric, PROMPT)
        self.time = metric == "tpot_ms"
        self.n = np.array([max(c.concurrency or 1.0, 1.0) for c in cases])[self.row]
        self.user = metric == "tokens_per_s_per_user"
        notes = [c.raw.get("note", "") if is_local_score(c) else "" for c in cases]
        self.hosts = Hosts([notes[int(i)] for i in self.row], self.case.kind)
        self.count = np.bincount(self.row)

    def predict(self, constants: Mapping[str, float]) -> Array:
        """The figure of every row in its own unit."""
        speed = GgufSpeed(self.case, constants)
        step = self.hosts.step(speed, self.case.layers, self.n, constants)
        prompt = self.hosts.prefill(speed, self.n, constants)
        per_step = np.where(self.user[self.row], 1.0, self.n)
        rate = np.where(self.prompt[self.row], self.n * speed.s / prompt, per_step / step)
        rate = np.where(self.time[self.row], 1 / step, rate)
        mean = np.bincount(self.row, rate) / self.count
        result: Array = np.where(self.time, 1e3 / mean, mean)
        return result


def memory_class(case: Case) -> str:
    """Label of a chip's memory: gddr, hbm or apple, and the maker where it is not NVIDIA or Apple."""
    chip = known(case.chip)
    memory = MEMORY[known(device_of(chip)).memory]
    return memory if chip.vendor in {"NVIDIA", "Apple"} else chip.vendor.lower()


def _weights(cases: Sequence[Case], labels: Mapping[str, Sequence[str]]) -> Array:
    """One over the repeats, and over the root of the rows of one source, chip and metric: they share its errors."""
    series = list(zip(labels["source"], labels["gpu"], labels["metric"], strict=True))
    size = Counter(series)
    raw = np.array(
        [1 / (number(case.raw, "repeats") or 1.0) / size[key] ** 0.5 for case, key in zip(cases, series, strict=True)]
    )
    scaled: Array = raw * (len(cases) / max(float(raw.sum()), 1e-9))
    return scaled


def problem(rows: Iterable[Mapping[str, str]]) -> Problem:
    """The fit of these rows; labels: metric, gpu, model, source, engine, memory.

    Raises:
        InputError: none of the rows is of llama.cpp on a GPU.
    """
    cases = cases_of(rows)
    labels: dict[str, list[str]] = {name: [] for name in ("metric", "gpu", "model", "source", "engine", "memory", "id")}
    for case in cases:
        metric = case.raw["metric"]
        labels["metric"].append("prefill" if metric in PROMPT else "decode")
        labels["gpu"].append(known(case.chip).name)
        labels["model"].append(known(case.llm).name)
        labels["source"].append(case.raw.get("source_group", ""))
        labels["engine"].append(generation(case))
        labels["memory"].append(memory_class(case))
        labels["id"].append(case.raw.get("case_id", ""))
    arrays = _Rows(cases) if cases else None
    return Problem(
        constants=[Constant(name, start, start, sigma) for name, (start, sigma, _, _) in ABOUT.items()],
        predict=arrays.predict if arrays else lambda _: np.empty(0),
        measured=np.array([float(case.raw["value"]) for case in cases]),
        weight=_weights(cases, labels),
        labels={name: np.array(values, dtype=object) for name, values in labels.items()},
    )


def text(fit: Fit, date: str) -> str:
    """The constants file of a fit."""
    counts, spread, values = fit.rows_that_feel(), fit.relative_sd, fit.values
    chips = fit.problem.labels["gpu"]
    lines = [
        "# What llama.cpp on GPUs and Apple chips was fitted with: value, unit, meaning, rows and chips that feel it (a change of",
        "# 1 % moves their figure by at least 0.02 %), standard deviation of the logarithm.",
        f'source = "fit on published benchmark rows, collected {date}"',
        f'source_date = "{date}"',
    ]
    for i, constant in enumerate(fit.problem.constants):
        name = constant.name
        _, _, unit, meaning = ABOUT[name]
        felt = np.abs(fit.jacobian[:, i]) > 0.02
        entry: dict[str, Any] = {
            "value": f"{values[name]:.4g}",
            "unit": f'"{unit}"',
            "meaning": f'"{meaning}"',
            "rows": counts[name],
            "hardware": len(set(chips[felt])),
            "relative_sd": f"{spread[name]:.3f}",
        }
        lines += ["", f"[gguf.{name}]", *(f"{key} = {value}" for key, value in entry.items())]
    return "\n".join(lines) + "\n"


def write(fit: Fit, date: str, path: Path = FILE) -> None:
    """Write the constants file."""
    path.write_text(text(fit, date), encoding="utf-8")
