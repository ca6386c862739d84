"""What Hetzner's auction and dedicated lists share: CPUs by the catalog, disks and GPUs as texts."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from models import names
from pricing.identity import find_cpu, find_gpu

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_SOCKETS = 2
LONGEST_NAME = 7
_MARKS = re.compile(r"<[^>]*>|[®™]|\((?:R|TM)\)", re.IGNORECASE)
_START = frozenset({"nvidia", "amd", "geforce", "rtx", "radeon", "tesla", "quadro"})
_COUNT = re.compile(r"^(\d)x$")
_MEMORY = re.compile(r"(\d+) ?GB(?: of)?(?: (?:GDDR\d\w?|HBM\d?\w?))?(?: ECC)? (?:GPU memory|VRAM|GDDR\d\w?|HBM\d?\w?)")


@lru_cache(maxsize=1024)
def processor(name: str, stated: float | None) -> dict[str, Any]:
    """Sockets, cores and threads of a CPU: sockets as its name says, else as counted, the rest from the catalog."""
    cpu = find_cpu(name)
    sockets = names.cpu_sockets(name)
    if sockets is None and stated is not None and stated <= MAX_SOCKETS:
        # The count is called "cores" in one schema: a number that no board has sockets for is not one of sockets.
        largest = cpu.max_sockets if cpu and cpu.max_sockets else MAX_SOCKETS
        sockets = int(stated) if 1 <= stated <= largest else None
    each = sockets or 1
    return {
        "cpu_model": name,
        "sockets": sockets,
        "cores": float(cpu.cores * each) if cpu and cpu.cores else None,
        "vcpus": float(cpu.threads * each) if cpu and cpu.threads else None,
    }


def storage(disks: Iterable[str]) -> str | None:
    """Equal disks counted together: 2x 480 GB SSD + 1x 4 TB HDD."""
    counted = Counter(disks)
    return " + ".join(f"{count}x {name}" for name, count in counted.items()) or None


@lru_cache(maxsize=256)
def gpu_of(said: str) -> tuple[str, float, float | None] | None:
    """Spelling, count and stated GiB of the GPU a text names, by a catalog spelling in full; None if it names none."""
    text = _MARKS.sub(" ", said)
    memory = _MEMORY.search(text)
    memory_gib = float(memory[1]) if memory else None
    words = text.replace(",", " ").replace(".", " ").split()
    for length in range(LONGEST_NAME, 0, -1):
        for at, word in enumerate(words[: len(words) - length + 1]):
            if word.lower() in _START:
                spelling = " ".join(words[at : at + length])
                if find_gpu(spelling, memory_gib) is not None:
                    count = _COUNT.match(words[at - 1]) if at else None
                    return spelling, float(count[1]) if count else 1.0, memory_gib
    return None
