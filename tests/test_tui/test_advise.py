"""`rackrate advise` from the command line: the verdict, its offers, what changes it, and questions without an answer."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from tui.__main__ import main

FLAGS = ("--model", "llama-3.1-8b", "--rps", "1")


def _json(capsys: pytest.CaptureFixture[str], *flags: str) -> dict[str, Any]:
    assert main(["advise", "--format", "json", *flags]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_the_cheapest_pick_is_that_of_the_comparison(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, *FLAGS)
    cheapest = found["picks"][0]
    assert cheapest["why"] == "cheapest"
    assert cheapest["meets_targets"]
    assert cheapest["server"] in found["sentence"]
    assert (
        main(["compare", "--format", "json", "--sort", "monthly_cost", "--limit", "1", "--where", "targets", *FLAGS])
        == 0
    )
    compared = json.loads(capsys.readouterr().out)
    rows = compared["offers"] if isinstance(compared, dict) else compared
    assert rows[0]["monthly_cost"] == pytest.approx(cheapest["monthly_cost"])


def test_changes_move_the_bill_or_the_kind_and_the_cheapest_comes_first(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, *FLAGS)
    kind = found["picks"][0]["kind"]
    assert found["changes"]
    for change in found["changes"]:
        assert abs(change["bill_ratio"] - 1) >= 0.05 or change["kind"] != kind
    costs = [change["monthly_cost"] for change in found["changes"]]
    assert costs == sorted(costs)


def test_fewer_bits_cost_what_they_cost_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, *FLAGS)
    (more,) = (change for change in found["changes"] if change["change"] == "weights in 16bit")
    again = _json(capsys, *FLAGS, "--quant", "16bit")
    assert again["picks"][0]["offer_id"] == more["offer_id"]
    assert again["picks"][0]["monthly_cost"] == pytest.approx(more["monthly_cost"])


def test_headroom_costs_no_less_and_meets_at_the_slow_end(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, *FLAGS[:2], "--ttft-ms", "1500", "--rps", "5")
    by = {why: pick for pick in found["picks"] for why in [pick["why"]]}
    roomy = by["1.5x headroom"]
    assert roomy["monthly_cost"] >= by["cheapest"]["monthly_cost"] * (1 - 1e-9)
    assert roomy["tpot_ms"] <= 200


def test_impossible_targets_are_an_answer_with_a_way_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", *FLAGS, "--ttft-ms", "1"]) == 0
    text = capsys.readouterr().out
    assert "Nothing meets" in text
    assert "nearest" in text


def test_a_p95_target_is_named_and_has_its_column(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["advise", *FLAGS, "--ttft-at", "p95"]) == 0
    assert "TTFT p95" in capsys.readouterr().out


def test_no_offers_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", *FLAGS, "--no-bundled"]) == 2
    told = capsys.readouterr().err
    assert "no offer" in told
    assert "Traceback" not in told


@pytest.mark.parametrize("form", ["text", "json", "markdown", "csv"])
def test_every_format_says_the_same_offer(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    picked = _json(capsys, *FLAGS)
    where = picked["changes"][0] if form == "csv" else picked["picks"][0]
    assert main(["advise", "--format", form, *FLAGS]) == 0
    assert where["server"] in capsys.readouterr().out.replace("\\", "")


def test_the_verdict_as_csv_has_offers_and_changes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", "--workload", "internal", "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert "cheapest" in rows[0]["why"]
    assert all(row["change"] for row in rows if row["why"] == "if")


def test_peaks_of_the_flags_are_those_of_the_demand() -> None:
    from models.demand import PEAKS
    from tui.cli.advise_flags import fleet

    assert fleet.PEAKS == PEAKS


@pytest.mark.parametrize(
    "flags",
    [
        FLAGS,
        ("--model", "llama-3.1-8b", "--rps", "5"),
        ("--concurrency", "64", "--quant", "fp8"),
        ("--workload", "rag", "--rps", "2"),
    ],
)
def test_headroom_is_what_half_again_the_traffic_takes(
    capsys: pytest.CaptureFixture[str], flags: tuple[str, ...]
) -> None:
    """So many servers carry 1.5 times the traffic even at their estimate, and no fewer are named because the offer is listed already."""
    found = _json(capsys, *flags)
    picks = [pick for pick in found["picks"] if "headroom" in pick["why"]]
    for pick in picks:
        asked = found["workload"]
        users = asked.get("concurrency")
        each = pick["max_concurrency"] if users else pick["requests_per_s_at_target"]
        assert pick["servers_needed"] * each >= 1.5 * (users or asked["requests_per_s"]) * (1 - 1e-6)
    assert picks


def test_more_servers_have_the_speeds_of_less_traffic_each(capsys: pytest.CaptureFixture[str]) -> None:
    """Two servers for the headroom share the request a second: the row is not that of one server with all of it."""
    picks = _json(capsys, *FLAGS)["picks"]
    (roomy,) = (pick for pick in picks if pick["why"] == "1.5x headroom")
    servers = roomy["servers_needed"]
    assert servers > 1
    flags = [
        "--model",
        "llama-3.1-8b",
        "--rps",
        str(1 / servers),
        "--where",
        f'"{roomy["server"]}"',
        "--format",
        "json",
    ]
    assert main(["compare", *flags]) == 0
    (alone,) = (row for row in json.loads(capsys.readouterr().out) if row["offer_id"] == roomy["offer_id"])
    for name in ("ttft_ms", "ttft_ms_high", "tpot_ms", "utilization"):
        assert roomy[name] == pytest.approx(alone[name], rel=1e-6)
