"""Who is the cheapest at which traffic: CPU fleets, GPU fleets and the serverless API, exact to the step."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from models.practical import MOST_SERVERS
from models.verdict_view import look
from pricing.crossover import KINDS, crossover
from tui import format as fmt
from tui.advice.pays import pays_data, pays_words
from tui.advice.report import Part, Report, Table
from tui.advice.verdict import carried, workload_data
from tui.cli.output import plain
from tui.cli.table import Column

if TYPE_CHECKING:
    from models.fleets import Cheaper, Stairs
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
    ends = _at_ends(question)
    sentences = tuple(_sentences(question, found, view, ends))
    firsts = [_first(end) for end in ends]
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
    parts = [Part("Crossover", sentences, notes=notes)]
    if steps:
        left = len(steps) - len(shown.rows)
        more = f"{fmt.few(left, 'step')} more: shown are those around the traffic asked about and each kind's last; --format csv has all."
        parts.append(Part("Cheapest fleets by traffic", (), shown, (more,) if left else ()))
    work, terms = question.workload, comparison.terms
    data = {
        "unit": found.unit,
        "traffic": found.traffic,
        "changes": [{"from": _start(found, at), "cheaper": KINDS[kind].lower()} for at, kind in found.changes],
        "first_crossing_cpu_slow_gpu_fast": None if firsts[0] is None else _start(found, firsts[0]),
        "first_crossing_cpu_fast_gpu_slow": None if firsts[1] is None else _start(found, firsts[1]),
        "own_against_median_api": found.turns[0],
        "own_against_cheapest_api": found.turns[1],
        "own_cheaper_than_median_api": pays_data(found.pays[0], work, terms),
        "own_cheaper_than_cheapest_api": pays_data(found.pays[1], work, terms),
        "steps": [dict(step) for step in steps],
        "sentences": list(sentences),
        **workload_data(question),
    }
    return Report("crossover", tuple(parts), data, Table(steps, columns))


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


def _start(found: Crossover, at: float) -> float:
    """The first traffic past a crossing: the next whole user, or the rate itself."""
    return float(math.floor(at + 1e-9) + 1) if found.unit == "users" and at else at


def _from(found: Crossover, at: float) -> str:
    return fmt.few(int(_start(found, at)), "user") if found.unit == "users" else carried(found, at)


def _sentences(question: Question, found: Crossover, view: View, ends: tuple[Crossover, Crossover]) -> list[str]:
    if not any(len(fleet) for fleet in found.fleets):
        return [
            f"No server {'holds the model' if found.alone else 'meets the targets'}: no fleet at any traffic. `advise` alone has ways out."
        ]
    said = []
    leaders = found.leaders
    turns = [f"{kind} fleets are the cheaper ones from {_from(found, at)} on" for at, kind in leaders[1:]]
    if turns:
        below = "up to" if found.unit == "users" else "below"
        said.append(
            f"{leaders[0][1]} fleets are the cheaper ones {below} {carried(found, leaders[1][0])}; {'; '.join(turns[:6])}."
        )
        if len(turns) > 6:
            said[-1] += f" There are {len(turns)} crossings in all."
    else:
        missing = found.missing_kind
        said.append(
            f"{leaders[0][1]} only: {missing}."
            if missing
            else f"{leaders[0][1]} fleets are the cheaper ones at any traffic; there is no crossing."
        )
    said.append(_moved(ends, crossed=bool(turns)))
    costs = [(kind, fleet.cost_at(found.traffic)) for kind, fleet in zip(KINDS, found.fleets, strict=True)]
    now = ", ".join(f"{kind} {view.money(cost)}" if math.isfinite(cost) else f"{kind} none" for kind, cost in costs)
    if found.api is not None:
        api = [slope * found.traffic for slope in found.slopes]
        now += f", API {view.money(api[0])} ({found.api.provider}) to {view.money(api[1])} (median)"
    said.append(f"A month at {carried(found, found.traffic)}: {now}.")
    if found.api is not None:
        for name, pays in zip(("median", "cheapest"), found.pays, strict=True):
            said.append(_against_api(question, found, name, pays))
    elif found.unit != "users":
        said.append("No price per token is known for this model.")
    return [one for one in said if one]


def _against_api(question: Question, found: Crossover, name: str, pays: Cheaper | None) -> str:
    if pays is None:
        most = "one server" if found.alone else f"{MOST_SERVERS} servers or fewer of one offer"
        return f"Own servers are never cheaper than the {name} API, at any traffic that {most} can carry."
    words = pays_words(pays, question.workload, question.comparison.terms)
    return f"Own servers are cheaper than the {name} API {words}."


def _at_ends(question: Question) -> tuple[Crossover, Crossover]:
    """The crossover with CPUs as slow and GPUs as fast as their bands allow, and the other way round."""
    comparison, asked = question.comparison, question.asked()
    slow, fast = comparison.at_end("low"), comparison.at_end("high")
    return crossover(comparison, asked, None, (slow, fast)), crossover(comparison, asked, None, (fast, slow))


def _first(found: Crossover) -> float | None:
    return found.changes[1][0] if len(found.changes) > 1 else None


def _moved(ends: tuple[Crossover, Crossover], *, crossed: bool) -> str:
    """How far the first crossing moves inside the error bands, or whether one appears there."""
    if not crossed and all(_first(end) is None for end in ends):
        return ""
    said = []
    for end, how in zip(ends, ("CPUs slow, GPUs fast", "CPUs fast, GPUs slow"), strict=True):
        first = _first(end)
        if first is not None:
            said.append(f"is at {_from(end, first)} ({how})")
        elif any(len(fleet) for fleet in end.fleets):
            said.append(f"is none, {end.leaders[0][1]} fleets are the cheaper ones at any traffic ({how})")
        else:
            said.append(f"is none, nothing meets the targets ({how})")
    return f"At the ends of the error bands the first crossing {' and '.join(said)}."
