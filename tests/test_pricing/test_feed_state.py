"""What is kept of each feed's last refresh, and how a missing network is told from a feed that failed."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

from pricing import refresh
from pricing.feed_state import FeedState
from pricing.refresh_report import Outcome, RefreshReport
from pricing.store import Store

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from pytest_httpserver import HTTPServer

MOMENT = "2026-11-30T12:00:00+00:00"
EARLIER = "2026-11-29T12:00:00+00:00"


def nobody() -> str:
    """An address of this machine at which nobody listens."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{one.getsockname()[1]}"


def test_a_state_comes_back_as_it_was_kept() -> None:
    outcome = Outcome(
        "acme", "failed", 7, "acme: it answered 429.", "Try again in 60 s.", skipped={"no price": 3},
        missing=("acme spot: it answered 500",), unmatched=tuple(f"s{n}" for n in range(50)), servers=60, fetched_at=EARLIER,
        unreachable=True,
    )  # fmt: skip
    state = FeedState.of(outcome, MOMENT)
    assert FeedState.read("acme", {"last": state.text()}) == state
    assert state.message == "it answered 429."  # the list has the feed's name beside it
    assert len(state.unmatched) == 20
    assert "83.3% of the servers" in state.remarks[-1]


@pytest.mark.parametrize(
    "last", ["", "[]", "null", "{", '"text"', '{"skipped": 3}', '{"offers": "many"}', '{"missing": 1}'],
    ids=["none", "list", "null", "torn", "text", "skipped", "offers", "missing"],
)  # fmt: skip
def test_a_broken_state_falls_back_on_the_other_fields(last: str) -> None:
    failed = {"last": last, "fetched_at": EARLIER, "failed_at": MOMENT, "error": "acme: it broke."}
    state = FeedState.read("acme", failed)
    assert (state.status, state.asked_at, state.message, state.fetched_at) == ("failed", MOMENT, "it broke.", EARLIER)
    assert FeedState.read("acme", {"last": last, "fetched_at": EARLIER}).good
    assert not FeedState.read("acme", {"last": last}).status


def test_unknown_fields_of_a_newer_program_are_left_out() -> None:
    state = FeedState.read("acme", {"last": '{"status": "fresh", "offers": 3, "colour": "blue"}'})
    assert (state.status, state.offers) == ("fresh", 3)


def test_a_refresh_keeps_every_outcome(tmp_path: Path, now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACKRATE_MIRROR", nobody())
    monkeypatch.delenv("DIGITALOCEAN_TOKEN", raising=False)
    store = Store(tmp_path)
    report = refresh.refresh(["runpod", "digitalocean"], store=store, timeout_s=2.0, now=now)
    assert [entry.status for entry in report.outcomes] == ["failed", "skipped"]
    states = store.feed_states()
    assert states["runpod"].asked_at == now.isoformat(timespec="seconds")
    assert "no connection" in states["runpod"].message
    assert states["digitalocean"].message.startswith("needs a key in ")
    (tmp_path / "status" / "runpod.json").write_text("{torn", encoding="utf-8")
    assert set(store.feed_states()) == {"digitalocean"}


def test_without_a_network_every_feed_was_out_of_reach(
    tmp_path: Path, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Feeds that ask in parts, and those that need no key, alike."""
    monkeypatch.setenv("RACKRATE_MIRROR", nobody())
    report = refresh.refresh(["runpod", "azure", "ovh", "ecb"], store=Store(tmp_path), timeout_s=2.0, now=now)
    assert all(entry.unreachable for entry in report.outcomes)
    assert report.offline


def test_a_feed_that_answers_badly_is_no_missing_network(
    tmp_path: Path, now: datetime, monkeypatch: pytest.MonkeyPatch, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml").respond_with_data(
        "", status=404
    )
    monkeypatch.setenv("RACKRATE_MIRROR", httpserver.url_for("").rstrip("/"))
    report = refresh.refresh(["ecb"], store=Store(tmp_path), timeout_s=2.0, now=now)
    assert report.outcomes[0].status == "failed"
    assert not report.outcomes[0].unreachable
    assert not report.offline


@pytest.mark.parametrize(
    ("outcomes", "offline"),
    [
        ([Outcome("a", "failed", unreachable=True), Outcome("b", "skipped")], True),
        ([Outcome("a", "failed", unreachable=True), Outcome("b", "failed")], False),
        ([Outcome("a", "failed", unreachable=True), Outcome("b", "fresh")], False),
        ([Outcome("b", "skipped")], False),
        ([], False),
    ],
    ids=["all", "one-answered", "one-fresh", "none-asked", "none"],
)
def test_offline_means_that_all_who_were_asked_were_out_of_reach(outcomes: list[Outcome], *, offline: bool) -> None:
    assert RefreshReport(tuple(outcomes)).offline is offline


def test_how_long_to_wait_is_said(
    tmp_path: Path, now: datetime, monkeypatch: pytest.MonkeyPatch, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml").respond_with_data(
        "", status=429, headers={"Retry-After": "600"}
    )
    monkeypatch.setenv("RACKRATE_MIRROR", httpserver.url_for("").rstrip("/"))
    report = refresh.refresh(["ecb"], store=Store(tmp_path), timeout_s=2.0, now=now)
    assert "answered 429" in report.outcomes[0].message
    assert report.outcomes[0].hint == "It limits how often it is asked; try again in 600 s."
