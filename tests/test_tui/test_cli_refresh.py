"""`rackrate refresh` against a loopback server: report, exit codes, nothing good lost."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from pricing.refresh_report import Outcome, Plan, Step
from pricing.store import Store
from tui.__main__ import main
from tui.cli.refresh import Progress

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_httpserver import HTTPServer

ECB = """<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01"
 xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref"><Cube><Cube time="2026-10-05">
<Cube currency="USD" rate="1.25"/><Cube currency="GBP" rate="0.8"/></Cube></Cube></gesmes:Envelope>"""
PATH = "/www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml"


@pytest.fixture
def mirror(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> HTTPServer:
    """A loopback server that stands for every feed."""
    monkeypatch.setenv("RACKRATE_MIRROR", httpserver.url_for("").rstrip("/"))
    return httpserver


def test_fresh_rates_are_kept_and_reported(mirror: HTTPServer, capsys: pytest.CaptureFixture[str]) -> None:
    mirror.expect_request(PATH).respond_with_data(ECB)
    assert main(["refresh", "ecb"]) == 0
    out, err = capsys.readouterr()
    assert re.search(r"ecb +fresh +2", out)
    assert err == "1 of 1 fresh.\n"
    assert Store().rates().convert(1.0, "EUR", "USD") == 1.25


def test_a_failing_feed_keeps_the_old_ones(mirror: HTTPServer, capsys: pytest.CaptureFixture[str]) -> None:
    mirror.expect_ordered_request(PATH).respond_with_data(ECB)
    assert main(["refresh", "ecb"]) == 0
    mirror.expect_request(PATH).respond_with_data("<html>moved</html>", status=404)
    assert main(["refresh", "ecb"]) == 2
    out, err = capsys.readouterr()
    assert "failed" in out
    assert err.endswith("0 of 1 fresh, 1 failed. Their last good prices stay.\n")
    assert Store().rates().convert(1.0, "EUR", "USD") == 1.25


def test_json_is_the_whole_report(mirror: HTTPServer, capsys: pytest.CaptureFixture[str]) -> None:
    mirror.expect_request(PATH).respond_with_data(ECB)
    mirror.expect_request(re.compile(".*runpod.*")).respond_with_data("no", status=404)
    assert main(["refresh", "ecb", "runpod", "--json"]) == 1
    out, err = capsys.readouterr()
    assert err == ""
    report = json.loads(out)
    assert [(row["provider"], row["status"]) for row in report["providers"]] == [("ecb", "fresh"), ("runpod", "failed")]


def test_max_age_asks_nobody_again(mirror: HTTPServer, capsys: pytest.CaptureFixture[str]) -> None:
    mirror.expect_oneshot_request(PATH).respond_with_data(ECB)
    assert main(["refresh", "ecb"]) == 0
    assert main(["refresh", "ecb", "--max-age", "1"]) == 0
    assert len(mirror.log) == 1
    assert "recent" in capsys.readouterr().out


def test_an_unknown_provider_is_a_question(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["refresh", "runpodd"]) == 2
    assert "Did you mean runpod" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["contabo"], ["ecb", "Contabo"], ["--accept", "contabo"]])
def test_a_provider_without_a_feed_is_no_typing_error(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["refresh", *words]) == 2
    err = capsys.readouterr().err
    assert "ontabo has no feed yet: its prices are the bundled ones. Feeds there are: " in err
    assert "runpod" in err


def test_rates_that_moved_too_far_are_held(mirror: HTTPServer, capsys: pytest.CaptureFixture[str]) -> None:
    mirror.expect_request(PATH).respond_with_data(ECB.replace("1.25", "12.5"))
    assert main(["refresh", "ecb"]) == 2
    out, _ = capsys.readouterr()
    assert "held" in out
    assert Store().rates().per_euro["USD"] == 1.1225
    assert main(["refresh", "ecb", "--accept", "ecb"]) == 0
    assert Store().rates().per_euro["USD"] == 12.5


@pytest.mark.parametrize("mirror", ["http://127.0.0.1:99999", "http://[::1", "localhost:1"])
def test_a_mirror_that_is_no_address_is_told_in_plain_words(
    mirror: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RACKRATE_MIRROR", mirror)
    assert main(["refresh", "ecb", "--json"]) == 2
    message = json.loads(capsys.readouterr().out)["providers"][0]["message"]
    assert message == f"ecb: the mirror {mirror!r} is not an address."


def test_progress_names_who_is_waited_for(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress(live=True) as progress:
        progress("ecb")
        assert "waiting for ecb" in capsys.readouterr().err
    assert capsys.readouterr().err == "\r\x1b[K"


def test_no_progress_where_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress(live=False) as progress:
        progress("ecb")
    assert capsys.readouterr().err == ""


def test_regions_of_nobody_are_told(own_folders: Path, mirror: HTTPServer, capsys: pytest.CaptureFixture[str]) -> None:
    folder = own_folders / "rackrate-config"
    folder.mkdir()
    text = '[regions]\nawss = ["eu-1"]\nhetzner = ["eu"]\naws = ["eu-central-1"]\n'
    (folder / "settings.toml").write_text(text, encoding="utf-8")
    mirror.expect_request(PATH).respond_with_data(ECB)
    assert main(["refresh", "ecb,ecb"]) == 0
    err = capsys.readouterr().err
    assert "regions of 'awss', which has no feed. Did you mean aws?" in err
    assert "regions of hetzner, whose feed always brings all of them" in err
    assert err.count("regions of") == 2


def test_progress_counts_against_the_plan(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress(live=True) as progress:
        progress(Plan(("aws", "ecb", "ovh")))
        progress("ecb")
        progress("aws")
        progress(Step("aws", 3, 12_400_000))
        progress(Outcome("ecb", "fresh"))
        assert "refreshing: 1 of 3 done, waiting for aws (12 MB)" in capsys.readouterr().err
