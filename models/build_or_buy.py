"""Self-hosting against a serverless API: break-even, sensitivity to utilization, and the lines beside the server's price.

All amounts are a month's in one currency; tokens are a request's mix, prompt included, so that both sides count the same
(an API bills the prompt too). Formulas F3 to F5 and F9 to F11 of the cost model in `models.cost`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from models import cost
from models.cost import HOURS_PER_MONTH, MILLION, SECONDS_PER_HOUR

UTILIZATIONS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)


@dataclass(frozen=True, slots=True)
class Overheads:
    """What comes on top of the servers, a month; 0 = not counted. Nothing of it is assumed: it is what the user says."""

    operations_share: float = 0.0
    """Of the servers' price (0.3 = 30 %)."""
    engineers: float = 0.0
    """Hours times their rate."""
    storage: float = 0.0
    egress: float = 0.0

    @property
    def fixed(self) -> float:
        """What does not follow the price of the servers."""
        return self.engineers + self.storage + self.egress

    def total(self, servers: float) -> float:
        """All of it for servers of that price."""
        return servers * self.operations_share + self.fixed


@dataclass(frozen=True, slots=True)
class SelfHosted:
    """A fleet: what it costs a month, and what it could serve."""

    monthly_cost: float
    """Of its servers, without overheads."""
    servers: float
    capacity_tokens: float
    """Tokens a month, prompts included, all servers always as busy as the targets allow."""


@dataclass(frozen=True, slots=True)
class BreakEven:
    """When one fleet of a fixed price pays against an API; more traffic than it carries takes another fleet (`models.fleets.cheaper`)."""

    tokens_per_month: float
    """From so many tokens on the API is dearer."""
    utilization: float
    """The same as a share of what the fleet can serve; above 1 this fleet never breaks even."""

    @property
    def never(self) -> bool:
        """Whether the fleet cannot serve as many tokens as it would have to."""
        return self.utilization > 1


def break_even(hosted: SelfHosted, overheads: Overheads, api_per_m: float) -> BreakEven | None:
    """F4 and F5: fixed monthly cost over the API's price; None where a figure is missing or 0."""
    whole = hosted.monthly_cost + overheads.total(hosted.monthly_cost)
    tokens = cost.figure(cost.break_even_tokens_per_month(whole, api_per_m))
    if tokens is None or not hosted.capacity_tokens > 0:
        return None
    return BreakEven(tokens, tokens / hosted.capacity_tokens)


def sensitivity(hosted: SelfHosted, overheads: Overheads) -> tuple[tuple[float, float], ...]:
    """(utilization, price of a million tokens) from 5 % to 100 % of what the fleet can serve."""
    whole = hosted.monthly_cost + overheads.total(hosted.monthly_cost)
    if not (hosted.capacity_tokens > 0 and math.isfinite(whole)):
        return ()
    return tuple((share, whole / (hosted.capacity_tokens * share) * MILLION) for share in UTILIZATIONS)


def requests_per_s(tokens_per_month: float, tokens_per_request: float, hours: float = HOURS_PER_MONTH) -> float:
    """The mean rate that so many tokens a month are."""
    return tokens_per_month / tokens_per_request / (hours * SECONDS_PER_HOUR)


@dataclass(frozen=True, slots=True)
class Owned:
    """A machine of one's own: what it cost, how long it is kept, what it draws at the wall."""

    purchase: float
    months: float
    watts: float
    price_per_kwh: float
    pue: float = 1.0
    colocation: float = 0.0
    """A month: rack, cooling, hands."""

    @property
    def monthly(self) -> float | None:
        """F10: write-off, power and rack."""
        hour = cost.figure(
            cost.owned_hourly(
                self.purchase,
                self.months,
                self.watts,
                self.price_per_kwh,
                pue=self.pue,
                colocation_per_month=self.colocation,
            )
        )
        return None if hour is None else hour * HOURS_PER_MONTH

    @property
    def write_off(self) -> float:
        """The purchase's share of a month."""
        return self.purchase / self.months

    @property
    def power(self) -> float:
        """A month's electricity, around the clock."""
        return self.watts * self.pue / 1000.0 * self.price_per_kwh * HOURS_PER_MONTH

    def kwh_per_m_tokens(self, tokens_per_s: float) -> float | None:
        """F9: energy of a million tokens at that rate; the machine draws the same however busy it is, as far as `watts` says."""
        return cost.figure(cost.energy_kwh_per_m_tokens(self.watts, tokens_per_s, self.pue))

    def joules_per_token(self, tokens_per_s: float) -> float | None:
        """F9: energy of one token."""
        return cost.figure(cost.energy_j_per_token(self.watts, tokens_per_s, self.pue))
