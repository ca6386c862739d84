"""The table of serverless APIs: each one's price of the mix, and from which traffic on self-hosting is cheaper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from models import cost
from models.build_or_buy import break_even
from pricing.crossover import most_servers
from pricing.serverless import output_tokens
from tui import format as fmt
from tui.advice.pays import pays_data
from tui.advice.report import Table
from tui.cli.table import Column

if TYPE_CHECKING:
    from collections.abc import Mapping

    from models.fleets import Cheaper
    from models.traffic import Workload
    from pricing.serverless import Asked
    from pricing.terms import CompareOptions
    from tui.advice.buy_case import Case
    from tui.advice.question import Question


def providers(question: Question, case: Case | None, apis: tuple[Asked, ...]) -> Table:
    """A line for each API: its price of the mix, its bill, from which traffic on self-hosting is cheaper."""
    work, terms = question.workload, question.comparison.terms
    code, tokens, hit = terms.currency, work.input_tokens + output_tokens(work), work.prefix_hit > 0
    rows = []
    for one in apis:
        price, even = one.price, None if case is None else break_even(case.hosted, case.overheads, one.per_m_tokens)
        pays = None if case is None else case.pays(one.per_m_tokens)
        cached = price.cached_input_usd_per_m_tokens
        rows.append(
            {
                "provider": one.provider,
                "model_id": price.model,
                "input_usd_per_m_tokens": price.input_usd_per_m_tokens,
                "output_usd_per_m_tokens": price.output_usd_per_m_tokens,
                "cached_input_usd_per_m_tokens": cached,
                "input_cost_per_m_tokens": one.costs(price.input_usd_per_m_tokens),
                "output_cost_per_m_tokens": one.costs(price.output_usd_per_m_tokens),
                "cached_input_cost_per_m_tokens": one.costs(cached),
                "cached_input_billed_as_fresh": hit and cached is None,
                "blended_cost_per_m_tokens": one.per_m_tokens,
                "cost_per_m_requests": one.per_m_tokens * tokens,
                "monthly_cost": None if case is None else one.per_m_tokens * case.tokens / cost.MILLION,
                **_pays(pays, work, terms),
                "this_fleet_break_even_tokens_per_month": None if even is None else even.tokens_per_month,
                "this_fleet_break_even_utilization": None if even is None else even.utilization,
                "cost_currency": code,
                "deprecation_date": price.deprecation_date,
                "source": price.source,
                "source_url": price.source_url,
                "source_date": price.source_date,
            }
        )
    columns = [
        Column("provider", "Provider", 1),
        Column("input_cost_per_m_tokens", f"In {code}/M", 4),
        Column("output_cost_per_m_tokens", f"Out {code}/M", 4),
        Column("cached_input_cost_per_m_tokens", "Cached", 5 if hit else 8, _as_fresh if hit else None),
        Column("blended_cost_per_m_tokens", f"{code}/M blended", 1),
        Column("cost_per_m_requests", f"{code}/M requests", 8),
        Column("monthly_cost", f"{code}/month", 2),
        Column("break_even_tokens_per_month", "Self-host from", 1, _tokens_from, mark="cheaper_by_turns"),
        Column("this_fleet_break_even_utilization", "This fleet at", 3, _even_at),
        Column("deprecation_date", "Until", 9),
        Column("source_date", "Price of", 7),
    ]
    if case is None or case.misses:  # nothing to self-host on is not the same as never
        columns = [one for one in columns if one.show not in {_tokens_from, _even_at}]
    return Table(tuple(rows), tuple(columns))


def _pays(pays: Cheaper | None, work: Workload, terms: CompareOptions) -> dict[str, float | bool | None]:
    """From which traffic on fleets sized for it are cheaper than this API; None = never."""
    known = pays_data(pays, work, terms) or {}
    return {
        "break_even_requests_per_s": known.get("from_requests_per_s"),
        "break_even_tokens_per_month": known.get("from_tokens_per_month"),
        "cheaper_by_turns": pays is not None and pays.stays != pays.first,
        "cheaper_without_gap_from_tokens_per_month": known.get("stays_from_tokens_per_month"),
        "cheaper_until_tokens_per_month": known.get("until_tokens_per_month"),
    }


def _as_fresh(price: float | None) -> str:
    return "as fresh" if price is None else fmt.number(price)


def _tokens_from(tokens: float | None) -> str:
    return "never" if tokens is None else f"{fmt.number(tokens / cost.MILLION)} M/month"


def _even_at(share: float | None) -> str:
    if share is None:
        return fmt.MISSING
    return "beyond it" if share > 1 else f"{fmt.number(share * 100)} %"


def providers_notes(
    question: Question, case: Case | None, apis: tuple[Asked, ...], rows: tuple[Mapping[str, Any], ...]
) -> tuple[str, ...]:
    """What the columns mean: whose money, cached tokens without a price, which break-even is of what."""
    terms, work = question.comparison.terms, question.workload
    tax = f", {terms.vat * 100:g} % tax included" if terms.vat else ", without tax"
    notes = []
    if terms.currency != "USD" or terms.vat:
        notes.append(f"All amounts are {terms.currency}{tax}; the lists' own prices are dollars without tax.")
    silent = sum(one.price.cached_input_usd_per_m_tokens is None for one in apis)
    if work.prefix_hit and silent:
        notes.append(
            f"{silent} of {fmt.few(len(apis), 'price')} {'says' if silent == 1 else 'say'} nothing of cached prompts: there the "
            f"{work.prefix_hit * 100:g} % of the prompt out of the cache are counted as fresh. A provider may bill them for less."
        )
    if case is not None and not case.misses:
        fixed = " (engineers, storage and egress the same at every traffic)" if case.overheads.fixed else ""
        turns = any(row["cheaper_by_turns"] for row in rows)
        which = (
            "as many of this server as the traffic takes cost"
            if one_server(question)
            else "the cheapest fleet for the traffic, as in `rackrate advise crossover`, costs"
        )
        notes.append(
            f"Self-host from = the tokens a month from which {which} less than the API, with what comes on top{fixed}; never = "
            f"at no traffic that {most_words(question)} can carry."
            + (" * = by turns at first: each further server costs before it is filled." if turns else "")
        )
        notes.append(
            "This fleet at = F4: what the fleet of this traffic costs a month / the API's price of a token, as a share of the tokens "
            "it can serve inside the targets; beyond it = more than all of them, so that more or other servers decide."
        )
    return tuple(notes)


def one_server(question: Question) -> bool:
    """Whether fleets of other traffics are of the same server too: it was named or bought."""
    return "self_host" in question.said or "purchase" in question.said


def most_words(question: Question) -> str:
    """How many servers a fleet may have."""
    most = most_servers(question.workload)
    return "one server" if most == 1 else f"{most} servers of one offer"
