"""Offers as packed columns: what the price folder holds, read at every start.

A column of a price list has few distinct values (47,000 AWS rows name 34 regions), so each is written once and rows point
at it. Reading takes a third of what the same rows take as CSV.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from pricing import offer as schema
from pricing.offer_csv import BOOLEAN, CHOICES, LIMITS, clean_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pricing.offer import Offer

_NEEDED = frozenset({"offer_id", "provider", "server", "kind", "term", "currency", "price_basis"})


def pack(offers: Sequence[Offer]) -> str:
    """One line of JSON: a column is {"all": value}, {"of": distinct values, "at": places} or {"row": values}."""
    return json.dumps(
        {name: _packed([getattr(entry, name) for entry in offers]) for name in schema.OFFER_COLUMNS},
        separators=(",", ":"),
        allow_nan=False,
    )


def _packed(values: list[Any]) -> dict[str, Any]:
    # 1, 1.0 and True are one key of a dict but not one value.
    places: dict[tuple[type, Any], int] = {}
    at = [places.setdefault((type(value), value), len(places)) for value in values]
    if len(places) == 1:
        return {"all": values[0]}
    if len(places) * 3 < len(values):
        return {"of": [value for _, value in places], "at": at}
    return {"row": values}


def unpack(text: str, count: int) -> tuple[Offer, ...]:
    """The offers of such a line, `count` of them. Raises ValueError, in words, if it holds anything else."""
    try:
        packed = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError("it is torn") from error
    if not isinstance(packed, dict):
        raise ValueError("it holds no columns")  # noqa: TRY004 - a file's fault, not a caller's
    table: dict[str, Sequence[Any]] = {}
    for name in schema.OFFER_COLUMNS:
        # A column that an older rackrate did not know yet is not stated.
        table[name] = _unpacked(packed.get(name, {"all": None}), name, count)
    if len(set(table["offer_id"])) != count:
        raise ValueError("its rows are not those it was written with")
    return schema.from_columns(table)


def _unpacked(column: Any, name: str, count: int) -> Sequence[Any]:
    match column:
        case {"all": value}:
            return [_checked(value, name)] * count
        case {"of": list(values), "at": list(places)} if len(places) == count:
            checked = [_checked(value, name) for value in values]
            try:
                # Negative places would count from the end.
                return [checked[place] for place in places] if not count or min(places) >= 0 else _refuse(name)
            except (IndexError, TypeError):
                _refuse(name)
        case {"row": list(values)} if len(values) == count:
            return [_checked(value, name) for value in values]
    raise ValueError("its rows are not those it was written with")


def _checked(value: Any, name: str) -> Any:
    if value is None:
        return _refuse(name) if name in _NEEDED else None
    if name in LIMITS:
        sound = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
        return value if sound and 0 <= value <= LIMITS[name] else _refuse(name)
    if name in BOOLEAN:
        return value if isinstance(value, bool) else _refuse(name)
    if not isinstance(value, str) or (name in CHOICES and value not in CHOICES[name]):
        return _refuse(name)
    return clean_text(value)


def _refuse(name: str) -> Any:
    raise ValueError(f"its column {name} holds what no offer has")
