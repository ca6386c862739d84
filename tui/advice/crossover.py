"""Who is the cheapest at which traffic: CPU fleets, GPU fleets and the serverless API, exact to the step."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from models.practical import MOST_SERVERS
from models.verdict_view import look
from pricing.crossover import KINDS, band_ends, crossover
from tui import format as fmt
from tui.advice.report import Part, Report, Table
from tui.advice.verdict import workload_data
from tui.cli.output import plain
from tui.cli.table import Column

if TYPE_CHECKING:
    from models.fleets import Stairs
    from models.verdict_view import View
    from pricing.crossover import Crossover
    from tui.advice.question import Question

STEPS_SHOWN = 12
"""Lines of a kind in the printed table; CSV has all of them."""


def report(question: Question) -> Report:
    """The crossover of the offers asked about."""
    comparison, asked = question.comparison, question.asked()
    prices = None if question.workload.concurrency is not None else question.tokens()
    found = crossover(comparison, asked, prices)
    view = look(comparison, asked)
    steps = tuple(
        row for kind, fleet in zip(KINDS, found.fleets, strict=True) for row in _steps(question, found, kind, fleet)
    )
    code = comparison.terms.currency
    columns = (
        Column("kind", "Kind", 2),
        Column("traffic_up_to", f"Up to {found.unit}", 1),
        Column("servers", "Servers", 1),
        Column("server", "Server", 1, widest=30),
        Column("provider", "Provider", 3),
        Column("monthly_cost", f"{code}/month", 1),
        Column("api_median_monthly_cost", "API median there", 4),
        Column("api_cheapest_monthly_cost", "API cheapest there", 5),
    )
    shown = Table(_told(steps, found), columns)
    ends = _first_inside(question) if len(found.changes) > 1 else (None, None)
    sentences = tuple(_sentences(found, view, ends))
    notes = (
        f"Whole servers inside the targets, in stock, at most {MOST_SERVERS} of one offer, each at --utilization of its rate."
        if not found.alone
        else "Without targets one server has to carry the traffic.",
        *(
            (
                f"API prices seen {found.api.day}, {fmt.few(found.api.providers, 'provider')}; their speed is not compared.",
            )
            if found.api is not None
            else ()
        ),
    )
    parts = (Part("Crossover", sentences, notes=notes), Part("Cheapest fleets by traffic", (), shown))
    data = {
        "unit": found.unit,
        "traffic": found.traffic,
        "changes": [{"from": at, "cheaper": KINDS[kind].lower()} for at, kind in found.changes],
        "first_crossing_cpu_slow_gpu_fast": ends[0],
        "first_crossing_cpu_fast_gpu_slow": ends[1],
        "own_against_median_api": found.turns[0],
        "own_against_cheapest_api": found.turns[1],
        "steps": [dict(step) for step in steps],
        "sentences": list(sentences),
        **workload_data(question),
    }
    return Report("crossover", parts, data, Table(steps, columns))


def _steps(question: Question, found: Crossover, kind: str, fleet: Stairs) -> list[dict[str, Any]]:
    offers, code = question.comparison.market.offers, question.comparison.terms.currency
    rows = []
    for step in range(len(fleet)):
        entry = offers[int(fleet.offer[step])]
        most, start = float(fleet.most[step]), fleet.start(step)
        rows.append(
            {
                "kind": kind,
                "unit": found.unit,
                "traffic_from": start,
                "traffic_up_to": math.floor(most + 1e-9) if found.unit == "users" else most,
                "servers": int(fleet.count[step]),
                "offer_id": entry.offer_id,
                "server": entry.server,
                "provider": entry.provider,
                "region": entry.region,
                "term": entry.term,
                "monthly_cost": plain(fleet.cost[step]),
                "api_cheapest_monthly_cost_from": _slope(found.slopes[0], start),
                "api_cheapest_monthly_cost": _slope(found.slopes[0], most),
                "api_median_monthly_cost_from": _slope(found.slopes[1], start),
                "api_median_monthly_cost": _slope(found.slopes[1], most),
                "cost_currency": code,
                "source_date": entry.source_date,
            }
        )
    return rows


def _slope(slope: float, traffic: float) -> float | None:
    return slope * traffic if slope else None


def _told(steps: tuple[dict[str, Any], ...], found: Crossover) -> tuple[dict[str, Any], ...]:
    """For people: of each kind the steps around the traffic asked about, and the last one."""
    shown: list[dict[str, Any]] = []
    for kind in KINDS:
        own = [step for step in steps if step["kind"] == kind]
        now = next((n for n, step in enumerate(own) if step["traffic_up_to"] >= found.traffic), len(own))
        first = max(now - STEPS_SHOWN // 3, 0)
        some = own[first : first + STEPS_SHOWN]
        shown += some + ([own[-1]] if own and own[-1] not in some else [])
    return tuple(shown)


def _amount(found: Crossover, traffic: float) -> str:
    return fmt.few(math.floor(traffic + 1e-9), "user") if found.unit == "users" else f"{fmt.number(traffic)} requests/s"


def _sentences(found: Crossover, view: View, ends: tuple[float | None, float | None]) -> list[str]:
    if not any(len(fleet) for fleet in found.fleets):
        return [
            f"No server {'holds the model' if found.alone else 'meets the targets'}, so there is no fleet at any traffic."
        ]
    said = []
    leaders = found.leaders
    turns = [f"{kind} fleets are the cheaper ones from {_amount(found, at)} on" for at, kind in leaders[1:]]
    if turns:
        said.append(
            f"{leaders[0][1]} fleets are the cheaper ones below {_amount(found, leaders[1][0])}; {'; '.join(turns[:6])}."
        )
        if len(turns) > 6:
            said[-1] += f" There are {len(turns)} crossings in all."
        said.append(_moved(found, ends))
    else:
        missing = found.missing_kind
        said.append(
            f"{leaders[0][1]} only: {missing}."
            if missing
            else f"{leaders[0][1]} fleets are the cheaper ones at any traffic; there is no crossing."
        )
    costs = [(kind, fleet.cost_at(found.traffic)) for kind, fleet in zip(KINDS, found.fleets, strict=True)]
    now = ", ".join(f"{kind} {view.money(cost)}" if math.isfinite(cost) else f"{kind} none" for kind, cost in costs)
    if found.api is not None:
        api = [slope * found.traffic for slope in found.slopes]
        now += f", API {view.money(api[0])} ({found.api.provider}) to {view.money(api[1])} (median)"
    said.append(f"At {_amount(found, found.traffic)} a month: {now}.")
    if found.api is not None:
        for name, places in zip(("median", "cheapest"), found.turns, strict=True):
            said.append(_against_api(found, name, places))
    elif found.unit != "users":
        said.append("No price per token is known for this model.")
    return [one for one in said if one]


def _against_api(found: Crossover, name: str, places: list[float]) -> str:
    if not places:
        most = "one server" if found.alone else f"{MOST_SERVERS} servers or fewer"
        return f"Own servers are never cheaper than the {name} API, with {most}."
    first, end = places[0], places[-1]
    if len(places) == 1:
        return f"Own servers are cheaper than the {name} API from {_amount(found, first)} on."
    return (
        f"Own servers are first cheaper than the {name} API at {_amount(found, first)}, by turns up to {_amount(found, end)} "
        f"({len(places)} crossings: each further server costs before it is filled)."
    )


def _first_inside(question: Question) -> tuple[float | None, float | None]:
    """The first crossing with CPUs as slow and GPUs as fast as their bands allow, and the other way round; None = none."""
    comparison, asked = question.comparison, question.asked()
    gpu = comparison.market.is_gpu
    low, high = band_ends(comparison)
    ends: list[float | None] = []
    for speed in (np.where(gpu, high, low), np.where(gpu, low, high)):
        changes = crossover(comparison, asked, None, speed).changes
        ends.append(changes[1][0] if len(changes) > 1 else None)
    return ends[0], ends[1]


def _moved(found: Crossover, ends: tuple[float | None, float | None]) -> str:
    """How far the first crossing moves inside the error bands."""
    if ends == (None, None):
        return "Inside the error bands the crossing disappears."
    said = [_amount(found, at) if at is not None else "no crossing" for at in ends]
    return f"Inside the error bands the first crossing lies between {said[0]} (CPUs slow, GPUs fast) and {said[1]} (CPUs fast, GPUs slow)."
