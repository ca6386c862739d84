"""The four checks beside an estimate."""

from __future__ import annotations

import numpy as np
import pytest

from models import checks

GOOD = {
    "kind": "gpu",
    "weights_gib": 8.0,
    "ram_gib": 64.0,
    "storage": "1x960GB NVMe",
    "tp_used": 1,
    "interconnect": "none",
    "gpu_count": 1.0,
    "cores": 8.0,
}


def codes(**changes) -> list[str]:
    return [check.code for check in checks.server_checks(**{**GOOD, **changes})]


def test_a_sound_server_has_no_warning() -> None:
    assert codes() == []


def test_host_ram_below_the_weights() -> None:
    """Qwen1.5-32B in bf16, 60.5 GiB: failed to load on 32 GB, worked on 64 GB."""
    (short,) = checks.server_checks(**{**GOOD, "weights_gib": 60.5, "ram_gib": 32.0})
    (tight,) = checks.server_checks(**{**GOOD, "weights_gib": 60.5, "ram_gib": 64.0})
    assert (short.code, short.severity) == (checks.RAM_BELOW_WEIGHTS, "warning")
    assert "32 GiB is below the 60 GiB" in short.text
    assert (tight.code, tight.severity) == (checks.RAM_BELOW_WEIGHTS, "note")
    assert codes(weights_gib=60.5, ram_gib=128.0) == []
    assert codes(weights_gib=60.5, ram_gib=32.0, kind="cpu") == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("2x512GB SSD NVMe", "nvme"),
        ("2x960GB SSD NVMe + 2x6000GB HDD SATA", "nvme"),
        ("50 GB nvme", "nvme"),
        ("2x480GB SSD SATA", "ssd"),
        ("10 GB ssd", "ssd"),
        ("2x2000GB HDD SATA", "hdd"),
        ("0 GB network", "network"),
        ("0 GB managed-ssd", "network"),
        ("0 GB block-storage-required", "network"),
        ("0 GB flexible", "network"),
        ("0x0GB SSD NVMe", "unknown"),
        ("", "unknown"),
        (None, "unknown"),
        ("fast", "unknown"),
    ],
)
def test_storage_kind(text: str | None, kind: str) -> None:
    assert checks.storage_kind(text) == kind


def test_load_time_by_storage() -> None:
    seconds = checks.load_seconds([140, 140, 140, np.nan], ["2x1TB NVMe", "2x2TB HDD SATA", None, "nvme"])
    assert seconds[:3] == pytest.approx([50.1, 1002.2, 300.6], rel=0.01)
    assert np.isnan(seconds[3])


def test_slow_load_says_how_long_and_what_is_assumed() -> None:
    (slow,) = checks.server_checks(**{**GOOD, "weights_gib": 140.0, "ram_gib": 512.0, "storage": "2x2000GB HDD SATA"})
    assert slow.code == checks.SLOW_LOAD
    assert "17 minutes" in slow.text
    (unknown,) = checks.server_checks(**{**GOOD, "weights_gib": 400.0, "ram_gib": 1024.0, "storage": None})
    assert "assumed" in unknown.text
    assert unknown.severity == "note"


@pytest.mark.parametrize(
    ("link", "fast"),
    [
        ("NVLink4", True),
        ("NVLink3 bridge", False),
        ("none", False),
        ("", False),
        ("xGMI", True),
        ("RoCE on chip", True),
        ("PCIe 5.0", False),
        ("SXM5", True),
    ],
)
def test_fast_links(link: str, fast: bool) -> None:
    assert checks.is_fast_link(link) is fast
    assert (checks.TP_OVER_PCIE in codes(tp_used=2, gpu_count=2.0, interconnect=link)) is not fast


@pytest.mark.parametrize(
    ("gpus", "cores", "few"),
    [(1.0, 3.0, False), (1.0, 2.0, True), (8.0, 9.0, True), (8.0, 10.0, False), (0.125, 2.0, True)],
)
def test_host_cores(gpus: float, cores: float, few: bool) -> None:
    assert (checks.FEW_CORES in codes(gpu_count=gpus, cores=cores)) is few


def test_vcpus_and_the_chips_own_link_stand_in() -> None:
    assert codes(cores=None, vcpus=4) == [checks.FEW_CORES]
    assert codes(cores=None, vcpus=8) == []
    pair = {"tp_used": 2, "gpu_count": 2.0, "interconnect": None}
    assert codes(**pair, gpu_model="H100-80GB-SXM5") == []
    assert codes(**pair, gpu_model="RTX-4090") == [checks.TP_OVER_PCIE]


def test_unknown_facts_give_no_warning() -> None:
    assert codes(ram_gib=None, cores=None, weights_gib=None, storage=None) == []


def test_masks_agree_with_the_words() -> None:
    rows = [
        GOOD,
        {**GOOD, "weights_gib": 100.0},
        {**GOOD, "tp_used": 4, "gpu_count": 4.0},
        {**GOOD, "kind": "cpu", "cores": 1.0},
        {**GOOD, "weights_gib": 500.0, "storage": "hdd", "ram_gib": 1024.0},
        {**GOOD, "ram_gib": None, "cores": None},
    ]
    nan = float("nan")

    def column(name: str) -> np.ndarray:
        return np.array([nan if row[name] is None else row[name] for row in rows], dtype=float)

    found = checks.masks(
        gpu=[row["kind"] == "gpu" for row in rows],
        weights_gib=column("weights_gib"),
        ram_gib=column("ram_gib"),
        load_s=checks.load_seconds(column("weights_gib"), [row["storage"] for row in rows]),
        tp=column("tp_used"),
        fast_link=[checks.is_fast_link(row["interconnect"]) for row in rows],
        gpu_count=column("gpu_count"),
        cores=column("cores"),
    )
    assert set(found) == set(checks.CODES)
    for index, row in enumerate(rows):
        words = {check.code for check in checks.server_checks(**row) if check.severity == "warning"}
        assert {code for code, mask in found.items() if mask[index]} == words


def test_every_check_names_formula_and_source() -> None:
    worst = checks.server_checks(
        kind="gpu",
        weights_gib=900.0,
        ram_gib=64.0,
        storage="hdd",
        tp_used=8,
        interconnect="none",
        gpu_count=8.0,
        cores=1.0,
    )
    assert [check.code for check in worst] == list(checks.CODES)
    assert all(check.formula and check.source and check.text.endswith(".") for check in worst)
    assert "1 host core for 8 GPUs" in worst[3].text
