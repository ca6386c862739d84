"""What a serving engine reserves and allows by default."""

from __future__ import annotations

UTILIZATION = {
    "vllm_2026": 0.92,
    "vllm_new": 0.92,
    "vllm_old": 0.90,
    "trt_new": 0.90,
    "trt_old": 0.90,
    "sglang": 0.88,
    "habana": 0.90,
}
"""Share of the usable memory an engine takes: vLLM 0.92 from 0.22 on and 0.90 before, TensorRT-LLM 0.90 of what is free, SGLang from the
card's capacity (about 0.88)."""
_MAX_SEQUENCES = {"trt_new": 2048, "trt_old": 2048, "sglang": 2048, "habana": 2048}
_LARGE_CARD_GIB = 65


def max_sequences(engine: str, memory_gib: float, chip: str) -> int:
    """Concurrent sequences an engine allows by default: 256 for vLLM, 1,024 on large cards but the A100, 2,048 for the others."""
    if engine in _MAX_SEQUENCES:
        return _MAX_SEQUENCES[engine]
    return 1024 if memory_gib > _LARGE_CARD_GIB and not chip.startswith("A100") else 256
