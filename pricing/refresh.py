"""Refreshing prices: all providers at once, none in another's way, nothing good lost to something bad."""

from __future__ import annotations

import contextlib
import queue
import statistics
import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from models.errors import RackrateError
from pricing.errors import FeedError, RefreshHeldError, StoreError
from pricing.http import TIMEOUT_S, Cancelled, Client
from pricing.provider import Fetched, Provider, provider, providers

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from pricing.money import Rates
    from pricing.offer import Offer
    from pricing.store import Store

WORKERS = 8
POLL_S = 0.1
"""How often a refresh looks whether it was cancelled."""
GRACE_S = 0.3
"""How long a cancelled refresh waits for those that are about to end."""
MAX_LOST_SHARE = 0.3
MAX_PRICE_MOVE = 3.0
MAX_RATE_MOVE = 1.5
"""No currency of the list has moved so far against the euro between two refreshes; a shifted decimal point moves ten times."""
MIN_FAMILY = 1


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one provider's refresh ended."""

    provider: str
    status: str
    """fresh, recent (younger than --max-age), skipped (needs a key), held, failed or cancelled."""
    offers: int = 0
    message: str = ""
    hint: str = ""
    skipped: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    fetched_at: str | None = None
    """When the prices now in use were fetched; None = only bundled ones."""

    @property
    def good(self) -> bool:
        """Whether the prices in use are fresh (or fresh enough)."""
        return self.status in {"fresh", "recent"}

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "provider": self.provider,
            "status": self.status,
            "offers": self.offers,
            "message": self.message,
            "hint": self.hint,
            "skipped": self.skipped,
            "seconds": round(self.seconds, 2),
            "fetched_at": self.fetched_at,
        }


@dataclass(frozen=True, slots=True)
class RefreshReport:
    """All outcomes, in the order of the providers asked for."""

    outcomes: tuple[Outcome, ...]

    @property
    def exit_code(self) -> int:
        """0 all fresh, 1 some failed, 2 nothing usable. A provider that only lacks its optional key is no failure."""
        counted = [entry for entry in self.outcomes if entry.status != "skipped"]
        if all(entry.good for entry in counted):
            return 0 if counted else 2
        return 1 if any(entry.good for entry in counted) else 2

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"exit_code": self.exit_code, "providers": [entry.as_dict() for entry in self.outcomes]}


def refresh(  # noqa: PLR0913 - one argument a flag of the command
    names: Sequence[str] | None = None,
    *,
    store: Store,
    on_progress: Callable[[Outcome | str], None] | None = None,
    timeout_s: float = TIMEOUT_S,
    accept: Collection[str] = (),
    max_age_hours: float | None = None,
    mirror: str | None = None,
    client: Client | None = None,
    now: datetime | None = None,
    cancelled: threading.Event | None = None,
    bundled: Callable[[], Iterable[Offer]] | None = None,
) -> RefreshReport:
    """Ask the named providers (None = all); keep what is sound, report on each.

    `on_progress` gets a provider's name when it starts and its Outcome when it ends, from worker threads.
    `timeout_s` bounds each provider as a whole, its retries included.
    Raises UnknownNameError for a name that is none, before anything is asked.
    """
    asked = [provider(name) for name in dict.fromkeys(names)] if names else list(providers().values())
    for name in accept:
        provider(name)
    now = now or datetime.now(UTC)
    own_client = client is None
    client = client or Client.from_environment(mirror, timeout_s=timeout_s)
    if cancelled is not None:
        client.cancelled = cancelled
    status = store.status()
    run = _Run(store, client, now, set(accept), max_age_hours, status, bundled, on_progress)
    try:
        outcomes = run.all(asked)
    finally:
        if own_client:
            client.close()
    # A folder that cannot be written is in the outcomes already; the report must not be lost to its diary.
    with contextlib.suppress(StoreError):
        store.save_status(run.noted())
    return RefreshReport(outcomes)


@dataclass
class _Run:
    store: Store
    client: Client
    now: datetime
    accept: set[str]
    max_age_hours: float | None
    status: dict[str, dict[str, str]]
    bundled: Callable[[], Iterable[Offer]] | None
    on_progress: Callable[[Outcome | str], None] | None
    changes: dict[str, dict[str, str]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def all(self, sources: Sequence[Provider]) -> tuple[Outcome, ...]:
        """Refresh several at once; a cancelled refresh returns without those that do not answer.

        The threads are daemons, unlike an executor's: a program that ends must not wait for a silent server.
        """
        waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
        ended: queue.SimpleQueue[tuple[int, Outcome | BaseException]] = queue.SimpleQueue()
        for place in range(len(sources)):
            waiting.put(place)

        def work() -> None:
            with contextlib.suppress(queue.Empty):
                while True:
                    place = waiting.get_nowait()
                    try:
                        ended.put((place, self.one(sources[place])))
                    except BaseException as error:  # noqa: BLE001 - told to the caller, who would wait for ever
                        ended.put((place, error))

        for number in range(min(WORKERS, len(sources))):
            threading.Thread(target=work, name=f"refresh-{number}", daemon=True).start()
        outcomes: dict[int, Outcome] = {}
        stop_at = float("inf")
        while len(outcomes) < len(sources) and time.monotonic() < stop_at:
            if self.client.cancelled.is_set():
                stop_at = min(stop_at, time.monotonic() + GRACE_S)
            try:
                place, outcome = ended.get(timeout=POLL_S)
            except queue.Empty:
                continue
            if isinstance(outcome, BaseException):
                raise outcome
            outcomes[place] = outcome
        return tuple(outcomes.get(place) or self._stopped(source) for place, source in enumerate(sources))

    def noted(self) -> dict[str, dict[str, str]]:
        """What changed so far; a thread that was left behind may still add to it."""
        with self.lock:
            return dict(self.changes)

    def _stopped(self, source: Provider) -> Outcome:
        name = source.about.name
        return Outcome(name, "cancelled", message="stopped", fetched_at=self.status.get(name, {}).get("fetched_at"))

    def one(self, source: Provider) -> Outcome:
        """Refresh one provider; never raises, so that no provider can stop another."""
        name = source.about.name
        started = time.monotonic()
        last = self.status.get(name, {}).get("fetched_at")
        if self.on_progress:
            self.on_progress(name)
        try:
            status, count, fetched = self._ask(source, last)
            outcome = Outcome(
                name,
                status,
                count,
                skipped=dict(fetched.skipped),
                fetched_at=last,
                message="" if status != "skipped" else f"needs a key in {source.about.key_variable}",
                seconds=time.monotonic() - started,
            )
        except Cancelled:
            outcome = self._stopped(source)
        except RefreshHeldError as error:
            outcome = Outcome(name, "held", message=error.message, hint=error.hint, fetched_at=last)
        except RackrateError as error:
            outcome = Outcome(name, "failed", message=error.message, hint=error.hint, fetched_at=last)
        except Exception as error:  # noqa: BLE001 - a parser's bug on a new shape must not stop the others
            outcome = Outcome(
                name,
                "failed",
                message=f"{name}: unexpected answer ({type(error).__name__}: {error!s:.80})",
                hint="The feed may have changed; old prices stay in use.",
                fetched_at=last,
            )
        outcome = self._noted(outcome, time.monotonic() - started)
        if self.on_progress:
            self.on_progress(outcome)
        return outcome

    def _ask(self, source: Provider, last: str | None) -> tuple[str, int, Fetched]:
        about = source.about
        if self.client.cancelled.is_set():
            raise Cancelled
        if self.max_age_hours is not None and last and self._age(last) <= timedelta(hours=self.max_age_hours):
            return "recent", 0, Fetched()
        if about.key_needed and about.key_variable and self.client.key(about.name, about.key_variable) is None:
            return "skipped", 0, Fetched()
        self.client.begin(about.name)
        fetched = source.fetch(self.client, self.now)
        if about.what == "rates":
            if fetched.rates is None:
                raise FeedError(about.name, "the answer holds no rates.")
            with self.lock:  # setting aside a damaged file must happen once
                known = self.store.rates()
            if about.name not in self.accept and (reason := rate_suspicion(fetched.rates, known)):
                raise RefreshHeldError(about.name, reason)
            if self.client.cancelled.is_set():
                raise Cancelled
            self.store.save_rates(fetched.rates)
            return "fresh", len(fetched.rates.per_euro), fetched
        if about.name not in self.accept:
            self._hold(about.name, fetched.offers)
        if not fetched.offers:
            raise FeedError(about.name, "the answer holds no offers.", hint="Old prices stay in use.")
        if self.client.cancelled.is_set():
            raise Cancelled
        self.store.save(about.name, fetched.offers, about.covers, regional=about.regional)
        return "fresh", len(fetched.offers), fetched

    def _hold(self, name: str, fresh: Sequence[Offer]) -> None:
        with self.lock:  # setting aside a damaged file must happen once
            stored, rates = self.store.load(name), self.store.rates()
        previous = list(stored.offers) if stored else []
        if previous:
            # Rows carried over from an older refresh are not what the feed last listed.
            newest = max(entry.fetched_at or "" for entry in previous)
            previous = [entry for entry in previous if entry.fetched_at == newest]
        elif self.bundled is not None:
            previous = [entry for entry in self.bundled() if entry.provider == name]
        reason = suspicion(fresh, previous, rates, compare_count=stored is not None)
        if reason:
            raise RefreshHeldError(name, reason)

    def _age(self, moment: str) -> timedelta:
        try:
            then = datetime.fromisoformat(moment)
            return self.now - (then if then.tzinfo else then.replace(tzinfo=UTC))
        except ValueError:
            return timedelta.max

    def _noted(self, outcome: Outcome, seconds: float) -> Outcome:
        moment = self.now.isoformat(timespec="seconds")
        row = dict(self.status.get(outcome.provider, {}))
        if outcome.status == "fresh":
            row = {"fetched_at": moment}
        elif outcome.status in {"held", "failed"}:
            row |= {"failed_at": moment, "error": outcome.message}
        with self.lock:
            if outcome.status in {"fresh", "held", "failed"}:
                self.changes[outcome.provider] = row
        return Outcome(
            outcome.provider,
            outcome.status,
            outcome.offers,
            outcome.message,
            outcome.hint,
            outcome.skipped,
            seconds,
            moment if outcome.status == "fresh" else outcome.fetched_at,
        )


def suspicion(fresh: Sequence[Offer], previous: Sequence[Offer], rates: Rates, *, compare_count: bool = True) -> str:
    """Why fresh prices should not be taken unseen; empty if nothing speaks against them.

    Empty feed, more than 30 % of the rows gone, or the median price of a GPU family moved more than threefold.
    """
    if not fresh:
        return "the feed lists no offers"
    if compare_count and len(fresh) < (1 - MAX_LOST_SHARE) * len(previous):
        return f"{len(fresh)} offers instead of {len(previous)}"
    before, after = _medians(previous, rates), _medians(fresh, rates)
    for family in sorted(before.keys() & after.keys()):
        ratio = after[family] / before[family]
        if not 1 / MAX_PRICE_MOVE <= ratio <= MAX_PRICE_MOVE:
            return (
                f"the median price of {family} went from {before[family]:.3g} to {after[family]:.3g} USD "
                "per GPU and hour"
            )
    return ""


def rate_suspicion(fresh: Rates, known: Rates) -> str:
    """Why fresh exchange rates should not be taken unseen: one moved more than 1.5x against the euro; empty if none did."""
    for code in sorted(fresh.per_euro.keys() & known.per_euro.keys()):
        ratio = fresh.per_euro[code] / known.per_euro[code]
        if not 1 / MAX_RATE_MOVE <= ratio <= MAX_RATE_MOVE:
            return f"the euro went from {known.per_euro[code]:.5g} to {fresh.per_euro[code]:.5g} {code}"
    return ""


def _medians(offers: Iterable[Offer], rates: Rates) -> dict[str, float]:
    """Median on-demand dollars per GPU and hour of each GPU model."""
    prices: dict[str, list[float]] = {}
    for entry in offers:
        usd = rates.convert(entry.price_per_hour, entry.currency, "USD")
        if entry.kind == "gpu" and entry.gpu_model and entry.gpu_count and usd and entry.term == "on_demand":
            prices.setdefault(entry.gpu_model, []).append(usd / entry.gpu_count)
    return {family: statistics.median(values) for family, values in prices.items() if len(values) >= MIN_FAMILY}
