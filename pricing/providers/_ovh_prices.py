"""What an OVHcloud machine costs with its options, by how long it is taken.

Prices are whole numbers in hundred-millionths of the currency, net of tax. A mode is one way to pay: "default" by the
month, "degressivity12" by the month for a year, "upfront12" a year at once.
"""

from __future__ import annotations

import re
from collections import defaultdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pricing.errors import FeedError
from pricing.feed import items, number, text

if TYPE_CHECKING:
    from collections.abc import Sequence

UNIT = 1e8
_CURRENCY = re.compile(r"[A-Z]{3}")
_MODE = re.compile(r"^(degressivity|upfront)(\d{1,2})$")


def currency_of(catalogue: Any, unstated: str | None = None) -> str:
    """The currency that a catalogue names, else that of one which names none. Raises FeedError."""
    locale = catalogue.get("locale") if isinstance(catalogue, dict) else None
    code = locale.get("currencyCode") if isinstance(locale, dict) else None
    if code is None and unstated is not None:
        return unstated
    if not isinstance(code, str) or not _CURRENCY.fullmatch(code):
        raise FeedError("ovh", "the catalogue names no currency.", hint="The feed has changed; old prices stay in use.")
    return code


class PriceList:
    """The prices of a plan and its options, by mode."""

    def __init__(self, sold: Sequence[Any], now: datetime) -> None:
        """`sold` is the plan, then the options that come with it. Raises BrokenRowError."""
        self.now = now
        self._monthly: list[dict[str, float]] = []
        self._setup: list[dict[str, float]] = []
        self._promotions: dict[str, tuple[float, str]] = {}
        for at, row in enumerate(sold):
            self._read(row, first=at == 0)

    def offers(self) -> list[dict[str, Any]]:
        """Terms and prices; a commitment that saves nothing is left out, a mode that the plan is not sold in is none."""
        found: list[dict[str, Any]] = []
        free = (self._month("default"), self._fee("default"))
        for mode in self._monthly[0]:
            terms, month, fee = _terms(mode), self._month(mode), self._fee(mode)
            if terms is None or month is None or (mode != "default" and _saves_nothing((month, fee), free)):
                continue
            found.append(terms | {"price_per_month": month, "setup_fee": fee, "note": self._note(mode, month)})
        return found

    def _read(self, row: Any, *, first: bool) -> None:
        monthly: dict[str, float] = {}
        setup: dict[str, float] = defaultdict(float)
        for pricing in items(row, "pricings"):
            mode, price = text(pricing, "mode"), number(pricing, "price", zero=True)
            capacities = items(pricing, "capacities")
            if mode is None or price is None:
                continue
            if "installation" in capacities:
                setup[mode] += price / UNIT
            months = number(pricing, "interval")
            if "renew" in capacities and months and text(pricing, "intervalUnit") == "month":
                # Of a plan without commitment there are yearly prices too: only the month is that of no commitment.
                if mode == "default" and (months != 1 or number(pricing, "commitment") is not None):
                    continue
                monthly[mode] = price / UNIT / months
                if first:
                    self._promotion(mode, months, pricing)
        self._monthly.append(monthly)
        self._setup.append(setup)

    def _month(self, mode: str) -> float | None:
        """Plan and options together; None if the plan is free (a placeholder) or an option has no price."""
        plan, *options = self._monthly
        total = plan.get(mode)
        if not total:
            return None
        for option in options:
            each = option.get(mode, option.get("default"))
            if each is None:
                return None
            total += each
        return round(total, 6)

    def _fee(self, mode: str) -> float | None:
        if mode not in self._setup[0]:
            return None
        # An option that is not sold in a mode is taken as it always is, with its usual fee.
        total = sum(
            fees.get(mode if mode in monthly else "default", 0.0)
            for fees, monthly in zip(self._setup, self._monthly, strict=True)
        )
        return round(total, 6)

    def _promotion(self, mode: str, months: float, pricing: Any) -> None:
        for promotion in items(pricing, "promotions"):
            value, end = number(promotion, "total", "value"), text(promotion, "endDate")
            if value is not None and not _over(end, self.now):
                self._promotions[mode] = (value / UNIT / months, end[:10] if end else "")

    def _note(self, mode: str, month: float) -> str | None:
        """A promotion that runs: the price stays the list's, since what is paid later is."""
        if mode not in self._promotions:
            return None
        reduced, end = self._promotions[mode]
        options = month - self._monthly[0][mode]
        return f"promotion at {reduced + options:.2f} a month" + (f" until {end}" if end else "")


def _terms(mode: str) -> dict[str, Any] | None:
    if mode == "default":
        return {"term": "monthly"}
    found = _MODE.match(mode)
    if found is None:
        return None
    share = 1.0 if found[1] == "upfront" else 0.0
    return {"term": "reserved", "commitment_months": int(found[2]), "upfront_share": share}


def _saves_nothing(one: tuple[float | None, float | None], free: tuple[float | None, float | None]) -> bool:
    """Whether a commitment's month and fee are both no lower than without it; what is not stated may be lower."""
    return all(mine is not None and other is not None and mine >= other for mine, other in zip(one, free, strict=True))


def _over(end: str | None, now: datetime) -> bool:
    """Whether a promotion has ended; one with an unreadable end has not."""
    try:
        moment = datetime.fromisoformat(end) if end else None
    except ValueError:
        return False
    if moment is None:
        return False
    return _aware(moment) < _aware(now)


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
