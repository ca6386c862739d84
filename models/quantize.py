"""Which number format a model runs in on a chip, and how many bytes that takes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from models.shape import shape_of

if TYPE_CHECKING:
    from models.chip import Chip
    from models.llm import LLM
    from models.quant import Quant

CLASSES = ("16bit", "8bit", "4bit")
"""Precision classes a user may ask for instead of a format; each engine maps them to its native format."""

SIXTEEN_BIT = 2.0
_GGUF_TENSOR_BITS = {1: 2.625, 2: 2.625, 3: 3.4375, 4: 4.5, 5: 5.5, 6: 6.5625, 8: 8.5}
"""Bits of one plain tensor by the digit in the format's name (block layouts of llama.cpp: data plus scales over 32 or 256 weights);
the input embedding of 1-bit files is kept at two bits."""
_GGUF_DIGIT = re.compile(r"q(\d)")
_OWN_AVERAGE = {"q4_k_l", "q5_k_l"}
"""Formats whose bits per weight were read off the very model they are used with (a 1B with a large tied embedding)."""
_GGUF_OUTPUT_BITS = 6.5625
"""llama-quantize keeps the output tensor at q6_K for every format below that (ggml-org/llama.cpp tools/quantize README, 2026-11)."""
_REFERENCE_TOTAL, _REFERENCE_VOCAB = 8030.3e6, 525.3e6
"""Llama-3.1-8B, the model whose files the README's bits per weight were measured on: all weights, and one vocabulary matrix."""
_MXFP4_PAD = 256
"""vLLM pads the expert width of mxfp4 checkpoints to a multiple of this: 2,880 becomes 3,072, and gpt-oss loads at
13.47 and 64.38 GiB (llm-d planner, 2026-04)."""


def is_gguf(quant: Quant) -> bool:
    """Whether the format is a llama.cpp file format, which ties the engine to the llama.cpp family."""
    return quant.kernel_class == "gguf" or quant.key == "f16"


def native_mxfp4(llm: LLM) -> bool:
    """Whether the model is released with mxfp4 experts and everything else in 16 bits (gpt-oss)."""
    return llm.native_dtype == "mxfp4"


@dataclass(frozen=True, slots=True)
class WeightBytes:
    """Where a model's bytes go in one format."""

    total: float
    """Bytes held in memory (or in the file)."""
    per_weight: float
    """Bytes of one streamed weight, scales included."""
    per_attention_weight: float
    per_head_weight: float
    """Bytes of one weight of the output head."""
    host: float = 0.0
    """Of `total`, what llama.cpp leaves in the machine's RAM even when every layer is on a GPU: an input embedding of its own
    (gpt-oss-120b: 1,104 MiB of host buffer beside 61,223 on the device, ollama 0.30 log, 2026-06)."""


def _gguf_bytes(llm: LLM, quant: Quant) -> WeightBytes:
    shape = shape_of(llm)
    bits = quant.bits_per_weight_model or (quant.bytes_per_weight or SIXTEEN_BIT) * 8
    digit = _GGUF_DIGIT.search(quant.key)
    plain = _GGUF_TENSOR_BITS[int(digit.group(1))] if digit else bits
    own_average = quant.engines == ("ik_llama.cpp",) or quant.key in _OWN_AVERAGE
    if own_average or plain >= _GGUF_TENSOR_BITS[8]:
        # Measured on whole files of the very models (ik formats, *_L), or every tensor has the same width.
        body = embedding = output = bits
    else:
        output = max(_GGUF_OUTPUT_BITS, plain)
        embedding = plain
        body = (bits * _REFERENCE_TOTAL - (embedding + output) * _REFERENCE_VOCAB) / (
            _REFERENCE_TOTAL - 2 * _REFERENCE_VOCAB
        )
    body_weights = max(shape.text - shape.head - shape.embedding, 0.0)
    total = (body_weights * body + shape.head * output + shape.embedding * embedding) / 8
    return WeightBytes(total, body / 8, body / 8, output / 8, shape.embedding * embedding / 8)


def weight_bytes(llm: LLM, quant: Quant, *, gguf: bool = False) -> WeightBytes:
    """Bytes of a model in a format: scales, the parts kept in 16 bits and padding counted; within 3 % of real checkpoints.

    `gguf`: the llama.cpp family loads it, which pads nothing (mxfp4 is a format of both families).
    """
    if is_gguf(quant) or (quant.kernel_class == "bf16" and quant.engines == ("llama.cpp",)):
        return _gguf_bytes(llm, quant)
    shape = shape_of(llm)
    b = quant.bytes_per_weight or SIXTEEN_BIT
    if b >= SIXTEEN_BIT:
        return WeightBytes(shape.total * b, b, b, b)
    if native_mxfp4(llm) and quant.bit_class == "4bit" and llm.moe is not None:
        padded = 1.0 if gguf else -(-llm.moe.moe_ffn // _MXFP4_PAD) * _MXFP4_PAD / llm.moe.moe_ffn
        total = shape.routed * b * padded + (shape.total - shape.routed) * SIXTEEN_BIT
        host = shape.embedding * SIXTEEN_BIT if gguf else 0.0
        return WeightBytes(total, b, SIXTEEN_BIT, SIXTEEN_BIT, host)
    kept = shape.head + shape.embedding + shape.router + (shape.total - shape.text)
    total = (shape.total - kept) * b + kept * SIXTEEN_BIT
    return WeightBytes(total, b, b, SIXTEEN_BIT)


def compute_class(quant: Quant, chip: Chip) -> str:
    """The kernel class a format runs in on a chip: bf16, f8, f4, or weight-only w8/w4 where the chip lacks the format."""
    kind = quant.kernel_class
    if kind == "f8":
        return "f8" if chip.fp8_tflops else "w8"
    if kind == "f4":
        return "f4" if chip.fp4_tflops else "w4"
    if kind in {"w4", "w8"}:
        return kind
    if kind == "gguf":
        return "w4" if (quant.bytes_per_weight or 1) < 0.75 else "w8"
    return "bf16"


def format_for(llm: LLM, wanted: str, chip: Chip | None, *, gguf: bool) -> str:
    """The format key that a class ("4bit") means for this model, chip and engine family; formats pass unchanged."""
    if wanted not in CLASSES:
        return wanted
    if wanted != "16bit" and native_mxfp4(llm):
        # Released in four bits: nobody serves it in eight, which would be the same weights in twice the room.
        return "mxfp4"
    if gguf:
        return {"16bit": "f16", "8bit": "q8_0", "4bit": "q4_k_m"}[wanted]
    cc = chip.compute_capability if chip else None
    if wanted == "16bit":
        return "bf16" if chip is None or chip.bf16_tflops else "fp16"
    if wanted == "8bit":
        return "fp8" if chip is not None and chip.fp8_tflops else "int8"
    if chip is not None and chip.fp4_tflops:
        return "nvfp4" if cc is not None else "mxfp4"
    return "awq"
