"""A speed with some of its formulas changed: the same numbers under a class that answers otherwise."""

from __future__ import annotations

import copy
from typing import Any

_CLASSES: dict[tuple[type, type], type] = {}


def derived(speed: Any, change: type, **more: Any) -> Any:
    """A copy of a speed whose class has `change` before its own, with `more` as attributes.

    `steady` then reads more than the plain class says, so a cut leaves nothing out (no CROWD).
    """
    key = (type(speed), change)
    if key not in _CLASSES:
        name = f"{change.__name__.strip('_')}{type(speed).__name__}"
        _CLASSES[key] = type(name, (change, type(speed)), {"CROWD": ()})
    other = copy.copy(speed)
    other.__class__ = _CLASSES[key]
    vars(other).update(more)
    return other
