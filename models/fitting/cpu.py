"""Fit of LLMs on CPUs: rows of a measurements file to the constants of `data/constants/cpu.toml`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from models.build import GgufModel, column
from models.case_input import Case, number, parse_case
from models.cpu_rates import (
    CpuFacts,
    cpu_engine,
    decode_rate,
    facts_of,
    prefill_rate,
    socket_cores,
    stack,
    stream_rate,
    sync_time,
)
from models.cpu_speed import CpuCase, CpuSpeed
from models.errors import known
from models.fitting.least_squares import Array, Constant, Fit, Problem
from models.local_score import PAIRS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

DECODE = ("tokens_per_s_per_user", "output_tokens_per_s", "tpot_ms")
PROMPT = ("prompt_tokens_per_s",)
TTFT = ("ttft_ms_p50", "ttft_ms")
FILE = Path(__file__).parent.parent / "data" / "constants" / "cpu.toml"
_SUITES = ("mlcommons",)
"""Sources whose figures are of several instances of a tuned stack over both sockets: not one process's speed."""

GBS, SHARE, RATIO, POWER, US = "GB/s", "share of one socket peak", "factor", "exponent", "us per layer"
ABOUT: dict[str, tuple[float, float, str, str]] = {
    "b1_amd": (18.0, 0.5, "GB/s per core", "weights one core streams in four bits at 3 GHz with 256-bit units, AMD"),
    "b1_intel": (9.0, 0.5, "GB/s per core", "the same, Intel"),
    "b1_arm": (8.0, 0.5, "GB/s per core", "the same, Arm"),
    "b1_clock": (0.6, 0.4, POWER, "of the all-core clock in a core's streaming"),
    "b1_width": (0.4, 0.4, POWER, "of the vector width in a core's streaming"),
    "b1_memory": (0.3, 0.5, POWER, "of the memory's speed in a core's streaming (1 at DDR4-3200)"),
    "domains": (0.4, 0.5, POWER, "by which several NUMA domains in a socket lower its share"),
    "cap_desk": (0.75, 0.3, SHARE, "most that streaming reaches, 2-4 channel desktop and old Xeon E5"),
    "cap_zen": (0.5, 0.4, SHARE, "the same, EPYC and Threadripper PRO"),
    "cap_xeon": (0.55, 0.4, SHARE, "the same, Xeon Scalable and Xeon 6"),
    "cap_arm": (0.6, 0.4, SHARE, "the same, Arm servers"),
    "roll_off": (2.0, 0.3, POWER, "sharpness of the change from cores to memory as the limit"),
    "ccd": (48.0, 0.2, "GB/s per chiplet", "most one AMD chiplet's link delivers to a packed VM"),
    "second_socket": (0.8, 0.3, RATIO, "streaming over two sockets relative to one"),
    "moe_dec": (0.75, 0.2, RATIO, "decode stream of mixture-of-experts models"),
    "sync0_intel": (80.0, 0.5, US, "threads waiting for each other and small operations, constant part, Intel"),
    "sync0_amd": (80.0, 0.5, US, "the same, AMD"),
    "sync0_arm": (250.0, 0.5, US, "the same, Arm"),
    "sync1": (1.3, 0.5, "us per layer and core", "the same, growing with the threads"),
    "sync_sockets": (0.7, 0.5, POWER, "of the sockets in that waiting"),
    "overlap": (2.0, 0.3, POWER, "how far a step overlaps reading and multiplying weights: 1 not at all"),
    "dec": (0.65, 0.5, "share of core peak", "multiplying weights with one vector a sequence, decode"),
    "dec_cores": (0.9, 0.1, POWER, "of the cores in that"),
    "pf_intel": (0.7, 0.5, "share of core peak", "prompts without AMX, llama.cpp of 2025, Intel"),
    "pf_amd": (0.7, 0.5, "share of core peak", "the same, AMD"),
    "pf_arm": (0.4, 0.5, "share of core peak", "the same, Arm"),
    "pf_cores": (0.98, 0.05, POWER, "of the cores in prompts without AMX"),
    "pf_cap": (6000.0, 0.4, "GFLOP/s", "most that prompts of one llama.cpp process reach without AMX"),
    "pf_roll_off": (1.5, 0.3, POWER, "sharpness of the change to that"),
    "pf_many": (1.4, 0.3, RATIO, "prompts of many processes at once relative to one after the other"),
    "pf_amx": (300.0, 0.5, "GFLOP/s of one core", "prompts on AMX tiles, llama.cpp"),
    "pf_amx_cap": (6000.0, 0.4, "GFLOP/s", "most that prompts on AMX tiles reach, llama.cpp"),
    "pf_amx_roll_off": (1.5, 0.3, POWER, "sharpness of the change to that"),
    "pf_second_socket": (0.9, 0.3, RATIO, "prompts over all cores of two sockets relative to as many of one"),
    "pf_small": (
        1500.0,
        0.7,
        "operations per unit of width",
        "prompts: norms, rotations and activations on vector units",
    ),
    "pf_moe": (0.65, 0.3, RATIO, "prompts of mixture-of-experts models"),
    "vllm_roll_off": (1.5, 0.3, POWER, "vLLM: sharpness of the change from cores to its ceiling"),
    "vllm_memory": (0.3, 0.5, POWER, "vLLM: of one NUMA node's bandwidth in its ceiling (1 at 300 GB/s)"),
    "vllm_dec": (0.3, 0.7, RATIO, "vLLM: batched decode relative to prompts"),
    "vllm_layer": (100.0, 0.7, US, "vLLM: operators of a layer besides matrix products"),
    "vllm_pf_roll_off": (1.5, 0.3, POWER, "vLLM: sharpness of the change from cores to the most that prompts reach"),
}
"""Start, sd of its logarithm, unit, meaning of the constants that every CPU shares."""
_BFLOAT = {
    "amx": (13.0, 210.0, 900.0, 2.5e4),
    "avx512": (15.0, 230.0, 450.0, 2e4),
    "arm": (16.0, 250.0, 120.0, 8e3),
    "old": (7.0, 100.0, 30.0, 1e3),
}
for _kind, (_b1, _cap, _pf, _x) in _BFLOAT.items():
    ABOUT |= {
        f"vllm_b1_{_kind}": (_b1, 0.5, "GB/s per core", f"vLLM, bf16 on {_kind}: streaming of one stream at 3 GHz"),
        f"vllm_cap_{_kind}": (_cap, 0.4, GBS, f"vLLM, bf16 on {_kind}: its ceiling on one NUMA node"),
        f"vllm_pf_{_kind}": (
            _pf,
            0.7,
            "GFLOP/s of one core",
            f"vLLM, bf16 on {_kind}: prompts at 3 GHz with 256-bit units",
        ),
        f"vllm_pf_cap_{_kind}": (_x, 0.7, "GFLOP/s", f"vLLM, bf16 on {_kind}: most that prompts reach"),
    }

# prefix: sd of the logarithm around 1, unit, meaning; one constant for every label that has rows
DEVIATION: dict[str, tuple[str, float, str, str]] = {
    "core_": ("micro", 0.3, RATIO, "a core's streaming relative to its side"),
    "socket_": ("platform", 0.5, RATIO, "share of the socket's bandwidth relative to its class"),
    "link_": ("platform", 0.3, RATIO, "chiplet link relative to the class"),
    "second_": ("micro", 0.3, RATIO, "second socket relative to all"),
    "prompt_": ("micro", 0.25, RATIO, "prompts relative to its side"),
    "tiles_": ("micro", 0.25, RATIO, "prompts on AMX tiles relative to all"),
    "stream_": ("engine", 0.3, RATIO, "decode stream relative to llama.cpp of 2025"),
    "batch_": ("engine", 0.5, RATIO, "multiplying in decode relative to llama.cpp of 2025"),
    "prefill_": ("engine", 0.7, RATIO, "prompts without AMX relative to llama.cpp of 2025"),
    "tile_engine_": ("engine", 0.7, RATIO, "prompts on AMX tiles relative to llama.cpp of 2025"),
}
_REFERENCE = {"stream_llama_cpp", "batch_llama_cpp", "prefill_llama_cpp", "tile_engine_llama_cpp"}


def facts(case: Case) -> CpuFacts | None:
    """What the rates of a row's CPU depend on, as the estimate reads them."""
    cpu = known(case.cpu)
    cores, sockets = socket_cores(cpu, case.cores, case.sockets, case.raw.get("hardware", ""))
    if not cores:
        return None
    return facts_of(
        cpu,
        cores=cores,
        engine=cpu_engine(case.engine, case.raw.get("engine", "")),
        bandwidth_gb_s=case.bandwidth_gb_s,
        sockets=sockets,
        packed=case.packed or case.raw.get("packed") == "1",
    )


def _is_local_score(case: Case) -> bool:
    return "localscore" in case.raw.get("engine", "").lower()


def cases_of(rows: Iterable[Mapping[str, str]]) -> list[tuple[Case, CpuFacts]]:
    """The rows this fit is about: one process on a CPU whose bandwidth is known."""
    found = []
    for row in rows:
        if row.get("metric") not in DECODE + PROMPT + TTFT or row.get("source_group") in _SUITES:
            continue
        case = parse_case(row)
        if case.error or case.cpu is None or not float(row.get("value") or 0) > 0:
            continue
        fact = facts(case)
        if fact is not None:
            found.append((case, fact))
    return found


class _Rows:
    """Rows as arrays; a LocalScore row is nine entries."""

    def __init__(self, cases: Sequence[Case], facts: Sequence[CpuFacts]) -> None:
        lengths = [PAIRS if _is_local_score(c) else ((c.input_tokens, c.output_tokens),) for c in cases]
        self.row = np.repeat(np.arange(len(cases)), [len(pairs) for pairs in lengths])
        self.facts = stack(facts)
        files: dict[tuple[int, int], GgufModel] = {}
        models = []
        for case in cases:
            key = (id(case.llm), id(case.quant))
            if key not in files:
                files[key] = GgufModel(known(case.llm), known(case.quant))
            models.append(files[key])
        each = [models[i] for i in self.row]
        self.case = CpuCase(
            layers=column(each, "layers"),
            stream_dense=column(each, "dense"),
            stream_routed=column(each, "routed"),
            experts=column(each, "experts"),
            experts_per_token=column(each, "per_token"),
            active=column(each, "active"),
            active_layers=column(each, "active_layers"),
            query=column(each, "query"),
            kv_bytes_per_token=column(each, "kv_elements") * np.array([c.kv_bytes for c in cases])[self.row],
            state_bytes=column(each, "state_bytes"),
            moe=column(each, "moe") > 0,
            cores=np.asarray(self.facts.cores)[self.row],
            rate=1.0,
            prefill_rate=1.0,
            decode_rate=1.0,
            input_tokens=np.array([float(s) for pairs in lengths for s, _ in pairs]),
            output_tokens=np.array([float(o) for pairs in lengths for _, o in pairs]),
        )
        metric = np.array([c.raw["metric"] for c in cases])
        self.prompt = np.isin(metric, PROMPT)[self.row]
        self.first = np.isin(metric, TTFT)[self.row]
        self.time = np.isin(metric, ("tpot_ms", *TTFT))
        self.n = np.array([max(c.concurrency or 1.0, 1.0) for c in cases])[self.row]
        self.user = (metric == "tokens_per_s_per_user")[self.row] | (metric == "tpot_ms")[self.row]
        self.apart = np.array([c.scenario in ("bench", "static") for c in cases])[self.row]
        self.counted = (np.array([c.engine == "vllm-cpu" for c in cases])[self.row]) & (self.n > 1) | ~self.apart
        self.count = np.bincount(self.row)

    def predict(self, k: Mapping[str, float]) -> Array:
        """The figure of every row in its own unit."""
        case, f, row = self.case, self.facts, self.row
        case.rate = stream_rate(f, k)[row]
        case.prefill_rate = prefill_rate(f, k)[row]
        case.decode_rate = decode_rate(f, k)[row]
        case.sync = sync_time(f, k)[row]
        speed = CpuSpeed(case, k)
        step, prompt = speed.step(self.n), speed.prefill(self.n)
        cycle = speed.schedule + speed.prefill() + speed.o * speed.tpot(self.n)
        whole = np.where(self.counted, self.n * speed.o / cycle, self.n / step)
        rate = np.where(self.user, np.where(self.apart, 1 / step, 1 / speed.tpot(self.n)), whole)
        rate = np.where(self.prompt, self.n * speed.s / prompt, rate)
        rate = np.where(self.first, 1 / np.where(self.apart, prompt, speed.ttft_closed(self.n)), rate)
        mean = np.bincount(row, rate) / self.count
        result: Array = np.where(self.time, 1e3 / mean, mean)
        return result


def problem(rows: Iterable[Mapping[str, str]]) -> Problem:
    """The fit of these rows; labels: metric, gpu (the CPU), model, source, family (its microarchitecture), engine, id.

    Rows of one source, CPU and metric weigh n^-1/2 each, so that a thousand runs of one machine count like thirty.
    """
    found = cases_of(rows)
    names = ("metric", "gpu", "model", "source", "family", "engine", "id")
    labels: dict[str, list[str]] = {name: [] for name in names}
    for case, fact in found:
        metric = case.raw["metric"]
        labels["metric"].append("prefill" if metric in PROMPT else "ttft" if metric in TTFT else "decode")
        labels["gpu"].append(known(case.cpu).name)
        labels["model"].append(known(case.llm).name)
        labels["source"].append(case.raw.get("source_group", ""))
        labels["family"].append(fact.micro.name)
        labels["engine"].append(fact.engine.name)
        labels["id"].append(case.raw.get("case_id", ""))
    arrays = _Rows([case for case, _ in found], [fact for _, fact in found]) if found else None
    series = list(zip(labels["source"], labels["gpu"], labels["metric"], strict=True))
    size = Counter(series)
    weight = [
        (number(case.raw, "weight") or 1.0) / (number(case.raw, "repeats") or 1.0) / size[one] ** 0.5
        for (case, _), one in zip(found, series, strict=True)
    ]
    return Problem(
        constants=_constants([fact for _, fact in found]),
        predict=arrays.predict if arrays else lambda _: np.empty(0),
        measured=np.array([float(case.raw["value"]) for case, _ in found]),
        weight=np.array(weight),
        labels={name: np.array(values, dtype=object) for name, values in labels.items()},
        fixed={},
    )


def _constants(facts: Sequence[CpuFacts]) -> list[Constant]:
    found = [Constant(name, start, start, sigma) for name, (start, sigma, _, _) in ABOUT.items()]
    for prefix, (label, sigma, _, _) in DEVIATION.items():
        names = sorted({prefix + getattr(fact, label).name for fact in facts if _feels(fact, prefix)} - _REFERENCE)
        found.extend(Constant(name, 1.0, 1.0, sigma) for name in names)
    return found


def _feels(fact: CpuFacts, prefix: str) -> bool:
    """Whether a row of these facts can depend on a deviation at all."""
    if fact.vllm > 0:
        return prefix == "link_" and _packed(fact)
    if prefix in {"tiles_", "tile_engine_"}:
        return bool(fact.amx > 0)
    if prefix in {"prompt_", "prefill_"}:
        return bool(fact.amx == 0)
    if prefix == "link_":
        return _packed(fact)
    return prefix != "second_" or bool(fact.sockets > 1)


def _packed(fact: CpuFacts) -> bool:
    return bool(np.isfinite(fact.chiplets))


def describe(name: str) -> tuple[str, str]:
    """Unit and meaning of a constant."""
    if name in ABOUT:
        return ABOUT[name][2:]
    prefix = max((prefix for prefix in DEVIATION if name.startswith(prefix)), key=len)
    return DEVIATION[prefix][2], f"{DEVIATION[prefix][3]}: {name.removeprefix(prefix)}"


def text(fit: Fit, date: str) -> str:
    """The constants file of a fit."""
    counts, spread, values = fit.rows_that_feel(), fit.relative_sd, fit.values
    cpus = fit.problem.labels["gpu"]
    lines = [
        "# What LLMs on CPUs were fitted with: value, unit, meaning, rows and CPUs that feel it (a change of 1 % moves their",
        "# figure by at least 0.02 %), standard deviation of the logarithm. Deviations (`core_zen4`, ...) are drawn towards 1.",
        f'source = "fit on published benchmark rows and Spare Cores inspection data, collected {date}"',
        f'source_date = "{date}"',
    ]
    for i, constant in enumerate(fit.problem.constants):
        name = constant.name
        unit, meaning = describe(name)
        felt = np.abs(fit.jacobian[:, i]) > 0.02
        if not felt.any():
            continue
        entry: dict[str, Any] = {
            "value": f"{values[name]:.4g}",
            "unit": f'"{unit}"',
            "meaning": f'"{meaning}"',
            "rows": counts[name],
            "hardware": len(set(cpus[felt])),
            "relative_sd": f"{spread[name]:.3f}",
        }
        lines += ["", f"[cpu.{name}]", *(f"{key} = {value}" for key, value in entry.items())]
    return "\n".join([*lines, "", "[cpu_family]"]) + "\n"


def write(fit: Fit, date: str, path: Path = FILE) -> None:
    """Write the constants file."""
    path.write_text(text(fit, date), encoding="utf-8")
