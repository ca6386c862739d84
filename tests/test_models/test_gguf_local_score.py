"""Reading LocalScore rows: nine pairs of lengths, and hosts on which attention leaves the GPU."""

from __future__ import annotations

import pytest

from models.local_score import PAIRS, attention_on_host


def test_nine_pairs() -> None:
    """The benchmark's list: 11,984 prompt and 9,104 output tokens in all."""
    assert (len(PAIRS), sum(s for s, _ in PAIRS), sum(o for _, o in PAIRS)) == (9, 11_984, 9_104)


@pytest.mark.parametrize(
    ("host", "on_host"),
    [
        ("AMD EPYC 9354 32-Core Processor (znver4), Linux", True),
        ("AMD Ryzen 9 9950X3D 16-Core Processor, Windows", True),
        ("AMD Ryzen AI 9 HX 370 w/ Radeon 890M, Linux", True),
        ("Intel Xeon Platinum 8470 (sapphirerapids), Linux", True),
        ("AMD Ryzen 5 7535HS with Radeon Graphics (znver3), Linux", False),
        ("AMD Ryzen 9 5950X 16-Core Processor (znver3), Windows", False),
        ("Intel Xeon Platinum 8352Y CPU @ 2.20GHz (icelake-server), Linux", False),
        ("13th Gen Intel Core i7-13700K (alderlake), Windows", False),
        ("Apple M4 Max 12P+4E, Darwin", False),
    ],
)
def test_hosts_with_avx512_bf16(host: str, on_host: bool) -> None:
    """Zen 4 and 5 and Sapphire Rapids have AVX512-BF16; a GPU in the note does not confuse it."""
    assert (
        attention_on_host(f"best of 1 run(s); accelerator Radeon RX 7900 XTX 24 GB; TTFT 284 ms; host {host}")
        == on_host
    )
