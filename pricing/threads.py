"""Several calls at once, in threads that nobody has to wait for: a program that ends must not wait for a silent server.

An executor's threads are joined when the interpreter ends; these are daemons.
"""

from __future__ import annotations

import contextlib
import queue
import threading
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

T = TypeVar("T")
POLL_S = 0.1
"""How often who waits for the calls looks whether to go on."""


def at_once(
    calls: Sequence[Callable[[], T]], threads: int, name: str, stop: Callable[[], bool]
) -> Iterator[tuple[int, T | BaseException]]:
    """Place and result (or what was raised) of each call as it ends; ends early when `stop` says so.

    Calls that have not begun by then, or when the caller takes no more, never begin; those under way are left behind.
    """
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    ended: queue.SimpleQueue[tuple[int, T | BaseException]] = queue.SimpleQueue()
    left = threading.Event()
    for place in range(len(calls)):
        waiting.put(place)

    def work() -> None:
        with contextlib.suppress(queue.Empty):
            while not left.is_set():
                place = waiting.get_nowait()
                try:
                    ended.put((place, calls[place]()))
                except BaseException as error:  # noqa: BLE001 - told to the caller, who would wait for ever
                    ended.put((place, error))

    for number in range(min(threads, len(calls))):
        threading.Thread(target=work, name=f"{name}-{number}", daemon=True).start()
    missing = len(calls)
    try:
        while missing and not stop():
            with contextlib.suppress(queue.Empty):
                yield ended.get(timeout=POLL_S)
                missing -= 1
    finally:
        left.set()
