"""Published quality of number formats: known formats, figures that agree with each other, a source for each."""

from __future__ import annotations

import csv
import re
from datetime import date
from importlib import resources

import pytest

from models import catalog
from models.quality import loss, measured

TEXT = (resources.files("models") / "data" / "quant_quality.csv").read_text(encoding="utf-8")
ROWS = list(csv.DictReader(TEXT.splitlines()))
CAREFUL = ["q8_0", "q6_k", "q5_k_m", "q4_k_m", "q3_k_m", "q2_k"]


@pytest.mark.parametrize("number", range(len(ROWS)))
def test_every_row_says_what_was_measured_where(number):
    row = ROWS[number]
    assert catalog.quant(row["quant"]).key == row["quant"]
    assert row["metric"] in {"perplexity", "score", "kl_divergence"}
    assert float(row["value"]) > 0
    assert bool(row["baseline"]) == (row["metric"] != "kl_divergence")
    assert row["source_url"].startswith("https://")
    assert date.fromisoformat(row["source_date"]) <= date(2026, 11, 30)
    assert all(row[name].strip() for name in ("model", "tasks", "recipe", "source", "license"))
    assert "\r" not in TEXT


def test_rows_are_unique():
    keys = [(row["quant"], row["metric"], row["model"], row["tasks"], row["recipe"]) for row in ROWS]
    assert len(keys) == len(set(keys))


def test_perplexity_has_one_baseline_and_only_rises():
    """All of one table: the 16-bit model is the same in each row."""
    rows = [one for row in ROWS for one in measured(row["quant"]) if one.metric == "perplexity"]
    assert {round(one.baseline or 0, 4) for one in rows} == {6.2316}
    assert all((one.change or 0) > 0 for one in rows)


def test_perplexity_and_divergence_agree_on_the_order():
    def of(quant: str, metric: str) -> float:
        return next(one.value for one in measured(quant) if one.metric == metric)

    for metric in ("perplexity", "kl_divergence"):
        values = [of(quant, metric) for quant in CAREFUL]
        assert values == sorted(values)


def test_scores_stay_near_their_baseline():
    for row in ROWS:
        if row["metric"] == "score":
            assert 0.9 < float(row["value"]) / float(row["baseline"]) < 1.05


@pytest.mark.parametrize(
    ("quant", "words"),
    [("q8_0", "perplexity +0.04 %"), ("q4_k_m", "perplexity +2.8 %"), ("q2_k", "perplexity +56 %"), ("fp8", "scores -0.5 %"),
     ("int8", "scores +0.3 %"), ("gptq_int4", "scores -1.1 %"), ("nvfp4", "scores -3.3 %")],
)  # fmt: skip
def test_in_words(quant, words):
    found = loss(quant)
    assert found is not None
    assert found.words == words


@pytest.mark.parametrize(
    ("quant", "words"),
    [("q4_k_m", "perplexity 2.8 % worse"), ("fp8", "scores 0.5 % worse"), ("int8", "scores 0.3 % better")],
)  # fmt: skip
def test_a_score_goes_up_for_the_better_and_a_perplexity_for_the_worse(quant, words):
    found = loss(quant)
    assert found is not None
    assert found.judged == words


def test_what_nobody_measured_is_none():
    assert loss("mxfp4") is None
    assert loss("iq4_kt") is None
    assert all(re.fullmatch(r"[a-z0-9_]+", row["quant"]) for row in ROWS)
