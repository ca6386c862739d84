"""A program on a pseudo-terminal: started, sent keys, and listened to until it is quiet."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from dataclasses import dataclass
from typing import Self

BURST_S = 0.03
"""A pause so long ends what a key is answered with at once."""
QUIET_S = 0.3
"""A pause so long ends everything that follows from a key."""
LIMIT_S = 60


@dataclass(frozen=True, slots=True)
class Answer:
    """What a key brought."""

    shown_ms: float
    """Until the last byte before the first pause of BURST_S: the key's own change is on the screen."""
    settled_ms: float
    """Until the last byte before a pause of QUIET_S: details and plots that follow the cursor are too."""
    shown_bytes: int
    bytes: int


class Terminal:
    """A Python program in a terminal of a given size."""

    def __init__(self, words: list[str], env: dict[str, str], columns: int, lines: int) -> None:
        self.child, self.file = pty.fork()
        if self.child == 0:  # pragma: no cover
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
            os.execve(sys.executable, [sys.executable, *words], env)  # noqa: S606

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
        with contextlib.suppress(OSError):
            os.close(self.file)

    def wait_for(self, text: bytes) -> None:
        """Read until a text has been written, then until it is quiet."""
        written, start = b"", time.perf_counter()
        while text not in written:
            if time.perf_counter() - start > LIMIT_S:
                raise TimeoutError(f"no {text!r} within {LIMIT_S} s: {written[-300:]!r}")
            if select.select([self.file], [], [], 0.5)[0]:
                written += os.read(self.file, 65536)
        self.listen()

    def key(self, keys: bytes) -> Answer:
        """Send a key and listen until it is quiet; nothing is subtracted."""
        os.write(self.file, keys)
        return self.listen()

    def listen(self) -> Answer:
        """Read until nothing comes for QUIET_S."""
        start = last = time.perf_counter()
        shown, early, size = 0.0, 0, 0
        while select.select([self.file], [], [], QUIET_S)[0]:
            now = time.perf_counter()
            # A first byte may take as long as it wants: the burst has not begun.
            if size and not early and now - last > BURST_S:
                shown, early = last - start, size
            size += len(os.read(self.file, 65536))
            last = time.perf_counter()
        settled = last - start if size else 0.0
        return Answer((shown if early else settled) * 1000, settled * 1000, early or size, size)
