"""CPUs: which platform a name belongs to, and how its rate grows with cores."""

from __future__ import annotations

import pytest

from models import catalog
from models.constants import constants
from models.cpu_rates import cpu_rates, family_of, share_class


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


def test_unlisted_cpus_use_a_share_of_their_bandwidth() -> None:
    """Desktop parts by two channels, workstation parts by vendor."""
    assert share_class(catalog.cpu("AMD Ryzen 9 7950X")) == "desk"
    assert share_class(catalog.cpu("AMD Threadripper PRO 5995WX")) == "zen"
    rates = cpu_rates(catalog.cpu("AMD Ryzen 9 7950X"), cores=16)
    assert rates is not None
    k = constants().cpu
    assert rates.stream == pytest.approx(83.2e9 * k["eta_desk"] * k["eng_llama"], rel=1e-3)
    assert not rates.measured_family


def test_the_harmonic_form_by_hand() -> None:
    """Genoa, 32 cores unpacked: 1/(32 x 19.5) + 1/427 GB/s."""
    rates = cpu_rates(catalog.cpu("AMD EPYC 9354"), cores=32)
    assert rates is not None
    assert rates.stream == pytest.approx(1e9 / (1 / (32 * 19.5) + 1 / 427))
    assert rates.prefill == pytest.approx(91e9 * 32**0.87)


def test_a_packed_vm_sees_its_chiplets_links() -> None:
    """Eight cores on one Genoa chiplet: 50 GB/s of link instead of 427 of platform."""
    cpu = catalog.cpu("AMD EPYC 9R14")
    spread, packed = cpu_rates(cpu, cores=8), cpu_rates(cpu, cores=8, packed=True)
    assert spread is not None
    assert packed is not None
    assert packed.stream == pytest.approx(1e9 / (1 / (8 * 19.5) + 1 / 50))
    assert packed.stream < 0.5 * spread.stream
    intel = catalog.cpu("Intel Xeon Platinum 8488C")
    assert cpu_rates(intel, cores=8, packed=True) == cpu_rates(intel, cores=8)


def test_engines_differ() -> None:
    """ik_llama.cpp streams faster than llama.cpp, and vLLM has a ceiling of its own."""
    cpu = catalog.cpu("Intel Xeon Platinum 8488C")
    plain, ik, vllm = (cpu_rates(cpu, cores=48, engine=name) for name in ("llama.cpp", "ik_llama.cpp", "vllm-cpu"))
    assert plain is not None
    assert ik is not None
    assert vllm is not None
    assert ik.stream > plain.stream
    assert vllm.stream < 210e9


def test_shared_plans_get_half_and_unknown_arm_its_own_class() -> None:
    """The pessimistic classes."""
    whole, shared = cpu_rates(None, cores=4), cpu_rates(None, cores=4, shared=True)
    arm = cpu_rates(None, arch="arm", cores=4)
    assert whole is not None
    assert shared is not None
    assert arm is not None
    assert shared.stream == pytest.approx(whole.stream / 2)
    assert (whole.family, arm.family) == ("unknown_x86", "unknown_arm")


def test_every_catalog_cpu_is_answered_or_lacks_a_fact() -> None:
    """None only where neither platform nor bandwidth is known."""
    for cpu in catalog.cpus():
        rates = cpu_rates(cpu, cores=cpu.cores or 8)
        if rates is None:
            assert cpu.peak_bandwidth_gb_s is None
            assert family_of(cpu) is None
        else:
            assert 1e9 < rates.stream < 1e12, cpu.name
            assert 1e9 < rates.prefill < 1e14, cpu.name
