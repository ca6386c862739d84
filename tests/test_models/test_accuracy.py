"""Scoring against measurements: arithmetic of the score itself, on rows made for it."""

from __future__ import annotations

import pytest

from models.accuracy import METRICS, SCORE_COLUMNS, score
from models.accuracy_errors import weighted_median
from models.accuracy_facts import LOADS, MODEL_KINDS, load_of, model_kind
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
    value = estimate_rows([ROW], pull=False)[0]["tpot_ms"]
    assert isinstance(value, float)
    return value


def test_error_and_bias_of_known_rows() -> None:
    """Measured at, above and far above the prediction: 0 %, 9 % and 50 % error."""
    rows = [ROW | {"value": str(_predicted() * factor)} for factor in (1.0, 1.1, 2.0)]
    (found,) = score(rows, by=["metric"])
    assert found["rows"] == found["answered"] == 3
    assert found["median_error_pct"] == pytest.approx(9.1, abs=0.1)
    assert found["bias"] == pytest.approx(1 / 1.1, abs=0.001)
    answer = estimate_rows([ROW], pull=False)[0]
    low, high = (float(str(answer[f"tpot_ms_{end}"])) for end in ("low", "high"))
    inside = sum(low <= float(row["value"]) <= high for row in rows)
    assert 1 <= inside <= 2
    assert found["inside_band_pct"] == pytest.approx(100 * inside / 3, abs=0.1)


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


def test_rows_that_no_fit_sees_stand_apart() -> None:
    """p95 rows marked check: a line of their own, not in the last line, nor in groups that blend metrics."""
    tail = ROW | {"metric": "ttft_ms_p95", "value": "10", "use": "check"}
    rows = [ROW | {"value": "10"}, tail, tail, ROW | {"value": "10", "use": "check"}]
    found = {line["metric"]: line["rows"] for line in score(rows, by=["metric"])}
    assert found == {ROW["metric"]: 1, "ttft_ms_p95": 2, "all": 1}
    assert score(rows, by=["class"])[0]["rows"] == 1
    assert [line["rows"] for line in score([tail, tail], by=["metric"])] == [2]


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


def test_repeats_of_one_configuration_count_once() -> None:
    """Nine rows that repeat one configuration weigh as much as one row of another."""
    repeated = [ROW | {"value": str(_predicted() / 1.1), "repeats": "9"}] * 9
    once = [ROW | {"value": str(_predicted() / factor), "concurrency": "8"} for factor in (1.5, 1.6)]
    (found,) = score([*repeated, *once], by=["metric"])
    assert found["rows"] == 11
    assert found["median_error_pct"] == pytest.approx(50, abs=0.1)
    assert found["mean_error_pct"] == pytest.approx((10 + 50 + 60) / 3, abs=0.1)


def test_one_model_of_many_rows_does_not_drown_another() -> None:
    """The same over models as over chips; spellings of one name are one."""
    spelt = ("Llama-3.1-8B", "meta-llama/Llama-3.1-8B-Instruct")
    good = [ROW | {"value": str(_predicted()), "model": name} for name in spelt * 4]
    other = ROW | {"model": "Qwen2.5-7B", "value": "1000000"}
    found = score([*good, other], by=["metric"])[0]
    assert (found["chips"], found["models"]) == (1, 2)
    assert found["macro_median_models_error_pct"] == pytest.approx(50, abs=0.1)


def test_every_figure_has_a_band_and_its_width() -> None:
    """A value at the estimate is inside; one far off is not; rates have the band of the time they follow from."""
    for metric, column in METRICS.items():
        scenario = {"prompt_tokens_per_s": "static", "ttft_ms_p95": "server"}.get(metric, "online")
        row = ROW | {"metric": metric, "scenario": scenario, "request_rate_rps": "2" if scenario == "server" else ""}
        value = estimate_rows([row], pull=False)[0][column]
        assert isinstance(value, float)
        inside, outside = ({**row, "value": str(value * factor)} for factor in (1.0, 30.0))
        assert score([inside], by=["metric"])[0]["inside_band_pct"] == 100, metric
        assert score([outside], by=["metric"])[0]["inside_band_pct"] == 0, metric
        width = score([inside], by=["metric"])[0]["band_width"]
        assert isinstance(width, float)
        assert 1 < width < 20, metric


def test_ratios_of_another_fit_take_the_estimates_place() -> None:
    """As given; rows without one are not answered, and the band moves along."""
    rows = [ROW | {"value": str(_predicted())}] * 3
    (found,) = score(rows, by=["metric"], ratios=[1.5, 1.5, None])
    assert (found["rows"], found["answered"]) == (3, 2)
    assert found["median_error_pct"] == 50
    assert found["bias"] == 1.5
    (near,) = score(rows, by=["metric"], ratios=[1.0, 1.0, 1.0])
    assert near["inside_band_pct"] == 100


def test_a_value_that_is_no_number_is_no_answer() -> None:
    """Counted, never a crash."""
    for wrong in ({"value": "fast"}, {"value": "-3"}, {"value": "0"}, {"value": "nan"}):
        found = score([ROW | wrong], by=["metric"])[0]
        assert (found["rows"], found["answered"]) == (1, 0)
    assert score([ROW | {"value": "10", "repeats": "often"}], by=["metric"])[0]["answered"] == 1


@pytest.mark.parametrize(
    ("changed", "load"),
    [
        ({"concurrency": ""}, "single"),
        ({"concurrency": "1"}, "single"),
        ({"concurrency": "8"}, "low"),
        ({"concurrency": "64"}, "medium"),
        ({"concurrency": "65"}, "high"),
        ({"concurrency": "", "scenario": "offline"}, "high"),
        ({"scenario": "single_stream"}, "single"),
        ({"scenario": "server", "request_rate_rps": "0.1", "concurrency": ""}, "open loop below capacity"),
        ({"scenario": "server", "request_rate_rps": "5000", "concurrency": ""}, "open loop above capacity"),
    ],
)
def test_loads(changed: dict[str, str], load: str) -> None:
    """By users at once, or by whether the server keeps up."""
    row = ROW | changed
    assert load_of(row, estimate_rows([row])[0]) == load
    assert load in LOADS


def test_kinds_of_models() -> None:
    """By what the layers are."""
    names = ("Llama-3.1-8B", "Mixtral-8x7B", "DeepSeek-V3", "Qwen3-Next-80B-A3B", "bge-m3")
    assert tuple(model_kind(name) for name in names) == MODEL_KINDS
    assert model_kind("No-Such-Model") == "unknown"


def test_weighted_median() -> None:
    """The middle of the weight, between two values where it falls there."""
    assert weighted_median([]) is None
    assert weighted_median([(3.0, 1.0), (1.0, 1.0), (2.0, 1.0)]) == 2
    assert weighted_median([(1.0, 1.0), (2.0, 1.0)]) == 1.5
    assert weighted_median([(1.0, 1 / 3)] * 3 + [(5.0, 1.0)]) == 3
    assert weighted_median([(1.0, 1.0), (9.0, 3.0)]) == 9
    assert tuple(score([ROW | {"value": "10"}], by=["metric"])[0]) == ("metric", *SCORE_COLUMNS)
