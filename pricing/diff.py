"""What changed between two comparisons that were written as CSV: prices, offers, estimates, the cheapest."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from models.practical import is_out_of_stock
from pricing.comparison_file import COMPARED, COSTS, PRICES, check_same_question, number, read
from pricing.offer_csv import clean_text
from pricing.stock import most_servers

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

WORDS = {"meets_targets": "targets", "availability": "stock", "reason": "other"}
"""Columns of words, and what a change of them is."""
KINDS = ("dearer", "cheaper", "new", "gone", "targets", "stock", "other")
"""What a change can be: a price or the month's bill up or down, an offer that is new or gone, one that meets the targets now or
no more, one in or out of stock, another figure."""


@dataclass(frozen=True, slots=True)
class Change:
    """One figure of one offer that is another one now; new and gone offers have none."""

    kind: str
    """One of KINDS."""
    offer_id: str
    provider: str
    server: str
    column: str | None
    old: float | str | None
    new: float | str | None
    percent: float | None
    monthly_cost: float | None
    """Now, or before where the offer is gone: what the list is ordered by."""


@dataclass(frozen=True, slots=True)
class Difference:
    """All changes asked for, the cheapest offers first, and the cheapest that meets the targets then and now."""

    changes: tuple[Change, ...]
    best_before: Mapping[str, str] | None
    best_now: Mapping[str, str] | None
    currency: str
    now_meeting: int
    """Offers in both files that meet the targets only now."""
    now_missing: int
    doubt: str
    """Why it cannot be told whether both files answer the same question; empty where they do."""
    moved: str
    """What of the question moves on with the calendar; empty for nothing."""

    def count(self, kind: str) -> int:
        """Offers with a change of that kind."""
        return len({change.offer_id for change in self.changes if change.kind == kind})


def difference(old: str, new: str, least_percent: float = 0.0, only: Collection[str] = ()) -> Difference:
    """The changes from one file to the other of the kinds in `only` (none = all), figures that moved by less than `least_percent` left out.

    Raises InputError for a file that is no comparison, and for answers to two questions.
    """
    files = read(old), read(new)
    doubt, moved = check_same_question(*files)
    before, now = (file.rows for file in files)
    found = [
        change
        for offer_id in dict.fromkeys((*now, *before))
        for change in _of(offer_id, before.get(offer_id), now.get(offer_id), least_percent)
        if not only or change.kind in only
    ]
    found.sort(key=lambda one: (math.inf if one.monthly_cost is None else one.monthly_cost, one.offer_id))
    turned = [change.new for change in found if change.kind == "targets"]
    currencies = files[0].currencies | files[1].currencies
    return Difference(
        tuple(found),
        _best(before),
        _best(now),
        next(iter(currencies), ""),
        turned.count("true"),
        turned.count("false"),
        doubt,
        moved,
    )


def _of(offer_id: str, before: Mapping[str, str] | None, now: Mapping[str, str] | None, least: float) -> list[Change]:
    row = now or before or {}
    common: dict[str, Any] = {
        "offer_id": clean_text(offer_id), "provider": row.get("provider", ""), "server": row.get("server", ""),
        "monthly_cost": number(row.get("monthly_cost")),
    }  # fmt: skip
    if before is None or now is None:
        return [Change("gone" if now is None else "new", column=None, old=None, new=None, percent=None, **common)]
    found = []
    for name in COMPARED:
        old, new = number(before.get(name)), number(now.get(name))
        if old == new or name not in before or name not in now:
            continue
        percent = (new / old - 1) * 100 if old and new is not None else None
        if percent is not None and abs(percent) < max(least, 1e-6):
            continue
        found.append(Change(_kind(name, old, new), column=name, old=old, new=new, percent=percent, **common))
    found += [
        Change(
            kind,
            column=name,
            old=clean_text(before[name]) or None,
            new=clean_text(now[name]) or None,
            percent=None,
            **common,
        )
        for name, kind in WORDS.items()
        if name in before and name in now and before[name] != now[name]
    ]
    # What follows from a price alone is told by the price.
    if any(change.column in PRICES for change in found):
        found = [change for change in found if change.column not in COSTS]
    return found


def _kind(column: str, old: float | None, new: float | None) -> str:
    """A bill counts as dearer or cheaper whatever moved it: a price, an exchange rate or one more server."""
    if old is None or new is None or column not in (*PRICES, "monthly_cost"):
        return "other"
    return "dearer" if new > old else "cheaper"


def _best(rows: Mapping[str, Mapping[str, str]]) -> Mapping[str, str] | None:
    """As the verdict picks: the cheapest that meets the targets, practical ones in stock first, ties to the lower TTFT."""
    usable = []
    for key, row in rows.items():
        cost = number(row["monthly_cost"])
        if row["meets_targets"] != "true" or cost is None:
            continue
        crowd = (number(row.get("servers_needed")) or 1.0) > most_servers(
            row.get("provider", ""), row.get("tier") or None, row.get("availability") or None
        )
        ttft = number(row.get("ttft_ms"))
        usable.append((crowd, is_out_of_stock(row.get("availability")), cost, math.inf if ttft is None else ttft, key))
    return rows[min(usable)[-1]] if usable else None
