"""What stands under a comparison: how much of it is shown, from when its prices are, what is hidden and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from models.errors import brief
from pricing.bundled import load_bundled
from pricing.own_facts import PROVIDER
from pricing.provider import providers
from tui.cli.output import counted
from tui.cli.parser import nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import date

    from pricing.compare import Comparison
    from pricing.filters import LeftOut
    from pricing.offer import Offer
    from pricing.settings import Settings


def summary(comparison: Comparison, found: Sequence[int], shown: int, *, bundled: bool) -> str:
    """How many of the offers that pass, one at least, are shown, and when their prices were seen."""
    money, market = comparison.terms, comparison.market
    part = (
        f"{shown:,} of {counted(len(found), 'offer')} (--limit 0 shows all)"
        if shown < len(found)
        else counted(len(found), "offer")
    )
    facts = [f"bundled list of {market.snapshot_date}"] if bundled else []
    days = sorted({day for i in found if (day := market.offers[i].source_date)})
    if days:
        facts.append(f"prices seen {days[0]}" + (f" to {days[-1]}" if len(days) > 1 else ""))
    if {money.currency} != set(market.currencies):
        facts.append(f"rates of {money.rates.date}")
    return f"{part} out of {len(market.offers):,}; {', '.join(facts) or 'undated'}."


def left_out(hidden: LeftOut, *, since: date | None) -> str:
    """What passes every other filter and is hidden all the same; empty if nothing is."""
    parts = []
    if hidden.without_region:
        state = "states" if hidden.without_region == 1 else "state"
        parts.append(f"{counted(hidden.without_region, 'offer')} that {state} no region")
    if hidden.undated_or_old:
        age = f"undated or before {since}" if since else "undated or older than 24 months (--undated shows them)"
        parts.append(f"{counted(hidden.undated_or_old, 'offer')} {age}")
    return f"Left out: {', '.join(parts)}." if parts else ""


def unknown_regions(settings: Settings) -> Iterator[str]:
    """Regions set for a provider that has no feed, or whose feed knows no choice, change nothing."""
    feeds = providers()
    for name in settings.regions:
        if name not in feeds:
            close = nearest(name, feeds)
            hint = f" Did you mean {close}?" if close else ""
            yield f"The settings name regions of {brief(name)}, which has no feed.{hint}"
        elif not feeds[name].about.regions:
            yield f"The settings name regions of {name}, whose feed always brings all of them."


def unknown_discounts(settings: Settings, offers: Iterable[Offer] = ()) -> Iterator[str]:
    """A discount for a provider that nobody has is a typing error, and the costs shown are without it."""
    if not settings.discounts:
        return
    known = {offer.provider for offer in offers} | set(providers()) | {PROVIDER}
    if not known.issuperset(settings.discounts):  # a market without the bundled prices knows fewer
        known |= {offer.provider for offer in load_bundled()}
    for name in settings.discounts:
        if name not in known:
            close = nearest(name, known)
            hint = f" Did you mean {close}?" if close else ""
            yield f"The settings have a discount for {brief(name)}, which is no provider: it changes no price.{hint}"
