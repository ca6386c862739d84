"""Some servers side by side: a line a figure, a column a server, the best of each line marked by a sign and bold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui import format as fmt
from tui.input_text import show_ttft
from tui.sections.speed import band
from tui.text import TIED, TextLine, pad, shorten, sign, wrap

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tui.rows import Rows

BEST = "★"
LABEL, NARROWEST = 16, 19
"""Cells of the figures' names, and the fewest of a server."""
GAP = 1


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the comparison."""

    name: str
    say: Callable[[Rows, int], str]
    number: Callable[[Rows, int], float | None] | None = None
    """What is compared for the best; None where there is no better."""
    largest: bool = False
    """More is better."""
    bad: Callable[[Rows, int], bool] | None = None
    """Where it misses something."""


def _value(name: str) -> Callable[[Rows, int], float | None]:
    return lambda rows, i: rows.value(name, i)


def _shown(name: str, show: Callable[[float | None], str]) -> Callable[[Rows, int], str]:
    return lambda rows, i: show(rows.value(name, i))


def _money(name: str) -> Callable[[Rows, int], str]:
    return lambda rows, i: fmt.price(rows.value(name, i), rows.comparison.terms.currency)


def _fit(rows: Rows, i: int) -> str:
    used = rows.value("memory_used_share", i)
    if used is None:
        return fmt.MISSING
    sign = "✓" if rows.flag("fits", i) else "✗"
    return f"{sign} {fmt.percent_used(used)} of {fmt.number(rows.value('memory_total_gib', i))} GiB"


def _banded(name: str, show: Callable[[float | None], str]) -> Callable[[Rows, int], str]:
    def say(rows: Rows, i: int) -> str:
        low, high = rows.value(f"{name}_low", i), rows.value(f"{name}_high", i)
        said = show(rows.value(name, i)).replace(" ", TIED)
        span = band(low, high, show).strip().replace(" ", TIED)
        return f"{said} {span}" if span else said

    return say


def _ttft(rows: Rows, i: int) -> str:
    return _banded("ttft_ms", fmt.duration)(rows, i) + (f" ! over {show_ttft(rows.workload)}" if rows.late(i) else "")


def _user(rows: Rows, i: int) -> str:
    return fmt.number(rows.value("tokens_per_s_user", i)) + (" ! misses the target" if rows.slow(i) else "")


def _servers(rows: Rows, i: int) -> str:
    value = rows.value("servers_needed", i)
    return fmt.count(value) + (" ! not practical" if not rows.comparison.practical[i] else "")


def _age(rows: Rows, i: int) -> str:
    days = rows.value("price_age_days", i)
    words = "undated" if days is None else f"{fmt.age(days)} ({rows.offer(i).source_date})"
    return f"{words} * check" if rows.old(i) and days is not None else words


def _commitment(rows: Rows, i: int) -> str:
    offer = rows.offer(i)
    if not offer.commitment_months:
        return "a month" if offer.term == "monthly" else "none"
    upfront = f", {offer.upfront_share * 100:.0f} % upfront" if offer.upfront_share else ""
    return f"{fmt.few(offer.commitment_months, 'month')}{upfront}"


def _warnings(rows: Rows, i: int) -> str:
    return "; ".join(warning.rstrip(".") for warning in rows.warnings(i)) or "none"


def _said(name: str) -> Callable[[Rows, int], str]:
    return lambda rows, i: rows.text(name, i) or fmt.MISSING


# What one server of a fleet carries is no merit of the fleet: those lines have no best.
FIGURES: tuple[Figure, ...] = (
    Figure("Provider", lambda rows, i: rows.offer(i).provider or fmt.MISSING),
    Figure("Region", lambda rows, i: rows.offer(i).region or rows.offer(i).region_group or fmt.MISSING),
    Figure("Hardware", lambda rows, i: rows.hardware(i)),
    Figure("Fit", _fit, bad=lambda rows, i: not rows.flag("fits", i)),
    Figure("TTFT", _ttft, _value("ttft_ms"), bad=lambda rows, i: rows.late(i)),
    Figure("tok/s·u", _user, _value("tokens_per_s_user"), largest=True, bad=lambda rows, i: rows.slow(i)),
    Figure("tok/s Σ, each", _shown("output_tokens_per_s", fmt.number)),
    Figure("Users, each", _shown("max_concurrency", fmt.whole)),
    Figure("Servers", _servers, _value("servers_needed")),
    Figure("all servers /h", _money("hourly_cost"), _value("hourly_cost")),
    Figure("all servers /mo", _money("monthly_cost"), _value("monthly_cost")),
    Figure("per Mtok", _money("cost_per_m_output_tokens"), _value("cost_per_m_output_tokens")),
    Figure("full load", _money("cost_per_m_output_tokens_full_load"), _value("cost_per_m_output_tokens_full_load")),
    Figure("Price seen", _age, _value("price_age_days"), bad=lambda rows, i: rows.old(i)),
    Figure("Term", lambda rows, i: rows.term(i)),
    Figure("Committed", _commitment, lambda rows, i: float(rows.offer(i).commitment_months or 0)),
    Figure("Engine", _said("engine_used")),
    Figure("Format", _said("quant_used")),
    Figure("Limit", _said("bound_by")),
    Figure("Figures", _said("basis")),
    Figure("Loads in", lambda rows, i: fmt.duration(_milliseconds(rows.value("load_s", i))), _value("load_s")),
    Figure("Misses", lambda rows, i: rows.reason(i) or "nothing", bad=lambda rows, i: bool(rows.reason(i))),
    Figure("Watch", _warnings, lambda rows, i: float(len(rows.warnings(i)))),
)  # fmt: skip


def _milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else seconds * 1000


def best(figure: Figure, rows: Rows, chosen: Sequence[int]) -> frozenset[int]:
    """Who has the best value of a line; nobody where all have the same, or only one has any."""
    if figure.number is None:
        return frozenset()
    values = {i: value for i in chosen if (value := figure.number(rows, i)) is not None}
    if len(values) < 2 or len(set(values.values())) == 1:
        return frozenset()
    first = (max if figure.largest else min)(values, key=values.__getitem__)
    # What reads the same is the same: a millisecond in a second is no difference.
    top = frozenset(i for i in values if figure.say(rows, i) == figure.say(rows, first))
    return top if len(top) < len(values) else frozenset()


def figures(rows: Rows, chosen: Sequence[int], *, differing: bool) -> list[Figure]:
    """The lines, or those of them in which the servers differ."""
    return [figure for figure in FIGURES if not differing or len({figure.say(rows, i) for i in chosen}) > 1]


def visible(count: int, at: int, width: int) -> tuple[int, int]:
    """(first server on the screen, how many) so that the chosen one is among them."""
    many = max(1, min(count, (width - LABEL) // (NARROWEST + GAP)))
    return max(0, min(at - many // 2, count - many)), many


def side_by_side(rows: Rows, chosen: Sequence[int], at: int, width: int, *, differing: bool = False) -> list[TextLine]:
    """The comparison in `width` cells with server number `at` in reach."""
    first, many = visible(len(chosen), at, width)
    shown = list(chosen[first : first + many])
    size = (width - LABEL) // many - GAP
    where = f"{first + 1}–{first + many}" if many > 1 else f"{first + 1}"
    lines = _heads(rows, shown, at - first, size, f"{where} of {len(chosen)}" if many < len(chosen) else "")
    found = figures(rows, chosen, differing=differing)
    for figure in found:
        top = best(figure, rows, chosen)
        columns = []
        for i in shown:
            sign = f"{BEST}{TIED}" if i in top else ""
            tone = "strong" if i in top else "miss" if figure.bad is not None and figure.bad(rows, i) else "text"
            columns.append(wrap([(f"{sign}{figure.say(rows, i)}", tone)], size))
        lines += _beside(figure.name, columns, size)
    if not found:
        lines.append([("They do not differ in any line.", "muted")])
    return lines


def _heads(rows: Rows, shown: Sequence[int], at: int, size: int, where: str) -> list[TextLine]:
    columns = []
    for place, i in enumerate(shown):
        glyph, tone = sign(gpu=rows.offer(i).kind == "gpu")
        pointer = ("▸", "accent") if place == at else (" ", "text")
        name = (fmt.clean(rows.server(i)), "accent" if place == at else "strong")
        columns.append([shorten([pointer, (f"{glyph} ", tone), name], size)])
    return [*_beside(where, columns, size), []]


def _beside(name: str, columns: Sequence[list[TextLine]], size: int) -> list[TextLine]:
    """Columns of wrapped lines next to each other."""
    lines: list[TextLine] = []
    for place in range(max(len(column) for column in columns)):
        line: TextLine = [(fmt.fit_width(name if place == 0 else "", LABEL), "muted")]
        for column in columns:
            line += pad(column[place] if place < len(column) else [], size + GAP)
        lines.append(line)
    return lines


def plain(rows: Rows, chosen: Sequence[int], *, differing: bool = False) -> list[list[str]]:
    """The comparison as cells for copying, best ones with the sign."""
    table = [["", *(rows.server(i) for i in chosen)]]
    for figure in figures(rows, chosen, differing=differing):
        top = best(figure, rows, chosen)
        said = [f"{figure.say(rows, i)}{f' {BEST}' if i in top else ''}".replace(TIED, " ") for i in chosen]
        table.append([figure.name, *said])
    return table
