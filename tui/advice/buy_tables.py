"""The tables of build or buy: APIs, the month line by line, utilization."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from models import cost
from models.build_or_buy import break_even, sensitivity
from pricing.serverless import output_tokens
from tui import format as fmt
from tui.advice.buy_case import fleet_words, median_price, servers_words
from tui.advice.report import Part, Table
from tui.cli.table import Column

if TYPE_CHECKING:
    from models.build_or_buy import Owned
    from models.verdict_view import View
    from pricing.serverless import Asked
    from tui.advice.buy_case import Case
    from tui.advice.question import Question


def providers(question: Question, case: Case | None, apis: tuple[Asked, ...]) -> Table:
    """A line for each API: its price of the mix, its bill, where the fleet breaks even against it."""
    work, code = question.workload, question.comparison.terms.currency
    tokens = work.input_tokens + output_tokens(work)
    rows = []
    for one in apis:
        even = None if case is None else break_even(case.hosted, case.overheads, one.per_m_tokens)
        rows.append(
            {
                "provider": one.provider,
                "model_id": one.price.model,
                "input_usd_per_m_tokens": one.price.input_usd_per_m_tokens,
                "output_usd_per_m_tokens": one.price.output_usd_per_m_tokens,
                "cached_input_usd_per_m_tokens": one.price.cached_input_usd_per_m_tokens,
                "blended_cost_per_m_tokens": one.per_m_tokens,
                "cost_per_m_requests": one.per_m_tokens * tokens,
                "monthly_cost": None if case is None else one.per_m_tokens * case.tokens / cost.MILLION,
                "break_even_tokens_per_month": None if even is None else even.tokens_per_month,
                "break_even_utilization": None if even is None else even.utilization,
                "cost_currency": code,
                "deprecation_date": one.price.deprecation_date,
                "source": one.price.source,
                "source_url": one.price.source_url,
                "source_date": one.price.source_date,
            }
        )
    return Table(
        tuple(rows),
        (
            Column("provider", "Provider", 1),
            Column("input_usd_per_m_tokens", "In $/M", 4),
            Column("output_usd_per_m_tokens", "Out $/M", 4),
            Column("cached_input_usd_per_m_tokens", "Cached", 8),
            Column("blended_cost_per_m_tokens", f"{code}/M blended", 1),
            Column("cost_per_m_requests", f"{code}/M requests", 6),
            Column("monthly_cost", f"{code}/month", 2),
            Column("break_even_utilization", "Breaks even at", 3, _even_at),
            Column("deprecation_date", "Until", 9),
            Column("source_date", "Price of", 7),
        ),
    )  # fmt: skip


def _even_at(share: float | None) -> str:
    if share is None:
        return fmt.MISSING
    return "never" if share > 1 else f"{fmt.number(share * 100)} %"


def per_m(view: View, price: float) -> str:
    """A price per million tokens: often far below a cent, so with three digits."""
    return view.money(price) if price >= 100 else view.money(1000).replace("1,000", fmt.number(price))


def month_lines(case: Case) -> Part:
    """What the month consists of, line by line."""
    over, hosted, code = case.overheads, case.hosted, case.comparison.terms.currency
    rows = [{"line": f"servers: {fleet_words(case)}", "monthly_cost": hosted.monthly_cost}]
    for name, amount in (
        (f"operations, {over.operations_share * 100:g} % of the servers", hosted.monthly_cost * over.operations_share),
        ("engineers", over.engineers),
        ("storage", over.storage),
        ("egress", over.egress),
    ):
        if amount:
            rows.append({"line": name, "monthly_cost": amount})
    rows.append({"line": "together", "monthly_cost": case.monthly})
    entry = case.comparison.market.offers[case.at]
    notes = [f"Price of {entry.source_date or 'no date'}: {entry.source or 'not stated'}."]
    if case.owned is not None:
        notes = [
            "Price of the bought server: as given, written off over its months, with power and rack around the clock.",
            "Its speed is that of the named offer (--self-host names another).",
        ]
    if not any((over.operations_share, over.engineers, over.storage, over.egress)):
        notes.append(
            "No operations, storage or egress is counted; --ops-percent, --engineer-hours, --storage-gb, --egress-gb add them."
        )
    if case.owned is not None:
        notes += _energy(case, case.owned)
    return Part(
        f"Self-hosting a month: {per_m(case.view, case.per_m)} a million tokens at this traffic",
        (),
        Table(tuple(rows), (Column("line", "Line", 1, widest=60), Column("monthly_cost", f"{code}/month", 1))),
        tuple(notes),
    )


def _energy(case: Case, owned: Owned) -> list[str]:
    """Power of the fleet at this traffic: a machine that idles draws as much as `watts` says."""
    rate = case.tokens / (case.comparison.terms.hours_per_month * cost.SECONDS_PER_HOUR) / case.hosted.servers
    kwh, joules = owned.kwh_per_m_tokens(rate), owned.joules_per_token(rate)
    if kwh is None or joules is None:
        return []
    power = f"{case.view.money(kwh * owned.price_per_kwh)} of electricity"
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
