"""Hetzner: server auction and dedicated lines (no key), cloud types (with a token). Euros, net of tax.

Each of the three lists may fail alone. Auctions and dedicated lines are contracts by the month; the cloud is billed by
the hour up to a monthly cap.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pricing.errors import FeedError
from pricing.feed import Harvest
from pricing.provider import About, Fetched, Missing, register
from pricing.providers import _hetzner_auction as auction
from pricing.providers import _hetzner_cloud as cloud
from pricing.providers import _hetzner_dedicated as dedicated

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from pricing.answers import Answer, Answers
    from pricing.asking import Asker

FEED = "https://www.hetzner.com/_resources/app/data/app"
CLOUD_URL = "https://api.hetzner.cloud/v1/server_types"
CLOUD_PER_PAGE = 50
PAGE = "https://www.hetzner.com/dedicated-rootserver/"
AUCTION_PAGE = "https://www.hetzner.com/sb/"
CLOUD_PAGE = "https://www.hetzner.com/cloud/"
MONTHLY = Missing("", term="monthly")
CLOUD = Missing("", kind="cpu", term="on_demand")


@register
class Hetzner:
    """Auction, dedicated lines and cloud."""

    about = About(
        "hetzner",
        "Hetzner",
        "prices",
        kinds=("cpu", "gpu"),
        covers=(("cpu", "monthly"), ("gpu", "monthly"), ("cpu", "on_demand")),
        hosts=("www.hetzner.com", "api.hetzner.cloud"),
        key_variable="HCLOUD_TOKEN",
        verified="2024-11",
        cannot=("memory speed", "prices of larger configurations", "cloud types without a token"),
        page=PAGE,
    )

    def fetch(self, ask: Asker) -> None:
        """One request a keyless list, pages of the cloud. Raises FeedError if none of the lists answers."""
        ask.attempt(MONTHLY, lambda: ask.get("auction", f"{FEED}/live_data_sb.json"))
        ask.attempt(MONTHLY, lambda: ask.get("dedicated", f"{FEED}/live_data_en_EUR.json"))
        key = ask.key()
        if key is None:
            ask.answers.missing.append(
                Missing("cloud types need a token in HCLOUD_TOKEN.", kind=CLOUD.kind, term=CLOUD.term, asked=False)
            )
        else:
            headers = {"Authorization": f"Bearer {key}"}
            ask.attempt(CLOUD, lambda: ask.pages("cloud", CLOUD_URL, _next_page, params=_query(1), headers=headers))
        if not ask.answers.items:
            raise FeedError("hetzner", ask.answers.missing[0].reason, hint="Old prices stay in use.")

    def parse(self, answers: Answers, now: datetime) -> Fetched:
        """Offers of the lists that are in a known shape. Raises FeedError if none is."""
        total = Harvest.at("hetzner", "Hetzner lists", PAGE, now)
        missing = list(answers.missing)
        for part, title, page, take, stands_for in (
            ("auction", "Hetzner server auction live_data_sb.json", AUCTION_PAGE, auction.take, MONTHLY),
            ("dedicated", "Hetzner live_data_en_EUR.json", PAGE, dedicated.take, MONTHLY),
            ("cloud", "Hetzner Cloud API server_types", CLOUD_PAGE, cloud.take, CLOUD),
        ):
            found = answers.all(part)
            if not found:
                continue
            one = partial(_take, part, take, found, now)
            missing += total.part(one, stands_for, source=title, source_url=page)
        return total.done_with_some(missing)


def _take(part: str, take: Callable[..., None], found: list[Answer], now: datetime, harvest: Harvest) -> None:
    take([answer.json() for answer in found], now, harvest)
    harvest.check()
    if not harvest.offers:
        raise FeedError("hetzner", f"the {part} list holds no servers.", hint="Old prices stay in use.")


def _query(page: int) -> Mapping[str, str]:
    return {"page": str(page), "per_page": str(CLOUD_PER_PAGE)}


def _next_page(answer: Answer) -> Mapping[str, str] | None:
    """The next page's query; saved answers hold the text "None" where there is none."""
    body = answer.json()
    for name in ("meta", "pagination", "next_page"):
        body = body.get(name) if isinstance(body, dict) else None
    return _query(body) if isinstance(body, int) and not isinstance(body, bool) and body > 1 else None
