"""All offers at hand and the distinct machines behind them: thousands of offers are some hundreds of servers."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from models import catalog
from models.server import Server
from pricing.offer_csv import read_offers
from pricing.snapshot import SNAPSHOT_DATE, load_snapshot

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from models.chip import Chip
    from models.cpu import CPU
    from models.estimate import ServerTable
    from pricing.offer import Offer
    from pricing.store import Store

    Array = np.ndarray[Any, Any]

FLOAT_COLUMNS = frozenset(
    {
        "sockets",
        "cores",
        "vcpus",
        "memory_channels",
        "memory_mts",
        "ram_gib",
        "gpu_count",
        "vram_gib_per_gpu",
        "gpu_memory_bandwidth_gb_s",
        "commitment_months",
        "upfront_share",
        "price_per_hour",
        "price_per_month",
        "setup_fee",
        "memory_read_gb_s_measured",
    }
)

# Clouds that cut AMD hosts chiplet by chiplet.
_PACKING = frozenset({"aws", "azure", "gcp", "alibaba"})
_ARM_NAMES = re.compile(r"graviton|ampere|altra|cobalt|axion|grace|aarch64|\barm\b|cortex|neoverse", re.IGNORECASE)
_ARM_SERVERS: dict[str, re.Pattern[str]] = {
    "aws": re.compile(r"^(a1|[a-z]+\d+g[a-z]*)\.", re.IGNORECASE),
    "azure": re.compile(r"^(standard_)?[a-z]+\d+[a-z]*p[a-z]*_", re.IGNORECASE),
    "gcp": re.compile(r"^(t2a|c4a|n4a)-", re.IGNORECASE),
    "hetzner": re.compile(r"^cax", re.IGNORECASE),
    "oci": re.compile(r"\.a[124]\b", re.IGNORECASE),
    "scaleway": re.compile(r"coparm|^amp", re.IGNORECASE),
}
_BARE_METAL = re.compile(r"metal|^bm\.", re.IGNORECASE)


class Market:
    """Offers, their distinct servers and the index between them. Arrays have one entry per offer, NaN = not stated."""

    def __init__(self, offers: Sequence[Offer], snapshot_date: str = SNAPSHOT_DATE) -> None:
        """Group the offers by machine; later offers win over earlier ones of the same id."""
        self.offers: tuple[Offer, ...] = tuple({entry.offer_id: entry for entry in offers}.values())
        self.snapshot_date = snapshot_date
        self.servers, self.server_index = _distinct(self.offers)
        self.messages: tuple[str, ...] = ()
        self._columns: dict[str, Array] = {}

    @classmethod
    def load(
        cls,
        prices: Path | None = None,
        *,
        bundled: bool = True,
        extra: Iterable[Offer] = (),
        store: Store | None = None,
    ) -> Market:
        """Bundled prices, fetched ones over them, then the user's file, then the user's own servers.

        `bundled=False` leaves out the bundled prices, and with a price file the fetched ones too: the file alone.
        Raises OffersError if the file cannot be used.
        """
        offers: list[Offer] = []
        base = load_snapshot() if bundled else ()
        if store is not None and (bundled or prices is None):
            offers += store.merged(base)
        else:
            offers += base
        if prices is not None:
            offers += read_offers(prices)
        offers += extra
        market = cls(offers)
        market.messages = tuple(store.messages) if store is not None else ()
        return market

    def __len__(self) -> int:
        return len(self.offers)

    @cached_property
    def table(self) -> ServerTable:
        """The distinct servers as the estimator wants them."""
        from models.estimate import ServerTable

        return ServerTable.build(self.servers)

    def column(self, name: str) -> Array:
        """A column of the schema: floats (NaN = not stated) or objects (None = not stated). Kept after first use."""
        found = self._columns.get(name)
        if found is None:
            values = [getattr(entry, name) for entry in self.offers]
            if name in FLOAT_COLUMNS:
                found = np.array(values, dtype=float) if values else np.empty(0)
            else:
                found = np.empty(len(values), dtype=object)
                found[:] = values
            self._columns[name] = found
        return found

    @cached_property
    def is_gpu(self) -> Array:
        """True where the offer is a GPU server."""
        return np.array([entry.kind == "gpu" for entry in self.offers], dtype=bool)

    @cached_property
    def known_hardware(self) -> Array:
        """False where a GPU offer's chip is not in the catalog: such rows stay, without estimates."""
        known = np.array([server.kind == "cpu" or server.chip is not None for server in self.servers], dtype=bool)
        return known[self.server_index] if len(known) else known

    @cached_property
    def source_day(self) -> Array:
        """The day each price was seen, NaT = undated."""
        return np.array([entry.source_date or "NaT" for entry in self.offers], dtype="datetime64[D]")

    @cached_property
    def out_of_stock(self) -> Array:
        """True where the provider says that it has none, or no longer lists it."""
        return np.array([is_out_of_stock(entry.availability) for entry in self.offers], dtype=bool)

    @cached_property
    def rank(self) -> Array:
        """The order of the offers' ids: ties break the same way everywhere."""
        ids = self.column("offer_id").astype(str)
        rank = np.empty(len(ids), dtype=np.int64)
        rank[np.argsort(ids, kind="stable")] = np.arange(len(ids))
        return rank

    @cached_property
    def haystack(self) -> tuple[str, ...]:
        """What a word of a search is looked for in, in lower case."""
        return tuple(
            " ".join(
                filter(
                    None,
                    (
                        entry.provider,
                        entry.region,
                        entry.region_group,
                        entry.server,
                        entry.kind,
                        entry.gpu_model,
                        entry.cpu_model,
                        entry.term,
                        entry.tier,
                    ),
                )
            ).lower()
            for entry in self.offers
        )

    @cached_property
    def currencies(self) -> tuple[str, ...]:
        """Currencies that offers are priced in."""
        return tuple(dict.fromkeys(entry.currency for entry in self.offers))

    @cached_property
    def currency_index(self) -> Array:
        """Each offer's place in `currencies`."""
        place = {code: at for at, code in enumerate(self.currencies)}
        return np.array([place[entry.currency] for entry in self.offers], dtype=np.intp)

    @cached_property
    def host_cpu(self) -> tuple[CPU | None, ...]:
        """The host's CPU of each offer; None = not in the catalog or not stated."""
        known: dict[str, CPU | None] = {}
        found = []
        for entry in self.offers:
            name = entry.cpu_model
            if name and name not in known:
                known[name] = catalog.find_cpu(name)
            found.append(known[name] if name else None)
        return tuple(found)


def is_out_of_stock(availability: str | None) -> bool:
    """Whether an availability means that the offer cannot be rented now."""
    word = (availability or "").lower().replace("_", " ")
    return word in {"out of stock", "sold out", "unavailable", "none", "false"} or word.startswith("not in the last")


def is_arm(provider: str, server: str, cpu_model: str | None) -> bool:
    """Whether the names of an offer say Arm."""
    if cpu_model:
        return _ARM_NAMES.search(cpu_model) is not None
    pattern = _ARM_SERVERS.get(provider)
    return bool(_ARM_NAMES.search(server) or (pattern and pattern.search(server)))


def _distinct(offers: Sequence[Offer]) -> tuple[tuple[Server, ...], Array]:
    finder = _Finder()
    places: dict[tuple[Any, ...], int] = {}
    servers: list[Server] = []
    index = np.empty(len(offers), dtype=np.intp)
    for at, entry in enumerate(offers):
        key = finder.gpu_key(entry) if entry.kind == "gpu" else finder.cpu_key(entry)
        place = places.get(key)
        if place is None:
            place = places[key] = len(servers)
            servers.append(finder.server(key))
        index[at] = place
    return tuple(servers), index


class _Finder:
    """Looks up chips and CPUs once per spelling, and makes the key of an offer's machine."""

    def __init__(self) -> None:
        self._chips: dict[tuple[Any, ...], Chip | None] = {}
        self._chip_by_key: dict[tuple[Any, ...], Chip | None] = {}
        self._cpus: dict[str, CPU | None] = {}
        self._machines: dict[tuple[str, str, str | None], tuple[bool, float]] = {}

    def gpu_key(self, entry: Offer) -> tuple[Any, ...]:
        count = entry.gpu_count or 1.0
        slice_gib = entry.vram_gib_per_gpu if count < 1 else None
        link = entry.interconnect or "" if count > 1 else ""
        spelling = (entry.gpu_model, None if count < 1 else entry.vram_gib_per_gpu, entry.interconnect)
        if spelling not in self._chips:
            self._chips[spelling] = _find_chip(*spelling)
        chip = self._chips[spelling]
        key = (
            "gpu",
            chip.name if chip else None,
            chip.memory_gib if chip else entry.vram_gib_per_gpu,
            count,
            slice_gib,
            link,
        )
        self._chip_by_key[key] = chip
        return key

    def cpu_key(self, entry: Offer) -> tuple[Any, ...]:
        name = entry.cpu_model
        if name and name not in self._cpus:
            self._cpus[name] = catalog.find_cpu(name)
        cpu = self._cpus[name] if name else None
        arm, per_core = self._machine(entry)
        cores = entry.cores or (entry.vcpus / per_core if entry.vcpus else None)
        sockets = entry.sockets or 1
        whole = bool(cpu and cpu.cores and cores and cores >= cpu.cores * sockets)
        channels = entry.memory_channels / sockets if whole and entry.memory_channels else None
        metal = _BARE_METAL.search(entry.server) is not None
        packed = bool(cpu and cpu.vendor == "AMD" and entry.provider in _PACKING and not metal)
        return (
            "cpu",
            name if cpu else None,
            arm,
            entry.sockets,
            _whole(cores),
            _whole(entry.vcpus),
            bool(entry.shared_cpu),
            packed,
            _whole(channels),
            entry.memory_mts if whole else None,
            entry.ram_gib,
        )

    def _machine(self, entry: Offer) -> tuple[bool, float]:
        """Arm or not, and vCPUs per core, of a provider's instance."""
        key = (entry.provider, entry.server, entry.cpu_model)
        found = self._machines.get(key)
        if found is None:
            arm = is_arm(*key)
            per_core = 1.0 if arm else 2.0
            if entry.cores is None:
                row = catalog.instance_family(entry.provider, entry.server) or {}
                per_core = float(row.get("vcpu_per_core") or per_core)
            found = self._machines[key] = (arm, per_core)
        return found

    def server(self, key: tuple[Any, ...]) -> Server:
        if key[0] == "gpu":
            _, _, _, count, slice_gib, link = key
            return Server(
                "gpu", chip=self._chip_by_key[key], gpu_count=count, vram_gib_per_gpu=slice_gib, interconnect=link
            )
        _, name, arm, sockets, cores, vcpus, shared, packed, channels, mts, ram_gib = key
        return Server(
            "cpu",
            cpu=self._cpus[name] if name else None,
            arch="arm" if arm else "x86",
            sockets=sockets,
            cores=cores,
            vcpus=vcpus,
            shared_cpu=shared,
            packed=packed,
            memory_channels=channels,
            memory_mts=mts,
            ram_gib=ram_gib,
        )


def _find_chip(name: str | None, memory_gib: float | None, link: str | None) -> Chip | None:
    if not name:
        return None
    chip = catalog.find_chip(name, memory_gib=memory_gib, link=link)
    # The catalog's card with another memory size is another card.
    if chip is not None and memory_gib is not None and abs(chip.memory_gib - memory_gib) > 0.1 * chip.memory_gib:
        return None
    return chip


def _whole(value: float | None) -> int | None:
    return None if value is None else max(1, round(value))
