"""How many servers a day's traffic needs, and which way of paying for them is the cheapest."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from models.demand import Demand, flat
from models.fleet_plan import PLANS, plans, servers_by_hour
from models.practical import MOST_SERVERS
from models.verdict_view import View, look, times
from pricing.bases import cheapest_bases
from pricing.filters import DEFAULT_TERMS
from pricing.terms import COMMITTED_TERMS
from tui import format as fmt
from tui.advice.fleet_demand import facts_data, notes_on, prepare
from tui.advice.fleet_tables import offers_part, plans_part
from tui.advice.report import Part, Report
from tui.advice.verdict import workload_data

if TYPE_CHECKING:
    from models.fleet_plan import Plans
    from pricing.compare import Comparison
    from tui.advice.question import Question

    Array = np.ndarray[Any, Any]

__all__ = ["prepare", "report"]

BEST = 8
"""Offers in the table; the best CPU and the best GPU are always among them."""


def report(question: Question) -> Report:
    """Plans for the demand of the question, or for its rate around the clock."""
    work = question.workload
    if work.requests_per_s is None:
        said = "A fleet is counted for requests per second, not for users: give a rate."
        return Report("fleet", (Part("Fleet", (said,)),), {"sentences": [said], **workload_data(question)})
    demand: Demand = question.said.get("demand") or flat(work.requests_per_s)
    # Latencies and what one server carries are those of the busiest hour.
    comparison = question.compared(work.changed(requests_per_s=demand.peak, preset=work.preset))
    asked = question.asked(comparison)
    spare = int(question.said.get("spare", 0))
    # A base may be committed to, unless the terms were chosen.
    lasting = replace(question.filters, terms=("all",)) if question.filters.terms == DEFAULT_TERMS else question.filters
    bases = lasting.mask(comparison)
    chosen = Fleet(comparison, asked, bases, demand, spare)
    sentences = chosen.sentences()
    market_terms = comparison.market.column("term").astype(str)
    if chosen.order and chosen.committed(chosen.order[0]):
        free = ~np.isin(market_terms, COMMITTED_TERMS)
        left = Fleet(comparison, asked[free[asked]], bases & free, demand, spare)
        sentences.append(_without("a commitment", left, chosen))
    if chosen.order and chosen.interruptible(chosen.order[0]):
        lasting_only = market_terms != "spot"
        sentences.append(INTERRUPTED)
        kept = Fleet(comparison, asked[lasting_only[asked]], bases & lasting_only, demand, spare)
        if lasting_only[asked].any():
            sentences.append(_without("spot", kept, chosen))
    parts = [Part("Fleet", tuple(sentences), notes=notes_on(demand, question.said))]
    if chosen.order:
        parts += [plans_part(chosen, chosen.order[0]), offers_part(chosen)]
    table = offers_part(chosen).table
    data = {
        "demand": {
            "hourly_requests_per_s": list(demand.hourly),
            "mean_requests_per_s": demand.mean,
            "peak_requests_per_s": demand.peak,
        },
        "sentences": list(parts[0].sentences),
        "fleets": [dict(row) for row in table.rows] if table is not None else [],
        "trace": facts_data(question.said.get("facts")),
        **workload_data(question),
    }
    return Report("fleet", tuple(parts), data, table)


INTERRUPTED = (
    "Spot servers are taken away at short notice, all at once where others pay more: what runs on them must start again elsewhere, "
    "or wait."
)


def _without(what: str, left: Fleet, chosen: Fleet) -> str:
    """What it costs on the offers that are left, held against the answer."""
    if not left.order:
        return f"None of the offers asked about meets the targets without {what}."
    best, cost = left.order[0], float(left.cost[left.order[0]])
    ratio = times(cost / float(chosen.cost[chosen.order[0]]))
    return f"Without {what} the cheapest is {left.words(best)} at {left.view.money(cost)}, {PLANS[left.plan[best]]}, {ratio}."


class Fleet:
    """The plans of all offers that meet the targets, and which are worth a look."""

    def __init__(self, comparison: Comparison, asked: Array, bases: Array, demand: Demand, spare: int) -> None:
        """Of the offers `asked`; only those of the mask `bases` are what servers that always run are paid by."""
        work, market = comparison.workload, comparison.market
        self.comparison, self.demand, self.spare = comparison, demand, spare
        self.view: View = look(comparison, asked)
        can = comparison.column("meets_targets").astype(bool) & ~market.out_of_stock
        month = comparison.server_monthly_cost
        base_month, self.base_of = cheapest_bases(comparison, can & bases)
        # A spot server is always on at its own price.
        self.base_of = np.where(np.fmin(base_month, month) < base_month, np.arange(len(month)), self.base_of)
        self.asked, self.at = asked, asked[can[asked]]
        able = comparison.column("requests_per_s_at_target").astype(float) * work.utilization
        hourly = np.isin(market.column("term").astype(str), ("on_demand", "spot"))
        # Servers of a term that lasts are not started for an hour.
        hour = np.where(hourly, comparison.price_per_hour, np.nan)
        self.able = able[self.at]
        self.plans: Plans = plans(
            demand, self.able,
            month=month[self.at], hour=hour[self.at], base_month=base_month[self.at],
            start_s=comparison.column("load_s").astype(float)[self.at], spare=spare, hours_per_month=comparison.terms.hours_per_month,
        )  # fmt: skip
        costs = np.where(self.plans.at_peak[None, :] > market.most_servers[self.at][None, :], np.nan, self.plans.costs)
        self.cost = np.full(len(self.at), np.nan)
        self.plan = np.zeros(len(self.at), dtype=np.intp)
        known = np.isfinite(costs).any(axis=0)
        if known.any():
            # Of plans that cost the same the one with the least to do.
            filled = np.where(np.isfinite(costs), costs, np.inf)
            self.plan[known] = np.argmin(np.round(filled[:, known], 6), axis=0)
            self.cost[known] = filled.min(axis=0)[known]
        self.order = self._order()

    def _order(self) -> list[int]:
        """The cheapest offer of each seller, the best CPU and GPU among them."""
        by_cost = [int(i) for i in np.argsort(self.cost, kind="stable") if math.isfinite(self.cost[int(i)])]
        market = self.comparison.market
        kept: list[int] = []
        sellers, kinds = set[str](), set[str]()
        for i in by_cost:
            entry = market.offers[int(self.at[i])]
            if (entry.provider in sellers or len(kept) >= BEST) and entry.kind in kinds:
                continue
            kept.append(i)
            sellers.add(entry.provider)
            kinds.add(entry.kind)
        return sorted(kept, key=lambda i: float(self.cost[i]))

    def sentences(self) -> list[str]:
        """The answer first."""
        demand = self.demand
        traffic = f"a mean of {fmt.number(demand.mean)} and a peak of {fmt.number(demand.peak)} requests/s"
        if not self.order:
            return [f"No fleet of {MOST_SERVERS} servers or fewer carries {traffic} inside the targets."]
        best = self.order[0]
        bill = self.view.money(float(self.cost[best]))
        said = [f"For {traffic} the cheapest is {self.words(best)} at {bill} a month, {PLANS[self.plan[best]]}."]
        always = float(self.plans.always_on[best])
        if self.plan[best] and math.isfinite(always):
            saved = 1 - float(self.cost[best]) / always
            said.append(f"Always on at the peak would cost {self.view.money(always)}: {saved * 100:.0f} % is saved.")
        else:
            hour = float(self.plans.by_hour[best])
            if math.isfinite(hour):
                said.append(
                    f"Started and stopped by the hour it would cost {self.view.money(hour)}, {times(hour / float(self.cost[best]))}."
                )
            else:
                said.append("It is not billed by the hour, so stopping servers saves nothing.")
        mean, peak = (int(values[best]) for values in (self.plans.at_mean, self.plans.at_peak))
        if mean != peak:
            said.append(
                f"The mean alone would need {mean:,} {'server' if mean == 1 else 'servers'}, the peak {peak:,}."
            )
        said += [self._tail(best), self._band(best)]
        other = next((i for i in self.order if self._kind(i) != self._kind(best)), None)
        if other is not None:
            said.append(
                f"The cheapest {self._kind(other).upper()} fleet: {self.words(other)} at {self.view.money(float(self.cost[other]))}, "
                f"{times(float(self.cost[other] / self.cost[best]))}."
            )
        elif len({self.comparison.market.offers[int(at)].kind for at in self.asked}) > 1:
            missing = "CPU" if self._kind(best) == "gpu" else "GPU"
            said.append(f"No {missing} fleet of {MOST_SERVERS} servers or fewer carries it inside the targets.")
        return [one for one in said if one]

    def _tail(self, i: int) -> str:
        """Latency at the peak, mean and tail."""
        at = int(self.at[i])
        mean, tail = (float(self.comparison.column(name)[at]) for name in ("ttft_ms", "ttft_p95_ms"))
        if not math.isfinite(tail):
            return f"At the peak TTFT is {fmt.duration(mean)} on average."
        return f"At the peak TTFT is {fmt.duration(mean)} on average, and 95 of 100 requests wait less than {fmt.duration(tail)}."

    def _band(self, i: int) -> str:
        """How many servers the peak takes at the ends of the speed's error band, where that is another number."""
        at = int(self.at[i])
        ends = [self.comparison.carries_at((at,), end)[0] for end in ("low", "high")]
        if math.isnan(ends[0]):
            return "At the slow end of its error band it misses the targets."
        able = np.array(ends) * self.comparison.workload.utilization
        slow, fast = servers_by_hour(self.demand, able, self.spare).max(axis=1).tolist()
        if slow == fast:
            return ""
        return f"Inside the error band of its speed the peak takes {fast:,.0f} to {slow:,.0f} servers."

    def committed(self, i: int) -> bool:
        """Whether the cheapest plan of an offer binds for months."""
        if self.plan[i] == PLANS.index("by the hour"):
            return False
        at = int(self.base_of[int(self.at[i])])
        term = self.comparison.market.offers[at if at >= 0 else int(self.at[i])].term
        return term in COMMITTED_TERMS and (self.plan[i] == 0 or self.plans.base[i] > 0)

    def interruptible(self, i: int) -> bool:
        """Whether the cheapest plan of an offer runs on spot servers, all of them or those on top."""
        at = int(self.at[i])
        own = self.comparison.market.offers[at].term == "spot"
        based = own and self.base_of[at] in {at, -1}
        return based if self.plan[i] == 0 else own

    def _kind(self, i: int) -> str:
        return self.comparison.market.offers[int(self.at[i])].kind

    def words(self, i: int) -> str:
        """How many of what."""
        at = int(self.at[i])
        entry, base = self.comparison.market.offers[at], self.base_words(i)
        spot = " (spot)" if entry.term == "spot" else ""
        if self.plan[i] == 2:
            spot = "" if self.base_of[at] == at else spot
            return f"{int(self.plans.base[i]):,} to {int(self.plans.at_peak[i]):,} x {entry.provider} {entry.server}{spot}{base}"
        count = int(self.plans.at_peak[i])
        many = f"up to {count:,} x " if self.plan[i] == 1 and count > 1 else f"{count:,} x " if count > 1 else ""
        return f"{many}{entry.provider} {entry.server}{base if self.plan[i] == 0 else spot}"

    @property
    def month_hours(self) -> float:
        """Hours of the month that is paid."""
        return self.comparison.terms.hours_per_month

    def base_words(self, i: int) -> str:
        """Under which term a server that always runs is paid."""
        own = int(self.at[i])
        at = int(self.base_of[own]) if self.base_of[own] >= 0 else own
        entry = self.comparison.market.offers[at]
        if at == own and entry.term not in {"spot", *COMMITTED_TERMS}:
            return ""
        months = f", {entry.commitment_months} months committed" if entry.commitment_months else ""
        return f" ({entry.term.replace('_', ' ')}{months})"
