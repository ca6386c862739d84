"""The invented feeds on a real server, under the mirror's scheme /HOST/PATH; a fault per provider, if any.

`python tests/feeds/server.py --port 0 --scale true --etags` prints its address and serves until it is ended. A path that
starts with /FAULT@PROVIDER/ has that fault for that provider and none for all others, so that one server does for many
refreshes at a time; what follows a "!" in that word keeps two of them apart. /~seen tells what was asked (once).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import threading
from collections import Counter, deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlsplit

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).parents[1])
    sys.path.insert(1, str(Path(__file__).parents[2]))

from feeds import spoiled, wire
from feeds.asked import Reply
from feeds.world import World

if TYPE_CHECKING:
    from collections.abc import Iterator

FAULTS = (*spoiled.FAULTS, *wire.FAULTS)
MAX_SEEN = 20_000


class Server(ThreadingHTTPServer):
    """Serves a world on loopback. Nothing is logged."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, world: World, port: int = 0, faults: dict[str, str] | None = None) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.world = world
        self.faults = faults or {}
        """Provider -> fault, where the path names none."""
        self.seen: deque[dict[str, Any]] = deque(maxlen=MAX_SEEN)
        self.counts: Counter[str] = Counter()
        self.lock = threading.Lock()
        self.spoils: dict[tuple[Any, ...], bytes] = {}

    @property
    def address(self) -> str:
        """http://127.0.0.1:port."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients hang up on faults as they should: that is no news. Anything else is."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def spoil(self, name: str, provider: str, path: str, query: dict[str, str], body: bytes) -> bytes:
        """A body with a fault; made once."""
        key = (name, provider, path, tuple(sorted(query.items())), body)
        found = self.spoils.get(key)
        if found is None:
            found = self.spoils[key] = spoiled.spoiled(name, provider, path, query, body)
        return found


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 65_536
    timeout = 30
    asked = ""
    """What is asked for, without the word that names a fault."""
    body = b""
    cell = ""
    """The word of the path that names the fault."""

    def log_message(self, *_: Any) -> None:
        """Keep quiet."""

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers.get("Content-Length") or 0)))

    def _answer(self, body: bytes) -> None:
        self.body = body
        parts = urlsplit(self.path)
        if parts.path == "/~seen":
            seen = [self.server.seen.popleft() for _ in range(len(self.server.seen))]
            self.send(Reply(json.dumps(seen).encode(), 200, {"Content-Type": "application/json"}))
            return
        with self.server.lock:
            self.server.seen.append(
                {
                    "method": self.command,
                    "url": self.path,
                    "headers": dict(self.headers),
                    "body": body.decode("utf-8", "replace"),
                }
            )
        fault, whose, rest = self._fault(parts.path)
        self.asked = f"{rest}?{parts.query}"
        host, _, path = rest.lstrip("/").partition("/")
        path, query = f"/{path}", dict(parse_qsl(parts.query))
        provider = self.server.world.provider_of(host, path)
        if provider is None:
            self.send(Reply(b"no such feed", 404))
            return
        fault = fault if whose == provider else self.server.faults.get(provider, "")
        if fault == "endless pages":
            first = {name: value for name, value in query.items() if name not in spoiled.PAGE_WORDS}
            reply = self.server.world.answers(provider, host, path, first, self.command, body)
        else:
            reply = self.server.world.answers(provider, host, path, query, self.command, body)
        if reply.status == 200 and fault in spoiled.FAULTS:
            whole = reply.body if isinstance(reply.body, bytes) else b"".join(reply.body())
            headers = {name: value for name, value in reply.headers.items() if name not in {"ETag", "X-Total-Count"}}
            reply = Reply(self.server.spoil(fault, provider, path, query, whole), 200, headers)
        if fault in wire.FAULTS:
            wire.FAULTS[fault](self, reply)
        elif (mark := reply.headers.get("ETag")) and mark == self.headers.get("If-None-Match"):
            self.send(Reply(b"", 304, {"ETag": mark}))
        else:
            self.send(reply)

    def _fault(self, path: str) -> tuple[str, str, str]:
        """Fault, provider that has it, rest of the path."""
        first, _, rest = path.lstrip("/").partition("/")
        word = unquote(first)
        if "@" not in word:
            return "", "", path
        fault, _, whose = word.partition("@")
        self.cell = word
        return fault, whose.partition("!")[0], rest

    def nth_request(self) -> int:
        """How many requests of its cell this one is."""
        with self.server.lock:
            self.server.counts[self.cell] += 1
            return self.server.counts[self.cell]

    def send(self, reply: Reply, *, length: int | None = None) -> None:
        """Send a reply; `length` = what the header says, if that is not the truth."""
        pieces = reply.body
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if isinstance(pieces, bytes):
            self.send_header("Content-Length", str(len(pieces) if length is None else length))
        elif length is not None:
            self.send_header("Content-Length", str(length))
        else:
            self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if isinstance(pieces, bytes):
            self.wfile.write(pieces)
        else:
            for piece in pieces():
                self.wfile.write(piece if length is not None else b"%x\r\n%b\r\n" % (len(piece), piece))
                self.wfile.flush()
            if length is None:
                self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()


@contextlib.contextmanager
def serving(world: World | None = None, faults: dict[str, str] | None = None) -> Iterator[Server]:
    """A server in a thread of this process."""
    server = Server(world or World(), 0, faults)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def main() -> None:
    """Serve until ended."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--port", type=int, default=0)
    words.add_argument("--scale", choices=("1", "true"), default="1")
    words.add_argument("--etags", action="store_true", help="answer If-None-Match with 304")
    words.add_argument("--packed", action="store_true", help="send bodies as gzip")
    words.add_argument("--warm", action="store_true", help="make all bodies before the address is printed")
    words.add_argument("--fault", action="append", default=[], metavar="PROVIDER=FAULT", help=", ".join(FAULTS))
    asked = words.parse_args()
    world = World("true" if asked.scale == "true" else 1, asked.etags, asked.packed)
    if asked.warm:
        world.warm()
    server = Server(world, asked.port, dict(word.split("=", 1) for word in asked.fault))
    sys.stdout.write(server.address + "\n")
    sys.stdout.flush()
    with contextlib.suppress(KeyboardInterrupt):
        server.serve_forever(poll_interval=0.2)


if __name__ == "__main__":
    main()
