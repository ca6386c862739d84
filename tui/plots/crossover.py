"""Monthly cost against traffic: the cheapest CPU fleet, the cheapest GPU fleet, the serverless API, and where they cross."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from models.practical import MOST_SERVERS
from tui import format as fmt
from tui.plots import TITLES
from tui.plots.api_prices import api_prices, monthly_slope, stored
from tui.plots.axis import Axis, around
from tui.plots.facts import few, money, sign_of_money, who
from tui.plots.fleets import Stairs, crossings, first_below, stairs
from tui.plots.plot import CHOSEN, CPU, GPU, NOW, TARGET, Line, Panel, Plot, Point, Rule, empty, sign

if TYPE_CHECKING:
    from tui.plots.api_prices import ApiPrices
    from tui.rows import Rows
    from tui.session import Session

TITLE = TITLES["crossover"]
KINDS = ("CPU", "GPU")
WIDE = 1000.0
"""The traffic axis is at least this many times as long as it begins."""
MOST_RULES = 8
"""More crossings than these are told, not drawn."""


@dataclass(frozen=True, slots=True)
class _Answer:
    """What picture and text are made of."""

    rows: Rows
    fleets: tuple[Stairs, Stairs]
    changes: list[tuple[float, int]]
    traffic: float
    unit: str
    api: ApiPrices | None
    slopes: tuple[float, float]
    """A month of one request a second by the API: cheapest, median."""
    alone: bool
    """Without targets one server has to carry the traffic."""


def build(session: Session, rows: Rows, position: int) -> Plot:  # noqa: ARG001 - all plots are asked alike
    """The plot of all offers that the terms and the filter leave: type and fit only choose what the table shows of them."""
    found = _answer(session, rows)
    cpu, gpu = found.fleets
    if not len(cpu) and not len(gpu):
        return empty("crossover", TITLE, "No server that can be had meets the targets at any traffic.")
    x = _traffic_axis(found)
    y = _cost_axis(found, x)
    lines, points = [], []
    for kind, fleet in zip(KINDS, found.fleets, strict=True):
        tone = kind.lower()
        corners = fleet.corners(x.low, x.high)
        lines.append(Line(*corners, tone, kind if len(fleet) else ""))
        points += _points(found, fleet, x, gpu=kind == "GPU")
    if found.api is not None:
        along = np.geomspace(x.low, x.high, 65)
        lines.append(Line(along, along * found.slopes[1], "kv", "API median", every=3))
        lines.append(Line(along, along * found.slopes[0], "kv", "API cheapest", every=4))
    points.sort(key=lambda point: (point.x, point.y))
    crossing = [Rule(at, TARGET, "muted", f"{fmt.number(at)}") for at, _ in found.changes[1:] if x.low < at < x.high]
    rules = [
        *(crossing if len(crossing) <= MOST_RULES else (crossing[0], crossing[-1])),
        Rule(found.traffic, NOW, "accent", "now"),
    ]
    legend = [(CPU, "cpu", "CPU"), (GPU, "gpu", "GPU"), (NOW, "accent", "now")]
    if len(rules) > 1:
        legend.append((TARGET, "muted", "crossing"))
    if found.api is not None:
        legend.append(("⠄⠄", "kv", "API"))
    legend.append((CHOSEN, "accent", "this one"))
    text = _text(found, x)

    def nearest(offer: int) -> int:  # noqa: ARG001 - the traffic decides
        return max((n for n, point in enumerate(points) if point.x <= found.traffic), default=0)

    return Plot("crossover", TITLE, text, tuple(legend), f"{sign_of_money(rows)}/mo by {found.unit}", x,
                (Panel(y, tuple(lines)),), tuple(rules), points=tuple(points), caption=_caption(found), nearest=nearest)  # fmt: skip


def _answer(session: Session, rows: Rows) -> _Answer:
    comparison, work = rows.comparison, rows.workload
    asked = comparison.select(session.filters(session.view.changed(kind="any", fit="all")))
    targets = work.ttft_ms is not None or work.tpot_ms is not None
    users = work.concurrency is not None
    able = rows.array("max_concurrency" if users else "requests_per_s_at_target").astype(float) * work.utilization
    can = rows.array("meets_targets" if targets else "fits").astype(bool) & ~comparison.market.out_of_stock
    gpu = comparison.market.is_gpu
    fleets = []
    for kind in (~gpu, gpu):
        places = asked[(can & kind)[asked]]
        month = comparison.server_monthly_cost[places]
        fleets.append(stairs(able[places], month, places, MOST_SERVERS if targets else 1))
    api = None if users else api_prices(stored(session), work, comparison.terms)
    slopes = (0.0, 0.0)
    if api is not None:
        slopes = (
            monthly_slope(api.cheapest, work, comparison.terms),
            monthly_slope(api.median, work, comparison.terms),
        )
    return _Answer(
        rows,
        (fleets[0], fleets[1]),
        crossings(fleets[0], fleets[1]) if all(len(fleet) for fleet in fleets) else [],
        float(work.concurrency if work.concurrency is not None else work.requests_per_s or 0.0),
        "users" if users else "req/s",
        api,
        slopes,
        alone=not targets,
    )


def _traffic_axis(found: _Answer) -> Axis:
    places = [found.traffic, *(at for at, _ in found.changes[1:])]
    axis = around(np.array([min(places) / 4, max(places) * 4]), name=found.unit, least=WIDE)
    assert axis is not None  # noqa: S101 - a workload has some traffic
    return axis


def _cost_axis(found: _Answer, x: Axis) -> Axis:
    costs = [fleet.cost[(fleet.most > x.low) & (np.r_[0.0, fleet.most[:-1]] < x.high)] for fleet in found.fleets]
    seen = np.concatenate(costs)
    if not len(seen):  # every fleet is too small even for the lowest traffic drawn
        seen = np.concatenate([fleet.cost for fleet in found.fleets])
    ends = [slope * at for slope in found.slopes for at in (x.low, x.high) if slope]
    # An API costs next to nothing without traffic: its line may leave the picture at the bottom.
    axis = around(seen, np.clip(ends, seen.min() / 5, seen.max() * 5), name="/mo", least=10.0)
    assert axis is not None  # noqa: S101 - there is a fleet
    return axis


def _points(found: _Answer, fleet: Stairs, x: Axis, *, gpu: bool) -> list[Point]:
    """Where another offer becomes the cheapest of its kind."""
    glyph, tone = sign(gpu=gpu)
    made: list[Point] = []
    before = -1
    for step in range(len(fleet)):
        start = max(fleet.start(step), x.low)
        if fleet.most[step] <= x.low:
            continue
        if start >= x.high:
            break
        offer = int(fleet.offer[step])
        if offer != before:
            words = f"to {fmt.number(float(fleet.most[step]))} {found.unit}: {_fleet(found, fleet, step)}"
            made.append(Point(start, float(fleet.cost[step]), glyph, tone, words, offer))
        before = offer
    return made


def _fleet(found: _Answer, fleet: Stairs, step: int) -> str:
    name = who(found.rows, int(fleet.offer[step]))
    return f"{fleet.count[step]}× {name} at {money(found.rows, float(fleet.cost[step]))}/mo"


def _caption(found: _Answer) -> str:
    if not found.changes:
        lone = KINDS[0] if len(found.fleets[0]) else KINDS[1]
        other = KINDS[1] if lone == KINDS[0] else KINDS[0]
        return f"no {other} fleet meets the targets; {lone} at any traffic"
    first = KINDS[found.changes[0][1]]
    if len(found.changes) == 1:
        return f"{first} is the cheaper one at any traffic: never a crossing"
    at, kind = found.changes[1]
    more = f"; {few(len(found.changes) - 1, 'crossing')} in all" if len(found.changes) > 2 else ""
    return f"{first} is cheaper up to {fmt.number(at)} {found.unit}, then {KINDS[kind]}{more}"


def _text(found: _Answer, x: Axis) -> tuple[str, ...]:
    rows, unit = found.rows, found.unit
    lines = [f"{TITLE}: monthly cost in {rows.comparison.terms.currency} by {unit}"]
    lines.append(
        "One server has to carry the traffic alone, since there is no target."
        if found.alone
        else f"Whole servers inside the targets, in stock, at most {MOST_SERVERS} of one offer; type and fit of the table do not matter."
    )
    if unit == "users":
        lines.append(
            "Over concurrent users, as the workload has it: how often they ask depends on the server, so APIs are left out."
        )
    lines += ["", f"At {fmt.number(found.traffic)} {unit}, now"]
    for kind, fleet in zip(KINDS, found.fleets, strict=True):
        step = fleet.step(found.traffic)
        lines.append(f"  {kind}  {_none(found, fleet) if step is None else _fleet(found, fleet, step)}")
    lines += _api_lines(found)
    lines += ["", "Crossings"]
    if not found.changes:
        lines.append("  never: only one kind meets the targets")
    for number, (at, cheaper) in enumerate(found.changes):
        other = found.fleets[1 - cheaper]
        ended = bool(number) and other.cost_at(at * (1 + 1e-6)) == float("inf")
        why = f"the only one: {_none(found, other)}" if ended else "cheaper"
        lines.append(f"  from {fmt.number(at) if at else '0'} {unit} on  {KINDS[cheaper]} is {why}")
    if len(found.changes) == 1:
        lines.append("  never a crossing")
    for kind, fleet in zip(KINDS, found.fleets, strict=True):
        if len(fleet):
            lines += ["", f"Cheapest {kind} fleets of the traffic drawn"]
            lines += _steps(found, fleet, x)
    return tuple(lines)


def _none(found: _Answer, fleet: Stairs) -> str:
    if not len(fleet):
        return "no server meets the targets" if not found.alone else "no server holds the model"
    limit = "one server" if found.alone else f"{MOST_SERVERS} servers"
    return f"more than {limit} of any offer carry ({fmt.number(float(fleet.most[-1]))} {found.unit})"


def _api_lines(found: _Answer) -> list[str]:
    api = found.api
    if api is None:
        return [] if found.unit == "users" else ["  API  no price per token is known for this model"]
    cheap, middle = (money(found.rows, slope * found.traffic) for slope in found.slopes)
    asked = f"median {middle}/mo of {few(api.providers, 'provider')}, cheapest {cheap}/mo ({api.provider})"
    lines = [f"  API  {asked}; prices seen {api.day}; their speed is not compared"]
    for name, slope in (("median", found.slopes[1]), ("cheapest", found.slopes[0])):
        starts = [start for fleet in found.fleets if (start := first_below(fleet, slope)) is not None]
        lines.append(
            f"       own servers first cost no more than the {name} API "
            + (
                f"at {fmt.number(min(starts))} {found.unit}"
                if starts
                else f"never, with {MOST_SERVERS} servers or fewer"
            )
        )
    return lines


def _steps(found: _Answer, fleet: Stairs, x: Axis) -> list[str]:
    """Each offer's stretch: up to which traffic it is the cheapest, with how many servers."""
    made: list[str] = []
    first, last = fleet.step(x.low), fleet.step(x.high)
    if first is None:
        return [f"  {_none(found, fleet)}"]
    start, end = first, len(fleet) - 1 if last is None else last
    for step in range(first, end + 1):
        if step < end and fleet.offer[step + 1] == fleet.offer[start]:
            continue
        count = f"{fleet.count[start]}" if start == step else f"{fleet.count[start]}-{fleet.count[step]}"
        costs = money(found.rows, float(fleet.cost[start]))
        if start != step:
            costs += f" to {money(found.rows, float(fleet.cost[step]))}"
        most = fmt.number(float(fleet.most[step]))
        made.append(
            f"  up to {most:>6} {found.unit}  {count:>5}× {who(found.rows, int(fleet.offer[start]))}  {costs}/mo"
        )
        start = step + 1
    return made
