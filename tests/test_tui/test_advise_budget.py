"""`rackrate advise budget`: which models and formats it looks for, which of a shape it names, and one word for a format."""

from __future__ import annotations

import json
from typing import Any

import pytest

from models import catalog
from tui.__main__ import main

INTERNAL = ("--workload", "internal", "--budget", "300", "--provider", "runpod,hetzner,ovh")


def _json(capsys: pytest.CaptureFixture[str], *flags: str) -> dict[str, Any]:
    assert main(["advise", "budget", "--format", "json", *flags]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_a_comma_is_or_and_a_space_is_and(capsys: pytest.CaptureFixture[str]) -> None:
    either = _json(capsys, "--budget", "900", "--models", "gpt-oss,llama-3.3")["models"]
    assert {one["model"] for one in either} == {"gpt-oss-120b", "Llama-3.3-70B"}
    both = _json(capsys, "--budget", "900", "--models", "qwen3 coder")["models"]
    assert both
    assert all("qwen3" in one["model"].lower() and "coder" in one["model"].lower() for one in both)


def test_of_one_shape_the_newest_general_model_is_named_and_the_others_beside_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = {
        one["model"]: one for one in _json(capsys, *INTERNAL, "--models", "llama 70b,qwen3.5,qwen3-next")["models"]
    }
    assert set(found["Llama-3.3-70B"]["alike"]) == {"Llama-3.1-70B", "Llama-3-70B"}
    assert "Qwen3.6-35B-A3B" in found
    # A coder of the shape is newer, but stands for its own use only.
    assert found["Qwen3-Next-80B-A3B"]["alike"] == ["Qwen3-Coder-Next-80B-A3B"]
    for one in found.values():
        for other in one["alike"] or ():
            assert catalog.llm(other).layers == catalog.llm(one["model"]).layers


def test_the_sentence_calls_the_format_what_the_table_calls_it(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, *INTERNAL, "--models", "gpt-oss,llama 70b")
    largest = found["models"][0]
    assert largest["model"] == "gpt-oss-120b"
    assert largest["quant"] == "mxfp4"
    assert "gpt-oss-120b in mxfp4 on" in found["sentences"][0]


@pytest.mark.parametrize(("quant", "formats"), [("4bit", {"4bit"}), ("fp8", {"8bit"})])
def test_a_format_is_kept_to(quant: str, formats: set[str], capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, "--budget", "900", "--models", "qwen3,gpt-oss", "--quant", quant)
    assert found["models"]
    assert {catalog.quant(one["quant"]).bit_class for one in found["models"]} == formats
    assert found["workload"]["quant"] == quant


def test_where_nothing_is_affordable_the_format_is_kept_to_too(capsys: pytest.CaptureFixture[str]) -> None:
    (said,) = _json(capsys, "--budget", "3", "--quant", "16bit", "--models", "gpt-oss,llama-3.3")["sentences"]
    assert said.startswith("No model of gpt-oss or llama-3.3 in 16bit meets")
    assert "Llama-3.3-70B in bf16" in said


def test_the_question_names_no_model_that_is_not_asked_about(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", "budget", *INTERNAL, "--models", "llama-3.3,olmo"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("Models of llama-3.3 or olmo, any weights")
    assert "Llama-3.1-8B" not in told
    assert "model" not in _json(capsys, *INTERNAL, "--models", "olmo")["workload"]


@pytest.mark.parametrize(
    ("flags", "said"), [(("--model", "qwen3-8b"), "--models WORD"), (("--models", "qwen3,no-such"), "no-such")]
)
def test_what_says_nothing_to_it_is_refused(
    flags: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["advise", "budget", *flags]) == 2
    out = capsys.readouterr()
    assert not out.out
    assert said in out.err


def test_a_published_change_says_whether_it_is_for_the_better(capsys: pytest.CaptureFixture[str]) -> None:
    told = [one["loss"] for one in _json(capsys, *INTERNAL)["models"] if one["loss"]]
    assert told
    assert all(text.endswith((" worse", " better")) for text in told)
