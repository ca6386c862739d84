"""The prices that a command works on: settings and store, then bundled, fetched, given and own offers, with what must be said of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pricing import own
from pricing.market import Market
from pricing.settings import Settings
from pricing.store import Store
from tui.cli.footer import unknown_discounts
from tui.cli.output import say
from tui.own_constants import use_own

if TYPE_CHECKING:
    import argparse

    from pricing.terms import CompareOptions


def places() -> tuple[Settings, Store]:
    """Settings and store; the user's own constants are in force from here on. Raises InputError for settings that cannot be used."""
    settings = Settings.load()
    if note := use_own():
        say(note)
    return settings, Store()


def market_of(args: argparse.Namespace, settings: Settings, store: Store, options: CompareOptions) -> Market:
    """All offers that the flags ask for; what is wrong with some of them goes to stderr. Raises OffersError."""
    prices = [Path(name) for name in args.prices]
    mine = own.offers(today=options.today)
    market = Market.load(prices, bundled=not args.no_bundled, extra=mine, store=store, today=options.today)
    for message in (*market.messages, *unknown_discounts(settings, market.offers)):
        say(message)
    return market
