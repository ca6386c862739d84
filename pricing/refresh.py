"""Refreshing prices: all feeds at once, none in another's way, nothing good lost to something bad."""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from importlib import metadata
from typing import TYPE_CHECKING, NamedTuple

from models.errors import RackrateError
from pricing.answer_cache import AnswerCache
from pricing.asking import Asker
from pricing.errors import RefreshHeldError, StoreError
from pricing.feed_state import FeedState
from pricing.http import Cancelled, Client
from pricing.keeping import Keeper
from pricing.provider import Provider, provider, providers
from pricing.refresh_report import Outcome, Plan, RefreshReport, Step
from pricing.threads import at_once

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from pricing.answers import Answer
    from pricing.offer import Offer
    from pricing.provider import About
    from pricing.store import Store

WORKERS = 8
GRACE_S = 0.3
"""How long a cancelled refresh waits for those that are about to end."""
REREAD_DAYS = 7
"""Answers like last time's are read again after so long: promotions end and plans are retired by date."""


def refresh(  # noqa: PLR0913 - one argument a flag of the command
    names: Sequence[str] | None = None,
    *,
    store: Store,
    on_progress: Callable[[Plan | Outcome | Step | str], None] | None = None,
    timeout_s: float | None = None,
    accept: Collection[str] = (),
    max_age_hours: float | None = None,
    mirror: str | None = None,
    client: Client | None = None,
    now: datetime | None = None,
    cancelled: threading.Event | None = None,
    bundled: Callable[[], Iterable[Offer]] | None = None,
    regions: Mapping[str, Sequence[str]] | None = None,
) -> RefreshReport:
    """Ask the named feeds (None = all that need not be named); keep what is sound, report on each.

    `on_progress` gets a Plan, then of each feed its name when it starts, a Step after each answer and its Outcome when it
    ends, from worker threads. `timeout_s` bounds each feed as a whole, its retries included; None = each one's own limit.
    Raises UnknownNameError for a name that is none, before anything is asked.
    """
    if names:
        asked = [provider(name) for name in dict.fromkeys(names)]
    else:
        asked = [source for source in providers().values() if not source.about.on_request]
    for name in accept:
        provider(name)
    now = now or datetime.now(UTC)
    own_client = client is None
    client = client or Client.from_environment(mirror, timeout_s=timeout_s, cache=AnswerCache(store.folder / "cache"))
    if cancelled is not None:
        client.cancelled = cancelled
    store.sweep(now.timestamp())
    run = _Run(
        store, client, now, set(accept), max_age_hours, store.status(), bundled, on_progress, dict(regions or {})
    )
    try:
        outcomes = run.all(asked)
    finally:
        if own_client:
            client.close()
    return RefreshReport(outcomes)


class _Seen(NamedTuple):
    """What a feed answered: its fingerprint, and how long the oldest part of it was kept."""

    digest: str
    oldest_s: float


@dataclass
class _Run:
    store: Store
    client: Client
    now: datetime
    accept: set[str]
    max_age_hours: float | None
    status: dict[str, dict[str, str]]
    bundled: Callable[[], Iterable[Offer]] | None
    on_progress: Callable[[Plan | Outcome | Step | str], None] | None
    regions: dict[str, Sequence[str]]
    lock: threading.Lock = field(default_factory=threading.Lock)
    answered: set[str] = field(default_factory=set)
    """Providers whose own feed has brought good prices."""
    keeper: Keeper = field(init=False)

    def __post_init__(self) -> None:
        self.keeper = Keeper(self.store, self._moment, self.accept, self.client.cancelled, self.bundled, self.lock)

    def all(self, sources: Sequence[Provider]) -> tuple[Outcome, ...]:
        """Refresh them all: direct feeds at once, then the catalogues of several providers, which only fill gaps."""
        if self.on_progress:
            self.on_progress(Plan(tuple(source.about.name for source in sources)))
        found: dict[str, Outcome] = {}
        for catalogues in (False, True):
            some = [source for source in sources if bool(source.about.serves) is catalogues]
            found.update((outcome.provider, outcome) for outcome in self.at_once(some))
        return tuple(found[source.about.name] for source in sources)

    def at_once(self, sources: Sequence[Provider]) -> tuple[Outcome, ...]:
        """Refresh several at once; a cancelled refresh returns without those that do not answer."""
        # Those with the most to ask start first: the whole ends with the slowest.
        order = sorted(sources, key=lambda source: -source.about.time_limit_s)
        stop_at = float("inf")

        def stop() -> bool:
            nonlocal stop_at
            if self.client.cancelled.is_set():
                stop_at = min(stop_at, time.monotonic() + GRACE_S)
            return time.monotonic() >= stop_at

        found: dict[str, Outcome] = {}
        for _, outcome in at_once([partial(self.one, source) for source in order], WORKERS, "refresh", stop):
            if isinstance(outcome, BaseException):
                raise outcome
            found[outcome.provider] = outcome
        return tuple(found.get(source.about.name) or self._stopped(source) for source in sources)

    def _stopped(self, source: Provider) -> Outcome:
        name = source.about.name
        return Outcome(name, "cancelled", message="stopped", fetched_at=self.status.get(name, {}).get("fetched_at"))

    def one(self, source: Provider) -> Outcome:
        """Refresh one feed; never raises, so that no feed can stop another."""
        name = source.about.name
        started = time.monotonic()
        last = self.status.get(name, {}).get("fetched_at")
        if self.on_progress:
            self.on_progress(name)
        seen = _Seen("", 0.0)
        try:
            outcome, seen = self._ask(source, last)
        except Cancelled:
            outcome = self._stopped(source)
        except RefreshHeldError as error:
            outcome = Outcome(name, "held", message=error.message, hint=error.hint, fetched_at=last)
        except RackrateError as error:
            hint = error.hint or "Old prices stay in use."
            outcome = Outcome(name, "failed", message=error.message, hint=hint, fetched_at=last)
        except Exception as error:  # noqa: BLE001 - a parser's bug on a new shape must not stop the others
            outcome = Outcome(
                name,
                "failed",
                message=f"{name}: unexpected answer ({type(error).__name__}: {error!s:.80})",
                hint="The feed may have changed; old prices stay in use.",
                fetched_at=last,
            )
        outcome = replace(
            self._with_key_hint(source.about, outcome),
            seconds=time.monotonic() - started,
            unreachable=outcome.status == "failed" and self.client.unreachable(name),
        )
        outcome = self._noted(outcome, seen)
        if self.on_progress:
            self.on_progress(outcome)
        return outcome

    def _with_key_hint(self, about: About, outcome: Outcome) -> Outcome:
        """A feed that would tell more with a key says so where there is none."""
        if not outcome.good or not about.key_variable or os.environ.get(about.key_variable, "").strip():
            return outcome
        return replace(outcome, message=f"tells more with a key in {about.key_variable}")

    def _ask(self, source: Provider, last: str | None) -> tuple[Outcome, _Seen]:
        about = source.about
        if self.client.cancelled.is_set():
            raise Cancelled
        if self.max_age_hours is not None and last and self._age(last) <= timedelta(hours=self.max_age_hours):
            return Outcome(about.name, "recent", fetched_at=last), _Seen("", 0.0)
        if about.key_needed and about.key_variable and self.client.key(about.name, about.key_variable) is None:
            needs = f"needs a key in {about.key_variable}"
            return Outcome(about.name, "skipped", message=needs, fetched_at=last), _Seen("", 0.0)
        self.client.begin(about)
        with self.lock:
            answered = frozenset(self.answered)
        if about.serves and answered.issuperset(about.serves):
            needless = "not needed: all its providers answered"
            return Outcome(about.name, "skipped", message=needless, fetched_at=last), _Seen("", 0.0)
        regions = tuple(self.regions.get(about.name, ()))
        ask = Asker(about, self.client, regions, answered, on_answer=self._counter(about.name))
        source.fetch(ask)
        # A newer rackrate knows more hardware: it reads the same answers again.
        seen = _Seen(f"{about.version} {_program()} {ask.answers.digest()}", ask.answers.oldest_s)
        if count := self._unchanged(about, seen.digest):
            return self._told_again(Outcome(about.name, "unchanged", count, fetched_at=self._moment)), seen
        fetched = source.parse(ask.answers, self.now)
        if self.client.cancelled.is_set():
            raise Cancelled
        return self.keeper.keep(about, fetched, ask.regions), seen

    def _counter(self, name: str) -> Callable[[Answer], None] | None:
        if self.on_progress is None:
            return None
        tell, lock, total = self.on_progress, threading.Lock(), [0, 0]

        def count(answer: Answer) -> None:
            with lock:
                total[0] += 1
                total[1] += len(answer.body)
                tell(Step(name, *total))

        return count

    def _told_again(self, outcome: Outcome) -> Outcome:
        """An unchanged feed has the same parts missing and the same unknown hardware as when it was read."""
        with contextlib.suppress(ValueError, TypeError, KeyError):
            told = json.loads(self.status[outcome.provider]["told"])
            missing, unmatched = tuple(map(str, told["missing"])), tuple(map(str, told["unmatched"]))
            return replace(outcome, missing=missing, unmatched=unmatched, servers=int(told["servers"]))
        return outcome

    def _unchanged(self, about: About, digest: str) -> int | None:
        """How many prices stand if a feed answered what it answered last time, and that was read not long ago."""
        name, row = about.name, self.status.get(about.name, {})
        if (
            name in self.accept
            or row.get("digest") != digest
            or self._age(row.get("read_at", "")) > timedelta(REREAD_DAYS)
        ):
            return None
        match about.what:
            case "prices":
                return self.store.count(name)
            case "tokens":
                return self.store.count_tokens(name)
            case _:  # rates are read in no time, machines are asked for by name
                return None

    @property
    def _moment(self) -> str:
        return self.now.isoformat(timespec="seconds")

    def _age(self, moment: str) -> timedelta:
        try:
            then = datetime.fromisoformat(moment)
            return self.now - (then if then.tzinfo else then.replace(tzinfo=UTC))
        except ValueError:
            return timedelta.max

    def _noted(self, outcome: Outcome, seen: _Seen) -> Outcome:
        """Keep how it went, for the next refresh and for whoever asks; a folder that cannot be written costs only that."""
        if outcome.status in {"cancelled", "recent"}:
            return outcome
        row = dict(self.status.get(outcome.provider, {}))
        if outcome.good:
            with self.lock:
                self.answered.add(outcome.provider)
        if outcome.status in {"fresh", "unchanged"}:
            read_at = self._moment if outcome.status == "fresh" else row.get("read_at", "")
            told = {"missing": outcome.missing, "unmatched": outcome.unmatched[:100], "servers": outcome.servers}
            # A part that a cache answered for was not seen again today.
            seen_at = (self.now - timedelta(seconds=seen.oldest_s)).isoformat(timespec="seconds")
            row = {
                "fetched_at": self._moment,
                "seen_at": seen_at,
                "digest": seen.digest,
                "read_at": read_at,
                "told": json.dumps(told),
            }
        elif outcome.status in {"held", "failed"}:
            row |= {"failed_at": self._moment, "error": outcome.message}
        row["last"] = FeedState.of(outcome, self._moment).text()
        with contextlib.suppress(StoreError):
            self.store.save_status({outcome.provider: row})
        return outcome


@cache
def _program() -> str:
    """The version of the program, empty where it was not installed."""
    with contextlib.suppress(metadata.PackageNotFoundError):
        return metadata.version("rackrate")
    return ""
