"""CLAIMS.md says what the program computes today, and its judgements follow from the figures."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import models
from tui.__main__ import main

if TYPE_CHECKING:
    from types import ModuleType

SCRIPT = Path(models.__file__).parents[1] / "scripts" / "claims.py"


@pytest.fixture(scope="module")
def claims() -> ModuleType:
    """The script that writes the page."""
    spec = importlib.util.spec_from_file_location("claims", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["claims"] = module
    spec.loader.exec_module(module)
    return module


def test_the_page_is_as_the_program_would_write_it(claims: ModuleType) -> None:
    assert claims.PAGE.read_text(encoding="utf-8") == claims.page(), "run `make docs`"


def test_every_claim_has_a_judgement_and_figures(claims: ModuleType) -> None:
    for number, claim in enumerate(claims.CLAIMS, 1):
        lines = claim()
        assert lines[0].startswith(f"## {number}. “")
        assert lines[2].startswith("**")
        assert any(line.startswith("| ") and any(char.isdigit() for char in line) for line in lines)
        assert "nan" not in " ".join(lines).lower().split()


def test_sizes_by_hand(claims: ModuleType) -> None:
    # Parameters of the catalog times two bytes.
    assert claims.stored("Llama-2-7B", "fp16") == pytest.approx(6_738_417_664 * 2)
    assert claims.stored("Llama-3.3-70B", "fp16") == pytest.approx(141.1e9, rel=0.001)


def test_speeds_behind_the_judgements(claims: ModuleType) -> None:
    """Reading an 8B model: the median CPU is in the articles' 1 to 5 or above, and no CPU of the list is within chat's TTFT."""
    chat = claims.ask("Llama-3.1-8B", "4bit", input_tokens=1155)
    waits = chat.column("ttft_ms")[claims.held(chat, gpu=False)]
    assert waits.min() > 2000
    large = claims.ask("Llama-3.3-70B", "8bit")
    speeds = large.column("tokens_per_s_user")
    assert speeds[claims.held(large, gpu=False)].max() < speeds[claims.held(large, gpu=True)].max() / 5


def test_rows_of_checks_add_up_to_the_offers_with_those_left_out(claims: ModuleType) -> None:
    lines = claims.hidden()
    work = claims.ask("Llama-3.3-70B", "4bit", concurrency=4)
    places = np.flatnonzero(claims.held(work, gpu=True))
    left_out = claims.not_looked_at(work, places)
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ") and not line.startswith("| check")]
    assert len(rows) > 6
    for name, *counts in (row[:5] for row in rows):
        counted = sum(int(count.replace(",", "")) for count in counts)
        assert counted + left_out.get(name, (0, ""))[0] == len(places), name
        assert counted == len(places) or f"“{name}” {left_out[name][0]:,} " in " ".join(lines)


def test_the_volume_is_the_crossovers(
    claims: ModuleType, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RACKRATE_TODAY", claims.SNAPSHOT_DATE)
    asked = [
        "--input-tokens",
        "512",
        "--output-tokens",
        "256",
        "--ttft-ms",
        "10000",
        "--tpot-ms",
        "200",
        "--quant",
        "8bit",
    ]
    assert main(["advise", "crossover", "--rps", "1", *asked, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    text = " ".join(claims.volume())
    assert f"the cheapest API at {found['own_against_cheapest_api'][0]:.3g} requests/s" in text
    assert f"the median API from {found['own_against_median_api'][0]:.3g} requests/s" in text


def test_sections_of_the_readme_that_are_named_are_there(claims: ModuleType) -> None:
    readme = (SCRIPT.parents[1] / "README.md").read_text(encoding="utf-8")
    (named,) = re.findall(r"in the README under “(.*?)”", claims.HEAD)
    assert f"## {named}\n" in readme


@pytest.mark.parametrize(
    ("value", "text"), [(0.0123, "0.012"), (0.001, "0.001"), (12.34, "12"), (1234.0, "1,230"), (float("nan"), "–")]
)
def test_figures_are_short(claims: ModuleType, value: float, text: str) -> None:
    assert claims.short(value) == text
