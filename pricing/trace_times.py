"""When the requests of a trace came: numbers of any usual unit, and dates."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from models.errors import brief

if TYPE_CHECKING:
    import pandas as pd

    Array = np.ndarray[Any, Any]

_UNITS = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))
"""From which number on times since 1970 are nano-, micro-, milliseconds: as the next longer unit they would be the year 5138."""
_SINCE_1970_S = 1e9
"""Seconds since 1970 are above this since 2001; as milliseconds from the start it would be a trace of 11 days."""
_ZONE = r"(?:[Zz]|[+-]\d\d(?::?\d\d)?)\s*$"


@dataclass(frozen=True, slots=True)
class BadTime:
    """The first row whose time cannot be used, and a sentence why."""

    row: int
    reason: str


def seconds_of(column: pd.Series[Any], *, relative_ms: bool = False) -> tuple[Array, BadTime | None]:
    """Seconds of each request, and what is wrong with the first that has none.

    Numbers are seconds, from the start or since 1970; so large ones that they cannot be are shorter units since 1970.

    Args:
        column: numbers or ISO 8601 dates; not empty.
        relative_ms: small numbers are milliseconds from the start, as traces in JSON lines have them.
    """
    import pandas as pd

    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
        values = column.to_numpy(dtype=np.float64)
        bad = ~np.isfinite(values)
        if bad.any():
            return values, _no_time(column, bad)
        return values / _unit(values, relative_ms=relative_ms), None
    texts = column.astype(str)
    times = _one_zone(texts)
    if times is None:
        times = pd.to_datetime(texts, format="ISO8601", errors="coerce", utc=True)
        bad = times.isna().to_numpy()
        if bad.any():
            return np.empty(0), _no_time(column, bad)
        zoned = texts.str.contains(_ZONE).to_numpy()
        other = zoned != zoned[0]
        if other.any() and not zoned.all():
            row = int(np.flatnonzero(other)[0])
            has = "a time zone" if zoned[row] else "no time zone"
            return np.empty(0), BadTime(row, f"{brief(str(column.iloc[row]), 40)} has {has}, unlike those before.")
    micro = times.dt.tz_localize(None).to_numpy().astype("datetime64[us]").astype(np.int64)
    return micro / 1e6, None


def _unit(values: Array, *, relative_ms: bool) -> float:
    """By what numbers are divided to be seconds."""
    largest = float(np.abs(values).max())
    for least, parts in _UNITS:
        if largest >= least:
            return parts
    return 1e3 if relative_ms and values.min() < _SINCE_1970_S else 1.0


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


def _no_time(column: pd.Series[Any], bad: Array) -> BadTime:
    row = int(np.flatnonzero(bad)[0])
    shown = brief(str(column.iloc[row]), 40)
    return BadTime(row, f"{shown} is not a time like 2026-11-30T12:00:00 or a number of seconds.")
