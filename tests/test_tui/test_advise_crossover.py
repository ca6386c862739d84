"""`rackrate advise crossover` beside the verdict and the comparison: one traffic, one answer, at the ends of the error bands too."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tui.__main__ import main

INTERNAL = ("--workload", "internal", "--quant", "4bit")


def _json(capsys: pytest.CaptureFixture[str], *flags: str) -> dict[str, Any]:
    assert main(["advise", *flags, "--format", "json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize("rps", ["0.001", "0.004", "0.009"])
def test_verdict_and_crossover_agree_at_the_ends_of_the_bands(capsys: pytest.CaptureFixture[str], rps: str) -> None:
    """Below the first crossing of slow CPUs the answer stands; where there is none, it flips at any traffic."""
    found = _json(capsys, "crossover", *INTERNAL)
    slow_cpus = found["first_crossing_cpu_slow_gpu_fast"]
    said = _json(capsys, *INTERNAL, "--rps", rps)
    assert said["code"] == "cpu_enough"
    flips = any("flips" in one and "CPUs as slow" in one for one in said["holds_inside_error_bands"])
    assert flips == (slow_cpus is None or float(rps) > slow_cpus)


def test_whole_users_on_both_sides_of_a_crossing(capsys: pytest.CaptureFixture[str]) -> None:
    """One user is the CPU's, two are the GPU's: the comparison says so, and the sentence and the JSON with it."""
    found = _json(capsys, "crossover", *INTERNAL, "--concurrency", "4")
    at = found["changes"][1]["from"]
    assert float(at).is_integer()
    assert f"up to {int(at) - 1:,} user" in found["sentences"][0]
    assert f"from {int(at):,} user" in found["sentences"][0]
    for users, kind in ((int(at) - 1, "cpu"), (int(at), "gpu")):
        pick = _json(capsys, *INTERNAL, "--concurrency", str(users))["picks"][0]
        assert pick["kind"] == kind


def test_steps_left_out_of_the_table_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", "crossover", *INTERNAL, "--format", "markdown"]) == 0
    text = capsys.readouterr().out
    shown = sum(line.startswith(("| CPU", "| GPU")) for line in text.splitlines())
    steps = len(_json(capsys, "crossover", *INTERNAL)["steps"])
    assert f"{steps - shown} steps more" in text


@pytest.mark.parametrize("topic", ["crossover", "bottlenecks", "fleet"])
def test_filters_that_leave_nothing_are_the_reason(capsys: pytest.CaptureFixture[str], topic: str) -> None:
    """Nobody tried whether an offer meets the targets: none was left."""
    assert main(["advise", topic, "--max-usd-month", "0.01"]) == 0
    said = capsys.readouterr().out
    assert "No offer is left by the filters" in said
    assert "meets the targets" not in said
