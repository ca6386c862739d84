"""One server of the user's own, field by field: what may be written, and the sentence for what may not."""

from __future__ import annotations

import difflib
import math
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from models.errors import brief
from pricing import money, offer
from pricing.offer_csv import LIMITS, clean_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Reader = Callable[[Any], Any]

LONGEST_NAME = 100
LONGEST_TEXT = 500


class FieldFault(ValueError):  # noqa: N818 - an error for the user once the caller has named the place
    """What is wrong with a field; `path` says which: ("gpu",) or ("owned", "watts")."""

    def __init__(self, path: tuple[str, ...], message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.path = path
        self.message = message
        self.hint = hint


@dataclass(frozen=True, slots=True)
class _Number:
    """A number in a TOML: finite, not negative, of a size that exists."""

    most: float
    least: float = 0.0
    zero: bool = False
    whole: bool = False
    hint: str = ""
    """What is probably meant by a number outside."""

    def __call__(self, value: Any) -> float | int:
        number = _finite(value)
        if number < 0:
            raise _Refusal(f"{number:g} is negative")
        if number == 0 and not self.zero:
            raise _Refusal("0 is not above 0", "Leave the field out if it is not known.")
        if number > self.most:
            raise _Refusal(f"{number:g} is more than {self.most:g}", self.hint or "Check its unit.")
        if number < self.least:
            raise _Refusal(f"{number:g} is less than {self.least:g}", self.hint or "Check its unit.")
        if self.whole and number != int(number):
            raise _Refusal(f"{number:g} is not a whole number")
        return int(number) if self.whole else number


class _Refusal(ValueError):  # noqa: N818 - becomes a FieldFault
    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def _finite(value: Any) -> float:
    if isinstance(value, str):
        raise _Refusal(f"{brief(value)} is a text, not a number", "Numbers are written without quotes.")
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _Refusal(f"{brief(value)} is not a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise _Refusal(f"{brief(value)} is not a finite number")
    return number


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _Refusal(f"{brief(value)} is not a text", 'Texts are written in quotes: "...".')
    if not value.isprintable() and any("\ud800" <= char <= "\udfff" for char in value):
        raise _Refusal(f"{brief(value)} holds bytes that are no text in UTF-8")
    text = clean_text(value)
    if not text:
        raise _Refusal("it is empty", "Leave the field out if it is not known.")
    if len(text) > LONGEST_TEXT:
        raise _Refusal(f"it has {len(text):,} characters, more than {LONGEST_TEXT}")
    return text


def _name(value: Any) -> str:
    text = _text(value)
    if text != value.strip():
        raise _Refusal(f"{brief(value)} holds control characters")
    if len(text) > LONGEST_NAME:
        raise _Refusal(f"it has {len(text):,} characters, more than {LONGEST_NAME}")
    return text


def _yes_or_no(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _Refusal(f"{brief(value)} is neither true nor false")
    return value


def _vat_included(value: Any) -> bool:
    if not isinstance(value, bool):
        hint = "It says whether the price has tax in it; the rate is `vat` of the settings, or --vat."
        raise _Refusal(f"{brief(value)} is neither true nor false", hint)
    return value


def _one_of(*allowed: str) -> Reader:
    def read(value: Any) -> str:
        word = _text(value).lower()
        if word not in allowed:
            raise _Refusal(f"{brief(value)} is not one of {', '.join(allowed)}")
        return word

    return read


def _currency(value: Any) -> str:
    word = _text(value).upper()
    if len(word) != 3 or not (word.isascii() and word.isalpha()):
        raise _Refusal(f"{brief(value)} is not a three-letter currency such as EUR")
    return word


def _day(value: Any) -> date:
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    try:
        return date.fromisoformat(_text(value))
    except ValueError as error:
        if isinstance(error, _Refusal):
            raise
        raise _Refusal(f"{brief(value)} is not a date such as 2026-11-30") from None


def _limit(column: str, **more: Any) -> _Number:
    """A number with the schema's limit."""
    return _Number(LIMITS[column], **more)


_MONEY = 1e12
"""Limits of money are in dollars, see `_check_money`; this one only keeps sums finite."""

FIELDS: dict[str, Reader] = {
    "name": _name,
    "kind": _one_of(*offer.KINDS),
    "gpu": _text,
    "gpu_count": _limit("gpu_count"),
    "gpu_memory_gib": _limit("vram_gib_per_gpu"),
    "interconnect": _text,
    "cpu": _text,
    "sockets": _limit("sockets", whole=True),
    "cores": _limit("cores"),
    "vcpus": _limit("vcpus"),
    "shared_cpu": _yes_or_no,
    "memory_channels": _limit("memory_channels"),
    "memory_mts": _limit("memory_mts"),
    "ram_gib": _limit("ram_gib"),
    "storage": _text,
    "nic": _text,
    "region": _text,
    "region_group": _one_of(*offer.REGION_GROUPS),
    "currency": _currency,
    "price_per_hour": _Number(_MONEY),
    "price_per_month": _Number(_MONEY),
    "setup_fee": _Number(_MONEY, zero=True),
    "commitment_months": _limit("commitment_months", whole=True),
    "term": _one_of(*offer.TERMS),
    "vat_included": _vat_included,
    "seen": _day,
    "note": _text,
}
OWNED_FIELDS: dict[str, Reader] = {
    "purchase": _Number(_MONEY),
    "months": _Number(240, least=1),
    "watts": _Number(500_000, least=20, hint="It is the draw of the whole machine at the wall, in watts."),
    "power_price_per_kwh": _Number(_MONEY, zero=True),
    "colocation_per_month": _Number(_MONEY, zero=True),
    "pue": _Number(3, least=1, hint="It is a factor: 1.3 adds 30 % for cooling."),
}
OWNED_NEEDED = ("purchase", "months", "watts", "power_price_per_kwh")

_DOLLARS = {
    "price_per_hour": LIMITS["price_per_hour"],
    "price_per_month": LIMITS["price_per_month"],
    "setup_fee": LIMITS["setup_fee"],
    "purchase": 100_000_000.0,
    "colocation_per_month": 1_000_000.0,
    "power_price_per_kwh": 2.0,
}
"""The most that each can be, in US dollars: beyond it a unit was mixed up, such as cents a kWh."""
_MEANT = {
    "gpu_model": "gpu", "gpus": "gpu_count", "vram": "gpu_memory_gib", "vram_gib": "gpu_memory_gib",
    "vram_gib_per_gpu": "gpu_memory_gib", "gpu_memory": "gpu_memory_gib", "cpu_model": "cpu", "ram": "ram_gib",
    "memory_gib": "ram_gib", "server": "name", "hourly": "price_per_hour", "monthly": "price_per_month",
    "price": "price_per_hour", "setup": "setup_fee", "commitment": "commitment_months", "source_date": "seen",
    "date": "seen", "vat": "vat_included", "power_price": "power_price_per_kwh", "colocation": "colocation_per_month",
}  # fmt: skip
"""Other words for the fields: the comparison's columns, the command line's flags."""


def read_fields(table: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, float] | None]:
    """The checked fields of a [[server]] and of its [server.owned], if it has one. Raises FieldFault."""
    rest = dict(table)
    owned = rest.pop("owned", None)
    values = _read(rest, FIELDS, ())
    if owned is not None and not isinstance(owned, dict):
        hint = "Write a line [server.owned] below the server's other fields, then purchase, months, ..."
        raise FieldFault(("owned",), f"{brief(owned)} is not a table", hint=hint)
    bought = None if owned is None else _read(owned, OWNED_FIELDS, ("owned",))
    for name in ("name", "currency"):
        if name not in values:
            raise FieldFault((name,), "it is missing")
    _check_money(values, bought)
    return values, bought


def _read(table: Mapping[str, Any], fields: Mapping[str, Reader], within: tuple[str, ...]) -> dict[str, Any]:
    values = {}
    for name, value in table.items():
        path = (*within, name)
        if name not in fields:
            raise FieldFault(path, "there is no such field", hint=_nearest(name, within))
        try:
            values[name] = fields[name](value)
        except _Refusal as refusal:
            raise FieldFault(path, str(refusal), hint=refusal.hint) from None
    return values


def _nearest(name: str, within: tuple[str, ...]) -> str:
    here, other = (OWNED_FIELDS, FIELDS) if within else (FIELDS, OWNED_FIELDS)
    word = _MEANT.get(name.lower(), name.lower())
    for fields, place in ((here, ""), (other, "above [server.owned]" if within else "below a line [server.owned]")):
        found = [word] if word in fields else difflib.get_close_matches(word, fields, n=1, cutoff=0.75)
        if found and not place:
            return f"Did you mean {found[0]}?"
        if found:
            return f"{found[0]} belongs {place}." if found[0] == name else f"Did you mean {found[0]}, {place}?"
    if "discount" in word:
        return "Discounts are in the settings: [discounts], custom = 5."
    return f"Known: {', '.join(here)}."


def _check_money(values: Mapping[str, Any], bought: Mapping[str, float] | None) -> None:
    """Refuse sums that no server costs, at the bundled exchange rates; a currency without one is not judged."""
    for fields, within in ((values, ()), (bought or {}, ("owned",))):
        for name, most in _DOLLARS.items():
            amount = fields.get(name)
            if amount is None or amount <= most:  # no currency is worth so much more than a dollar that it matters
                continue
            factor = money.Rates.bundled().factor(values["currency"], "USD")
            if factor is not None and amount * factor > most:
                raise FieldFault(
                    (*within, name),
                    f"{values['currency']} {amount:,.15g} is more than USD {most:,g}",
                    hint="Check its unit: it is the price of one kWh, not in cents."
                    if name == "power_price_per_kwh"
                    else "Check its unit.",
                )
