"""What the catalogues that others assemble have in common: one row a zone, spot beside on-demand, shortened GPU names."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pricing.errors import FeedError
from pricing.feed import BrokenRowError
from pricing.identity import gpu_instance, looks_like_gpu

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pricing.feed import Harvest

LEAST_SPOT_SHARE = 0.03
"""No spot price is so far below on-demand: a bid's lower bound or another unit."""
_LINK = re.compile(r"(?:^|[-_ .])(sxm|pcie?|nvl)\d?(?=$|[-_ .])", re.IGNORECASE)
_LINKS = {"sxm": "SXM", "pci": "PCIe", "pcie": "PCIe", "nvl": "NVL"}

Key = tuple[str, str, str | None, str | None]
"""Provider, server, region, tier."""


@dataclass
class Listed:
    """Rows of a catalogue gathered by server and region, the cheapest zone of each term kept."""

    harvest: Harvest
    machines: dict[Key, dict[str, Any]] = field(default_factory=dict)
    on_demand: dict[Key, float] = field(default_factory=dict)
    spot: dict[Key, float] = field(default_factory=dict)

    def take(self, key: Key, machine: dict[str, Any], on_demand: float | None, spot: float | None) -> None:
        """Take a row: what the machine is, and its prices per hour in one zone."""
        if on_demand is None and spot is None:
            self.harvest.skip("no price")
            return
        if self.machines.setdefault(key, machine) != machine:
            self.harvest.skip("one name for two machines")
            return
        for prices, price in ((self.on_demand, on_demand), (self.spot, spot)):
            if price is not None:
                prices[key] = min(price, prices.get(key, price))

    def add_all(self, source_date: str | None) -> None:
        """Make offers of all that was taken. A spot price not below on-demand is none; `source_date` None = undated."""
        for key, machine in self.machines.items():
            provider, server, region, tier = key
            whose = {"provider": provider, "server": server, "region": region, "tier": tier, "source_date": source_date}
            full, spot = self.on_demand.get(key), self.spot.get(key)
            if full is not None:
                self.harvest.add(**whose, **machine, price_per_hour=full)
            if spot is None:
                continue
            if full is not None and not LEAST_SPOT_SHARE * full < spot < full:
                self.harvest.skip("spot price that is none")
                continue
            self.harvest.add(**whose, **machine, term="spot", price_per_hour=spot)


def table_rows(provider: str, what: str, lines: Iterable[str], needed: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Rows of a CSV whose header must name some columns. Raises FeedError."""
    reader = csv.DictReader(lines)
    try:
        header = reader.fieldnames or []
        missing = [name for name in needed if name not in header]
        if missing:
            raise FeedError(
                provider,
                f"the list of {what} has no column {missing[0]}.",
                hint="The feed has changed; old prices stay in use, a newer rackrate may read it.",
            )
        for row in reader:
            # csv keeps surplus cells under None and fills absent ones with None.
            if None in row or None in row.values():
                yield {}
            else:
                yield row
    except (csv.Error, UnicodeDecodeError) as error:
        raise FeedError(provider, f"the list of {what} is damaged.", hint="Old prices stay in use.") from error


def whole_row(row: dict[str, Any]) -> None:
    """Refuse a row that had another number of cells than the header. Raises BrokenRowError."""
    if not row:
        raise BrokenRowError("a row of another length")


def lines_of(text: str) -> io.StringIO:
    """A text as the lines that a CSV reader wants."""
    return io.StringIO(text, newline="")


@lru_cache(maxsize=4096)
def spelling(gpu: str, server: str) -> str:
    """A shortened GPU name with the form factor that the server's name tells: "A100", "gpu_8x_a100_sxm4" -> "A100 SXM"."""
    found = _LINK.search(server)
    return f"{gpu} {_LINKS[found[1].lower()]}" if found and not _LINK.search(gpu) else gpu


@lru_cache(maxsize=16384)
def unnamed_gpu(provider: str, server: str) -> bool:
    """Whether a server that is listed without an accelerator must have one that we cannot name."""
    return looks_like_gpu(provider, server) and gpu_instance(provider, server) is None
