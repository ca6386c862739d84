"""`rackrate advise fleet` and `advise crossover` from the command line: the answer and its arithmetic, and what contradicts itself."""

from __future__ import annotations

import csv
import io
import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from tui.__main__ import main

if TYPE_CHECKING:
    from pathlib import Path

DAY = "1,1,1,1,1,2,4,8,12,15,15,14,14,15,15,14,12,10,8,6,4,3,2,1"
ONE_A_SECOND = "timestamp,input_tokens,output_tokens\n" + "".join(
    f"{second},{500 + second % 2},100\n" for second in range(600)
)


def _json(capsys: pytest.CaptureFixture[str], topic: str, *flags: str) -> dict[str, Any]:
    assert main(["advise", topic, "--format", "json", *flags]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def _csv(capsys: pytest.CaptureFixture[str], topic: str, *flags: str) -> list[dict[str, str]]:
    assert main(["advise", topic, "--format", "csv", *flags]) == 0
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


def test_a_days_fleets_cost_what_the_least_plan_costs(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, "fleet", "--day", DAY)
    assert found["demand"]["mean_requests_per_s"] == pytest.approx(sum(map(float, DAY.split(","))) / 24)
    assert found["demand"]["peak_requests_per_s"] == 15
    assert len(found["fleets"]) > 3
    costs = [fleet["monthly_cost"] for fleet in found["fleets"]]
    assert costs == sorted(costs)
    for fleet in found["fleets"]:
        plans = [fleet[f"{name}_monthly_cost"] for name in ("always_on", "by_hour", "base_and_peak")]
        assert fleet["monthly_cost"] == pytest.approx(min(cost for cost in plans if cost is not None))
        assert fleet["servers_at_mean"] <= fleet["servers_at_peak"]


def test_the_steady_fleet_is_the_comparisons_cheapest(capsys: pytest.CaptureFixture[str]) -> None:
    fleet = _json(capsys, "fleet", "--rps", "5", "--term", "on_demand")["fleets"][0]
    assert main(["compare", "--rps", "5", "--term", "on_demand", "--format", "csv", "--sort", "monthly_cost"]) == 0
    first = next(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert fleet["monthly_cost"] == pytest.approx(float(first["monthly_cost"]))
    assert fleet["servers_at_peak"] == float(first["servers_needed"])


def test_a_spare_server_and_less_utilization_never_cost_less(capsys: pytest.CaptureFixture[str]) -> None:
    costs = [
        _json(capsys, "fleet", "--day", DAY, *more)["fleets"][0]["monthly_cost"]
        for more in ((), ("--utilization", "0.7"), ("--utilization", "0.7", "--spare", "2"))
    ]
    assert costs == sorted(costs)
    assert costs[0] < costs[-1]


def test_a_commitment_is_said_with_its_months_and_beside_it_what_needs_none(capsys: pytest.CaptureFixture[str]) -> None:
    """A base is reserved only while the terms are not chosen."""
    bound = _json(capsys, "fleet", "--day", DAY, "--provider", "aws")
    assert "months committed" in bound["sentences"][0]
    assert any(sentence.startswith("Without a commitment the cheapest is") for sentence in bound["sentences"])
    free = _json(capsys, "fleet", "--day", DAY, "--provider", "aws", "--term", "on_demand")
    assert not any("commit" in sentence for sentence in free["sentences"])
    assert free["fleets"][0]["monthly_cost"] > bound["fleets"][0]["monthly_cost"]
    assert all(fleet["base_term"] is None for fleet in free["fleets"])


def test_a_spot_server_is_not_called_by_another_term(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, "fleet", "--day", DAY, "--term", "spot")
    assert "(spot)" in found["sentences"][0]
    assert "on demand" not in " ".join(found["sentences"])


def _plans(capsys: pytest.CaptureFixture[str], *flags: str) -> tuple[str, list[str]]:
    """(all that is printed, the lines of the plans)."""
    assert main(["advise", "fleet", *flags]) == 0
    said = capsys.readouterr().out
    lines = said[said.index("Ways to pay for") :].split("\n\n", maxsplit=1)[0].splitlines()[2:]
    return said, [line.strip() for line in lines if line.rstrip()[-1:].isdigit()]


def test_every_plan_says_how_its_servers_are_paid(capsys: pytest.CaptureFixture[str]) -> None:
    _, plans = _plans(capsys, "--day", DAY, "--provider", "aws")
    assert all("reserved" in line for line in plans if not line.startswith("started"))
    _, plans = _plans(capsys, "--day", DAY, "--term", "spot")
    assert plans
    assert all("(spot)" in line for line in plans)


def test_what_is_not_billed_by_the_hour_is_not_stopped_for_one(capsys: pytest.CaptureFixture[str]) -> None:
    said, plans = _plans(capsys, "--day", DAY, "--provider", "hetzner")
    assert not any("hour" in line for line in plans)
    assert "begun hours" not in said
    _, plans = _plans(capsys, "--rps", "1")
    assert not any(line.startswith("base of 0") for line in plans)


def test_spot_servers_come_with_a_warning_and_what_needs_none(capsys: pytest.CaptureFixture[str]) -> None:
    found = " ".join(_json(capsys, "fleet", "--day", DAY, "--term", "all", "--provider", "nebius")["sentences"])
    assert "(spot)" in found
    assert "taken away at short notice" in found
    assert "Without spot the cheapest is" in found
    lasting = " ".join(_json(capsys, "fleet", "--day", DAY)["sentences"])
    assert "taken away" not in lasting


def test_one_is_singular(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "".join(f"{hour * 3600},500,100\n" for hour in range(25))
    (tmp_path / "trace.csv").write_text("timestamp,input_tokens,output_tokens\n" + rows)
    assert main(["advise", "fleet", "--trace", str(tmp_path / "trace.csv")]) == 0
    assert "a trace of 1 day, hour by hour" in capsys.readouterr().out
    assert main(["advise", "crossover", "--concurrency", "1"]) == 0
    assert "1 users" not in capsys.readouterr().out


def test_what_is_used_is_counted_of_what_servers_can_not_of_what_is_planned(capsys: pytest.CaptureFixture[str]) -> None:
    """Ten servers planned at half their rate are used half as much as five that are not."""
    flags = ("advise", "fleet", "--rps", "200", "--kind", "gpu", "--provider", "runpod", "--format", "text")
    used = []
    for share in ("1", "0.5"):
        assert main([*flags, "--utilization", share]) == 0
        line = next(one for one in capsys.readouterr().out.splitlines() if one.lstrip().startswith("always on, for"))
        used.append(int(line.split(" %")[0].split()[-1]))
    assert used[0] > 80
    assert used[1] <= 50


def test_a_trace_gives_traffic_and_lengths(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "trace.csv").write_text(ONE_A_SECOND)
    found = _json(capsys, "fleet", "--trace", str(tmp_path / "trace.csv"))
    assert found["demand"]["mean_requests_per_s"] == pytest.approx(600 / 599)
    assert (found["trace"]["requests"], found["trace"]["input_mean"]) == (600, 500.5)
    assert found["workload"]["output_tokens"] == 100
    ninety = _json(capsys, "fleet", "--trace", str(tmp_path / "trace.csv"), "--size-by", "p90")
    assert ninety["workload"]["input_tokens"] == 501


def test_a_traces_tail_holds_its_long_prompts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One prompt of ten is ten times as long: 95 of 100 cannot wait less than such a prompt takes alone."""
    rows = "".join(f"{second},{4000 if second % 10 == 0 else 400},100\n" for second in range(600))
    (tmp_path / "trace.csv").write_text("timestamp,input_tokens,output_tokens\n" + rows)
    fleet = _json(capsys, "fleet", "--trace", str(tmp_path / "trace.csv"))["fleets"][0]
    flags = (
        "--input-tokens",
        "4000",
        "--output-tokens",
        "100",
        "--rps",
        "0.001",
        "--ttft-ms",
        "60000",
        "--format",
        "csv",
    )
    assert main(["compare", *flags]) == 0
    alone = {row["offer_id"]: row["ttft_ms"] for row in csv.DictReader(io.StringIO(capsys.readouterr().out))}
    assert fleet["ttft_p95_ms"] >= float(alone[fleet["offer_id"]]) * 0.999


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--rps", "5", "--peak", "1"), "below the mean"),
        (("--day", "1,2"), "24 hours"),
        (("--day", DAY, "--rps", "3"), "exclude each other"),
        (("--day", DAY, "--peak", "3"), "below the busiest hour"),
        (("--day", ",".join(["0"] * 24)), "above 0"),
        (("--concurrency", "5"), "not for users"),
        (("--trace", "TRACE", "--rps", "3"), "exclude each other"),
        (("--trace", "TRACE", "--day", DAY), "exclude each other"),
        (("--trace", "TRACE", "--peak", "3"), "exclude each other"),
        (("--trace", "TRACE", "--input-tokens", "3"), "contradict"),
        (("--trace", "nothing.csv"), "does not exist"),
        (("--trace", "/dev/zero"), "not a regular file"),
        (("--size-by", "p90"), "there is no --trace"),
        (("--peak-of", "hour"), "there is no --trace"),
        (("--spare", "-1"), "whole number"),
    ],
)
def test_what_contradicts_itself_is_one_sentence(
    flags: tuple[str, ...], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "trace.csv").write_text(ONE_A_SECOND)
    said = [str(tmp_path / "trace.csv") if flag == "TRACE" else flag for flag in flags]
    assert main(["advise", "fleet", *said]) == 2
    written = capsys.readouterr()
    assert written.out == ""
    assert words in written.err
    assert written.err.count("\n") == 1


def test_a_marketplaces_machine_is_there_once(capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody can rent sixteen of one host: it may be picked alone, and no fleet is made of it."""
    fleets = _json(capsys, "fleet", "--rps", "40", "--peak", "200", "--spare", "2", "--workload", "rag")["fleets"]
    assert fleets
    assert not [fleet for fleet in fleets if fleet["provider"] == "lium" and fleet["servers_at_peak"] > 1]
    steps = _csv(capsys, "crossover", "--workload", "rag")
    assert not [step for step in steps if step["provider"] == "lium" and float(step["servers"]) > 1]
    assert main(["advise", "fleet", "--rps", "200", "--workload", "rag", "--provider", "lium"]) == 0
    assert "No fleet of" in capsys.readouterr().out


def test_more_than_any_fleet_carries_is_an_answer(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, "fleet", "--rps", "1000000")
    assert found["sentences"][0].startswith("No fleet of 50 servers or fewer carries")
    assert found["fleets"] == []


def test_the_crossover_as_steps(capsys: pytest.CaptureFixture[str]) -> None:
    """Each kind's steps follow each other without a gap and rise; the API's month is its price times the traffic."""
    steps = _csv(capsys, "crossover", "--workload", "internal")
    assert {step["kind"] for step in steps} == {"CPU", "GPU"}
    for kind in ("CPU", "GPU"):
        own = [step for step in steps if step["kind"] == kind]
        assert float(own[0]["traffic_from"]) == 0
        for before, step in pairwise(own):
            assert step["traffic_from"] == before["traffic_up_to"]
            assert float(step["monthly_cost"]) > float(before["monthly_cost"])
    first, last = steps[0], steps[-1]
    ratio = float(last["api_median_monthly_cost"]) / float(last["traffic_up_to"])
    assert float(first["api_median_monthly_cost"]) / float(first["traffic_up_to"]) == pytest.approx(ratio, rel=1e-6)


def test_below_and_above_the_crossing_the_comparison_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, "crossover", "--workload", "internal")
    at = found["changes"][1]["from"]
    low, high = found["first_crossing_cpu_slow_gpu_fast"], found["first_crossing_cpu_fast_gpu_slow"]
    assert low is None or low <= at
    assert high is None or high >= at
    for rps, expected in ((at * (1 - 1e-6), "cpu"), (at * (1 + 1e-6), "gpu")):
        flags = ("--workload", "internal", "--rps", f"{rps:.12g}", "--format", "csv", "--sort", "monthly_cost")
        assert main(["compare", *flags]) == 0
        rows = csv.DictReader(io.StringIO(capsys.readouterr().out))
        first = next(row for row in rows if row["availability"] != "out_of_stock")
        assert first["kind"] == expected == found["changes"][int(rps > at)]["cheaper"]


def test_users_have_no_api_and_whole_steps(capsys: pytest.CaptureFixture[str]) -> None:
    steps = _csv(capsys, "crossover", "--workload", "internal", "--concurrency", "5")
    assert all(step["unit"] == "users" and step["api_median_monthly_cost"] == "" for step in steps)
    assert all(float(step["traffic_up_to"]).is_integer() for step in steps)
