"""Politeness: how many requests a host gets at a time, and how close together."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PER_HOST = 4
"""Requests to one host at a time: browsers use six."""


@dataclass
class Pacer:
    """Gives each host's requests their turns; safe to use from several threads."""

    _lock: threading.Lock = field(default_factory=threading.Lock)
    _slots: dict[str, threading.BoundedSemaphore] = field(
        default_factory=lambda: defaultdict(lambda: threading.BoundedSemaphore(PER_HOST))
    )
    _free_at: dict[str, float] = field(default_factory=dict)

    @contextlib.contextmanager
    def turn(self, host: str, pace_s: float, wait: Callable[[float], None]) -> Iterator[None]:
        """Hold one of the host's places; the request before it began at least `pace_s` seconds ago."""
        with self._lock:
            slots = self._slots[host]
        with slots:
            if pace_s:
                with self._lock:
                    now = time.monotonic()
                    start = max(now, self._free_at.get(host, now))
                    self._free_at[host] = start + pace_s
                if start > now:
                    wait(start - now)
            yield
