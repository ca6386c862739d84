"""The fit of CPUs: rows in, constants out, by the formulas of the estimate."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import numpy as np
import pytest

from models.cases import estimate_rows
from models.constants import constants
from models.fitting.cpu import ABOUT, DEVIATION, describe, problem, text, write
from models.fitting.least_squares import leave_out, solve

if TYPE_CHECKING:
    from pathlib import Path


def _row(**changed: str) -> dict[str, str]:
    return {
        "id": "x1",
        "model": "Llama-3.1-8B",
        "quant": "q4_K_M",
        "engine": "llama.cpp",
        "source_date": "2025-06-01",
        "hardware": "AMD EPYC 9554",
        "count": "1",
        "cores_used": "32",
        "output_tokens": "128",
        "concurrency": "1",
        "scenario": "bench",
        "metric": "tokens_per_s_per_user",
        "value": "40",
        "repeats": "1",
        "source_group": "here",
    } | changed


ROWS = [
    _row(),
    _row(cores_used="8", value="21"),
    _row(hardware="Intel Xeon Platinum 8488C", value="33"),
    _row(metric="prompt_tokens_per_s", input_tokens="512", output_tokens="", value="110"),
    _row(metric="ttft_ms", input_tokens="512", value="5000"),
    _row(engine="vLLM CPU", quant="bf16", metric="tpot_ms", value="90", input_tokens="256"),
    _row(
        engine="vLLM CPU", quant="bf16", metric="output_tokens_per_s", value="60", input_tokens="256", concurrency="16"
    ),
    _row(engine="ik_llama.cpp", model="Qwen3-30B-A3B", value="60"),
    _row(hardware="AWS m7a, AMD EPYC Genoa (96 vCPU)", value="30"),
    _row(metric="output_tokens_per_s", concurrency="8", input_tokens="128", value="150"),
]


def test_a_fit_predicts_what_the_estimate_says() -> None:
    """The same formulas: with the bundled constants the two agree row by row."""
    rows = [row for row in ROWS if row["metric"] != "x"]
    predicted = problem(rows).predict(constants().cpu)
    column = {
        "tokens_per_s_per_user": "tokens_per_s_user",
        "prompt_tokens_per_s": "prompt_tokens_per_s",
        "output_tokens_per_s": "output_tokens_per_s",
        "ttft_ms": "ttft_ms",
        "tpot_ms": "tpot_ms",
    }
    answers = estimate_rows(rows, pull=False)
    expected = [answer[column[row["metric"]]] for answer, row in zip(answers, rows, strict=True)]
    assert predicted == pytest.approx(expected, rel=1e-6)


def test_rows_of_other_hardware_and_suites_are_left_out() -> None:
    """GPUs, unknown models, whole-machine suites and values of nought."""
    others = [
        _row(hardware="H100 SXM"),
        _row(model="no such model"),
        _row(source_group="mlcommons"),
        _row(value="0"),
        _row(metric="startup_s"),
        _row(hardware="Intel Xeon Platinum 8272CL", cores_used=""),
    ]
    assert len(problem([*ROWS, *others]).measured) == len(ROWS)
    assert len(problem([]).measured) == 0


def test_labels_and_weights() -> None:
    """Groups to leave out, and n^-1/2 for rows of one source, CPU and metric."""
    found = problem(ROWS)
    assert set(found.labels) == {"metric", "gpu", "model", "source", "family", "engine", "id"}
    assert found.labels["family"][0] == "zen4"
    assert found.labels["metric"].tolist().count("decode") == 8
    alone = found.labels["metric"].tolist().index("ttft")
    assert found.weight[alone] == 1.0
    assert found.weight[0] == pytest.approx(6**-0.5)


def test_local_score_is_a_mean_over_its_tests() -> None:
    """Nine pairs of lengths: slower than a generation from an empty context."""
    one = _row(engine="llamafile", hardware="AMD Ryzen 9 7950X", cores_used="16")
    score = one | {"engine": "llamafile (LocalScore)", "output_tokens": ""}
    plain, mean = problem([one, score]).predict(constants().cpu)
    assert 0.7 * plain < mean < plain


def test_a_fit_moves_to_the_rows_and_leaving_a_family_out_gives_the_pooled_figure() -> None:
    """Genoa twice as fast as believed: its deviation takes that up, and without its rows nothing of it stays."""
    genoa = [_row(cores_used=str(c), value=str(v)) for c, v in ((4, 40), (8, 60), (16, 75), (32, 90), (64, 95))]
    intel = [
        _row(hardware="Intel Xeon Platinum 8488C", cores_used=str(c), value=str(v)) for c, v in ((8, 12), (48, 35))
    ]
    fit = solve(problem([*genoa, *intel]), rounds=30)
    assert np.median(np.abs(np.expm1(fit.residual[:5]))) < 0.15
    assert fit.values["core_zen4"] * fit.values["b1_amd"] > 1.1 * ABOUT["b1_amd"][0]
    left = leave_out(fit, "family", refit=True)
    assert np.median(left[:5]) < np.median(fit.residual[:5]) - 0.1


def test_the_constants_file(tmp_path: Path) -> None:
    """Value, unit, meaning, rows and spread of everything that a row felt; read back it predicts the same."""
    fit = solve(problem(ROWS), rounds=8)
    path = tmp_path / "cpu.toml"
    write(fit, "2026-11-30", path)
    assert path.read_text(encoding="utf-8") == text(fit, "2026-11-30")
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    assert data["source_date"] == "2026-11-30"
    for entry in data["cpu"].values():
        assert set(entry) == {"value", "unit", "meaning", "rows", "hardware", "relative_sd"}
    values = {name: entry["value"] for name, entry in data["cpu"].items()}
    assert fit.problem.predict(fit.values | values) == pytest.approx(
        np.exp(fit.residual) * fit.problem.measured, rel=0.01
    )


def test_every_constant_has_a_meaning() -> None:
    """Shared ones and deviations, and the bundled file has nothing else."""
    for name in constants().cpu:
        unit, meaning = describe(name)
        assert unit
        assert meaning
    assert all(prefix.endswith("_") for prefix in DEVIATION)
