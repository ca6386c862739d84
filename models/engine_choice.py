"""Which engine serves a workload on a piece of hardware, and in which number format."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from models import catalog
from models.quantize import CLASSES, format_for, is_gguf, native_mxfp4

if TYPE_CHECKING:
    from models.chip import Chip
    from models.llm import LLM
    from models.quant import Quant

SERVING = {"vllm": "vllm_2026", "sglang": "sglang", "trt-llm": "trt_new", "habana": "habana"}
"""Engines of the GPU closed form and the class of constants of their current generation."""
GGUF_ENGINES = {"llama.cpp", "ollama", "llamafile", "ik_llama.cpp"}
_GGUF_ONLY_ARCHS = {"RDNA 1.0", "RDNA 2.0", "RDNA 3.5", "GCN 5.1", "Xe-HPG", "Generation 12.5", "Apple GPU"}
"""Chips that no serving engine supports well: llama.cpp (Vulkan, ROCm, Metal, SYCL) does."""
_AMPERE, _TURING = 8.0, 7.5
_TURING_FORMATS = {"awq", "gptq_int4", "gptq_int8", "int8", "fp16", "bf16", "fp32"}
_NOT_ON = {
    "AMD": {"nvfp4", "nf4"},
    "Intel": {"nvfp4", "nf4"},
}
_NAMES = {
    "vllm_2026": "vLLM",
    "vllm_new": "vLLM",
    "sglang": "SGLang",
    "trt_new": "TensorRT-LLM",
    "habana": "vLLM on Gaudi",
    "llama.cpp": "llama.cpp",
    "ik_llama.cpp": "ik_llama.cpp",
    "vllm-cpu": "vLLM on CPU",
    "sglang-cpu": "SGLang on CPU",
    "itrex": "ITREX",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """An engine and a format for one kind of hardware, or the reason why there is none."""

    engine: str
    """Class of constants (vllm_new, ...), llama.cpp or ik_llama.cpp."""
    quant: Quant | None
    gguf: bool
    reason: str = ""

    @property
    def engine_name(self) -> str:
        """The engine as people write it."""
        return _NAMES.get(self.engine, self.engine)


def _refuse(engine: str, reason: str) -> Choice:
    return Choice(engine, None, gguf=False, reason=reason)


def _key(name: str) -> str:
    return "auto" if name == "auto" else catalog.engine(name).key


@lru_cache(maxsize=4096)
def choose_cpu(llm: LLM, wanted: str, engine: str) -> Choice:
    """llama.cpp and a GGUF format on CPUs; vLLM's CPU backend when asked for, in 16 bits."""
    key = _key(engine)
    if key in {"vllm", "vllm-cpu"}:
        quant = catalog.quant("bf16" if wanted in CLASSES else wanted)
        if quant.kernel_class != "bf16":
            return _refuse("vllm-cpu", f"{quant.key} is not measured in vLLM on CPUs; 16bit is")
        return Choice("vllm-cpu", quant, gguf=True)
    if key not in {"auto", *GGUF_ENGINES, "itrex", "sglang-cpu"}:
        return _refuse(key, f"{catalog.engine(engine).name} does not run on CPUs")
    quant = catalog.quant(format_for(llm, wanted, None, gguf=True))
    runs = is_gguf(quant) or quant.kernel_class == "bf16" or (quant.key == "mxfp4" and native_mxfp4(llm))
    if not runs:
        nearest = {"4bit": "q4_k_m", "8bit": "q8_0"}.get(quant.bit_class, "f16")
        return _refuse("llama.cpp", f"{quant.key} does not run on CPUs; the nearest format that does is {nearest}")
    if quant.bytes_per_weight is None:
        return _refuse("llama.cpp", f"the size of {quant.key} is not known")
    return Choice("ik_llama.cpp" if key == "ik_llama.cpp" else "llama.cpp", quant, gguf=True)


@lru_cache(maxsize=8192)
def choose_gpu(llm: LLM, wanted: str, engine: str, chip: Chip) -> Choice:
    """VLLM in the chip's native format where it runs, llama.cpp elsewhere; what was asked for if it can run at all."""
    key = _key(engine)
    cc = chip.compute_capability
    streaming = chip.arch in _GGUF_ONLY_ARCHS or (chip.vendor == "NVIDIA" and (cc is None or cc < _TURING))
    if wanted not in CLASSES and is_gguf(catalog.quant(wanted)):
        if key not in {"auto", *GGUF_ENGINES}:
            return _refuse(key, f"{wanted} is a llama.cpp format; {catalog.engine(engine).name} does not read it")
        streaming = True
    if key in GGUF_ENGINES or (key == "auto" and streaming):
        quant = catalog.quant(format_for(llm, wanted, chip, gguf=True))
        if quant.bytes_per_weight is None:
            return _refuse("llama.cpp", f"the size of {quant.key} is not known")
        if not (is_gguf(quant) or quant.kernel_class == "bf16" or (quant.key == "mxfp4" and native_mxfp4(llm))):
            return _refuse(
                "llama.cpp",
                f"{quant.key} does not run in llama.cpp; only it runs on {chip.name}"
                if streaming
                else f"{quant.key} does not run in llama.cpp",
            )
        return Choice("llama.cpp", quant, gguf=True)
    if streaming:
        return _refuse(key, f"{catalog.engine(engine).name} does not run on {chip.name}; llama.cpp does")
    gaudi = chip.vendor == "Intel" and chip.arch == "Gaudi"
    chosen = ("habana" if gaudi else "vllm") if key == "auto" or (gaudi and key == "vllm") else key
    if chosen not in SERVING:
        return _refuse(chosen, f"{catalog.engine(engine).name} has no measured figures on GPUs")
    vendors = catalog.engine(chosen).vendors
    if chosen != "habana" and vendors and chip.vendor not in vendors:
        return _refuse(chosen, f"{catalog.engine(chosen).name} does not run on {chip.vendor} chips")
    quant = catalog.quant(format_for(llm, wanted, chip, gguf=False))
    if chip.vendor == "NVIDIA" and cc is not None and cc < _AMPERE and quant.key not in _TURING_FORMATS:
        return _refuse(
            chosen,
            f"{quant.key} has no kernels on {chip.name}; the nearest format that has is "
            + {"4bit": "awq", "8bit": "int8"}.get(quant.bit_class, "fp16"),
        )
    if quant.key in _NOT_ON.get(chip.vendor, ()):
        return _refuse(chosen, f"{quant.key} does not run on {chip.vendor} chips; awq and fp8 do")
    return Choice(SERVING[chosen], quant, gguf=False)
