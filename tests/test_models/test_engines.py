"""The engine catalog: what runs where, in which formats, and what a refusal says."""

from __future__ import annotations

import pytest

from models import catalog
from models.engine_choice import choose_cpu, choose_gpu, default_engine
from models.engine_limits import UTILIZATION, max_sequences, planner_of, sglang_reserve_gib, vllm_version
from models.gpu_speed import ENGINES

LLAMA = catalog.llm("Llama-3.1-8B")
OSS = catalog.llm("gpt-oss-20b")


def test_engines_name_formats_and_constants_that_exist() -> None:
    """Every kernel row speaks of a known format; every class of constants is one of the speed form's."""
    for one in catalog.engines():
        assert one.constants is None or one.constants in ENGINES
        for row in one.support:
            assert all(catalog.quant(form).key == form for form in row.formats), one.key
        for row in one.kv_formats:
            assert all(catalog.kv_quant(form).key == form for form in row.formats), one.key
        starts = [tuple(int(part) for part in v.start.lstrip("b").split(".")) for v in one.versions]
        assert starts == sorted(starts)


def test_what_serves_has_kernels_listed() -> None:
    """An engine with speeds on GPUs says in which formats, and takes what the planner takes."""
    for one in catalog.engines():
        if one.constants and one.key != "lmdeploy":
            assert one.support
            assert one.memory_utilization == UTILIZATION[one.constants]


@pytest.mark.parametrize(
    ("chip", "key"),
    [
        ("H100-80GB-SXM5", "vllm"),
        ("T4", "vllm"),
        ("V100-16GB-SXM2", "llama.cpp"),
        ("RX-7900-XTX", "vllm"),
        ("Radeon-780M", "llama.cpp"),
        ("Radeon-8060S", "llama.cpp"),
        ("Apple-M4-Max-40GPU", "llama.cpp"),
        ("Gaudi3", "habana"),
        ("Arc-Pro-B70", "vllm"),
        ("MI355X", "vllm"),
    ],
)
def test_auto_means_one_engine_per_chip(chip: str, key: str) -> None:
    """The native engine, llama.cpp for old, small and shared-memory parts."""
    assert default_engine(catalog.chip(chip)) == key


@pytest.mark.parametrize(
    ("engine", "quant", "chip", "says"),
    [
        ("sglang", "4bit", "T4", "SGLang needs compute capability 8, T4 has 7.5; vLLM runs there"),
        ("trt-llm", "8bit", "MI300X", "TensorRT-LLM does not run on AMD chips; vLLM does"),
        ("atom", "8bit", "MI355X", "ATOM has no measured figures on GPUs; vLLM has"),
        ("vllm", "16bit", "Radeon-8060S", "vLLM does not run on Radeon-8060S; llama.cpp does"),
        ("habana", "8bit", "Arc-Pro-B70", "vLLM on Gaudi does not run on Arc-Pro-B70; vLLM does"),
        ("trt-llm", "fp8", "A100-80GB-SXM4", "fp8 has no kernels in TensorRT-LLM on A100-80GB-SXM4; the nearest format that has is int8"),
        ("auto", "fp8", "T4", "fp8 has no kernels in vLLM on T4; the nearest format that has is int8"),
        ("auto", "nf4", "MI300X", "nf4 has no kernels in vLLM on MI300X; the nearest format that has is awq"),
        ("sglang", "q4_k_m", "L4", "q4_k_m is a llama.cpp format; SGLang does not read it, llama.cpp does"),
        ("llama.cpp", "awq", "L4", "awq does not run in llama.cpp; the nearest is q4_k_m"),
    ],
)  # fmt: skip
def test_a_refusal_names_what_runs(engine: str, quant: str, chip: str, says: str) -> None:
    """The engine or the format to take instead."""
    found = choose_gpu(LLAMA, quant, engine, catalog.chip(chip))
    assert found.quant is None
    assert found.reason == says


def test_gpt_oss_goes_where_its_format_runs() -> None:
    """No mxfp4 kernels on a T4: llama.cpp has them; on an A100 Marlin has; on Gaudi only 16 bits are left."""
    assert choose_gpu(OSS, "4bit", "auto", catalog.chip("T4")).engine == "llama.cpp"
    assert choose_gpu(OSS, "4bit", "auto", catalog.chip("A100-80GB-SXM4")).engine_name == "vLLM"
    assert choose_gpu(OSS, "4bit", "vllm", catalog.chip("T4")).reason.endswith("is bf16")


def test_borrowed_constants_keep_the_engines_name() -> None:
    """LMDeploy and TGI run on their relatives' constants, under their own names; Volta runs LMDeploy alone."""
    assert choose_gpu(LLAMA, "4bit", "lmdeploy", catalog.chip("V100-16GB-SXM2")).engine_name == "LMDeploy (TurboMind)"
    found = choose_gpu(LLAMA, "16bit", "tgi", catalog.chip("L4"))
    assert (found.engine, found.engine_name) == ("vllm_old", "Text Generation Inference")


def test_cpu_engines() -> None:
    """Engines with rates of their own keep them; a GPU engine names one that runs."""
    assert choose_cpu(LLAMA, "4bit", "ik_llama.cpp").engine == "ik_llama.cpp"
    assert choose_cpu(LLAMA, "16bit", "sglang-cpu").engine_name == "SGLang on CPU"
    assert choose_cpu(LLAMA, "awq", "vllm").reason == "awq is not measured in vLLM on CPUs; 16bit is"
    assert choose_cpu(LLAMA, "4bit", "sglang").reason == "SGLang does not run on CPUs; llama.cpp does"


@pytest.mark.parametrize(
    ("text", "engine", "release"),
    [
        ("0.19.0", "", (0, 19, 0)),
        ("v0.5.4.post1", "", (0, 5, 4)),
        ("0.8.5 V0", "", (0, 7)),
        ("0.21-0.22", "", (0, 21)),
        ("nightly 2026-06-01", "", (0, 22)),
        ("2025-11", "", (0, 8)),
        ("", "vllm_new", (0, 12)),
        ("PR branch", "", (0, 22)),
    ],
)
def test_versions_as_logs_write_them(text: str, engine: str, release: tuple[int, ...]) -> None:
    """A number, a date, or what the class of constants stands for."""
    assert vllm_version(text, engine) == release


def test_version_classes_differ_where_the_engine_did() -> None:
    """Whole prompts before 0.8, the lean sampler from 0.17, graphs from 0.21, 0.92 from 0.22."""
    planners = {
        version: planner_of("vllm", version) for version in ("0.5.3", "0.6", "0.16", "0.17", "0.20", "0.21", "0.22")
    }
    assert planners["0.5.3"].at_context(131_072).step_tokens == 131_072
    assert planners["0.6"].at_context(131_072).step_tokens == 512
    assert planners["0.6"].at_context(20_000).step_tokens == 20_000
    assert planners["0.16"].logit_bytes > 2 * planners["0.17"].logit_bytes
    assert not planners["0.20"].graphs_inside
    assert planners["0.21"].graphs_inside
    assert (planners["0.21"].utilization, planners["0.22"].utilization) == (0.90, 0.92)


def test_sglang_reserves_by_card_size() -> None:
    """13 GiB of an H100, 26 of a B200, 4 of an L4: shares of 0.84, 0.86 and 0.84."""
    assert sglang_reserve_gib(80, 1) == pytest.approx(13.1, abs=0.1)
    assert sglang_reserve_gib(180, 8) == pytest.approx(26.5, abs=0.1)
    assert sglang_reserve_gib(24, 1) == pytest.approx(3.7, abs=0.1)


def test_sequences_by_card() -> None:
    """256, 1,024 on large cards, not on an A100."""
    assert max_sequences("vllm_2026", 24, "L4") == max_sequences("vllm_2026", 80, "A100-80GB-SXM4") == 256
    assert max_sequences("vllm_2026", 80, "H100-80GB-SXM5") == 1024


@pytest.mark.parametrize(
    ("name", "isa"),
    [
        ("Intel Xeon 6999Z (future)", "avx2"),
        ("AMD EPYC 9999X 256-core", "avx2"),
        ("Neoverse-N9 (64 vCPU)", "neon"),
        ("AWS Graviton9", "neon"),
        ("RTX 7090", None),
        ("Apple M9 Max 64-Core GPU", None),
    ],
)
def test_an_unknown_cpu_is_told_from_an_unknown_card(name: str, isa: str | None) -> None:
    """The class of x86 or Arm CPUs can answer for a CPU nobody lists; nothing answers for a GPU."""
    found = catalog.unknown_cpu(name)
    assert (found.isa_class if found else None) == isa
