"""When an offer is practical: its price is recent, it can be rented, and a sane number of it serves the traffic."""

from __future__ import annotations

STALE_DAYS = 180
"""A price seen longer ago is marked wherever it stands."""
MOST_SERVERS = 50
"""More servers than this for one traffic is no practical answer: marked, and picked only where there is no other."""


def is_out_of_stock(availability: str | None) -> bool:
    """Whether an availability means that the offer cannot be rented now."""
    word = (availability or "").strip().lower().replace("_", " ")
    return word in {"out of stock", "sold out", "unavailable", "none", "false"} or word.startswith("not in the last")
