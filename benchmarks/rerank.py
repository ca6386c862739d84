"""A change of traffic with many offers: how long until the table is ranked again, and until it is painted.

The offers are the bundled ones, repeated under other names at slightly different prices. Painting goes through Textual
without a terminal; the ratio to a repaint in which nothing changed says what the comparison costs on this machine.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from benchmarks.timing import median_ms, say
from pricing.market import Market
from tui.session import Session

if TYPE_CHECKING:
    from pricing.offer import Offer

GOAL_MS = 100


def many(count: int) -> Market:
    """A market of `count` offers."""
    bundled = Market.load().offers
    made: list[Offer] = []
    for n in range(count):
        offer = bundled[n % len(bundled)]
        copy = n // len(bundled)
        hour = offer.price_per_hour and offer.price_per_hour * (1 + copy / 1000)
        made.append(replace(offer, offer_id=f"{offer.offer_id}~{copy}", price_per_hour=hour))
    return Market(made)


def rank(market: Market) -> tuple[float, Session]:
    """Median milliseconds from a change of traffic to a ranked table, nothing painted."""
    session = Session(market=market)
    session.load()
    session.recompute()
    rates = iter(range(1, 1000))

    def change() -> None:
        session.history.set(session.workload.changed(requests_per_s=1 + next(rates) / 10))
        session.recompute()

    return median_ms(change, times=20, warm=2), session


async def paint(market: Market) -> tuple[float, float]:
    """Median milliseconds from the action of a traffic key to the painted screen, and of painting it unchanged."""
    from tui.app import RackrateApp
    from tui.screens.base import DashboardBase

    app = RackrateApp(Session(market=market))
    changed, empty = [], []

    async def painted() -> None:
        done = asyncio.Event()
        app.screen.call_after_refresh(done.set)
        await done.wait()

    async with app.run_test(size=(120, 36)) as pilot:
        await app.workers.wait_for_complete()
        await pilot.pause()
        for action in ("step_traffic(1)", "step_traffic(-1)") * 10:
            start = time.perf_counter()
            await app.screen.run_action(action)
            assert isinstance(app.screen, DashboardBase)  # noqa: S101 - for mypy
            while not app.screen.idle:  # a slow comparison runs in a thread; details and plot follow the table
                await app.workers.wait_for_complete()
                await asyncio.sleep(0)
            await painted()
            changed.append((time.perf_counter() - start) * 1000)
            await pilot.pause()
        for _ in range(20):
            start = time.perf_counter()
            for widget in app.screen.walk_children():
                widget.refresh()
            await painted()
            empty.append((time.perf_counter() - start) * 1000)
            await pilot.pause()
    return statistics.median(changed), statistics.median(empty)


def main() -> None:
    """Print both for 10,000 and 100,000 offers."""
    for count in (10_000, 100_000):
        market = many(count)
        took, session = rank(market)
        servers = len(market.servers)
        say(
            f"{count:,} offers ({servers:,} servers): change of traffic -> ranked",
            took,
            "ms",
            f"goal < {GOAL_MS} ms with repaint",
        )
        arranged = median_ms(session.arrange)
        say(f"{count:,} offers: filter and sort alone", arranged, "ms")
        changed, empty = asyncio.run(paint(market))
        say(
            f"{count:,} offers: change -> ranked and painted, 120x36",
            changed,
            "ms",
            f"{changed / empty:.2f}x an empty repaint",
        )
        say(f"{count:,} offers: empty repaint", empty, "ms")


if __name__ == "__main__":
    main()
