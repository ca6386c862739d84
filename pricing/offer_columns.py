"""Offers as packed columns: what the price folder holds, read at every start.

A column of a price list has few distinct values (47,000 AWS rows name 34 regions), so each is written once and rows point
at it. Places are written as bytes in base64: a JSON list of numbers takes ten times as long to read.
"""

from __future__ import annotations

import binascii
import json
import math
import sys
from array import array
from types import NoneType
from typing import TYPE_CHECKING, Any

from pricing import offer as schema
from pricing.offer_csv import BOOLEAN, CHOICES, LIMITS, clean_text, is_clean
from pricing.offer_list import OfferList, Spread, column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pricing.offer import Offer

_NEEDED = frozenset({"offer_id", "provider", "server", "kind", "term", "currency", "price_basis"})
_WIDTHS = {1: "B", 2: "H", 4: "I"}
"""Bytes of a place -> its type as `array` calls it."""


def pack(offers: Sequence[Offer]) -> str:
    """One line of JSON: a column is {"all": value}, {"of": distinct values, "w": bytes a place, "at": places} or {"row": values}."""
    return json.dumps(
        {name: _packed(column(offers, name)) for name in schema.OFFER_COLUMNS}, separators=(",", ":"), allow_nan=False
    )


def _packed(values: Sequence[Any]) -> dict[str, Any]:
    # 1, 1.0 and True are one key of a dict but not one value.
    places: dict[tuple[type, Any], int] = {}
    at = [places.setdefault((type(value), value), len(places)) for value in values]
    if len(places) == 1:
        return {"all": values[0]}
    if len(places) * 3 < len(values):
        width = next(width for width in _WIDTHS if len(places) <= 256**width)
        text = binascii.b2a_base64(_little(array(_WIDTHS[width], at)).tobytes(), newline=False).decode("ascii")
        return {"of": [value for _, value in places], "w": width, "at": text}
    return {"row": list(values)}


def _little(places: array[int]) -> array[int]:
    """The same places with the low byte first, or back."""
    if sys.byteorder == "big":
        places.byteswap()
    return places


def unpack(text: str, count: int) -> OfferList:
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
    return OfferList(table)


def _unpacked(packed: Any, name: str, count: int) -> Sequence[Any]:
    match packed:
        case {"all": value}:
            return [_checked(value, name)] * count
        case {"of": list(values), "w": 1 | 2 | 4 as width, "at": str(text)}:
            checked = [_checked(value, name) for value in values]
            places = _places(text, width)
            if len(places) == count and _all_below(places, len(checked)):
                return Spread(checked, places)
        case {"of": list(values), "at": list(places)} if len(places) == count:
            checked = [_checked(value, name) for value in values]
            try:
                # Negative places would count from the end.
                return [checked[place] for place in places] if not count or min(places) >= 0 else _refuse(name)
            except (IndexError, TypeError):
                _refuse(name)
        case {"row": list(values)} if len(values) == count:
            return _checked_all(values, name)
    raise ValueError("its rows are not those it was written with")


def _places(text: str, width: int) -> Sequence[int]:
    try:
        content = binascii.a2b_base64(text, strict_mode=True)
        return content if width == 1 else _little(array(_WIDTHS[width], content))
    except ValueError:
        return ()


def _all_below(places: Sequence[int], count: int) -> bool:
    if isinstance(places, bytes):
        return not places.translate(None, bytes(range(min(count, 256))))  # a twentieth of the time of max()
    return max(places, default=-1) < count


def _checked_all(values: list[Any], name: str) -> list[Any]:
    """`_checked` of every value; a column that is sound as a whole is not looked at value by value."""
    types = set(map(type, values))
    if types == {str} and not (name in LIMITS or name in BOOLEAN or name in CHOICES) and is_clean("".join(values)):
        return [value.strip() for value in values]
    if types <= {float, NoneType} and name in LIMITS:
        numbers = [value for value in values if value is not None]
        inside = not numbers or (min(numbers) >= 0 and max(numbers) <= LIMITS[name])
        if inside and all(map(math.isfinite, numbers)):
            return values
    return [_checked(value, name) for value in values]


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
