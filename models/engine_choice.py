"""Which engine serves a workload on a piece of hardware, and in which number format."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from models import catalog
from models.quantize import CLASSES, format_for, is_gguf, native_mxfp4

if TYPE_CHECKING:
    from models.chip import Chip
    from models.engine import Engine
    from models.llm import LLM
    from models.quant import Quant

GGUF_ENGINES = {"llama.cpp", "ollama", "llamafile", "ik_llama.cpp"}
_CPU_ENGINES = {"itrex": "itrex", "ik_llama.cpp": "ik_llama.cpp", "llama.cpp-ampere": "ampere-llama.cpp"}
"""CPU engines with rates of their own, by catalog key."""
_SIXTEEN_BIT_ON_CPU = {"vllm": "vllm-cpu", "vllm-cpu": "vllm-cpu", "sglang-cpu": "sglang-cpu"}
_GGUF_ONLY_ARCHS = {"RDNA 1.0", "RDNA 2.0", "RDNA 3.5", "GCN 5.1", "Xe-HPG", "Generation 12.5", "Apple GPU"}
"""Chips that no serving engine supports well: llama.cpp (Vulkan, ROCm, Metal, SYCL) does."""
_TURING = 7.5
"""Below it vLLM has no kernels."""
_NEAREST = {
    "4bit": ("nvfp4", "awq", "gptq_int4", "mxfp4", "fp8", "int8", "bf16", "fp16"),
    "8bit": ("fp8", "int8", "gptq_int8", "bf16", "fp16"),
    "16bit": ("bf16", "fp16"),
}
"""Formats to name instead of one without kernels, nearest first."""
_NAMES = {
    "vllm_2026": "vLLM",
    "vllm_new": "vLLM",
    "sglang": "SGLang",
    "trt_new": "TensorRT-LLM",
    "habana": "vLLM on Gaudi",
    "llama.cpp": "llama.cpp",
    "ik_llama.cpp": "ik_llama.cpp",
    "ampere-llama.cpp": "llama.cpp, Ampere-optimised",
    "vllm-cpu": "vLLM on CPU",
    "sglang-cpu": "SGLang on CPU",
    "itrex": "ITREX",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """An engine and a format for one kind of hardware, or the reason why there is none."""

    engine: str
    """Class of constants (vllm_2026, ...), llama.cpp or ik_llama.cpp."""
    quant: Quant | None
    gguf: bool
    reason: str = ""
    name: str = ""
    """The engine as people write it, where it borrows another one's constants."""

    @property
    def engine_name(self) -> str:
        """The engine as people write it."""
        return self.name or _NAMES.get(self.engine, self.engine)


def _refuse(engine: str, reason: str) -> Choice:
    return Choice(engine, None, gguf=False, reason=reason)


def _key(name: str) -> str:
    return "auto" if name == "auto" else catalog.engine(name).key


def _in_gguf(llm: LLM, quant: Quant) -> bool:
    return is_gguf(quant) or quant.kernel_class == "bf16" or (quant.key == "mxfp4" and native_mxfp4(llm))


@lru_cache(maxsize=4096)
def choose_cpu(llm: LLM, wanted: str, engine: str) -> Choice:
    """llama.cpp and a GGUF format on CPUs; the CPU backends of vLLM and SGLang when asked for, in 16 bits."""
    key = _key(engine)
    if key in _SIXTEEN_BIT_ON_CPU:
        chosen = _SIXTEEN_BIT_ON_CPU[key]
        quant = catalog.quant("bf16" if wanted in CLASSES else wanted)
        if quant.kernel_class != "bf16":
            return _refuse(chosen, f"{quant.key} is not measured in {_NAMES[chosen].replace('CPU', 'CPUs')}; 16bit is")
        return Choice(chosen, quant, gguf=True)
    if key not in {"auto", *GGUF_ENGINES, *_CPU_ENGINES}:
        return _refuse(key, f"{catalog.engine(engine).name} does not run on CPUs; llama.cpp does")
    quant = catalog.quant(format_for(llm, wanted, None, gguf=True))
    if not _in_gguf(llm, quant):
        nearest = {"4bit": "q4_k_m", "8bit": "q8_0"}.get(quant.bit_class, "f16")
        return _refuse("llama.cpp", f"{quant.key} does not run on CPUs; the nearest format that does is {nearest}")
    if quant.bytes_per_weight is None:
        return _refuse("llama.cpp", f"the size of {quant.key} is not known")
    return Choice(_CPU_ENGINES.get(key, "llama.cpp"), quant, gguf=True)


def _streams(chip: Chip) -> bool:
    """Whether llama.cpp is the engine of a chip: old NVIDIA, Apple, small AMD and Intel parts, all that share the machine's memory."""
    cc = chip.compute_capability
    if chip.vendor == "NVIDIA":
        return cc is None or cc < _TURING
    return chip.arch in _GGUF_ONLY_ARCHS or chip.memory_type.startswith("unified")


def default_engine(chip: Chip) -> str:
    """The catalog key that 'auto' means on a chip."""
    if _streams(chip):
        return "llama.cpp"
    return "habana" if chip.vendor == "Intel" and chip.arch == "Gaudi" else "vllm"


def _gguf_choice(llm: LLM, wanted: str, chip: Chip, *, only: bool) -> Choice:
    quant = catalog.quant(format_for(llm, wanted, chip, gguf=True))
    if quant.bytes_per_weight is None:
        return _refuse("llama.cpp", f"the size of {quant.key} is not known")
    if not _in_gguf(llm, quant):
        nearest = {"4bit": "q4_k_m", "8bit": "q8_0"}.get(quant.bit_class, "f16")
        return _refuse(
            "llama.cpp",
            f"{quant.key} does not run in llama.cpp; "
            + (
                f"only it runs on {chip.name}, the nearest format is {nearest}" if only else f"the nearest is {nearest}"
            ),
        )
    return Choice("llama.cpp", quant, gguf=True)


def _cannot_run(one: Engine, chip: Chip) -> str:
    """Why an engine does not run on a chip at all, with one that does; empty where it runs."""
    instead = catalog.engine(default_engine(chip)).name
    cc, least = chip.compute_capability, one.min_compute_capability
    if one.constants is None:
        return f"{one.name} has no measured figures on GPUs; {instead} has"
    if one.vendors and chip.vendor not in one.vendors:
        return f"{one.name} does not run on {chip.vendor} chips; {instead} does"
    if cc is not None and least is not None and cc < least:
        return f"{one.name} needs compute capability {least:g}, {chip.name} has {cc:g}; {instead} runs there"
    if (one.support and not one.formats_on(chip)) or (chip.vendor != "NVIDIA" and _streams(chip)):
        return f"{one.name} does not run on {chip.name}; {instead} does"
    return ""


def _nearest_format(llm: LLM, quant: Quant, formats: tuple[str, ...]) -> str:
    """The format to take instead; a model released in mxfp4 has no other 4-bit form."""
    wanted = "16bit" if native_mxfp4(llm) else quant.bit_class
    return next((form for form in _NEAREST.get(wanted, _NEAREST["4bit"]) if form in formats), formats[0])


@lru_cache(maxsize=8192)
def choose_gpu(llm: LLM, wanted: str, engine: str, chip: Chip) -> Choice:
    """VLLM in the chip's native format where it runs, llama.cpp elsewhere; what was asked for if it can run at all."""
    key = _key(engine)
    only_gguf = _streams(chip)
    if wanted not in CLASSES and is_gguf(catalog.quant(wanted)):
        if key not in {"auto", *GGUF_ENGINES}:
            return _refuse(
                key, f"{wanted} is a llama.cpp format; {catalog.engine(engine).name} does not read it, llama.cpp does"
            )
        return _gguf_choice(llm, wanted, chip, only=only_gguf)
    if key in GGUF_ENGINES or (key == "auto" and only_gguf):
        return _gguf_choice(llm, wanted, chip, only=only_gguf)
    default = default_engine(chip)
    one = catalog.engine(default if key == "auto" or (key == "vllm" and default == "habana") else key)
    reason = _cannot_run(one, chip)
    if reason or one.constants is None:
        return _refuse(one.key, reason)
    quant = catalog.quant(format_for(llm, wanted, chip, gguf=False))
    formats = one.formats_on(chip)
    if formats and quant.key not in formats:
        if key == "auto" and _in_gguf(llm, quant):
            return _gguf_choice(llm, wanted, chip, only=False)
        nearest = _nearest_format(llm, quant, formats)
        return _refuse(
            one.key,
            f"{quant.key} has no kernels in {one.name} on {chip.name}; the nearest format that has is {nearest}",
        )
    return Choice(one.constants, quant, gguf=False, name="" if one.constants in _NAMES else one.name)
