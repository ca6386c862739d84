"""One way to the network for every feed: TLS, time limits, size limits, retries, an optional mirror.

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
from pricing.answer import parse_json
from pricing.errors import FeedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import httpx

MAX_BYTES = 64 * 1024 * 1024
TIMEOUT_S = 60.0
"""For a provider as a whole: connecting, waiting, reading and every attempt."""
ATTEMPTS = 3
MAX_WAIT_S = 30.0
_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})


class Cancelled(Exception):  # noqa: N818
    """The refresh was stopped by the user."""


@dataclass
class Client:
    """Requests of one refresh; safe to use from several threads. Times are seconds, sizes bytes."""

    mirror: str | None = None
    timeout_s: float = TIMEOUT_S
    max_bytes: int = MAX_BYTES
    attempts: int = ATTEMPTS
    sleep: Callable[[float], None] | None = None
    cancelled: threading.Event = field(default_factory=threading.Event)
    _client: httpx.Client | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _deadlines: dict[str, float] = field(default_factory=dict)

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

    def begin(self, provider: str) -> None:
        """Start a provider's time: all its requests and their retries together end within `timeout_s`."""
        self._deadlines[provider] = time.monotonic() + self.timeout_s

    def get_json(
        self,
        provider: str,
        url: str,
        *,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """The parsed answer of a GET. Raises FeedError."""
        return parse_json(provider, self.fetch(provider, "GET", url, params=params, headers=headers))

    def post_json(self, provider: str, url: str, body: Any, *, headers: Mapping[str, str] | None = None) -> Any:
        """The parsed answer of a POST. Raises FeedError."""
        return parse_json(provider, self.fetch(provider, "POST", url, body=body, headers=headers))

    def get_bytes(self, provider: str, url: str) -> bytes:
        """The raw answer of a GET. Raises FeedError."""
        return self.fetch(provider, "GET", url)

    def key(self, provider: str, variable: str) -> str | None:
        """An API key from the environment; None if unset, or if a mirror that is not this machine would see it."""
        value = os.environ.get(variable, "").strip() or None
        if value and self.mirror and not is_loopback(self.mirror):
            return None
        if value and not value.isprintable():
            raise FeedError(provider, f"the key in {variable} holds characters that no key has.")
        return value

    def fetch(
        self,
        provider: str,
        method: str,
        url: str,
        *,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        body: Any = None,
    ) -> bytes:
        """One request with retries; the whole body. Raises FeedError, or Cancelled."""
        address = self._address(provider, url)
        deadline = self._deadlines.get(provider, time.monotonic() + self.timeout_s)
        for attempt in range(1, self.attempts + 1):
            if self.cancelled.is_set():
                raise Cancelled
            try:
                return self._once(provider, method, address, params, headers, body, deadline)
            except _Retry as retry:
                wait = retry.after if retry.after is not None else 0.5 * 2 ** (attempt - 1) * (1 + random.random())  # noqa: S311
                over = time.monotonic() + wait > deadline
                if attempt == self.attempts or over or wait > MAX_WAIT_S:
                    raise retry.error from retry.__cause__
                self._wait(wait)
        raise AssertionError("attempts is at least 1")  # pragma: no cover

    def _wait(self, seconds: float) -> None:
        if self.sleep is not None:
            self.sleep(seconds)
        elif self.cancelled.wait(seconds):
            raise Cancelled

    def _address(self, provider: str, url: str) -> str:
        parts = urlsplit(url)
        if parts.scheme != "https":
            raise FeedError(provider, f"refusing {shown(url)}: prices are fetched over TLS only.")
        if not self.mirror:
            return url
        if not is_address(self.mirror):
            raise FeedError(
                provider,
                f"the mirror {shown(self.mirror)!r} is not an address.",
                hint="It looks like http://127.0.0.1:8790.",
            )
        base = urlsplit(self.mirror)
        path = f"{base.path.rstrip('/')}/{parts.netloc}{parts.path}"
        return urlunsplit((base.scheme, base.netloc, path, parts.query, ""))

    def _http(self) -> httpx.Client:
        import httpx

        with self._lock:
            if self._client is None:
                # Redirects are not followed: a key or an offer must not come from a host we did not name.
                self._client = httpx.Client(
                    timeout=httpx.Timeout(self.timeout_s),
                    follow_redirects=False,
                    headers={"User-Agent": "rackrate (price comparison)", "Accept-Encoding": "gzip, deflate"},
                    trust_env=not self.mirror,
                )
            return self._client

    def _once(
        self,
        provider: str,
        method: str,
        address: str,
        params: Mapping[str, str] | None,
        headers: Mapping[str, str] | None,
        body: Any,
        deadline: float,
    ) -> bytes:
        import httpx

        where = shown(address)
        slow = FeedError(provider, f"the answer of {where} came too slowly.", hint="Raise --timeout.")
        limits: dict[str, float] = {}

        def left(*_: object) -> None:
            # Told of each step of a request: every one of them gets what the earlier ones have left over.
            rest = max(deadline - time.monotonic(), 0.001)
            limits.update(connect=min(10.0, rest), read=rest, write=rest, pool=rest)

        left()
        try:
            with (
                self._http().stream(
                    method,
                    address,
                    params=params,
                    headers=headers,
                    json=body,
                    extensions={"timeout": limits, "trace": left},
                ) as response,
                _hung_up_at(deadline, response),
            ):
                self._check_status(provider, response, where)
                return self._read(provider, response, where, deadline, slow)
        except httpx.TimeoutException as error:
            raise _Retry(
                FeedError(
                    provider,
                    f"no answer from {where} within {self.timeout_s:g} s.",
                    hint="Try again, or raise --timeout.",
                )
            ) from error
        except httpx.TransportError as error:
            if time.monotonic() >= deadline:
                raise slow from error
            raise _Retry(
                FeedError(
                    provider,
                    f"the connection to {where} failed ({type(error).__name__}).",
                    hint="Check the network or the mirror; old prices stay in use.",
                )
            ) from error
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError, ValueError) as error:
            raise FeedError(provider, f"the answer of {where} cannot be read ({type(error).__name__}).") from error

    def _check_status(self, provider: str, response: httpx.Response, where: str) -> None:
        status = response.status_code
        if status < 300:
            return
        if status in _RETRIED:
            hint = "It limits how often it is asked; try again later." if status == 429 else "Try again later."
            raise _Retry(
                FeedError(provider, f"{where} answered {status}.", hint=hint, status=status),
                _retry_after(response.headers.get("Retry-After")),
            )
        if status in {401, 403}:
            raise FeedError(
                provider,
                f"{where} refused access ({status}).",
                status=status,
                hint="Check the key that this provider needs.",
            )
        hint = "The address has moved; a newer rackrate may know it." if status < 400 or status in {404, 410} else ""
        raise FeedError(provider, f"{where} answered {status}.", hint=hint, status=status)

    def _read(self, provider: str, response: httpx.Response, where: str, deadline: float, slow: FeedError) -> bytes:
        chunks: list[bytes] = []
        size = 0
        for chunk in response.iter_bytes():
            size += len(chunk)
            if size > self.max_bytes:
                raise FeedError(
                    provider,
                    f"the answer of {where} is larger than {self.max_bytes >> 20} MiB.",
                    hint="This is not the feed we know; old prices stay in use.",
                )
            if self.cancelled.is_set():
                raise Cancelled
            if time.monotonic() > deadline:
                raise slow
            chunks.append(chunk)
        # A line that was hung up looks like the end of an answer without a stated length.
        if time.monotonic() >= deadline:
            raise slow
        return b"".join(chunks)


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
