"""How many of an offer there are: hosts of a marketplace once, counted ones as many as are free."""

from __future__ import annotations

import numpy as np
import pytest

from models.fleets import stairs
from models.practical import MOST_SERVERS, too_many
from pricing.stock import most_servers


@pytest.mark.parametrize(
    ("provider", "tier", "availability", "most"),
    [
        ("lium", None, None, 1),
        ("vast", "secure", "available", 1),
        ("hetzner", "auction", None, 1),
        ("hetzner", None, None, MOST_SERVERS),
        ("cloudrift", None, "3 free", 3),
        ("akash", None, "12 of 40 free", 12),
        ("akash", None, "90 of 400 free", MOST_SERVERS),
        ("aws", None, "available", MOST_SERVERS),
    ],
)
def test_what_there_is_of_an_offer(provider: str, tier: str | None, availability: str | None, most: int) -> None:
    assert most_servers(provider, tier, availability) == most


def test_words_say_which_limit_it_is() -> None:
    assert too_many(50) == "not practical: more than 50 servers"
    assert too_many(1) == "not practical: it is one machine"
    assert too_many(3) == "not practical: only 3 of it can be had"


def test_a_single_machine_hides_no_fleet_that_it_cannot_be() -> None:
    """The cheapest machine is there once: the dearer one that can be had twice carries more."""
    found = stairs(np.array([1.0, 1.0]), np.array([10.0, 15.0]), np.arange(2), np.array([1.0, 50.0]))
    assert (found.cost_at(1.0), found.cost_at(2.0), found.cost_at(3.0)) == (10.0, 30.0, 45.0)
