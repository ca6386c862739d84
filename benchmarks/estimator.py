"""How many distinct servers a second the estimator answers, the whole search for the largest concurrency included.

The servers are the bundled market's, repeated with memory sizes that differ slightly, so that none is the same twice.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from benchmarks.timing import median_ms, say
from models import catalog
from models.estimate import ServerTable, estimate
from models.traffic import Workload
from pricing.market import Market

if TYPE_CHECKING:
    from models.server import Server

GOAL_SERVERS_PER_S = 50_000


def distinct(servers: tuple[Server, ...], count: int) -> list[Server]:
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


def main() -> None:
    """Print servers per second for growing tables, and both kinds apart."""
    servers = Market.load().servers
    preset = catalog.preset("chat")
    workload = Workload(model=catalog.llm("Llama-3.1-8B"), quant="4bit", input_tokens=preset.input_tokens)
    gpus = tuple(server for server in servers if server.kind == "gpu")
    cpus = tuple(server for server in servers if server.kind == "cpu")
    for name, kind in (("both kinds", servers), ("GPU servers", gpus), ("CPU servers", cpus)):
        for count in (1_000, 10_000, 50_000):
            table = ServerTable.build(distinct(kind, count))
            took = median_ms(lambda table=table: estimate(table, workload), times=5)  # type: ignore[misc]
            rate = count / took * 1000
            say(
                f"{name}, {count:,} distinct servers",
                took,
                "ms",
                f"{rate:>12,.0f} servers/s, {rate / GOAL_SERVERS_PER_S:.1f}x the goal",
            )


if __name__ == "__main__":
    main()
