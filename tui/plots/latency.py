"""How one server slows down with its users: tokens a second each one sees, and the time to the first token."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tui import format as fmt
from tui.one_server import OneServer
from tui.plots import TITLES
from tui.plots.axis import around
from tui.plots.facts import who
from tui.plots.plot import BEST_CPU, BEST_GPU, CHOSEN, NOW, TARGET, Entry, Line, Panel, Plot, Point, Rule, empty
from tui.text import sign

if TYPE_CHECKING:
    from collections.abc import Callable

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
    ttft_band: tuple[float, float]
    tokens_per_s_user: float
    speed_band: tuple[float, float]
    layout: tuple[int, int]
    """GPUs of a replica, replicas."""
    inside: bool
    """Inside the targets."""


def loads(server: OneServer, work: Workload) -> tuple[list[Load], int]:
    """(the server at 1, 2, 4, ... users up to all it holds, most users inside the targets).

    Inside the targets the workload is asked as it is; beyond them without targets, since with them the answer would be
    about more servers.
    """
    loop = work.changed(concurrency=1, utilization=1.0)
    alone = server.rows(loop)
    if not alone.flag("fits", 0) or alone.value("ttft_ms", 0) is None:
        return [], 0
    best, room = (int(alone.value(name, 0) or 0) for name in ("max_concurrency", "max_sequences"))
    most = max(room, best, 1)
    step = 2 if most <= 2**MOST_STEPS else 4
    wanted = {step**k for k in range(32) if step**k <= most} | {best, most} - {0}
    made = []
    for users in sorted(wanted):
        inside = users <= best
        asked = loop.changed(concurrency=users)
        found = server.rows(asked if inside else asked.changed(ttft_ms=None, tpot_ms=None))
        # The engine runs fewer at once than the memory holds: more users wait, and the figures are no others'.
        if found.flag("saturated", 0) and not inside:
            break
        made.append(_load(found, users, inside=inside))
    return made, best


def _load(rows: Rows, users: int, *, inside: bool) -> Load:
    def figure(name: str) -> float:
        return float(rows.array(name)[0])

    return Load(
        users,
        figure("ttft_ms"),
        (figure("ttft_ms_low"), figure("ttft_ms_high")),
        figure("tokens_per_s_user"),
        (1000 / figure("tpot_ms_high"), 1000 / figure("tpot_ms_low")),
        (int(figure("tp_used")), int(figure("replicas"))),
        inside,
    )


def build(session: Session, rows: Rows, position: int) -> Plot:  # noqa: ARG001 - all plots are asked alike
    """The plot of the server on a line of the table."""
    i, work = rows.index(position), rows.workload
    found, best = loads(OneServer(rows.offer(i), rows.comparison.terms), work)
    if not found:
        return empty("latency", TITLE, f"{who(rows, i)}: {rows.reason(i) or 'no estimate for this server'}")
    x = around([load.users for load in found], base=2, name="users")
    assert x is not None  # noqa: S101 - one user is always there
    is_gpu = rows.offer(i).kind == "gpu"
    start = next((n for n, load in enumerate(found) if load.users == best), 0)
    panels = _panels(found, work)
    joint = _joint(panels)
    points = tuple(_point(load, best, is_gpu=is_gpu, single=len(panels) == 1) for load in found)
    most = f"{fmt.few(best, 'user')}: most inside the targets"
    rules = [Rule(best, TARGET, "strong", most, fmt.few(best, "user"))] if best else []
    if work.concurrency is not None:
        rules.append(Rule(work.concurrency, NOW, "accent", "now"))
    glyph, tone = sign(gpu=is_gpu)
    legend = [
        Entry(CHOSEN, "accent", "chosen"),
        Entry(BEST_GPU if is_gpu else BEST_CPU, "strong", "most users inside the targets", "most inside"),
        Entry(glyph, tone, "so many users", "users"),
        Entry("┈", "muted", "target"),
        Entry(glyph, "faint", "misses the targets", "misses"),
    ]
    if all(load.inside for load in found):
        legend.pop()
    return Plot("latency", TITLE, _text(rows, i, found, best), tuple(legend), f"{who(rows, i)} by users", x,
                tuple(panels) if len(panels) > 1 else (joint,), joint, rules=tuple(rules), points=points,
                caption=_caption(found, best),
                nearest=lambda offer: start)  # noqa: ARG005  # fmt: skip


def _panels(found: list[Load], work: Workload) -> list[Panel]:
    """Speed above, time to the first token below; a model that writes nothing has only the time."""
    users = np.array([load.users for load in found], dtype=float)
    speed = np.array([load.tokens_per_s_user for load in found])
    ttft = np.array([load.ttft_ms for load in found]) / 1000
    least = None if work.tpot_ms is None else 1000 / work.tpot_ms
    longest = None if work.ttft_ms is None else work.ttft_ms / 1000
    asked = (
        (speed, least, "tok/s each user", "gpu", f"≥{fmt.plain(least, 3)} tok/s·u"),
        (ttft, longest, "TTFT s", "kv", f"TTFT ≤{fmt.plain(longest, 3)} s"),
    )
    made = []
    for values, target, name, tone, said in asked:
        y = around(values, [target or np.nan], name=name)
        if y is None:
            continue
        lines = tuple(Line(users[part], values[part], tone) for part in _breaks(found))
        rules = () if target is None else (Rule(target, "┈", "muted", f"target {said}", said),)
        made.append(Panel(y, lines, rules))
    return made


def _joint(panels: list[Panel]) -> Panel:
    """All on one axis of numbers: every line and target has its unit in its name."""
    y = around(*(np.array([panel.y.low, panel.y.high]) for panel in panels))
    assert y is not None  # noqa: S101 - the panels have axes
    lines = [
        replace(line, name=panel.y.name if line is panel.lines[-1] else "") for panel in panels for line in panel.lines
    ]
    return Panel(y, tuple(lines), tuple(rule for panel in panels for rule in panel.rules))


def _point(load: Load, best: int, *, is_gpu: bool, single: bool) -> Point:
    glyph, tone = sign(gpu=is_gpu)
    if load.users == best:
        glyph, tone = BEST_GPU if is_gpu else BEST_CPU, "strong"
    elif not load.inside:
        tone = "faint"
    ttft = load.ttft_ms / 1000
    y, below = (ttft, float("nan")) if single else (load.tokens_per_s_user, ttft)
    return Point(load.users, y, glyph, tone, _words(load, best), below=below)


def _breaks(found: list[Load]) -> list[slice]:
    """Stretches of one layout: a line from one layout to another would be no server's."""
    cuts = [k for k in range(1, len(found)) if found[k].layout != found[k - 1].layout]
    return [slice(start, end) for start, end in zip([0, *cuts], [*cuts, len(found)], strict=True)]


def _caption(found: list[Load], best: int) -> str:
    at = next((load for load in found if load.users == best), None)
    if at is None:
        return f"even one user alone misses the targets: {_figures(found[0])}"
    return f"{fmt.few(best, 'user')} inside the targets: {_figures(at)}"


def _figures(load: Load) -> str:
    """TTFT and speed, each with its band."""
    said = f"TTFT {fmt.duration(load.ttft_ms)}{_band(load.ttft_band, fmt.duration)}"
    if not np.isnan(load.tokens_per_s_user):
        said += f", {fmt.number(load.tokens_per_s_user)} tok/s each{_band(load.speed_band, fmt.number)}"
    return said


def _band(ends: tuple[float, float], say: Callable[[float], str]) -> str:
    return f" ({say(ends[0])} – {say(ends[1])})" if np.isfinite(ends).all() else ""


def _words(load: Load, best: int) -> str:
    state = "the most inside the targets" if load.users == best else "" if load.inside else "misses the targets"
    return f"{fmt.few(load.users, 'user')}{f', {state}' if state else ''}: {_figures(load)}"


def _text(rows: Rows, i: int, found: list[Load], best: int) -> tuple[str, ...]:
    work = rows.workload
    lines = [f"{TITLE}: {who(rows, i)}, one server, users who ask again when they are answered"]
    targets = [
        f"TTFT at most {fmt.duration(work.ttft_ms)}" if work.ttft_ms is not None else "",
        f"at least {fmt.plain(1000 / work.tpot_ms, 3)} tok/s each" if work.tpot_ms is not None else "",
    ]
    lines.append(f"Targets: {', '.join(part for part in targets if part) or 'none'}.")
    caption = _caption(found, best)
    lines += [f"{caption[0].upper()}{caption[1:]}.", ""]
    lines.append(f"{'users':>7} {'TTFT':>10} {'band':<22} {'tok/s each':>11} band")
    before = found[0].layout
    for load in found:
        mark = "<- most inside the targets" if load.users == best else "" if load.inside else "!"
        if load.layout != before:
            mark += f" (as {load.layout[1]} × tensor parallel {load.layout[0]})"
        before = load.layout
        ttft, speed = fmt.duration(load.ttft_ms), fmt.number(load.tokens_per_s_user)
        bands = _band(load.ttft_band, fmt.duration).strip(), _band(load.speed_band, fmt.number).strip()
        lines.append(f"{load.users:>7,} {ttft:>10} {bands[0]:<22} {speed:>11} {bands[1]:<15} {mark}".rstrip())
    return tuple(lines)
