"""Reading LocalScore rows: nine pairs of lengths, and hosts on which attention leaves the GPU."""

from __future__ import annotations

import numpy as np
import pytest

from models import catalog
from models.build import GgufModel, gguf_case
from models.case_input import parse_case
from models.constants import constants
from models.devices import device_of
from models.errors import known
from models.fitting.gguf import problem
from models.local_score import PAIRS, attention_on_host, generation, is_local_score, mean_rates


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


def row(**more: str) -> dict[str, str]:
    """A row of the benchmark."""
    return {
        "model": "Llama-3.1-8B",
        "quant": "q4_K_M",
        "engine": "llamafile (LocalScore)",
        "source_date": "2025-05-01",
        "hardware": "RTX 3090 24GB",
        "scenario": "bench",
        "metric": "tokens_per_s_per_user",
        "value": "90",
        **more,
    }


def test_which_rows_are_means() -> None:
    """Llamafile without lengths; a llama-bench row or one with a length is not."""
    case = parse_case(row())
    assert is_local_score(case)
    assert generation(case) == "llamafile"
    assert not is_local_score(parse_case(row(output_tokens="128")))
    assert not is_local_score(parse_case(row(engine="llama.cpp")))


def test_mean_rates_are_those_of_the_fit() -> None:
    """One array of nine passes answers like the fit's nine rows a row."""
    chips = ("RTX 3090 24GB", "L4 24GB", "RX 7900 XTX")
    notes = [
        "host AMD Ryzen 5 5500 (znver3), Windows",
        "host EPYC 9354 (znver4), Linux",
        "host Intel Core i5 (haswell), Windows",
    ]
    rows = [
        row(hardware=chip, metric=metric, note=note)
        for metric in ("prompt_tokens_per_s", "tokens_per_s_per_user")
        for chip, note in zip(chips, notes, strict=True)
    ]
    case = gguf_case(
        GgufModel(catalog.llm("Llama-3.1-8B"), catalog.quant("q4_k_m")),
        kv_bytes=2.0,
        devices=[known(device_of(known(parse_case(one).chip))) for one in rows[:3]],
        gpus=1.0,
        input_tokens=1.0,
        output_tokens=1.0,
        engine="llamafile",
    )
    mine = np.concatenate(mean_rates(case, constants().gguf, notes))
    assert mine == pytest.approx(problem(rows).predict(constants().gguf))
