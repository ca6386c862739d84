"""Feeds that say, or show, that nothing has changed: asked with conditions, not read again, dated anew."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from werkzeug import Request, Response

from pricing import refresh
from pricing.answer_cache import AnswerCache
from pricing.feed import Harvest
from pricing.http import Client
from pricing.provider import About, Fetched, Missing
from pricing.refresh_report import RefreshReport
from pricing.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from pytest_httpserver import HTTPServer

    from pricing.answers import Answers
    from pricing.asking import Asker

URL = "https://api.acme.example/plans"
PATH = "/api.acme.example/plans"


class Acme:
    """A feed of one list."""

    about = About("acme", "Acme", "prices", covers=(("cpu", "on_demand"),), hosts=("api.acme.example",))
    parsed = 0

    def fetch(self, ask: Asker) -> None:
        ask.get("plans", URL)

    def parse(self, answers: Answers, now: datetime) -> Fetched:
        type(self).parsed += 1
        harvest = Harvest.at("acme", "Acme", "https://acme.example", now)
        for row in answers.items[0].json():
            harvest.add(server=row["id"], vcpus=4.0, ram_gib=16.0, price_per_hour=row["price"])
        return harvest.done()


class Feed:
    """The list on loopback, with an ETag."""

    def __init__(self, server: HTTPServer) -> None:
        self.rows = [{"id": "a", "price": 0.1}, {"id": "b", "price": 0.2}]
        self.seen: list[Request] = []
        self.etag: str | None = '"v1"'
        server.expect_request(PATH).respond_with_handler(self.answer)

    def answer(self, request: Request) -> Response:
        self.seen.append(request)
        if self.etag and request.headers.get("If-None-Match") == self.etag:
            return Response(status=304)
        headers = {"ETag": self.etag} if self.etag else {}
        return Response(json.dumps(self.rows), headers=headers)


@pytest.fixture
def acme(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> Feed:
    monkeypatch.setattr(Acme, "parsed", 0)
    monkeypatch.setattr(refresh, "provider", lambda _: Acme())
    return Feed(httpserver)


@pytest.fixture
def run(httpserver: HTTPServer, tmp_path: Path, now: datetime) -> Callable[..., Any]:
    store = Store(tmp_path)

    def go(**options: Any) -> Any:
        cache = AnswerCache(tmp_path / "cache")
        with Client(mirror=httpserver.url_for("").rstrip("/"), sleep=lambda _: None, cache=cache) as client:
            report = refresh.refresh(["acme"], store=store, client=client, now=options.pop("now", now), **options)
        return report.outcomes[0]

    return go


def test_not_modified_is_not_read_again_but_dated_anew(
    acme: Feed, run: Callable[..., Any], tmp_path: Path, now: datetime
) -> None:
    assert run().status == "fresh"
    later = now + timedelta(days=2)
    outcome = run(now=later)
    assert (outcome.status, outcome.offers, Acme.parsed) == ("unchanged", 2, 1)
    assert acme.seen[1].headers["If-None-Match"] == '"v1"'
    stored = Store(tmp_path).load("acme")
    assert stored is not None
    assert {o.source_date for o in stored.offers} == {"2026-12-02"}
    assert {o.fetched_at for o in stored.offers} == {later.isoformat(timespec="seconds")}
    assert Store(tmp_path).status()["acme"]["fetched_at"] == later.isoformat(timespec="seconds")


def test_the_same_answer_without_a_version_counts_too(acme: Feed, run: Callable[..., Any]) -> None:
    acme.etag = None
    run()
    assert run().status == "unchanged"
    assert "If-None-Match" not in acme.seen[1].headers


def test_a_change_is_read(acme: Feed, run: Callable[..., Any], tmp_path: Path) -> None:
    run()
    acme.rows[0]["price"], acme.etag = 0.15, '"v2"'
    assert run().status == "fresh"
    stored = Store(tmp_path).load("acme")
    assert stored is not None
    assert {o.price_per_hour for o in stored.offers} == {0.15, 0.2}


def test_what_was_read_long_ago_is_read_again(acme: Feed, run: Callable[..., Any], now: datetime) -> None:
    run()
    assert run(now=now + timedelta(days=6)).status == "unchanged"
    assert run(now=now + timedelta(days=8)).status == "fresh"
    assert Acme.parsed == 2


def test_a_lost_or_torn_price_file_is_written_again(acme: Feed, run: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "prices" / "acme.json"
    run()
    path.unlink()
    assert run().status == "fresh"
    whole = path.read_bytes()
    for torn in (b"torn", whole[:-40], whole.partition(b"\n")[0] + b"\n"):
        path.write_bytes(torn)
        assert run().status == "fresh"
        assert path.read_bytes() == whole
    assert Store(tmp_path).load("acme") is not None


@pytest.mark.parametrize(
    "damage",
    [b"", b"\x1f\x8b\x08", gzip.compress(b"[]\n[1]"), gzip.compress(b'{"size": 9}\nx')],
    ids=["empty", "head only", "list", "wrong size"],
)
def test_a_torn_kept_answer_counts_as_none(acme: Feed, run: Callable[..., Any], tmp_path: Path, damage: bytes) -> None:
    run()
    (kept,) = (tmp_path / "cache" / "acme").glob("*.gz")
    kept.write_bytes(damage)
    assert run().status == "unchanged"
    assert "If-None-Match" not in acme.seen[1].headers


def test_nothing_of_a_request_is_written(acme: Feed, run: Callable[..., Any], tmp_path: Path) -> None:
    run()
    (kept,) = (tmp_path / "cache" / "acme").glob("*.gz")
    head = gzip.decompress(kept.read_bytes()).split(b"\n")[0]
    assert b"example" not in head
    assert "example" not in kept.name


def test_accepting_reads_again(acme: Feed, run: Callable[..., Any]) -> None:
    run()
    assert run(accept={"acme"}).status == "fresh"


def test_an_unchanged_list_of_token_prices_is_dated_anew(httpserver: HTTPServer, tmp_path: Path, now: datetime) -> None:
    payload = (Path(__file__).parent / "payloads" / "openrouter_models.json").read_bytes()
    httpserver.expect_request("/openrouter.ai/api/v1/models").respond_with_data(
        payload, content_type="application/json"
    )
    store = Store(tmp_path)
    with Client(mirror=httpserver.url_for("").rstrip("/"), sleep=lambda _: None) as client:
        first = refresh.refresh(["openrouter"], store=store, client=client, now=now).outcomes[0]
        later = refresh.refresh(["openrouter"], store=store, client=client, now=now + timedelta(days=3)).outcomes[0]
    assert (first.status, later.status, later.offers) == ("fresh", "unchanged", first.offers)
    assert {price.source_date for price in store.tokens() if price.source == "openrouter"} == {"2026-12-03"}


def test_what_was_missing_is_told_again(
    acme: Feed, run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    whole = Acme.parse

    def in_part(self: Acme, answers: Answers, now: datetime) -> Fetched:
        return replace(whole(self, answers, now), missing=(Missing("answered 503", region="eu-1"),))

    monkeypatch.setattr(Acme, "parse", in_part)
    first, second = run(), run()
    assert (first.status, second.status) == ("fresh", "unchanged")
    assert first.missing == second.missing == ("eu-1: answered 503",)
    assert first.servers == second.servers == 2
    report = RefreshReport((second,))
    assert report.as_dict()["in_part"] == ["acme"]
    assert report.conclusion == "1 of 1 fresh (1 in part). Their last good prices stay."


def test_what_a_cache_answered_for_is_not_seen_again(
    acme: Feed, run: Callable[..., Any], tmp_path: Path, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    run()
    monkeypatch.setattr("pricing.answers.Answer.age_s", property(lambda _: 5 * 86400.0))
    assert run(now=now + timedelta(days=6)).status == "unchanged"
    stored = Store(tmp_path).load("acme")
    assert stored is not None
    assert {o.source_date for o in stored.offers} == {"2026-12-01"}
