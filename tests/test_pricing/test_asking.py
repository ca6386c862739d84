"""Asking one provider: chains of pages, parts that may fail, several at once, hosts that are not its own."""

from __future__ import annotations

import json
import os
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from werkzeug import Request, Response

from pricing import asking
from pricing.answer_cache import AnswerCache
from pricing.answers import Answers
from pricing.asking import Asker
from pricing.errors import FeedError
from pricing.http import Cancelled, Client
from pricing.provider import About, Missing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_httpserver import HTTPServer

ACME = About(
    "acme", "Acme", "prices", hosts=("api.acme.example",), key_variable="ACME_API_KEY", page="https://acme.example"
)
URL = "https://api.acme.example/v1/plans"
PATH = "/api.acme.example/v1/plans"


@pytest.fixture
def ask(httpserver: HTTPServer) -> Iterator[Asker]:
    with Client(mirror=httpserver.url_for("").rstrip("/"), sleep=lambda _: None) as client:
        yield Asker(ACME, client)


def test_pages_are_followed_by_query(httpserver: HTTPServer, ask: Asker) -> None:
    for page in (1, 2, 3):
        rows = {"rows": [page], "next": page + 1 if page < 3 else None}
        httpserver.expect_request(PATH, query_string={"page": str(page), "size": "500"}).respond_with_json(rows)

    def following(answer: Any) -> dict[str, str] | None:
        number = answer.json()["next"]
        return {"page": str(number), "size": "500"} if number else None

    found = ask.pages("plans", URL, following, params={"page": "1", "size": "500"})
    assert [answer.json()["rows"] for answer in found] == [[1], [2], [3]]
    assert ask.answers.all("plans") == found


def test_pages_are_followed_by_address_on_own_hosts_only(httpserver: HTTPServer, ask: Asker) -> None:
    httpserver.expect_request(PATH).respond_with_json({"next": "https://api.acme.example:443/v1/more?skip=100"})
    httpserver.expect_request("/api.acme.example/v1/more", query_string="skip=100").respond_with_json({"next": None})
    assert len(ask.pages("plans", URL, lambda answer: answer.json()["next"])) == 2


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/v1",
        "https://169.254.169.254/latest/meta-data",
        "https://localhost/x",
        "https://api.acme.example.evil.example/",
        "https://api.acme.example:8443/x",
        "https://user:pass@api.acme.example/x",
        "https://api.acme.example:99999999/x",
        "https://[::1/x",
        "http://api.acme.example/x",
        "file:///etc/passwd",
        "/v1/plans?page=2",
    ],
)
def test_a_next_page_elsewhere_is_refused(httpserver: HTTPServer, ask: Asker, address: str) -> None:
    httpserver.expect_request(PATH).respond_with_json({"next": address})
    with pytest.raises(FeedError) as caught:
        ask.pages("plans", URL, lambda answer: answer.json()["next"])
    assert caught.value.hint or "TLS" in caught.value.message
    assert len(httpserver.log) == 1


def test_a_chain_that_repeats_itself_ends(httpserver: HTTPServer, ask: Asker) -> None:
    httpserver.expect_request(PATH).respond_with_json({"next": URL})
    with pytest.raises(FeedError, match="do not end"):
        ask.pages("plans", URL, lambda answer: answer.json()["next"])
    assert len(httpserver.log) == 1


def test_an_endless_chain_ends(httpserver: HTTPServer, ask: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = iter(range(1, 10**6))
    httpserver.expect_request(PATH).respond_with_handler(lambda _: Response(json.dumps(next(numbers))))
    with pytest.raises(FeedError, match="do not end"):
        ask.pages("plans", URL, lambda answer: {"page": str(answer.json())}, limit=20)
    assert len(httpserver.log) == 20
    assert asking.MAX_PAGES <= 1000


def test_a_part_that_fails_is_noted_and_the_rest_goes_on(httpserver: HTTPServer, ask: Asker) -> None:
    httpserver.expect_request(PATH).respond_with_data("no", status=404)
    found = ask.attempt(Missing("", term="spot", region="eu-1"), lambda: ask.get("spot", URL))
    assert found is None
    (part,) = ask.answers.missing
    assert (part.term, part.region) == ("spot", "eu-1")
    assert "answered 404" in part.reason
    assert not part.reason.startswith("acme")


def test_several_at_once_keep_their_order(httpserver: HTTPServer, ask: Asker) -> None:
    late = threading.Event()

    def answer(request: Request) -> Response:
        if request.args["n"] == "0":
            late.wait(5)  # the first call ends last
        elif request.args["n"] == "9":
            late.set()
        return Response(request.args["n"], status=404 if request.args["n"] == "5" else 200)

    httpserver.expect_request(PATH).respond_with_handler(answer)

    def call(number: int) -> Any:
        missing = Missing("", region=str(number))
        return lambda one: one.attempt(
            missing, lambda: one.get("plans", URL, params={"n": str(number)}, region=str(number))
        )

    found = ask.together([call(number) for number in range(10)])
    assert [answer.region for answer in ask.answers] == [str(number) for number in range(10) if number != 5]
    assert [entry is None for entry in found].index(True) == 5
    assert [part.region for part in ask.answers.missing] == ["5"]


def test_a_failure_among_several_is_raised(httpserver: HTTPServer, ask: Asker) -> None:
    httpserver.expect_request(PATH).respond_with_data("no", status=404)
    with pytest.raises(FeedError, match="404"):
        ask.together([lambda one: one.get("plans", URL)] * 3)


def test_a_large_file_keeps_only_the_lines_asked_for(httpserver: HTTPServer, ask: Asker) -> None:
    data = b"".join(b"%d,%s\n" % (number, b"x" * 1000) for number in range(5000))
    httpserver.expect_request(PATH).respond_with_data(data, content_type="text/csv")
    answer = ask.lines("bulk", URL, lambda line: line.startswith(b"77,"), max_bytes=10_000_000)
    assert answer.body == b"77," + b"x" * 1000
    with pytest.raises(FeedError, match="larger than"):
        ask.lines("bulk", URL, lambda _: False, max_bytes=1_000_000)


def test_a_cancelled_refresh_asks_nothing_more(httpserver: HTTPServer, ask: Asker) -> None:
    ask.client.cancelled.set()
    with pytest.raises(Cancelled):
        ask.get("plans", URL)
    assert not httpserver.log


def test_the_key_is_named_where_it_is_missing(ask: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ACME_API_KEY", raising=False)
    with pytest.raises(FeedError, match="ACME_API_KEY") as caught:
        ask.need_key()
    assert "https://acme.example" in caught.value.hint
    monkeypatch.setenv("ACME_API_KEY", "s3cret\nX-Evil: 1")
    with pytest.raises(FeedError) as caught:
        ask.need_key()
    assert "s3cret" not in str(caught.value)


def test_digests_tell_answers_apart() -> None:
    one = Answers.of("acme", plans=[1], spot="x")
    assert one.digest() == Answers.of("acme", plans=[1], spot=b"x").digest()
    assert one.digest() != Answers.of("acme", plans=[2], spot="x").digest()
    assert one.digest() != Answers.of("acme", plan=[1], spot="x").digest()
    part = Answers.of("acme", plans=[1], spot="x")
    part.missing.append(Missing("down", region="eu-1"))
    assert part.digest() != one.digest()


def test_a_host_that_nobody_answers_at_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    with Client(mirror="http://127.0.0.1:1", sleep=waits.append) as client:
        ask = Asker(ACME, client)
        parts = [ask.attempt(Missing("", region=str(number)), lambda: ask.get("plans", URL)) for number in range(40)]
    assert parts == [None] * 40
    assert len(waits) == client.attempts - 1
    assert {part.reason for part in ask.answers.missing} == {"no connection to 127.0.0.1:1."}


def test_lines_that_were_kept_lately_are_not_asked_for(httpserver: HTTPServer, tmp_path: Path) -> None:
    httpserver.expect_request(PATH).respond_with_data("a,1\nb,2\n", content_type="text/csv")
    week = 7 * 86400.0
    with Client(mirror=httpserver.url_for("").rstrip("/"), cache=AnswerCache(tmp_path)) as client:
        for _ in range(3):
            ask = Asker(ACME, client)
            answer = ask.lines("bulk", URL, lambda line: line.startswith(b"b"), max_bytes=1000, max_age_s=week)
            assert answer.body == b"b,2"
        assert len(httpserver.log) == 1
        assert 0 <= answer.age_s < 60
        (kept,) = (tmp_path / "acme").glob("*.gz")
        os.utime(kept, (time.time() - week - 10,) * 2)
        again = ask.lines("bulk", URL, lambda line: line.startswith(b"b"), max_bytes=1000, max_age_s=week)
        assert (len(httpserver.log), again.age_s) == (2, 0.0)
        fresh = ask.lines("bulk", URL, lambda line: line.startswith(b"b"), max_bytes=1000)
        assert (len(httpserver.log), fresh.age_s) == (3, 0.0)
