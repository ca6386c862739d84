"""A cases file: every row answered or told why not, whatever is in it."""

from __future__ import annotations

import math

import pytest

from models.case_input import engine_class, parse_case
from models.cases import OUTPUT_COLUMNS, RESULT_COLUMNS, estimate_rows


def _one(**row: str) -> dict[str, object]:
    return estimate_rows([row], pull=False)[0]


def _number(row: dict[str, object], name: str) -> float:
    value = row[name]
    assert isinstance(value, int | float), (name, row["error"])
    return float(value)


def test_model_and_hardware_are_enough() -> None:
    """All other columns have defaults; the given columns come back."""
    row = _one(case_id="a", model="Llama-3.1-8B", hardware="H100 SXM 80GB")
    assert not row["error"]
    assert row["case_id"] == "a"
    assert row["fits"] is True
    assert _number(row, "tpot_ms_low") < _number(row, "tpot_ms") < _number(row, "tpot_ms_high")
    assert set(RESULT_COLUMNS) <= set(row)
    assert len(OUTPUT_COLUMNS) == len(set(OUTPUT_COLUMNS))


def test_a_measurements_file_is_a_cases_file() -> None:
    """`id` is the case, `kv_dtype` the cache format."""
    row = _one(
        id="x1",
        model="meta-llama/Llama-3.1-8B-Instruct",
        hardware="L4 24GB",
        quant="fp8",
        kv_dtype="fp8",
        concurrency="8",
    )
    assert row["case_id"] == "x1"
    assert row["kv_bytes_per_token"] == 65_536


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"model": "", "hardware": "L4"}, "model is empty"),
        ({"model": "Llama-3.1-8B", "hardware": ""}, "hardware is empty"),
        ({"model": "No-Such-Model-9000B", "hardware": "L4"}, "Unknown model"),
        ({"model": "Llama-3.1-8B", "hardware": "Quantum-1"}, "Unknown hardware"),
        ({"model": "Llama-3.1-8B", "hardware": "L4", "concurrency": "many"}, "concurrency is 'many', not a number"),
        ({"model": "Llama-3.1-8B", "hardware": "L4", "input_tokens": "-5"}, "must be a number from 0 up"),
        ({"model": "Llama-3.1-8B", "hardware": "L4", "input_tokens": "nan"}, "must be a number from 0 up"),
        ({"model": "Llama-3.1-8B", "hardware": "L4", "quant": "q99"}, "q99"),
        ({"model": "Llama-3.1-8B", "hardware": "L4", "kv_quant": "3bit"}, "kv_quant"),
        ({"model": "Llama-3.1-8B", "hardware": "L4", "scenario": "dance"}, "scenario"),
        ({"model": "Llama-3.1-8B", "hardware": "L4", "scenario": "server"}, "needs request_rate_rps"),
        ({"model": "Llama-3.1-8B", "hardware": "L4", "gpu_memory_utilization": "1.5"}, "gpu_memory_utilization"),
        ({"model": "Llama-3.1-8B", "hardware": "L4", "count": "2.5"}, "whole number"),
        ({"model": "Llama-3.1-8B", "hardware": "L4", "count": "1e9"}, "up to 1,024"),
        ({"model": "Llama-3.1-8B", "hardware": "L4", "count": "2", "tp": "4"}, "more than the 2 GPU"),
        ({"model": "Llama-3.1-8B", "hardware": "L4", "scenario": "online", "request_rate_rps": "2"}, "concurrency"),
    ],
)
def test_a_row_that_cannot_be_answered_says_why(row: dict[str, str], words: str) -> None:
    """And the row after it is answered all the same."""
    bad, good = estimate_rows([row, {"model": "Llama-3.1-8B", "hardware": "L4"}])
    assert words in str(bad["error"])
    assert bad["tpot_ms"] is None
    assert not good["error"]


def test_what_nobody_measured_is_answered_by_a_bound_or_a_class() -> None:
    """A chip without an engine has limits and says so; a CPU nobody lists has its class's figures."""
    chip, processor, cores = estimate_rows(
        [
            {"model": "Llama-3.1-8B", "hardware": "Inferentia2"},
            {"model": "Llama-3.1-8B", "hardware": "Intel Xeon 6999Z", "cores_used": "32"},
            {"model": "Llama-3.1-8B", "hardware": "Neoverse-N9 (64 vCPU)"},
        ]
    )
    assert chip["basis"] == "bound"
    assert "lower bounds" in str(chip["error"])
    assert chip["tpot_ms"]
    assert processor["tpot_ms"]
    assert cores["tpot_ms"]
    assert not processor["error"]


def test_what_does_not_fit_has_memory_and_no_speed() -> None:
    """140 GB of weights on 24: how much is missing is an answer, tokens a second are not."""
    row = _one(model="Llama-3.3-70B", hardware="L4", quant="fp16")
    assert row["fits"] is False
    assert row["weights_gib_per_device"]
    assert row["tpot_ms"] is None


def test_scenarios_measure_what_they_say() -> None:
    """One H100: offline is more than eight users, a rate below capacity is served as it comes."""
    base = {"model": "Llama-3.1-8B", "hardware": "H100-80GB-SXM5", "input_tokens": "1024", "output_tokens": "256"}
    online = _one(**base, scenario="online", concurrency="8")
    offline = _one(**base, scenario="offline")
    server = _one(**base, scenario="server", request_rate_rps="2")
    single = _one(**base, scenario="single_stream", concurrency="50")
    startup = _one(**base, scenario="startup")
    assert _number(offline, "output_tokens_per_s") > 2 * _number(online, "output_tokens_per_s")
    assert _number(server, "output_tokens_per_s") == pytest.approx(512, rel=1e-3)
    assert _number(single, "tpot_ms") < _number(online, "tpot_ms")
    assert startup["tpot_ms"] is None
    assert _number(startup, "kv_pool_gib_per_device") > 40


def test_replicas_share_the_users() -> None:
    """Eight GPUs as eight replicas: each serves an eighth."""
    one = _one(model="Qwen3-8B", hardware="RTX-4090", concurrency="4")
    eight = _one(model="Qwen3-8B", hardware="RTX-4090", count="8", tp="1", concurrency="32")
    assert eight["replicas"] == 8
    assert _number(eight, "tpot_ms") == pytest.approx(_number(one, "tpot_ms"))
    assert _number(eight, "output_tokens_per_s") == pytest.approx(8 * _number(one, "output_tokens_per_s"))


def test_llama_bench_rows_measure_an_empty_context() -> None:
    """Generation without a stated prompt carries no cache."""
    bare = _one(
        model="Llama-2-7B",
        quant="q4_k_m",
        engine="llama.cpp",
        hardware="RTX-3090",
        scenario="bench",
        output_tokens="128",
    )
    deep = _one(
        model="Llama-2-7B",
        quant="q4_k_m",
        engine="llama.cpp",
        hardware="RTX-3090",
        scenario="bench",
        output_tokens="128",
        input_tokens="4096",
    )
    assert _number(bare, "tokens_per_s_user") > 1.2 * _number(deep, "tokens_per_s_user")


@pytest.mark.parametrize(("quant", "measured"), [("Q4_K_M", 28.74), ("Q5_0", 25.44), ("Q6_K", 23.25), ("Q8_0", 19.19)])
def test_n24_a_14b_on_an_epyc(quant: str, measured: float) -> None:
    """Phi-4 on one EPYC 9554, four formats with one set of constants: within 15 %."""
    row = _one(
        model="Phi-4",
        quant=quant,
        hardware="EPYC 9554",
        engine="llama.cpp",
        scenario="bench",
        output_tokens="128",
        cores_used="64",
    )
    assert _number(row, "tokens_per_s_user") == pytest.approx(measured, rel=0.15)


def test_n27_a_32b_on_a_laptop() -> None:
    """Dual-channel DDR5-5600: 3.54 tokens/s within 25 %."""
    row = _one(
        model="Qwen2.5-Coder-32B",
        quant="Q4_K_M",
        hardware="Ryzen AI 9 HX 370",
        engine="llama.cpp",
        scenario="bench",
        output_tokens="128",
    )
    assert _number(row, "tokens_per_s_user") == pytest.approx(3.54, rel=0.25)


def test_n41_four_h100_and_a_70b() -> None:
    """Lengths 2,035/300: 53.9 tokens/s at one stream, 319.8 at eight, within 30 %."""
    for streams, measured in (("1", 53.9), ("8", 319.8)):
        row = _one(
            model="Llama-3.3-70B",
            quant="bf16",
            hardware="H100-80GB-SXM5",
            count="4",
            engine="vLLM",
            engine_version="0.15.0",
            input_tokens="2035",
            output_tokens="300",
            concurrency=streams,
        )
        assert _number(row, "output_tokens_per_s") == pytest.approx(measured, rel=0.3)


@pytest.mark.parametrize(
    ("name", "version", "date", "expected"),
    [
        ("vLLM", "0.6.2", "", "vllm_old"),
        ("vLLM", "0.15.1", "", "vllm_new"),
        ("vLLM", "0.22.1", "", "vllm_2026"),
        ("vLLM", "", "2024-06", "vllm_old"),
        ("vLLM", "", "", "vllm_2026"),
        ("TensorRT-LLM", "0.9.0", "", "trt_old"),
        ("TensorRT-LLM", "1.2.0rc2", "", "trt_new"),
        ("SGLang", "0.5.9", "", "sglang"),
        ("TGI", "2.0.4", "", "vllm_old"),
        ("ik_llama.cpp", "", "", "ik_llama.cpp"),
        ("llamafile (LocalScore)", "", "2025-05", "llama.cpp"),
        ("Optimum-Habana", "", "", "habana"),
    ],
)
def test_engine_classes(name: str, version: str, date: str, expected: str) -> None:
    """Version first, then date, then the current generation of benchmarks."""
    assert engine_class(name, version, date) == expected


def test_odd_cells_do_not_raise() -> None:
    """Rows longer than the header, empty values, text everywhere."""
    row = {None: ["more", "cells"], "model": "Llama-3.1-8B", "hardware": "L4", "note": "=1+1"}
    case = parse_case(row)  # type: ignore[arg-type]
    assert not case.error
    answers = estimate_rows([row])  # type: ignore[list-item]
    assert all(not isinstance(value, float) or math.isfinite(value) for value in answers[0].values())


def test_rows_alone_and_together_have_the_same_memory_and_speed() -> None:
    """Rooms of many cases are computed together by model and planner; each must be what it is alone."""
    rows = [
        {
            "model": model,
            "hardware": hardware,
            "quant": quant,
            "engine": engine,
            "engine_version": version,
            "count": count,
        }
        | more
        for model in ("Llama-3.1-8B", "Qwen3-30B-A3B", "Gemma-3-27B", "DeepSeek-V3", "Qwen3.5-27B")
        for hardware, count in (("H100-80GB-SXM5", "8"), ("L4", "1"), ("AMD EPYC 9354", ""), ("MI300X", "2"))
        for quant, engine, version in (("8bit", "vllm", "0.6"), ("16bit", "sglang", ""), ("q4_k_m", "llama.cpp", ""))
        for more in ({}, {"max_model_len": "40000", "gpu_memory_utilization": "0.8"}, {"usable_vram_gib": "70"})
    ]
    together = estimate_rows(rows)
    for row, answer in zip(rows, together, strict=True):
        (alone,) = estimate_rows([row])
        for name, value in alone.items():
            expected = pytest.approx(value, rel=1e-9) if isinstance(value, float) else value
            assert answer[name] == expected, (row, name)


def _one(**row: str) -> dict[str, object]:
    base = {"model": "Llama-3.1-8B", "quant": "bf16", "engine": "vLLM", "hardware": "L4", "input_tokens": "1024"}
    return estimate_rows([{**base, "output_tokens": "256", **row}], pull=False)[0]


def _figure(row: dict[str, object], name: str) -> float:
    value = row[name]
    assert isinstance(value, float), row["error"]
    return value


def test_a_word_that_is_no_engine_is_refused() -> None:
    """Its figures would be vLLM's."""
    assert "Unknown engine 'exllamav2'" in str(_one(engine="exllamav2")["error"])
    assert not _one(engine="Hugging Face transformers")["error"]


def test_a_name_may_begin_with_the_number_of_cards() -> None:
    """`8x H100 SXM` is eight; a count beside it must agree."""
    eight = _one(hardware="8x H100 SXM", model="Llama-3.1-70B", quant="fp8")
    assert eight == eight | {"tp_used": 8, "fits": True}
    assert "hardware says 8 and count 2" in str(_one(hardware="8x H100 SXM", count="2")["error"])


def test_a_slice_of_a_card_has_its_share() -> None:
    """Half an L4 has half the bandwidth and half the memory."""
    whole, half = (_one(model="Llama-3.2-1B", count=count) for count in ("1", "0.5"))
    assert _figure(half, "tpot_ms") > 1.8 * _figure(whole, "tpot_ms")
    assert _figure(half, "kv_pool_gib_per_device") < 0.5 * _figure(whole, "kv_pool_gib_per_device")


def test_one_stream_keeps_one_replica_or_stage_busy() -> None:
    """Four replicas or pipeline stages give one stream no more than one does."""
    big = {"model": "Llama-3.1-70B", "quant": "fp8", "hardware": "H100-80GB-SXM5", "count": "4", "tp": "1"}
    one, four = (_one(**big, pp="4", concurrency=streams) for streams in ("1", "4"))
    assert _figure(four, "output_tokens_per_s") == pytest.approx(4 * _figure(one, "output_tokens_per_s"), rel=0.01)
    assert _figure(one, "output_tokens_per_s") <= _figure(one, "tokens_per_s_user") * 1.001


def test_throughput_has_no_cliff_beyond_the_room() -> None:
    """One more client than fits changes little."""
    rates = [
        _figure(_one(hardware="A100-80GB-SXM4", concurrency=str(n)), "output_tokens_per_s")
        for n in (255, 256, 257, 260)
    ]
    assert max(rates) / min(rates) < 1.03


def test_without_version_and_date_an_engine_is_of_today() -> None:
    """As in a comparison."""
    assert _one()["engine_used"] == "vllm_2026"


def test_graviton_by_its_number_alone() -> None:
    """Not a generic CPU."""
    llama = {"quant": "q4_k_m", "engine": "llama.cpp", "scenario": "bench"}
    assert _one(**llama, hardware="Graviton4")["tpot_ms"] == _one(**llama, hardware="AWS Graviton4")["tpot_ms"]


def test_llama_cpp_gains_from_several_streams() -> None:
    """Eight streams on an H100 give more than twice the tokens of one, and each is slower."""
    llama = {"quant": "q4_k_m", "engine": "llama.cpp", "scenario": "bench", "hardware": "H100-80GB-SXM5"}
    one, eight = (_one(**llama, concurrency=n) for n in ("1", "8"))
    assert 2 < _figure(eight, "output_tokens_per_s") / _figure(one, "output_tokens_per_s") < 8


def test_a_rate_above_capacity_is_said() -> None:
    """TTFT grows with the length of the test: no upper end, and the reason."""
    calm, flooded = (_one(scenario="server", request_rate_rps=rate) for rate in ("0.1", "100"))
    assert flooded["bound_by"] == "more requests than it answers" != calm["bound_by"]
    assert flooded["ttft_ms_high"] is None
    assert calm["ttft_ms_high"] is not None
    assert _figure(flooded, "requests_per_s") < 10
