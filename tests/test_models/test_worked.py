"""The terms of an estimate add up to the figures it shows, for every way to put a model on a server."""

from __future__ import annotations

import math

import numpy as np
import pytest

from models import catalog
from models.estimate import ServerTable, estimate
from models.server import Server
from models.traffic import Workload
from models.worked import worked

GIB = 2.0**30


def _gpu(chip, count=1.0, **more):
    return Server("gpu", chip=catalog.chip(chip), gpu_count=count, **more)


def _cpu(name, cores, ram):
    return Server("cpu", cpu=catalog.find_cpu(name), sockets=1, cores=cores, ram_gib=ram)


CASES = {
    "vllm": ("Llama-3.1-8B", {}, _gpu("L4")),
    "vllm-users": ("Llama-3.1-8B", {"requests_per_s": None, "concurrency": 24}, _gpu("H100-80GB-SXM5")),
    "tensor-parallel": ("Llama-3.1-70B", {"quant": "fp8"}, _gpu("H100-80GB-SXM5", 4.0, interconnect="NVLink4")),
    "replicas": ("Llama-3.1-8B", {"requests_per_s": 200.0}, _gpu("L40S", 8.0)),
    "moe": ("gpt-oss-120b", {"quant": "4bit"}, _gpu("H100-80GB-SXM5", 2.0, interconnect="NVLink4")),
    "mla": ("DeepSeek-R1", {"quant": "fp8"}, _gpu("H200-141GB-SXM5", 8.0, interconnect="NVLink4")),
    "window": ("Gemma-3-27B", {"quant": "fp8"}, _gpu("H100-80GB-SXM5")),
    "sglang": ("Llama-3.1-8B", {"engine": "sglang"}, _gpu("H100-80GB-SXM5")),
    "cached": ("Llama-3.1-8B", {"prefix_hit": 0.8, "input_tokens": 20_000}, _gpu("H100-80GB-SXM5")),
    "saturated": ("Llama-3.1-8B", {"requests_per_s": 500.0, "ttft_ms": None, "tpot_ms": None}, _gpu("L4")),
    "llama.cpp-gpu": ("Llama-3.1-8B", {"quant": "q4_k_m", "requests_per_s": 0.2}, _gpu("L4")),
    "llama.cpp-gpus": ("Llama-3.1-70B", {"quant": "q4_k_m", "requests_per_s": 0.05}, _gpu("L4", 4.0)),
    "cpu": ("Llama-3.1-8B", {"quant": "q4_k_m", "requests_per_s": 0.05}, _cpu("AMD EPYC 9454P", 48, 192.0)),
    "cpu-moe": ("gpt-oss-20b", {"quant": "4bit", "requests_per_s": 0.05}, _cpu("AMD EPYC 9454P", 48, 192.0)),
}  # fmt: skip


def _answer(name):
    model, changes, server = CASES[name]
    found = estimate(ServerTable((server,)), Workload(model=catalog.llm(model)).changed(**changes))
    assert found.answered[0], found.reason(0)
    return found, worked(found, 0)


def _product(term):
    return math.prod(factor.value for factor in term.over) / math.prod(factor.value for factor in term.under)


def _check(term):
    """A product gives its term, parts joined as said give theirs, named constants give the share."""
    if term.over:
        assert _product(term) == pytest.approx(term.value, rel=1e-9), term
    if term.constants:
        share = next(factor.value for factor in term.under if factor.unit == "share")
        assert math.prod(value for _, value in term.constants) == pytest.approx(share, rel=2e-3)
    values = [part.value for part in term.parts]
    if term.joined == "sum" and values:
        assert sum(values) == pytest.approx(term.value, rel=1e-9)
    elif term.joined == "larger":
        assert max(values) == pytest.approx(term.value, rel=1e-9)
    elif term.joined in {"squares", "powers"}:
        power = 2.0 if term.joined == "squares" else term.power
        assert sum(value**power for value in values) ** (1 / power) == pytest.approx(term.value, rel=1e-9)
    for part in term.parts:
        _check(part)


@pytest.mark.parametrize("name", CASES)
def test_the_terms_add_up_to_the_figures(name):
    found, sums = _answer(name)
    memory = found.weights_gib[0] + found.kv_gib[0] + found.overhead_gib[0]
    assert sums.memory.value / GIB == pytest.approx(memory, rel=1e-9)
    assert sums.ttft.value * 1e3 == pytest.approx(found.ttft_ms[0], rel=1e-9)
    assert sums.tpot.value * 1e3 == pytest.approx(found.tpot_ms[0], rel=1e-9)
    for each in (sums.memory, sums.ttft, sums.tpot):
        assert abs(each.rest) < 1e-6 * each.value, each
        for term in each.terms:
            _check(term)


def test_a_queue_is_the_estimators_own():
    """The wait is what remains of the figure: it must be what the formula of queues gives, not a wrong part hidden in it."""
    found, sums = _answer("vllm")
    waiting = next(term for term in sums.ttft.terms if "waiting" in term.name)
    assert 0 < waiting.value < 0.5 * sums.ttft.value
    quiet = estimate(found.table, found.workload.changed(requests_per_s=1e-4))
    still = worked(quiet, 0).ttft
    assert sum(term.value for term in still.terms if "waiting" in term.name) < 1e-3 * still.value


@pytest.mark.parametrize(
    ("name", "part", "constant"),
    [
        ("tensor-parallel", "weights", "em_hbm"),
        ("tensor-parallel", "between GPUs", "lb_nvlink"),
        ("vllm", "KV cache", "ekv"),
        ("moe", "experts", "em_moe_4bit"),
    ],
)
def test_shares_are_named_after_their_constants(name, part, constant):
    term = next(term for term in _answer(name)[1].tpot.terms if term.name.startswith(part))
    named = [key for each in (term, *term.parts) for key, _ in each.constants]
    assert constant in named


def test_the_cache_is_two_times_layers_heads_width_bytes_tokens_sequences():
    _, sums = _answer("vllm")
    cache = next(term for term in sums.memory.terms if term.name == "KV cache")
    assert [factor.value for factor in cache.over][:6] == [2, 32, 8, 128, 2, 1376]


def test_what_has_no_estimate_has_no_terms():
    found = estimate(ServerTable((Server("gpu"),)), Workload(model=catalog.llm("Llama-3.1-8B")))
    assert worked(found, 0) is None


def test_what_does_not_fit_has_memory_only():
    found = estimate(ServerTable((_gpu("L4"),)), Workload(model=catalog.llm("Llama-3.1-70B"), quant="fp8"))
    sums = worked(found, 0)
    assert not found.fits[0]
    assert sums.ttft is None
    assert sums.tpot is None
    assert sums.memory.value / GIB > float(np.asarray(found.memory_total_gib)[0])
