"""What Azure's VM sizes have, by the calculator and by their names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pricing.errors import FeedError
from pricing.providers._azure_sizes import Size, from_calculator, from_name, retired, size_of

CALCULATOR = json.loads((Path(__file__).parent / "payloads" / "azure_calculator.json").read_text(encoding="utf-8"))


def test_the_calculator_is_read_row_by_row() -> None:
    sizes = from_calculator("azure", CALCULATOR)
    assert sizes["standard-d2asv5"] == Size(2.0, 8.0)
    assert "standard-broken" not in sizes
    with pytest.raises(FeedError, match="no object offers"):
        from_calculator("azure", {"offers": []})


@pytest.mark.parametrize(
    ("server", "vcpus", "ram_gib"),
    [
        ("Standard_D2s_v3", 2, 8),
        ("Standard_D4ls_v5", 4, 8),
        ("Standard_E16-4s_v5", 4, 128),
        ("Standard_E96s_v5", 96, None),
        ("Standard_D48ps_v5", 48, 192),
        ("Standard_D64ps_v5", 64, 208),
        ("Standard_D64pls_v5", 64, 128),
        ("Standard_E32pds_v5", 32, 208),
        ("Standard_E32ps_v6", 32, 256),
        ("Standard_F8s_v2", 8, 16),
        ("Standard_D14_v2", 16, None),
        ("Standard_DS11-1_v2", 1, None),
        ("Standard_G5", 32, None),
        ("Standard_GS4-8", 8, None),
        ("Standard_A8_v2", 8, None),
        ("Basic_A4", 8, None),
        ("Standard_M416s_10_v2", 416, None),
        ("Standard_HB120-16rs_v3", 16, None),
        ("Standard_NC24ads_A100_v4", 24, 220),
        ("Standard_ND128isr_NDR_GB200_v6", 128, 900),
        ("Standard_D99_v2", None, None),
        ("DSv3_Type1", None, None),
        ("Standard_", None, None),
    ],
)
def test_a_size_says_its_vcpus(server: str, vcpus: float | None, ram_gib: float | None) -> None:
    assert from_name(server) == Size(vcpus, ram_gib)
    assert size_of(server, {}) == Size(vcpus, ram_gib)


def test_the_calculator_goes_before_the_name() -> None:
    sizes = {"standard-d2sv3": Size(2.0, 9.0)}
    assert size_of("Standard_D2s_v3", sizes) == Size(2.0, 9.0)
    assert size_of("Standard_D4s_v3", sizes) == Size(4.0, 16.0)


@pytest.mark.parametrize(
    ("server", "day"),
    [
        ("Standard_NC6s_v3", "2025-09-30"),
        ("Standard_NV16as_v4", "2026-09-30"),
        ("Standard_NC4as_T4_v3", None),
        ("Standard_ND96asr_v4", None),
        ("Standard_D2s_v3", None),
        ("nonsense", None),
    ],
)
def test_series_that_were_retired(server: str, day: str | None) -> None:
    assert retired(server) == day
