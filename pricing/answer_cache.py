"""Answers kept with what their server calls their version, so that an unchanged list is not sent again.

Only answers with an ETag or a Last-Modified, and those that may be of some days ago, are kept, packed, one file each.
Nothing of a request is written but a fingerprint of its address: keys travel in headers and are no part of it. A torn file
counts as none.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import time
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pricing import atomic
from pricing.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pricing.http import Reply, Request

MAX_KEPT_BYTES = 48 * 1024 * 1024
_HEADERS = ("etag", "last-modified", "link", "x-total-count")


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """An answer of an earlier refresh."""

    body: bytes
    headers: Mapping[str, str]
    age_s: float
    """Since it was kept."""

    @property
    def conditions(self) -> dict[str, str]:
        """The headers that ask for the answer only if it has changed."""
        found = {}
        if etag := self.headers.get("etag"):
            found["If-None-Match"] = etag
        if modified := self.headers.get("last-modified"):
            found["If-Modified-Since"] = modified
        return found


@dataclass(frozen=True, slots=True)
class AnswerCache:
    """The folder of kept answers; a failure to read or write it only costs a download."""

    folder: Path

    def load(self, request: Request) -> KeptAnswer | None:
        """The kept answer of a request, None if there is none that is whole."""
        if request.method != "GET":
            return None
        try:
            path = self._file(request)
            head, _, body = gzip.decompress(path.read_bytes()).partition(b"\n")
            headers = json.loads(head)
            age_s = time.time() - path.stat().st_mtime
        except (OSError, EOFError, zlib.error, ValueError):
            return None
        if not isinstance(headers, dict) or headers.pop("size", None) != len(body):
            return None
        return KeptAnswer(body, {str(key): str(value) for key, value in headers.items()}, age_s)

    def save(self, request: Request, reply: Reply) -> None:
        """Keep an answer that its server can be asked about again."""
        headers = {key: reply.headers[key] for key in _HEADERS if key in reply.headers}
        if request.method != "GET" or not (request.max_age_s or headers.keys() & {"etag", "last-modified"}):
            return
        if len(reply.body) > MAX_KEPT_BYTES:
            return
        head = json.dumps({**headers, "size": len(reply.body)}).encode()
        with contextlib.suppress(StoreError):
            atomic.write_bytes(self._file(request), gzip.compress(head + b"\n" + reply.body, 1, mtime=0))

    def _file(self, request: Request) -> Path:
        params = sorted((request.params or {}).items())
        name = hashlib.sha256(json.dumps([request.url, params, request.about.version]).encode()).hexdigest()[:32]
        return self.folder / request.about.name / f"{name}.gz"
