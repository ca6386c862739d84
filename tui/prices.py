"""What a start or a refresh reads from the disk: settings, prices, rates, how the feeds went. Changes nothing that is shown."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from models.errors import RackrateError
from tui import clock, feeds
from tui.rows import Texts

if TYPE_CHECKING:
    from datetime import date

    from pricing.feed_state import FeedState
    from pricing.market import Market
    from pricing.money import Rates
    from pricing.offer import Offer
    from pricing.settings import Settings
    from pricing.store import Store
    from pricing.terms import CompareOptions


class Prices(NamedTuple):
    """All that belongs together: a table must never show one market's names with another one's figures."""

    settings: Settings
    store: Store | None
    market: Market
    rates: Rates | None
    texts: Texts
    feed_states: dict[str, FeedState]
    messages: tuple[str, ...]
    """What could not be used, in words."""


def read(settings: Settings | None, store: Store | None, market: Market | None, today: date | None = None) -> Prices:
    """Read what is not given; slow, so it may run in a thread. A damaged file costs itself only, and is told."""
    from pricing.market import Market
    from pricing.settings import Settings
    from pricing.store import Store

    messages: list[str] = []
    if settings is None:
        try:
            settings = Settings.load()
        except RackrateError as error:
            messages.append(str(error))
            settings = Settings()
    if market is None:
        mine = _own_servers(today, messages)
        try:
            store = store or Store()
            store.messages.clear()
            market = Market.load(store=store, extra=mine)
        except (RackrateError, OSError) as error:
            messages.append(str(error))
            market = Market.load(extra=mine)
        messages += market.messages
    rates = store.rates() if store is not None else None
    known = options(settings, rates, today).rates.currencies()
    if settings.currency.upper() not in known:
        messages.append(
            f"There is no exchange rate for {settings.currency}; costs are in USD. Known: {', '.join(known)}."
        )
        settings = replace(settings, currency="USD")
    states = store.feed_states() if store is not None else {}
    texts = Texts(market.offers)
    texts.unrefreshed = feeds.unrefreshed(states)
    return Prices(settings, store, market, rates, texts, states, tuple(messages))


def _own_servers(today: date | None, messages: list[str]) -> tuple[Offer, ...]:
    """The user's own servers; a file that is not in order is told, and the other offers are shown without it."""
    from pricing import paths

    try:
        if not paths.own_servers_file().exists():
            return ()  # most starts: the reader of the file is not loaded
        from pricing import own

        return own.offers(today=today or clock.today())
    except (RackrateError, OSError) as error:
        messages.append(f"{error} The other offers are shown.")
        return ()


def options(settings: Settings | None, rates: Rates | None, today: date | None = None) -> CompareOptions:
    """Money and dates from the settings."""
    from pricing.terms import CompareOptions

    today = today or clock.today()
    if settings is None:
        return CompareOptions(today=today)
    more = {"rates": rates} if rates is not None else {}
    return CompareOptions(
        currency=settings.currency.upper(),
        hours_per_month=settings.hours_per_month,
        vat=settings.vat,
        setup_months=settings.setup_months,
        discounts=settings.discounts,
        today=today,
        **more,
    )
