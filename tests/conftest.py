"""Every test runs in folders of its own, without the internet; a test that needs a date gets a fixed one."""

from __future__ import annotations

import ipaddress
import os
import socket
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

KEPT = ("RACKRATE_TEST_",)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest test first: begun last, one worker would wait minutes for it."""
    items.sort(key=lambda item: "test_monkey" not in item.nodeid)


@pytest.fixture(autouse=True)
def own_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home, a config folder and a data folder that hold nothing of the developer's; returns the home."""
    home = tmp_path_factory.mktemp("home")
    for name in [n for n in os.environ if n.startswith("RACKRATE_") and not n.startswith(KEPT)]:
        monkeypatch.delenv(name)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / ".local/share"))
    monkeypatch.setenv("XDG_STATE_HOME", str(home / ".local/state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / ".cache"))
    monkeypatch.setenv("RACKRATE_CONFIG_DIR", str(home / "rackrate-config"))
    monkeypatch.setenv("RACKRATE_DATA_DIR", str(home / "rackrate-data"))
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    return home


def _is_local(address: object) -> bool:
    if not isinstance(address, tuple):  # a path: AF_UNIX never leaves the machine
        return True
    host = str(address[0])
    if host in {"localhost", ""}:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True)
def no_internet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections and name look-ups outside loopback fail, naming the address."""

    def guard(real: Callable[..., Any]) -> Callable[..., Any]:
        def connect(self: socket.socket, address: object, *rest: Any) -> Any:
            if not _is_local(address):
                raise OSError(f"tests do not use the internet: {address}")
            return real(self, address, *rest)

        return connect

    real_lookup = socket.getaddrinfo

    def lookup(host: Any, *args: Any, **kwargs: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name is not None and not _is_local((name,)):
            raise socket.gaierror(f"tests do not use the internet: {name}")
        return real_lookup(host, *args, **kwargs)

    monkeypatch.setattr(socket.socket, "connect", guard(socket.socket.connect))
    monkeypatch.setattr(socket.socket, "connect_ex", guard(socket.socket.connect_ex))
    monkeypatch.setattr(socket, "getaddrinfo", lookup)


@pytest.fixture
def now() -> datetime:
    """The moment all dated tests agree on."""
    return datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.fixture
def fixed_clock(now: datetime, monkeypatch: pytest.MonkeyPatch) -> datetime:
    """Rackrate counts ages from that day, in this process and in those it starts."""
    monkeypatch.setenv("RACKRATE_TODAY", now.date().isoformat())
    return now
