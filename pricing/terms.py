"""How an offer's price becomes what the user pays: currency, discount, tax, months and hours."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np

from models import cost
from pricing import money

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pricing.market import Market

    Array = np.ndarray[Any, Any]

COMMITTED_TERMS = ("reserved", "savings_plan")
"""Paid for every hour of the month, used or not."""


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """How prices become costs. Months and hours as counts, `vat` and discounts as shares (0.19 = 19 %)."""

    currency: str = "USD"
    hours_per_month: float = 730.0
    setup_months: float = 12.0
    vat: float | None = None
    today: date = field(default_factory=date.today)
    discounts: Mapping[str, float] = field(default_factory=dict)
    rates: money.Rates = field(default_factory=money.Rates.bundled)


def prices(market: Market, terms: CompareOptions) -> tuple[Array, Array, Array]:
    """(per hour, per month, setup fee) of each offer in the wished currency, discount and tax applied.

    A discount is on what recurs: setup fees are charged in full.
    Prices that include tax already are left as they are. NaN where not stated or where the currency has no rate.
    """
    factors = [terms.rates.factor(code, terms.currency) for code in market.currencies]
    table = np.array([np.nan if factor is None else factor for factor in factors] or [1.0])
    factor = table[market.currency_index] if len(market) else np.empty(0)
    if terms.vat:
        gross = np.array([stated is True for stated in market.column("vat_included")], dtype=bool)
        factor = np.where(gross, factor, factor * (1 + terms.vat))
    recurring = factor
    if terms.discounts:
        recurring = factor * np.array([1 - terms.discounts.get(name, 0.0) for name in market.column("provider")])
    return (
        market.column("price_per_hour") * recurring,
        market.column("price_per_month") * recurring,
        market.column("setup_fee") * factor,
    )


def month_of_one(market: Market, terms: CompareOptions) -> Array:
    """What a month of one server of each offer costs, setup share included; NaN = no price in the wished currency."""
    hourly, monthly, setup = prices(market, terms)
    term = market.column("term")
    # A monthly contract costs the month however few hours the server runs.
    hourly = np.where((term == "monthly") & ~np.isnan(monthly), np.nan, hourly)
    committed = np.isin(term.astype(str), COMMITTED_TERMS)
    hours = np.where(committed, max(cost.HOURS_PER_MONTH, terms.hours_per_month), terms.hours_per_month)
    return cost.effective_monthly(monthly, hourly, setup, terms.setup_months, hours)
