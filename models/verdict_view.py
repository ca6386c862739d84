"""What a verdict reads: the columns of the offers asked about, which of them are cheap and can be had, and how they are named."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from models.explain import duration
from models.practical import STALE_DAYS, is_out_of_stock, too_many

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from models.band_ends import End
    from models.traffic import Workload

_SIGNS = {"USD": "$", "EUR": "€", "GBP": "£"}


class Compared(Protocol):
    """What a verdict reads: the workload and columns by name, NaN or None where there is no figure."""

    workload: Workload

    def column(self, name: str) -> NDArray[Any]:
        """One array of the comparison."""

    def at_end(self, end: End, times: float = 1.0) -> Compared:
        """The same with every speed at an end of its error band, under `times` the traffic."""

    def months_at(self, offers: Sequence[int], end: End) -> tuple[float, ...]:
        """Monthly costs of some offers at an end of their bands, NaN where they miss the targets there."""


@dataclass(frozen=True, slots=True)
class View:
    """Columns of the offers asked about, and the offers' own indices."""

    at: NDArray[np.intp]
    read: Callable[[str], NDArray[Any]]
    ttft_target: float
    tpot_target: float
    currency: str
    requests_per_s: float | None
    users: int
    quant: str
    utilization: float = 1.0
    """Planned share of what a server can do."""
    ttft_column: str = "ttft_ms"
    ttft_name: str = "TTFT"
    """The figure that the TTFT target is compared with, and its name."""

    @property
    def no_targets(self) -> bool:
        """Whether neither a TTFT nor a TPOT is asked for."""
        return math.isinf(self.ttft_target) and math.isinf(self.tpot_target)

    @property
    def wanted(self) -> tuple[str, float]:
        """The column that says what one server carries, and the traffic asked for in the same unit."""
        if self.requests_per_s is not None:
            return "requests_per_s_at_target", self.requests_per_s
        return "max_concurrency", float(self.users)

    @property
    def goal(self) -> str:
        """What an offer is to do, in words."""
        return "carries this traffic alone" if self.no_targets else "meets the targets"

    def number(self, name: str) -> NDArray[np.float64]:
        """A column of the offers asked about, NaN where there is no figure."""
        return np.asarray(self.read(name)[self.at], dtype=np.float64)

    def label(self, offer: int) -> str:
        """Seller and machine, the seller's name once."""
        provider, server = str(self.read("provider")[offer]), str(self.read("server")[offer])
        return server if server.lower().startswith(provider.lower()) else f"{provider} {server}"

    def value(self, name: str, offer: int) -> float:
        """One figure of one offer."""
        return float(self.read(name)[offer])

    def price(self, offer: int, said: str = "") -> str:
        """The server's month with what must be known of it, but for what is `said` already."""
        notes = ", ".join(note for note in self._price_notes(offer) if note != said)
        cost = self.money(self.value("monthly_cost", offer))
        return f"{self._fleet(offer)} at {cost} a month{f' ({notes})' if notes else ''}"

    def dearer(self, offer: int, ratio: float) -> str:
        """The server with how many times as much it costs, and what must be known of that price."""
        cost = ", ".join((self.money(self.value("monthly_cost", offer)), *self._price_notes(offer)))
        return f"{self._fleet(offer)}, costs {times(ratio)} ({cost})"

    def practical(self, offer: int) -> bool:
        """False for a fleet that nobody runs, or of more servers than there are."""
        return not self.value("servers_needed", offer) > self.value("most_servers", offer)

    def too_many(self, offer: int) -> str:
        """Why a fleet is not practical."""
        return too_many(self.value("most_servers", offer))

    def _fleet(self, offer: int) -> str:
        count = self.value("servers_needed", offer)
        return f"{count:,.0f} x {self.label(offer)}" if count > 1 else self.label(offer)

    def _price_notes(self, offer: int) -> Iterator[str]:
        """What a buyer must know of a price: spot servers are taken away again, old prices may be gone."""
        if not self.practical(offer):
            yield self.too_many(offer)
        if self.read("term")[offer] == "spot":
            yield "spot"
        if is_out_of_stock(self.read("availability")[offer]):
            yield str(self.read("availability")[offer])
        days = self.value("price_age_days", offer)
        if days > STALE_DAYS:
            yield f"price {days:,.0f} days old"

    def money(self, amount: float) -> str:
        """An amount in the currency shown."""
        sign = _SIGNS.get(self.currency)
        text = f"{amount:,.0f}" if amount >= 100 else f"{amount:,.2f}"
        return f"{sign}{text}" if sign else f"{text} {self.currency}"

    def speed(self, offer: int) -> str:
        """Both latencies; an embedding model has one."""
        between = self.value("tpot_ms", offer)
        first = f"{self.ttft_name} {time(self.value(self.ttft_column, offer))}"
        return f"{first}, TPOT {time(between)}" if math.isfinite(between) else first

    def band(self, column: str, offer: int) -> tuple[float, float]:
        """The error band of a latency; the tail's is as wide as the mean's."""
        if column == "ttft_p95_ms":
            ratio = self.value(column, offer) / self.value("ttft_ms", offer)
            return self.value("ttft_ms_low", offer) * ratio, self.value("ttft_ms_high", offer) * ratio
        return self.value(f"{column}_low", offer), self.value(f"{column}_high", offer)


def look(compared: Compared, rows: NDArray[np.intp] | None) -> View:
    """The offers of a comparison, or those at the indices `rows`; each column is read once."""
    columns: dict[str, NDArray[Any]] = {}

    def read(name: str) -> NDArray[Any]:
        if name not in columns:
            columns[name] = compared.column(name)
        return columns[name]

    at = np.arange(len(read("kind"))) if rows is None else np.asarray(rows, dtype=np.intp)
    work = compared.workload
    currencies = read("cost_currency")
    return View(
        at,
        read,
        work.ttft_ms or math.inf,
        work.tpot_ms or math.inf,
        str(currencies[0]) if len(currencies) else "USD",
        work.requests_per_s,
        work.concurrency or 1,
        work.quant,
        work.utilization,
        work.ttft_column,
        work.ttft_name,
    )


def kinds(view: View) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which are CPU servers, which GPU servers."""
    kind = view.read("kind")[view.at]
    return kind == "cpu", kind == "gpu"


def in_stock(view: View) -> NDArray[np.bool_]:
    """Which can be had now, as far as their sellers say."""
    texts = view.read("availability")[view.at].tolist()
    has = {text: not is_out_of_stock(text) for text in set(texts)}
    return np.array([has[text] for text in texts], dtype=bool)


def cheapest(view: View, mask: NDArray[np.bool_], cost: NDArray[np.float64], stock: NDArray[np.bool_]) -> int | None:
    """The offer with the lowest monthly cost; in stock and practical ones first, ties to the lower TTFT."""
    usable = mask & ~np.isnan(cost)
    if not usable.any():
        return None
    practical = view.number("servers_needed") <= view.number("most_servers")
    for preferred in (usable & practical & stock, usable & practical, usable):
        if preferred.any():
            usable = preferred
            break
    places = np.flatnonzero(usable)
    order = np.lexsort((view.number("ttft_ms")[places], cost[places]))
    return int(view.at[places[order[0]]])


def time(milliseconds: float) -> str:
    """A latency as people say it."""
    return duration(milliseconds) if math.isfinite(milliseconds) else "unknown"


def times(ratio: float) -> str:
    """How many times as much."""
    return "the same" if ratio < 1.05 else f"{ratio:.1f}x" if ratio < 10 else f"{ratio:.0f}x"
