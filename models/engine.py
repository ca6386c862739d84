"""A serving engine: where it runs, what it reserves."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Engine:
    """One serving engine of the catalog."""

    key: str
    """vllm, sglang, trt-llm, llama.cpp, habana, ..."""
    name: str
    kinds: tuple[str, ...]
    """cpu, gpu."""
    vendors: tuple[str, ...]
    """Accelerator vendors it runs on; empty = any."""
    min_compute_capability: float | None
    memory_utilization: float
    """Share of the usable memory the engine takes."""
    max_sequences: int
    """Default limit of concurrent sequences."""
    max_sequences_large: int | None = None
    """The same limit on cards above 65 GiB other than A100, where the engine has one of its own."""
    source: str = ""
    source_date: str = ""
