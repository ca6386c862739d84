"""European Central Bank: reference rates of some 30 currencies against the euro, on banking days."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING

from pricing import money
from pricing.errors import FeedError
from pricing.provider import About, Fetched, register

if TYPE_CHECKING:
    from pricing.answers import Answers
    from pricing.asking import Asker

URL = "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml"
# The Cubes live in a default namespace: without it every search finds nothing.
CUBE = "{http://www.ecb.int/vocabulary/2002-08-01/eurofxref}Cube"


@register
class ECB:
    """Exchange rates; the fixing of a Friday holds over the weekend."""

    about = About(
        "ecb",
        "European Central Bank",
        "rates",
        hosts=("www.ecb.europa.eu",),
        verified="2025-05",
        page="https://www.ecb.europa.eu/stats/policy_and_exchange_rates/",
    )

    def fetch(self, ask: Asker) -> None:
        """The latest fixing. Raises FeedError."""
        ask.get("rates", URL)

    def parse(self, answers: Answers, now: datetime) -> Fetched:
        """The rates of the answer. Raises FeedError."""
        return Fetched(rates=parse(answers.items[0].body, now.date()))


def parse(body: bytes, today: date) -> money.Rates:
    """Rates (units per euro) of the daily XML. Raises FeedError."""
    # Imported here: parsers load on the first refresh, not at start.
    from xml.etree.ElementTree import ParseError

    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    hint = "Try again later; the last rates stay in use."
    try:
        root = fromstring(body)
    except (ParseError, DefusedXmlException, ValueError, LookupError) as error:
        raise FeedError("ecb", "the answer is not the rates' XML.", hint=hint) from error
    for fixing in root.iter(CUBE):
        day = fixing.get("time")
        if day is None:
            continue
        try:
            fixed = date.fromisoformat(day)
            rates = money.make_rates(
                {
                    cube.attrib["currency"]: float(cube.attrib["rate"])
                    for cube in fixing.iter(CUBE)
                    if cube is not fixing
                },
                fixed.isoformat(),
            )
        except (KeyError, ValueError) as error:
            raise FeedError("ecb", f"a rate cannot be read ({error}).", hint=hint) from error
        if (fixed - today).days > 1:
            raise FeedError("ecb", f"the rates are dated {day}, in the future.", hint=hint)
        if "USD" not in rates.per_euro:
            raise FeedError("ecb", "there is no rate of the dollar.", hint=hint)
        return rates
    raise FeedError("ecb", "the answer holds no rates.", hint=hint)
