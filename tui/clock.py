"""The day and the moment that ages are counted from."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime, time

from tui import format as fmt


def today() -> date:
    """Today, or the day in RACKRATE_TODAY: pictures, documents and tests must not change with the calendar."""
    fixed = os.environ.get("RACKRATE_TODAY", "")
    try:
        return date.fromisoformat(fixed)
    except ValueError:
        return datetime.now(UTC).date()


def now() -> datetime:
    """This moment, or noon of the day in RACKRATE_TODAY."""
    if os.environ.get("RACKRATE_TODAY", ""):
        return datetime.combine(today(), time(12), UTC)
    return datetime.now(UTC)


def ago(moment: str, until: datetime) -> str:
    """How long ago an ISO time was, as people say it: "just now", "9 min ago", "3 h ago", "9 d ago"; "" for no time."""
    try:
        then = datetime.fromisoformat(moment)
    except ValueError:
        return ""
    minutes = (until - (then if then.tzinfo else then.replace(tzinfo=UTC))).total_seconds() / 60
    if minutes < 1:
        return "just now"
    if minutes < 99.5:
        return f"{minutes:.0f} min ago"
    hours = minutes / 60
    if hours < 47.5:
        return f"{hours:.0f} h ago"
    return f"{fmt.age(hours / 24)} ago"
