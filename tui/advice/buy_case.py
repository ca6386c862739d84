"""What build or buy compares: the prices of APIs, the user's own among them, and one fleet with what comes on top of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from models import cost
from models.build_or_buy import Overheads, Owned, SelfHosted
from models.errors import InputError, brief
from models.verdict import verdict
from models.verdict_view import look
from pricing.serverless import Asked, asked_by_all, blended_per_m, tokens_per_month
from tui.advice.changes import cheapest_pick
from tui.advice.named import named_offer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from models.verdict_view import View
    from pricing.compare import Comparison
    from tui.advice.question import Question

OWN_PRICE = "your price"


@dataclass(frozen=True, slots=True)
class Case:
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
    chosen: str = ""
    """How a named server was chosen among several."""

    @property
    def monthly(self) -> float:
        """Servers and what comes on top."""
        return self.hosted.monthly_cost + self.overheads.total(self.hosted.monthly_cost)

    @property
    def per_m(self) -> float:
        """A million tokens at this traffic."""
        return self.monthly / self.tokens * cost.MILLION


def all_apis(question: Question) -> tuple[Asked, ...]:
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


def self_hosted(question: Question) -> Case | None:
    """The fleet to self-host with; None where nothing meets the targets. Raises InputError for a server that nobody sells."""
    comparison, said = question.comparison, question.said
    named = named_offer(question, said["self_host"]) if "self_host" in said else None
    at = None if named is None else named.at
    if named is None:
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
    return Case(
        comparison, at, look(comparison, question.asked()), hosted, _overheads(said), owned,
        tokens_per_month(work, comparison.terms, served), slow, fast, "" if named is None else named.said,
    )  # fmt: skip


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


def listed(apis: tuple[Asked, ...]) -> tuple[Asked, ...]:
    """The market's prices, without the user's own unless there is no other."""
    return tuple(one for one in apis if one.provider != OWN_PRICE) or apis


def median_price(apis: tuple[Asked, ...]) -> float:
    """The median of the market's prices."""
    return float(np.median([one.per_m_tokens for one in listed(apis)]))


def wanted_api(apis: tuple[Asked, ...], name: str) -> Asked:
    """The price of one provider. Raises InputError where none is known."""
    found = next((one for one in apis if one.provider.lower() == name.lower()), None)
    if found is None:
        known = ", ".join(sorted(one.provider for one in apis))
        raise InputError(f"No price of {brief(name)} is known for this model.", hint=f"Known: {known}.")
    return found


def fleet_words(case: Case) -> str:
    """The fleet as it is named in a sentence."""
    entry = case.comparison.market.offers[case.at]
    many = f"{case.hosted.servers:,.0f} x " if case.hosted.servers > 1 else ""
    bought = "bought, as fast as " if case.owned is not None else ""
    missed = "" if case.comparison.column("meets_targets")[case.at] else " (misses the targets)"
    return f"{many}{bought}{entry.provider} {entry.server}{missed}"


def servers_words(case: Case) -> str:
    """This server, or these so many."""
    count = case.hosted.servers
    return "this server" if count == 1 else f"these {count:,.0f} servers"


def case_data(case: Case) -> dict[str, Any]:
    """The fleet as values for JSON."""
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
