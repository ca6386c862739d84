"""OVHcloud: public cloud instances and whole machines, from its order catalogues; no key.

A catalogue belongs to a subsidiary, which sets its currency: Europe's are read in euros, the one of the United States in
dollars. Each catalogue may fail alone. Stock comes from a list of its own and is left open where that does not answer.
"""

from __future__ import annotations

import contextlib
from functools import partial
from typing import TYPE_CHECKING, Any

from pricing.errors import FeedError
from pricing.feed import Harvest
from pricing.provider import About, Fetched, Missing, register
from pricing.providers import _ovh_cloud as cloud
from pricing.providers import _ovh_metal as metal
from pricing.providers._ovh_stock import Stock

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from pricing.answers import Answer, Answers
    from pricing.asking import Asker

BASES = {"eu": "https://eu.api.ovh.com/v1", "us": "https://api.us.ovhcloud.com/v1"}
CATALOGUES = (
    ("cloud", "cloud", "eu", "DE"),
    ("metal", "eco", "eu", "IE"),
    ("metal", "baremetalServers", "eu", "FR"),
    ("metal", "eco", "us", "US"),
    ("metal", "baremetalServers", "us", "US"),
)
"""Part, catalogue, base and subsidiary; of a machine in two catalogues of one currency the first is taken."""
TERMS = {"cloud": ("on_demand", "monthly"), "metal": ("monthly", "reserved")}
PAGE = "https://www.ovhcloud.com/en/bare-metal/prices/"
CLOUD_PAGE = "https://www.ovhcloud.com/en/public-cloud/prices/"


@register
class OVH:
    """Public cloud, Eco and bare metal servers."""

    about = About(
        "ovh",
        "OVHcloud",
        "prices",
        kinds=("gpu", "cpu"),
        covers=tuple((kind, term) for kind in ("gpu", "cpu") for term in ("on_demand", "monthly", "reserved")),
        hosts=("eu.api.ovh.com", "api.us.ovhcloud.com"),
        time_limit_s=120.0,
        verified="2026-08",
        cannot=("the host CPU of most cloud instances", "cloud stock", "public cloud of the United States"),
        page=PAGE,
    )

    def fetch(self, ask: Asker) -> None:
        """One request a catalogue and two for the stock. Raises FeedError if no catalogue answers."""
        asks: list[Callable[[Asker], bool]] = [partial(_ask_catalogue, entry) for entry in CATALOGUES]
        asks += [partial(_ask_stock, base) for base in BASES]
        answered = ask.together(asks)
        if not any(answered):
            raise FeedError("ovh", ask.answers.missing[0].reason, hint="Old prices stay in use.")

    def parse(self, answers: Answers, now: datetime) -> Fetched:
        """Offers of the catalogues that are in the known shape. Raises FeedError if none is."""
        total = Harvest.at("ovh", "OVHcloud order catalogues", PAGE, now)
        missing = list(answers.missing)
        stocks = {base: _stock(answers, base) for base in BASES}
        seen: set[tuple[str, str]] = set()
        for answer in answers:
            if answer.part not in TERMS:
                continue
            base, _, name = (answer.region or "").partition(" ")
            page = CLOUD_PAGE if answer.part == "cloud" else PAGE
            take = partial(_take, answer, name, stocks.get(base, Stock({})), seen, now)
            stands_for = (Missing("", term=term) for term in TERMS[answer.part])
            missing += total.part(take, *stands_for, source=f"OVHcloud order catalogue {name}", source_url=page)
        return total.done_with_some(missing)


def _take(answer: Answer, name: str, stock: Stock, seen: set[tuple[str, str]], now: datetime, harvest: Harvest) -> None:
    if answer.part == "cloud":
        cloud.take(answer.json(), harvest)
    else:
        metal.take(answer.json(), stock, seen, now, harvest)
    if not harvest.seen:
        raise FeedError("ovh", f"the catalogue {name} is empty.", hint="Old prices stay in use.")


def _ask_catalogue(entry: tuple[str, str, str, str], ask: Asker) -> bool:
    part, catalogue, base, subsidiary = entry
    first, second = TERMS[part]
    url, label = f"{BASES[base]}/order/catalog/public/{catalogue}", f"{base} {catalogue} {subsidiary}"
    answer = ask.attempt(
        Missing("", term=first), lambda: ask.get(part, url, params={"ovhSubsidiary": subsidiary}, region=label)
    )
    if answer is None:
        ask.answers.missing.append(Missing(ask.answers.missing[-1].reason, term=second))
    return answer is not None


def _ask_stock(base: str, ask: Asker) -> bool:
    """The stock list; prices are whole without it, so nothing of them is missing where it fails."""
    with contextlib.suppress(FeedError):
        ask.get("stock", f"{BASES[base]}/dedicated/server/datacenter/availabilities", region=base)
    return False


def _stock(answers: Answers, base: str) -> Stock:
    for answer in answers.all("stock"):
        if answer.region == base:
            with contextlib.suppress(FeedError):
                return Stock.of(_list(answer))
    return Stock({})


def _list(answer: Answer) -> list[Any]:
    found = answer.json()
    return found if isinstance(found, list) else []
