"""Frankfurter: the ECB's reference rates as JSON, for when the ECB's own file cannot be had."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from pricing import money
from pricing.errors import FeedError
from pricing.feed import BrokenRowError, number, table, text
from pricing.provider import About, Fetched, register

if TYPE_CHECKING:
    from pricing.answers import Answers
    from pricing.asking import Asker

# v2 answers with a list of quotes; v1 with one object a day, which is what is read here.
URL = "https://api.frankfurter.dev/v1/latest"
HINT = "Try again later; the last rates stay in use."


@register
class Frankfurter:
    """Exchange rates; `date` is the last banking day, not today."""

    about = About(
        "frankfurter",
        "Frankfurter (ECB rates)",
        "rates",
        hosts=("api.frankfurter.dev",),
        verified="2026-09",
        page="https://frankfurter.dev",
    )

    def fetch(self, ask: Asker) -> None:
        """The latest rates against the euro. Raises FeedError."""
        ask.get("rates", URL, params={"base": money.BASE})

    def parse(self, answers: Answers, now: datetime) -> Fetched:
        """The rates of the answer. Raises FeedError."""
        answer = answers.first("rates")
        return Fetched(rates=parse(answer.json() if answer else None, now.date()))


def parse(answer: Any, today: date) -> money.Rates:
    """Rates (units per euro) of a v1 answer. Raises FeedError."""
    quotes = table("frankfurter", answer, "rates")
    try:
        base, amount, day = text(answer, "base"), number(answer, "amount"), text(answer, "date")
        fixed = date.fromisoformat(day or "")
        per_euro = {code: number(quotes, code) for code in quotes}
        rates = money.make_rates(
            {code: rate for code, rate in per_euro.items() if rate is not None}, fixed.isoformat(), "Frankfurter (ECB)"
        )
    except (BrokenRowError, ValueError) as error:
        raise FeedError("frankfurter", f"a rate cannot be read ({error}).", hint=HINT) from error
    if base != money.BASE or amount != 1:
        raise FeedError("frankfurter", f"the rates are for {amount} {base}, not for 1 EUR.", hint=HINT)
    if (fixed - today).days > 1:
        raise FeedError("frankfurter", f"the rates are dated {day}, in the future.", hint=HINT)
    if "USD" not in rates.per_euro:
        raise FeedError("frankfurter", "there is no rate of the dollar.", hint=HINT)
    return rates
