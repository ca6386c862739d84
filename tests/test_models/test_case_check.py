"""What a question's row may hold: ranges and contradictions, where a published measurement is taken as it is."""

from __future__ import annotations

import pytest

from models.case_input import parse_case

GPU = {"model": "Llama-3.1-8B", "hardware": "H100 SXM", "quant": "fp8", "input_tokens": "512", "output_tokens": "128"}
CPU = GPU | {"hardware": "AMD EPYC 9454P", "quant": ""}


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (GPU | {"concurrency": "4", "request_rate_rps": "2", "scenario": "server"}, "are both given"),
        (GPU | {"concurrency": "0"}, "concurrency is 0; it must be a whole number from 1"),
        (GPU | {"concurrency": "4.5"}, "concurrency is 4.5"),
        (GPU | {"concurrency": "1e300"}, "concurrency is 1e+300"),
        (GPU | {"request_rate_rps": "0"}, "request_rate_rps"),
        (GPU | {"output_tokens": "0"}, "output_tokens is 0, and scenario online has some"),
        (GPU | {"input_tokens": "0"}, "input_tokens is 0, and scenario online has some"),
        (GPU | {"input_tokens": "1e9"}, "input_tokens is 1e+09"),
        (GPU | {"max_model_len": "0"}, "max_model_len is 0"),
        (GPU | {"max_model_len": "600"}, "less than prompt and answer together, 640"),
        (GPU | {"usable_vram_gib": "1e9"}, "usable_vram_gib is 1e+09"),
        (GPU | {"usable_vram_gib": "120"}, "and H100-80GB-SXM5 has 80 GiB"),
        (GPU | {"ep": "8"}, "ep 8 is more than the 1 GPU"),
        (GPU | {"ep": "many"}, "ep is 'many', not a number"),
        (GPU | {"tp": "1.5"}, "tp is 1.5"),
        (GPU | {"sockets": "2"}, "sockets is for CPUs, and H100-80GB-SXM5 is none"),
        (GPU | {"cores_used": "8"}, "cores_used is for CPUs"),
        (CPU | {"sockets": "99"}, "sockets is 99; it must be a whole number from 1 to 16"),
        (CPU | {"cores_used": "1e9"}, "cores_used is 1e+09"),
    ],
)
def test_what_no_question_can_mean_is_said_in_its_row(row: dict[str, str], words: str) -> None:
    assert words in parse_case(row, asked=True).error


@pytest.mark.parametrize("extra", [{}, {"concurrency": "4"}, {"request_rate_rps": "2"}, {"usable_vram_gib": "79.6"}])
def test_usual_questions_pass(extra: dict[str, str]) -> None:
    assert parse_case(GPU | extra, asked=True).error == ""


def test_an_embedding_model_has_no_answer_and_llama_bench_no_prompt() -> None:
    assert parse_case(GPU | {"model": "bge-m3", "quant": "", "output_tokens": "0"}, asked=True).error == ""
    assert parse_case(CPU | {"input_tokens": "0", "scenario": "bench"}, asked=True).error == ""


def test_a_measurement_may_have_the_mean_of_its_users_beside_its_rate() -> None:
    row = GPU | {"concurrency": "4.25", "request_rate_rps": "2", "scenario": "server"}
    assert parse_case(row).error == ""
    assert parse_case(row | {"metric": "tpot_ms"}, asked=True).error == ""


@pytest.mark.parametrize("asked", [True, False])
def test_control_characters_in_a_name_are_refused(asked: bool) -> None:
    assert parse_case(GPU | {"quant": "f\0p8"}, asked=asked).error == "quant holds control characters."
    assert "\x1b" not in parse_case(GPU | {"model": "Llama\x1b[31m"}, asked=asked).error
