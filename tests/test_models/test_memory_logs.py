"""What engines logged when they started, or failed to: weights, KV pool, tokens and the verdict."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from models import catalog, memory
from models.engine_limits import planner_of
from models.memory import GIB
from models.quantize import weight_bytes

with (Path(__file__).parent / "data" / "memory_logs.csv").open(encoding="utf-8", newline="") as file:
    LOGS = list(csv.DictReader(file))
TIGHT = 0.9
"""A set-up whose longest request takes more of the pool than this is tight, never comfortable."""


@dataclass(frozen=True)
class Planned:
    """What the planner makes of one logged set-up, GiB of one GPU."""

    weights: float
    pool: float
    longest: float
    """Cache one request of the longest context needs."""
    tokens: float


def _plan(row: dict[str, str]) -> Planned:
    llm = catalog.llm(row["model"])
    tp, pp, kv = int(row["tp"]), int(row["pp"]), float(row["kv_bytes"])
    length = float(row["max_len"])
    weights = weight_bytes(llm, catalog.quant(row["quant"])).total / GIB / tp / pp
    cards = memory.Cards(
        float(row["nominal_gib"]), float(row["usable_gib"] or np.nan), small_chunk=row["small_chunk"] == "yes"
    )
    planner = planner_of(row["engine"], row["version"]).at_context(length, pipeline=pp > 1)
    stated = float(row["utilization"]) if row["utilization"] else None
    pool = float(memory.pool_gib(llm, weights, cards, tp, planner, stated))
    shards = float(memory.kv_shards(llm.kv_heads, llm.mla is not None, tp)) * pp
    longest = float(
        memory.sequence_gib(
            llm, length, kv, shards, tp * pp, chunk=float(cards.chunk_tokens), paged_state=planner.paged_state
        )
    )
    return Planned(weights, pool, longest, max(pool, 0.0) / longest * length)


def _names(rows: list[dict[str, str]]) -> list[str]:
    return [f"{LOGS.index(row) + 2}-{row['model']}-{row['version']}-tp{row['tp']}" for row in rows]


_MISSED = {"weights_gib": (), "kv_gib": ("pool",), "kv_tokens": ("pool", "tokens")}
"""Which figure a known miss excuses; the reason stands in the row."""


def _logged(column: str) -> pytest.MarkDecorator:
    rows = [row for row in LOGS if row[column] and row["miss"].partition(":")[0] not in _MISSED[column]]
    return pytest.mark.parametrize("row", rows, ids=_names(rows))


def test_known_misses_are_few_and_still_missed() -> None:
    """A row that has come within reach loses its excuse."""
    missed = [row for row in LOGS if row["miss"]]
    assert len(missed) <= 5
    for row in missed:
        found = _plan(row)
        if row["miss"].startswith("pool"):
            assert abs(found.pool - float(row["kv_gib"])) > max(1.0, 0.1 * float(row["kv_gib"])), row["model"]
        else:
            assert abs(found.tokens / float(row["kv_tokens"]) - 1) > 0.1, row["model"]


@_logged("weights_gib")
def test_weights_within_two_percent(row: dict[str, str]) -> None:
    """As loaded on one GPU."""
    assert _plan(row).weights == pytest.approx(float(row["weights_gib"]), rel=0.02)


@_logged("kv_gib")
def test_pool_within_one_gib_or_a_tenth(row: dict[str, str]) -> None:
    """Of the version that was logged."""
    assert _plan(row).pool == pytest.approx(float(row["kv_gib"]), abs=max(1.0, 0.1 * float(row["kv_gib"])))


@_logged("kv_tokens")
def test_tokens_within_a_tenth(row: dict[str, str]) -> None:
    """Logs print requests of the longest context times that context: windows and states count once a request."""
    assert _plan(row).tokens == pytest.approx(float(row["kv_tokens"]), rel=0.1)


@pytest.mark.parametrize("row", LOGS, ids=_names(LOGS))
def test_verdicts_agree_with_what_happened(row: dict[str, str]) -> None:
    """Nothing that failed is comfortable, nothing that ran is impossible."""
    found = _plan(row)
    if row["started"] == "yes":
        assert found.pool >= found.longest
    else:
        assert found.pool * TIGHT < found.longest


def test_the_h100_report_is_met_within_a_quarter_gib() -> None:
    """The 18 logs whose every input is known: the terms are right, not only their sum."""
    rows = [
        row
        for row in LOGS
        if row["kv_gib"] and row["nominal_gib"] == "80" and not row["small_chunk"] and not row["miss"]
    ]
    errors = [abs(_plan(row).pool - float(row["kv_gib"])) for row in rows]
    assert len(errors) >= 15
    assert max(errors) < 0.25


@pytest.mark.parametrize(
    ("model", "element", "tokens", "mib"),
    [
        ("DeepSeek-V3", 17 / 16, 32_768, 1_166.62),
        ("DeepSeek-V3", 2, 32_768, 2_196.0),
        ("Qwen3-235B-A22B", 2, 32_768, 6_016.0),
        ("Qwen3-235B-A22B", 17 / 16, 32_768, 3_196.0),
        ("Gemma-3-27B", 2, 131_072, 63_488.0),
        ("Qwen3-32B", 2, 40_960, 10_240.0),
        ("Qwen3-30B-A3B", 2, 4_096, 384.0),
        ("Llama-2-13B", 2, 512, 400.0),
        ("Command-R-v01", 2, 4_096, 5_120.0),
        ("Kimi-K2", 2, 512, 34.31),
    ],
)
def test_llama_cpp_cache_buffers_are_exact(model: str, element: float, tokens: int, mib: float) -> None:
    """KV buffers that llama.cpp and ik_llama.cpp (2024-25) logged, whole context in every layer."""
    cache = float(memory.sequence_gib(catalog.llm(model), tokens, element, 1, 1, full_window=True)) * 1024
    assert cache == pytest.approx(mib, rel=1e-4)


def test_llama_cpp_windows_and_host_memory() -> None:
    """gpt-oss-120b in ollama 0.30 (2026-06): 9,216 MiB of full layers and 90 of windows for two slots; the embedding stays in RAM."""
    model = catalog.llm("gpt-oss-120b")
    cache = 2 * float(memory.sequence_gib(model, 131_072, 2, 1, 1, chunk=1024)) * 1024
    assert cache == pytest.approx(9_306, rel=0.002)
    found = weight_bytes(model, catalog.quant("mxfp4"), gguf=True)
    assert (found.total - found.host) / 2**20 == pytest.approx(61_223, rel=0.01)
    assert found.host / 2**20 == pytest.approx(1_104, rel=0.01)


def test_few_kv_heads_are_repeated_in_the_full_layers_alone() -> None:
    """Gemma-4-12B has one KV head there: 22,816 bytes a token on each of two cards (131,072 tokens, 4,096-token steps; 2026-06)."""
    cache = float(memory.sequence_gib(catalog.llm("Gemma-4-12B"), 131_072, 2, 2, 2, chunk=4096)) * GIB
    assert cache / 131_072 == pytest.approx(22_816, rel=0.002)


def test_a_hybrids_pages_hold_one_layers_state() -> None:
    """Qwen3.6-27B: a page of 784 tokens, so the first 784 tokens cost as much as one."""
    model = catalog.llm("Qwen3.6-27B")
    sizes = [float(memory.sequence_gib(model, n, 2, 1, 1, paged_state=True)) for n in (1, 784, 785)]
    assert sizes[0] == sizes[1] < sizes[2]
    assert sizes[0] * GIB >= model.state_bytes_per_sequence
