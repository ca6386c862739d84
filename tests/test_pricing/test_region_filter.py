"""The filter of regions on the names that the bundled offers have: exact, then the beginning, and words for groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from models import catalog
from models.traffic import Workload
from pricing.compare import compare
from pricing.filters import Filters, region_mask
from pricing.market import Market
from pricing.where import compile_where

if TYPE_CHECKING:
    from collections.abc import Callable

    from pricing.compare import Comparison
    from pricing.offer import Offer


@pytest.fixture(scope="module")
def bundled() -> Comparison:
    return compare(Market.load(), Workload(model=catalog.llm("Llama-3.1-8B")))


def regions(comparison: Comparison, want: str) -> set[str]:
    return set(comparison.market.column("region")[region_mask(comparison, (want,))])


@pytest.mark.parametrize(
    ("want", "has", "lacks"),
    [
        ("us-east", {"us-east-1", "us-east1", "us-east-2", "us-east-1-atl-1"}, {"eastus", "us-west-1"}),
        ("us-east-1", {"us-east-1"}, {"us-east-1-atl-1", "us-east1"}),
        ("eu-west", {"eu-west-1", "eu-west1", "eu-west-3-wl1-cmn1"}, {"westeurope"}),
        ("in", {"IN1", "IN2"}, set()),
        ("no", {"no-kristiansand-1"}, {"North America", "NORWAY-1"}),
        ("se", {"se-stockholm-1"}, {"SEA-SG-1"}),
        ("SEA", {"SEA-SG-1"}, set()),
        ("eur", {"EUR-IS-1"}, {"Europe", "europe-west1"}),
        ("norw", {"NORWAY-1"}, {"North America"}),
        ("west", {"westeurope", "westus2"}, {"us-west-1"}),
        ("us-e", {"us-east-1"}, {"us-west-1"}),
        ("de", {"de"}, {"ap-south-1-del-1", "us-west-2-den-1", "US-DE-1"}),
    ],
)
def test_real_names(bundled: Comparison, want: str, has: set[str], lacks: set[str]) -> None:
    found = regions(bundled, want)
    assert has <= found
    assert not lacks & found


@pytest.mark.parametrize(("want", "found"), [("de", "de-muc"), ("eu-west", "eu-west-1a"), ("eu-west-1", "eu-west-1a")])
def test_a_beginning_ends_at_a_border(
    make_offer: Callable[..., Offer], make_comparison: Callable[..., Comparison], want: str, found: str
) -> None:
    names = ("de-muc", "ap-south-1-del-1", "us-west-2-den-1", "den-1", "denmark", "eu-west-1a", "eu-west-12")
    comparison = make_comparison([make_offer(region=name, server=name) for name in names])
    shown = regions(comparison, want)
    assert found in shown
    assert shown <= {found, "eu-west-12"} - ({"eu-west-12"} if want == "eu-west-1" else set())


@pytest.mark.parametrize(
    ("word", "group", "named"),
    [("europe", "eu", "Europe"), ("EUROPE", "eu", "Europe"), ("usa", "us", "us-east-1"),
     ("America", "us", "North America"), ("North America", "us", "North America")],
)  # fmt: skip
def test_plain_words_mean_the_group(bundled: Comparison, word: str, group: str, named: str) -> None:
    mask = region_mask(bundled, (word,))
    assert (mask == region_mask(bundled, (group,))).all()
    assert (mask == compile_where(f'region:"{word}"').mask(bundled)).all()
    assert named in regions(bundled, word)
    assert mask.sum() > 1000


@pytest.mark.parametrize("filters", [Filters(regions=("eu",)), Filters(where=compile_where("gpu region:eu"))])
def test_offers_without_a_region_are_counted_however_the_region_is_asked(bundled: Comparison, filters: Filters) -> None:
    nowhere = np.array([not name for name in bundled.market.column("region")])
    wider = Filters(where=compile_where("gpu")) if filters.where else Filters()
    assert filters.regionless(bundled) == (wider.mask(bundled) & nowhere).sum() > 100
    assert filters.left_out(bundled).without_region == filters.regionless(bundled)


@pytest.mark.parametrize("text", ["", "gpu>=24", "!spot", "region:eu|cpu"])
def test_without_a_region_asked_for_none_is_missed(bundled: Comparison, text: str) -> None:
    assert Filters(where=compile_where(text)).regionless(bundled) == 0
