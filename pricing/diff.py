"""What changed between two comparisons that were written as CSV: prices, offers, estimates, the cheapest."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models.errors import InputError, brief
from models.practical import is_out_of_stock
from pricing.offer_csv import clean_text
from pricing.stock import most_servers

if TYPE_CHECKING:
    from collections.abc import Mapping

NEEDED = ("offer_id", "provider", "server", "monthly_cost", "meets_targets", "cost_currency")
FIGURES = (
    "price_per_hour", "price_per_month", "setup_fee", "monthly_cost", "cost_per_m_output_tokens", "servers_needed", "ttft_ms", "tpot_ms",
    "max_concurrency", "requests_per_s_at_target",
)  # fmt: skip
WORKLOAD = (
    ("KV bytes per token", ("kv_bytes_per_token",), lambda kv: kv),
    ("tokens per output token", ("total_tokens_per_s", "output_tokens_per_s"), lambda total, output: total / output),
    ("requests/s", ("utilization", "servers_needed", "requests_per_s_at_target"), lambda used, count, each: used * count * each),
)  # fmt: skip
"""What tells a row's workload, from its own columns: model and KV format, prompt and answer, traffic.

Each is the same for all servers that carry the workload, whatever they cost; a concurrency is not told by its rows.
"""
AGREED = 0.9
"""A figure of the workload is believed where this share of the rows has it (our rule)."""
SAME = 1e-6
"""Files hold ten digits."""
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
    old: float | str | None
    new: float | str | None
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
    now_meeting: int
    """Offers in both files that met the targets only now."""
    now_missing: int

    def count(self, kind: str) -> int:
        """Offers with a change of that kind."""
        return len({change.offer_id for change in self.changes if change.kind == kind})


def difference(old: str, new: str, least_percent: float = 0.0) -> Difference:
    """The changes from one file to the other, figures that moved by less than `least_percent` left out.

    Raises InputError for a file that is no comparison, and for two currencies or workloads.
    """
    before, now = _read(old), _read(new)
    currencies = {row["cost_currency"] for rows in (before, now) for row in rows.values() if row["cost_currency"]}
    if len(currencies) > 1:
        raise InputError(
            f"{old} and {new} count in different currencies ({', '.join(sorted(currencies))}).",
            hint="Write both with the same --currency.",
        )
    for (name, *_), then, other in zip(WORKLOAD, _workload(before), _workload(now), strict=True):
        if then is not None and other is not None and not math.isclose(then, other, rel_tol=SAME):
            raise InputError(
                f"{old} and {new} answer different workloads: {name} {then:.6g} and {other:.6g}.",
                hint="Write both with the same model, formats, tokens and traffic.",
            )
    turns = [(before[key]["meets_targets"], row["meets_targets"]) for key, row in now.items() if key in before]
    found = [
        change
        for offer_id in dict.fromkeys((*now, *before))
        for change in _of(offer_id, before.get(offer_id), now.get(offer_id), least_percent)
    ]
    found.sort(key=lambda one: (math.inf if one.monthly_cost is None else one.monthly_cost, one.offer_id))
    return Difference(
        tuple(found),
        _best(before),
        _best(now),
        next(iter(currencies), ""),
        turns.count(("false", "true")),
        turns.count(("true", "false")),
    )


def _workload(rows: Mapping[str, Mapping[str, str]]) -> tuple[float | None, ...]:
    """The figures of WORKLOAD; None where the rows do not agree."""
    found: list[float | None] = []
    for _, columns, figure in WORKLOAD:
        numbers = ([_number(row.get(name)) for name in columns] for row in rows.values())
        values = sorted(figure(*row) for row in numbers if all(row))
        middle = values[len(values) // 2] if values else math.nan
        agreed = sum(math.isclose(value, middle, rel_tol=SAME) for value in values)
        found.append(middle if values and agreed >= AGREED * len(values) else None)
    return tuple(found)


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
                if row["monthly_cost"].startswith("-"):
                    raise InputError(f"{path}, line {reader.line_num}: monthly_cost is negative.")
                row["provider"], row["server"] = clean_text(row["provider"]), clean_text(row["server"])
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
        "offer_id": clean_text(offer_id), "provider": row.get("provider", ""), "server": row.get("server", ""),
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
        found.append(Change(kind, column=name, old=old, new=new, percent=percent, **common))
    found += [
        Change(
            "estimate",
            column=name,
            old=clean_text(before[name]) or None,
            new=clean_text(now[name]) or None,
            percent=None,
            **common,
        )
        for name in WORDS
        if name in before and name in now and before[name] != now[name]
    ]
    # What follows from a price alone is told by the price.
    if any(change.kind == "price" for change in found):
        found = [change for change in found if change.column not in {"monthly_cost", "cost_per_m_output_tokens"}]
    return found


def _best(rows: Mapping[str, Mapping[str, str]]) -> Mapping[str, str] | None:
    """As the verdict picks: the cheapest that meets the targets, practical ones in stock first, ties to the lower TTFT."""
    usable = []
    for key, row in rows.items():
        cost = _number(row["monthly_cost"])
        if row["meets_targets"] != "true" or cost is None:
            continue
        crowd = (_number(row.get("servers_needed")) or 1.0) > most_servers(
            row.get("provider", ""), row.get("tier") or None, row.get("availability") or None
        )
        ttft = _number(row.get("ttft_ms"))
        usable.append((crowd, is_out_of_stock(row.get("availability")), cost, math.inf if ttft is None else ttft, key))
    return rows[min(usable)[-1]] if usable else None
