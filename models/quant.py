"""A weight or KV-cache format: bytes a weight, which kernels compute it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Quant:
    """One number format; `bytes_per_weight` includes scales."""

    key: str
    bytes_per_weight: float | None
    kernel_class: str
    """bf16, f8, w8, w4, f4, gguf; kv for cache formats."""
    bit_class: str
    """16bit, 8bit, 6bit, 5bit, 4bit, 3bit, 2bit."""
    engines: tuple[str, ...]
    bits_per_weight_model: float | None
    """Average over a whole checkpoint where it is one number (GGUF rows)."""
    needs_hardware: str = ""
    unquantized_part: str = ""
    quality_note: str = ""
    source: str = ""
    source_date: str = ""
