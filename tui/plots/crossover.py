"""Monthly cost against traffic: the cheapest CPU fleet, the cheapest GPU fleet, the serverless API, and where they cross."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from tui.plots import TITLES
from tui.plots.axis import Axis, around
from tui.plots.crossover_words import amount, caption, fleet_words, text
from tui.plots.facts import sign_of_money
from tui.plots.plot import CHOSEN, NOW, TARGET, Band, Entry, Line, Panel, Plot, Point, Rule, Stretch, empty
from tui.plots.traffic import KINDS, answer, leaders, missing_kind
from tui.text import CPU, GPU, sign

if TYPE_CHECKING:
    from models.fleets import Stairs
    from tui.plots.traffic import Answer
    from tui.rows import Rows
    from tui.session import Session

TITLE = TITLES["crossover"]
WIDE = 1000.0
"""The traffic axis is at least this many times as long as it begins."""
MOST_RULES = 8
"""More crossings than these are told, not drawn."""


def build(session: Session, rows: Rows, position: int) -> Plot:  # noqa: ARG001 - all plots are asked alike
    """The plot of all offers that the terms and the filter leave: type and fit only choose what the table shows of them."""
    found = answer(session, rows)
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
        lines.append(Line(along, along * found.slopes[0], "muted", "API cheapest", every=4))
    points.sort(key=lambda point: (point.x, point.y))
    changes = sorted({*(at for at, _ in found.changes[1:]), *found.turns[0]})
    crossing = [Rule(at, TARGET, "muted", amount(at, found.unit)) for at in changes if x.low < at < x.high]
    rules = [
        *(crossing if len(crossing) <= MOST_RULES else (crossing[0], crossing[-1])),
        Rule(found.traffic, NOW, "accent", "now"),
    ]
    legend = [Entry(CHOSEN, "accent", "this one"), Entry(NOW, "accent", "now")]
    if len(rules) > 1:
        legend.append(Entry(TARGET, "muted", "crossing"))
    legend += [Entry(GPU, "gpu", "GPU"), Entry(CPU, "cpu", "CPU")]
    if found.api is not None:
        legend.append(Entry("⠄⠄", "kv", "API"))

    def nearest(offer: int) -> int:  # noqa: ARG001 - the traffic decides
        return max((n for n, point in enumerate(points) if point.x <= found.traffic), default=0)

    return Plot("crossover", TITLE, text(found, x), tuple(legend), f"{sign_of_money(rows)}/mo by {found.unit}", x,
                (Panel(y, tuple(lines)),), bands=_bands(found, x), rules=tuple(rules), points=tuple(points),
                caption=caption(found, x), answers=True, nearest=nearest)  # fmt: skip


def _traffic_axis(found: Answer) -> Axis:
    places = [found.traffic, *(at for at, _ in found.changes[1:]), *found.turns[0][:1]]
    low, high = min(places) / 4, max(places) * 4
    if found.unit == "users":  # there is no half of one
        low, high = max(low, 1.0), max(high, WIDE)
    axis = around(np.array([low, high]), name=found.unit, least=WIDE)
    assert axis is not None  # noqa: S101 - a workload has some traffic
    return axis


def _cost_axis(found: Answer, x: Axis) -> Axis:
    costs = [fleet.cost[(fleet.most > x.low) & (np.r_[0.0, fleet.most[:-1]] < x.high)] for fleet in found.fleets]
    seen = np.concatenate(costs)
    if not len(seen):  # every fleet is too small even for the lowest traffic drawn
        seen = np.concatenate([fleet.cost for fleet in found.fleets])
    ends = [slope * at for slope in found.slopes for at in (x.low, x.high) if slope]
    # An API costs next to nothing without traffic: its line may leave the picture at the bottom.
    axis = around(seen, np.clip(ends, seen.min() / 5, seen.max() * 5), name="/mo", least=10.0)
    assert axis is not None  # noqa: S101 - there is a fleet
    return axis


def _points(found: Answer, fleet: Stairs, x: Axis, *, gpu: bool) -> list[Point]:
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
            words = (
                f"up to {amount(float(fleet.most[step]), found.unit)} {found.unit}: {fleet_words(found, fleet, step)}"
            )
            made.append(Point(start, float(fleet.cost[step]), glyph, tone, words, offer))
        before = offer
    return made


def _bands(found: Answer, x: Axis) -> tuple[Band, ...]:
    """Which kind of own servers is the cheaper one, and where the API is cheaper than both."""
    kinds = leaders(found)
    ends = [at for at, _ in kinds[1:]] + [x.high]
    missing = missing_kind(found)
    parts = []
    for (start, kind), end in zip(kinds, ends, strict=True):
        words = (
            (f"{kind}: {missing}", f"{kind}: {missing.partition(' server')[0]} can", kind)
            if missing
            else (f"{kind} is cheaper", kind)
        )
        parts.append(Stretch(start, end, words, kind.lower()))
    bands = [Band("servers", tuple(parts))]
    if found.api is not None:
        edges = [0.0, *found.turns[0], x.high]
        said = (("the median API is cheaper", "API is cheaper", "API"), ("own servers are cheaper", "servers"))
        bands.append(
            Band("API", tuple(Stretch(start, end, said[n % 2], ("kv", "faint")[n % 2])
                              for n, (start, end) in enumerate(pairwise(edges)) if start < x.high))
        )  # fmt: skip
    return tuple(bands)
