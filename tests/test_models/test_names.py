"""Names as people, providers and benchmarks write them."""

from __future__ import annotations

import pytest

from models import catalog
from models.errors import UnknownNameError
from models.names import cpu_sockets, instance_families, normalise


@pytest.mark.parametrize(
    "spelling",
    [
        "Llama-3.1-8B",
        "llama 3.1 8b instruct",
        "meta-llama/Llama-3.1-8B-Instruct",
        "LLAMA_3.1_8B",
        "llama3.1:8b",
        "hugging-quants/Meta-Llama-3.1-8B-Instruct-AWQ-INT4",
        "bartowski/Meta-Llama-3.1-8B-Instruct-GGUF",
        "Llama-3.1-8B-Instruct-FP8",
        "Llama-3.1-8B-Instruct-Q4_K_M",
    ],
)
def test_model_spellings(spelling: str) -> None:
    assert catalog.llm(spelling).name == "Llama-3.1-8B"


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("Llama-3-8B", "Llama-3-8B"),
        ("Qwen2.5-7B", "Qwen2.5-7B"),
        ("Qwen3-30B-A3B-GPTQ-Int4", "Qwen3-30B-A3B"),
        ("deepseek-ai/DeepSeek-R1", "DeepSeek-R1"),
        ("openai/gpt-oss-120b", "gpt-oss-120b"),
        ("DeepSeek-V3 671B", "DeepSeek-V3"),
    ],
)
def test_models_that_look_alike(spelling: str, name: str) -> None:
    assert catalog.llm(spelling).name == name


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("RTX 5070", "RTX-5070"),
        ("RTX 5070 Laptop", "RTX-5070-Laptop"),
        ("NVIDIA GeForce RTX 4090", "RTX-4090"),
        ("H100 PCIe", "H100-80GB-PCIe"),
        ("H100 SXM", "H100-80GB-SXM5"),
        ("H100 NVL", "H100-94GB-NVL"),
        ("NVIDIA H100 80GB HBM3", "H100-80GB-SXM5"),
        ("H200 SXM", "H200-141GB-SXM"),
        ("NVIDIA A100-SXM4-80GB", "A100-80GB-SXM4"),
        ("A100 80GB PCIe", "A100-80GB-PCIe"),
        ("A100 PCIe 40GB", "A100-40GB-PCIe"),
        ("8x H100 SXM", "H100-80GB-SXM5"),
        ("L4", "L4"),
        ("NVIDIA L40", "L40"),
        ("L40S", "L40S"),
        ("AMD Instinct MI300X", "MI300X"),
        ("Gaudi3 128GB", "Gaudi3"),
        ("Tesla P100-SXM2-16GB", "P100-16GB-SXM2"),
        ("nvidia tesla t4", "T4"),
    ],
)
def test_chip_spellings(spelling: str, name: str) -> None:
    assert catalog.chip(spelling).name == name


@pytest.mark.parametrize(
    ("name", "memory", "link", "key"),
    [
        ("A100", 80, "SXM4", "A100-80GB-SXM4"),
        ("A100", 40, "pcie", "A100-40GB-PCIe"),
        ("A100", 79.3, "NVLink", "A100-80GB-SXM4"),
        ("A100", 80, "NVLink3 bridge", "A100-80GB-PCIe"),
        ("NVIDIA V100", 32, None, "V100-32GB-SXM2"),
        ("H100", 94, None, "H100-94GB-NVL"),
        ("H100", 80, None, "H100-80GB-SXM5"),
        ("H100", None, "PCIe", "H100-80GB-PCIe"),
        ("NVIDIA RTX 3060", 8, None, "RTX-3060-8GB"),
    ],
)
def test_memory_and_link_decide(name: str, memory: float | None, link: str | None, key: str) -> None:
    assert catalog.chip(name, memory_gib=memory, link=link).name == key


@pytest.mark.parametrize(
    ("name", "memory", "link"),
    [
        ("A100", None, None),
        ("A100", 80, None),
        ("A100", None, "sxm"),
        ("H100", None, None),
    ],
)
def test_ambiguous_chip_lists_its_candidates(name: str, memory: float | None, link: str | None) -> None:
    assert catalog.find_chip(name, memory_gib=memory, link=link) is None
    with pytest.raises(UnknownNameError) as caught:
        catalog.chip(name, memory_gib=memory, link=link)
    assert len(caught.value.nearest) > 1
    assert all(candidate.startswith(name) for candidate in caught.value.nearest)


@pytest.mark.parametrize(
    "name", ["RTX 507", "RTX 5070 Ti Super", "H10", "L40 SXM", "L4 80GB", "RTX 4090 SXM", "A100 30GB", "B2000", ""]
)
def test_no_chip_by_part_or_against_its_own_size(name: str) -> None:
    assert catalog.find_chip(name) is None


def test_unknown_names_offer_the_three_nearest() -> None:
    with pytest.raises(UnknownNameError) as caught:
        catalog.llm("Lama-3.1-8b")
    assert caught.value.nearest[0] == "Llama-3.1-8B"
    assert len(caught.value.nearest) == 3
    assert "Did you mean Llama-3.1-8B" in str(caught.value)
    for find in (
        catalog.chip,
        catalog.cpu,
        catalog.quant,
        catalog.kv_quant,
        catalog.engine,
        catalog.preset,
        catalog.hardware,
    ):
        with pytest.raises(UnknownNameError):
            find("no such thing at all")


def test_shared_memory_chips_take_the_machines_size() -> None:
    assert catalog.chip("Apple M2 Max 64GB GPU").memory_gib == 64
    assert catalog.chip("Apple-M2-Max-38GPU", memory_gib=96).memory_gib == 96


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("2x Intel® Xeon® Gold 6438Y+", "Intel Xeon Gold 6438Y+ Processor"),
        ("E-2386G", "Intel Xeon E-2386G Processor"),
        ("Xeon-E 2386G", "Intel Xeon E-2386G Processor"),
        ("AMD 7443P", "AMD EPYC 7443P"),
        ("Epyc 7413", "AMD EPYC 7413"),
        ("Intel Xeon E3-1275V6", "Intel Xeon Processor E3-1275 v6"),
        ("Xeon-E3 1245 v5", "Intel Xeon Processor E3-1245 v5"),
        ("Xeon E5 2620v3", "Intel Xeon Processor E5-2620 v3"),
        ("Xeon-D 1541", "Intel Xeon Processor D-1541"),
        ("AMD Ryzen™ 7 PRO 8700GE", "AMD Ryzen 7 PRO 8700GE"),
        ("Ryzen 9 9950X3D", "AMD Ryzen 9 9950X3D"),
        ("9950X3D", "AMD Ryzen 9 9950X3D"),
        ("Intel® Core™ Ultra 7 Prozessor 265", "Intel Core Ultra 7 Processor 265"),
        ("i7-6700K", "Intel Core i7-6700K Processor"),
        ("Silver 4210", "Intel Xeon Silver 4210 Processor"),
        ("Xeon 4214R", "Intel Xeon Silver 4214R Processor"),
        ("Gold 6448H", "Intel Xeon Gold 6448H Processor"),
        ("Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz", "Intel Xeon Processor E5-2680 v4"),
        ("AMD EPYC 9354 32-Core Processor", "AMD EPYC 9354"),
        ("EPYC 9654", "AMD EPYC 9654"),
    ],
)
def test_cpu_spellings(spelling: str, name: str) -> None:
    assert catalog.cpu(spelling).name == name


@pytest.mark.parametrize(
    "name", ["7413P", "AMD EPYC 741", "Intel 7443P", "EPYC", "Xeon Gold", "6448", "v4", "AMD Gold 6448H", ""]
)
def test_no_cpu_by_part_or_of_another_vendor(name: str) -> None:
    assert catalog.find_cpu(name) is None


@pytest.mark.parametrize(
    ("spelling", "sockets"),
    [
        ("2x Intel Xeon Gold 6438Y+", 2),
        ("Dual EPYC 7742", 2),
        ("EPYC 7742", None),
        ("9950X3D", None),
    ],
)
def test_cpu_sockets(spelling: str, sockets: int | None) -> None:
    assert cpu_sockets(spelling) == sockets


def test_hardware_tells_gpus_from_cpus() -> None:
    assert catalog.hardware("NVIDIA L40")[0] == "gpu"
    assert catalog.hardware("AMD EPYC 9554")[0] == "cpu"


def test_class_entries_have_bandwidth_but_no_cores() -> None:
    hidden = catalog.cpu("AMD EPYC Milan (SKU hidden by the hypervisor)")
    assert (hidden.name, hidden.cores, hidden.peak_bandwidth_gb_s) == ("AMD EPYC Milan (model hidden)", None, 204.8)


@pytest.mark.parametrize(
    ("spelling", "key"),
    [
        ("Q4_K_M", "q4_k_m"),
        ("FP8", "fp8"),
        ("int4-awq", "awq"),
        ("bfloat16", "bf16"),
        ("f16", "f16"),
    ],
)
def test_quant_spellings(spelling: str, key: str) -> None:
    assert catalog.quant(spelling).key == key


def test_weight_and_cache_formats_are_apart() -> None:
    assert catalog.quant("q8_0").kernel_class == "gguf"
    assert catalog.kv_quant("q8_0").key == "kv_q8_0"
    assert catalog.kv_quant("16bit").bytes_per_weight == 2
    assert catalog.find_quant("kv_fp8") is None
    assert catalog.find_quant("4bit") is None


@pytest.mark.parametrize(
    ("spelling", "key"),
    [
        ("vLLM", "vllm"),
        ("TensorRT-LLM", "trt-llm"),
        ("vLLM CPU", "vllm-cpu"),
        ("Ollama", "ollama"),
    ],
)
def test_engine_spellings(spelling: str, key: str) -> None:
    assert catalog.engine(spelling).key == key


@pytest.mark.parametrize(
    ("provider", "server", "cpu"),
    [
        ("aws", "c7g.4xlarge", "AWS Graviton3"),
        ("azure", "Standard_D8as_v5", "AMD EPYC 7763"),
        ("hetzner", "ccx33", "AMD EPYC Milan (SKU hidden by the hypervisor)"),
        ("scaleway", "BASIC3-X12C-24G", "AMD EPYC 9555P"),
        ("oci", "VM.Standard.E4.Flex$_8_64", "AMD EPYC 7J13"),
        ("gcp", "c3-standard-8", "Intel Xeon Platinum 8481C"),
    ],
)
def test_instance_family(provider: str, server: str, cpu: str) -> None:
    row = catalog.instance_family(provider, server)
    assert row is not None
    assert row["cpu_model"] == cpu


def test_unknown_instance_has_no_family() -> None:
    assert catalog.instance_family("aws", "zz9.large") is None
    assert instance_families("aws", "c7g.4xlarge") == ("c7g.4xlarge", "c7g")


def test_normalise_keeps_what_tells_names_apart() -> None:
    assert normalise("Xeon® Gold 6438Y+") == "xeongold6438y+"
    assert normalise("Qwen2.5") != normalise("Qwen25")
    assert normalise("H100 (80 GB)") == normalise("h100-80gb")
