"""A small market of invented offers and a dashboard on it, without files or network."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
from textual.worker import WorkerCancelled

from models import catalog
from models.traffic import Workload
from pricing.market import Market
from pricing.offer import OFFER_COLUMNS, Offer
from pricing.settings import Settings
from tui.session import Session

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

TODAY = date(2026, 11, 30)

EMPTY = dict.fromkeys(OFFER_COLUMNS) | {
    "currency": "USD", "term": "on_demand", "price_basis": "listed", "source": "a price list",
    "source_url": "https://example.com/prices", "source_date": "2026-11-20", "fetched_at": "2026-11-30",
    "region": "eu-west-1", "region_group": "eu", "shared_cpu": False, "vat_included": False,
}  # fmt: skip


def offer(server: str, **facts: Any) -> Offer:
    """An offer with the given facts, the rest not stated."""
    values = EMPTY | {"server": server, "provider": "acme"} | facts
    values.setdefault("offer_id", None)
    values["offer_id"] = (
        values["offer_id"] or f"{values['provider']}_{server}_{values['region']}_{values['term']}".lower()
    )
    return Offer(**values)


def gpu(
    server: str, model: str = "L4", memory: float = 24.0, count: float = 1.0, hour: float | None = 0.8, **facts: Any
) -> Offer:
    """A GPU server."""
    return offer(server, kind="gpu", gpu_model=model, gpu_count=count, vram_gib_per_gpu=memory, price_per_hour=hour,
                 **({"vcpus": 16.0, "ram_gib": 64.0, "storage": "1x960GB NVMe"} | facts))  # fmt: skip


def cpu(server: str, cores: float = 16.0, ram: float = 64.0, month: float | None = 90.0, **facts: Any) -> Offer:
    """A CPU server, billed by the month."""
    return offer(server, kind="cpu", cpu_model="AMD EPYC 9454P", sockets=1, cores=cores, ram_gib=ram, price_per_month=month,
                 **({"term": "monthly", "memory_channels": 12.0, "memory_mts": 4800.0} | facts))  # fmt: skip


def small_market() -> list[Offer]:
    """Servers that meet the targets, miss them, do not fit, are unknown, have no price, have hostile or wide names."""
    return [
        gpu("l4-small", hour=0.80),
        gpu("l4-old", hour=0.70, source_date="2025-12-01", provider="bolt"),
        gpu("h100-big", "H100-SXM5-80GB", 80.0, hour=2.50, provider="bolt", region="us-east-1", region_group="us"),
        gpu("h100-x8", "H100-SXM5-80GB", 80.0, 8.0, hour=21.0, interconnect="NVLink4"),
        gpu("h100-spot", "H100-SXM5-80GB", 80.0, hour=1.10, term="spot"),
        gpu("t4-undated", "T4", 16.0, hour=0.30, source_date=None),
        gpu("mystery", "Zeta-9000", 48.0, hour=0.10, provider="bolt"),
        gpu("no-price", hour=None),
        cpu("epyc-48", 48.0, 192.0, 260.0),
        cpu("epyc-tiny", 4.0, 4.0, 12.0, provider="bolt"),
        cpu("[red]evil[/]\x1b[31m", 16.0, 64.0, 99.0),
        cpu("サーバー大容量モデル第二世代", 16.0, 128.0, 120.0, region="東京"),
    ]


def many_offers(count: int) -> list[Offer]:
    """So many different offers on a few hundred machines."""
    base = [
        gpu(f"gpu-{n}", *(("L4", 24.0), ("L40S", 48.0), ("H100-SXM5-80GB", 80.0))[n % 3], float(1 + n % 8))
        for n in range(60)
    ]
    base += [cpu(f"cpu-{n}", 4.0 + n, 32.0 + 8 * (n % 12)) for n in range(60)]
    made = []
    for n in range(count):
        one = base[n % len(base)]
        price = 0.5 + (n * 7919 % 1000) / 100
        made.append(replace(one, offer_id=f"{one.offer_id}-{n}", server=f"{one.server}-{n}",
                            price_per_hour=one.price_per_hour and price, price_per_month=one.price_per_month and price * 300))  # fmt: skip
    return made


@pytest.fixture
def llama() -> Workload:
    """The chat preset with Llama-3.1-8B."""
    return Workload(model=catalog.llm("Llama-3.1-8B"))


@pytest.fixture
def make_session(llama: Workload) -> Callable[..., Session]:
    """A loaded session on the small market, or on given offers."""

    def make(offers: list[Offer] | None = None, **settings: Any) -> Session:
        made = Session(settings=Settings(**settings), market=Market(small_market() if offers is None else offers),
                       workload=llama, today=TODAY)  # fmt: skip
        made.load()
        return made

    return make


@pytest.fixture
def session(make_session: Callable[..., Session]) -> Session:
    """A compared session on the small market."""
    made = make_session()
    made.recompute()
    return made


class Driver:
    """A running dashboard and what a test wants to know about it."""

    def __init__(self, app: Any, pilot: Any) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def dashboard(self) -> Any:
        """The main screen, whatever lies over it."""
        return self.app.screen_stack[0]

    @property
    def session(self) -> Session:
        return self.app.session

    @property
    def table(self) -> Any:
        return self.dashboard.table

    async def settle(self) -> None:
        """Wait until loading, typing pauses and comparisons are over."""
        for _ in range(1000):
            with suppress(WorkerCancelled):  # a newer one took its place
                await self.app.workers.wait_for_complete()
            await self.pilot.pause()
            if (
                self.session.rows is not None
                and self.dashboard.idle
                and not list(self.app.workers)
                and not self.app.typing_ahead
            ):
                await self._painted()
                return
        raise AssertionError("the dashboard never came to rest")

    async def _painted(self) -> None:
        """Wait until a layout that is due has been painted; a screen that has just closed never paints."""
        done = asyncio.Event()
        self.app.screen.call_after_refresh(done.set)
        with suppress(TimeoutError):
            await asyncio.wait_for(done.wait(), 0.5)

    async def press(self, *keys: str) -> None:
        """Press keys and wait."""
        await self.pilot.press(*keys)
        await self.settle()

    async def type(self, text: str) -> None:
        """Type a text and wait."""
        names = {
            " ": "space",
            ">": "greater_than_sign",
            "<": "less_than_sign",
            "=": "equals_sign",
            "$": "dollar_sign",
            ":": "colon",
        }
        await self.press(*(names.get(char, char) for char in text))

    def line(self, name: str) -> str:
        """The text of a single line: header, filter-line, status, keys."""
        return self.dashboard.line(name).plain

    def screen_text(self) -> list[str]:
        """The whole screen as the compositor paints it."""
        width, height = self.app.size
        strips = self.app.screen._compositor.render_strips(self.app.size)
        assert len(strips) == height
        return ["".join(segment.text for segment in strip)[: width * 2] for strip in strips]

    def servers(self) -> list[str]:
        """The table's servers from top to bottom."""
        rows = self.session.rows
        assert rows is not None
        return [rows.offer(int(i)).server for i in rows.order]


@pytest.fixture
def dashboard(make_session: Callable[..., Session]) -> Callable[..., Any]:
    """Start dashboards on the small market, as async context managers that give a Driver."""
    from tui.app import RackrateApp

    @asynccontextmanager
    async def start(
        size: tuple[int, int] = (120, 36), *, session: Session | None = None, ascii_only: bool = False
    ) -> AsyncIterator[Driver]:
        app = RackrateApp(session or make_session(), ascii_only=ascii_only)
        async with app.run_test(size=size, notifications=True) as pilot:
            driver = Driver(app, pilot)
            await driver.settle()
            yield driver
            # The dashboard goes on after a mistake of its own; a test must not.
            assert not app.failures, app.failures[0].trace

    return start


@pytest.fixture
def big_market() -> Callable[[int], list[Offer]]:
    """So many different offers on a few machines."""
    return many_offers


@pytest.fixture
def small_offers() -> Callable[[str], list[Offer]]:
    """Two offers that meet the targets, one with the given name for its server, provider, region and source."""

    def make(name: str) -> list[Offer]:
        odd = gpu(name, hour=0.5, provider=name, region=name, source=name, storage=name, offer_id="odd")
        return [odd, gpu("plain", hour=0.9)]

    return make
