"""What build or buy compares: the prices of APIs, the user's own among them, and one fleet with what comes on top of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from models import cost
from models.build_or_buy import SelfHosted
from models.errors import InputError, brief
from models.fleets import cheaper
from models.verdict import verdict
from models.verdict_view import look
from pricing.crossover import most_servers, own_fleets, usable
from pricing.serverless import Asked, asked_by_all, blended_per_m, dollar, monthly_slope, tokens_per_month
from tui import rows
from tui.advice.buy_extras import extras
from tui.advice.changes import cheapest_pick
from tui.advice.named import named_offer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from models.band_ends import End
    from models.build_or_buy import Overheads, Owned
    from models.fleets import Cheaper
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
    places: NDArray[np.intp]
    """The offers that a fleet for another traffic may be made of: all asked about, or the one that was named or bought."""
    chosen: str = ""
    """How a named server was chosen among several."""

    @property
    def monthly(self) -> float:
        """Servers and what comes on top."""
        return self.hosted.monthly_cost + self.overheads.total(self.hosted.monthly_cost)

    def pays(self, price_per_m: float, end: End | None = None) -> Cheaper | None:
        """From which traffic on the cheapest fleet for it, with what comes on top, beats that price; `end` = low or high: of the speed."""
        work, says = self.comparison.workload, self.comparison if end is None else self.comparison.at_end(end)
        able = says.column("meets_targets" if work.has_targets else "fits").astype(bool)
        fleets = own_fleets(
            says, self.places[able[self.places]], month=None if self.owned is None else self.owned.monthly
        )
        fleets = fleets.with_extras(self.overheads.operations_share, self.overheads.fixed)
        return cheaper(fleets, monthly_slope(price_per_m, work, self.comparison.terms), most_servers(work))

    @property
    def misses(self) -> bool:
        """Whether the server that was named misses the targets: then no number of it carries any traffic inside them."""
        return not len(self.places)

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
        factor = dollar(terms)
        blended = blended_per_m(work, own[0], own[1], own[2] if len(own) > 2 else None)
        if factor is not None and blended:
            found.append(Asked(OWN_PRICE, blended * factor, _own_entry(question, own), factor))
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
    overheads, owned = extras(said)
    named = named_offer(question, said["self_host"]) if "self_host" in said else None
    at = None if named is None else named.at
    if named is None:
        at = cheapest_pick(verdict(comparison, question.asked()), comparison)
    if at is None:
        return None
    work = question.workload
    servers = float(comparison.column("servers_needed")[at])
    rate = float(comparison.column("requests_per_s_at_target")[at])
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
        comparison, at, look(comparison, question.asked()), hosted, overheads, owned,
        tokens_per_month(work, comparison.terms, served), slow, fast, _places(question, at), "" if named is None else named.said,
    )  # fmt: skip


def _places(question: Question, at: int) -> NDArray[np.intp]:
    """What fleets for other traffics are made of: any offer that can be had, or the server that was named or is bought."""
    comparison = question.comparison
    if "self_host" not in question.said and "purchase" not in question.said:
        found = usable(comparison, question.asked())
        if len(found):
            return found
    # A named server counts though its seller has none at the moment, but not where it misses the targets.
    works = comparison.column("meets_targets" if comparison.workload.has_targets else "fits")[at]
    return np.array([at] if works else [], dtype=np.intp)


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
    """The fleet as it is named in a sentence, with the hardware of one server."""
    comparison, count = case.comparison, case.hosted.servers
    entry = comparison.market.offers[case.at]
    hardware, label = rows.hardware(entry), case.view.label(case.at)
    missed = "" if comparison.column("meets_targets")[case.at] else " (misses the targets)"
    if case.owned is None:
        many = f"{count:,.0f} x " if count > 1 else ""
        return f"{many}{label} ({hardware}){missed}"
    return f"{bought_words(case)} as fast as {label}{missed}"


def bought_words(case: Case) -> str:
    """The fleet of bought servers, with the hardware of one."""
    count, hardware = case.hosted.servers, rows.hardware(case.comparison.market.offers[case.at])
    return f"{count:,.0f} bought servers ({hardware} each)" if count > 1 else f"a bought server ({hardware})"


def costs(case: Case) -> str:
    """The verb that goes with the fleet."""
    return "cost" if case.hosted.servers > 1 else "costs"


def servers_words(case: Case) -> str:
    """This server, or these so many."""
    count = case.hosted.servers
    return "this server" if count == 1 else f"these {count:,.0f} servers"
