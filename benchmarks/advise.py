"""Whole processes of `rackrate advise` and of `rackrate compare` with the same workload, in turns; the figure is the ratio."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.startup import environment
from benchmarks.timing import load, say

ROOT = Path(__file__).resolve().parents[1]
RUNS = 10
GOAL = 1.5
FLAGS = ("--model", "llama-3.1-8b", "--rps", "1")


def took_ms(command: tuple[str, ...], env: dict[str, str]) -> float:
    """Wall time of one process whose output nobody reads."""
    start = time.perf_counter()
    run = (sys.executable, "-m", "tui", *command, *FLAGS)
    subprocess.run(run, env=env, cwd=ROOT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return (time.perf_counter() - start) * 1000


def main() -> None:
    """Print both medians and their ratio."""
    with tempfile.TemporaryDirectory() as folder:
        env = environment(folder)
        compare, advise = ("compare", "--format", "csv"), ("advise",)
        for command in (compare, advise):  # fills the caches
            took_ms(command, env)
        taken: dict[tuple[str, ...], list[float]] = {compare: [], advise: []}
        for _ in range(RUNS):  # in turns, so that a busy machine is busy for both
            for command in (compare, advise):
                taken[command].append(took_ms(command, env))
    base, asked = (statistics.median(taken[command]) for command in (compare, advise))
    for words, found in taken.items():
        name = f"rackrate {' '.join(words)}, median of {RUNS}"
        say(name, statistics.median(found), "ms", f"{min(found):.0f}-{max(found):.0f}")
    say("advise against compare", asked / base, "times", f"goal {GOAL:g}; {load()}")


if __name__ == "__main__":
    sys.path.insert(0, os.fspath(ROOT))
    main()
