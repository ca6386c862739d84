"""Bands of figures with measurements beside them: what is left when the row itself is not there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from models.constants import Band

if TYPE_CHECKING:
    from collections.abc import Sequence

    from models.bands import BandNames

NEAR = {
    "near_serving_decode": Band(0.86, 1.16),
    "near_serving_prompt": Band(0.69, 1.65),
    "near_serving_output": Band(0.79, 1.23),
    "near_gguf_decode": Band(0.90, 1.11),
    "near_gguf_prompt": Band(0.89, 1.18),
    "near_cpu_decode": Band(0.81, 1.25),
    "near_cpu_prompt": Band(0.75, 1.29),
    "instance_decode": Band(0.89, 1.12),
    "instance_prompt": Band(0.89, 1.12),
}
"""Measured over pulled, tenth to ninetieth percentile with the row's own configuration left out, never narrower than 0.9 to 1.1
(`models.fitting.nearest` on the shipped rows, 2026-11); `output` of serving engines is a rate, the others are times. `instance`: a model
on an instance type whose speed with the other five models was measured."""

_BATCHES = {"cpu_batch", "cpu_vllm_batch"}
"""Bands of several streams on a CPU: too few rows stand beside each other to narrow them."""
DECODE, PROMPT, OUTPUT = 0, 1, 2
"""Places of the three factors: time of an output token, time to the first one, throughput (as a time)."""


def near_bands(kind: str, names: BandNames, within: Sequence[bool]) -> BandNames:
    """The bands of a figure with measured rows near it; `within` says which of the factors have some."""
    changes: dict[str, Any] = {}
    if kind == "cpu" and names.tpot in _BATCHES:
        within = (False, within[PROMPT], False)
    if within[DECODE]:
        changes["tpot"] = f"near_{kind}_decode"
    if within[PROMPT]:
        changes["ttft"] = f"near_{kind}_prompt"
    if kind == "serving" and (within[OUTPUT] or within[DECODE]):
        changes |= {"output": "near_serving_output", "output_is_time": False}
    elif within[DECODE] and names.output not in _BATCHES:
        changes |= {"output": f"near_{kind}_decode", "output_is_time": True}
    return replace(names, **changes, basis="measured") if changes else names


def instance_bands(names: BandNames) -> BandNames:
    """The bands of an instance type whose own llama.cpp speeds were measured."""
    return replace(
        names,
        ttft="instance_prompt",
        tpot="instance_decode",
        output="instance_decode",
        output_is_time=True,
        basis="measured",
    )
