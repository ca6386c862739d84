"""What the LocalScore benchmark of llamafile measures: mean rates over nine prompt and output lengths, one stream.

Source: Mozilla-Ocho/llamafile, localscore/localscore.cpp and cmd.cpp (2025): passes of 512 tokens, no flash attention,
all layers on one GPU, rates averaged arithmetically over the pairs.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from models.gguf_speed import KINDS, GgufCase, GgufSpeed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from models.case_input import Case
    from models.streaming import Array

PAIRS = (
    (1024, 16),
    (4096, 256),
    (2048, 256),
    (2048, 768),
    (1024, 1024),
    (1280, 3072),
    (384, 1152),
    (64, 1024),
    (16, 1536),
)
"""(prompt, output) tokens of the nine tests."""

_BF16_HOST = re.compile(
    r"znver[45]|sapphirerapids|emeraldrapids|graniterapids|cooperlake"
    r"|Ryzen AI|Ryzen \w+ (?:PRO )?[789]\d{3}(?:X3D|XT|X|F|G|HS|HX|H|U)?\b|EPYC (?:9\d{2}[45]|4\d{3})|Platinum 84\d\d|Platinum 85\d\d",
    re.IGNORECASE,
)
_OLDER = re.compile(r"znver[123]|skylake|cascadelake|icelake|haswell|broadwell", re.IGNORECASE)


def attention_on_host(note: str) -> bool:
    """Whether attention of a LocalScore run was on the CPU, by the host at the end of its note.

    On hosts with AVX512-BF16 it keeps the KV cache in bf16 (cmd.cpp), for which its GPU kernels have no attention.
    """
    host = note.rsplit("host", 1)[-1]
    return bool(_BF16_HOST.search(host)) and not _OLDER.search(host)


def generation(case: Case) -> str:
    """The kernels behind a row, one of gguf_speed.ENGINES where it is one of them: llamafile kept those of 2024."""
    return "llamafile" if "llamafile" in case.raw.get("engine", "").lower() else case.engine


def is_local_score(case: Case) -> bool:
    """Whether a row is a mean over the nine pairs: llamafile's benchmark without lengths of its own."""
    stated = case.raw.get("input_tokens", "").strip() or case.raw.get("output_tokens", "").strip()
    return generation(case) == "llamafile" and case.scenario == "bench" and not stated


class Hosts:
    """What the hosts of runs cost, by their notes; "" = an unknown one, taken for a quick one."""

    def __init__(self, notes: Sequence[str], kind: Any) -> None:
        self.attention = np.array([attention_on_host(note) for note in notes], dtype=bool)
        windows = np.array([note.endswith("Windows") for note in notes], dtype=bool)
        kind = np.asarray(kind)
        self.windows = windows & (kind < KINDS.index("amd"))
        self.amd = (kind == KINDS.index("amd")) | (kind == KINDS.index("rdna3"))

    def step(self, speed: GgufSpeed, layers: Any, sequences: Any, constants: Mapping[str, float]) -> Array:
        """Seconds of a step: attention of every layer on the CPU, slower launches under Windows (seen on NVIDIA cards)."""
        each = np.where(self.amd, constants["g_host_attention_amd"], constants["g_host_attention"])
        extra = np.where(self.attention, layers * each * 1e-6, 0.0)
        launches = np.where(self.windows, speed.overhead * (constants["g_windows"] - 1), 0.0)
        result: Array = speed.step(sequences) + extra + launches
        return result

    def prefill(self, speed: GgufSpeed, prompts: Any, constants: Mapping[str, float]) -> Array:
        """Seconds of a prompt."""
        result: Array = speed.prefill(prompts) * np.where(self.attention, constants["g_host_prompt"], 1.0)
        return result


def mean_rates(case: GgufCase, constants: Mapping[str, float], notes: Sequence[str] = ("",)) -> tuple[Array, Array]:
    """(prompt tokens/s, output tokens/s of one stream) as LocalScore prints them, whatever lengths the cases have.

    Args:
        case: arrays, a case each; constants: of GgufSpeed; notes: one a case (or one for all), ending in the host's name.
    """
    hosts = Hosts(notes, case.kind)
    prompts, outputs = [], []
    for prompt, output in PAIRS:
        speed = GgufSpeed(
            replace(case, input_tokens=float(prompt), output_tokens=float(output), fresh_tokens=None), constants
        )
        prompts.append(prompt / hosts.prefill(speed, 1.0, constants))
        outputs.append(1 / hosts.step(speed, case.layers, 1.0, constants))
    return np.mean(prompts, axis=0), np.mean(outputs, axis=0)
