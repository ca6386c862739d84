"""What is said to end a server's capacity is what ends it: more of that, and nothing else, lets more requests in."""

from __future__ import annotations

from collections import Counter

import pytest

from models import catalog
from models.estimate import Estimates, ServerTable, estimate
from models.server import Server
from models.traffic import Workload

SERVERS = tuple(
    Server("gpu", chip=catalog.chip(name), gpu_count=count)
    for name in ("L4", "T4", "L40S", "A100-80GB-SXM4", "H100-80GB-SXM5", "H200-SXM", "RTX-4090", "V100-16GB-SXM2")
    for count in (1.0, 2.0)
) + tuple(
    Server("cpu", cpu=catalog.find_cpu("AMD EPYC 9454P"), cores=cores, ram_gib=ram, sockets=1, arch="x86_64")
    for cores, ram in ((8, 32.0), (48, 192.0))
)
WORKS = {
    "rate": {"requests_per_s": 2.0},
    "users": {"concurrency": 40},
    "long prompts": {"requests_per_s": 2.0, "input_tokens": 12_000},
    "quick tokens": {"requests_per_s": 2.0, "tpot_ms": 12.0},
    "quick tokens of users": {"concurrency": 40, "tpot_ms": 12.0},
    "patient": {"concurrency": 40, "ttft_ms": 600_000.0, "tpot_ms": 10_000.0},
    "four bits": {"concurrency": 40, "quant": "q4_k_m", "ttft_ms": 600_000.0, "tpot_ms": 10_000.0},
    "no targets": {"concurrency": 4, "ttft_ms": None, "tpot_ms": None},
}


def _ask(**changes: object) -> Estimates:
    work = Workload(catalog.llm("Llama-3.1-8B")).changed(**changes)
    return estimate(ServerTable.build(SERVERS), work)


def _able(found: Estimates, i: int) -> float:
    return float(found.requests_per_s_at_target[i] if found.workload.requests_per_s else found.max_concurrency[i])


def _relaxed(found: Estimates, name: str, factor: float = 1.5) -> Estimates:
    target = getattr(found.workload, name)
    return estimate(found.table, found.workload.changed(**{name: target * factor}))


@pytest.mark.parametrize("name", WORKS)
def test_more_of_what_ends_it_lets_more_in(name: str) -> None:
    found = _ask(**WORKS[name])
    work = found.workload
    ends = [found.capacity_end(i) for i in range(len(SERVERS))]
    assert any(ends)
    late = _relaxed(found, "ttft_ms") if work.ttft_ms else found
    slow = _relaxed(found, "tpot_ms") if work.tpot_ms else found
    for i, end in enumerate(ends):
        able = _able(found, i)
        if not end:
            assert not found.fits[i] or not found.max_concurrency[i] > 0
        elif end == "ttft":
            assert _able(late, i) > able
            assert _able(slow, i) == pytest.approx(able)
        elif end == "tpot":
            assert _able(slow, i) > able
            assert _able(late, i) == pytest.approx(able)
        elif end == "memory":
            # So many sequences are what the memory holds, and no target is in the way.
            assert found.max_concurrency[i] == found.max_sequences[i]
        else:
            assert found.max_concurrency[i] < found.max_sequences[i]
            assert _able(late, i) == pytest.approx(able)
            assert _able(slow, i) == pytest.approx(able)


def test_every_end_is_seen() -> None:
    seen = Counter(end for changes in WORKS.values() for found in [_ask(**changes)] for i in range(len(SERVERS))
                   if (end := found.capacity_end(i)))  # fmt: skip
    assert set(seen) == {"ttft", "tpot", "memory", "most"}


def test_an_encoder_or_a_server_without_an_estimate_has_no_end() -> None:
    table = ServerTable.build((*SERVERS, Server("gpu", gpu_count=1)))
    encoder = next(model for model in catalog.llms() if not model.kv_cache)
    assert estimate(table, Workload(encoder)).capacity_end(0) == ""
    assert estimate(table, Workload(catalog.llm("Llama-3.1-8B"))).capacity_end(len(SERVERS)) == ""
