"""What a serving engine reserves and allows by default, by version."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

_LARGE_CARD_GIB = 70
"""vLLM's own border for the larger defaults (arg_utils.get_batch_defaults, 2025-04 on)."""
_MAX_SEQUENCES = {"trt_new": 2048, "trt_old": 2048, "sglang": 2048, "habana": 2048}
_ALWAYS = 10**9
_UNSTATED_CONTEXT = 8192
_V0_CHUNK = 512
"""Prefill chunk of vLLM before 0.8 where the context is above 32k."""


@dataclass(frozen=True, slots=True)
class Planner:
    """How an engine of one version divides a card: what it takes before the KV cache gets the rest."""

    kind: str
    """vllm: a share of the card less what a profiling run needed; sglang: a reserve by card size; trt and habana: a share of what is free
    after loading."""
    utilization: float
    """Default share; sglang derives its own."""
    logit_bytes: float = 0.0
    """Bytes the sampler holds for each logit of the profiling step (sequences x vocabulary); 0 where sampling was not profiled."""
    logit_bytes_vision: float = 0.0
    """The same as logged for vision models."""
    workspace: bool = False
    """Expert kernels keep their workspace beside the sampler."""
    non_torch_gib: tuple[float, float, float] = (0.13, 0.55, 0.55)
    """Driver and NCCL memory of one GPU: alone, with tensor parallelism, with it on Hopper and later cards."""
    graphs_inside: bool = False
    """CUDA graphs are taken out of the pool; before, they had to find room in the rest of the card."""
    unchunked_to: int = 0
    """Prompts are prefilled whole where the longest context is at most this; later versions always prefill in chunks."""
    step_tokens: int = 0
    """Tokens of the profiling step where the card does not decide it (`at_context`)."""
    paged_state: bool = False
    """A hybrid's recurrent state fills pages of the KV cache, which grow to hold one layer's state."""
    logit_bytes_small: float | None = None
    """`logit_bytes` on cards with the smaller defaults, where it differs."""

    def at_context(self, tokens: float | None, *, pipeline: bool = False) -> Planner:
        """The planner for a longest context: before 0.8 it decides the profiling step, and pipelines never prefill in chunks."""
        if not self.unchunked_to:
            return self
        length = int(tokens or _UNSTATED_CONTEXT)
        return replace(self, step_tokens=length if length <= self.unchunked_to or pipeline else _V0_CHUNK)


_V0 = Planner("vllm", 0.90, non_torch_gib=(0.35, 0.55, 0.55), unchunked_to=32_768)
"""The first engine: sampling is not in the profile. Contexts above 32k switch chunked prefill on (512 tokens) from 0.5.4 on.
Llama-3.1-8B logged 2.07 GiB at 20,000 tokens, 2.99 at 29,000, 0.06 chunked, and 0.35 beside torch
(vLLM issue 10517, 2024-12)."""
_V1 = Planner("vllm", 0.90, 14.0, 14.0, paged_state=True)
"""0.8 to 0.11: FlashInfer samples without sorting. Mistral-Small-3.2 logged 2.12 GiB on an H100 (0.11.0, 1,024 sequences); gpt-oss-120b
ran on one and Llama-3-70B in 16 bits on two (0.10.2 and 0.8.5, 2025), which a sorting sampler leaves no room for."""
_SORTING = Planner("vllm", 0.90, 37.5, 14.0, paged_state=True)
"""0.12 to 0.16: the sampler sorts every logit. Llama-3.1-8B logged 4.76 GiB, Qwen3-0.6B 5.56, Qwen3-14B 5.64, gpt-oss-20b 7.38
(llm-d planner logs, 2026-01..04). No vision model was logged: the figure of 0.11.0 is kept for them."""
_UNSTATED = replace(_SORTING, logit_bytes_small=14.0)
"""No version and no date: an H100 is planned with the larger peak, so that nothing is promised that failed; pools logged on 24-32 GB cards
in 2025-26 follow the lean one (0.98 x memory x utilisation - 0.6 GB - weights)."""
_VLLM = (
    ((0, 22), Planner("vllm", 0.92, 14.0, 14.0, True, (0.25, 0.55, 2.07), graphs_inside=True, paged_state=True)),
    ((0, 21), Planner("vllm", 0.90, 14.0, 14.0, True, (0.25, 0.55, 2.07), graphs_inside=True, paged_state=True)),
    ((0, 18), Planner("vllm", 0.90, 14.0, 14.0, True, (0.25, 0.55, 2.07), paged_state=True)),
    ((0, 17), Planner("vllm", 0.90, 14.0, 14.0, True, paged_state=True)),
    ((0, 12), _SORTING),
    ((0, 8), _V1),
    ((0, 5, 4), _V0),
    ((0,), replace(_V0, unchunked_to=_ALWAYS)),
)
"""vLLM's version classes, newest first. 0.17 has a lean sampler: Qwen3-14B falls from 5.64 to 2.23 GiB; 0.18 takes 0.25 instead of 0.13 GiB
beside torch, 2.07-2.2 with tensor parallelism on H100; 60 runs of 28 models at 0.19 (llm-d planner accuracy report, 2026-04). CUDA graphs
are counted from 0.21 on, 0.92 is the default from 0.22 on. 0.5.3 refused Llama-405B at 131,072 tokens: prefilled whole (issue 6746)."""
_BY_DATE = (
    (2026, 6, (0, 22)),
    (2026, 5, (0, 20)),
    (2026, 3, (0, 17)),
    (2025, 12, (0, 12)),
    (2025, 3, (0, 8)),
    (0, 0, (0, 5, 4)),
)
"""Which release a nightly of a month is closest to."""
_CLASS_VERSION = {"vllm_old": (0, 5, 4), "vllm_new": (0, 12), "vllm_2026": (0, 22), "vllm_eager": (0, 22)}
"""The version a class of speed constants stands for where a row states none."""
_OTHERS = {
    "sglang": Planner("sglang", 0.88),
    "trt_new": Planner("trt", 0.90, 14.0, 14.0),
    "trt_old": Planner("trt", 0.90, 14.0, 14.0),
    "habana": Planner("habana", 0.90),
}
"""SGLang: `sglang_reserve_gib`. TensorRT-LLM: free_gpu_memory_fraction 0.90 of what loading and a trial step left. Gaudi: 0.90 of that
too, and a tenth of the rest for graphs (VLLM_GRAPH_RESERVED_MEM 0.1; vllm-fork README_GAUDI, 2025-02)."""
UTILIZATION = {name: planner.utilization for name, planner in _OTHERS.items()} | {
    "vllm_2026": 0.92,
    "vllm_eager": 0.92,
    "vllm_new": 0.90,
    "vllm_old": 0.90,
}
"""Share of the usable memory an engine takes where nobody says otherwise."""
_NUMBER = re.compile(r"(?<![\d.])[vV]?(\d)\.(\d+)(?:\.(\d+))?")
_DATE = re.compile(r"(20\d\d)-(\d\d)")
_SGLANG = ((20, 2048, 8, 8), (35, 2048, 24, 80), (60, 4096, 32, 160), (160, 8192, 256, 512), (10**6, 16384, 512, 512))
"""SGLang's defaults by card size: below which GiB, chunk tokens, largest CUDA-graph batch below TP 4 and from there on
(server_args.py of 0.5, 2025-11)."""


@lru_cache(maxsize=512)
def vllm_version(text: str, engine: str = "") -> tuple[int, ...]:
    """The release a version text means: "0.19.0", "0.8.5 V0", "nightly 2026-06-01"; without one, what the class of constants stands for."""
    if "V0" in text.split():
        return (0, 7)
    number = _NUMBER.search(text)
    if number:
        return tuple(int(part) for part in number.groups() if part is not None)
    date = _DATE.search(text)
    if date:
        year, month = int(date.group(1)), int(date.group(2))
        return next(version for y, m, version in _BY_DATE if (year, month) >= (y, m))
    return _CLASS_VERSION.get(engine, (0, 22))


@lru_cache(maxsize=512)
def planner_of(engine: str, version: str = "") -> Planner:
    """The planner of a class of constants ("vllm_new", "sglang", ...) and a version text."""
    if engine in _OTHERS:
        return _OTHERS[engine]
    if (
        engine == "vllm_new"
        and not _NUMBER.search(version)
        and not _DATE.search(version)
        and "V0" not in version.split()
    ):
        return _UNSTATED
    release = vllm_version(version, engine)
    return next(planner for start, planner in _VLLM if release >= start)


def sglang_reserve_gib(nominal: float, tp: float) -> float:
    """What SGLang leaves free of a card: metadata, 1.5 MB a chunk token, 2 MB a graph batch, a share by GPUs (server_args.py, 2025-11)."""
    chunk, small, wide = next(row[1:] for row in _SGLANG if nominal < row[0])
    return (512 + max(chunk, 2048) * 1.5 + (small if tp < 4 else wide) * 2 + tp / 8 * 1024) / 1024


def max_sequences(engine: str, memory_gib: float, chip: str) -> int:
    """Concurrent sequences an engine allows by default: 256 for vLLM, 1,024 on large cards but the A100, 2,048 for the others."""
    if engine in _MAX_SEQUENCES:
        return _MAX_SEQUENCES[engine]
    return 1024 if memory_gib >= _LARGE_CARD_GIB and not chip.startswith("A100") else 256
