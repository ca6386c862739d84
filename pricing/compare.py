"""Every offer against one workload: the estimate of its machine joined with its price.

The estimator runs once per distinct machine; here its arrays are spread over the offers and priced. All arrays have
one entry per offer, NaN = no figure. Costs are in `CompareOptions.currency`, without tax unless a rate is given.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from models import cost
from models.practical import STALE_DAYS, too_many
from models.result_columns import ESTIMATE_COLUMNS
from pricing.offer import OFFER_COLUMNS
from pricing.terms import CompareOptions, month_of_one, prices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from models.band_ends import End
    from models.bottlenecks import Finding
    from models.checks import Check
    from models.estimate import Estimates
    from models.traffic import Workload
    from pricing.filters import Filters
    from pricing.market import Market

    Array = np.ndarray[Any, Any]

MONTH_DAYS = 30.44

COST_COLUMNS = (
    "requests_per_s_at_target",
    "servers_needed",
    "utilization",
    "hourly_cost",
    "monthly_cost",
    "cost_per_m_output_tokens",
    "cost_per_m_total_tokens",
    "cost_per_m_output_tokens_full_load",
    "cost_currency",
    "load_s",
    "meets_targets",
    "reason",
    "warnings",
    "price_age_days",
)
COMPARE_COLUMNS: tuple[str, ...] = (*OFFER_COLUMNS, *ESTIMATE_COLUMNS, *COST_COLUMNS)
_HOST_FACTS = (
    "cpu_model", "cores", "vcpus", "sockets", "ram_gib", "memory_channels", "memory_mts", "storage", "nic", "shared_cpu", "interconnect",
    "gpu_model",
)  # fmt: skip
_TEXTS = frozenset({"fit_reason", "engine_used", "quant_used", "bound_by", "basis"})


def compare(market: Market, workload: Workload, terms: CompareOptions | None = None) -> Comparison:
    """Estimate each distinct machine once and price every offer. Raises what the estimator raises."""
    from models.estimate import estimate

    return Comparison(market, workload, estimate(market.table, workload), terms or CompareOptions())


class Comparison:
    """The answer for all offers; columns are made when asked for and kept."""

    def __init__(self, market: Market, workload: Workload, estimates: Estimates, terms: CompareOptions) -> None:
        """Price the estimates of a market's servers."""
        self.market = market
        self.workload = workload
        self.estimates = estimates
        self.terms = terms
        self._columns: dict[str, Array] = {}
        self._ends: dict[tuple[End, float], Comparison] = {}
        # A price of next to nothing or hours of next to none overflow: such a figure is none, and no warning is for users.
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            self._price()

    def __len__(self) -> int:
        return len(self.market)

    def _gather(self, name: str) -> Array:
        values: Array = np.asarray(getattr(self.estimates, name))
        gathered: Array = values[self.market.server_index] if len(values) else values[:0]
        return gathered

    def _price(self) -> None:
        market, terms, work = self.market, self.terms, self.workload
        hourly, monthly, self.setup_fee = prices(market, terms)
        server_month = np.where(self._gather("fits").astype(bool), month_of_one(market, terms), np.nan)

        capacity = self._gather("requests_per_s_at_target").astype(float)
        needed = self._gather("servers_needed").astype(float)
        month = server_month * needed
        hour = month / terms.hours_per_month
        served = self._served_requests_per_s(needed, capacity)
        # An encoder reads and writes no tokens.
        tokens_in, tokens_out = work.input_tokens, work.output_tokens if work.model.kv_cache else 0
        self.price_per_hour, self.price_per_month = hourly, monthly
        self.server_monthly_cost = server_month
        """One server's month, setup share included."""
        self._columns |= {
            "requests_per_s_at_target": capacity,
            "servers_needed": needed,
            "utilization": self._gather("utilization").astype(float),
            "monthly_cost": month,
            "hourly_cost": hour,
            "cost_per_m_output_tokens": cost.cost_per_m_tokens(hour, served * tokens_out),
            "cost_per_m_total_tokens": cost.cost_per_m_tokens(hour, served * (tokens_in + tokens_out)),
            "cost_per_m_output_tokens_full_load": cost.cost_per_m_tokens(
                server_month / terms.hours_per_month, capacity * tokens_out
            ),
            "meets_targets": self._gather("meets_targets").astype(bool),
            "fits": self._gather("fits").astype(bool),
        }

    def _served_requests_per_s(self, needed: Array, capacity: Array) -> Array:
        """Requests a second that the servers really answer: the traffic, at most what they can."""
        able = needed * capacity
        if self.workload.requests_per_s is not None:
            return np.where(np.isnan(able), np.nan, np.minimum(self.workload.requests_per_s, able))
        # Closed loop: the users ask as fast as they are answered.
        served: Array = needed * self._gather("requests_per_s").astype(float)
        return served

    # the ends of the error bands

    def at_end(self, end: End, times: float = 1.0) -> Comparison:
        """The same offers with every server as slow ("low") or fast ("high") as its band allows, under `times` the traffic."""
        from models.estimate import estimate

        key = end, times
        if key not in self._ends:
            work = self.workload if times == 1.0 else self.workload.scaled(times)
            found = estimate(self.market.table, work, end=end)
            self._ends[key] = Comparison(self.market, work, found, self.terms)
        return self._ends[key]

    def months_at(self, offers: Sequence[int], end: End) -> tuple[float, ...]:
        """Monthly cost of some offers at an end of their bands: NaN where they miss the targets, inf where too many are needed."""
        found, few = self._few(offers, self.workload, end), list(offers)
        months = found.servers_needed * self.server_monthly_cost[few]
        months[found.servers_needed > self.market.most_servers[few]] = np.inf
        return tuple(np.where(found.meets_targets, months, np.nan).tolist())

    def carries_at(self, offers: Sequence[int], end: End) -> tuple[float, ...]:
        """Requests/s of one server of each inside the targets at an end of its band, NaN where it misses them."""
        found = self._few(offers, self.workload, end)
        return tuple(np.where(found.meets_targets, found.requests_per_s_at_target, np.nan).tolist())

    def one_of(self, at: int, servers: int) -> Estimates:
        """What one of so many servers of an offer does with its share of the traffic; the only entry."""
        return self._few((at,), self.workload.scaled(1 / servers))

    def _few(self, offers: Sequence[int], workload: Workload, end: End | None = None) -> Estimates:
        """Only the machines of these offers are estimated."""
        from models.estimate import ServerTable, estimate

        servers = [self.market.servers[int(self.market.server_index[at])] for at in offers]
        return estimate(ServerTable.build(servers), workload, end=end)

    # columns

    def column(self, name: str) -> Array:
        """Any column of the comparison; texts and yes/no-or-unknown as objects. Raises KeyError for another name."""
        found = self._columns.get(name)
        if found is None:
            found = self._columns[name] = self._make(name)
        return found

    def _make(self, name: str) -> Array:
        if name in OFFER_COLUMNS:
            return self.market.column(name)
        if name in _TEXTS:
            text = getattr(self.estimates, name)
            per_server = _objects([text(at) or None for at in range(len(self.market.servers))])
            spread: Array = per_server[self.market.server_index] if len(per_server) else per_server
            return spread
        if name in {"reason", "warnings"}:
            made = self.reason if name == "reason" else self._warning_text
            return _objects([made(at) or None for at in range(len(self))])
        if name == "cost_currency":
            return _objects([self.terms.currency] * len(self))
        if name == "load_s":
            return self._load_s()
        if name == "price_age_days":
            return self.price_age_days
        if name in {"vram_gib", "memory_gb_s", "most_servers"}:
            fact: Array = getattr(self.market, name)
            return fact
        if name in ESTIMATE_COLUMNS or name in {"memory_used_share", "tpot_solo_ms"}:
            return self._gather(name)
        raise KeyError(name)

    @cached_property
    def practical(self) -> Array:
        """False where the traffic needs more servers than anybody runs, or than there are of the offer."""
        found: Array = ~(self.column("servers_needed") > self.market.most_servers)
        return found

    @cached_property
    def price_age_days(self) -> Array:
        """Days since each price was seen; NaN = undated."""
        age = np.datetime64(self.terms.today, "D") - self.market.source_day
        days: Array = np.maximum(age.astype("timedelta64[D]").astype(float), 0.0)
        days[np.isnat(self.market.source_day)] = np.nan
        return days

    @cached_property
    def _weights_gib(self) -> Array:
        """Weights of one replica: what is read from disk before the first answer (a second replica finds them cached)."""
        weights: Array = self._gather("weights_gib_per_device").astype(float)
        gathered: Array = weights * np.fmax(self._gather("tp_used").astype(float), 1.0)
        return gathered

    def _load_s(self) -> Array:
        from models import checks

        # Thousands of offers have some hundred storage texts: each is read once.
        storage = self.market.column("storage")
        texts = list(dict.fromkeys(storage))
        per_gib = dict(zip(texts, checks.load_seconds(np.ones(len(texts)), texts), strict=True))
        seconds: Array = np.array([per_gib[text] for text in storage], dtype=float)
        seconds *= self._weights_gib
        return seconds

    # one row

    def reason(self, at: int) -> str:
        """Why an offer does not meet the targets or has no figures; empty if it meets them."""
        entry = self.market.offers[at]
        if not self.market.known_hardware[at]:
            return f"unknown chip {entry.gpu_model}"
        said: str = self.estimates.reason(int(self.market.server_index[at]))
        if said:
            return said
        if self.terms.rates.factor(entry.currency, self.terms.currency) is None:
            return f"no exchange rate for {entry.currency}"
        return ""

    def measurements(self, at: int) -> tuple[str, ...]:
        """The measurements nearest to an offer's estimate, in words with their sources."""
        from models.measured_near import measurements

        return measurements(self.estimates, int(self.market.server_index[at]))

    def machine_figures(self, at: int) -> tuple[str, ...]:
        """What was measured on this very instance type and fetched, in words with its source; empty if nothing was."""
        from pricing.measured_machines import MEASURED_BY, figures

        entry, folder = self.market.offers[at], self.market.machines_folder
        found = figures(entry.provider, entry.server, folder) if folder is not None else ()
        days = max((figure.date for figure in found), default="")
        said = [figure.sentence() for figure in found if figure.number is not None]
        return (*said, " ".join(filter(None, (MEASURED_BY, days)))) if said else ()

    def step(self, at: int) -> list[tuple[str, float]]:
        """Where the time of an output token goes on an offer's server, ms, the largest part first."""
        return self.estimates.step(int(self.market.server_index[at]))

    def warnings(self, at: int) -> tuple[str, ...]:
        """What to watch with an offer: host, disk, price, number of servers."""
        entry = self.market.offers[at]
        found = list(self.estimates.warnings(int(self.market.server_index[at])))
        found += [check.text for check in self.host_checks(at)]
        if not self.practical[at]:
            found.append(too_many(float(self.market.most_servers[at])))
        if entry.vat_included:
            found.append("price includes tax")
        age = self.price_age_days[at]
        if np.isnan(age):
            found.append("undated price")
        elif age > STALE_DAYS:
            found.append(f"price is {age:.0f} days old")
        if discount := self.terms.discounts.get(entry.provider):
            found.append(f"{discount * 100:.4g} % negotiated discount applied")
        if entry.price_basis == "derived":
            found.append("price worked out, not listed")
        if self.market.out_of_stock[at]:
            found.append(str(entry.availability))
        return tuple(found)

    def host_checks(self, at: int) -> tuple[Check, ...]:
        """What an offer's host may do to the model: too little RAM, slow disks, links, few cores; empty where it does not fit."""
        from models import checks

        entry = self.market.offers[at]
        if not self.column("fits")[at]:
            return ()
        return checks.server_checks(
            kind=entry.kind,
            gpu_count=entry.gpu_count,
            gpu_model=entry.gpu_model,
            ram_gib=entry.ram_gib,
            cores=entry.cores,
            vcpus=entry.vcpus,
            storage=entry.storage,
            interconnect=entry.interconnect,
            weights_gib=_plain(self._weights_gib[at]),
            load_s=_plain(self.column("load_s")[at]),
            tp_used=_plain(self.column("tp_used")[at]),
        )

    def bottlenecks(self, at: int) -> tuple[Finding, ...]:
        """Every check of one offer's server, the worst first; empty where there is no estimate."""
        from models.bottlenecks import findings, host_of

        entry = self.market.offers[at]
        host = host_of(**{name: getattr(entry, name) for name in _HOST_FACTS})
        return findings(self.estimates, int(self.market.server_index[at]), host)

    def _warning_text(self, at: int) -> str:
        return "; ".join(self.warnings(at))

    def row(self, at: int) -> dict[str, Any]:
        """All compare columns of one offer as plain values, None = no figure."""
        entry = self.market.offers[at]
        values: dict[str, Any] = {name: getattr(entry, name) for name in OFFER_COLUMNS}
        server = int(self.market.server_index[at])
        for name in (*ESTIMATE_COLUMNS, *COST_COLUMNS):
            if name in _TEXTS:
                values[name] = getattr(self.estimates, name)(server) or None
            elif name == "reason":
                values[name] = self.reason(at) or None
            elif name == "warnings":
                values[name] = self._warning_text(at) or None
            elif name == "cost_currency":
                values[name] = self.terms.currency
            else:
                values[name] = _plain(self.column(name)[at])
        return values

    # order

    def select(
        self,
        filters: Filters | None = None,
        sort: str | None = None,
        *,
        descending: bool = False,
        limit: int | None = None,
    ) -> Array:
        """Indices of the offers that pass, in display order (see filters.ordered); without a column the cheapest for the traffic first.

        Raises InputError for a bad column.
        """
        from pricing.filters import Filters, order, usual_sort

        found = order(self, (filters or Filters()).mask(self), sort or usual_sort(self.workload), descending=descending)
        return found if limit is None else found[:limit]


def _objects(values: list[Any]) -> Array:
    result = np.empty(len(values), dtype=object)
    result[:] = values
    return result


def _plain(value: Any) -> Any:
    """A numpy scalar as Python's, NaN as None, whole floats kept as they are."""
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not np.isfinite(value) else value
