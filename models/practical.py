"""When an offer is practical: its price is recent, it can be rented, and a sane number of it serves the traffic."""

from __future__ import annotations

STALE_DAYS = 180
"""A price seen longer ago is marked wherever it stands."""
MOST_SERVERS = 50
"""More servers than this for one traffic is no practical answer: marked, and picked only where there is no other."""


def too_many(most: float) -> str:
    """Why more than `most` servers of an offer are no answer, in words."""
    if most >= MOST_SERVERS:
        return f"not practical: more than {MOST_SERVERS} servers"
    return "not practical: it is one machine" if most <= 1 else f"not practical: only {most:.0f} of it can be had"


def is_out_of_stock(availability: str | None) -> bool:
    """Whether an availability means that the offer cannot be rented now."""
    word = (availability or "").strip().lower().replace("_", " ")
    return word in {"out of stock", "sold out", "unavailable", "none", "false"} or word.startswith("not in the last")
