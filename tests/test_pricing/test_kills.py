"""Refreshes killed at random moments: whatever is on disk afterwards is whole, old or new, and nothing is lost.

Each refresh runs in a process of its own and is killed with SIGKILL, which no clean-up survives.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from werkzeug import Request, Response

from pricing import refresh
from pricing.answer_cache import AnswerCache
from pricing.feed import Harvest
from pricing.http import Client
from pricing.provider import About, Fetched
from pricing.store import Store

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from pytest_httpserver import HTTPServer

    from pricing.answers import Answers
    from pricing.asking import Asker

KILLS = int(os.environ.get("RACKRATE_KILLS", "200"))
ROWS = 400
NAMES = ("acme", "bolt", "core")


class Feed:
    """A feed whose every refresh brings all rows at one price of its own."""

    def __init__(self, name: str) -> None:
        host = f"{name}.example"
        self.about = About(name, name, "prices", covers=(("cpu", "on_demand"),), hosts=(host,))

    def fetch(self, ask: Asker) -> None:
        ask.get("plans", f"https://{self.about.hosts[0]}/plans")

    def parse(self, answers: Answers, now: datetime) -> Fetched:
        harvest = Harvest.at(self.about.name, self.about.name, "https://x.example", now)
        price = answers.items[0].json()
        for number in range(ROWS):
            harvest.add(server=f"plan-{number}", vcpus=4.0, ram_gib=16.0, price_per_hour=price)
        return harvest.done()


FEEDS = {name: Feed(name) for name in NAMES}


def child(folder: Path, mirror: str, now: datetime) -> None:
    """Refresh for ever, until killed."""
    store = Store(folder)
    while True:
        cache = AnswerCache(folder / "cache")
        with Client(mirror=mirror, cache=cache, sleep=lambda _: None) as client:
            refresh.refresh(NAMES, store=store, client=client, now=now)


@pytest.mark.skipif(sys.platform == "win32", reason="kills and forks as POSIX does")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_hundreds_of_kills_lose_nothing(
    httpserver: HTTPServer, tmp_path: Path, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices = iter(range(1, 10**9))

    def answer(_: Request) -> Response:
        number = next(prices)
        return Response(json.dumps(0.1 + (number % 100) / 1000), headers={"ETag": f'"{number}"'})

    for name in NAMES:
        httpserver.expect_request(f"/{name}.example/plans").respond_with_handler(answer)
    monkeypatch.setattr(refresh, "provider", FEEDS.__getitem__)
    mirror = httpserver.url_for("").rstrip("/")
    chance = random.Random(4)  # noqa: S311 - when to kill is no secret
    context: Any = multiprocessing.get_context("fork")
    seen_prices: set[float] = set()
    started: set[str] = set()
    # How long a refresh takes here; this also loads what it needs, so that the children need not.
    with Client(mirror=mirror, sleep=lambda _: None) as client:
        begun = time.monotonic()
        refresh.refresh(NAMES, store=Store(tmp_path / "aside"), client=client, now=now)
        takes_s = time.monotonic() - begun
        begun = time.monotonic()
        refresh.refresh(NAMES, store=Store(tmp_path / "aside"), client=client, now=now)
        takes_s = min(takes_s, time.monotonic() - begun)
    for kill in range(KILLS):
        # Two at once, as a dashboard and a cron job would be.
        running = [
            context.Process(target=child, args=(tmp_path, mirror, now), daemon=True) for _ in range(1 + kill % 2)
        ]
        for process in running:
            process.start()
        time.sleep(chance.uniform(0.0, 3.0 * takes_s))
        for process in running:
            os.kill(process.pid, signal.SIGKILL)
            process.join()
        store = Store(tmp_path)
        for name in NAMES:
            stored = store.load(name)
            assert store.messages == []
            if stored is None:
                assert name not in started, f"kill {kill} lost the prices of {name}"
                continue
            started.add(name)
            assert len(stored.offers) == ROWS
            (price,) = {offer.price_per_hour for offer in stored.offers}
            seen_prices.add(price or 0.0)
        assert set(store.status()) <= set(NAMES)
        assert store.rates().per_euro
    assert started == set(NAMES)
    assert len(seen_prices) > KILLS / 20, "the refreshes were killed before they wrote anything"
