"""Every feed that rackrate asks, invented: true in shape, small or of the real size, the same at every start."""

from __future__ import annotations

import gzip
import hashlib
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from feeds import clouds, europe, lists, markets
from feeds.asked import NOT_FOUND, Ask, Reply

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Scale = Literal[1, "true"]
FEEDS: dict[str, Callable[[Ask], Reply]] = {**clouds.FEEDS, **markets.FEEDS, **europe.FEEDS, **lists.FEEDS}
SHARED_HOST = "raw.githubusercontent.com"
OWNERS = {"BerriAI": "litellm", "skypilot-org": "skypilot", "SpareCores": "sparecores"}
"""Who asks the one host that three feeds share, by the first part of the path."""
LITTLE = 1400
"""Bytes below which no server packs an answer."""


def provider_of(host: str, path: str) -> str | None:
    """The provider whose feed a request is for; None if it is no feed's."""
    if host == SHARED_HOST:
        return OWNERS.get(path.split("/")[1])
    return _hosts().get(host)


def _hosts() -> dict[str, str]:
    from pricing.provider import providers

    return {host: name for name, source in providers().items() for host in source.about.hosts if host != SHARED_HOST}


@dataclass
class World:
    """All feeds. Bodies are made once and kept; AWS's bulk lists are made anew each time, piece by piece."""

    scale: Scale = 1
    etags: bool = False
    packed: bool = False
    """Bodies are sent as gzip, as most feeds do to a client that takes it."""
    _hosts: dict[str, str] = field(default_factory=_hosts)
    _kept: dict[Ask, Reply] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def provider_of(self, host: str, path: str) -> str | None:
        """The provider whose feed a request is for."""
        return OWNERS.get(path.split("/")[1]) if host == SHARED_HOST else self._hosts.get(host)

    def answers(
        self,
        provider: str,
        host: str,
        path: str,
        query: Mapping[str, str] | None = None,
        method: str = "GET",
        body: bytes = b"",
    ) -> Reply:
        """What a provider's feed answers."""
        feed = FEEDS.get(provider)
        if feed is None:
            return NOT_FOUND
        ask = Ask(host, path, _Frozen(query or {}), method, body, self.scale == "true")
        found = self._kept.get(ask)
        if found is None:
            with self._lock:
                found = self._kept.get(ask) or self._finished(feed(ask), ask)
                self._kept[ask] = found
        return found

    def _finished(self, reply: Reply, ask: Ask) -> Reply:
        headers = dict(reply.headers)
        if self.etags and ask.method == "GET" and reply.status == 200:
            mark = reply.body if isinstance(reply.body, bytes) else f"{ask.path} {ask.big}".encode()
            headers["ETag"] = f'"{hashlib.sha256(mark).hexdigest()[:20]}"'
        body = reply.body
        if (
            self.packed
            and isinstance(body, bytes)
            and len(body) > LITTLE
            and "zip" not in headers.get("Content-Type", "")
        ):
            body, headers["Content-Encoding"] = gzip.compress(body, 6, mtime=0), "gzip"
        return Reply(body, reply.status, headers)

    def warm(self) -> int:
        """Make every body that a refresh of all providers asks for by default; how many bytes they are."""
        from pricing.asking import Asker
        from pricing.errors import FeedError
        from pricing.provider import providers

        for source in providers().values():
            ask = Asker(source.about, _Direct(self))  # type: ignore[arg-type]
            try:
                source.fetch(ask)
            except FeedError as error:  # pragma: no cover - a world that answers has none
                raise AssertionError(f"{error}") from error
        return sum(len(reply.body) for reply in self._kept.values() if isinstance(reply.body, bytes))


class _Frozen(dict[str, str]):
    """A query that can be part of a key."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(sorted(self.items())))


class _Direct:
    """Stands in for the client: asks the world without a network; bulk lists are not read."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.cancelled = threading.Event()

    def key(self, *_: str) -> str:
        return "no-key"

    def send(self, request: Any) -> Any:
        import json
        from urllib.parse import parse_qsl, urlsplit

        from pricing.errors import FeedError
        from pricing.http import Reply as Sent

        parts = urlsplit(request.url)
        query = {**dict(parse_qsl(parts.query)), **(request.params or {})}
        # As httpx writes it: the body is part of the key of what is kept.
        body = (
            b""
            if request.body is None
            else json.dumps(request.body, ensure_ascii=False, separators=(",", ":")).encode()
        )
        name = request.about.name
        reply = self.world.answers(name, parts.hostname or "", parts.path, query, request.method, body)
        if reply.status != 200:
            raise FeedError(name, f"answered {reply.status}", status=reply.status)
        content = reply.body if isinstance(reply.body, bytes) else b""
        if reply.headers.get("Content-Encoding") == "gzip":
            content = gzip.decompress(content)
        return Sent(content, {key.lower(): value for key, value in reply.headers.items()})
