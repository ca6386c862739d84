"""A card whose owner lowered its power limit: less arithmetic, the same memory.

220 W on an RTX 3090 (350 W) gave 0.55 to 0.61 of its speed where arithmetic was the limit (published benchmarks, collected 2026-11). One
card is all there is: a line through that point and through no arithmetic at what memory and board draw. Memory keeps its clock, so
single streams hardly feel it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from models.devices import Device

BOARD_SHARE = 0.115
"""Part of the rated power that memory, fans and regulators draw before anything is computed: (220 W - x) / (350 W - x) = 0.58."""
LEAST = 0.05
"""Below this share no driver lets a card run."""
BAND = (0.8, 1.25)
"""Measured over estimated share of arithmetic. Not fitted: cards whose limit is far above what they need lose less."""


def arithmetic_share(limit_w: float, rated_w: float) -> float:
    """Share of a card's arithmetic that a power limit leaves, 1 at or above the rated power."""
    if limit_w <= 0 or rated_w <= 0:
        return 1.0
    board = BOARD_SHARE * rated_w
    return min(max((limit_w - board) / (rated_w - board), LEAST), 1.0)


def capped(device: Device, limit_w: float, rated_w: float) -> Device:
    """The device at a lower power limit: every rate of arithmetic less, bandwidth as it was."""
    share = arithmetic_share(limit_w, rated_w)
    peak = device.peak
    return replace(
        device,
        peak_16bit=device.peak_16bit * share,
        peak=(peak[0] * share, peak[1] * share, peak[2] * share, peak[3] * share, peak[4] * share),
        gguf_peak=device.gguf_peak * share,
        lanes=device.lanes * share,
        clock_ghz=device.clock_ghz * share,
    )
