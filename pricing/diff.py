"""What changed between two comparisons that were written as CSV: prices, offers, estimates, the cheapest."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models.errors import InputError, brief

if TYPE_CHECKING:
    from collections.abc import Mapping

NEEDED = ("offer_id", "provider", "server", "monthly_cost", "meets_targets", "cost_currency")
FIGURES = (
    "price_per_hour", "price_per_month", "setup_fee", "monthly_cost", "cost_per_m_output_tokens", "servers_needed", "ttft_ms", "tpot_ms",
    "max_concurrency", "requests_per_s_at_target",
)  # fmt: skip
WORDS = ("meets_targets", "availability", "reason")
PRICES = ("price_per_hour", "price_per_month", "setup_fee")
LARGEST_BYTES = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Change:
    """One figure of one offer that is another one now; new and gone offers have none."""

    kind: str
    """price, estimate, new or gone."""
    offer_id: str
    provider: str
    server: str
    column: str | None
    old: str | None
    new: str | None
    percent: float | None
    monthly_cost: float | None
    """Now, or before where the offer is gone: what the list is ordered by."""


@dataclass(frozen=True, slots=True)
class Difference:
    """All changes, the cheapest offers first, and the cheapest that meets the targets then and now."""

    changes: tuple[Change, ...]
    best_before: Mapping[str, str] | None
    best_now: Mapping[str, str] | None
    currency: str

    def count(self, kind: str) -> int:
        """Offers with a change of that kind."""
        return len({change.offer_id for change in self.changes if change.kind == kind})


def difference(old: str, new: str, least_percent: float = 0.0) -> Difference:
    """The changes from one file to the other, figures that moved by less than `least_percent` left out.

    Raises InputError for a file that is no comparison, and for two currencies.
    """
    before, now = _read(old), _read(new)
    currencies = {row["cost_currency"] for rows in (before, now) for row in rows.values() if row["cost_currency"]}
    if len(currencies) > 1:
        raise InputError(
            f"{old} and {new} count in different currencies ({', '.join(sorted(currencies))}).",
            hint="Write both with the same --currency.",
        )
    found = [
        change
        for offer_id in dict.fromkeys((*now, *before))
        for change in _of(offer_id, before.get(offer_id), now.get(offer_id), least_percent)
    ]
    found.sort(key=lambda one: (math.inf if one.monthly_cost is None else one.monthly_cost, one.offer_id))
    return Difference(tuple(found), _best(before), _best(now), next(iter(currencies), ""))


def _read(path: str) -> dict[str, dict[str, str]]:
    rows: dict[str, dict[str, str]] = {}
    try:
        if Path(path).is_file() and Path(path).stat().st_size > LARGEST_BYTES:
            raise InputError(f"{path} is larger than {LARGEST_BYTES // 10**9} GB.")
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            missing = [name for name in NEEDED if name not in (reader.fieldnames or ())]
            if missing:
                raise InputError(
                    f"{path} is no comparison: it has no column {missing[0]}.",
                    hint="`rackrate compare --csv FILE` writes one.",
                )
            for row in reader:
                if None in row or None in row.values():
                    raise InputError(
                        f"{path}, line {reader.line_num}: the row has not as many values as the header has columns."
                    )
                if not row["offer_id"]:
                    raise InputError(f"{path}, line {reader.line_num}: there is no offer_id.")
                if row["offer_id"] in rows:
                    raise InputError(f"{path}, line {reader.line_num}: {brief(row['offer_id'])} is listed twice.")
                rows[row["offer_id"]] = row
    except FileNotFoundError:
        raise InputError(f"{path} does not exist.") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not a text file in UTF-8.") from None
    except csv.Error as error:
        raise InputError(f"{path} is not a CSV file: {error}.") from None
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror or error}.") from None
    return rows


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _of(offer_id: str, before: Mapping[str, str] | None, now: Mapping[str, str] | None, least: float) -> list[Change]:
    row = now or before or {}
    common: dict[str, Any] = {
        "offer_id": offer_id, "provider": row.get("provider", ""), "server": row.get("server", ""),
        "monthly_cost": _number(row.get("monthly_cost")),
    }  # fmt: skip
    if before is None or now is None:
        return [Change("gone" if now is None else "new", column=None, old=None, new=None, percent=None, **common)]
    found = []
    for name in FIGURES:
        old, new = _number(before.get(name)), _number(now.get(name))
        if old == new or name not in before or name not in now:
            continue
        percent = (new / old - 1) * 100 if old and new is not None else None
        if percent is not None and abs(percent) < max(least, 1e-6):
            continue
        kind = "price" if name in PRICES else "estimate"
        found.append(
            Change(kind, column=name, old=before[name] or None, new=now[name] or None, percent=percent, **common)
        )
    found += [
        Change("estimate", column=name, old=before[name] or None, new=now[name] or None, percent=None, **common)
        for name in WORDS
        if name in before and name in now and before[name] != now[name]
    ]
    # What follows from a price alone is told by the price.
    if any(change.kind == "price" for change in found):
        found = [change for change in found if change.column not in {"monthly_cost", "cost_per_m_output_tokens"}]
    return found


def _best(rows: Mapping[str, Mapping[str, str]]) -> Mapping[str, str] | None:
    usable = [
        row for row in rows.values() if row["meets_targets"] == "true" and _number(row["monthly_cost"]) is not None
    ]
    return min(usable, key=lambda row: _number(row["monthly_cost"]) or math.inf, default=None)
