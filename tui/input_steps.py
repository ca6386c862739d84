"""One step up or down for each input of the workload, along ladders that come back the way they went."""

from __future__ import annotations

from typing import TYPE_CHECKING

from models import catalog
from models.quantize import CLASSES, is_gguf
from tui.preset import apply_preset, own

if TYPE_CHECKING:
    from collections.abc import Sequence

    from models.traffic import Workload

TOKENS = (16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576)
SHARES = tuple(range(0, 100, 10))
UTILIZATION = tuple(range(10, 101, 10))
_RATES = tuple(base * 10**power for power in range(-3, 5) for base in (1, 2, 5))
_USERS = tuple(2**power for power in range(20))
_TTFT_S = (0.1, 0.15, 0.2, 0.3, 0.45, 0.6, 1, 1.5, 2, 3, 4.5, 6, 10, 15, 30, 60)
_USER_SPEED = (1, 2, 3, 5, 7.5, 10, 12.5, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200)
GPU_STEPS = ("bf16", "fp8", "awq", "nvfp4", "mxfp4")
GGUF_STEPS = ("f16", "q8_0", "q6_k", "q5_k_m", "q4_k_m", "q3_k_m", "q2_k")
"""The formats that the stepping keys stop at, from many bits to few; any other can be typed."""
KV_NAMES = ("16bit", "fp8", "int8", "q8_0", "q4_0", "nvfp4")


def next_rung(ladder: Sequence[float], value: float, direction: int) -> float:
    """The next rung above or below a value; the value itself at the ends."""
    if direction > 0:
        return next((rung for rung in ladder if rung > value * 1.0001), value)
    return next((rung for rung in reversed(ladder) if rung < value * 0.9999), value)


def _around(choices: Sequence[str], current: str, direction: int) -> str:
    """The next of some names, ending at the ends; an unknown one starts at the first."""
    if current not in choices:
        return choices[0]
    return choices[max(0, min(len(choices) - 1, choices.index(current) - direction))]


def step_preset(workload: Workload, direction: int) -> Workload:
    """The preset before or after in the list; from a workload of one's own to the first."""
    names = [one.name for one in catalog.presets()]
    return apply_preset(workload, catalog.preset(_around(names, workload.preset or "", direction)))


def step_model(workload: Workload, direction: int) -> Workload:
    """The next larger or smaller model of the catalog; a model from elsewhere has no neighbours."""
    models = sorted(catalog.llms(), key=lambda model: (model.params_total, model.name))
    place = next((i for i, model in enumerate(models) if model.name == workload.model.name), None)
    if place is None:
        return workload
    return workload.changed(model=models[max(0, min(len(models) - 1, place + direction))])


def step_quant(workload: Workload, direction: int) -> Workload:
    """More bits (1) or fewer (-1): along the classes, or along the common formats of the same kind."""
    if workload.quant in CLASSES:
        return workload.changed(quant=_around(CLASSES, workload.quant, direction))
    now = catalog.quant(workload.quant)
    steps = GGUF_STEPS if is_gguf(now) else GPU_STEPS
    # To another size, not to another name of the same size.
    sizes = {key: (catalog.quant(key).bytes_per_weight or 0) - (now.bytes_per_weight or 0) for key in steps}
    if direction > 0:
        return workload.changed(quant=next((key for key in reversed(steps) if sizes[key] > 0.06), workload.quant))
    return workload.changed(quant=next((key for key in steps if sizes[key] < -0.05), workload.quant))


def step_any_quant(workload: Workload, direction: int) -> Workload:
    """The next of all formats in one row: the classes, those of GPU engines, those of llama.cpp."""
    return workload.changed(quant=_around([*CLASSES, *GPU_STEPS, *GGUF_STEPS], workload.quant, direction))


def step_kv(workload: Workload, direction: int) -> Workload:
    """The next format of the KV cache."""
    return workload.changed(kv_quant=_around(KV_NAMES, workload.kv_quant, direction))


def step_engine(workload: Workload, direction: int) -> Workload:
    """The next engine; "auto" comes first."""
    names = ["auto", *(engine.key for engine in catalog.engines())]
    return workload.changed(engine=_around(names, workload.engine, direction))


def step_traffic(workload: Workload, direction: int) -> Workload:
    """The next rung of traffic above or below: a fixed ladder, so that up and down come back."""
    if workload.requests_per_s is not None:
        return workload.changed(requests_per_s=next_rung(_RATES, workload.requests_per_s, direction))
    return workload.changed(concurrency=int(next_rung(_USERS, workload.concurrency or 1, direction)))


def scale_prompt(workload: Workload, factor: float) -> Workload:
    """The same prompt a factor longer or shorter."""
    length = min(max(round(workload.input_tokens * factor), 1), 4_000_000)
    return own(workload.changed(input_tokens=length))


def step_ttft(workload: Workload, direction: int) -> Workload:
    """The next TTFT target; above the longest there is none."""
    if workload.ttft_ms is None:
        return workload if direction > 0 else own(workload.changed(ttft_ms=_TTFT_S[-1] * 1000))
    step = next_rung(_TTFT_S, workload.ttft_ms / 1000, direction) * 1000
    if direction > 0 and step <= workload.ttft_ms:
        return own(workload.changed(ttft_ms=None))
    return own(workload.changed(ttft_ms=step))


def step_user_speed(workload: Workload, direction: int) -> Workload:
    """The next speed target; below the slowest there is none."""
    if workload.tpot_ms is None:
        return own(workload.changed(tpot_ms=1000 / _USER_SPEED[0])) if direction > 0 else workload
    speed = 1000 / workload.tpot_ms
    step = next_rung(_USER_SPEED, speed, direction)
    if direction < 0 and step >= speed:
        return own(workload.changed(tpot_ms=None))
    return own(workload.changed(tpot_ms=1000 / step))
