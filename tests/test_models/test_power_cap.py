"""A lowered power limit: the one card that was measured, and what must hold for any."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models import catalog
from models.devices import device_of
from models.power_cap import LEAST, arithmetic_share, capped


def test_a_3090_at_220_watts() -> None:
    """Measured: 0.55 to 0.61 of its speed."""
    assert 0.55 <= arithmetic_share(220, 350) <= 0.61


@given(st.floats(1, 2000), st.floats(1, 2000), st.floats(30, 1500))
def test_more_power_is_never_slower(first: float, second: float, rated: float) -> None:
    """Between the least and one, rising with the limit, one from the rated power on."""
    low, high = sorted((first, second))
    assert LEAST <= arithmetic_share(low, rated) <= arithmetic_share(high, rated) <= 1
    assert arithmetic_share(rated + first, rated) == 1
    assert arithmetic_share(0, rated) == 1


def test_memory_keeps_its_clock() -> None:
    """Arithmetic of every format falls alike; bandwidth stays."""
    chip = catalog.chip("RTX-3090")
    device = device_of(chip)
    assert device is not None
    less = capped(device, 220, chip.tdp_w or 0)
    share = arithmetic_share(220, chip.tdp_w or 0)
    assert less.bandwidth == device.bandwidth
    assert less.peak == pytest.approx(tuple(each * share for each in device.peak))
    assert less.peak_16bit == pytest.approx(device.peak_16bit * share)
    assert capped(device, 500, chip.tdp_w or 0) == device
