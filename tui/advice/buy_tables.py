"""The fleet of build or buy in tables and values: the month line by line, utilization."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from models import cost
from models.build_or_buy import sensitivity
from tui import format as fmt
from tui.advice.buy_case import bought_words, fleet_words, median_price, servers_words
from tui.advice.buy_extras import cost_lines
from tui.advice.report import Part, Table
from tui.cli.table import Column
from tui.rows import hardware

if TYPE_CHECKING:
    from models.build_or_buy import Owned
    from models.verdict_view import View
    from pricing.serverless import Asked
    from tui.advice.buy_case import Case


def per_m(view: View, price: float) -> str:
    """A price per million tokens: often far below a cent, so with three digits."""
    return view.money(price) if price >= 100 else view.money(1000).replace("1,000", fmt.number(price))


def month_lines(case: Case) -> Part:
    """What the month consists of, line by line."""
    over, code = case.overheads, case.comparison.terms.currency
    rows = [*lines(case), {"line": "together", "words": "together", "monthly_cost": case.monthly}]
    entry = case.comparison.market.offers[case.at]
    notes = [f"Price of {entry.source_date or 'no date'}: {entry.source or 'not stated'}."]
    if case.owned is not None:
        notes = [
            "Price of the bought server: as given, written off over its months, with power and rack around the clock.",
            f"Its speed is that estimated for {case.view.label(case.at)}; --self-host names another server.",
        ]
    if not any((over.operations_share, over.engineers, over.storage, over.egress)):
        notes.append(
            "No operations, storage or egress is counted; --ops-percent, --engineer-hours, --storage-gb, --egress-gb add them."
        )
    if case.comparison.terms.vat and (case.owned is not None or over.fixed):
        notes.append(
            "What you gave (purchase, power, colocation, engineers, storage, egress) is taken as it is: give it with the tax you pay."
        )
    if case.owned is not None:
        notes += _energy(case, case.owned)
    return Part(
        f"Self-hosting a month: {per_m(case.view, case.per_m)} a million tokens at this traffic",
        (),
        Table(tuple(rows), (Column("words", "Line", 1, widest=80), Column("monthly_cost", f"{code}/month", 1))),
        tuple(notes),
    )


def lines(case: Case) -> list[dict[str, Any]]:
    """The lines of the month."""
    hosted = case.hosted
    words = fleet_words(case) if case.owned is None else bought_words(case)
    return list(cost_lines(words, hosted.monthly_cost, hosted.servers, case.overheads, case.owned))


def case_data(case: Case) -> dict[str, Any]:
    """The fleet as values for JSON."""
    entry, hosted = case.comparison.market.offers[case.at], case.hosted
    return {
        "offer_id": entry.offer_id,
        "server": entry.server,
        "provider": entry.provider,
        "hardware": hardware(entry),
        "servers": hosted.servers,
        "servers_monthly_cost": hosted.monthly_cost,
        "cost_lines": lines(case),
        "monthly_cost": case.monthly,
        "tokens_per_month": case.tokens,
        "capacity_tokens_per_month": hosted.capacity_tokens,
        "cost_per_m_total_tokens": case.per_m,
        "speed_band": [case.slow, case.fast],
        "owned": case.owned is not None,
        "bought": None if case.owned is None else _bought(case, case.owned),
    }


def _bought(case: Case, owned: Owned) -> dict[str, Any]:
    """One bought server as it was said, and its energy at this traffic."""
    rate = _rate(case)
    return {
        "purchase": owned.purchase,
        "months": owned.months,
        "watts": owned.watts,
        "power_price_per_kwh": owned.price_per_kwh,
        "pue": owned.pue,
        "colocation_per_month": owned.colocation,
        "monthly_cost": owned.monthly,
        "energy_j_per_token": owned.joules_per_token(rate),
        "energy_kwh_per_m_tokens": owned.kwh_per_m_tokens(rate),
    }


def _rate(case: Case) -> float:
    """Tokens a second of one server at this traffic."""
    return case.tokens / (case.comparison.terms.hours_per_month * cost.SECONDS_PER_HOUR) / case.hosted.servers


def _energy(case: Case, owned: Owned) -> list[str]:
    """Power of the fleet at this traffic: a machine that idles draws as much as `watts` says."""
    rate = _rate(case)
    kwh, joules = owned.kwh_per_m_tokens(rate), owned.joules_per_token(rate)
    if kwh is None or joules is None:
        return []
    power = f"{per_m(case.view, kwh * owned.price_per_kwh)} of electricity"
    return [
        f"Energy at this traffic: {joules:,.3g} J a token, prompts included; {kwh:,.3g} kWh a million tokens, {power}.",
        "Energy = watts x PUE / (tokens/s).",
    ]


def sensitivity_rows(case: Case, apis: tuple[Asked, ...]) -> list[dict[str, Any]]:
    """What a million tokens costs at each utilization, as values."""
    cheapest = apis[0].per_m_tokens if apis else None
    median = median_price(apis) if apis else None
    return [
        {
            "utilization": share,
            "tokens_per_month": case.hosted.capacity_tokens * share,
            "cost_per_m_total_tokens": price,
            "over_cheapest_api": None if cheapest is None else price / cheapest,
            "over_median_api": None if median is None else price / median,
        }
        for share, price in sensitivity(case.hosted, case.overheads)
    ]


def sensitivity_part(case: Case, apis: tuple[Asked, ...]) -> Part:
    """The same as a table."""
    code = case.comparison.terms.currency
    rows = tuple(sensitivity_rows(case, apis))

    def against(value: float | None) -> str:
        return "—" if value is None else f"{value:,.2f}x"

    now = case.tokens / case.hosted.capacity_tokens if case.hosted.capacity_tokens > 0 else float("nan")
    return Part(
        f"What utilization does to it (now {fmt.number(now * 100)} % of what {servers_words(case)} can serve)",
        (),
        Table(
            rows,
            (
                Column("utilization", "Used", 1, lambda value: f"{value * 100:g} %"),
                Column("tokens_per_month", "Tokens/month", 3, lambda value: f"{fmt.number(value / cost.MILLION)} M"),
                Column("cost_per_m_total_tokens", f"{code}/M tokens", 1),
                Column("over_cheapest_api", "of cheapest API", 2, against),
                Column("over_median_api", "of median API", 2, against),
            ),
        ),
    )
