"""Every provider with every fault of a line, a server or a body, while all others answer well; and where keys go.

The table itself is tests/feeds/fault_table.py: run it for the Markdown, or this with -s.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pricing import http, keeping, quality, refresh
from pricing.answer_cache import AnswerCache
from pricing.http import Client
from pricing.provider import provider, providers
from pricing.store import Store

sys.path.append(str(Path(__file__).parents[1]))  # the invented feeds are beside the tests, not of a package

from feeds import fault_table, server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from feeds.fault_table import Table
    from feeds.server import Server

EMPTY = {"failed", "held"}


@pytest.fixture(scope="module")
def table() -> Iterator[Table]:
    with fault_table.table() as filled:
        yield filled
        sys.stdout.write("\n" + fault_table.markdown(filled.cells))


@pytest.mark.parametrize("fault", server.FAULTS)
def test_a_fault_of_one_provider_costs_nothing_good(table: Table, fault: str) -> None:
    cells = table.column(fault)
    assert len(cells) == len(providers()) + 1
    bad = [f"{cell.provider}: {cell.status} {cell.message} {problem}" for cell in cells for problem in cell.problems]
    assert not bad, "\n".join(bad)


@pytest.mark.parametrize(
    "fault", ["html", "deep", "list for object", "not UTF-8", "huge", "empty lists", "500", "silent"]
)
def test_no_feed_comes_through_what_is_no_answer(table: Table, fault: str) -> None:
    assert {cell.status for cell in table.column(fault)} <= EMPTY


def test_a_page_chain_without_end_is_refused_by_every_feed_with_pages(table: Table) -> None:
    with_pages = ("azure", "gcp", "linode", "vultr", "digitalocean", "latitude", "scaleway", "hetzner")
    cells = [cell for cell in table.column("endless pages") if cell.provider in with_pages]
    assert all(cell.status in EMPTY | {"fresh in part"} for cell in cells), cells
    assert all("do not end" in cell.message for cell in cells), cells
    # Hetzner's cloud alone has pages: what came of them is dropped, its other lists are as good as ever.
    assert [cell.status for cell in cells if cell.provider == "hetzner"] == ["fresh in part"]


def test_the_table_sees_prices_that_are_not_true(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "suspicion", lambda *_, **__: "")
    monkeypatch.setattr(quality, "check", lambda offers, *_: (tuple(offers), {}))
    (taken, *changed) = table.one("vultr", "prices x100").problems
    assert taken == "taken as fresh"
    assert "instead of" in changed[0]


def test_the_table_sees_a_parser_s_bug(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    def parse(*_: object) -> Any:
        raise IndexError("list index out of range")

    monkeypatch.setattr(provider("verda"), "parse", parse)
    (problem,) = table.one("verda", "rows twice").problems
    assert "a parser's bug" in problem


def test_the_table_sees_rows_that_are_lost(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Store, "_left_over", lambda *_: ())
    cells = [table.one(name, "some parts 500") for name in ("scaleway", "skypilot", "hetzner")]
    in_part = [cell for cell in cells if cell.status == "fresh in part"]
    assert in_part
    assert all(any("lost" in problem for problem in cell.problems) for cell in in_part)


# Keys


@pytest.fixture
def feeds(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name, key in fault_table.KEYS.items():
        monkeypatch.setenv(str(provider(name).about.key_variable), key)
    with server.serving() as running:
        yield running


def everyone(running: Server, folder: Path, word: str = "") -> Any:
    store = Store(folder)
    cache = AnswerCache(folder / "cache")
    mirror = f"{running.address}/{word}" if word else running.address
    with Client(mirror=mirror, timeout_s=30.0, sleep=lambda _: None, cache=cache) as client:
        names = [name for name, source in providers().items() if not source.about.on_request]
        return refresh.refresh(names, store=store, client=client, now=fault_table.NOW, regions=fault_table.REGIONS)


def texts(folder: Path) -> Iterator[tuple[Path, bytes]]:
    for path in folder.rglob("*"):
        if path.is_file():
            body = path.read_bytes()
            yield path, gzip.decompress(body) if path.suffix == ".gz" else body


def test_keys_go_into_headers_and_nowhere_else(feeds: Server, tmp_path: Path) -> None:
    feeds.world.etags = True
    reports = [everyone(feeds, tmp_path)]
    # A proxy that writes the request's own headers on its error page must not get them into a message.
    reports += [everyone(feeds, tmp_path, f"401 echo@{name}") for name in fault_table.KEYS]
    sent = {name: [one for one in feeds.seen if key in str(one["headers"])] for name, key in fault_table.KEYS.items()}
    assert all(sent.values()), "no request with a key at all"
    said = json.dumps([report.as_dict() for report in reports])
    found = list(texts(tmp_path))
    assert len(found) > len(providers())
    for name, key in fault_table.KEYS.items():
        assert key not in said
        assert not [path for path, body in found if key.encode() in body or key in path.name]
        assert not [one for one in feeds.seen if key in one["url"] or key in one["body"]]
        hosts = {one["url"].split("/")[2 if "@" in one["url"].split("/")[1] else 1] for one in sent[name]}
        assert hosts <= set(provider(name).about.hosts)


def test_a_mirror_elsewhere_sees_no_keys(feeds: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for mirror in ("http://10.0.0.1:8790", "https://mirror.example", "http://127.0.0.1.evil.example", "http://[::2]:1"):
        assert all(
            Client(mirror=mirror).key(name, str(provider(name).about.key_variable)) is None for name in fault_table.KEYS
        )
    # The same on the wire: the server of this test as if it were elsewhere.
    monkeypatch.setattr(http, "is_loopback", lambda _: False)
    report = everyone(feeds, tmp_path)
    assert not [one for one in feeds.seen if any(key in str(one) for key in fault_table.KEYS.values())]
    skipped = {one.provider for one in report.outcomes if one.status == "skipped"}
    assert skipped >= {name for name in fault_table.KEYS if provider(name).about.key_needed}


def test_a_redirect_is_not_followed(feeds: Server, tmp_path: Path) -> None:
    for name in ("lambda", "linode"):
        everyone(feeds, tmp_path, f"redirect inside@{name}")
    assert not [one for one in feeds.seen if "~trap" in one["url"]]


def test_two_gigabytes_are_refused_long_before_their_end(feeds: Server, tmp_path: Path) -> None:
    with Client(mirror=f"{feeds.address}/2 GB promise@linode", timeout_s=30.0, sleep=lambda _: None) as client:
        (outcome,) = refresh.refresh(["linode"], store=Store(tmp_path), client=client, now=fault_table.NOW).outcomes
    assert outcome.status == "failed"
    assert "larger than 64 MiB" in outcome.message
