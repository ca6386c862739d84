"""How many servers of one offer can be had at once: a machine of a marketplace is there once."""

from __future__ import annotations

import re
from functools import lru_cache

from models.practical import MOST_SERVERS

HOSTS = frozenset({"lium", "vast"})
"""Marketplaces whose every offer is one host, or a part of one, with an id of its own (lium.io/api/public/v1/nodes,
console.vast.ai/api/v0/bundles; read 2026-08). Of a part more may be free on the same host; no offer says so."""
SINGLE_TIERS = frozenset({"auction"})
"""Tiers of single machines: Hetzner's server auction sells each used machine once (hetzner.com/sb, read 2026-08)."""
_FREE = re.compile(r"^(\d+)(?: of \d+)? free$")
"""What feeds with a count write: CloudRift, Akash."""


@lru_cache(maxsize=4096)
def most_servers(provider: str, tier: str | None, availability: str | None) -> int:
    """The most servers of an offer that a fleet may have: what there is of it, and never more than is practical."""
    if provider in HOSTS or tier in SINGLE_TIERS:
        return 1
    free = _FREE.match(availability or "")
    return min(max(int(free[1]), 1), MOST_SERVERS) if free else MOST_SERVERS
