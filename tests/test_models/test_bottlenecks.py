"""Each check of a server by hand: what it finds, what it costs, and that missing facts give no warning."""

from __future__ import annotations

from typing import Any

import pytest

from models import catalog
from models.bottlenecks import NOTE, OK, UNKNOWN, WARNING, Finding, Host, findings, host_of
from models.estimate import ServerTable, estimate
from models.gpu_terms import LINK_TERMS
from models.server import Server
from models.start import copy_seconds, fetch_seconds, nic_gbit_s
from models.traffic import Workload
from models.worked import worked


def checked(
    server: Server, host: Host, model: str = "Llama-3.3-70B", quant: str = "fp8", **traffic: Any
) -> dict[str, Finding]:
    found = estimate(ServerTable.build([server]), _work(model, quant, **traffic))
    return {one.code: one for one in findings(found, 0, host)}


def _work(model: str, quant: str, **traffic: Any) -> Workload:
    work = Workload(
        catalog.llm(model), quant=quant, requests_per_s=None, concurrency=4, ttft_ms=None, tpot_ms=None, preset=None
    )
    return work.changed(**traffic)


def gpus(chip: str, count: float, link: str = "") -> Server:
    return Server("gpu", chip=catalog.chip(chip), gpu_count=count, interconnect=link)


def test_a_sound_server_is_told_to_be_sound() -> None:
    host = Host(
        cpu=catalog.cpu("AMD EPYC 9454"),
        cores=96,
        ram_gib=1024,
        storage="2x1920GB NVMe",
        nic="25 Gbps",
        interconnect="NVLink4",
    )
    found = checked(gpus("H100-80GB-SXM5", 4, "NVLink4"), host)
    assert {one.severity for one in found.values()} == {OK}
    assert {
        "host_cpu",
        "tokenizer",
        "few_cores",
        "tp_link",
        "pcie_load",
        "ram",
        "power",
        "cold_start",
        "network",
    } == set(found)


def test_what_is_not_stated_is_not_a_warning() -> None:
    found = checked(gpus("H100-80GB-SXM5", 4), Host())
    assert {found[code].severity for code in ("host_cpu", "few_cores", "ram", "network")} == {UNKNOWN}
    assert all(one.severity != WARNING for one in found.values())


def test_n21_host_ram_below_the_weights() -> None:
    """A 32B in 16 bits: 65 GB of weights failed on 32 GB of RAM and just worked on 64."""
    server = gpus("A100-80GB-SXM4", 2, "NVLink3")
    kinds = {
        ram: checked(server, Host(ram_gib=ram), "Qwen2.5-32B", "bf16")["ram"].severity for ram in (32.0, 64.0, 128.0)
    }
    assert kinds == {32.0: WARNING, 64.0: NOTE, 128.0: OK}


def test_n42_n43_tensor_parallelism_over_pcie_says_its_milliseconds() -> None:
    over_pcie = checked(
        gpus("RTX-3090", 4), Host(interconnect="none", gpu_model="RTX-3090"), "Llama-3.3-70B", "awq", concurrency=16
    )["tp_link"]
    assert over_pcie.severity in {NOTE, WARNING}
    assert "ms a token" in over_pcie.cost
    assert over_pcie.counted
    assert over_pcie.value is not None
    assert 0 < over_pcie.value < 1
    h100 = gpus("H100-80GB-SXM5", 4, "NVLink4")
    joined = checked(h100, Host(interconnect="NVLink4"), "Llama-3.3-70B", "bf16", concurrency=16)["tp_link"]
    assert joined.severity == OK
    assert joined.cost == ""


def test_n42_a_long_prompt_over_pcie_is_warned_of_with_its_milliseconds() -> None:
    """Prompts of 16,000 tokens ran at 0.13 and 0.36 of the layer-split speed over PCIe: the bus is the reason."""
    ask: dict[str, Any] = {
        "model": "Llama-3.3-70B",
        "quant": "awq",
        "concurrency": 1,
        "input_tokens": 16000,
        "output_tokens": 128,
    }
    four = gpus("RTX-3090", 4)
    found = checked(four, Host(interconnect="none", gpu_model="RTX-3090"), **ask)["tp_link"]
    assert found.severity == WARNING
    assert found.cost.endswith("ms a prompt")
    estimated = estimate(ServerTable.build([four]), _work(**ask))
    terms = worked(estimated, 0)
    assert terms is not None
    assert terms.ttft is not None
    link = sum(term.value for term in terms.ttft.terms if term.name in LINK_TERMS)
    assert f"{link * 1e3:.3g} ms of a prompt" in found.text
    assert link > 0.15 * terms.ttft.value


def test_a_weak_host_cpu_costs_a_share_of_the_step() -> None:
    slow, fast = (
        checked(gpus("H100-80GB-SXM5", 1), Host(cpu=catalog.cpu(name)), "Llama-3.2-1B", "fp8", concurrency=1)[
            "host_cpu"
        ]
        for name in (slowest_cpu(), "AMD EPYC 9454")
    )
    assert slow.severity == NOTE
    assert "ms a token" in slow.cost
    assert fast.severity == OK


def slowest_cpu() -> str:
    return min((one for one in catalog.cpus() if one.all_core_ghz), key=lambda one: one.all_core_ghz or 9.0).name


@pytest.mark.parametrize(
    ("storage", "severity"),
    [("2x1920GB NVMe", OK), ("4x2000GB HDD SATA", WARNING), ("0 GB network", WARNING), (None, UNKNOWN)],
)
def test_loading_from_disk(storage: str | None, severity: str) -> None:
    """67.7 GiB: 24 s from NVMe, 8 minutes from a hard disk, 6 from a cloud volume, 145 s where a SATA SSD is assumed."""
    found = checked(gpus("H100-80GB-SXM5", 1), Host(storage=storage))["cold_start"]
    assert found.severity == severity
    assert found.value == pytest.approx(
        {None: 175, "2x1920GB NVMe": 54, "0 GB network": 394, "4x2000GB HDD SATA": 515}[storage], rel=0.02
    )


def test_loading_over_pcie_and_network() -> None:
    assert copy_seconds(15, 32) == pytest.approx(15 * 1.0737 / 25.6, rel=1e-3)
    assert fetch_seconds(67.7, 1.0) == pytest.approx(581.5, rel=0.01)
    assert (
        checked(gpus("H100-80GB-SXM5", 1), Host(nic="500 Mbit/s not guaranteed; traffic unmetered"))["network"].severity
        == NOTE
    )


@pytest.mark.parametrize(
    ("text", "rate"),
    [("1x 2 x 10Gbps", 20.0), ("1x 10 Gbps", 10.0), ("500 Mbit/s not guaranteed; traffic unmetered", 0.5), ("2x 10 Gbps", 20.0),
     ("3Gbps; traffic 30TB", 3.0), ("1 Gbit/s", 1.0), (None, None), ("traffic 30TB", None)],
)  # fmt: skip
def test_network_texts(text: str | None, rate: float | None) -> None:
    assert nic_gbit_s(text) == rate


def test_empty_memory_channels_cost_bandwidth() -> None:
    cpu = catalog.cpu("AMD EPYC 9454P")
    server = Server("cpu", cpu=cpu, sockets=1, cores=48, memory_channels=6, memory_mts=4800, ram_gib=192)
    host = Host(cpu=cpu, cores=48, sockets=1, ram_gib=192, memory_channels=6, memory_mts=4800)
    found = checked(server, host, "Llama-3.1-8B", "4bit")["channels"]
    assert found.severity == WARNING
    assert found.cost.startswith("230 GB/s (50 %"), "6 x 4800 x 8 bytes of 12 channels"


def test_two_sockets_shared_cpus_and_hyperthreads() -> None:
    cpu = catalog.cpu("AMD EPYC 9454")
    two = Server("cpu", cpu=cpu, sockets=2, cores=96, memory_channels=24, memory_mts=4800, ram_gib=384)
    assert "50 %" in checked(two, Host(cpu=cpu, sockets=2), "Llama-3.1-8B", "4bit")["sockets"].cost
    small = Server("cpu", vcpus=16, cores=8, shared_cpu=True, ram_gib=32)
    found = checked(small, Host(vcpus=16, shared_cpu=True), "Llama-3.1-8B", "4bit")
    assert found["shared"].severity == WARNING
    assert found["smt"].severity == NOTE


@pytest.mark.parametrize(("vcpus", "cores", "severity", "cost"), [(16, 16, OK, ""), (16, 8, NOTE, "50 % of the vCPUs")])
def test_smt_goes_by_the_cores_that_the_estimate_uses(vcpus: int, cores: int, severity: str, cost: str) -> None:
    """AWS m7a.4xlarge states 16 cores for 16 vCPUs, m7i.4xlarge 8: both are x86."""
    found = checked(Server("cpu", vcpus=vcpus, cores=cores, ram_gib=64), Host(vcpus=vcpus), "Llama-3.1-8B", "4bit")[
        "smt"
    ]
    assert (found.severity, found.cost) == (severity, cost)
    assert f"{cores} " in found.text


def test_a_whole_machine_with_vcpus_is_no_part_of_its_host() -> None:
    cpu = catalog.cpu("AMD EPYC 9454")
    for vcpus, cores, severity in ((96, 48, UNKNOWN), (16, 8, OK)):
        server = Server("cpu", cpu=cpu, sockets=1, vcpus=vcpus, cores=cores, ram_gib=192)
        found = checked(server, Host(cpu=cpu, vcpus=vcpus, sockets=1), "Llama-3.1-8B", "4bit")["channels"]
        assert found.severity == severity
        assert ("virtual machine" in found.text) == (severity == OK)


def test_a_power_limit_is_told_by_what_it_costs() -> None:
    found = checked(gpus("L4", 1), Host(), "Llama-3.1-8B")
    assert found["power"].severity == NOTE
    assert "as long" in found["power"].cost
    assert checked(gpus("H100-80GB-SXM5", 1), Host(), "Llama-3.1-8B")["power"].severity == OK


def test_every_finding_names_formula_and_where_it_is_from() -> None:
    for server, host in (
        (
            gpus("L40S", 4),
            host_of(**dict.fromkeys(FACTS) | {"cpu_model": "AMD EPYC 9454P", "nic": "1 Gbit/s", "ram_gib": 64.0}),
        ),
        (Server("cpu", cpu=catalog.cpu("AMD EPYC 9454P"), sockets=1, cores=48, ram_gib=192), Host(vcpus=96)),
    ):
        for one in checked(server, host, "Llama-3.1-8B", "4bit").values():
            assert one.formula
            assert one.source or one.severity == UNKNOWN
            assert one.text.endswith(".")
            if one.severity == WARNING:
                assert one.cost


FACTS = (
    "cpu_model", "cores", "vcpus", "sockets", "ram_gib", "memory_channels", "memory_mts", "storage", "nic", "shared_cpu", "interconnect",
    "gpu_model",
)  # fmt: skip
