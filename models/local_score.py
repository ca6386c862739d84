"""What the LocalScore benchmark of llamafile measures: mean rates over nine prompt and output lengths, one stream.

Source: Mozilla-Ocho/llamafile, localscore/localscore.cpp and cmd.cpp (2025): passes of 512 tokens, no flash attention,
all layers on one GPU, rates averaged arithmetically over the pairs.
"""

from __future__ import annotations

import re

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
    r"|Ryzen AI|Ryzen \w+ (?:PRO )?[789]\d{3}(?:X3D|X|F|G)?\b|EPYC (?:9\d{2}[45]|4\d{3})|Platinum 84\d\d|Platinum 85\d\d",
    re.IGNORECASE,
)
_OLDER = re.compile(r"znver[123]|skylake|cascadelake|icelake|haswell|broadwell", re.IGNORECASE)


def attention_on_host(note: str) -> bool:
    """Whether attention of a LocalScore run was on the CPU, by the host at the end of its note.

    On hosts with AVX512-BF16 it keeps the KV cache in bf16 (cmd.cpp), for which its GPU kernels have no attention.
    """
    host = note.rsplit("host", 1)[-1]
    return bool(_BF16_HOST.search(host)) and not _OLDER.search(host)
