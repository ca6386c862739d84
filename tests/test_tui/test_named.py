"""Servers by a few words: the machine that was meant, or a sentence; never another one."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

from models import catalog
from models.errors import InputError
from models.traffic import Workload
from pricing.compare import compare
from pricing.filters import Filters
from pricing.market import Market
from tui import rows
from tui.advice.named import named_offer
from tui.advice.question import Question

if TYPE_CHECKING:
    from pricing.offer import Offer


@cache
def _question() -> Question:
    return Question(compare(Market.load(), Workload(catalog.llm("Llama-3.1-8B"))), Filters(), tuple)


def _named(name: str) -> Offer:
    return _question().comparison.market.offers[named_offer(_question(), name, priced=False).at]


@pytest.mark.parametrize(
    ("name", "chips", "count"),
    [
        ("L4", "L4", 1),
        ("1x L4", "L4", 1),
        ("h200", "H200", 1),
        ("GH200", "GH200", 1),
        ("4x L40S", "L40S", 4),
        ("4 x l40s", "L40S", 4),
        ("2x L40S", "L40S", 2),
        ("2× L40S 48 GB", "L40S", 2),
        ("NVIDIA RTX 4090", "RTX-4090", 1),
        ("aws 4x L4", "L4", 4),
        ("runpod l4", "L4", 1),
    ],
)
def test_hardware_is_what_was_said(name: str, chips: str, count: float) -> None:
    found = _named(name)
    assert f"{found.gpu_model}-".startswith(f"{chips}-")
    assert found.gpu_count == count


@pytest.mark.parametrize("place", range(0, 3000, 97))
def test_every_offer_answers_to_its_names(place: int) -> None:
    """Id, seller with server, and the hardware column lead to such a machine."""
    at = int(_question().asked()[place])
    offer = _question().comparison.market.offers[at]
    assert named_offer(_question(), offer.offer_id, priced=False).at == at
    assert _named(f"{offer.provider} {offer.server}").server == offer.server
    assert rows.hardware(_named(rows.hardware(offer))) == rows.hardware(offer)


def test_of_several_the_cheapest_and_it_is_said() -> None:
    named = named_offer(_question(), "L4")
    cost = _question().comparison.column("monthly_cost")
    market = _question().comparison.market
    alike = [at for at in _question().asked() if market.offers[at].gpu_model == market.offers[named.at].gpu_model]
    assert cost[named.at] == min(cost[at] for at in alike if market.offers[at].gpu_count == 1)
    assert "the cheapest for this traffic is taken" in named.said
    assert named_offer(_question(), "hetzner gex45").said == ""


@pytest.mark.parametrize(("name", "words"), [("3x L4", "offered with"), ("pyc", "could be"), ("nobody's", "is called")])
def test_what_names_no_machine_or_several_is_a_sentence(name: str, words: str) -> None:
    with pytest.raises(InputError) as error:
        named_offer(_question(), name)
    assert words in f"{error.value.message} {error.value.hint}"
