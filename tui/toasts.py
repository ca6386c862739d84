"""A message in the corner that expired before it was shown must not stop the program.

Textual (8.2.8) starts a timer with the seconds that a notification has left when its toast is made. Between the check that it has not
expired and that moment it can: a timer of less than no time never yields, and the screen stands still for ever, at a whole processor.
"""

from __future__ import annotations

from textual.widgets._toast import Toast

LEAST_S = 0.05
"""A toast stays at least so long."""
_KEY = "_seconds_left"


def _left(toast: Toast) -> float:
    return float(vars(toast)[_KEY])


def _set_left(toast: Toast, seconds: float) -> None:
    vars(toast)[_KEY] = max(seconds, LEAST_S)


def guard() -> None:
    """Give every toast made from now on a time to stay."""
    Toast._timeout = property(_left, _set_left)  # type: ignore[assignment]  # noqa: SLF001 - its only place
