"""What Spare Cores measured of the hosts behind instance types: how fast memory is read, how many NUMA nodes there are.

`data/measured_hosts.csv` is their inspection data in excerpts and keeps its licence, CC BY-SA 4.0.
"""

from __future__ import annotations

import csv
from functools import cache
from typing import NamedTuple

from pricing import paths


class HostFacts(NamedTuple):
    """Facts of one instance type; None = not measured."""

    read_gb_s: float | None
    """Reads of a 512 MiB block by all vCPUs at once."""
    numa_nodes: int | None


NOTHING = HostFacts(None, None)


@cache
def _facts() -> dict[tuple[str, str], HostFacts]:
    with paths.bundled("measured_hosts.csv").open(encoding="utf-8", newline="") as file:
        reader = csv.reader(file)
        next(reader)
        return {
            (provider, server): HostFacts(float(read) if read else None, int(nodes) if nodes else None)
            for provider, server, read, nodes, _ in reader
        }


def host_facts(provider: str, server: str) -> HostFacts:
    """What is known of a provider's instance type; Azure's are looked up with and without "Standard_"."""
    return _facts().get((provider, server.removeprefix("Standard_")), NOTHING)
