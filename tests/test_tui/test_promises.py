"""What the dashboard promises is shown by a named test or a picture; `promises.csv` says which."""

from __future__ import annotations

import csv
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tui import shots

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def promises() -> list[tuple[str, list[str]]]:
    with (HERE / "promises.csv").open(encoding="utf-8", newline="") as file:
        return [(row["promise"], row["shown by"].split()) for row in csv.DictReader(file)]


@pytest.mark.parametrize(("promise", "shown"), promises(), ids=[promise for promise, _ in promises()])
def test_each_promise_is_shown_by_what_exists(promise: str, shown: list[str]) -> None:
    assert shown
    pictures = {shot.name for shot in shots.SHOTS}
    for name in shown:
        file, _, test = name.partition("::")
        if test:
            source = (HERE / f"{file}.py").read_text(encoding="utf-8")
            assert re.search(rf"^(async )?def {re.escape(test)}\b", source, re.MULTILINE), f"{promise}: no {name}"
        else:
            assert file in pictures, f"{promise}: no picture {name}"


def test_every_picture_is_there_at_every_size() -> None:
    made = {path.stem for path in (ROOT / "screenshots").glob("*.svg")}
    wanted = {f"{shot.name}-{width}x{height}" for shot in shots.SHOTS for width, height in shot.sizes}
    assert made == wanted
    assert {path.stem for path in (ROOT / "screenshots").glob("*.png")} == wanted


def test_states_are_pictured_at_the_three_sizes() -> None:
    for shot in shots.SHOTS:
        assert shot.name == "tiny" or set(shot.sizes) >= set(shots.SIZES)


def test_the_readme_says_that_nothing_moves_by_itself() -> None:
    assert "nothing on the screen moves by itself" in README


def test_the_readme_names_the_terminal_for_windows() -> None:
    assert "Windows Terminal" in README


def test_on_a_pipe_it_is_the_comparison_as_csv() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tui"], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )
    rows = list(csv.DictReader(done.stdout.splitlines()))
    assert done.returncode == 0
    assert len(rows) > 1000
    assert {"offer_id", "ttft_ms", "cost_per_m_output_tokens"} <= set(rows[0])


async def test_the_arrow_stands_on_the_active_column_only(dashboard) -> None:
    async with dashboard() as app:
        for key in ("1", "2", "greater_than_sign"):
            await app.press(key)
            header = next(line for line in app.screen_text() if "Server" in line[:12])
            assert sum(header.count(arrow) for arrow in "↑↓") == 1


async def test_a_dashboard_asks_nobody_by_itself(dashboard, monkeypatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(socket.socket, "connect", lambda _self, address: asked.append(address))
    monkeypatch.setattr(socket.socket, "bind", lambda _self, address: asked.append(address))
    async with dashboard() as app:
        await app.press("p", "enter", "escape", "f", "m", "escape", "F", "escape")
    assert asked == []
