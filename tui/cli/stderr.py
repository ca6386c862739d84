"""Messages for the person: what becomes of them changes neither the result nor the exit code."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO


def write(text: str) -> None:
    """A text on stderr at once; nothing where stderr is closed, full, or read by nobody."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, ValueError):
        give_up(sys.stderr)


def give_up(stream: TextIO) -> None:
    """Let a stream end in nothing: Python would try to write what is left at exit, complain, and change the exit code."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
