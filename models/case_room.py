"""Memory of one case: what its weights and cache take of the device, and how many sequences are left room for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from models import memory
from models.engine_limits import Planner, planner_of
from models.errors import known
from models.gpu_speed import CHIPS
from models.quantize import weight_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from models.case_input import Case
    from models.devices import Device

_WINDOWED = "llama.cpp"
"""Since 2025-05 its sliding layers keep a window and one batch; older builds and ik_llama.cpp keep the whole context."""
_AMD = CHIPS.index("amd")


class CaseRoom:
    """Memory facts of one case, computed one by one: a few multiplications each."""

    __slots__ = (
        "context",
        "fits",
        "kv_per_token",
        "pool",
        "reason",
        "run_room",
        "sequences",
        "tokens",
        "too_small",
        "weights",
    )

    def __init__(self, case: Case, device: Device | None) -> None:
        llm, quant = known(case.llm), known(case.quant)
        size = weight_bytes(llm, quant, gguf=case.gguf)
        total = size.total / memory.GIB
        on_gpu = device is not None and not case.apple
        gpus = case.tp * case.pp if device is not None else 1
        self.weights = (total - (size.host / memory.GIB if on_gpu and case.gguf else 0.0)) / gpus
        self.kv_per_token = memory.kv_bytes_per_token(llm, case.kv_bytes)
        mla = llm.mla is not None
        shards = float(memory.kv_shards(llm.kv_heads, mla, case.tp, data_parallel=case.data_parallel)) * case.pp
        context = case.max_model_len or case.input_tokens + case.output_tokens
        whole = case.gguf and case.engine != _WINDOWED
        stated = f"{case.raw.get('engine_version', '')} {case.raw.get('source_date', '')}"
        planner = planner_of(case.engine, stated).at_context(case.max_model_len, pipeline=case.pp > 1)
        paged = planner.paged_state and not case.gguf

        def sequence(chunk: float) -> float:
            return float(
                memory.sequence_gib(
                    llm, context, case.kv_bytes, shards, gpus, full_window=whole, chunk=chunk, paged_state=paged
                )
            )

        each = admitted = sequence(memory.GGUF_BATCH if case.gguf else 0.0)
        slope = float(memory.token_gib(llm, case.kv_bytes, shards, sliding=whole))
        self.run_room = float("nan")
        self.too_small = False
        if device is None or case.apple:
            ram = case.memory_gib
            self.pool = float("nan") if ram is None else ram - total - memory.CPU_COMPUTE_GIB - memory.OS_RESERVE_GIB
        elif case.gguf:
            usable = float(memory.usable_gib(device.memory_gib, device.usable_gib or np.nan))
            self.pool = usable - self.weights - memory.GGUF_COMPUTE_GIB
        else:
            self.pool, admitted = self._serving(case, device, planner, sequence)
            self.too_small = self.weights > float(
                memory.usable_gib(case.usable_gib or device.memory_gib, case.usable_gib or device.usable_gib or np.nan)
            )
            fitted = float(memory.fitted_room_gib(self.weights, case.usable_gib or device.memory_gib))
            self.run_room = np.floor(max(fitted, self.pool) / each) if each > 0 else float("inf")
        if np.isnan(self.pool):
            self.fits, self.sequences, self.tokens, self.context = True, float("inf"), float("nan"), float("nan")
            self.reason = "memory of the machine not stated"
            return
        room = max(self.pool, 0.0)
        self.sequences = float(np.floor(room / each)) if each > 0 else (float("inf") if room > 0 else 0.0)
        self.tokens = room / admitted * context if slope > 0 and admitted > 0 else float("nan")
        self.context = max((room - (admitted - slope * context)) / slope, 0.0) if slope > 0 else float("nan")
        self.fits = self.pool > 0 and room >= admitted
        if self.fits:
            self.reason = ""
        elif self.pool <= 0:
            self.reason = f"weights take {self.weights:.1f} GiB a device; {-self.pool:.1f} GiB too much"
        else:
            self.reason = f"room for {self.context:.0f} tokens of context, the case needs {context:.0f}"

    def _serving(
        self, case: Case, device: Device, planner: Planner, sequence: Callable[[float], float]
    ) -> tuple[float, float]:
        """KV pool under a serving engine, and what one request needs of it to be let in."""
        cards = memory.Cards(
            case.usable_gib or device.memory_gib,
            case.usable_gib or device.usable_gib or np.nan,
            device.chip == _AMD,
            device.small_chunk,
        )
        pool = memory.pool_gib(known(case.llm), self.weights, cards, case.tp, planner, case.utilization)
        return float(pool), sequence(float(cards.chunk_tokens))
