"""Keys of the running dashboard on a pseudo-terminal: from sending a key until the last byte of the answer has been written.

The end is found by waiting: an answer is shown when no byte has come for 30 ms, and settled (details and plots follow the
cursor once it rests) when none has come for 300 ms; the waiting is not counted, nothing else is left out. Medians of 15.
The ratio to a repaint of the whole screen in which nothing has changed says what a key costs beyond painting.
"""

from __future__ import annotations

import os
import statistics
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.startup import environment
from benchmarks.terminal import Answer, Terminal
from benchmarks.timing import load, say

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT = Path(__file__).resolve().parents[1]
RUNS = 15
REPAINT = b"\x1b[24~"  # F12, which the dashboard does not use
# The program itself, with a market of so many offers and a key that repaints everything.
DRIVER = """
import sys
from pathlib import Path
from tui.__main__ import usual
usual()
from benchmarks.rerank import many
from tui import app
from tui.session import Session
class Measured(app.RackrateApp):
    CSS_PATH = Path(app.__file__).with_name("styles.tcss")
    BINDINGS = [*app.RackrateApp.BINDINGS, ("f12", "app.repaint", "")]
    def action_repaint(self):
        for widget in self.screen.walk_children(with_self=True):
            widget.refresh()
app.RackrateApp = Measured
count = int(sys.argv[1])
app.run(Session(market=many(count) if count else None))
"""
DOWN, PAGE_DOWN, TOP = b"j", b"\x1b[6~", b"g"
GOALS = {  # milliseconds, bytes: of an answer shown, but a change of traffic must have settled (the workload's line comes first)
    "down": (30, None),
    "page down": (None, 8192),
    "traffic, 10,000 offers": (100, None),
    "traffic, 100,000 offers": (400, None),
}


def several(terminal: Terminal, keys: Iterable[bytes], before: bytes = b"") -> list[Answer]:
    """The answers to keys, one after the other; `before` is sent and settles first, uncounted."""
    answers = []
    for key in keys:
        if before:
            terminal.key(before)
        answers.append(terminal.key(key))
    return answers


def turns(*keys: bytes) -> Iterator[bytes]:
    """The keys in turn, RUNS of them."""
    for number in range(RUNS):
        yield keys[number % len(keys)]


def tell(name: str, answers: list[Answer], empty_ms: float, goal: str = "") -> None:
    """One line: median time and bytes of the answer, and when everything had settled."""
    shown = statistics.median(one.shown_ms for one in answers)
    settled = statistics.median(one.settled_ms for one in answers)
    early, size = (statistics.median(getattr(one, part) for one in answers) for part in ("shown_bytes", "bytes"))
    most_ms, most_bytes = GOALS.get(goal or name, (None, None))
    limits = [f"goal < {most_ms} ms{' settled' if goal else ''}"] if most_ms else []
    limits += [f"goal < {most_bytes / 1024:.0f} KB"] if most_bytes else []
    note = f"{shown / empty_ms:5.2f}x a repaint  {early:6,.0f} B  settled {settled:4.0f} ms {size:6,.0f} B  {', '.join(limits)}"
    say(f"  {name}", shown, "ms", note)


def measure(count: int, columns: int, lines: int, env: dict[str, str]) -> None:
    """All keys on one terminal."""
    with Terminal(["-c", DRIVER, str(count)], env, columns, lines) as terminal:
        terminal.wait_for("↑".encode())  # the sorted column of a full table
        empty = several(terminal, turns(REPAINT))
        empty_ms = statistics.median(one.shown_ms for one in empty)
        say(f"{count or 'bundled'} offers on {columns}x{lines}: repaint without a change", empty_ms, "ms",
            f"{statistics.median(one.bytes for one in empty):,.0f} B  {load()}")  # fmt: skip
        tell("down", several(terminal, turns(DOWN)), empty_ms)
        tell("page down", several(terminal, turns(PAGE_DOWN)), empty_ms)
        terminal.key(TOP)
        name = f"traffic, {count:,} offers" if count else "traffic"
        tell("traffic, ranked anew (= and -)", several(terminal, turns(b"=", b"-")), empty_ms, name)
        tell("another sort column (3 and 4)", several(terminal, turns(b"3", b"4")), empty_ms)
        typed = []
        for _ in range(RUNS // 3):
            terminal.key(b"/")
            typed += several(terminal, [b"a", b"w", b"s"])
            terminal.key(b"\x1b")
            terminal.key(b"\x1b")
        tell("a letter of a filter", typed, empty_ms)


def main() -> None:
    """The bundled offers on two sizes of terminal, then many."""
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        env = {**environment(folder), "PYTHONPATH": str(ROOT)}
        for count, columns, lines in ((0, 120, 36), (0, 80, 24), (10_000, 120, 36), (100_000, 120, 36)):
            measure(count, columns, lines, env)


if __name__ == "__main__":
    main()
