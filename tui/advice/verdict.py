"""What to rent and why: one sentence, three offers to look at, and what would change the answer."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from models.checks import RAM_BELOW_WEIGHTS
from models.verdict import verdict
from models.verdict_band import HEADROOM, corners, with_headroom, would_meet
from models.verdict_view import look, times
from pricing.crossover import KINDS, crossover
from tui import format as fmt
from tui.advice.changes import changes, cheapest_pick
from tui.advice.offers import columns, offer_row, printed
from tui.advice.report import Part, Report, Table
from tui.cli.output import plain
from tui.cli.table import Column

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from models.verdict import Verdict
    from pricing.compare import Comparison
    from pricing.crossover import Crossover
    from tui.advice.changes import Change
    from tui.advice.question import Question

CODES_OF_KIND = {"cpu_enough": "cpu", "only_cpu": "cpu", "gpu_cheaper": "gpu", "gpu_needed": "gpu", "only_gpu": "gpu"}
"""What a verdict decides for, where it does."""


def report(question: Question) -> Report:
    """The verdict over the offers asked about."""
    comparison, asked = question.comparison, question.asked()
    found = verdict(comparison, asked)
    traffic = crossover(comparison, asked, None)
    turn = _turn(found, traffic)
    inside = _flips(comparison, asked, found)
    looked = _picks(comparison, asked, found)
    told = changes(question, found)
    sentences = [found.sentence + (f" {turn}" if turn else ""), *(_without_turn(found, turn)), *inside]
    sentences += _fails(comparison, cheapest_pick(found, comparison))
    parts = [Part("Verdict", tuple(sentences))]
    if looked:
        parts.append(_look_at(comparison, looked))
    parts.append(_changes(question, found, told))
    data = _data(question, found, turn, inside, looked, told)
    # CSV: the offers to look at, then what would change the answer, each with why it is there.
    rows = [{"change": None, "bill_ratio": None, **row} for row in data["picks"]]
    rows += [{"why": "if", **row} for row in data["changes"]]
    names = Column("why", "Why", 1), Column("change", "With", 1)
    return Report("verdict", tuple(parts), data, Table(tuple(rows), columns(comparison.terms.currency, *names)))


# the sentence


def _fails(comparison: Comparison, pick: int | None) -> list[str]:
    """What may keep the cheapest offer from starting at all: a recommendation must not leave it to the fine print."""
    if pick is None:
        return []
    label = look(comparison, None).label(pick)
    return [f"{label}: {check.text}" for check in comparison.host_checks(pick) if check.code == RAM_BELOW_WEIGHTS]


def _turn(found: Verdict, traffic: Crossover) -> str:
    """From which traffic on the other kind wins, exact to the step: the nearest crossing above the traffic asked about."""
    if found.code not in CODES_OF_KIND or not traffic.changes:
        return ""
    here = CODES_OF_KIND[found.code]
    for at, kind in traffic.changes:
        if at > traffic.traffic and KINDS[kind].lower() != here:
            return f"Above {carried(traffic, at)} the {KINDS[kind]} wins."
    below = [(at, kind) for at, kind in traffic.changes if at <= traffic.traffic]
    if below and KINDS[below[-1][1]].lower() == here and below[-1][0] > 0:
        other = KINDS[1 - below[-1][1]]
        return f"{'Up to' if traffic.unit == 'users' else 'Below'} {carried(traffic, below[-1][0])} the {other} wins."
    return ""


def carried(traffic: Crossover, at: float) -> str:
    """The most traffic that one side of a crossing carries: whole users, or requests a second."""
    return fmt.few(math.floor(at + 1e-9), "user") if traffic.unit == "users" else f"{fmt.number(at)} requests/s"


def _without_turn(found: Verdict, turn: str) -> tuple[str, ...]:
    """The verdict's own remarks; its estimate of the crossing only where there is no exact one."""
    return tuple(one for one in found.changes if not (turn and one.startswith("Above ")))


def _flips(comparison: Comparison, asked: NDArray[np.intp], found: Verdict) -> tuple[str, ...]:
    """Whether the answer holds inside the error bands, and at which end it does not."""
    decided = CODES_OF_KIND.get(found.code, "")
    view = look(comparison, asked)
    said = []
    for corner in corners(comparison, asked):
        if found.code in {"cpu_enough", "gpu_cheaper"} and corner.cheaper and corner.cheaper != decided:
            slow, fast = corner.slow.upper(), ("GPU" if corner.slow == "cpu" else "CPU")
            costs = (
                f"{name} {view.money(cost)}" if math.isfinite(cost) else f"no {name} meets the targets"
                for name, cost in (("CPU", corner.cpu_cost), ("GPU", corner.gpu_cost))
            )
            said.append(
                f"The answer flips inside the error bands: with {slow}s as slow and {fast}s as fast as theirs allow, "
                f"{', '.join(costs)} a month."
            )
        if decided and corner.slow == decided and math.isinf(getattr(corner, f"{decided}_cost")):
            said.append(f"At the slow end of the error bands no {decided.upper()} server here meets the targets.")
    missing = {"gpu_needed": "cpu", "only_cpu": "gpu"}.get(found.code)
    if missing and (count := would_meet(comparison, asked, missing)):
        few = fmt.few(count, f"{missing.upper()} offer")
        said.append(
            f"{few} would meet the targets at the fast end of the error band: measure before you rule them out."
        )
    if decided and not said:
        said.append(f"At both ends of the error bands the answer stays a {decided.upper()} server.")
    return tuple(said)


# offers to look at


@dataclass(frozen=True, slots=True)
class Pick:
    """An offer to look at, why, and with how many servers at what cost where that is not the traffic's own fleet."""

    why: str
    offer: int
    servers: int | None = None
    monthly_cost: float | None = None

    def row(self, comparison: Comparison) -> dict[str, Any]:
        """The offer's row; a larger fleet has its own servers and bill, and the speeds of servers with less to do."""
        row = offer_row(comparison, self.offer, why=self.why)
        if self.servers is not None and self.monthly_cost is not None:
            dearer = self.monthly_cost / row["monthly_cost"]
            row |= {"servers_needed": float(self.servers), "monthly_cost": self.monthly_cost}
            row |= {name: row[name] * dearer for name in _PER_TOKEN if row[name] is not None}
            one = comparison.one_of(self.offer, self.servers)
            row |= {name: plain(getattr(one, name)[0]) for name in _OF_THE_LOAD}
        return row


_PER_TOKEN = ("cost_per_m_output_tokens", "cost_per_m_total_tokens")
_OF_THE_LOAD = (
    "ttft_ms", "ttft_ms_low", "ttft_ms_high", "ttft_p95_ms", "tpot_ms", "tpot_ms_low", "tpot_ms_high", "tokens_per_s_user", "utilization",
)  # fmt: skip
"""Figures that are others where more servers share the traffic."""


def _picks(comparison: Comparison, asked: NDArray[np.intp], found: Verdict) -> tuple[Pick, ...]:
    best = cheapest_pick(found, comparison)
    if best is None:
        return () if found.nearest is None else (Pick("nearest", found.nearest),)
    picks = [Pick("cheapest", best)]
    if (roomy := with_headroom(comparison, asked)) is not None:
        same = roomy.servers == int(comparison.column("servers_needed")[roomy.offer])
        more = (None, None) if same else (roomy.servers, roomy.monthly_cost)
        picks.append(Pick(f"{HEADROOM:g}x headroom", roomy.offer, *more))
    other = found.gpu_pick if best == found.cpu_pick else found.cpu_pick
    other = other if other is not None else found.nearest
    if other is not None:
        kind = comparison.market.offers[other].kind.upper()
        met = bool(comparison.column("meets_targets")[other])
        picks.append(Pick(f"cheapest {kind}" if met else f"nearest {kind}", other))
    return tuple(picks)


def _look_at(comparison: Comparison, picks: tuple[Pick, ...]) -> Part:
    rows: dict[tuple[int, int | None], Pick] = {}
    for pick in picks:
        key = pick.offer, pick.servers
        rows[key] = replace(pick, why=f"{rows[key].why}, {pick.why}") if key in rows else pick
    made = tuple(printed(pick.row(comparison)) for pick in rows.values())
    whys = [pick.why for pick in picks]
    notes = [
        f"Headroom: so many servers meet the targets with {HEADROOM:g} times the traffic at the slow end of their bands, for the least.",
        "A band is where eight of ten measured speeds lie; `rackrate accuracy` shows how far estimates have been off.",
    ]
    if "cheapest" not in whys:
        notes = notes[1:]
    elif not any("headroom" in why for why in whys):
        notes[0] = (
            "No offer has headroom: at the slow end of its band each that meets the targets misses them, or needs too many servers."
        )
    shown = columns(comparison.terms.currency, Column("why", "Why", 1), tail=_tail(comparison))
    return Part("Offers to look at", (), Table(made, shown), tuple(notes))


def _tail(comparison: Comparison) -> bool:
    return comparison.workload.ttft_column == "ttft_p95_ms"


# what would change it


def _changes(question: Question, found: Verdict, told: tuple[Change, ...]) -> Part:
    now = cheapest_pick(found, question.comparison)
    if not told:
        tried = "fewer and more bits, an 8-bit cache, a longer TTFT, shorter prompts, a prefix cache, other terms and older prices"
        return Part(
            "What would change the answer", (f"Nothing that was tried, by a twentieth of the bill or more: {tried}.",)
        )
    rows = tuple(
        printed(offer_row(change.comparison, change.pick, change=change.words, against=_against(change, now)))
        for change in told
        if change.pick is not None
    )
    return Part(
        "What would change the answer" if now is not None else "Nearest ways out",
        (),
        Table(
            rows,
            (
                Column("change", "With", 1, widest=44),
                Column("against", "Bill", 1),
                *columns(question.comparison.terms.currency, tail=_tail(question.comparison)),
            ),
        ),
    )


def _against(change: Change, now: int | None) -> str:
    if now is None or change.ratio is None:
        return "meets"
    if change.ratio >= 1.95:
        return times(change.ratio)
    return f"{(change.ratio - 1) * 100:+.0f} %"


def _data(
    question: Question,
    found: Verdict,
    turn: str,
    inside: tuple[str, ...],
    picks: tuple[Pick, ...],
    told: tuple[Change, ...],
) -> dict[str, Any]:
    comparison = question.comparison
    return {
        "code": found.code,
        "sentence": found.sentence,
        "crossing": turn or None,
        "holds_inside_error_bands": list(inside),
        "remarks": list(found.changes),
        "picks": [pick.row(comparison) for pick in picks],
        "changes": [
            offer_row(change.comparison, change.pick, change=change.words, bill_ratio=change.ratio)
            for change in told
            if change.pick is not None
        ],
        **workload_data(question),
    }


def workload_data(question: Question) -> dict[str, Any]:
    """What was asked, for those who keep the answer."""
    from tui.workload_table import to_table

    return {
        "workload": to_table(question.workload),
        "currency": question.comparison.terms.currency,
        "offers": len(question.asked()),
        "prices": question.comparison.market.snapshot_date,
    }
