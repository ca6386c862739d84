"""All offers at hand and the distinct machines behind them: thousands of offers are some hundreds of servers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from models.practical import is_out_of_stock
from pricing import bundled_servers
from pricing.bundled import load_bundled
from pricing.machines import distinct
from pricing.offer_csv import read_offers
from pricing.offer_list import column, joined, latest
from pricing.snapshot import SNAPSHOT_DATE
from pricing.stock import most_servers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import date

    from models.estimate import ServerTable
    from models.server import Server
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
        "pcie_gb_s_measured",
        "numa_nodes",
    }
)


_SEARCHED = ("provider", "region", "region_group", "server", "kind", "gpu_model", "cpu_model", "term", "tier")


class Market:
    """Offers, their distinct servers and the index between them. Arrays have one entry per offer, NaN = not stated."""

    def __init__(
        self,
        offers: Sequence[Offer],
        snapshot_date: str = SNAPSHOT_DATE,
        *,
        machines: Callable[[Sequence[Offer]], tuple[tuple[Server, ...], Array]] = distinct,
    ) -> None:
        """Group the offers by machine; later offers win over earlier ones of the same id."""
        self.offers: Sequence[Offer] = latest(offers)
        self.snapshot_date = snapshot_date
        self.servers, self.server_index = machines(self.offers)
        self.messages: tuple[str, ...] = ()
        self.machines_folder: Path | None = None
        """Where files of measured machines are, if any were fetched."""
        self._columns: dict[str, Array] = {}

    @classmethod
    def load(
        cls,
        prices: Path | Sequence[Path] = (),
        *,
        bundled: bool = True,
        extra: Iterable[Offer] = (),
        store: Store | None = None,
        today: date | None = None,
    ) -> Market:
        """Bundled prices, fetched ones over them, then the user's file or files, then the user's own servers.

        `bundled=False` leaves out the bundled prices, and with a price file the fetched ones too: the file alone.
        No price of a file may be dated after `today`. Raises OffersError if the file cannot be used.
        """
        shipped: Sequence[Offer] = load_bundled() if bundled else ()
        files = (prices,) if isinstance(prices, Path) else tuple(prices)
        base = shipped
        if store is not None and (bundled or not files):
            base = store.merged(shipped)
        listed = [read_offers(file, latest=_latest(today)) for file in files]
        offers = joined((base, *listed, tuple(extra)))
        market = cls(offers, machines=bundled_servers.machines if offers is shipped else distinct)
        if store is not None:
            market.messages, market.machines_folder = tuple(store.messages), store.machines
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
            values = column(self.offers, name)
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
        return np.array([kind == "gpu" for kind in column(self.offers, "kind")], dtype=bool)

    @cached_property
    def vram_gib(self) -> Array:
        """GiB of all GPUs of each offer; of a slice of a card its own."""
        count = self.column("gpu_count")
        found: Array = self.column("vram_gib_per_gpu") * np.maximum(count, 1.0)
        return found

    @cached_property
    def memory_gb_s(self) -> Array:
        """Memory bandwidth of each offer's server, GB/s, as the estimator has it; NaN = not known."""
        rates = self.table.memory_gb_s
        return rates[self.server_index] if len(rates) else rates

    @cached_property
    def known_hardware(self) -> Array:
        """False where a GPU offer's chip is not in the catalog: such rows stay, without estimates."""
        known = np.array([server.kind == "cpu" or server.chip is not None for server in self.servers], dtype=bool)
        return known[self.server_index] if len(known) else known

    @cached_property
    def most_servers(self) -> Array:
        """The most servers of each offer that can be had at once, at most as many as are practical."""
        facts = zip(*(column(self.offers, name) for name in ("provider", "tier", "availability")), strict=True)
        return np.array([most_servers(*each) for each in facts], dtype=float)

    @cached_property
    def source_day(self) -> Array:
        """The day each price was seen, NaT = undated."""
        return self._by_text("source_date", lambda day: day or "NaT", "datetime64[D]")

    @cached_property
    def out_of_stock(self) -> Array:
        """True where the provider says that it has none, or no longer lists it."""
        return self._by_text("availability", is_out_of_stock, bool)

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
        columns = (column(self.offers, name) for name in _SEARCHED)
        return tuple(" ".join(filter(None, texts)).lower() for texts in zip(*columns, strict=True))

    @cached_property
    def currencies(self) -> tuple[str, ...]:
        """Currencies that offers are priced in."""
        return tuple(dict.fromkeys(column(self.offers, "currency")))

    @cached_property
    def currency_index(self) -> Array:
        """Each offer's place in `currencies`."""
        place = {code: at for at, code in enumerate(self.currencies)}
        return self._by_text("currency", place.__getitem__, np.intp)

    def _by_text(self, name: str, read: Callable[[Any], Any], dtype: Any) -> Array:
        """What a column's texts say, each distinct one read once."""
        texts = column(self.offers, name)
        places: dict[Any, int] = {}
        at = [places.setdefault(text, len(places)) for text in texts]
        said: Array = np.array([read(text) for text in places], dtype=dtype)
        return said[np.array(at, dtype=np.intp)] if at else said


def _latest(today: date | None) -> str:
    """The last day a price can have been seen: tomorrow (clocks differ), or later where the bundled list is newer."""
    tomorrow = (today or datetime.now(UTC).date()) + timedelta(days=1)
    return max(tomorrow.isoformat(), SNAPSHOT_DATE)
