"""What the table shows, without a widget: which offers, in which order, and the facts behind each cell."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from models.practical import STALE_DAYS
from tui import format as fmt
from tui.columns import BY_ID, COSTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from models.traffic import Workload
    from pricing.compare import Comparison
    from pricing.offer import Offer

DEFAULT_SORT = "per_million"
DEFAULT_SORT_OF_USERS = "month"
"""With users a faster server makes more tokens: the cheapest by the token is not the cheapest for them."""
GROUPED_SORTS = frozenset(COSTS)
"""Sorting by cost keeps servers that miss the targets behind those that meet them; any other column sorts plainly."""


def usual_sort(workload: Workload) -> str:
    """The column whose first line is the cheapest that meets the targets; the same as that of pricing.filters."""
    return DEFAULT_SORT_OF_USERS if workload.requests_per_s is None else DEFAULT_SORT


_NOISE = re.compile(
    r"\((?:R|TM)\)|\b(?:AMD|Intel|Ampere|Processor|CPU|Platinum|Gold|Silver|Bronze|\d+-Core)\b|@.*$", re.IGNORECASE
)
TERMS = {
    "on_demand": "on-demand",
    "spot": "spot",
    "reserved": "reserved",
    "savings_plan": "savings",
    "monthly": "monthly",
}


@lru_cache(maxsize=4096)
def short_cpu(name: str) -> str:
    """A CPU's name without the maker and marketing words: "AMD EPYC 7R13 Processor" is "EPYC 7R13"."""
    return " ".join(_NOISE.sub(" ", name).split()) or name


_MEMORY_IN_NAME = re.compile(r"-\d+GB\b")


def server(offer: Offer) -> str:
    """The seller's name of the machine, without the seller's own name in front: the column beside it says that."""
    return name(offer.server, offer.provider)


def name(server: str, provider: str) -> str:
    """The same from the two names."""
    seller = f"{provider}-"
    return server[len(seller) :] if server.lower().startswith(seller.lower()) and len(server) > len(seller) else server


def hardware(offer: Offer) -> str:
    """An offer's machine in a few words: "4× L40S 48 GB" or "16c EPYC 7R13 64 GB"."""
    if offer.kind == "gpu":
        chip = offer.gpu_model or "unknown GPU"
        memory = f" {offer.vram_gib_per_gpu:.3g} GB" if offer.vram_gib_per_gpu else ""
        if memory:
            chip = _MEMORY_IN_NAME.sub("", chip)  # H100-80GB-SXM5 would say its memory twice
        chip = chip.replace("-", " ")
        return f"{gpu_count(offer.gpu_count)}× {chip}{memory}"
    cores = f"{offer.cores:g}c" if offer.cores else f"{offer.vcpus:g}v" if offer.vcpus else ""
    sockets = f"{offer.sockets}× " if offer.sockets and offer.sockets > 1 else ""
    name = short_cpu(offer.cpu_model) if offer.cpu_model else "shared CPU" if offer.shared_cpu else "unknown CPU"
    ram = f"{offer.ram_gib:.4g} GB" if offer.ram_gib else ""
    return " ".join(part for part in (cores, f"{sockets}{name}", ram) if part)


def gpu_count(count: float | None) -> str:
    """1, 8, and slices of a card as a fraction: 1/8."""
    if count is None:
        return "?"
    if 0 < count < 1:
        parts = 1 / count
        return f"1/{parts:.0f}" if abs(parts - round(parts)) < 0.02 * parts else f"{count:.2g}"
    return f"{count:g}"


def term(offer: Offer) -> str:
    """On-demand, monthly, or reserved with its months: "reserved 12"."""
    name = TERMS.get(offer.term, offer.term)
    return (
        f"{name} {offer.commitment_months}"
        if offer.commitment_months and offer.term in {"reserved", "savings_plan"}
        else name
    )


class Texts:
    """Ranks of the text columns over one market, worked out at the first sort by each."""

    def __init__(self, offers: Sequence[Offer]) -> None:
        self.offers = offers
        self._ranks: dict[str, np.ndarray] = {}
        self._index: dict[str, int] | None = None
        self.unrefreshed: Mapping[str, str] = {}
        """Providers whose own feed failed last, and when."""

    @cached_property
    def names(self) -> list[str]:
        """Server and provider of each offer, for looking for a part of them."""
        return [f"{offer.server} {offer.provider}".casefold() for offer in self.offers]

    def index_of(self, offer_id: str) -> int | None:
        """Which offer has this id."""
        if self._index is None:
            self._index = {offer.offer_id: i for i, offer in enumerate(self.offers)}
        return self._index.get(offer_id)

    def ranks(self, name: str) -> np.ndarray:
        """Alphabetical ranks of one column as floats, NaN where the text is missing."""
        if name not in self._ranks:
            self._ranks[name] = ranked([_TEXT[name](offer) for offer in self.offers])
        return self._ranks[name]


def ranked(texts: Sequence[str | None]) -> np.ndarray:
    """Alphabetical ranks as floats, NaN where there is no text."""
    keys = {text: natural(text) for text in set(texts) if text}
    place = {key: float(rank) for rank, key in enumerate(sorted(set(keys.values())))}
    ranks = {text: place[key] for text, key in keys.items()}
    return np.array([ranks.get(text, np.nan) if text else np.nan for text in texts], dtype=float)


def natural(text: str) -> str:
    """Numbers in a text sort by their size: m5.2xlarge before m5.16xlarge."""
    return _DIGITS.sub(_padded, text.casefold())


_DIGITS = re.compile(r"[0-9]+")


def _padded(found: re.Match[str]) -> str:
    return found[0].lstrip("0").zfill(12)


_TEXT: dict[str, Callable[[Offer], str | None]] = {
    "server": lambda offer: offer.server,
    "provider": lambda offer: offer.provider,
    "region": lambda offer: offer.region or offer.region_group,
    "hardware": hardware,
    "term": term,
    "region_group": lambda offer: offer.region_group,
    "tier": lambda offer: offer.tier,
}
_SAID = frozenset({"bound_by", "engine_used"})
"""Texts of the estimate, which change with the workload."""


class Rows:
    """One comparison in display order; `i` is an offer's index in the market, a position is its line in the table."""

    def __init__(self, comparison: Comparison, order: np.ndarray, texts: Texts) -> None:
        self.comparison = comparison
        self.order = order
        self.texts = texts
        self.workload: Workload = comparison.workload
        self._arrays: dict[str, np.ndarray] = {}

    def __len__(self) -> int:
        return len(self.order)

    def index(self, position: int) -> int:
        """The offer on a line."""
        return int(self.order[position])

    def position(self, offer_id: str) -> int | None:
        """The line of an offer, None where the filter hides it."""
        index = self.texts.index_of(offer_id)
        if index is None:
            return None
        found = np.flatnonzero(self.order == index)
        return int(found[0]) if len(found) else None

    def offer(self, i: int) -> Offer:
        """The offer itself."""
        return self.texts.offers[i]

    def array(self, name: str) -> np.ndarray:
        """A column of the comparison over all offers."""
        if name not in self._arrays:
            try:
                self._arrays[name] = self.comparison.column(name)
            except KeyError:  # an estimate that is no column of the CSV
                self._arrays[name] = np.asarray(getattr(self.comparison.estimates, name))[
                    self.comparison.market.server_index
                ]
        return self._arrays[name]

    def value(self, name: str, i: int) -> float | None:
        """A figure, None where there is none."""
        value = self.array(name)[i]
        return None if value is None or value != value else float(value)

    def flag(self, name: str, i: int) -> bool:
        """A yes or no of the comparison."""
        return bool(self.array(name)[i])

    def text(self, name: str, i: int) -> str:
        """A text of the estimate (fit_reason, bound_by, engine_used, quant_used, basis), made for this offer only."""
        return str(getattr(self.comparison.estimates, name)(int(self.comparison.market.server_index[i])) or "")

    def late(self, i: int) -> bool:
        """Whether the first token comes later than its target."""
        value, target = self.value(self.workload.ttft_column, i), self.workload.ttft_ms
        return value is not None and target is not None and value > target

    def slow(self, i: int) -> bool:
        """Whether a user's tokens come slower than their target."""
        value, target = self.value("tpot_ms", i), self.workload.tpot_ms
        return value is not None and target is not None and value > target

    def reason(self, i: int) -> str:
        """Why the offer misses a target, or has no figures."""
        return self.comparison.reason(i)

    def warnings(self, i: int) -> tuple[str, ...]:
        """What to watch out for on this server."""
        return tuple(self.comparison.warnings(i))

    def step(self, i: int) -> list[tuple[str, float]]:
        """Where the time of an output token goes, ms."""
        return self.comparison.step(i)

    def machine_figures(self, i: int) -> tuple[str, ...]:
        """What was measured on the offer's own instance type, in words."""
        return self.comparison.machine_figures(i)

    def measurements(self, i: int) -> tuple[str, ...]:
        """What was measured on or near this server, with sources."""
        return tuple(self.comparison.measurements(i))

    def server(self, i: int) -> str:
        """The seller's name of the machine."""
        return server(self.offer(i))

    def hardware(self, i: int) -> str:
        """The machine in a few words."""
        return hardware(self.offer(i))

    def term(self, i: int) -> str:
        """How the price is committed."""
        return term(self.offer(i))

    def measured(self, i: int) -> bool:
        """True where the speed rests on a measurement of this very set-up."""
        return self.text("basis", i) == "measured"

    def old(self, i: int) -> bool:
        """True for a price that needs checking: old, undated, of an offer that cannot be had now, or of a feed that failed."""
        days = self.value("price_age_days", i)
        stale = days is None or days > STALE_DAYS or bool(self.comparison.market.out_of_stock[i])
        return stale or bool(self.failed_at(i))

    def failed_at(self, i: int) -> str:
        """When the offer's own feed failed after this price was fetched; "" where the price is as new as can be."""
        moment = self.texts.unrefreshed.get(self.offer(i).provider, "") if self.texts.unrefreshed else ""
        return moment if moment > (self.offer(i).fetched_at or "") else ""

    def failure(self, i: int) -> str:
        """The same in words."""
        moment = self.failed_at(i)
        return f"feed failed on {moment[:10]}, so the price may have changed" if moment else ""


def sort_order(comparison: Comparison, texts: Texts, base: np.ndarray, by: str, *, descending: bool) -> np.ndarray:
    """`base` (filtered, in usual order) sorted by one column; missing values last in both directions, ties as in `base`."""
    column = BY_ID[by]
    if by in GROUPED_SORTS:
        if by == usual_sort(comparison.workload) and not descending:
            return base
        from pricing.filters import ordered

        return ordered(comparison, base, column.sort, descending=descending)
    if column.sort in _TEXT:
        keys = texts.ranks(column.sort)[base]
    elif column.sort in _SAID:
        keys = ranked(comparison.column(column.sort)[base])
    else:
        keys = np.asarray(comparison.column(column.sort), dtype=float)[base]
    if descending:
        keys = -keys
    return base[np.argsort(keys, kind="stable")]  # numpy sorts NaN behind everything


def describe_sort(by: str, *, descending: bool, currency: str) -> str:
    """The order in words for the status line: "$/Mtok ↑"."""
    return f"{BY_ID[by].title(fmt.symbol(currency))} {'↓' if descending else '↑'}"
