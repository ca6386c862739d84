"""Speeds at the ends of their error bands: never carrying more than the estimate at the slow end, and solved, not scaled."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from models import catalog
from models.band_ends import End
from models.beside import Companion
from models.estimate import Estimates, ServerTable, estimate
from models.lengths import Lengths
from models.server import Server
from models.speculation import Speculation
from models.traffic import Workload

TABLE = ServerTable.build(
    [
        *(Server("gpu", chip=catalog.chip(name), gpu_count=1.0) for name in ("L4", "RTX-A4000", "H100-SXM")),
        Server("gpu", chip=catalog.chip("RTX-3090"), gpu_count=2.0),
        Server("cpu", cpu=catalog.cpu("AMD EPYC 9654"), ram_gib=128),
    ]
)
BASE = Workload(catalog.llm("Llama-3.1-8B"), quant="4bit", ttft_ms=4000.0)
ENDS: tuple[End, ...] = get_args(End)
BESIDE = (Companion(catalog.llm("bge-m3"), 1, 32),)


def _three(work: Workload) -> tuple[Estimates, Estimates, Estimates]:
    return estimate(TABLE, work, end="low"), estimate(TABLE, work), estimate(TABLE, work, end="high")


@settings(max_examples=80, deadline=None)
@example({"concurrency": 3}, 2280, 107)
@example({"concurrency": 3}, 2091, 8)
@given(
    st.sampled_from(
        [
            {"requests_per_s": 0.3},
            {"requests_per_s": 20.0},
            {"concurrency": 3},
            {"concurrency": 80},
            {"requests_per_s": 1.0, "ttft_at": "p95"},
            {"requests_per_s": 1.0, "speculative": Speculation("draft", 4)},
            {"requests_per_s": 1.0, "beside": BESIDE},
            {"requests_per_s": 1.0, "ttft_ms": None, "tpot_ms": None},
        ]
    ),
    st.integers(64, 6000),
    st.integers(8, 900),
)
def test_slow_servers_carry_no_more_and_fast_ones_no_less(traffic: dict[str, Any], prompt: int, answer: int) -> None:
    slow, as_estimated, fast = _three(BASE.changed(**traffic, input_tokens=prompt, output_tokens=answer))
    for less, more in ((slow, as_estimated), (as_estimated, fast)):
        assert not (less.meets_targets & ~more.meets_targets).any()
        both = less.meets_targets & more.meets_targets
        # Users are what a closed loop is limited by: fewer of them may get through more requests. A layout is chosen for its requests,
        # so that only servers with one layout carry no fewer users where they are faster.
        users = "concurrency" in traffic
        carried = "max_concurrency" if users else "requests_per_s_at_target"
        held = both & (TABLE.gpu_count <= 1) if users else both
        assert (getattr(less, carried)[held] <= getattr(more, carried)[held] * (1 + 1e-6)).all()
        assert (less.servers_needed[held] >= more.servers_needed[held]).all()
        assert (less.ttft_solo_ms[both] > more.ttft_solo_ms[both]).all()
        assert (less.fits == more.fits).all()


def test_one_request_alone_is_as_late_as_its_band_says() -> None:
    work = BASE.changed(concurrency=1, ttft_ms=None, tpot_ms=None)
    slow, as_estimated, fast = _three(work)
    for name in ("ttft_ms", "tpot_ms"):
        for end, found in (("high", slow), ("low", fast)):
            shown = getattr(as_estimated, f"{name}_{end}")
            np.testing.assert_allclose(getattr(found, name), shown, rtol=1e-9, err_msg=f"{name} {end}")


def test_a_target_leaves_a_slow_server_less_than_its_rate_would_say() -> None:
    """TPOT rises with the load from what one request takes: at a slow end the target comes sooner than in proportion."""
    slow, as_estimated, _ = _three(BASE)
    cards = TABLE.is_gpu & as_estimated.meets_targets & slow.meets_targets
    assert cards.sum() >= 4
    scaled = (
        as_estimated.requests_per_s_at_target * as_estimated.output_tokens_per_s_low / as_estimated.output_tokens_per_s
    )
    assert (slow.requests_per_s_at_target[cards] < scaled[cards]).any()
    assert (slow.requests_per_s_at_target[cards] < as_estimated.requests_per_s_at_target[cards]).all()


def test_the_lengths_of_a_trace_lie_as_far_apart_as_prompts_take() -> None:
    """One request alone at an end: its tail over the lengths is the estimate's times the band."""
    lengths = Lengths((0.45, 0.45, 0.1), (200.0, 1155.0, 6000.0))
    work = BASE.changed(requests_per_s=1e-5, ttft_ms=None, tpot_ms=None).changed(lengths=lengths)
    slow, as_estimated, fast = _three(work)
    for end, found in (("high", slow), ("low", fast)):
        factor = getattr(as_estimated, f"ttft_ms_{end}") / as_estimated.ttft_ms
        np.testing.assert_allclose(found.ttft_p95_ms, as_estimated.ttft_p95_ms * factor, rtol=2e-3, err_msg=end)
    assert (as_estimated.ttft_p95_ms > 1.5 * as_estimated.ttft_ms).all()


@pytest.mark.parametrize("end", ENDS)
def test_an_embedding_server_has_ends_too(end: End) -> None:
    work = Workload(catalog.llm("bge-m3"), input_tokens=512, output_tokens=1, requests_per_s=5.0)
    there, here = estimate(TABLE, work, end=end), estimate(TABLE, work)
    sign = 1 if end == "high" else -1
    assert (sign * (there.requests_per_s_at_target - here.requests_per_s_at_target) > 0).all()
    assert (sign * (here.ttft_solo_ms - there.ttft_solo_ms) > 0).all()
