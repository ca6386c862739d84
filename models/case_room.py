"""Memory of one case: what its weights and cache take of the device, and how many sequences are left room for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from models import memory
from models.engine_limits import UTILIZATION
from models.errors import known
from models.quantize import weight_bytes

if TYPE_CHECKING:
    from models.case_input import Case
    from models.devices import Device


class CaseRoom:
    """Memory facts of one case, computed one by one: a few multiplications each."""

    __slots__ = ("context", "fits", "kv_per_token", "pool", "reason", "run_room", "sequences", "tokens", "weights")

    def __init__(self, case: Case, device: Device | None) -> None:
        llm, quant = known(case.llm), known(case.quant)
        total = weight_bytes(llm, quant).total / memory.GIB
        gpus = case.tp * case.pp if device is not None else 1
        self.weights = total / gpus
        self.kv_per_token = memory.kv_bytes_per_token(llm, case.kv_bytes)
        mla = llm.mla is not None
        shards = float(memory.kv_shards(llm.kv_heads, mla, case.tp, data_parallel=case.data_parallel)) * case.pp
        context = case.max_model_len or case.input_tokens + case.output_tokens
        each = float(memory.sequence_gib(llm, context, case.kv_bytes, shards, gpus, full_window=case.gguf))
        slope = (
            (llm.kv_elements_full + (llm.kv_elements_sliding if case.gguf else 0)) * case.kv_bytes / shards / memory.GIB
        )
        fixed = float(memory.sequence_gib(llm, 0, case.kv_bytes, shards, gpus)) + (
            0
            if case.gguf
            else llm.kv_elements_sliding * min(context, llm.sliding_window or 0) * case.kv_bytes / shards / memory.GIB
        )
        self.run_room = float("nan")
        if device is None or case.apple:
            ram = case.memory_gib
            self.pool = float("nan") if ram is None else ram - total - memory.CPU_COMPUTE_GIB - memory.OS_RESERVE_GIB
        elif case.gguf:
            usable = float(memory.usable_gib(device.memory_gib, device.usable_gib or np.nan))
            self.pool = usable - self.weights - memory.GGUF_COMPUTE_GIB
        else:
            nominal = case.usable_gib or device.memory_gib
            measured = case.usable_gib or device.usable_gib or np.nan
            self.pool = float(
                memory.kv_pool_gib(
                    llm,
                    self.weights,
                    nominal,
                    measured,
                    case.tp * case.pp,
                    case.utilization or UTILIZATION[case.engine],
                    amd=device.chip == 2,
                    small_chunk=device.small_chunk,
                )
            )
            fitted = float(memory.fitted_room_gib(self.weights, nominal))
            self.run_room = np.floor(max(fitted, self.pool) / each) if each > 0 else float("inf")
        if np.isnan(self.pool):
            self.fits, self.sequences, self.tokens, self.context = True, float("inf"), float("nan"), float("nan")
            self.reason = "memory of the machine not stated"
            return
        self.sequences = (
            np.floor(self.pool / each) if each > 0 and self.pool > 0 else (float("inf") if self.pool > 0 else 0.0)
        )
        self.tokens = max(self.pool, 0.0) / slope if slope > 0 else float("nan")
        self.context = max((self.pool - fixed) / slope, 0.0) if slope > 0 else float("nan")
        self.fits = self.sequences >= 1
        if self.fits:
            self.reason = ""
        elif self.pool <= 0:
            self.reason = f"weights take {self.weights:.1f} GiB a device; {-self.pool:.1f} GiB too much"
        else:
            self.reason = f"room for {self.context:.0f} tokens of context, the case needs {context:.0f}"
