"""CPUs: which platform a name belongs to, and how its rate grows with cores."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models import catalog
from models.constants import constants
from models.cpu_rates import (
    cpu_engine,
    cpu_rates,
    decode_rate,
    facts_of,
    family_of,
    prefill_rate,
    share_class,
    socket_cores,
    stack,
    stream_rate,
    sync_time,
)


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("AMD EPYC 9354", "genoa"),
        ("AMD EPYC 9R45", "turin"),
        ("AMD EPYC 7763", "milan"),
        ("AMD EPYC 7452", "rome"),
        ("AMD EPYC 7371", "naples"),
        ("Intel Xeon Platinum 8488C", "sapphire_rapids"),
        ("Intel Xeon 6975P-C", "granite_rapids"),
        ("Intel Xeon Platinum 8370C", "ice_lake"),
        ("Intel Xeon Silver 4214R Processor", "cascade_lake"),
        ("Intel Xeon E5-2673 v4", "xeon_e5"),
        ("AWS Graviton2", "neoverse_n1"),
        ("AWS Graviton4", "neoverse_v2"),
        ("Microsoft Azure Cobalt 100", "neoverse_n2"),
        ("AMD EPYC Milan (model hidden)", "milan"),
        ("AMD Ryzen 9 5900X", None),
        ("Intel Xeon E-2288G Processor", None),
        ("Intel Xeon D-2141I Processor", None),
        ("Intel Core i7-7700K Processor", None),
    ],
)
def test_the_family_is_the_server_platform(name: str, family: str | None) -> None:
    """A Ryzen 5900X is Zen 3 but not Milan; a Xeon E is no Scalable."""
    assert family_of(catalog.cpu(name)) == family


def test_the_formula_by_hand() -> None:
    """Genoa, 32 cores spread over its chiplets: cores and socket as two smooth limits."""
    cpu = catalog.cpu("AMD EPYC 9354")
    rates = cpu_rates(cpu, cores=32)
    k = constants().cpu
    assert rates is not None
    core = k["b1_amd"] * k["core_zen4"] * ((cpu.all_core_ghz or 3) / 3) ** k["b1_clock"] * 1.5 ** k["b1_width"]
    core *= (4800 * 8 / 1000 / 25.6) ** k["b1_memory"]
    socket = k["cap_zen"] * k["socket_genoa"] * 460.8
    p = k["roll_off"]
    assert rates.stream == pytest.approx(1e9 * ((32 * core) ** -p + socket**-p) ** (-1 / p))
    assert rates.family == "genoa"


def test_unlisted_cpus_have_the_figures_of_their_class() -> None:
    """Desktop parts by two channels, workstation parts by vendor; no figure of a server platform."""
    cpu = catalog.cpu("AMD Ryzen 9 7950X")
    assert share_class(cpu) == "desk"
    assert share_class(catalog.cpu("AMD Threadripper PRO 5995WX")) == "zen"
    rates = cpu_rates(cpu, cores=16)
    assert rates is not None
    assert not rates.measured_family
    assert rates.family == "desk"
    k = constants().cpu
    assert rates.stream < 83.2e9 * k["cap_desk"] * k.get("socket_desk_zen4", 1.0)


def test_a_microarchitecture_without_rows_gets_the_pooled_figure() -> None:
    """Without its own deviations Turin is an AMD server of its clock, width and memory."""
    facts = facts_of(catalog.cpu("AMD EPYC 9R45"), cores=48)
    assert facts is not None
    k = dict(constants().cpu)
    own = stream_rate(facts, k)
    for name in ("core_zen5", "socket_turin", "link_turin"):
        k.pop(name, None)
    pooled = stream_rate(facts, k)
    assert pooled != own
    assert 0.4 * own < pooled < 1.5 * own


def test_a_packed_vm_sees_its_chiplets_links() -> None:
    """Eight cores on one Genoa chiplet get less than its link, spread ones more."""
    cpu = catalog.cpu("AMD EPYC 9R14")
    spread, packed = cpu_rates(cpu, cores=8), cpu_rates(cpu, cores=8, packed=True)
    assert spread is not None
    assert packed is not None
    k = constants().cpu
    assert packed.stream < 1e9 * k["ccd"] * k["link_genoa"]
    assert packed.stream < 0.5 * spread.stream
    intel = catalog.cpu("Intel Xeon Platinum 8488C")
    assert cpu_rates(intel, cores=8, packed=True) == cpu_rates(intel, cores=8)


def test_engines_differ() -> None:
    """ik_llama.cpp streams and computes faster than llama.cpp without AMX, and vLLM has a ceiling of its own."""
    cpu = catalog.cpu("AMD EPYC 7763")
    plain, ik = (cpu_rates(cpu, cores=48, engine=name) for name in ("llama.cpp", "ik_llama.cpp"))
    vllm = cpu_rates(catalog.cpu("Intel Xeon Platinum 8488C"), cores=48, engine="vllm-cpu")
    assert plain is not None
    assert ik is not None
    assert vllm is not None
    assert ik.stream > plain.stream
    assert ik.prefill > plain.prefill
    assert vllm.stream < 210e9


def test_amx_carries_the_prompts_of_new_llama_cpp_only() -> None:
    """The builds of 2024 ran the same Xeon on its vector units."""
    cpu = catalog.cpu("Intel Xeon Platinum 8488C")
    new, old = cpu_rates(cpu, cores=8), cpu_rates(cpu, cores=8, engine="llama.cpp-2024")
    assert new is not None
    assert old is not None
    assert new.prefill > 2 * old.prefill


def test_shared_plans_get_half_and_unknown_arm_its_own_class() -> None:
    """The pessimistic classes."""
    whole, shared = cpu_rates(None, cores=4), cpu_rates(None, cores=4, shared=True)
    arm = cpu_rates(None, arch="arm", cores=4)
    assert whole is not None
    assert shared is not None
    assert arm is not None
    assert shared.stream == pytest.approx(whole.stream / 2)
    assert shared.sync == pytest.approx(whole.sync * 2)
    assert (whole.family, arm.family) == ("unknown_x86", "unknown_arm")


def test_a_measured_read_rate_is_a_ceiling() -> None:
    """No process streams faster than the instance reads."""
    rates = cpu_rates(catalog.cpu("AMD EPYC 9R45"), cores=64, measured_read_gb_s=50.0)
    assert rates is not None
    assert rates.stream == 50e9


def test_servers_run_memory_at_the_platforms_speed() -> None:
    """DDR5-5600 modules in an EPYC 9004 run at 4800; a desktop runs what is plugged in."""
    server, desktop = catalog.cpu("AMD EPYC 9554"), catalog.cpu("AMD Ryzen 9 7950X")
    assert cpu_rates(server, cores=64, bandwidth_gb_s=537.6) == cpu_rates(server, cores=64)
    fast, usual = cpu_rates(desktop, cores=16, bandwidth_gb_s=96.0), cpu_rates(desktop, cores=16)
    assert fast is not None
    assert usual is not None
    assert fast.stream > usual.stream


@pytest.mark.parametrize(
    ("name", "threads", "sockets", "text", "expected"),
    [
        ("AMD EPYC 9554", None, 1, "", (64.0, 1)),
        ("AMD EPYC 9554", 16, 1, "", (16.0, 1)),
        ("AMD EPYC 9554", 128, 2, "", (64.0, 2)),
        ("AMD EPYC 7R13", 96, 1, "AWS m6a, AMD EPYC Milan (96 vCPU)", (48.0, 1)),
        ("Intel Xeon Platinum 8488C", 96, 1, "AWS m7i.metal-48xl, Intel Xeon 8488C (192 vCPU)", (48.0, 2)),
        ("AWS Graviton4", 192, 1, "AWS r8g.48xlarge (192 vCPU)", (96.0, 2)),
        ("Intel Xeon Platinum 8272CL", 16, 1, "", (16.0, 1)),
        ("Intel Xeon Platinum 8272CL", None, 1, "", (None, 1)),
    ],
)
def test_threads_become_cores_and_sockets(
    name: str, threads: float | None, sockets: int, text: str, expected: tuple[float | None, int]
) -> None:
    """More threads than cores are hyperthreads, unless the machine has more vCPU than that."""
    assert socket_cores(catalog.cpu(name), threads, sockets, text) == expected


def test_llamafile_has_kernels_of_its_own() -> None:
    """It is read as a llama.cpp of its year, and named in the row."""
    assert cpu_engine("llama.cpp", "llamafile (LocalScore)") == "llamafile"
    assert cpu_engine("llama.cpp-2024", "llamafile") == "llamafile"
    assert cpu_engine("llama.cpp", "ollama") == "llama.cpp"
    assert cpu_engine("vllm-cpu") == "vllm-cpu"


def test_every_catalog_cpu_is_answered_or_lacks_a_fact() -> None:
    """None only where the bandwidth is not known."""
    for cpu in catalog.cpus():
        rates = cpu_rates(cpu, cores=cpu.cores or 8)
        if rates is None:
            assert cpu.peak_bandwidth_gb_s is None
            assert cpu.measured_read_gb_s is None
        else:
            assert 1e9 < rates.stream < 1e12, cpu.name
            assert 1e9 < rates.prefill < 1e14, cpu.name
            assert 1e-6 < rates.sync < 2e-3, cpu.name


NAMES = [cpu.name for cpu in catalog.cpus() if cpu.peak_bandwidth_gb_s and cpu.cores]
ENGINES = (
    "llama.cpp",
    "llama.cpp-2024",
    "ik_llama.cpp",
    "llamafile",
    "vllm-cpu",
    "sglang-cpu",
    "ampere-llama.cpp",
    "itrex",
)


@given(
    name=st.sampled_from(NAMES),
    engine=st.sampled_from(ENGINES),
    part=st.floats(0.05, 0.95),
    packed=st.booleans(),
    factor=st.floats(1.0, 2.0),
)
def test_more_of_anything_is_never_slower(name: str, engine: str, part: float, packed: bool, factor: float) -> None:
    """More cores within a socket, more bandwidth, a higher clock."""
    cpu = catalog.cpu(name)
    cores = max(part * (cpu.cores or 1), 1.0)
    k = constants().cpu
    base = facts_of(cpu, cores=cores, engine=engine, packed=packed)
    assert base is not None
    more = [
        facts_of(cpu, cores=min(cores * factor, float(cpu.cores or 1)), engine=engine, packed=packed),
        replace(base, theory=base.theory * factor),
        replace(base, ghz=base.ghz * factor),
        replace(base, channel=base.channel * factor),
    ]
    for better in more:
        assert better is not None
        for rate in (stream_rate, prefill_rate, decode_rate):
            assert rate(better, k) >= rate(base, k) * (1 - 1e-9)


@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from(NAMES), st.sampled_from(ENGINES), st.integers(1, 128), st.booleans(), st.integers(1, 2)
        ),
        min_size=1,
        max_size=6,
    )
)
def test_arrays_equal_single_servers(rows: list[tuple[str, str, int, bool, int]]) -> None:
    """One formula for the estimate of one server and for the fit of thousands of rows."""
    facts = [
        facts_of(catalog.cpu(name), cores=float(cores), engine=engine, packed=packed, sockets=sockets)
        for name, engine, cores, packed, sockets in rows
    ]
    known = [fact for fact in facts if fact is not None]
    k = constants().cpu
    for rate in (stream_rate, prefill_rate, decode_rate, sync_time):
        assert rate(stack(known), k) == pytest.approx([rate(fact, k) for fact in known])
