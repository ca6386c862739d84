"""Refreshing against a real loopback server that answers in the feeds' shape and then misbehaves."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from werkzeug import Request, Response

from models.errors import UnknownNameError
from pricing import refresh
from pricing.errors import FeedError
from pricing.http import Client
from pricing.http import Request as Ask
from pricing.money import make_rates
from pricing.provider import About
from pricing.refresh_report import Outcome, RefreshReport, Step
from pricing.snapshot import load_snapshot
from pricing.store import Store
from pricing.suspicion import rate_suspicion, suspicion

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from pytest_httpserver import HTTPServer

    from pricing.offer import Offer

PAYLOADS = Path(__file__).parent / "payloads"
GPUS = (PAYLOADS / "runpod_gpu_types.json").read_bytes()
CPUS = (PAYLOADS / "runpod_cpu_flavors.json").read_bytes()
RUNPOD = "/api.runpod.io/graphql"
ECB = "/www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml"


class Feeds:
    """RunPod and the ECB on loopback; `faults` are handlers used up before the right answer comes."""

    def __init__(self, server: HTTPServer) -> None:
        self.faults: list[Callable[[Request], Response]] = []
        self.gpus = GPUS
        self.seen: Counter[str] = Counter()
        server.expect_request(RUNPOD, method="POST").respond_with_handler(self.runpod)
        server.expect_request(ECB).respond_with_data((PAYLOADS / "ecb.xml").read_bytes(), content_type="text/xml")

    def runpod(self, request: Request) -> Response:
        query = json.loads(request.data)["query"]
        self.seen["gpu" if "gpuTypes" in query else "cpu"] += 1
        if "gpuTypes" in query and self.faults:
            return self.faults.pop(0)(request)
        return Response(self.gpus if "gpuTypes" in query else CPUS, content_type="application/json")


@pytest.fixture
def feeds(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> Feeds:
    monkeypatch.setenv("RACKRATE_MIRROR", httpserver.url_for("").rstrip("/"))
    return Feeds(httpserver)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


@pytest.fixture
def run(store: Store, now: datetime) -> Callable[..., RefreshReport]:
    def go(*names: str, timeout_s: float = 5.0, **options: Any) -> RefreshReport:
        client = Client.from_environment(timeout_s=timeout_s, sleep=lambda _: None)
        with client:
            return refresh.refresh(
                names or ("runpod",), store=store, client=client, now=options.pop("now", now), **options
            )

    return go


def test_fresh_prices_land_in_the_store_over_the_bundled_ones(
    feeds: Feeds, run: Callable[..., Any], store: Store
) -> None:
    report = run("runpod", "ecb")
    assert (report.exit_code, [o.status for o in report.outcomes]) == (0, ["fresh", "fresh"])
    merged = store.merged(load_snapshot())
    h100 = [o for o in merged if o.provider == "runpod" and o.gpu_model == "H100-80GB-SXM5" and o.term == "on_demand"]
    assert {o.price_per_hour for o in h100 if o.gpu_count == 1} == {3.1, 2.6}
    assert store.rates().date == "2026-11-27"
    assert store.status()["runpod"]["fetched_at"] == "2026-11-30T12:00:00+00:00"


def status(code: int, **headers: str) -> Callable[[Request], Response]:
    return lambda _: Response("busy", status=code, headers=headers)


def body(data: bytes, content_type: str = "application/json") -> Callable[[Request], Response]:
    return lambda _: Response(data, content_type=content_type)


def truncated(_: Request) -> Response:
    # An iterator: werkzeug would mend the length of a plain body.
    return Response(
        iter([GPUS[: len(GPUS) // 2]]), content_type="application/json", headers={"Content-Length": str(len(GPUS))}
    )


@pytest.mark.parametrize(
    "fault", [status(429, **{"Retry-After": "1"}), status(500), status(503)], ids=["429", "500", "503"]
)
def test_a_passing_fault_is_tried_again(feeds: Feeds, run: Callable[..., Any], fault: Any) -> None:
    feeds.faults = [fault, fault]
    assert run().exit_code == 0
    assert feeds.seen["gpu"] == 3


LASTING = {
    "429": (status(429), "answered 429"),
    "500": (status(500), "answered 500"),
    "404": (status(404), "answered 404"),
    "401": (status(401), "refused access"),
    "redirect": (status(302, Location="http://127.0.0.1:1/"), "answered 302"),
    "cut off": (body(GPUS[:200]), "cut off"),
    "connection lost": (truncated, "connection"),
    "html": (body(b"<!DOCTYPE html><html>login</html>"), "web page"),
    "nothing": (body(b""), "empty"),
    "wrong types": (body(GPUS.replace(b'"memoryInGb": ', b'"memoryInGb": "x", "y": ')), "known shape"),
    "no offers": (body(b'{"data": {"gpuTypes": [], "dataCenters": []}}'), "no offers"),
    "nan": (body(GPUS.replace(b"3.1,", b"NaN,", 1)), "not JSON"),
    "deep": (body(b"[" * 100_000), "nested|not JSON"),
    "deeper than any feed": (body(b'{"data":' * 100 + b"1" + b"}" * 100), "nested"),
    "graphql error": (body(b'{"errors": [{"message": "boom"}], "data": null}'), "boom"),
}


@pytest.mark.parametrize("name", list(LASTING))
def test_a_lasting_fault_keeps_the_old_prices_and_the_other_providers(
    feeds: Feeds,
    run: Callable[..., Any],
    store: Store,
    name: str,
) -> None:
    assert run().exit_code == 0
    before = store.load("runpod")
    fault, said = LASTING[name]
    feeds.faults = [fault] * 3
    report = run("runpod", "ecb")
    outcome = report.outcomes[0]
    assert (report.exit_code, report.outcomes[1].status) == (1, "fresh")
    assert outcome.status in {"failed", "held"}
    assert any(word in outcome.message for word in said.split("|")), outcome.message
    assert outcome.hint or name == "404"
    assert store.load("runpod") == before
    assert outcome.message == store.status()["runpod"]["error"]
    assert store.status()["runpod"]["fetched_at"] == "2026-11-30T12:00:00+00:00"


def test_nothing_usable_is_exit_code_2(feeds: Feeds, run: Callable[..., Any]) -> None:
    feeds.faults = [status(500)] * 3
    assert run().exit_code == 2


def test_an_answer_in_drops_ends_at_the_time_limit(feeds: Feeds, run: Callable[..., Any]) -> None:
    stop = threading.Event()

    def drip(_: Request) -> Response:
        def drops() -> Any:
            for at in range(len(GPUS)):
                yield GPUS[at : at + 1]
                if stop.wait(0.02):
                    return

        return Response(drops(), content_type="application/json")

    feeds.faults = [drip] * 3
    started = time.monotonic()
    report = run(timeout_s=0.2)
    stop.set()
    assert report.exit_code == 2
    assert time.monotonic() - started < 5
    assert "slowly" in report.outcomes[0].message


def test_a_huge_answer_is_cut_while_it_streams(feeds: Feeds, store: Store, now: datetime) -> None:
    sent = Counter[str]()

    def huge(_: Request) -> Response:
        def flood() -> Any:
            for _ in range(200):
                sent["kib"] += 64
                yield b" " * 65536

        return Response(flood(), content_type="application/json")

    feeds.faults = [huge]
    with Client.from_environment(timeout_s=5, max_bytes=256 * 1024, sleep=lambda _: None) as client:
        report = refresh.refresh(["runpod"], store=store, client=client, now=now)
    assert "larger than" in report.outcomes[0].message
    assert sent["kib"] < 12_000


def test_a_feed_that_lost_a_third_of_its_rows_is_held_until_accepted(
    feeds: Feeds, run: Callable[..., Any], store: Store
) -> None:
    run()
    before = store.load("runpod")
    answer = json.loads(GPUS)
    answer["data"]["gpuTypes"] = answer["data"]["gpuTypes"][2:4]
    feeds.gpus = json.dumps(answer).encode()
    held = run().outcomes[0]
    assert held.status == "held"
    assert "instead of" in held.message
    assert "--accept runpod" in held.hint
    assert store.load("runpod") == before
    assert run(accept={"runpod"}).outcomes[0].status == "fresh"
    assert store.load("runpod") != before


def test_prices_in_cents_are_held_on_the_very_first_refresh(
    feeds: Feeds, run: Callable[..., Any], store: Store
) -> None:
    feeds.gpus = GPUS.replace(b'"securePrice": 3.1', b'"securePrice": 310').replace(
        b'"communityPrice": 2.6', b'"communityPrice": 260'
    )
    held = run(bundled=load_snapshot).outcomes[0]
    assert held.status == "held"
    assert "H100-80GB-SXM5" in held.message
    assert store.load("runpod") is None


ECB_XML = (PAYLOADS / "ecb.xml").read_bytes()


@pytest.mark.parametrize("stored", [False, True], ids=["bundled rates", "stored rates"])
def test_rates_that_moved_too_far_are_held_until_accepted(
    httpserver: HTTPServer, feeds: Feeds, run: Callable[..., Any], store: Store, stored: bool
) -> None:
    if stored:
        assert run("ecb").exit_code == 0
    before = store.rates()
    httpserver.clear_all_handlers()
    httpserver.expect_request(ECB).respond_with_data(ECB_XML.replace(b"'1.1310'", b"'11.310'"), content_type="text/xml")
    held = run("ecb").outcomes[0]
    assert held.status == "held"
    assert "to 11.31 USD" in held.message
    assert "--accept ecb" in held.hint
    assert store.rates() == before
    assert run("ecb", accept={"ecb"}).outcomes[0].status == "fresh"
    assert store.rates().per_euro["USD"] == 11.31


def test_rates_may_move_less_than_half_either_way(store: Store) -> None:
    known = make_rates({"USD": 1.0, "GBP": 0.9}, "2026-11-01")
    assert rate_suspicion(make_rates({"USD": 1.4, "GBP": 0.7, "JPY": 170.0}, "2026-11-02"), known) == ""
    assert "GBP" in rate_suspicion(make_rates({"USD": 1.0, "GBP": 0.5}, "2026-11-02"), known)
    assert "USD" in rate_suspicion(make_rates({"USD": 1.51, "GBP": 0.9}, "2026-11-02"), known)


def test_a_silent_feed_ends_at_the_time_limit_retries_included(feeds: Feeds, store: Store, now: datetime) -> None:
    stop = threading.Event()

    def silent(_: Request) -> Response:
        stop.wait(20)
        return Response("")

    feeds.faults = [silent] * 3
    started = time.monotonic()
    report = refresh.refresh(["runpod"], store=store, now=now, timeout_s=1.0)
    took = time.monotonic() - started
    stop.set()
    assert report.outcomes[0].status == "failed"
    assert "within 1 s" in report.outcomes[0].message
    assert 0.9 < took < 1.9


def test_an_answer_that_stalls_half_way_ends_at_the_time_limit(feeds: Feeds, store: Store, now: datetime) -> None:
    stop = threading.Event()

    def stalling(_: Request) -> Response:
        def part() -> Any:
            yield GPUS[:100]
            stop.wait(0.7)
            yield GPUS[100:200]
            stop.wait(20)

        return Response(part(), content_type="application/json")

    feeds.faults = [stalling] * 3
    started = time.monotonic()
    report = refresh.refresh(["runpod"], store=store, now=now, timeout_s=1.0)
    took = time.monotonic() - started
    stop.set()
    assert report.outcomes[0].status == "failed"
    assert took < 1.6


def test_young_prices_are_not_asked_for_again(feeds: Feeds, run: Callable[..., Any], now: datetime) -> None:
    run()
    asked = feeds.seen["gpu"]
    report = run(max_age_hours=1)
    assert (report.outcomes[0].status, report.exit_code, feeds.seen["gpu"]) == ("recent", 0, asked)
    assert run(max_age_hours=1, now=now.replace(day=29, month=12)).outcomes[0].status == "fresh"


def test_gpu_prices_are_kept_when_only_cpu_pods_fail(
    feeds: Feeds, run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "CPUS", b"<html>")
    outcome = run().outcomes[0]
    assert outcome.status == "fresh"
    assert any("cpu: the answer is a web page" in part for part in outcome.missing)


def test_progress_names_each_provider_and_then_its_outcome(feeds: Feeds, run: Callable[..., Any]) -> None:
    events: list[Outcome | Step | str] = []
    run("runpod", "ecb", on_progress=events.append)
    assert {event for event in events if isinstance(event, str)} == {"runpod", "ecb"}
    assert {event.provider for event in events if isinstance(event, Outcome)} == {"runpod", "ecb"}
    steps = [event for event in events if isinstance(event, Step) and event.provider == "runpod"]
    assert [step.answers for step in steps] == [1, 2]
    assert steps[1].bytes_read == len(GPUS) + len(CPUS)


def test_a_cancelled_refresh_changes_nothing(feeds: Feeds, run: Callable[..., Any], store: Store) -> None:
    stop = threading.Event()
    stop.set()
    report = run("runpod", "ecb", cancelled=stop)
    assert {o.status for o in report.outcomes} == {"cancelled"}
    assert store.load("runpod") is None


def test_a_bug_in_one_parser_does_not_stop_another(
    feeds: Feeds, run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def bug(*_: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("pricing.providers.runpod.parse_gpus", bug)
    report = run("runpod", "ecb")
    assert [o.status for o in report.outcomes] == ["failed", "fresh"]
    assert "ZeroDivisionError" in report.outcomes[0].message


def test_an_unknown_provider_is_told_before_anything_is_asked(feeds: Feeds, run: Callable[..., Any]) -> None:
    with pytest.raises(UnknownNameError, match="runpod"):
        run("runpd")
    assert not feeds.seen


def test_suspicion_compares_whole_families(make_offer: Callable[..., Offer], store: Store) -> None:
    old = [make_offer(server=f"s{at}", price_per_hour=1.0) for at in range(10)]
    twice = [make_offer(server=f"s{at}", price_per_hour=2.0) for at in range(10)]
    cents = [make_offer(server=f"s{at}", price_per_hour=100.0) for at in range(10)]
    rates = store.rates()
    assert suspicion(twice, old, rates) == ""
    assert "L4 went from 1 to 100" in suspicion(cents, old, rates)
    assert suspicion(old[:7], old, rates) == ""
    assert suspicion(old[:6], old, rates) == "6 offers instead of 10 in what was answered"
    assert suspicion([], old, rates) == "the feed lists no offers"


ACME = About("acme", "Acme", "prices", hosts=("example.org", "prices.example.org", "a.example"))


class TestClient:
    def test_only_tls_without_a_mirror(self) -> None:
        with Client() as client, pytest.raises(FeedError, match="TLS"):
            client.send(Ask(ACME, "GET", "http://example.org/prices"))

    def test_the_mirror_gets_host_path_and_query(self, httpserver: HTTPServer) -> None:
        httpserver.expect_request("/prices.example.org/v1/list", query_string="page=2&secret=s3cret").respond_with_json(
            [1]
        )
        with Client(mirror=httpserver.url_for("").rstrip("/")) as client:
            reply = client.send(Ask(ACME, "GET", "https://prices.example.org/v1/list?page=2&secret=s3cret"))
        assert json.loads(reply.body) == [1]

    def test_a_query_is_never_shown(self, httpserver: HTTPServer) -> None:
        httpserver.expect_request("/prices.example.org/v1").respond_with_data("no", status=404)
        with Client(mirror=httpserver.url_for("").rstrip("/")) as client, pytest.raises(FeedError) as caught:
            client.send(Ask(ACME, "GET", "https://prices.example.org/v1?api_key=s3cret"))
        assert "s3cret" not in str(caught.value)

    @pytest.mark.parametrize(
        ("mirror", "seen"),
        [
            (None, "k3y"),
            ("http://127.0.0.1:8790", "k3y"),
            ("http://[::1]:1", "k3y"),
            ("http://localhost:1", "k3y"),
            ("http://cache.office:80", None),
            ("http://127.0.0.1.evil.example", None),
        ],
    )
    def test_keys_go_to_a_mirror_only_on_this_machine(
        self,
        monkeypatch: pytest.MonkeyPatch,
        mirror: str | None,
        seen: str | None,
    ) -> None:
        monkeypatch.setenv("ACME_API_KEY", "k3y")
        assert Client(mirror=mirror).key("acme", "ACME_API_KEY") == seen

    def test_the_server_decides_how_long_to_wait(self, httpserver: HTTPServer) -> None:
        waits: list[float] = []
        answers = [Response("", 429, {"Retry-After": "7"}), Response("", 503), Response("[]")]
        httpserver.expect_request("/a.example/x").respond_with_handler(lambda _: answers.pop(0))
        with Client(mirror=httpserver.url_for("").rstrip("/"), sleep=waits.append) as client:
            assert client.send(Ask(ACME, "GET", "https://a.example/x")).body == b"[]"
        assert waits[0] == 7.0
        assert 0.5 < waits[1] < 3

    def test_a_long_wait_is_not_waited_for(self, httpserver: HTTPServer) -> None:
        httpserver.expect_request("/a.example/x").respond_with_data("", status=429, headers={"Retry-After": "3600"})
        waits: list[float] = []
        with (
            Client(mirror=httpserver.url_for("").rstrip("/"), sleep=waits.append) as client,
            pytest.raises(FeedError, match="429"),
        ):
            client.send(Ask(ACME, "GET", "https://a.example/x"))
        assert waits == []

    def test_httpx_is_not_loaded_before_the_first_request(self) -> None:
        import subprocess
        import sys

        code = "import sys, pricing.refresh, pricing.market, pricing.compare; print('httpx' in sys.modules)"
        result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert result.stdout.strip() == "False"

    def test_an_html_answer_is_told_apart(self) -> None:
        from pricing.answer import parse_json

        with pytest.raises(FeedError, match="web page"):
            parse_json("x", b"\n <HTML>")


def test_a_folder_that_cannot_be_written_is_told_not_raised(
    feeds: Feeds, run: Callable[..., Any], store: Store
) -> None:
    store.folder.mkdir(parents=True, exist_ok=True)
    store.prices.write_text("a file where the folder should be", encoding="utf-8")
    outcome = run().outcomes[0]
    assert outcome.status == "failed"
    assert "Cannot write" in outcome.message


def test_undated_bundled_prices_hold_nothing_back(feeds: Feeds, run: Callable[..., Any]) -> None:
    def undated() -> list[Offer]:
        return [replace(offer, source_date=None, price_per_hour=0.05) for offer in load_snapshot()]

    assert run(bundled=undated).outcomes[0].status == "fresh"


def test_dated_bundled_prices_do(feeds: Feeds, run: Callable[..., Any]) -> None:
    def dated() -> list[Offer]:
        return [replace(offer, source_date="2026-11-01", price_per_hour=0.05) for offer in load_snapshot()]

    assert run(bundled=dated).outcomes[0].status == "held"
