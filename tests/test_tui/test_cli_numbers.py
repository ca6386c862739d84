"""Numbers of filters and assertions as every flag reads them, and the question in words where a model writes nothing."""

from __future__ import annotations

import csv
import io
import json

import pytest

from models import catalog
from models.traffic import Workload
from pricing.terms import CompareOptions
from pricing.where import compile_where, limit_of, terms_of
from tui.__main__ import main
from tui.cli.question import question


@pytest.mark.parametrize(
    ("term", "limit"),
    [
        ("monthly_cost<1e9", 1e9), ("monthly_cost<1_000", 1000.0), ("monthly_cost<1,000", 1000.0),
        ("monthly_cost<1.5e+2", 150.0), ("tok>1e3k", 1e6), ("ttft<1s", 1000.0), ("ttft<1e0s", 1000.0),
    ],
)  # fmt: skip
def test_a_number_is_read_as_flags_read_it(term: str, limit: float) -> None:
    found = limit_of(term)
    assert found is not None
    assert found[2] == limit
    compile_where(term)


def test_a_unit_may_stand_behind_it() -> None:
    assert terms_of("ttft < 1e0 s cpu") == ["ttft<1e0s", "cpu"]


def test_an_assertion_takes_it_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "--limit", "1", "--format", "csv", "--assert", "monthly_cost < 1e9"]) == 0
    assert len(list(csv.DictReader(io.StringIO(capsys.readouterr().out)))) == 1


def test_the_question_of_an_embedding_model_has_no_answer_in_it() -> None:
    said = question(Workload(model=catalog.llm("bge-m3")), CompareOptions())
    assert "1,155 tokens a document" in said
    for word in ("->", "TPOT", "KV"):
        assert word not in said


def test_its_verdict_has_no_time_between_tokens(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", "--model", "bge-m3", "--format", "json"]) == 0
    assert "TPOT unknown" not in json.loads(capsys.readouterr().out)["sentence"]
