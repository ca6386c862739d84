"""Price against speed: every offer shown, and the frontier of the cheapest at at least each speed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from models.frontier import frontier
from models.practical import MOST_SERVERS
from tui import format as fmt
from tui.plots import TITLES
from tui.plots.axis import Axis, around
from tui.plots.facts import good, money, sign_of_money, who
from tui.plots.plot import BEST_CPU, BEST_GPU, CHOSEN, TARGET, Cloud, Entry, Line, Panel, Plot, Point, Rule, empty
from tui.text import CPU, GPU

if TYPE_CHECKING:
    from tui.rows import Rows
    from tui.session import Session

    Array = np.ndarray[Any, Any]

MARGIN = 5.0
"""The axes reach so many times beyond the offers that are worth a look; one far-off offer must not squeeze all others."""
TITLE = TITLES["pareto"]


def stairs(speed: Array, cost: Array, start: float) -> tuple[Array, Array]:
    """The line "cheapest at at least this speed" through frontier points, from `start` on."""
    if not len(speed):
        return speed, cost
    corners = np.r_[min(start, speed[0]), np.repeat(speed, 2)[:-1]]
    return corners, np.repeat(cost, 2)


def build(session: Session, rows: Rows, position: int) -> Plot:  # noqa: ARG001 - all plots are asked alike
    """The plot of the rows shown."""
    order = rows.order
    speed = rows.array("tokens_per_s_user")[order].astype(float)
    cost = rows.array("cost_per_m_output_tokens")[order].astype(float)
    worth = good(rows)[order]
    known = np.isfinite(speed) & np.isfinite(cost) & (speed > 0) & (cost > 0)
    if not known.any():
        return empty("pareto", TITLE, "No offer shown has both a speed and a cost.")
    usable = known & worth
    asked = usable if usable.any() else known
    places = np.flatnonzero(asked)
    places = places[frontier(speed[places], cost[places])]
    x, y = _axes(rows, speed, cost, asked, known)
    points = tuple(_frontier_points(rows, order[places], speed[places], cost[places]))
    target = _target(rows)
    line = Line(*stairs(speed[places], cost[places], x.low), "kv")
    gpu = rows.comparison.market.is_gpu[order]
    cpus = int((~gpu[places]).sum())
    caption = f"frontier: {fmt.few(len(places), 'offer')}, {cpus} CPU" + (
        "" if usable.any() else f"; none meets the targets with at most {MOST_SERVERS} servers"
    )
    # With users the cheapest a month, which the table begins with, may be another one.
    per = " per token" if rows.workload.requests_per_s is None else ""
    cheapest = f"cheapest{per} at that speed"
    legend = [
        Entry(CHOSEN, "accent", "this one"),
        Entry(BEST_GPU, "kv", f"{BEST_CPU} {cheapest}" if cpus else cheapest, "cheapest"),
        Entry(GPU, "gpu", "GPU"),
        Entry(CPU, "cpu", "CPU"),
    ]
    if target is not None:
        legend.append(Entry(TARGET, "muted", "target"))
    if usable.any() and (known & ~worth).any():
        legend.append(Entry("dim", "faint", "misses"))
    outside = int((known & ~((speed >= x.low) & (speed <= x.high) & (cost >= y.low) & (cost <= y.high))).sum())
    speeds = speed[places]

    def place(offer: int) -> Point | None:
        fast, dear = rows.value("tokens_per_s_user", offer), rows.value("cost_per_m_output_tokens", offer)
        if fast is None or dear is None:
            return None
        return Point(fast, dear, CHOSEN, "accent", _words(rows, offer, fast, dear), offer)

    def nearest(offer: int) -> int:
        fast = rows.value("tokens_per_s_user", offer) or 0.0
        return min(int(np.searchsorted(speeds, fast * (1 - 1e-9))), len(points) - 1)

    return Plot(
        "pareto",
        TITLE,
        _text(rows, points, (int(known.sum()), int(usable.sum()), outside), cpus),
        tuple(legend),
        f"{sign_of_money(rows)}/Mtok by tok/s·u",
        x,
        (Panel(y, (line,)),),
        rules=()
        if target is None
        else (Rule(target, TARGET, "muted", f"≥{fmt.plain(target, 3)} tok/s·u", f"≥{fmt.plain(target, 3)}"),),
        cloud=Cloud(speed, cost, order, gpu, worth if usable.any() else known),
        points=points,
        caption=caption,
        nearest=nearest,
        place=place,
    )


def _target(rows: Rows) -> float | None:
    """Tokens a second each user is to see."""
    tpot = rows.workload.tpot_ms
    return None if tpot is None else 1000 / tpot


def _axes(rows: Rows, speed: Array, cost: Array, asked: Array, known: Array) -> tuple[Axis, Axis]:
    made = []
    for values, name in ((speed, "tok/s·u"), (cost, f"{sign_of_money(rows)}/Mtok")):
        low, high = values[asked].min() / MARGIN, values[asked].max() * MARGIN
        seen = values[known]
        inside = np.clip(seen, low, high)
        extra = [_target(rows) or np.nan] if name == "tok/s·u" else []
        axis = around(inside, extra, name=name)
        assert axis is not None  # noqa: S101 - there is a known value
        made.append(axis)
    return made[0], made[1]


def _words(rows: Rows, offer: int, speed: float, cost: float) -> str:
    return f"{fmt.number(speed)} tok/s·u, {money(rows, cost)}/Mtok: {who(rows, offer)}"


def _frontier_points(rows: Rows, offers: Array, speed: Array, cost: Array) -> list[Point]:
    made = []
    for k, offer in enumerate(offers.tolist()):
        words = _words(rows, offer, speed[k], cost[k])
        if k:
            faster, dearer = speed[k] / speed[k - 1] - 1, cost[k] / cost[k - 1] - 1
            words += f" ({_percent(faster)} faster, {_percent(dearer)} dearer than the one before it)"
        glyph = BEST_GPU if rows.offer(offer).kind == "gpu" else BEST_CPU
        made.append(Point(float(speed[k]), float(cost[k]), glyph, "kv", words, offer))
    return made


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %" if share >= 0.1 else f"{share * 100:.1f} %"


def _text(rows: Rows, points: tuple[Point, ...], counts: tuple[int, int, int], cpus: int) -> tuple[str, ...]:
    known, usable, outside = counts
    lines = [f"{TITLE}: {sign_of_money(rows)}/Mtok of output by tok/s per user"]
    lines.append(
        f"{fmt.few(len(rows), 'offer')} shown, {known:,} with both figures, {usable:,} of those worth a look: "
        f"they meet the targets, can be had, and {MOST_SERVERS} servers or fewer carry the traffic."
    )
    if rows.workload.requests_per_s is None:
        lines.append(
            "With users a faster server makes more tokens: the cheapest per token is not always the cheapest a month."
        )
    if outside:
        lines.append(
            f"{fmt.few(outside, 'offer')} far beyond the others {'lies' if outside == 1 else 'lie'} outside the picture."
        )
    target = _target(rows)
    if target is not None:
        lines.append(f"Target: at least {fmt.plain(target, 3)} tok/s per user.")
    over = "" if usable else f" of all, since none meets the targets with at most {MOST_SERVERS} servers"
    lines += ["", f"Frontier{over}: the cheapest at at least that speed ({fmt.few(len(points), 'offer')}, {cpus} CPU)"]
    lines += [
        f"{fmt.number(point.x):>8} tok/s·u  {money(rows, point.y):>8}/Mtok  {point.glyph} {who(rows, point.offer or 0)}"
        for point in points
    ]
    return tuple(lines)
