"""Build or buy: self-hosting against serverless APIs at this traffic, break-even, and what utilization does to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from models import cost
from models.build_or_buy import break_even, requests_per_s
from models.errors import InputError
from models.verdict_band import month_at
from models.verdict_view import times
from pricing.serverless import output_tokens
from tui import format as fmt
from tui.advice.buy_case import (
    OWN_PRICE,
    all_apis,
    case_data,
    fleet_words,
    listed,
    median_price,
    self_hosted,
    servers_words,
    wanted_api,
)
from tui.advice.buy_tables import month_lines, per_m, providers, sensitivity_part, sensitivity_rows
from tui.advice.report import Part, Report
from tui.advice.verdict import workload_data

if TYPE_CHECKING:
    from collections.abc import Mapping

    from models.traffic import Workload
    from pricing.serverless import Asked
    from pricing.terms import CompareOptions
    from tui.advice.buy_case import Case
    from tui.advice.question import Question

OPENROUTER_FEE = "OpenRouter adds 5.5 % (at least $0.80) when credits are bought (its pricing page, read 2026-11-30)."


def prepare(workload: Workload, said: Mapping[str, Any], options: CompareOptions, given: frozenset[str]) -> Workload:
    """The workload at the tokens a month that were said. Raises InputError where --rps or --concurrency says otherwise."""
    wanted = said.get("tokens_per_month")
    if wanted is None:
        return workload
    if given & {"rps", "concurrency"}:
        raise InputError("--tokens-per-month and --rps or --concurrency exclude each other.", hint="Give one of them.")
    tokens = workload.input_tokens + output_tokens(workload)
    return workload.changed(requests_per_s=requests_per_s(wanted, tokens, options.hours_per_month), concurrency=None)


def report(question: Question) -> Report:
    """Self-hosting against serverless APIs for the workload asked about."""
    apis = all_apis(question)
    case = self_hosted(question)
    sentences = _sentences(question, case, apis)
    if case is not None and not case.comparison.practical[case.at]:
        sentences.append(f"{fleet_words(case)}: {case.view.too_many(case.at)}.")
    if case is not None and case.chosen:
        sentences.append(case.chosen)
    parts = [Part("Build or buy", tuple(sentences), notes=_notes(apis))]
    table = providers(question, case, apis)
    if apis:
        parts.append(Part("Serverless APIs for this mix", (), table))
    if case is not None:
        parts += [month_lines(case), sensitivity_part(case, apis)]
    data = {
        "apis": [dict(row) for row in table.rows],
        "self_hosted": None if case is None else case_data(case),
        "sensitivity": [] if case is None else [dict(row) for row in sensitivity_rows(case, apis)],
        "sentences": list(parts[0].sentences),
        **workload_data(question),
    }
    return Report("buy", tuple(parts), data, table)


# in words


def _sentences(question: Question, case: Case | None, apis: tuple[Asked, ...]) -> list[str]:
    work = question.workload
    said = []
    if case is None:
        said.append(
            "No server asked about meets the targets, so there is nothing to self-host on; `rackrate advise` says what comes near."
        )
    if not apis:
        said.append(
            f"No price per token is known for {work.model.name}; `--api-price IN/OUT` gives one, `rackrate refresh litellm openrouter` "
            "fetches current ones."
        )
    if case is None or not apis:
        return said
    view, best = case.view, apis[0]
    of_market = listed(apis)
    median = median_price(apis)
    bill = best.per_m_tokens * case.tokens / cost.MILLION
    fleet = fleet_words(case)
    traffic = f"{fmt.number(case.tokens / cost.MILLION)} million tokens a month"
    whole = "with what comes on top" if case.monthly > case.hosted.monthly_cost * (1 + 1e-9) else "servers alone"
    seen = "as given" if best.provider == OWN_PRICE else f"price of {best.price.source_date}, {best.price.source}"
    if case.monthly < bill:
        said.append(
            f"Self-host: at {traffic} {fleet} costs {view.money(case.monthly)} a month ({whole}), "
            f"the cheapest API ({best.provider}; {seen}) "
            f"{view.money(bill)}, {times(bill / case.monthly)}."
        )
    else:
        said.append(
            f"Buy: at {traffic} the cheapest API ({best.provider}; {seen}) costs {view.money(bill)} a month, {fleet} "
            f"{view.money(case.monthly)} ({whole}), {times(case.monthly / bill)}."
        )
    said += _flips(case, bill)
    chosen = [("the cheapest API", best.per_m_tokens)]
    if len(of_market) > 1:
        chosen.append((f"the median of {len(of_market)}", median))
    wanted = question.said.get("api")
    if wanted is not None:
        chosen.append((wanted, wanted_api(apis, wanted).per_m_tokens))
    if "api_price" in question.said:
        chosen.append((OWN_PRICE, next(one.per_m_tokens for one in apis if one.provider == OWN_PRICE)))
    said += [sentence for name, price in chosen if (sentence := _break_even(case, name, price))]
    return said


def _flips(case: Case, bill: float) -> list[str]:
    """A sentence where the answer is the other one at an end of the error band: other speed, other number of servers."""
    row = np.flatnonzero(case.view.at == case.at)
    if not row.size:
        return []
    rented = float(case.comparison.column("monthly_cost")[case.at])
    for end, word in (("low", "slow"), ("high", "fast")):
        servers = case.hosted.monthly_cost * float(month_at(case.view, end)[row[0]]) / rented
        month = servers + case.overheads.total(servers)
        if np.isfinite(month) and (month < bill) is not (case.monthly < bill):
            other = "buying" if case.monthly < bill else "self-hosting"
            said = f"at its {word} end the fleet costs {case.view.money(month)} a month and {other} is cheaper"
            return [f"Inside the error band of the speed the answer is open: {said}."]
    return []


def _break_even(case: Case, name: str, price: float) -> str:
    found = break_even(case.hosted, case.overheads, price)
    if found is None:
        return ""
    money = per_m(case.view, price)
    tokens = f"{fmt.number(found.tokens_per_month / cost.MILLION)} million tokens a month"
    share = f"{fmt.number(found.utilization * 100)} % of what {servers_words(case)} can serve inside the targets"
    lowest, highest = found.utilization / case.fast, found.utilization / case.slow
    if found.never:
        sure = "" if lowest > 1 else f" At the fast end of the error band it would at {fmt.number(lowest * 100)} %."
        return f"Against {name} ({money}/M) it never breaks even: it would need {tokens}, {share}.{sure}"
    sure = "" if highest <= 1 else " At the slow end of the error band it never does."
    return f"Against {name} ({money}/M) it breaks even at {tokens}, {share}.{sure}"


def _notes(apis: tuple[Asked, ...]) -> tuple[str, ...]:
    notes = [
        (
            "Prices are of the request's mix, prompt included: (fresh prompt x input + cached prompt x cached + answer x output) / all "
            "tokens. "
            "An API's speed, limits and number format are not compared."
        ),
        "Break-even = what the fleet costs a month / the API's price of a token; its share is of the fleet's tokens inside the targets.",
    ]
    priced = [one for one in apis if one.provider != OWN_PRICE]
    if priced:
        days = sorted({one.price.source_date for one in priced})
        sources = ", ".join(sorted({one.price.source for one in priced}))
        notes.append(f"Token prices seen {days[0]}{' to ' + days[-1] if len(days) > 1 else ''} ({sources}).")
    if any(one.price.source == "openrouter" for one in apis):
        notes.append(OPENROUTER_FEE)
    return tuple(notes)
