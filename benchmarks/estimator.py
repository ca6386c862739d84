"""How fast the estimator is on one core: the search for the largest concurrency, distinct servers, rows of a file.

Seconds depend on the machine and on what else runs on it; the ratios to a fixed loop of numpy in the same process hardly do.
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.random_cases import random_case, random_rows
from benchmarks.timing import median_ms, say
from models import catalog
from models.cases import estimate_rows
from models.constants import constants
from models.estimate import ServerTable, estimate
from models.gpu_speed import GpuSpeed
from models.measured_rows import measured_rows
from models.serving import largest_concurrency
from models.traffic import Workload
from pricing.market import Market

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from models.server import Server

GOAL_MS = {10_000: 30.0, 100_000: 300.0}
"""Distinct cases with the whole search."""
GOAL_ROWS_PER_S = 20_000
TTFT_S, TPOT_S = 2.0, 0.05
ROWS = 20_000
_CHUNK = 4000


def reference(count: int) -> None:
    """The yardstick: a hundred rounds of five operations on `count` numbers, in blocks that a cache holds."""
    for at in range(0, count, 8192):
        size = min(8192, count - at)
        x, y = np.full(size, 1.5), np.linspace(1.0, 2.0, size)
        for _ in range(100):
            x = np.sqrt(x * x + y * y) / (1.0 + y)


def search() -> None:
    """Distinct cases of a serving engine as arrays: their coefficients, and the largest concurrency inside both targets."""
    k = constants().gpu
    for count in (1, 1_000, 10_000, 100_000):
        case = random_case(count, 1)
        limit = np.random.default_rng(3).integers(1, 1025, count).astype(np.float64)
        times = 5 if count > 10_000 else 15
        speed = GpuSpeed(case, k)
        made = median_ms(lambda case=case: GpuSpeed(case, k), times)  # type: ignore[misc]
        found = median_ms(lambda speed=speed, limit=limit: largest_concurrency(speed, limit, TTFT_S, TPOT_S), times)  # type: ignore[misc]
        yardstick = median_ms(lambda count=count: reference(count), times)  # type: ignore[misc]
        goal = f", goal {GOAL_MS[count]:.0f} ms" if count in GOAL_MS else ""
        note = f"{made:.2f} coefficients + {found:.2f} search; {(made + found) / yardstick:.2f}x the numpy loop{goal}"
        say(f"largest concurrency, {count:,} distinct cases", made + found, "ms", note)


def distinct(servers: Sequence[Server], count: int) -> list[Server]:
    """`count` servers that all differ: the n-th copy has n thousandths more memory."""
    made = []
    for n in range(count):
        server = servers[n % len(servers)]
        more = 1 + (n // len(servers)) / 1000
        if server.kind == "gpu":
            chip = server.chip and replace(server.chip, memory_gib=server.chip.memory_gib * more)
            made.append(replace(server, chip=chip))
        else:
            made.append(replace(server, ram_gib=server.ram_gib and server.ram_gib * more))
    return made


def servers() -> None:
    """`estimate` end to end on the bundled market's servers, repeated with other memory sizes: layouts, search, load, memory, bands."""
    market = Market.load().servers
    preset = catalog.preset("chat")
    workload = Workload(model=catalog.llm("Llama-3.1-8B"), quant="4bit", input_tokens=preset.input_tokens)
    for name, kinds in (("both kinds", {"gpu", "cpu"}), ("GPU servers", {"gpu"}), ("CPU servers", {"cpu"})):
        some = [server for server in market if server.kind in kinds]
        for count in (1_000, 10_000):
            made = distinct(some, count)
            table = ServerTable.build(made)
            took = median_ms(lambda table=table: estimate(table, workload), times=7)  # type: ignore[misc]
            say(f"estimate, {name}, {count:,} distinct", took, "ms", f"{count / took * 1000:>12,.0f} servers/s")


def _in_chunks(rows: Sequence[Mapping[str, str]]) -> None:
    for at in range(0, len(rows), _CHUNK):
        estimate_rows(rows[at : at + _CHUNK])


def _command_s(path: Path) -> float:
    """Seconds of `rackrate estimate` on a file, the better of two."""
    taken = []
    for _ in range(2):
        start = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "tui", "estimate", str(path), "-o", str(path.with_suffix(".out"))],
            check=True,
            capture_output=True,
        )
        taken.append(time.perf_counter() - start)
    return min(taken)


def rows() -> None:
    """Rows of a cases file: the function, and the command line with reading and writing, beyond its start on a single row."""
    several: dict[str, list[dict[str, str]]] = {
        "shipped measurements": list(measured_rows()),
        "random cases, all distinct": random_rows(ROWS),
    }
    for name, table in several.items():
        took = median_ms(lambda table=table: _in_chunks(table), times=3)  # type: ignore[misc]
        rate = len(table) / took * 1000
        say(f"estimate_rows, {len(table):,} {name}", took, "ms", f"{rate:>12,.0f} rows/s, goal {GOAL_ROWS_PER_S:,}")
    with tempfile.TemporaryDirectory() as folder:
        for name, table in several.items():
            files = Path(folder) / "all.csv", Path(folder) / "one.csv"
            for path, part in zip(files, (table, table[:1]), strict=True):
                with path.open("w", encoding="utf-8", newline="") as file:
                    writer = csv.DictWriter(file, list(table[0]))
                    writer.writeheader()
                    writer.writerows(part)
            whole, start = (_command_s(path) for path in files)
            rate = (len(table) - 1) / (whole - start)
            note = f"{start * 1000:.0f} ms of it start; {rate:,.0f} rows/s beyond, goal {GOAL_ROWS_PER_S:,}"
            say(f"rackrate estimate, {len(table):,} {name}", whole * 1000, "ms", note)


def main() -> None:
    """Print all figures."""
    search()
    servers()
    rows()


if __name__ == "__main__":
    main()
