"""Embedding and reranking models in cases and comparisons: documents a second, latency of one, no tokens (N19)."""

from __future__ import annotations

import numpy as np
import pytest

from models import catalog
from models.cases import estimate_rows
from models.encoder_speed import BAND
from models.encoders import CONTEXT_GIB
from models.estimate import Estimates, ServerTable, estimate
from models.memory import GIB, prefill_bytes
from models.server import Server
from models.traffic import Workload

NAME = "bge-reranker-v2-m3"


def _case(**changes: str) -> dict[str, object]:
    return estimate_rows([{"model": NAME, "hardware": "L4", "quant": "fp16", "input_tokens": "512"} | changes])[0]


def _ask(server: Server, **changes: object) -> Estimates:
    work = Workload(catalog.llm(NAME), input_tokens=512, output_tokens=1, requests_per_s=20.0)
    return estimate(ServerTable.build([server]), work.changed(**changes))


def _gpu(chip: str = "L4", count: float = 1.0) -> Server:
    return Server("gpu", chip=catalog.chip(chip), gpu_count=count)


def test_a_case_answers_documents_and_no_tokens() -> None:
    """Rates, latency and memory; no error, nothing generated."""
    row = _case()
    assert row["error"] == ""
    assert row["fits"] is True
    assert row["basis"] == "extrapolated"
    assert [row[name] for name in ("tpot_ms", "output_tokens_per_s", "tokens_per_s_user", "max_concurrency")] == [
        None
    ] * 4
    documents = row["requests_per_s"]
    assert isinstance(documents, float)
    assert 30 < documents < 400
    assert row["prompt_tokens_per_s"] == pytest.approx(512 * documents)
    ttft = row["ttft_ms"]
    assert isinstance(ttft, float)
    assert row["ttft_ms_high"] == pytest.approx(ttft / BAND[0])
    assert row["ttft_ms_low"] == pytest.approx(ttft / BAND[1])


def test_longer_documents_are_fewer_and_more_gpus_are_more() -> None:
    """Every GPU runs a copy."""
    short, long, eight = _case(), _case(input_tokens="2048"), _case(count="8", tp="1")
    assert float(str(long["requests_per_s"])) < float(str(short["requests_per_s"])) / 3
    assert eight["requests_per_s"] == pytest.approx(8 * float(str(short["requests_per_s"])))


def test_a_batch_waits_for_all_its_documents() -> None:
    """The latency of many at once is that of their batch; a request rate is served up to the capacity."""
    one, many = _case(concurrency="1"), _case(concurrency="64")
    assert float(str(many["ttft_ms"])) > 5 * float(str(one["ttft_ms"]))
    assert _case(request_rate_rps="3")["requests_per_s"] == 3.0
    assert _case(request_rate_rps="30000")["requests_per_s"] == pytest.approx(float(str(_case()["requests_per_s"])))


def test_a_cpu_answers_too() -> None:
    """Slower than a card."""
    row = _case(hardware="EPYC 9654", quant="")
    assert row["error"] == ""
    assert 1 < float(str(row["requests_per_s"])) < float(str(_case()["requests_per_s"]))


def test_text_beside_an_encoder_keeps_its_figures() -> None:
    """One file, both kinds."""
    text, encoder = estimate_rows([{"model": "Llama-3.1-8B", "hardware": "L4"}, {"model": NAME, "hardware": "L4"}])
    assert text["tpot_ms"] is not None
    assert encoder["tpot_ms"] is None


def test_a_start_has_no_speed() -> None:
    """Scenario startup: memory only."""
    row = _case(scenario="startup")
    assert row["requests_per_s"] is None
    assert row["error"] == ""


def test_a_server_answers_documents() -> None:
    """Servers for the traffic, memory, latency inside the target; tokens between tokens there are none."""
    found = _ask(_gpu())
    assert found.answered[0]
    assert found.fits[0]
    assert found.meets_targets[0]
    assert found.basis(0) == "extrapolated"
    assert found.reason(0) == ""
    assert np.isnan(found.tpot_ms[0])
    assert found.requests_per_s[0] == 20.0
    assert found.prompt_tokens_per_s[0] == 20.0 * 512
    assert found.weights_gib[0] == pytest.approx(1.07, rel=0.03)
    assert found.servers_needed[0] == 1
    many = _ask(_gpu(), requests_per_s=5000.0)
    assert many.servers_needed[0] == np.ceil(5000 / many.requests_per_s_at_target[0])
    assert _ask(_gpu(count=4.0)).requests_per_s_at_target[0] == pytest.approx(4 * found.requests_per_s_at_target[0])


def test_a_server_of_a_reranker_takes_no_more_than_two_gib() -> None:
    """N19: weights, context and a batch; a tool said 13.8 GiB, 0.9 were used by one request at a time."""
    found = _ask(_gpu())
    took = float(found.weights_gib[0] + found.overhead_gib[0])
    assert 926 / 1024 < took <= 2.0
    assert found.kv_gib[0] == 0
    assert found.memory_used_share[0] == pytest.approx(took / found.memory_total_gib[0])
    longer = _ask(_gpu(), input_tokens=8192)
    assert longer.overhead_gib[0] == pytest.approx(found.overhead_gib[0])  # 32 x 512 tokens are a full batch already


def test_many_documents_together_take_what_was_seen() -> None:
    """XLM-RoBERTa-base, 512 documents of 512 tokens: about 6 GB seen (2024-01); the batch's limit put aside."""
    llm = catalog.llm("bge-base-en-v1.5")  # the same layers, a smaller vocabulary
    seen = CONTEXT_GIB + 512 * 512 * prefill_bytes(llm) / GIB
    assert seen == pytest.approx(6.0, rel=0.05)


def test_a_target_below_one_document_is_missed_and_said() -> None:
    """TTFT is the latency of one request."""
    found = _ask(_gpu(), ttft_ms=1.0)
    assert not found.meets_targets[0]
    assert "TTFT" in found.reason(0)


def test_users_share_a_server() -> None:
    """A closed loop: more users, more documents, up to the capacity."""
    few, many = _ask(_gpu(), concurrency=1), _ask(_gpu(), concurrency=40)
    assert few.requests_per_s[0] < many.requests_per_s[0] <= many.requests_per_s_at_target[0]
    assert few.ttft_ms[0] < many.ttft_ms[0]


def test_what_cannot_be_answered_says_why() -> None:
    """Unknown chips, CPUs without RAM, chips without a measured engine."""
    assert "not in the catalog" in _ask(Server("gpu", gpu_count=1.0)).reason(0)
    assert "not known" in _ask(Server("cpu", cpu=catalog.cpu("EPYC 9654"), cores=96)).reason(0)
    assert "no measured engine" in _ask(_gpu("TPU-v5e")).reason(0)


@pytest.mark.parametrize("server", [_gpu("L4"), _gpu("T4"), _gpu("H100-80GB-SXM5")])
@pytest.mark.parametrize("rate", [0.5, 20.0, 500.0])
def test_a_late_answer_does_not_meet_the_target(server: Server, rate: float) -> None:
    """Whatever meets the target answers within it, on average."""
    found = _ask(server, requests_per_s=rate, ttft_ms=500.0)
    assert not found.meets_targets[0] or found.ttft_ms[0] <= 500.0 * 1.001
