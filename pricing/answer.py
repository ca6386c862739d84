"""Telling a feed's answer from what else may arrive in its place."""

from __future__ import annotations

import json
from typing import Any

from pricing.errors import FeedError

MAX_DEPTH = 60
SMALL_BYTES = 256 * 1024
_OLD = "old prices stay in use."


def parse_json(provider: str, body: bytes) -> Any:
    """JSON with the common non-answers told apart: empty, HTML, cut off, nested without end. Raises FeedError."""
    head = body[:512].lstrip().lower()
    if not head:
        raise FeedError(provider, "the answer is empty.", hint=f"Try again later; {_OLD}")
    if head.startswith((b"<!doctype", b"<html", b"<?xml", b"<")):
        raise FeedError(
            provider,
            "the answer is a web page, not data.",
            hint=f"A login page or a proxy may be in between; {_OLD}",
        )
    try:
        value = json.loads(body, parse_constant=_no_constant)
    except RecursionError as error:
        raise FeedError(
            provider, "the answer is nested too deeply.", hint="This is not the feed we know; " + _OLD
        ) from error
    except (ValueError, UnicodeDecodeError) as error:
        raise FeedError(provider, "the answer is cut off or not JSON.", hint=f"Try again later; {_OLD}") from error
    # json itself ends at a thousand levels. What lies between harms nobody, and looking through a large answer takes as long
    # as reading it.
    if len(body) <= SMALL_BYTES and _deeper_than(value, MAX_DEPTH):
        raise FeedError(provider, "the answer is nested too deeply.", hint="This is not the feed we know; " + _OLD)
    return value


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is not a number")


def _deeper_than(value: Any, limit: int) -> bool:
    level = [value]
    for _ in range(limit):
        level = [
            child
            for node in level
            if isinstance(node, (dict, list))
            for child in (node.values() if isinstance(node, dict) else node)
            if isinstance(child, (dict, list))
        ]
        if not level:
            return False
    return True
