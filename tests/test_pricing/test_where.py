"""The filter expression: every form, and one sentence for every mistake."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pricing.errors import WhereError
from pricing.where import compile_where

if TYPE_CHECKING:
    from collections.abc import Callable

    from pricing.compare import Comparison
    from pricing.offer import Offer


@pytest.fixture
def comparison(make_offer: Callable[..., Offer], make_comparison: Callable[..., Comparison]) -> Comparison:
    def figures(estimates: Any, market: Any) -> None:
        for at, server in enumerate(market.servers):
            estimates.ttft_ms[at] = np.nan if server.kind == "cpu" else 250.0 * server.gpu_count

    return make_comparison(
        [
            make_offer(server="small", ram_gib=16.0),
            make_offer(
                server="four",
                gpu_count=4.0,
                price_per_hour=4.0,
                provider="gcp",
                region="europe-west4",
                region_group="eu",
            ),
            make_offer(
                server="h100",
                gpu_model="H100-80GB-SXM5",
                vram_gib_per_gpu=80.0,
                price_per_hour=3.0,
                term="spot",
                tier="secure",
                source_date=None,
            ),
            make_offer(server="odd", gpu_model="Card of 2029", vram_gib_per_gpu=512.0),
            make_offer(
                server="box",
                kind="cpu",
                provider="hetzner",
                region="fsn1",
                region_group="eu",
                cpu_model="AMD EPYC 9354",
                cores=32.0,
                ram_gib=128.0,
                price_per_hour=None,
                price_per_month=200.0,
                term="monthly",
            ),
        ],
        change=figures,
    )


def passing(comparison: Comparison, text: str) -> str:
    mask = compile_where(text).mask(comparison)
    return " ".join(offer.server for offer, shown in zip(comparison.market.offers, mask, strict=True) if shown)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("", "small four h100 odd box"),
        ("h100", "h100"),
        ("EPYC", "box"),
        ('"europe-west4 eu"', "four"),
        ("cpu", "box"),
        ("gpu", "small four h100 odd"),
        ("!gpu", "box"),
        ("spot", "h100"),
        ("!spot gpu", "small four odd"),
        ("monthly", "box"),
        ("undated", "h100"),
        ("fresh", "small four odd box"),
        ("unknown", "odd"),
        ("gpu>=80", "h100 odd"),
        ("gpu>=80gb", "h100 odd"),
        ("gpu=24", "small four"),
        ("gpus>1", "four"),
        ("vram>=96", "four odd"),
        ("!gpu>=80", "small four box"),
        ("ram>=100", "box"),
        ("ram!=16", "box"),
        ("cores>=32", "box"),
        ("price<2", "small odd"),
        ("$mo<900", "small odd box"),
        ("$mo<$900", "small odd box"),
        ("$h>=4", "four"),
        ("ttft<1s", "small h100 odd"),
        ("ttft<=1000ms gpus>1", "four"),
        ("ttft_ms<300", "small h100 odd"),
        ("provider:hetzner", "box"),
        ("provider:hetzner,gcp", "four box"),
        ("region:eu", "four box"),
        ("region:europe-west4", "four"),
        ("!region:eu", "small h100 odd"),
        ("term:spot,monthly", "h100 box"),
        ("tier:secure", "h100"),
        ("chip:h100", "h100"),
        ("hardware:epyc", "box"),
        ("engine:vllm gpu>=80", "h100 odd"),
        ("age<2mo", "small four odd box"),
        ("GPU>=80 !SPOT", "odd"),
        ("gpu_model:l4", "small four"),
    ],
)
def test_every_form(comparison: Comparison, text: str, left: str) -> None:
    assert passing(comparison, text) == left


@pytest.mark.parametrize(
    ("text", "term", "said"),
    [
        ("cpu gpuu>=24", "gpuu>=24", "gpu"),
        ("gpu>=", "gpu>=", "missing"),
        ("gpu>=many", "gpu>=many", "not a number"),
        ("gpu>=nan", "gpu>=nan", "not a number"),
        ("gpu>=-5", "gpu>=-5", "not a number"),
        ("ttft<1y", "ttft<1y", "unit"),
        ("ttft<1e3", "ttft<1e3", "not a number|unit"),
        ("provider:", "provider:", "missing"),
        ("colour:red", "colour:red", "no field"),
        ("term:weekly", "term:weekly", "no term"),
        ("!", "!", "nothing after"),
        ('cpu "open', '"open', "not closed"),
        ("x" * 3000, "xxxxxxxxxxxxxxxxxxxx…", "longer than"),
    ],
)
def test_a_mistake_names_the_term(text: str, term: str, said: str) -> None:
    with pytest.raises(WhereError) as caught:
        compile_where(text)
    assert caught.value.term == term
    assert any(part in str(caught.value) for part in said.split("|")), str(caught.value)


def test_a_text_column_is_not_compared_with_a_number(comparison: Comparison) -> None:
    with pytest.raises(WhereError, match="server is text"):
        compile_where("server>5").mask(comparison)


def test_the_culprit_is_the_term_that_hides_most(comparison: Comparison) -> None:
    where = compile_where("gpu gpu>=9999")
    assert not where.mask(comparison).any()
    assert where.culprit(comparison, np.ones(len(comparison), dtype=bool)) == "gpu>=9999"


def test_text_is_never_a_pattern(comparison: Comparison) -> None:
    assert passing(comparison, ".*") == ""
    assert passing(comparison, "[bold]") == ""
