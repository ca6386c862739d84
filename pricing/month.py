"""One server's month, made comparable: hours or the monthly price, the setup fee's share, what is committed and paid at the start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from models import cost
from models.errors import known
from pricing.terms import COMMITTED_TERMS

if TYPE_CHECKING:
    from pricing.compare import Comparison


@dataclass(frozen=True, slots=True)
class Month:
    """A month of one server in the comparison's currency, discount and tax as in the comparison; None is "not stated"."""

    per_hour: float | None
    """Counted only where the hours are what is paid."""
    hours: float
    by_hours: float | None
    """All hours of the month."""
    by_month: float | None
    """The monthly price, or the cap of an hourly one."""
    setup_fee: float | None
    setup_months: float
    setup_share: float
    """Of the fee, what one month carries."""
    total: float
    break_even_hours: float | None
    """Hours a month from which the monthly price is the cheaper one."""
    commitment_months: int | None
    committed: float | None
    """What the whole commitment costs, setup fee included."""
    upfront: float | None
    """Of it, paid at the start; the prices carry it spread over the commitment."""

    @property
    def recurring(self) -> float:
        """The month without the setup fee."""
        return self.total - self.setup_share


def month(comparison: Comparison, at: int) -> Month | None:
    """The month of offer `at`; None where it has no price in the wished currency."""
    entry, terms = comparison.market.offers[at], comparison.terms
    hourly = cost.figure(comparison.price_per_hour[at])
    monthly = cost.figure(comparison.price_per_month[at])
    fee = cost.figure(comparison.setup_fee[at])
    if entry.term == "monthly" and monthly is not None:
        hourly = None
    committed = entry.term in COMMITTED_TERMS
    hours = max(cost.HOURS_PER_MONTH, terms.hours_per_month) if committed else terms.hours_per_month
    total = cost.figure(cost.effective_monthly(monthly, hourly, fee, terms.setup_months, hours))
    if total is None:
        return None
    recurring = known(cost.figure(cost.effective_monthly(monthly, hourly, None, 1.0, hours)))
    months = entry.commitment_months
    whole = months * recurring + (fee or 0.0) if months else None
    paid = entry.upfront_share * months * recurring if entry.upfront_share is not None and months else None
    return Month(
        per_hour=hourly,
        hours=hours,
        by_hours=cost.figure(cost.effective_monthly(None, hourly, None, 1.0, hours)),
        by_month=monthly,
        setup_fee=fee,
        setup_months=terms.setup_months,
        setup_share=total - recurring,
        total=total,
        break_even_hours=cost.figure(cost.break_even_hours(monthly, hourly)),
        commitment_months=months,
        committed=whole,
        upfront=paid,
    )
