"""The cheapest offer that meets the targets at each provider: what loyalty to one costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from models.practical import MOST_SERVERS
from tui import format as fmt
from tui.plots import TITLES
from tui.plots.facts import good, money, sign_of_money, who
from tui.plots.plot import BEYOND, CHOSEN, Bar, Entry, Plot, empty
from tui.text import CPU, GPU, sign

if TYPE_CHECKING:
    from tui.rows import Rows
    from tui.session import Session

TITLE = TITLES["providers"]
LONGEST = 10.0
"""Bars end at so many times the cheapest: one dear provider must not squeeze all others."""


def build(session: Session, rows: Rows, position: int) -> Plot:  # noqa: ARG001 - all plots are asked alike
    """One bar a provider with an offer shown that is worth a look, the cheapest first."""
    order = rows.order
    month = rows.array("monthly_cost").astype(float)[order]
    places = np.flatnonzero(good(rows)[order] & np.isfinite(month))
    sellers = rows.texts.ranks("provider")[order]
    among = len(np.unique(sellers[~np.isnan(sellers)]))
    if not len(places):
        return empty(
            "providers",
            TITLE,
            f"None of {fmt.few(among, 'provider')} shown has an offer that meets the targets with at most {MOST_SERVERS} servers.",
        )
    places = places[np.argsort(month[places], kind="stable")]
    _, first = np.unique(sellers[places], return_index=True)
    cheapest = places[np.sort(first)]
    offers, costs = order[cheapest].tolist(), month[cheapest].tolist()
    bars = tuple(_bar(rows, offer, cost, costs) for offer, cost in zip(offers, costs, strict=True))
    caption = (
        f"{fmt.few(len(bars), 'provider')} of {among} can with at most {MOST_SERVERS} servers; "
        f"{sign_of_money(rows)} a month for the traffic"
    )
    lines = [
        f"{TITLE} that meets the targets, can be had and needs {MOST_SERVERS} servers or fewer",
        f"{len(bars)} of {fmt.few(among, 'provider')} shown; cost of all servers for the traffic",
        "",
        *(f"{_cost(rows, cost)}  {_times(cost, costs[0]):>10}  {bar.glyph} {_fleet(rows, offer)}"
          for bar, offer, cost in zip(bars, offers, costs, strict=True)),
    ]  # fmt: skip
    legend = [Entry(CHOSEN, "accent", "this one"), Entry(GPU, "gpu", "GPU"), Entry(CPU, "cpu", "CPU")]
    if costs[-1] > costs[0] * LONGEST:
        legend.insert(
            0, Entry(BEYOND, "muted", f"longer: over {LONGEST:.0f} times the cheapest", f"over {LONGEST:.0f}×")
        )
    return Plot("providers", TITLE, tuple(lines), tuple(legend), f"{sign_of_money(rows)}/mo, × the cheapest",
                bars=bars, caption=caption)  # fmt: skip


def _cost(rows: Rows, cost: float) -> str:
    return f"{money(rows, cost):>9}/mo"


def _times(cost: float, least: float) -> str:
    return f"{fmt.number(cost / least, decimals=2)} times"


def _fleet(rows: Rows, offer: int) -> str:
    old = " * check price" if rows.old(offer) else ""
    return f"{fmt.count(rows.value('servers_needed', offer))}× {who(rows, offer)}{old}"


def _bar(rows: Rows, offer: int, cost: float, costs: list[float]) -> Bar:
    glyph, tone = sign(gpu=rows.offer(offer).kind == "gpu")
    old = "*" if rows.old(offer) else " "
    times = cost / costs[0]
    words = (
        f"{money(rows, cost)}/mo, {'' if cost == costs[0] else f'{_times(cost, costs[0])} '}the cheapest, "
        f"{money(rows, rows.value('cost_per_m_output_tokens', offer))}/Mtok: {_fleet(rows, offer)}"
    )
    longest = min(costs[-1] / costs[0], LONGEST)
    parts = [(min(times, longest) / longest, "█", tone)]
    if times > longest:
        parts = [(0.99, "█", tone), (0.01, BEYOND, tone)]
    needed = rows.value("servers_needed", offer)
    detail = f"{fmt.few(int(needed or 1), 'server')} with {fmt.clean(rows.hardware(offer))}"
    note = f"{fmt.number(cost)}{old} {fmt.number(times, decimals=1):>4}×"
    return Bar(fmt.clean(rows.offer(offer).provider), glyph, tone, tuple(parts), note, words, offer,
               detail=detail, more=_fleet(rows, offer))  # fmt: skip
