"""Chips without a measured engine: what fits, and the limits that bandwidth and arithmetic set; a bound, never an estimate."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from models import catalog
from models.case_room import CaseRoom
from models.devices import device_of
from models.errors import known
from models.quantize import compute_class, weight_bytes
from models.shape import shape_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from models.case_input import Case

_STAND_IN = "H100-80GB-SXM5"
"""Whose device record lends its fields to a chip that has none; only memory is read from it, and that is replaced."""


def _peak_flops(case: Case) -> float:
    """Arithmetic of one device in the format's class; 0 where the sheet has none."""
    chip = known(case.chip)
    sixteen = chip.bf16_tflops or chip.fp16_tflops or chip.fp32_tflops or 0.0
    kind = compute_class(known(case.quant), chip)
    return ({"f8": chip.fp8_tflops, "f4": chip.fp4_tflops}.get(kind) or sixteen) * 1e12


def bound_rooms(cases: Sequence[Case]) -> list[CaseRoom]:
    """Memory of such cases."""
    if not cases:
        return []
    like = known(device_of(catalog.chip(_STAND_IN)))
    chips = [known(case.chip) for case in cases]
    return CaseRoom.of(cases, [replace(like, memory_gib=chip.memory_gib, usable_gib=chip.usable_gib) for chip in chips])


def bound_columns(case: Case, room: CaseRoom | None = None) -> dict[str, object]:
    """Result columns of a case on such a chip: memory, and the least time a token and a prompt can take.

    A token reads every active weight and its own cache once; a prompt needs two operations a weight and token. Where the catalog
    knows neither bandwidth nor arithmetic only memory is answered, and the reason says what is missing. `room`: of `bound_rooms`.
    """
    chip, llm, quant = known(case.chip), known(case.llm), known(case.quant)
    room = room or bound_rooms([case])[0]
    shape = shape_of(llm)
    gpus = max(case.tp * case.pp, 1)
    read = weight_bytes(llm, quant, gguf=case.gguf).total * shape.active / max(shape.total, shape.active)
    cache = (shape.kv + shape.kv_window) * case.kv_bytes * (case.input_tokens + case.output_tokens / 2)
    bandwidth = (chip.memory_bandwidth_gb_s or 0.0) * 1e9 * gpus
    flops = _peak_flops(case) * gpus
    tpot = (read + cache) / bandwidth * 1e3 if bandwidth else None
    reading = read / bandwidth if bandwidth else 0.0
    ttft = max(2 * shape.active * case.input_tokens / flops, reading) * 1e3 if flops else None
    hide = case.scenario == "startup" or not llm.kv_cache
    missing = [name for name, value in (("memory bandwidth", bandwidth), ("arithmetic", flops)) if not value]
    lacks = f"; the catalog has no {' and no '.join(missing)} of this chip" if missing else ""
    return {
        "fits": bool(room.fits),
        "fit_reason": room.reason,
        "weights_gib_per_device": room.weights,
        "kv_bytes_per_token": room.kv_per_token,
        "kv_pool_gib_per_device": room.pool if np.isfinite(room.pool) else None,
        "kv_pool_tokens": room.tokens if np.isfinite(room.tokens) else None,
        "max_context": room.context if np.isfinite(room.context) else None,
        "tpot_ms": None if hide else tpot,
        "ttft_ms": None if hide else ttft,
        "tokens_per_s_user": None if hide or not tpot else 1e3 / tpot,
        "engine_used": case.engine,
        "tp_used": case.tp,
        "replicas": case.replicas,
        "basis": "bound",
        "error": f"no measured engine on this chip: times are lower bounds, not estimates{lacks}",
    }
