"""Mistakes of the program itself: what a report of one says, and the file in which reports are kept.

A report names versions, the workload, the view and where it happened. It holds no environment, no settings (a mirror's address
may carry a password), no values of variables, and no secret that the environment holds.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tui import format as fmt

if TYPE_CHECKING:
    from tui.session import Session

LOG = "errors.log"
LOG_BYTES = 200_000
"""The newest reports that fit are kept."""
MARK = "=== rackrate error "
SHORTEST_SECRET = 6
"""A shorter value would strike out ordinary words."""
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH", re.IGNORECASE)
_USER_IN_ADDRESS = re.compile(r"(?<=://)[^/\s@]+@")
_QUERY = re.compile(r"(https?://[^\s?'\"]+)\?[^\s'\"]*")


@dataclass(frozen=True, slots=True)
class Failure:
    """One mistake."""

    sentence: str
    """Kind and message, in one line."""
    place: str
    """File, line and function in which it arose."""
    trace: str
    """The calls that led there, without values."""

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        """What can be said of an exception."""
        import traceback

        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if "site-packages" not in frame.filename] or list(frames)
        last = own[-1] if own else None
        place = f"{_short(last.filename)}:{last.lineno}, {last.name}" if last is not None else "unknown place"
        said = " ".join(fmt.clean(scrubbed(str(error))).split())
        sentence = f"{type(error).__name__}: {said}" if said else type(error).__name__
        trace = scrubbed("".join(traceback.format_exception(error)))
        return cls(sentence if len(sentence) <= 300 else sentence[:299] + "…", place, trace)


def _short(filename: str) -> str:
    return "/".join(Path(filename).parts[-2:])


def scrubbed(text: str) -> str:
    """A text without secrets: keys that the environment holds, users and queries of addresses, the home folder."""
    for name, value in os.environ.items():
        if _SECRET_NAME.search(name) and len(value.strip()) >= SHORTEST_SECRET:
            text = text.replace(value.strip(), "***")
    text = _QUERY.sub(r"\1?***", _USER_IN_ADDRESS.sub("***@", text))
    home = str(Path.home())
    return text.replace(home, "~") if len(home) > 1 else text


def report(failure: Failure, session: Session, screen: str, moment: str) -> str:
    """All that helps to find the mistake."""
    import platform
    from importlib import metadata

    def version(name: str) -> str:
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            return "not installed"

    view, counts = session.view, session.counts()
    work = session.workload
    lines = [
        f"{MARK}{moment}",
        f"{failure.sentence}",
        f"in {failure.place}",
        f"rackrate {version('rackrate')}, textual {version('textual')}, numpy {version('numpy')}",
        f"Python {platform.python_version()}, {sys.platform} {platform.machine()}",
        f"screen {screen}",
        f"model {work.model.name} {work.quant}, KV {work.kv_quant}, engine {work.engine}",
        f"traffic {work.input_tokens} -> {work.output_tokens} tokens, {work.requests_per_s} req/s, {work.concurrency} users",
        f"view {view}",
        f"offers {counts.shown} of {counts.total}, {len(session.marks)} marked",
        "",
        failure.trace.rstrip(),
        "",
    ]
    return scrubbed("\n".join(lines))


def keep(text: str, folder: Path) -> Path:
    """Add a report to the file of reports, dropping the oldest where there are too many. Raises StoreError."""
    from pricing import atomic

    path = folder / LOG
    try:
        before = path.read_text(encoding="utf-8", errors="replace")[-LOG_BYTES:]
    except OSError:
        before = ""
    room = LOG_BYTES - len(text.encode())
    while before and len(before.encode()) > room:
        start = before.find(MARK, 1)
        before = before[start:] if start > 0 else ""
    if not before.startswith(MARK):
        before = ""
    atomic.write_text(path, before + text[:LOG_BYTES] + "\n")
    return path
