"""The fit of llama.cpp on GPUs, on a few rows of its own."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import numpy as np
import pytest

from models.cases import estimate_rows
from models.constants import constants
from models.errors import InputError
from models.fitting.gguf import ABOUT, cases_of, problem, text, write
from models.fitting.least_squares import leave_out, solve
from models.local_score import generation

if TYPE_CHECKING:
    from pathlib import Path

CHIPS = ("L4", "A10G", "L40S", "RTX-3090", "A100-80GB-SXM4", "H100-80GB-PCIe", "Apple-M2-Ultra-76GPU")


def row(hardware: str, metric: str, **more: str) -> dict[str, str]:
    """One row of a measurements file."""
    lengths = {"input_tokens": "512"} if metric == "prompt_tokens_per_s" else {"output_tokens": "128"}
    return {
        "id": "x1",
        "model": "Llama-3.1-8B",
        "quant": "q4_K_M",
        "engine": "llama.cpp",
        "engine_version": "b4753",
        "source_date": "2025-02-20",
        "hardware": hardware,
        "count": "1",
        "concurrency": "1",
        "scenario": "bench",
        "metric": metric,
        "value": "100",
        "repeats": "1",
        "source_group": "here",
        "note": "",
        **lengths,
        **more,
    }


def rows() -> list[dict[str, str]]:
    """Decode and prompt of a few chips, two models, and one LocalScore run."""
    made = [
        row(chip, metric, model=model)
        for chip in CHIPS
        for metric in ("tokens_per_s_per_user", "prompt_tokens_per_s")
        for model in ("Llama-3.1-8B", "Llama-3.2-1B")
    ]
    made.append(row("RTX-3090", "tokens_per_s_per_user", engine="llamafile", output_tokens=""))
    return made


def measured_by(factor: float) -> list[dict[str, str]]:
    """The rows with measured values that are the bundled constants' own figures times a factor."""
    made = rows()
    values = problem(made).predict(constants().gguf) * factor
    return [{**one, "value": str(value)} for one, value in zip(made, values, strict=True)]


def test_a_fit_predicts_what_the_estimator_answers() -> None:
    """llama-bench rows: the figure of the fit is the figure of the cases file."""
    made = rows()[:-1]
    mine = problem(made).predict(constants().gguf)
    answers = estimate_rows(made, pull=False)
    shown = [
        answer["prompt_tokens_per_s"] if one["metric"] == "prompt_tokens_per_s" else answer["output_tokens_per_s"]
        for one, answer in zip(made, answers, strict=True)
    ]
    assert mine == pytest.approx(shown, rel=1e-6)


def test_a_fit_finds_the_speed_of_its_rows() -> None:
    """Rows a tenth slower than the bundled constants say: starting values miss them, the fit does not."""
    made = problem(measured_by(0.9))
    start = np.log(made.predict({c.name: c.start for c in made.constants}) / made.measured)
    left = np.abs(solve(made, rounds=30).residual)
    assert np.median(left) < min(0.04, 0.4 * np.median(np.abs(start)))
    assert np.quantile(left, 0.9) < 0.12


def test_labels_and_leaving_out() -> None:
    """Groups can be left out by chip, model, source, engine and memory class."""
    made = problem(measured_by(1.0))
    assert set(made.labels["metric"]) == {"decode", "prefill"}
    assert set(made.labels["memory"]) == {"gddr", "hbm", "apple"}
    assert "RTX-3090" in set(made.labels["gpu"])
    assert made.weight.mean() == pytest.approx(1.0)
    left = leave_out(solve(made), "gpu")
    assert np.isfinite(left).all()


def test_which_rows_are_taken() -> None:
    """CPUs, vLLM, times to first token and files larger than the card stay out."""
    others = [
        row("EPYC 9354", "tokens_per_s_per_user", cores_used="32"),
        row("L4", "tokens_per_s_per_user", engine="vLLM", quant="bf16"),
        row("L4", "ttft_ms_p50"),
        row("RTX-3090", "tokens_per_s_per_user", model="Llama-3.3-70B"),
        row("nothing of that name", "tokens_per_s_per_user"),
    ]
    assert cases_of(others) == []
    with pytest.raises(InputError, match="no measured rows"):
        solve(problem(others))


def test_generation_of_kernels() -> None:
    """Llamafile keeps the kernels of 2024 whatever its date; llama.cpp goes by date."""
    made = [
        row("L4", "tokens_per_s_per_user", engine="llamafile (LocalScore)"),
        row("L4", "tokens_per_s_per_user", source_date="2024-05-20", engine_version="May 2024"),
        row("L4", "tokens_per_s_per_user"),
    ]
    assert [generation(case) for case in cases_of(made)] == ["llamafile", "llama.cpp-2024", "llama.cpp"]


def test_local_score_is_a_mean_over_lengths() -> None:
    """Longer contexts than a hundred tokens: slower than tg128 of the same engine; Windows and bf16 hosts slower still."""
    common = {"engine": "llamafile", "output_tokens": ""}
    notes = [
        "host AMD Ryzen 5 5500 (znver3), Linux",
        "host AMD Ryzen 5 5500 (znver3), Windows",
        "host EPYC 9354 (znver4), Linux",
    ]
    made = [row("RTX-3090", "tokens_per_s_per_user", engine="llamafile")]
    made += [row("RTX-3090", "tokens_per_s_per_user", note=note, **common) for note in notes]
    bench, linux, windows, host = problem(made).predict(constants().gguf)
    assert bench > linux > windows > host


def test_written_constants_are_read_again(tmp_path: Path) -> None:
    """The file holds value, unit, meaning, rows, hardware and spread of every constant, with source and date."""
    fit = solve(problem(measured_by(1.0)))
    write(fit, "2026-11-30", tmp_path / "gguf.toml")
    data = tomllib.loads((tmp_path / "gguf.toml").read_text(encoding="utf-8"))
    assert data["source_date"] == "2026-11-30"
    assert set(data["gguf"]) == set(ABOUT)
    entry = data["gguf"]["g_em"]
    assert entry["value"] == pytest.approx(fit.values["g_em"], rel=1e-3)
    assert entry["rows"] > 0
    assert entry["hardware"] > 3
    assert 0 < entry["relative_sd"] < 1
    assert text(fit, "2026-11-30").startswith("#")


def test_bundled_constants_are_those_of_the_fit() -> None:
    """No constant of the formulas is missing from the file, none is left over."""
    assert set(constants().gguf) == set(ABOUT)
