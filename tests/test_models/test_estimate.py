"""The entry point: engines, formats, layouts, targets and the reasons given."""

from __future__ import annotations

import pytest

from models import catalog
from models.engine_choice import choose_cpu, choose_gpu
from models.errors import UnknownNameError, WorkloadError
from models.estimate import Estimates, ServerTable, estimate
from models.server import Server
from models.traffic import Workload


def _gpu(name: str, count: float = 1.0, interconnect: str = "") -> Server:
    return Server("gpu", chip=catalog.chip(name), gpu_count=count, interconnect=interconnect)


def _ask(*servers: Server, model: str = "Llama-3.1-8B", **fields: object) -> Estimates:
    return estimate(ServerTable.build(servers), Workload(catalog.llm(model), **fields))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("chip", "quant", "engine", "form"),
    [
        ("H100-80GB-SXM5", "4bit", "vLLM", "awq"),
        ("B200-180GB-SXM", "4bit", "vLLM", "nvfp4"),
        ("L4", "8bit", "vLLM", "fp8"),
        ("T4", "4bit", "vLLM", "awq"),
        ("T4", "16bit", "vLLM", "fp16"),
        ("V100-16GB-SXM2", "4bit", "llama.cpp", "q4_k_m"),
        ("Radeon-Pro-V520", "8bit", "llama.cpp", "q8_0"),
        ("Gaudi2", "8bit", "vLLM on Gaudi", "fp8"),
        ("MI300X", "8bit", "vLLM", "fp8"),
        ("H100-80GB-SXM5", "q5_k_m", "llama.cpp", "q5_k_m"),
    ],
)
def test_auto_picks_the_native_format(chip: str, quant: str, engine: str, form: str) -> None:
    """Each chip's engine and format for a class; a GGUF format means llama.cpp everywhere."""
    found = _ask(_gpu(chip), quant=quant)
    assert (found.engine_used(0), found.quant_used(0)) == (engine, form)


def test_what_does_not_run_says_what_would() -> None:
    """A GPU-only format on a CPU names the nearest that runs; Inferentia has no measured engine; TensorRT-LLM is NVIDIA's."""
    llama = catalog.llm("Llama-3.1-8B")
    assert "q8_0" in choose_cpu(llama, "fp8", "auto").reason
    assert "q4_k_m" in choose_cpu(llama, "awq", "auto").reason
    assert choose_cpu(llama, "4bit", "auto").quant is not None
    assert "does not run on CPUs" in choose_cpu(llama, "4bit", "trt-llm").reason
    assert "does not run on AMD" in choose_gpu(llama, "8bit", "trt-llm", catalog.chip("MI300X")).reason
    assert "awq" in choose_gpu(llama, "nvfp4", "auto", catalog.chip("T4")).reason
    found = _ask(_gpu("Inferentia2"), Server("gpu", gpu_count=1))
    assert found.reason(0) == "no measured engine on this chip"
    assert found.reason(1) == "this GPU is not in the catalog"
    assert not found.answered.any()


def test_unknown_words_raise_with_the_nearest() -> None:
    """Formats, engines and cache formats."""
    for field, value in (("quant", "q4_k_x"), ("engine", "vlllm"), ("kv_quant", "fp9")):
        with pytest.raises(UnknownNameError):
            _ask(_gpu("L4"), **{field: value})


def test_layout_prefers_replicas_over_pcie_and_splits_over_nvlink() -> None:
    """An 8B on eight L4 runs as eight replicas; a 70B must split; valid splits only."""
    small = _ask(_gpu("L4", 8), quant="4bit")
    assert (small.tp_used[0], small.replicas[0]) == (1, 8)
    large = _ask(_gpu("L4", 8), model="Llama-3.3-70B", quant="fp8", ttft_ms=None, tpot_ms=None)
    assert large.tp_used[0] in {4, 8}
    assert large.fits[0]
    nvlink = _ask(_gpu("H100-80GB-SXM5", 8), model="Llama-3.3-70B", quant="fp8", ttft_ms=2000, tpot_ms=15)
    assert nvlink.tp_used[0] > 1
    three = _ask(_gpu("A100-80GB-SXM4", 3), model="Llama-3.3-70B", quant="bf16", ttft_ms=None, tpot_ms=None)
    assert three.tp_used[0] == 2


def test_an_nvlink_bridge_counts_as_pcie_unless_the_offer_says_nvlink() -> None:
    """Bridges join pairs, and offers rarely say which."""
    plain, said = _gpu("H100-80GB-PCIe", 2, "NVLink4 bridge"), _gpu("H100-80GB-PCIe", 2, "NVLink4")
    found = _ask(plain, said, model="Llama-3.3-70B", quant="fp8", ttft_ms=None, tpot_ms=None)
    assert found.table.pcie.tolist() == [True, False]
    assert found.ttft_solo_ms[1] < found.ttft_solo_ms[0]


def test_a_server_that_misses_keeps_its_figures_and_says_by_how_much() -> None:
    """No CPU meets chat's two seconds with an 8B: c8a.24xlarge was measured at 361 tok/s of a 1,024-token prompt of a 7B."""
    server = Server("cpu", cpu=catalog.cpu("AMD EPYC 9R45"), cores=96, ram_gib=768)
    found = _ask(server, quant="4bit")
    assert found.fits[0]
    assert not found.meets_targets[0]
    assert found.max_concurrency[0] == 0
    assert found.ttft_solo_ms[0] == pytest.approx(3300, rel=0.15)
    assert found.reason(0).startswith("TTFT 3.")
    assert found.servers_needed[0] >= 1
    assert found.requests_per_s_at_target[0] > 0


def test_servers_for_the_traffic() -> None:
    """Twice the traffic needs up to twice the servers, a planned utilisation more."""
    table = ServerTable.build([_gpu("L4")])
    base = Workload(catalog.llm("Llama-3.1-8B"), quant="4bit", requests_per_s=20)
    one, two = estimate(table, base), estimate(table, base.changed(requests_per_s=40))
    half = estimate(table, base.changed(utilization=0.5))
    assert one.servers_needed[0] == -(-20 // one.requests_per_s_at_target[0])
    assert one.servers_needed[0] < two.servers_needed[0] <= 2 * one.servers_needed[0]
    assert half.servers_needed[0] >= 2 * one.servers_needed[0] - 1
    assert one.utilization[0] == pytest.approx(20 / (one.servers_needed[0] * one.requests_per_s_at_target[0]))


def test_users_instead_of_a_rate() -> None:
    """Closed loop: as many servers as the users need, each inside its largest concurrency."""
    found = _ask(_gpu("L4"), quant="4bit", concurrency=500, requests_per_s=None)
    assert found.servers_needed[0] == -(-500 // found.max_concurrency[0])
    assert found.ttft_ms[0] <= 2000


def test_without_targets_one_server_says_what_it_serves() -> None:
    """A rate beyond it is marked, not hidden."""
    found = _ask(_gpu("L4"), quant="4bit", requests_per_s=500, ttft_ms=None, tpot_ms=None)
    assert found.servers_needed[0] == 1
    assert found.saturated[0]
    assert not found.meets_targets[0]
    assert "of the 500 req/s" in found.reason(0)
    assert found.requests_per_s_served[0] == pytest.approx(found.requests_per_s_at_target[0], rel=0.02)


def test_an_offer_that_meets_the_targets_is_inside_them() -> None:
    """Even at the edge of its capacity, and where less than one request is in it on average."""
    chips = [_gpu(name) for name in ("T4", "L4", "A10", "RTX-3090", "A100-SXM4-80GB", "H100-SXM")]
    boxes = [Server("cpu", cpu=catalog.cpu("AMD EPYC 9354"), cores=cores, ram_gib=256) for cores in (4, 8, 16, 32)]
    for rate in (0.01, 0.2, 1, 7, 60):
        found = _ask(*chips, *boxes, quant="4bit", requests_per_s=rate)
        meets = found.meets_targets
        assert meets.any()
        assert (found.ttft_ms[meets] <= 2000 * 1.001).all()
        assert (found.tpot_ms[meets] <= 200 * 1.001).all()


def test_a_context_the_model_cannot_read_is_no_estimate() -> None:
    """Memory enough or not, a longer prompt is refused by the engine."""
    model = catalog.llm("Llama-3.1-8B")
    found = _ask(_gpu("H200"), input_tokens=200_000)
    assert not found.answered[0]
    assert f"reads at most {model.max_context:,} tokens" in found.reason(0)
    short = _ask(_gpu("H200"), quant="4bit")
    assert short.max_context[0] <= model.max_context


def test_eight_bits_of_a_four_bit_release_are_its_own_four() -> None:
    """gpt-oss is released in MXFP4: an eight-bit copy would hold the same weights in twice the memory."""
    found = _ask(_gpu("H100-SXM"), model="gpt-oss-20b", quant="8bit")
    assert found.quant_used(0) == "mxfp4"


def test_a_measured_memory_read_caps_the_speed() -> None:
    """What the machine was seen to read beats what its kind reads."""
    facts = {"cpu": catalog.cpu("AMD EPYC 9354"), "cores": 16, "ram_gib": 256}
    found = _ask(
        Server("cpu", **facts), Server("cpu", **facts, memory_read_gb_s=60.0), quant="4bit", requests_per_s=0.01
    )  # type: ignore[arg-type]
    assert found.tokens_per_s_user[1] < found.tokens_per_s_user[0]


def test_what_does_not_fit_says_what_is_missing() -> None:
    """Bytes where the weights do not fit, tokens where the context does not."""
    found = _ask(
        _gpu("L4"), Server("cpu", cpu=catalog.cpu("AMD EPYC 9354"), cores=32, ram_gib=32), model="Llama-3.3-70B"
    )
    assert "GPU memory" in found.reason(0)
    assert "of RAM, has 32" in found.reason(1)
    assert found.memory_used_share[0] > 1
    long = _ask(_gpu("RTX-3090"), quant="16bit", input_tokens=100_000)
    assert "tokens of context" in long.reason(0)


def test_a_second_socket_is_not_counted() -> None:
    """Two sockets estimate like one, with a warning."""
    cpu = catalog.cpu("AMD EPYC 9354")
    one = Server("cpu", cpu=cpu, cores=32, sockets=1, ram_gib=256)
    two = Server("cpu", cpu=cpu, cores=64, sockets=2, ram_gib=256)
    found = _ask(one, two, quant="4bit")
    assert found.ttft_solo_ms[0] == pytest.approx(found.ttft_solo_ms[1])
    assert not found.warnings(0)
    assert any("NUMA" in warning for warning in found.warnings(1))


def test_unknown_and_shared_cpus_are_pessimistic_and_wide() -> None:
    """An unnamed vCPU has a class of its own, a shared plan half of its class; both extrapolated."""
    known = Server("cpu", cpu=catalog.cpu("AMD EPYC 9354"), cores=8, vcpus=16, ram_gib=64)
    unnamed = Server("cpu", cores=8, vcpus=16, ram_gib=64)
    shared = Server("cpu", cores=8, vcpus=16, ram_gib=64, shared_cpu=True)
    found = _ask(known, unnamed, shared, quant="4bit")
    assert found.ttft_solo_ms[0] < found.ttft_solo_ms[1] < found.ttft_solo_ms[2]
    assert [found.basis(i) for i in range(3)] == ["calibrated", "extrapolated", "extrapolated"]
    assert found.tpot_ms_high[1] / found.tpot_ms[1] == pytest.approx(2.0)


def test_workloads_that_cannot_be() -> None:
    """One clear sentence each."""
    llama = catalog.llm("Llama-3.1-8B")
    for fields in (
        {"requests_per_s": 0.0},
        {"input_tokens": 0},
        {"utilization": 0.0},
        {"prefix_hit": 1.5},
        {"concurrency": 5},
        {"ttft_ms": float("nan")},
    ):
        with pytest.raises(WorkloadError):
            Workload(llama, **fields)  # type: ignore[arg-type]
    assert Workload(llama).changed(concurrency=4).requests_per_s is None


def test_an_empty_table() -> None:
    """No servers, no figures, no error."""
    assert len(_ask().fits) == 0


@pytest.mark.parametrize("model", ["Llama-3.1-8B", "gpt-oss-120b"])
def test_the_parts_of_a_token_sum_to_its_time(model: str) -> None:
    """On GPUs under a serving engine and llama.cpp and on a CPU, whether measurements move the figure or not."""
    cpu = Server(kind="cpu", cpu=catalog.cpu("EPYC 9654"), cores=96, ram_gib=768)
    found = _ask(_gpu("H100-80GB-SXM5", 2), _gpu("V100-32GB-SXM2", 4), cpu, _gpu("L4"), model=model)
    for i in range(4):
        parts = found.step(i)
        if not found.fits[i]:
            assert parts == []
            continue
        assert sum(part for _, part in parts) == pytest.approx(found.tpot_ms[i], rel=1e-9)
        assert [part for _, part in parts] == sorted((part for _, part in parts), reverse=True)
    assert found.fits.any()
    assert ("experts" in dict(found.step(0))) == (model == "gpt-oss-120b")
