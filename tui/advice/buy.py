"""Build or buy: self-hosting against serverless APIs at this traffic, break-even, and what utilization does to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from models import cost
from models.build_or_buy import Overheads, Owned, SelfHosted, break_even, requests_per_s, sensitivity
from models.errors import InputError, brief
from models.verdict import verdict
from models.verdict_band import month_at
from models.verdict_view import look, times
from pricing.serverless import Asked, asked_by_all, blended_per_m, output_tokens, tokens_per_month
from tui import format as fmt
from tui.advice.changes import cheapest_pick
from tui.advice.report import Part, Report, Table
from tui.advice.verdict import workload_data
from tui.cli.table import Column

if TYPE_CHECKING:
    from collections.abc import Mapping

    from models.traffic import Workload
    from models.verdict_view import View
    from pricing.compare import Comparison
    from pricing.terms import CompareOptions
    from tui.advice.question import Question

OWN_PRICE = "your price"
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


@dataclass(frozen=True, slots=True)
class _Case:
    """One fleet against all APIs, in the comparison's currency."""

    comparison: Comparison
    at: int
    view: View
    hosted: SelfHosted
    overheads: Overheads
    owned: Owned | None
    tokens: float
    """Tokens a month at the workload's traffic, prompts included."""
    slow: float
    fast: float
    """The ends of the error band of what the fleet can serve, over the estimate."""

    @property
    def monthly(self) -> float:
        """Servers and what comes on top."""
        return self.hosted.monthly_cost + self.overheads.total(self.hosted.monthly_cost)

    @property
    def per_m(self) -> float:
        """A million tokens at this traffic."""
        return self.monthly / self.tokens * cost.MILLION


def report(question: Question) -> Report:
    """Self-hosting against serverless APIs for the workload asked about."""
    apis = _apis(question)
    case = _case(question)
    parts = [Part("Build or buy", tuple(_sentences(question, case, apis)), notes=_notes(apis))]
    table = _providers(question, case, apis)
    if apis:
        parts.append(Part("Serverless APIs for this mix", (), table))
    if case is not None:
        parts += [_lines(case), _sensitivity(case, apis)]
    data = {
        "apis": [dict(row) for row in table.rows],
        "self_hosted": None if case is None else _case_data(case),
        "sensitivity": [] if case is None else [dict(row) for row in _sensitivity_rows(case, apis)],
        "sentences": list(parts[0].sentences),
        **workload_data(question),
    }
    return Report("buy", tuple(parts), data, table)


# what is compared


def _apis(question: Question) -> tuple[Asked, ...]:
    """All providers' prices, the user's own among them, the cheapest first."""
    work, terms = question.workload, question.comparison.terms
    found = list(asked_by_all(question.tokens(), work, terms))
    own = question.said.get("api_price")
    if own is not None:
        factor = terms.rates.factor("USD", terms.currency)
        blended = blended_per_m(work, own[0], own[1], own[2] if len(own) > 2 else None)
        if factor is not None and blended:
            # Without tax, as the lists are.
            factor *= 1 + (terms.vat or 0.0)
            found.append(Asked(OWN_PRICE, blended * factor, _own_entry(question, own)))
    return tuple(sorted(found, key=lambda one: one.per_m_tokens))


def _own_entry(question: Question, own: tuple[float, ...]) -> Any:
    from pricing.tokens import TokenPrice

    return TokenPrice(
        OWN_PRICE, OWN_PRICE, question.workload.model.name, question.workload.model.name, own[0], own[1],
        own[2] if len(own) > 2 else None, None, None, "", question.comparison.terms.today.isoformat(), None,
    )  # fmt: skip


def _case(question: Question) -> _Case | None:
    """The fleet to self-host with; None where nothing meets the targets. Raises InputError for a server that nobody sells."""
    comparison, said = question.comparison, question.said
    at = named_offer(question, said["self_host"]) if "self_host" in said else None
    if at is None and "self_host" not in said:
        at = cheapest_pick(verdict(comparison, question.asked()), comparison)
    if at is None:
        return None
    work = question.workload
    servers = float(comparison.column("servers_needed")[at])
    rate = float(comparison.column("requests_per_s_at_target")[at])
    owned = _owned(said)
    month = float(comparison.column("monthly_cost")[at])
    if owned is not None and owned.monthly is not None:
        month = owned.monthly * servers
    hosted = SelfHosted(month, servers, tokens_per_month(work, comparison.terms, rate * servers))
    output = [float(comparison.column(f"output_tokens_per_s{end}")[at]) for end in ("", "_low", "_high")]
    slow, fast = (end / output[0] if output[0] > 0 and np.isfinite(end) else 1.0 for end in output[1:])
    served = work.requests_per_s
    if served is None:
        served = float(comparison.column("requests_per_s")[at]) * servers
    return _Case(
        comparison, at, look(comparison, question.asked()), hosted, _overheads(said), owned,
        tokens_per_month(work, comparison.terms, served), slow, fast,
    )  # fmt: skip


def named_offer(question: Question, name: str, *, priced: bool = True) -> int:
    """The cheapest offer whose server, provider or hardware holds the words; one with a price. Raises InputError."""
    comparison, words = question.comparison, name.lower().split()
    asked = question.asked()
    fits = comparison.column("fits")[asked].astype(bool)
    found = [int(at) for at in asked if all(word in comparison.market.haystack[int(at)] for word in words)]
    if not found:
        raise InputError(
            f"No offer asked about is called {brief(name)}.", hint="`rackrate compare` lists them; filters may hide it."
        )
    meets, cost = comparison.column("meets_targets"), comparison.column("monthly_cost")
    with_price = [at for at in found if np.isfinite(cost[at])]
    if not with_price:
        if not priced:
            return found[0]
        held = fits[np.isin(asked, found)].any()
        raise InputError(f"No offer called {brief(name)} {'has a price' if held else 'holds the model'}.")
    return min(with_price, key=lambda at: (not meets[at], float(cost[at])))


def _overheads(said: Mapping[str, Any]) -> Overheads:
    pairs = (("engineer_hours", "engineer_rate"), ("storage_gb", "storage_price"), ("egress_gb", "egress_price"))
    for much, price in pairs:
        if (much in said) != (price in said):
            one, other = (much, price) if much in said else (price, much)
            raise InputError(f"--{one.replace('_', '-')} needs --{other.replace('_', '-')} beside it.")
    engineers, storage, egress = (said.get(much, 0.0) * said.get(price, 0.0) for much, price in pairs)
    return Overheads(said.get("ops_percent", 0.0) / 100, engineers, storage, egress)


def _owned(said: Mapping[str, Any]) -> Owned | None:
    needed = ("purchase", "months", "watts", "power_price")
    given = [name for name in (*needed, "pue", "colocation") if name in said]
    if not given:
        return None
    missing = [name for name in needed if name not in said]
    if missing:
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in missing)
        raise InputError(f"A bought server needs {flags} too.", hint="`rackrate advise buy --help` explains them.")
    return Owned(
        said["purchase"],
        said["months"],
        said["watts"],
        said["power_price"],
        said.get("pue", 1.0),
        said.get("colocation", 0.0),
    )


# in words


def _sentences(question: Question, case: _Case | None, apis: tuple[Asked, ...]) -> list[str]:
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
    listed = _listed(apis)
    median = _median(apis)
    bill = best.per_m_tokens * case.tokens / cost.MILLION
    fleet = _fleet_words(case)
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
    if len(listed) > 1:
        chosen.append((f"the median of {len(listed)}", median))
    wanted = question.said.get("api")
    if wanted is not None:
        chosen.append((wanted, _wanted(apis, wanted).per_m_tokens))
    if "api_price" in question.said:
        chosen.append((OWN_PRICE, next(one.per_m_tokens for one in apis if one.provider == OWN_PRICE)))
    said += [sentence for name, price in chosen if (sentence := _break_even(case, name, price))]
    return said


def _flips(case: _Case, bill: float) -> list[str]:
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


def _listed(apis: tuple[Asked, ...]) -> tuple[Asked, ...]:
    """The market's prices, without the user's own unless there is no other."""
    return tuple(one for one in apis if one.provider != OWN_PRICE) or apis


def _median(apis: tuple[Asked, ...]) -> float:
    return float(np.median([one.per_m_tokens for one in _listed(apis)]))


def _wanted(apis: tuple[Asked, ...], name: str) -> Asked:
    found = next((one for one in apis if one.provider.lower() == name.lower()), None)
    if found is None:
        known = ", ".join(sorted(one.provider for one in apis))
        raise InputError(f"No price of {brief(name)} is known for this model.", hint=f"Known: {known}.")
    return found


def _fleet_words(case: _Case) -> str:
    entry = case.comparison.market.offers[case.at]
    many = f"{case.hosted.servers:,.0f} x " if case.hosted.servers > 1 else ""
    bought = "bought, as fast as " if case.owned is not None else ""
    missed = "" if case.comparison.column("meets_targets")[case.at] else " (misses the targets)"
    return f"{many}{bought}{entry.provider} {entry.server}{missed}"


def _break_even(case: _Case, name: str, price: float) -> str:
    found = break_even(case.hosted, case.overheads, price)
    if found is None:
        return ""
    money = _per_m(case.view, price)
    tokens = f"{fmt.number(found.tokens_per_month / cost.MILLION)} million tokens a month"
    share = f"{fmt.number(found.utilization * 100)} % of what {_servers(case)} can serve inside the targets"
    lowest, highest = found.utilization / case.fast, found.utilization / case.slow
    if found.never:
        sure = "" if lowest > 1 else f" At the fast end of the error band it would at {fmt.number(lowest * 100)} %."
        return f"Against {name} ({money}/M) it never breaks even: it would need {tokens}, {share}.{sure}"
    sure = "" if highest <= 1 else " At the slow end of the error band it never does."
    return f"Against {name} ({money}/M) it breaks even at {tokens}, {share}.{sure}"


def _servers(case: _Case) -> str:
    count = case.hosted.servers
    return "this server" if count == 1 else f"these {count:,.0f} servers"


def _notes(apis: tuple[Asked, ...]) -> tuple[str, ...]:
    notes = [
        (
            "Prices are of the request's mix, prompt included: (fresh prompt x input + cached prompt x cached + answer x output) / all "
            "tokens. "
            "An API's speed, limits and number format are not compared."
        ),
        "Break-even = what the fleet costs a month / the API's price of a token; its share is of the fleet's tokens inside the targets.",
    ]
    listed = [one for one in apis if one.provider != OWN_PRICE]
    if listed:
        days = sorted({one.price.source_date for one in listed})
        sources = ", ".join(sorted({one.price.source for one in listed}))
        notes.append(f"Token prices seen {days[0]}{' to ' + days[-1] if len(days) > 1 else ''} ({sources}).")
    if any(one.price.source == "openrouter" for one in apis):
        notes.append(OPENROUTER_FEE)
    return tuple(notes)


# tables


def _providers(question: Question, case: _Case | None, apis: tuple[Asked, ...]) -> Table:
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


def _per_m(view: View, price: float) -> str:
    """A price per million tokens: often far below a cent, so with three digits."""
    return view.money(price) if price >= 100 else view.money(1000).replace("1,000", fmt.number(price))


def _lines(case: _Case) -> Part:
    """What the month consists of, line by line."""
    over, hosted, code = case.overheads, case.hosted, case.comparison.terms.currency
    rows = [{"line": f"servers: {_fleet_words(case)}", "monthly_cost": hosted.monthly_cost}]
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
        f"Self-hosting a month: {_per_m(case.view, case.per_m)} a million tokens at this traffic",
        (),
        Table(tuple(rows), (Column("line", "Line", 1, widest=60), Column("monthly_cost", f"{code}/month", 1))),
        tuple(notes),
    )


def _energy(case: _Case, owned: Owned) -> list[str]:
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


def _sensitivity_rows(case: _Case, apis: tuple[Asked, ...]) -> list[dict[str, Any]]:
    cheapest = apis[0].per_m_tokens if apis else None
    median = _median(apis) if apis else None
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


def _sensitivity(case: _Case, apis: tuple[Asked, ...]) -> Part:
    code = case.comparison.terms.currency
    rows = tuple(_sensitivity_rows(case, apis))

    def against(value: float | None) -> str:
        return "—" if value is None else f"{value:,.2f}x"

    now = case.tokens / case.hosted.capacity_tokens if case.hosted.capacity_tokens > 0 else float("nan")
    return Part(
        f"What utilization does to it (now {fmt.number(now * 100)} % of what {_servers(case)} can serve)",
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


def _case_data(case: _Case) -> dict[str, Any]:
    entry = case.comparison.market.offers[case.at]
    return {
        "offer_id": entry.offer_id,
        "servers": case.hosted.servers,
        "servers_monthly_cost": case.hosted.monthly_cost,
        "monthly_cost": case.monthly,
        "tokens_per_month": case.tokens,
        "capacity_tokens_per_month": case.hosted.capacity_tokens,
        "cost_per_m_total_tokens": case.per_m,
        "speed_band": [case.slow, case.fast],
        "owned": case.owned is not None,
    }
