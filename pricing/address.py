"""Addresses of feeds and mirrors: whether they are some, and how a message shows them."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit


def is_address(url: str) -> bool:
    """Whether a text is an http address with a host and, if any, a port that exists."""
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False


def is_loopback(url: str) -> bool:
    """Whether an address is this machine."""
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


_USER = re.compile(r"(?:(?<=//)|^(?!\w+://)).*@", re.DOTALL)
_VALUE = re.compile(r"(?<==)[^&#]*|(?<=[?&#])[^=&#]+(?=[&#]|$)")


def masked(url: str) -> str:
    """An address, or what was meant as one, with stars for its user, and for what its query says."""
    place, sign, query = _USER.sub("***@", url).partition("?")
    return place + sign + _VALUE.sub("***", sign + query)[1:] if sign else place


def shown(url: str) -> str:
    """An address fit for a message: no user, no query."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:  # a port of six digits, a bracket without its pair
        host = port = None
    if not host:
        return url.rpartition("@")[2].partition("?")[0][:60]
    return f"{host}{f':{port}' if port else ''}{parts.path}"
