"""`rackrate refresh`: fetch prices headless, show who is being asked, report on everyone at the end."""

from __future__ import annotations

import gc
import json
import signal
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

from models.errors import InputError
from pricing import refresh
from pricing.bundled import load_bundled
from pricing.provider import providers
from pricing.refresh_report import Outcome, Plan, Step
from pricing.settings import Settings
from pricing.store import Store
from tui import format as fmt
from tui.cli import stderr
from tui.cli.footer import unknown_regions
from tui.cli.output import say, show_table
from tui.cli.table import Column, terminal_width

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence
    from types import FrameType

COLUMNS = (
    Column("provider", "Provider", 1),
    Column("status", "Result", 1),
    Column("rows", "Rows", 3),
    Column("skipped", "Left out", 5),
    Column("seconds", "Seconds", 6),
    Column("prices_from", "In use", 4),
    Column("note", "Note", 2, wrap=True),
)


def run(args: argparse.Namespace) -> int:
    """Refresh, report, and leave with 0 all fresh, 1 some failed, 2 nothing usable."""
    names = [name for word in args.providers for name in word.split(",") if name]
    check_feeds([*names, *args.accept])
    store, settings = Store(), Settings.load()
    for message in unknown_regions(settings):
        say(message)
    progress = Progress(live=sys.stderr.isatty() and not args.json)
    with cancelled_by_ctrl_c() as cancelled, progress, without_garbage_collection():
        report = refresh.refresh(
            names or None,
            store=store,
            on_progress=progress,
            timeout_s=args.timeout,
            accept=args.accept,
            max_age_hours=args.max_age,
            mirror=settings.mirror,
            cancelled=cancelled,
            bundled=load_bundled,
            regions=settings.regions,
        )
    for message in store.messages:
        say(message)
    if args.json:
        sys.stdout.write(json.dumps(report.as_dict(), indent=1) + "\n")
    else:
        show_table([report_row(outcome) for outcome in report.outcomes], COLUMNS)
        say(report.conclusion)
    return report.exit_code


def check_feeds(names: Sequence[str]) -> None:
    """A provider whose prices are bundled but have no feed is no typing error. Raises InputError."""
    feeds = providers()
    missing = [name for name in names if name.strip().lower() not in feeds]
    if not missing:
        return
    bundled = {offer.provider for offer in load_bundled()}
    for name in missing:
        if name.strip().lower() in bundled:
            raise InputError(
                f"{name} has no feed yet: its prices are the bundled ones.",
                hint=f"Feeds there are: {', '.join(feeds)}.",
            )


def report_row(outcome: Outcome) -> dict[str, object]:
    """One provider's line of the report."""
    note = outcome.message.removeprefix(f"{outcome.provider}: ")
    return {
        "provider": outcome.provider,
        "status": outcome.status,
        "rows": outcome.offers or None,
        "skipped": sum(outcome.skipped.values()) or None,
        "seconds": outcome.seconds,
        "prices_from": f"{outcome.fetched_at[:16].replace('T', ' ')}Z" if outcome.fetched_at else "bundled",
        "note": "; ".join(filter(None, (f"{note} {outcome.hint}".strip(), *outcome.remarks))),
    }


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Offers are made by the hundred thousand and none is garbage: looking for some takes a twentieth of the time, or more."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def cancelled_by_ctrl_c() -> Iterator[threading.Event]:
    """An event that Ctrl-C sets, so that requests under way end at once and nothing is half written."""
    cancelled = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield cancelled
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        cancelled.set()
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield cancelled
    finally:
        signal.signal(signal.SIGINT, before)


class Progress:
    """One line on stderr that says who is still being asked; called from the workers' threads."""

    def __init__(self, *, live: bool) -> None:
        self.live = live
        self.waiting: list[str] = []
        self.planned = self.done = 0
        self.read: dict[str, int] = {}
        self.lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.live:
            stderr.write("\r\x1b[K")

    def __call__(self, event: Plan | Outcome | Step | str) -> None:
        """The plan, then of each feed its name when it starts, a step after each answer, its outcome when it ends."""
        with self.lock:
            if isinstance(event, Plan):
                self.planned = len(event.providers)
            elif isinstance(event, str):
                self.waiting.append(event)
            elif isinstance(event, Step):
                self.read[event.provider] = event.bytes_read
            else:
                self.done += 1
                if event.provider in self.waiting:
                    self.waiting.remove(event.provider)
            if self.live:
                waiting = ", ".join(map(self._said, self.waiting)) or "nobody"
                text = f"refreshing: {self.done} of {self.planned} done, waiting for {waiting}"
                stderr.write(f"\r\x1b[K{fmt.fit_width(text, terminal_width() - 1).rstrip()}")

    def _said(self, name: str) -> str:
        megabytes = self.read.get(name, 0) / 1e6
        return f"{name} ({megabytes:.0f} MB)" if megabytes >= 1 else name
