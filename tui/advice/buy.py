"""Build or buy: self-hosting against serverless APIs at this traffic, break-even, and what utilization does to it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from models import cost
from models.build_or_buy import break_even, requests_per_s
from models.errors import InputError
from models.verdict_view import times
from pricing.serverless import output_tokens, tokens_per_month
from tui import format as fmt
from tui.advice.buy_case import (
    OWN_PRICE,
    all_apis,
    costs,
    fleet_words,
    listed,
    median_price,
    self_hosted,
    servers_words,
    wanted_api,
)
from tui.advice.buy_providers import most_words, one_server, providers, providers_notes
from tui.advice.buy_tables import case_data, month_lines, per_m, sensitivity_part, sensitivity_rows
from tui.advice.pays import pays_words, tokens_words
from tui.advice.report import Part, Report
from tui.advice.verdict import workload_data

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from models.band_ends import End
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
        parts.append(Part("Serverless APIs for this mix", (), table, providers_notes(question, case, apis, table.rows)))
    if case is not None:
        parts += [month_lines(case), sensitivity_part(case, apis)]
    data = {
        "apis": [dict(row) for row in table.rows],
        "self_hosted": None if case is None else case_data(case),
        "sensitivity": [] if case is None else [dict(row) for row in sensitivity_rows(case, apis)],
        "sentences": list(parts[0].sentences),
        "notes": [note for part in parts for note in part.notes],
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
    bill = best.per_m_tokens * case.tokens / cost.MILLION
    fleet = fleet_words(case)
    whole = "with what comes on top" if case.monthly > case.hosted.monthly_cost * (1 + 1e-9) else "servers alone"
    seen = "as given" if best.provider == OWN_PRICE else f"price of {best.price.source_date}, {best.price.source}"
    own, other = f"{fleet} {costs(case)} {view.money(case.monthly)} a month ({whole})", f"({best.provider}; {seen})"
    traffic = f"at {tokens_words(case.tokens)} tokens a month"
    if case.monthly < bill:
        ratio = _as_much(bill / case.monthly)
        said.append(f"Self-host: {traffic} {own}; the cheapest API {other} costs {view.money(bill)}, {ratio}.")
    else:
        ratio = _as_much(case.monthly / bill)
        said.append(f"Use an API: {traffic} the cheapest {other} costs {view.money(bill)} a month; {own}, {ratio}.")
    said += _flips(case, bill)
    for name, price in _chosen(question, apis):
        said += _break_even(question, case, name, price)
    return said


def _as_much(ratio: float) -> str:
    return "about the same" if ratio < 1.05 else f"{times(ratio)} as much"


def _chosen(question: Question, apis: tuple[Asked, ...]) -> Iterator[tuple[str, float]]:
    """The prices that the break-even is said for, by name."""
    of_market = listed(apis)
    yield "the cheapest API", apis[0].per_m_tokens
    if len(of_market) > 1:
        yield f"the median of {len(of_market)}", median_price(apis)
    wanted = question.said.get("api")
    if wanted is not None:
        yield wanted, wanted_api(apis, wanted).per_m_tokens
    if "api_price" in question.said:
        yield OWN_PRICE, next(one.per_m_tokens for one in apis if one.provider == OWN_PRICE)


SPEEDS: tuple[tuple[End, str], ...] = (("low", "slow"), ("high", "fast"))


def _flips(case: Case, bill: float) -> list[str]:
    """A sentence where the answer is the other one at an end of the error band: other speed, other number of servers."""
    rented = float(case.comparison.column("monthly_cost")[case.at])
    for end, word in SPEEDS:
        servers = case.hosted.monthly_cost * case.comparison.months_at((case.at,), end)[0] / rented
        month = servers + case.overheads.total(servers)
        if np.isfinite(month) and (month < bill) is not (case.monthly < bill):
            other = "the API" if case.monthly < bill else "self-hosting"
            said = f"at its {word} end the fleet costs {case.view.money(month)} a month and {other} is cheaper"
            return [f"Inside the error band of the speed the answer is open: {said}."]
    return []


def _break_even(question: Question, case: Case, name: str, price: float) -> Iterator[str]:
    """From which traffic on self-hosting is cheaper, whatever fleet it takes; then when this very fleet is."""
    work, terms = question.workload, case.comparison.terms
    against, pays = f"Against {name} ({per_m(case.view, price)}/M)", case.pays(price)
    which = "self-hosting on this server" if one_server(question) else "self-hosting"
    if case.misses:
        yield f"{against} there is no break-even inside the targets: this server misses them, however many there are."
    elif pays is None:
        yield f"{against} {which} never breaks even, at any traffic that {most_words(question)} can carry."
    else:
        yield f"{against} {which} is cheaper {pays_words(pays, work, terms)}. {_moved(case, price, pays.first)}"
    found = break_even(case.hosted, case.overheads, price)
    if found is None:
        return
    share = f"{fmt.number(found.utilization * 100)} % of what {servers_words(case)} can serve{'' if case.misses else ' inside the targets'}"
    tokens = f"{tokens_words(found.tokens_per_month)} tokens a month, {share}"
    if found.never:
        yield f"The fleet of this traffic, kept as it is, never gets there: it would need {tokens}."
    else:
        yield f"The fleet of this traffic, kept as it is, costs what that API does at {tokens}."


def _moved(case: Case, price: float, first: float) -> str:
    """Where the break-even lies with all speeds at an end of their error bands."""
    ends = []
    for end, word in reversed(SPEEDS):
        found = case.pays(price, end)
        rate = math.inf if found is None else found.first
        tokens = tokens_per_month(case.comparison.workload, case.comparison.terms, rate)
        ends.append((rate, f"{'never' if math.isinf(rate) else f'from {tokens_words(tokens)}'} ({word})"))
    if all(math.isclose(rate, first) for rate, _ in ends):
        return "The error band of the speeds does not move that."
    return f"At the ends of the error band of the speeds: {', '.join(words for _, words in ends)}."


def _notes(apis: tuple[Asked, ...]) -> tuple[str, ...]:
    notes = [
        (
            "Prices are of the request's mix, prompt included: (fresh prompt x input + cached prompt x cached + answer x output) / all "
            "tokens. "
            "An API's speed, limits and number format are not compared."
        ),
    ]
    priced = [one for one in apis if one.provider != OWN_PRICE]
    if priced:
        days = sorted({one.price.source_date for one in priced})
        sources = ", ".join(sorted({one.price.source for one in priced}))
        notes.append(f"Token prices seen {days[0]}{' to ' + days[-1] if len(days) > 1 else ''} ({sources}).")
    if any(one.price.source == "openrouter" for one in apis):
        notes.append(OPENROUTER_FEE)
    return tuple(notes)
