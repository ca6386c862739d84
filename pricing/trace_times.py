"""When the requests of a trace came: numbers of any usual unit, and dates."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from models.errors import brief

if TYPE_CHECKING:
    import pandas as pd

    Array = np.ndarray[Any, Any]

_UNITS = ((1e17, 1e9, "nanoseconds"), (1e14, 1e6, "microseconds"), (1e11, 1e3, "milliseconds"))
"""From which number on times since 1970 are nano-, micro-, milliseconds: as the next longer unit they would be the year 5138."""
_LARGEST = 1e20
"""As nanoseconds the year 5138: no time is larger in any unit."""
_SINCE_1970_S = 1e9
"""Seconds since 1970 are above this since 2001; as milliseconds from the start it would be a trace of 11 days."""
_ZONE = r"(?:[Zz]|[+-]\d\d(?::?\d\d)?)\s*$"
_COMMA = re.compile(r"[+-]?\d+,\d+")


@dataclass(frozen=True, slots=True)
class BadTime:
    """The first row whose time cannot be used, and a sentence why; an empty one where it has none."""

    row: int
    reason: str


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds of each request, and what they were in the file."""

    seconds: Array
    unit: str
    """As a sentence names it: seconds, dates, milliseconds since 1970, ..."""


def seconds_of(column: pd.Series[Any], *, relative_ms: bool = False) -> Times | BadTime:
    """Seconds of each request, or what is wrong with the first that has none.

    Numbers are seconds, from the start or since 1970; so large ones that they cannot be are shorter units since 1970. Whether a
    column holds numbers or dates is said by its first entry.

    Args:
        column: numbers or ISO 8601 dates; not empty.
        relative_ms: small numbers are milliseconds from the start, as the format or the column's name says.
    """
    import pandas as pd

    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
        return _of_numbers(column, column.to_numpy(dtype=np.float64), relative_ms=relative_ms)
    if _is_number(column.iloc[0]):
        values = pd.to_numeric(column.astype(str), errors="coerce").to_numpy(dtype=np.float64)
        return _of_numbers(column, values, relative_ms=relative_ms)
    return _of_dates(column)


def _of_numbers(column: pd.Series[Any], values: Array, *, relative_ms: bool) -> Times | BadTime:
    bad = ~(np.abs(values) <= _LARGEST)  # NaN is not below anything
    if bad.any():
        return _no_time(column, bad, "is not a number of seconds")
    largest = float(np.abs(values).max())
    for least, parts, name in _UNITS:
        if largest >= least:
            return Times(values / parts, f"{name} since 1970")
    if values.min() >= _SINCE_1970_S:
        return Times(values, "seconds since 1970")
    return Times(values / 1e3, "milliseconds") if relative_ms else Times(values, "seconds")


def _of_dates(column: pd.Series[Any]) -> Times | BadTime:
    import pandas as pd

    texts = column.astype(str)
    times = _one_zone(texts)
    if times is None:
        times = pd.to_datetime(texts, format="ISO8601", errors="coerce", utc=True)
        # A number among dates would be taken for a year.
        bad = times.isna().to_numpy() | pd.to_numeric(texts, errors="coerce").notna().to_numpy()
        if bad.any():
            return _no_time(column, bad, "is not a time like 2026-11-30T12:00:00 or a number of seconds")
        zoned = texts.str.contains(_ZONE).to_numpy()
        other = zoned != zoned[0]
        if other.any() and not zoned.all():
            row = int(np.flatnonzero(other)[0])
            has = "a time zone" if zoned[row] else "no time zone"
            return BadTime(row, f"{brief(str(column.iloc[row]), 40)} has {has}, unlike those before.")
    micro = times.dt.tz_localize(None).to_numpy().astype("datetime64[us]").astype(np.int64)
    return Times(micro / 1e6, "dates")


def _is_number(value: Any) -> bool:
    """Whether an entry, of JSON or as text, is a number; true and false are none."""
    if isinstance(value, bool):
        return False
    try:
        return bool(np.isfinite(float(value)))
    except (TypeError, ValueError, OverflowError):
        return False


def _one_zone(texts: pd.Series[Any]) -> pd.Series[Any] | None:
    """The times if all are dates of one zone or of none, the quick way; else None."""
    import pandas as pd

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = pd.to_datetime(texts, format="ISO8601")
    except (ValueError, OverflowError):
        return None
    return found if pd.api.types.is_datetime64_any_dtype(found) and not found.isna().any() else None


def _no_time(column: pd.Series[Any], bad: Array, why: str) -> BadTime:
    import pandas as pd

    row = int(np.flatnonzero(bad)[0])
    value = column.iloc[row]
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return BadTime(row, "")
    shown = brief(str(value), 40)
    if row and _is_number(value) and "number of seconds" in why and "time like" in why:
        return BadTime(row, f"{shown} is a number, unlike the dates before.")
    comma = " Write a decimal point, not a comma." if _COMMA.fullmatch(str(value)) else ""
    return BadTime(row, f"{shown} {why}.{comma}")
