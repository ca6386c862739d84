"""One way to the network for every feed: TLS, own hosts only, limits of time and size, pacing, retries, an optional mirror.

Keys come from the environment, go into headers only, and never into a message: addresses are shown without
their query, answers are not quoted. httpx is loaded on the first request (0.2 s that only a refresh should pay).
"""

from __future__ import annotations

import contextlib
import os
import random
import socket
import threading
import time
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit, urlunsplit

from pricing.address import is_address, is_loopback, shown
from pricing.decoding import TornError, lines, plain
from pricing.errors import FeedError
from pricing.pacing import Pacer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import httpx

    from pricing.answer_cache import AnswerCache, KeptAnswer
    from pricing.provider import About

MAX_BYTES = 64 * 1024 * 1024
TIMEOUT_S = 60.0
"""For a provider as a whole unless it says otherwise: connecting, waiting, reading and every attempt."""
ATTEMPTS = 3
MAX_WAIT_S = 70.0
"""Azure asks for a minute of patience; a server that asks for longer is left alone until the next refresh."""
FIRST_WAIT_S = 0.5
BUSY_WAIT_S = 8.0
"""Before asking again where a host says "too many requests" but not for how long."""
CONNECTIONS = 16
"""At one time, for all providers together."""
LONGEST_TOLD_S = 86400.0
"""A server that wants to be left alone for longer has a clock of its own: "later" says it better."""
_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})


class Cancelled(Exception):  # noqa: N818
    """The refresh was stopped by the user."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request of a provider. `keep` reads the answer as a stream and keeps the lines for which it is true."""

    about: About
    method: str
    url: str
    params: Mapping[str, str] | None = None
    headers: Mapping[str, str] | None = None
    body: Any = None
    max_bytes: int | None = None
    keep: Callable[[bytes], bool] | None = None
    max_age_s: float = 0.0
    """A kept answer this young is not asked for again, whatever its server would say."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back: the unpacked body, headers in lower case, and whether the server said "not modified"."""

    body: bytes
    headers: Mapping[str, str]
    unchanged: bool = False


@dataclass
class Client:
    """Requests of one refresh; safe to use from several threads. Times are seconds, sizes bytes."""

    mirror: str | None = None
    timeout_s: float | None = None
    """Stands in for every provider's own time limit."""
    max_bytes: int = MAX_BYTES
    attempts: int = ATTEMPTS
    sleep: Callable[[float], None] | None = None
    cancelled: threading.Event = field(default_factory=threading.Event)
    cache: AnswerCache | None = None
    pacer: Pacer = field(default_factory=Pacer)
    _client: httpx.Client | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _deadlines: dict[str, float] = field(default_factory=dict)
    _dead: set[str] = field(default_factory=set)
    """Hosts that could not be connected to in this refresh."""
    _unconnected: set[str] = field(default_factory=set)
    _connected: set[str] = field(default_factory=set)
    """Providers of which a request found nobody, and those of which one was answered, whatever the answer."""

    @classmethod
    def from_environment(cls, mirror: str | None = None, **options: Any) -> Client:
        """A client that honours RACKRATE_MIRROR, then the settings' mirror."""
        return cls(mirror=os.environ.get("RACKRATE_MIRROR", "").strip() or mirror, **options)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None

    def limit_s(self, about: About) -> float:
        """Seconds that a provider's requests may take together."""
        return about.time_limit_s if self.timeout_s is None else self.timeout_s

    def begin(self, about: About) -> None:
        """Start a provider's time: all its requests and their retries together end within its limit."""
        self._deadlines[about.name] = time.monotonic() + self.limit_s(about)

    def unreachable(self, provider: str) -> bool:
        """Whether none of a provider's requests so far found anybody to connect to."""
        return provider in self._unconnected and provider not in self._connected

    def key(self, provider: str, variable: str) -> str | None:
        """An API key from the environment; None if unset, or if a mirror that is not this machine would see it."""
        value = os.environ.get(variable, "").strip() or None
        if value and self.mirror and not is_loopback(self.mirror):
            return None
        if value and not (value.isprintable() and value.isascii()):
            raise FeedError(provider, f"the key in {variable} holds characters that no key has.")
        return value

    def send(self, request: Request) -> Reply:
        """One request with retries. Raises FeedError, or Cancelled."""
        name = request.about.name
        address = self._address(request)
        place = urlsplit(address).netloc
        if place in self._dead:
            # A feed of forty parts must not wait forty times for a host that nobody answers at.
            self._unconnected.add(name)
            raise self._unreachable(name, place)
        deadline = self._deadlines.get(name, time.monotonic() + self.limit_s(request.about))
        kept = self.cache.load(request) if self.cache is not None else None
        if kept is not None and kept.age_s < request.max_age_s:
            return Reply(kept.body, {**kept.headers, "age": f"{kept.age_s:.0f}"}, unchanged=True)
        for attempt in range(1, self.attempts + 1):
            if self.cancelled.is_set():
                raise Cancelled
            try:
                # A cache on this machine needs no politeness.
                pace_s = 0.0 if self.mirror and is_loopback(self.mirror) else request.about.pace_s
                with self.pacer.turn(urlsplit(request.url).hostname or "", pace_s, self._wait):
                    reply = self._once(request, address, kept, deadline)
            except _Retry as retry:
                busy = retry.error.status == 429
                step = BUSY_WAIT_S if busy else FIRST_WAIT_S
                wait = retry.after if retry.after is not None else step * 2 ** (attempt - 1) * (1 + random.random())  # noqa: S311
                over = time.monotonic() + wait > deadline
                if attempt == self.attempts or over or wait > MAX_WAIT_S:
                    if retry.error.unreachable:
                        self._dead.add(place)
                        self._unconnected.add(name)
                    raise retry.error from retry.__cause__
                self._wait(wait)
            else:
                if self.cache is not None and (request.max_age_s or not reply.unchanged):
                    self.cache.save(request, reply)
                return reply
        raise AssertionError("attempts is at least 1")  # pragma: no cover

    def _wait(self, seconds: float) -> None:
        if self.sleep is not None:
            self.sleep(seconds)
        elif self.cancelled.wait(seconds):
            raise Cancelled

    def _address(self, request: Request) -> str:
        name = request.about.name
        try:
            parts = urlsplit(request.url)
            host, port = parts.hostname, parts.port
        except ValueError:
            raise FeedError(name, "the feed names an address that is none.", hint="Old prices stay in use.") from None
        if parts.scheme != "https":
            raise FeedError(name, f"refusing {shown(request.url)}: prices are fetched over TLS only.")
        if host not in request.about.hosts or port not in {None, 443} or parts.username is not None:
            raise FeedError(
                name,
                f"refusing {shown(request.url)}: it is not one of the feed's own hosts.",
                hint="The feed has changed; old prices stay in use.",
            )
        if not self.mirror:
            return request.url
        if not is_address(self.mirror):
            raise FeedError(
                name,
                f"the mirror {shown(self.mirror)!r} is not an address.",
                hint="Write RACKRATE_MIRROR, or mirror in the settings, as http://host:port.",
            )
        base = urlsplit(self.mirror)
        path = f"{base.path.rstrip('/')}/{host}{parts.path}"
        return urlunsplit((base.scheme, base.netloc, path, parts.query, ""))

    def _http(self) -> httpx.Client:
        import httpx

        with self._lock:
            if self._client is None:
                # Redirects are not followed: a key or an offer must not come from a host we did not name.
                self._client = httpx.Client(
                    timeout=httpx.Timeout(TIMEOUT_S),
                    follow_redirects=False,
                    headers={"User-Agent": "rackrate (price comparison)", "Accept-Encoding": "gzip, deflate"},
                    limits=httpx.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS),
                    trust_env=not self.mirror,
                )
            return self._client

    def _once(self, request: Request, address: str, kept: KeptAnswer | None, deadline: float) -> Reply:
        import httpx

        name, where = request.about.name, shown(address)
        slow = FeedError(name, f"the answer of {where} came too slowly.", hint="Raise --timeout.")
        limits: dict[str, float] = {}

        def left(*_: object) -> None:
            # Told of each step of a request: every one of them gets what the earlier ones have left over.
            rest = max(deadline - time.monotonic(), 0.001)
            limits.update(connect=min(10.0, rest), read=rest, write=rest, pool=rest)

        left()
        try:
            with (
                self._http().stream(
                    request.method,
                    address,
                    params=request.params,
                    headers={**(request.headers or {}), **(kept.conditions if kept else {})},
                    json=request.body,
                    extensions={"timeout": limits, "trace": left},
                ) as response,
                _hung_up_at(deadline, response),
            ):
                self._connected.add(name)
                headers = {key.lower(): value for key, value in response.headers.items()}
                if response.status_code == 304 and kept is not None:
                    return Reply(kept.body, kept.headers, unchanged=True)
                self._check_status(request.about, response, where)
                return Reply(self._read(request, response, where, deadline, slow), headers)
        except httpx.TimeoutException as error:
            if isinstance(error, httpx.ConnectTimeout):
                self._unconnected.add(name)
            limit = self.limit_s(request.about)
            raise _Retry(
                FeedError(name, f"no answer from {where} within {limit:g} s.", hint="Try again, or raise --timeout.")
            ) from error
        except httpx.ConnectError as error:
            raise _Retry(self._unreachable(name, where)) from error
        except httpx.TransportError as error:
            if time.monotonic() >= deadline:
                raise slow from error
            raise _Retry(
                FeedError(
                    name, f"the connection to {where} broke off.", hint="Try again later; old prices stay in use."
                )
            ) from error
        except TornError as error:
            raise _Retry(
                FeedError(name, f"the answer of {where} is damaged ({error}).", hint="Old prices stay in use.")
            ) from error
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError, ValueError) as error:
            raise FeedError(name, f"the answer of {where} cannot be read ({type(error).__name__}).") from error

    def _unreachable(self, provider: str, where: str) -> FeedError:
        what = "the mirror" if self.mirror else "the network, or HTTPS_PROXY behind a proxy"
        hint = f"Check {what}; old prices stay in use."
        return FeedError(provider, f"no connection to {where.partition('/')[0]}.", hint=hint, unreachable=True)

    def _check_status(self, about: About, response: httpx.Response, where: str) -> None:
        provider, status = about.name, response.status_code
        if status < 300:
            return
        if status in _RETRIED:
            after = _retry_after(response.headers.get("Retry-After"))
            again = f"in {after:.0f} s" if after is not None and 1 <= after <= LONGEST_TOLD_S else "later"
            hint = f"It limits how often it is asked; try again {again}." if status == 429 else f"Try again {again}."
            raise _Retry(FeedError(provider, f"{where} answered {status}.", hint=hint, status=status), after)
        if status in {401, 403}:
            hint = f"Check the key in {about.key_variable}." if about.key_variable else "Try again later."
            raise FeedError(provider, f"{where} refused access ({status}).", status=status, hint=hint)
        moved = status < 400 or status in {404, 410}
        hint = "The address has moved; a newer rackrate may know it." if moved else "Try again later."
        if self.mirror:
            hint = "Check the mirror: does it pass this feed on?"
        raise FeedError(provider, f"{where} answered {status}.", hint=hint, status=status)

    def _read(self, request: Request, response: httpx.Response, where: str, deadline: float, slow: FeedError) -> bytes:
        limit = request.max_bytes or self.max_bytes

        def watched() -> Iterator[bytes]:
            size = 0
            for chunk in plain(response.headers.get("Content-Encoding", ""), response.iter_raw()):
                size += len(chunk)
                if size > limit:
                    raise FeedError(
                        request.about.name,
                        f"the answer of {where} is larger than {limit >> 20} MiB.",
                        hint="This is not the feed we know; old prices stay in use.",
                    )
                if self.cancelled.is_set():
                    raise Cancelled
                if time.monotonic() > deadline:
                    raise slow
                yield chunk
            # A line that was hung up looks like the end of an answer without a stated length.
            if time.monotonic() >= deadline:
                raise slow

        return b"".join(watched()) if request.keep is None else _kept_lines(watched(), request.keep)


def _kept_lines(chunks: Iterable[bytes], keep: Callable[[bytes], bool]) -> bytes:
    found: list[bytes] = []
    for some in lines(chunks):
        found += filter(keep, some)
    return b"\n".join(found)


class _Retry(Exception):  # noqa: N818
    """A failure worth another attempt, after so many seconds if the server said so."""

    def __init__(self, error: FeedError, after: float | None = None) -> None:
        super().__init__(str(error))
        self.error = error
        self.after = after


@contextlib.contextmanager
def _hung_up_at(deadline: float, response: httpx.Response) -> Iterator[None]:
    """Close the line at a moment: an answer that stalls half-way is not waited for a second time."""
    stream = response.extensions.get("network_stream")
    line: socket.socket | None = stream.get_extra_info("socket") if stream is not None else None

    def hang_up() -> None:
        if line is not None:
            with contextlib.suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(max(deadline - time.monotonic(), 0.0), hang_up)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _retry_after(value: str | None) -> float | None:
    """Seconds of a Retry-After header (a number or a date)."""
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None
