"""The day that ages of prices are counted from."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime


def today() -> date:
    """Today, or the day in RACKRATE_TODAY: pictures, documents and tests must not change with the calendar."""
    fixed = os.environ.get("RACKRATE_TODAY", "")
    try:
        return date.fromisoformat(fixed)
    except ValueError:
        return datetime.now(UTC).date()
