"""Random cases of a serving engine on GPUs that all differ: chip, link, count, model, format and lengths."""

from __future__ import annotations

from typing import Any

import numpy as np

from models import catalog
from models.build import column
from models.gpu_speed import CHIPS, COMPUTE, ENGINES, LINKS, MEMORIES, GpuCase
from models.shape import shape_of

_BYTES = np.array([2.0, 1.03, 0.56, 1.03, 0.56])
"""A weight of each compute class, scales included."""
_SHAPE = (
    *("layers", "hidden", "kv_heads", "attention", "attention_replicated", "moe_layers", "experts"),
    *("experts_per_token", "expert", "head", "kv", "kv_window", "window", "state", "query", "query_window"),
    *("mla_layers", "linear_layers", "sparse_layers"),
)


def random_case(count: int, seed: int = 0) -> GpuCase:
    """`count` cases as arrays: chips from an L4 to beyond a B300, prompts of 20 to 22,000 tokens, every model of the catalog."""
    random = np.random.default_rng(seed)
    shapes = [shape_of(llm) for llm in catalog.llms() if llm.kv_cache]
    model = random.integers(0, len(shapes), count)
    compute = random.integers(0, len(COMPUTE), count)
    peak = random.uniform(60, 2500, count) * 1e12
    values: dict[str, Any] = {name: column(shapes, name)[model] for name in _SHAPE}
    values |= {
        "dense": (column(shapes, "dense") + column(shapes, "shared"))[model],
        "weight_bytes": _BYTES[compute],
        "attention_bytes": _BYTES[compute],
        "compute": compute,
        "kv_bytes": random.choice([1.0, 2.0], count),
        "bandwidth": random.uniform(300, 8000, count) * 1e9,
        "peak_16bit": peak,
        "peak_compute": peak * random.choice([1.0, 2.0], count),
        "chip": random.integers(0, len(CHIPS), count),
        "link": random.uniform(20, 900, count) * 1e9,
        "link_class": random.integers(0, len(LINKS), count),
        "memory_class": random.integers(0, len(MEMORIES), count),
        "before_hopper": random.integers(0, 2, count) > 0,
        "power_room": random.uniform(0.4, 1.0, count),
        "gpus": random.choice([1.0, 2.0, 4.0, 8.0], count),
        "data_parallel": random.integers(0, 4, count) == 0,
        "engine": random.integers(0, len(ENGINES), count),
        "own_code": np.zeros(count, dtype=np.intp),
        "own_names": ("",),
        "input_tokens": np.floor(np.exp(random.uniform(3, 10, count))),
        "output_tokens": np.floor(np.exp(random.uniform(2, 7.5, count))),
    }
    return GpuCase(**values)


def random_rows(count: int, seed: int = 0) -> list[dict[str, str]]:
    """`count` rows of a cases file that all differ: GPUs with serving engines and llama.cpp, and CPUs."""
    random = np.random.default_rng(seed)
    models = [llm.name for llm in catalog.llms() if llm.kv_cache]
    chips = [chip.name for chip in catalog.chips() if chip.memory_bandwidth_gb_s and chip.bf16_tflops]
    cpus = [cpu.name for cpu in catalog.cpus() if cpu.cores and cpu.memory_channels]
    engines = ("vllm", "sglang", "TensorRT-LLM", "llama.cpp")
    numbers = random.integers(0, 2**31, (count, 5)).tolist()
    rows = []
    for i, (model, hardware, engine, lengths, users) in enumerate(numbers):
        cpu = i % 4 == 0
        rows.append(
            {
                "case_id": f"r{i}",
                "model": models[model % len(models)],
                "quant": ("16bit", "8bit", "4bit")[engine // 7 % 3],
                "engine": "llama.cpp" if cpu else engines[engine % len(engines)],
                "hardware": cpus[hardware % len(cpus)] if cpu else chips[hardware % len(chips)],
                "count": "1" if cpu else str(2 ** (hardware // 1000 % 4)),
                "input_tokens": str(20 + lengths % 8000),
                "output_tokens": str(20 + lengths // 8000 % 2000),
                "concurrency": str(1 + users % 200),
                "scenario": "online",
            }
        )
    return rows
