"""The commands that check an estimate: what they say, quoted so that no name becomes shell."""

from __future__ import annotations

import shlex
from dataclasses import replace

import pytest

from models import catalog
from models.engine_choice import Choice
from models.traffic import Workload
from tui.commands import Layout, check

HOSTILE = "$(touch x); `id` 'a' \"b\" \\ --trust-remote-code\n&& reboot | tee > y *"
ENGINES = {
    "vllm": Choice("vllm_2026", catalog.quant("fp8"), gguf=False),
    "sglang": Choice("sglang", catalog.quant("fp8"), gguf=False),
    "trt": Choice("trt_new", catalog.quant("nvfp4"), gguf=False),
    "vllm-awq": Choice("vllm_2026", catalog.quant("awq"), gguf=False),
    "sglang-gptq": Choice("sglang", catalog.quant("gptq_int4"), gguf=False),
    "gaudi": Choice("habana", catalog.quant("fp8"), gguf=False),
    "llama.cpp": Choice("llama.cpp", catalog.quant("q4_k_m"), gguf=True),
}


def _layout(**changes):
    usual = {"tp": 2, "replicas": 1, "cores": 0, "on_gpu": True, "sequences": 7.6, "requests_per_s": 1.5, "users": 1}
    return Layout(**{**usual, **changes})


def _work(**changes):
    return Workload(model=catalog.llm("Llama-3.1-8B")).changed(**changes)


def _options(words):
    return {word: words[place + 1] for place, word in enumerate(words[:-1]) if word.startswith("-")}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("width", [40, 70, 100_000])
def test_a_shell_reads_the_words_that_were_meant(engine, width):
    work = _work(kv_quant="fp8")
    work = replace(work, model=replace(work.model, name=HOSTILE, hf_id=None))
    for step in check(work, ENGINES[engine], _layout(replicas=2, cores=12)).steps:
        assert tuple(shlex.split(step.line)) == step.words
        # The shell joins continued lines before it looks for words.
        assert tuple(shlex.split("\n".join(step.lines(width)).replace("\\\n", " "))) == step.words
        assert "\n" not in step.line


def test_a_name_is_never_an_option():
    work = _work()
    work = replace(work, model=replace(work.model, name="--host=0.0.0.0", hf_id="--host=0.0.0.0"))
    for engine in ("vllm", "sglang", "gaudi"):
        words = [word for step in check(work, ENGINES[engine], _layout()).steps for word in step.words]
        assert "--host=0.0.0.0" not in words
        assert "./--host=0.0.0.0" in words


def test_vllm_is_started_and_asked_as_the_estimate_assumes():
    found = check(_work(kv_quant="fp8"), ENGINES["vllm"], _layout(replicas=4))
    serve, bench = (step.words for step in found.steps)
    assert serve[:3] == ("vllm", "serve", "meta-llama/Llama-3.1-8B-Instruct")
    options = _options(serve)
    assert options["--tensor-parallel-size"] == "2"
    assert options["--data-parallel-size"] == "4"
    assert options["--quantization"] == "fp8"
    assert options["--kv-cache-dtype"] == "fp8"
    assert int(options["--max-model-len"]) >= 1155 + 211
    asked = _options(bench)
    assert bench[:3] == ("vllm", "bench", "serve")
    assert (asked["--dataset-name"], asked["--random-input-len"], asked["--random-output-len"]) == (
        "random",
        "1155",
        "211",
    )
    assert asked["--request-rate"] == "1.5"
    assert "--ignore-eos" in bench
    assert "--max-concurrency" not in bench
    assert int(asked["--num-prompts"]) >= 100


def test_users_become_a_closed_loop_and_a_cached_share_a_common_prefix():
    work = _work(concurrency=32, prefix_hit=0.4, input_tokens=1000)
    found = check(work, ENGINES["vllm"], _layout(requests_per_s=None, users=16))
    asked = _options(found.steps[1].words)
    assert asked["--max-concurrency"] == "16"
    assert (asked["--random-prefix-len"], asked["--random-input-len"]) == ("400", "600")
    assert "--no-enable-prefix-caching" not in found.steps[0].words


def test_llama_cpp_on_a_cpu_gets_its_cores_and_streams():
    found = check(
        _work(quant="q4_k_m", kv_quant="q8_0"), ENGINES["llama.cpp"], _layout(on_gpu=False, cores=24, sequences=3.4)
    )
    programs = [step.words[0] for step in found.steps]
    assert programs == ["llama-bench", "llama-bench", "llama-batched-bench", "llama-server", "vllm"]
    assert _options(found.steps[0].words)["-t"] == "24"
    assert _options(found.steps[0].words)["-ctk"] == "q8_0"
    assert _options(found.steps[2].words)["-npl"] == "1,3"
    alone = check(_work(quant="q4_k_m"), ENGINES["llama.cpp"], _layout(sequences=0.2))
    assert "llama-batched-bench" not in [step.words[0] for step in alone.steps]


def test_an_engine_without_public_commands_says_so():
    found = check(_work(), Choice("itrex", catalog.quant("q4_k_m"), gguf=False), _layout())
    assert not found.steps
    assert "No public benchmark" in found.notes[0]


STARTS = {"vllm_2026": "vllm", "sglang": "python", "trt_new": "trtllm-serve", "habana": "vllm"}


@pytest.mark.parametrize("engine", STARTS)
@pytest.mark.parametrize(
    "key", ["awq", "gptq_int4", "gptq_int8", "int8", "nvfp4", "autoround_int4", "fp8", "bf16", "fp16"]
)
def test_a_format_that_is_read_from_a_checkpoint_asks_for_one(engine, key):
    found = check(_work(), Choice(engine, catalog.quant(key), gguf=False), _layout())
    at_start = key in {"bf16", "fp16"} or (key == "fp8" and engine != "trt_new")
    lines = [shlex.split(step.line) for step in found.steps]
    used = [word for line in lines[-2:] for word in line if word in {"meta-llama/Llama-3.1-8B-Instruct", "$MODEL"}]
    if at_start:
        assert lines[0][0] == STARTS[engine]
        assert used == ["meta-llama/Llama-3.1-8B-Instruct"] * 2
    else:
        (named,) = lines[0]
        assert named.startswith("MODEL=a")
        assert named.endswith(f"-{key}-checkpoint-of-Llama-3.1-8B-Instruct")
        assert lines[1][0] == STARTS[engine]
        assert used == ["$MODEL"] * 2
        # In double quotes the shell puts the name in, in single ones it would not.
        assert all('"$MODEL"' in step.line for step in found.steps[1:])


def test_a_model_published_in_its_format_is_named_itself():
    work = Workload(model=catalog.llm("gpt-oss-120b"))
    found = check(work, Choice("vllm_2026", catalog.quant("mxfp4"), gguf=False), _layout())
    assert found.steps[0].words[:3] == ("vllm", "serve", "openai/gpt-oss-120b")


def test_a_hostile_name_is_no_variable_and_its_assignment_no_command():
    work = _work()
    work = replace(work, model=replace(work.model, name=HOSTILE, hf_id=None))
    named = check(work, ENGINES["vllm-awq"], _layout()).steps[0]
    assert named.line.startswith("MODEL='")
    assert len(shlex.split(named.line)) == 1
    taken = replace(work, model=replace(work.model, name="$MODEL"))
    assert check(taken, ENGINES["vllm"], _layout()).steps[0].words[2] == "./$MODEL"
    assert "'./$MODEL'" in check(taken, ENGINES["vllm"], _layout()).steps[0].line
