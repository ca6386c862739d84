"""Scoring against measurements: arithmetic of the score itself, on rows made for it."""

from __future__ import annotations

import pytest

from models.accuracy import score
from models.cases import estimate_rows
from models.errors import InputError

ROW = {
    "model": "Llama-3.1-8B",
    "hardware": "H100-80GB-SXM5",
    "quant": "bf16",
    "engine": "vLLM",
    "input_tokens": "1024",
    "output_tokens": "256",
    "concurrency": "8",
    "scenario": "online",
    "metric": "tpot_ms",
    "use": "fit",
}


def _predicted() -> float:
    value = estimate_rows([ROW])[0]["tpot_ms"]
    assert isinstance(value, float)
    return value


def test_error_and_bias_of_known_rows() -> None:
    """Measured at, above and far above the prediction: 0 %, 20 % and 50 % error."""
    rows = [ROW | {"value": str(_predicted() * factor)} for factor in (1.0, 1.25, 2.0)]
    (found,) = score(rows, by=["metric"])
    assert found["rows"] == found["answered"] == 3
    assert found["median_error_pct"] == pytest.approx(20, abs=0.1)
    assert found["bias"] == pytest.approx(0.8, abs=0.001)
    assert found["inside_band_pct"] == pytest.approx(66.7, abs=0.1)


def test_one_chip_of_many_rows_does_not_drown_another() -> None:
    """The macro median weighs chips, not rows."""
    good = [ROW | {"value": str(_predicted())}] * 9
    other = ROW | {"hardware": "L4", "value": "1000000"}
    found = score([*good, other], by=["metric"])[0]
    assert found["median_error_pct"] == 0
    assert found["macro_median_error_pct"] == pytest.approx(50, abs=0.1)


def test_rows_marked_otherwise_and_unknown_metrics_are_left_out() -> None:
    """Excluded rows, and metrics that nothing answers."""
    rows = [
        ROW | {"value": "10"},
        ROW | {"value": "10", "use": "excluded"},
        ROW | {"value": "10", "metric": "ttft_ms_p99"},
    ]
    assert score(rows, by=["metric"])[0]["rows"] == 1


def test_an_unanswered_row_is_counted() -> None:
    """Rows and answers are told apart."""
    rows = [ROW | {"value": "10"}, ROW | {"value": "10", "model": "No-Such-Model"}]
    found = score(rows, by=["metric"])[0]
    assert (found["rows"], found["answered"]) == (2, 1)


def test_a_cases_file_is_not_a_measurements_file() -> None:
    """One sentence says so; an unknown group too."""
    with pytest.raises(InputError, match="no metric and value"):
        score([{"model": "Llama-3.1-8B", "hardware": "L4"}])
    with pytest.raises(InputError, match="not a group"):
        score([ROW | {"value": "1"}], by=["colour"])
