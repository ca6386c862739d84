"""The figures of one workload on every distinct server, as arrays, with their words made on demand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from models.bands import BASES
from models.bound import BOUND_BY, PARTS
from models.explain import fit_reason, miss_reason
from models.result_columns import FIGURES

if TYPE_CHECKING:
    from models.capacity import Capacity
    from models.engine_choice import Choice
    from models.table import ServerTable
    from models.traffic import Workload

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Codes = NDArray[np.intp]

_FLAGS = ("fits", "answered", "meets_targets", "tight", "saturated")
_CODES = ("tp_used", "replicas", "bound_by_code", "basis_code", "limit_code")
FLOATS = (
    *FIGURES,
    "memory_total_gib",
    "weights_gib",
    "kv_gib",
    "overhead_gib",
    "memory_used_share",
    "tpot_solo_ms",
    "requests_per_s_at_target",
    "servers_needed",
    "utilization",
    "requests_per_s_served",
    "speculative_gain",
)


@dataclass
class Estimates:
    """Figures of one workload on every distinct server, NaN where there is none.

    Times in ms, memory in GiB, rates per second of one server.
    """

    workload: Workload
    table: ServerTable
    fits: Flags
    answered: Flags
    meets_targets: Flags
    tight: Flags
    saturated: Flags
    tp_used: Codes
    replicas: Codes
    bound_by_code: Codes
    engine_code: Codes
    """Index into `choices`."""
    basis_code: Codes
    limit_code: Codes
    """Which target even one request misses: 0 none, 1 TTFT, 2 TPOT, 3 both."""
    weights_gib_per_device: Array
    kv_bytes_per_token: Array
    kv_pool_gib_per_device: Array
    kv_pool_tokens: Array
    max_context: Array
    max_sequences: Array
    memory_total_gib: Array
    weights_gib: Array
    kv_gib: Array
    overhead_gib: Array
    memory_used_share: Array
    ttft_ms: Array
    ttft_ms_low: Array
    ttft_ms_high: Array
    ttft_solo_ms: Array
    ttft_p95_ms: Array
    tpot_solo_ms: Array
    tpot_ms: Array
    tpot_ms_low: Array
    tpot_ms_high: Array
    tokens_per_s_user: Array
    output_tokens_per_s: Array
    output_tokens_per_s_low: Array
    output_tokens_per_s_high: Array
    total_tokens_per_s: Array
    prompt_tokens_per_s: Array
    requests_per_s: Array
    max_concurrency: Array
    requests_per_s_at_target: Array
    servers_needed: Array
    utilization: Array
    requests_per_s_served: Array
    """Traffic that `servers_needed` servers really serve, all together."""
    speculative_gain: Array
    """Plain over speculative time of a decode step at the server's load; NaN without speculative decoding."""
    tpot_parts_ms: Array
    """Where the time of an output token goes: one row a name of `bound.PARTS`, one column a server."""
    choices: list[Choice] = field(default_factory=list)
    unanswered: dict[int, str] = field(default_factory=dict)
    capacities: list[Capacity] = field(default_factory=list)
    """Where the search for the largest concurrency stopped, for the servers of each kind of engine."""

    @classmethod
    def empty(cls, workload: Workload, table: ServerTable) -> Estimates:
        """No figure for any server yet."""
        n = len(table)
        arrays: dict[str, Any] = {name: np.full(n, np.nan) for name in FLOATS}
        arrays |= {name: np.zeros(n, dtype=bool) for name in _FLAGS}
        arrays |= {name: np.zeros(n, dtype=np.intp) for name in _CODES}
        arrays["tpot_parts_ms"] = np.full((len(PARTS), n), np.nan)
        return cls(workload, table, engine_code=np.full(n, -1, dtype=np.intp), **arrays)

    def choice(self, i: int) -> Choice | None:
        """Engine and format of server i, None where nothing runs."""
        code = int(self.engine_code[i])
        return self.choices[code] if code >= 0 else None

    def engine_used(self, i: int) -> str:
        """The engine assumed on server i, empty where none runs."""
        chosen = self.choice(i)
        return chosen.engine_name if chosen and chosen.quant else ""

    def quant_used(self, i: int) -> str:
        """The format assumed on server i."""
        chosen = self.choice(i)
        return chosen.quant.key if chosen and chosen.quant else ""

    def bound_by(self, i: int) -> str:
        """What limits server i at its load."""
        return BOUND_BY[self.bound_by_code[i]] if self.answered[i] and self.fits[i] else ""

    def capacity_end(self, i: int) -> str:
        """What ends the capacity of server i, one of `capacity.ENDS`; empty where it has none, or an encoder's."""
        return next((end for some in self.capacities if (end := some.end(i))), "") if self.fits[i] else ""

    def step(self, i: int) -> list[tuple[str, float]]:
        """Parts of one output token on server i in ms, the largest first; empty without an estimate."""
        found = [(name, float(part)) for name, part in zip(PARTS, self.tpot_parts_ms[:, i], strict=True) if part > 0]
        return sorted(found, key=lambda one: -one[1])

    def basis(self, i: int) -> str:
        """measured, calibrated or extrapolated; empty without an estimate."""
        return BASES[self.basis_code[i]] if self.answered[i] else ""

    def fit_reason(self, i: int) -> str:
        """Why the model does not fit on server i, empty where it does."""
        return fit_reason(self, i)

    def reason(self, i: int) -> str:
        """Why server i has no estimate, does not hold the model or misses a target; empty when all is well."""
        if not self.answered[i]:
            return self.unanswered.get(i, "no estimate for this hardware")
        return self.fit_reason(i) or miss_reason(self, i)

    def warnings(self, i: int) -> tuple[str, ...]:
        """What the estimate itself warns of on server i."""
        server = self.table.servers[i]
        found = []
        if server.kind == "cpu" and (server.sockets or 1) > 1:
            found.append("Two sockets: one is estimated; a process over both is slower on most platforms (NUMA).")
        if server.kind == "cpu" and server.shared_cpu:
            found.append("Shared vCPUs: speed depends on the neighbours; the pessimistic class is used.")
        if server.kind == "cpu" and server.cpu is None:
            found.append(
                f"CPU not named by the provider: an unknown {'Arm' if server.arch == 'arm' else 'x86'} vCPU is assumed."
            )
        if self.workload.speculative is not None and np.isfinite(self.speculative_gain[i]):
            from models.guessed import words

            found.append(words(self.workload.model, self.workload.speculative, float(self.speculative_gain[i])))
        if self.tight[i]:
            found.append("Memory is tight: less than a tenth of the KV pool stays free at this load.")
        return tuple(found)

    def row(self, i: int) -> dict[str, object]:
        """All figures of server i as plain values, None for missing."""
        values: dict[str, object] = {}
        for name in FLOATS:
            number = float(getattr(self, name)[i])
            values[name] = number if np.isfinite(number) else None
        answered = bool(self.answered[i])
        values.update(
            fits=bool(self.fits[i]) if answered else None,
            meets_targets=bool(self.meets_targets[i]) if answered else None,
            tp_used=int(self.tp_used[i]) or None,
            replicas=int(self.replicas[i]) or None,
            engine_used=self.engine_used(i) or None,
            quant_used=self.quant_used(i) or None,
            bound_by=self.bound_by(i) or None,
            basis=self.basis(i) or None,
            fit_reason=self.fit_reason(i) or None,
            reason=self.reason(i) or None,
        )
        return values
