"""Why a comparison has no offer to show, and which filter keeps most of them out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tui.cli.output import counted

if TYPE_CHECKING:
    from pricing.compare import Comparison
    from pricing.filters import Filters

_WAYS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("without --kind", {"kind": None}),
    ("without --provider", {"providers": ()}),
    ("without --region", {"regions": ()}),
    ("with --term all", {"terms": ("all",)}),
    ("with --undated", {"undated": True, "max_age_months": None}),
    ("without --max-usd-hour", {"max_usd_hour": None}),
    ("without --max-usd-month", {"max_usd_month": None}),
    ("without --where", {"where": None}),
)
"""What a person could change, and the filters then."""


def nothing_passes(comparison: Comparison, filters: Filters, *, since: bool = False) -> str:
    """A sentence with the change that brings the most offers back; `since`: the age is the one that was asked for."""
    total = counted(len(comparison.market), "offer")
    found = [
        (int(other.mask(comparison).sum()), "without --since" if since and "undated" in change else words)
        for words, change in _WAYS
        if (other := replace(filters, **change)) != filters
    ]
    most, words = max(found, key=lambda one: one[0], default=(0, ""))
    if not most:
        return f"None of {total} passes the filters together; leave several of them out."
    return f"None of {total} passes the filters; {words} {most:,} would."
