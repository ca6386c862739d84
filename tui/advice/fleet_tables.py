"""The tables of a fleet: the ways to pay for one offer, and the cheapest offer of each seller."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from models.fleet_plan import PLANS
from models.start import ENGINE_START_S
from tui import format as fmt
from tui import rows as names
from tui.advice.report import Part, Table
from tui.cli.output import plain
from tui.cli.table import Column

if TYPE_CHECKING:
    from tui.advice.fleet import Fleet


def plans_part(fleet: Fleet, i: int) -> Part:
    """All plans of one offer."""
    at, code = int(fleet.at[i]), fleet.comparison.terms.currency
    found = fleet.plans
    base = fleet.base_words(i)
    # Of what servers can carry inside the targets, as the comparison counts it, not of what is planned.
    served = fleet.demand.mean * fleet.comparison.workload.utilization
    spot = " (spot)" if fleet.comparison.market.offers[at].term == "spot" else ""
    count = int(np.nan_to_num(found.base[i]))
    misses = ", misses the peak" if found.at_mean[i] < found.at_peak[i] else ""
    plans_of = [
        (f"mean only, always on{base}{misses}",
         found.at_mean[i] * found.always_on[i] / found.at_peak[i], found.at_mean[i], found.at_mean[i] * fleet.month_hours),
        (f"always on, for the peak{base}", found.always_on[i], found.at_peak[i], found.at_peak[i] * fleet.month_hours),
    ]  # fmt: skip
    # What is not billed by the hour is not stopped for one; a base of none or of all is one of the other ways.
    stops = math.isfinite(found.by_hour[i])
    if stops:
        plans_of.append((f"started and stopped by the hour{spot}", found.by_hour[i], found.at_peak[i], found.hours[i]))
    if stops and 0 < count < found.at_peak[i]:
        plans_of.append((f"base of {count:,}{base}, the rest by the hour{spot}", found.base_and_peak[i], found.at_peak[i],
         found.base[i] * fleet.month_hours + found.peak_hours[i]))  # fmt: skip
    rows = []
    for plan, cost, servers, hours in plans_of:
        paid = hours / fleet.month_hours * fleet.able[i]
        rows.append(
            {
                "plan": plan,
                "servers": plain(float(servers)),
                "server_hours": plain(float(hours)) if math.isfinite(cost) else None,
                "utilization": plain(float(served / paid)) if paid > 0 and math.isfinite(cost) else None,
                "monthly_cost": plain(float(cost)),
            }
        )
    entry = fleet.comparison.market.offers[at]
    start = float(np.nan_to_num(fleet.comparison.column("load_s")[at])) + ENGINE_START_S
    able, share = fmt.number(float(fleet.able[i])), fleet.comparison.workload.utilization
    planned = (
        f"One {entry.server} is planned for {able} requests/s: its rate inside the targets x --utilization {share:g}."
    )
    start_words = f"reading the weights, and {ENGINE_START_S:.0f} s for the engine"
    notes = [
        planned,
        f"A start takes about {fmt.duration(start * 1e3)} ({start_words})"
        + (", paid as begun hours." if stops else "; this price runs on whether a server works or not."),
    ]
    return Part(
        f"Ways to pay for {entry.provider} {entry.server}",
        (),
        Table(
            tuple(rows),
            (
                Column("plan", "Plan", 1, widest=70),
                Column("servers", "Servers", 2, fmt.count),
                Column("server_hours", "Server-hours", 3),
                Column(
                    "utilization", "Used", 4, lambda value: fmt.MISSING if value is None else f"{value * 100:.0f} %"
                ),
                Column("monthly_cost", f"{code}/month", 1),
            ),
        ),
        tuple(notes),
    )


def _paid(fleet: Fleet, i: int) -> str:
    """The terms of an offer's cheapest plan in a few words."""
    own = names.TERMS.get(fleet.comparison.market.offers[int(fleet.at[i])].term, "")
    base = fleet.base_words(i).strip(" ()") or own
    if fleet.plan[i] == 0:
        return base
    return own if fleet.plan[i] == 1 or base == own else f"{base} + {own}"


def offers_part(fleet: Fleet) -> Part:
    """The offers worth a look, each by its cheapest plan."""
    code = fleet.comparison.terms.currency
    rows = []
    for i in fleet.order:
        at = int(fleet.at[i])
        entry = fleet.comparison.market.offers[at]
        hours = (
            fleet.plans.at_peak[i] * fleet.month_hours,
            fleet.plans.hours[i],
            fleet.plans.base[i] * fleet.month_hours + fleet.plans.peak_hours[i],
        )
        rows.append(
            {
                "offer_id": entry.offer_id,
                "server": entry.server,
                "provider": entry.provider,
                "hardware": names.hardware(entry),
                "region": entry.region or entry.region_group,
                "kind": entry.kind,
                "term": entry.term,
                "plan": PLANS[fleet.plan[i]],
                "paid_as": _paid(fleet, i),
                "base_servers": plain(float(fleet.plans.base[i])) if fleet.plan[i] == 2 else None,
                "base_term": fleet.base_words(i).strip(" ()") or None,
                "servers_at_mean": plain(float(fleet.plans.at_mean[i])),
                "servers_at_peak": plain(float(fleet.plans.at_peak[i])),
                "server_hours": plain(float(hours[fleet.plan[i]])),
                "always_on_monthly_cost": plain(float(fleet.plans.always_on[i])),
                "by_hour_monthly_cost": plain(float(fleet.plans.by_hour[i])),
                "base_and_peak_monthly_cost": plain(float(fleet.plans.base_and_peak[i])),
                "monthly_cost": plain(float(fleet.cost[i])),
                "ttft_ms": plain(fleet.comparison.column("ttft_ms")[at]),
                "ttft_p95_ms": plain(fleet.comparison.column("ttft_p95_ms")[at]),
                "cost_currency": code,
                "source_date": entry.source_date,
            }
        )
    return Part(
        "The cheapest fleet of each seller",
        (),
        Table(
            tuple(rows),
            (
                Column("server", "Server", 1, widest=28),
                Column("provider", "Provider", 2),
                Column("hardware", "Hardware", 7, widest=26),
                Column("plan", "Plan", 3),
                Column("paid_as", "Paid as", 3, widest=36),
                Column("servers_at_mean", "At mean", 6, fmt.count),
                Column("servers_at_peak", "At peak", 4, fmt.count),
                Column("server_hours", "Hours", 8),
                Column("always_on_monthly_cost", "Always on", 5),
                Column("monthly_cost", f"{code}/month", 1),
                Column("source_date", "Price of", 9),
            ),
        ),
    )
