"""The preset that a workload is under: taking one, and ceasing to be one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from models import catalog

if TYPE_CHECKING:
    from models.traffic import Preset, Workload


def apply_preset(workload: Workload, preset: Preset) -> Workload:
    """A preset's lengths, targets and cached share; the traffic too where it is still a preset's own."""
    changes = {
        "input_tokens": preset.input_tokens,
        "output_tokens": preset.output_tokens,
        "ttft_ms": preset.ttft_ms,
        "tpot_ms": preset.tpot_ms,
        "prefix_hit": preset.prefix_hit,
        "ttft_at": preset.ttft_at,
        "preset": preset.name,
    }
    before = next((one for one in catalog.presets() if one.name == workload.preset), None)
    if before is not None and workload.requests_per_s == before.requests_per_s:
        changes["requests_per_s"] = preset.requests_per_s
    return workload.changed(**changes)


def own(workload: Workload) -> Workload:
    """The workload under its preset's name only while it is what the preset says."""
    known = next((one for one in catalog.presets() if one.name == workload.preset), None)
    same = known is not None and (
        workload.input_tokens,
        workload.output_tokens,
        workload.ttft_ms,
        workload.tpot_ms,
        workload.prefix_hit,
        workload.ttft_at,
    ) == (known.input_tokens, known.output_tokens, known.ttft_ms, known.tpot_ms, known.prefix_hit, known.ttft_at)
    return workload if same or workload.preset is None else workload.changed(preset=None)
