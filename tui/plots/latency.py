"""How one server slows down with its users: tokens a second each one sees, and the time to the first token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tui import format as fmt
from tui.plots import TITLES
from tui.plots.axis import around
from tui.plots.facts import few, who
from tui.plots.plot import CHOSEN, NOW, TARGET, Line, Panel, Plot, Point, Rule, empty, sign

if TYPE_CHECKING:
    from models.estimate import ServerTable
    from models.traffic import Workload
    from tui.rows import Rows
    from tui.session import Session

TITLE = TITLES["latency"]
MOST_STEPS = 9
"""Estimates of powers of two; beyond them every power of four is one."""


@dataclass(frozen=True, slots=True)
class Load:
    """One server with so many users; times in ms, NaN where there is no figure."""

    users: int
    ttft_ms: float
    tokens_per_s_user: float
    layout: tuple[int, int]
    """GPUs of a replica, replicas."""
    inside: bool
    """Inside the targets."""


def loads(table: ServerTable, work: Workload) -> tuple[list[Load], int]:
    """(the server at 1, 2, 4, ... users up to all it holds, most users inside the targets), by the one estimator.

    `table` has the one server. Inside the targets the workload is asked as it is; beyond them without targets, since with
    them the answer would be about more servers.
    """
    from models.estimate import estimate

    loop = work.changed(concurrency=1, utilization=1.0)
    first = estimate(table, loop)
    if not first.fits[0] or not np.isfinite(first.ttft_ms[0]):
        return [], 0
    best, room = (
        int(value) if np.isfinite(value) else 0 for value in (first.max_concurrency[0], first.max_sequences[0])
    )
    most = max(room, best, 1)
    step = 2 if most <= 2**MOST_STEPS else 4
    wanted = {step**k for k in range(32) if step**k <= most} | {best, most} - {0}
    made = []
    for users in sorted(wanted):
        inside = users <= best
        asked = loop.changed(concurrency=users)
        found = estimate(table, asked if inside else asked.changed(ttft_ms=None, tpot_ms=None))
        # The engine runs fewer at once than the memory holds: more users wait, and the figures are no others'.
        if found.saturated[0] and not inside:
            break
        made.append(
            Load(
                users,
                float(found.ttft_ms[0]),
                float(found.tokens_per_s_user[0]),
                (int(found.tp_used[0]), int(found.replicas[0])),
                inside,
            )
        )
    return made, best


def build(session: Session, rows: Rows, position: int) -> Plot:  # noqa: ARG001 - all plots are asked alike
    """The plot of the server on a line of the table."""
    from models.estimate import ServerTable

    i = rows.index(position)
    market, work = rows.comparison.market, rows.workload
    table = ServerTable.build([market.servers[int(market.server_index[i])]])
    found, best = loads(table, work)
    if not found:
        return empty("latency", TITLE, f"{who(rows, i)}: {rows.reason(i) or 'no estimate for this server'}")
    users = np.array([load.users for load in found], dtype=float)
    speed = np.array([load.tokens_per_s_user for load in found])
    ttft = np.array([load.ttft_ms for load in found]) / 1000
    x = around(users, base=2, name="users")
    assert x is not None  # noqa: S101 - one user is always there
    wanted_speed = None if work.tpot_ms is None else 1000 / work.tpot_ms
    wanted_ttft = None if work.ttft_ms is None else work.ttft_ms / 1000
    glyph, tone = sign(gpu=rows.offer(i).kind == "gpu")
    panels, points = [], []
    broken = _breaks(found)
    for values, target, name, sense in ((speed, wanted_speed, "tok/s·u", "≥"), (ttft, wanted_ttft, "TTFT s", "≤")):
        y = around(values, [target or np.nan], name=name)
        if y is None:
            continue
        rules = () if target is None else (Rule(target, "┈", "muted", f"{sense}{fmt.plain(target, 3)}"),)
        lines = tuple(Line(users[part], values[part], tone) for part in broken)
        panels.append(Panel(y, lines, rules))
        points += [
            Point(
                load.users,
                float(value),
                glyph,
                tone if load.inside else "faint",
                _words(load, best),
                panel=len(panels) - 1,
            )
            for load, value in zip(found, values, strict=True)
        ]
    points = [point for point in points if point.panel == 0]
    start = next((n for n, load in enumerate(found) if load.users == best), 0)
    legend = [
        (glyph, tone, "server"),
        (CHOSEN, "accent", "chosen"),
        ("┈", "muted", "target"),
        (TARGET, "muted", "most inside"),
    ]
    rules_x = [Rule(best, TARGET, "muted", few(best, "user"))] if best else []
    if work.concurrency is not None:
        rules_x.append(Rule(work.concurrency, NOW, "accent", "now"))
    return Plot("latency", TITLE, _text(rows, i, found, best), tuple(legend), f"{who(rows, i)} by users", x, tuple(panels),
                tuple(rules_x), points=tuple(points), caption=_caption(best), nearest=lambda offer: start)  # noqa: ARG005  # fmt: skip


def _breaks(found: list[Load]) -> list[slice]:
    """Stretches of one layout: a line from one layout to another would be no server's."""
    cuts = [k for k in range(1, len(found)) if found[k].layout != found[k - 1].layout]
    return [slice(start, end) for start, end in zip([0, *cuts], [*cuts, len(found)], strict=True)]


def _caption(best: int) -> str:
    return f"{few(best, 'user')} at once inside the targets" if best else "even one user alone misses the targets"


def _words(load: Load, best: int) -> str:
    ttft = fmt.duration(load.ttft_ms)
    speed = "" if np.isnan(load.tokens_per_s_user) else f", {fmt.number(load.tokens_per_s_user)} tok/s each"
    state = "" if load.users == best else "" if load.inside else ", misses the targets"
    most = ", the most inside the targets" if load.users == best else ""
    return f"{few(load.users, 'user')}: TTFT {ttft}{speed}{most}{state}"


def _text(rows: Rows, i: int, found: list[Load], best: int) -> tuple[str, ...]:
    work = rows.workload
    lines = [f"{TITLE}: {who(rows, i)}, one server, users who ask again when they are answered"]
    targets = [
        f"TTFT at most {fmt.duration(work.ttft_ms)}" if work.ttft_ms is not None else "",
        f"at least {fmt.plain(1000 / work.tpot_ms, 3)} tok/s each" if work.tpot_ms is not None else "",
    ]
    lines.append(
        f"Targets: {', '.join(part for part in targets if part) or 'none'}. {_caption(best)[0].upper()}{_caption(best)[1:]}."
    )
    lines += ["", f"{'users':>7} {'TTFT':>10} {'tok/s each':>11}"]
    before = found[0].layout
    for load in found:
        mark = " <- most inside the targets" if load.users == best else "" if load.inside else " !"
        if load.layout != before:
            mark += f" (as {load.layout[1]} × tensor parallel {load.layout[0]})"
        before = load.layout
        lines.append(
            f"{load.users:>7,} {fmt.duration(load.ttft_ms):>10} {fmt.number(load.tokens_per_s_user):>11}{mark}"
        )
    return tuple(lines)
