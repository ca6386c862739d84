"""A whole process of `rackrate advise fleet` with a trace of a million requests: the figure is seconds, from start to answer."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.startup import environment
from benchmarks.timing import load, say

ROOT = Path(__file__).resolve().parents[1]
REQUESTS = 1_000_000
RUNS = 3
GOAL_S = 5.0


def write(folder: Path) -> dict[str, Path]:
    """A week of a million requests in the shapes of three public traces; lengths spread as in those."""
    random = np.random.default_rng(1)
    seconds = np.sort(random.uniform(0, 7 * 86_400, REQUESTS))
    inputs = np.maximum(random.lognormal(6.5, 1.0, REQUESTS), 1).astype(int).tolist()
    outputs = np.maximum(random.lognormal(5.0, 1.0, REQUESTS), 1).astype(int).tolist()
    dates = np.datetime_as_string(np.datetime64("2026-11-02") + (seconds * 1e6).astype("timedelta64[us]"))
    paths = {name: folder / name for name in ("azure.csv", "burst.csv", "mooncake.jsonl")}
    with paths["azure.csv"].open("w") as file:
        file.write("TIMESTAMP,ContextTokens,GeneratedTokens\n")
        file.writelines(f"{d.replace('T', ' ')}0,{i},{o}\n" for d, i, o in zip(dates, inputs, outputs, strict=True))
    with paths["burst.csv"].open("w") as file:
        file.write("Timestamp,Request tokens,Response tokens\n")
        file.writelines(f"{s:.0f},{i},{o}\n" for s, i, o in zip(seconds, inputs, outputs, strict=True))
    with paths["mooncake.jsonl"].open("w") as file:
        file.writelines(
            f'{{"timestamp": {s * 1e3:.0f}, "input_length": {i}, "output_length": {o}, "hash_ids": [{i}]}}\n'
            for s, i, o in zip(seconds, inputs, outputs, strict=True)
        )
    return paths


def took_s(path: Path, env: dict[str, str]) -> float:
    """Wall time of one process."""
    start = time.perf_counter()
    run = (sys.executable, "-m", "tui", "advise", "fleet", "--trace", os.fspath(path))
    subprocess.run(run, env=env, cwd=ROOT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    """Print each shape's median."""
    with tempfile.TemporaryDirectory() as folder:
        env = environment(folder)
        for name, path in write(Path(folder)).items():
            taken = [took_s(path, env) for _ in range(RUNS)]
            spread = f"{min(taken):.2f}-{max(taken):.2f}, median of {RUNS}, goal {GOAL_S:g}; {load()}"
            say(
                f"advise fleet, {REQUESTS:,} requests as {name}, median of {RUNS}",
                statistics.median(taken),
                "s",
                spread,
            )


if __name__ == "__main__":
    sys.path.insert(0, os.fspath(ROOT))
    main()
