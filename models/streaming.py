"""What llama.cpp-like engines share on GPU and CPU: one process streams the weights, prompts run apart from decodes."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterable

Array = NDArray[np.float64]


def distinct_experts(experts: Any, per_token: Any, tokens: Any) -> Array:
    """Distinct experts that `tokens` tokens read when each picks `per_token` of `experts` at random."""
    experts = np.asarray(experts, dtype=np.float64)
    share = np.minimum(np.divide(per_token, np.maximum(experts, 1.0)), 1 - 1e-12)
    result: Array = experts * -np.expm1(np.asarray(tokens, dtype=np.float64) * np.log1p(-share))
    return result


class Takes:
    """Speed formulas over arrays of cases that can be cut to some of the cases."""

    CROWD: ClassVar[tuple[str, ...]] = ()
    """What `steady` and `queue_unit` read; empty = everything."""

    def take(self, index: NDArray[np.intp]) -> Self:
        """The same formulas for some of the cases, in the order of `index`."""
        return self._cut(index, vars(self))

    def part(self, block: slice, count: int) -> Self:
        """The same formulas for a run of the `count` cases, without copying their numbers."""
        return self if block.start == 0 and block.stop >= count else self._cut(block, vars(self))

    def crowd(self, index: NDArray[np.intp]) -> Self:
        """`take` of what `steady` and `queue_unit` need, and nothing else."""
        return self._cut(index, self.CROWD or vars(self))

    def _cut(self, index: NDArray[np.intp] | slice, names: Iterable[str]) -> Self:
        other = copy.copy(self)
        mine, its = vars(self), vars(other)
        for name in names:
            value = mine[name]
            if isinstance(value, np.ndarray) and value.ndim:
                its[name] = value[index]
        return other


class StreamSpeed(Takes):
    """Decode limited by streaming or compute, prefill by compute; arrays of cases, seconds.

    A step of n sequences: max(weights of the experts they read, n x compute) + n x KV + overhead + slots.
    """

    def __init__(  # noqa: PLR0913 - the terms of one formula, by name
        self,
        *,
        input_tokens: Any,
        output_tokens: Any,
        fresh_tokens: Any,
        stream_dense_s: Any,
        stream_routed_s: Any,
        experts: Any,
        experts_per_token: Any,
        decode_compute_s: Any,
        prefill_token_s: Any,
        attention_s: Any,
        kv_token_s: Any,
        state_s: Any,
        overhead_s: Any,
        slot_s: Any,
        schedule_s: float,
    ) -> None:
        self.s = np.asarray(input_tokens, dtype=np.float64)
        self.o = np.asarray(output_tokens, dtype=np.float64)
        self.fresh = self.s if fresh_tokens is None else np.asarray(fresh_tokens, dtype=np.float64)
        self.weights = np.asarray(stream_dense_s, dtype=np.float64)
        self.routed = np.asarray(stream_routed_s, dtype=np.float64)
        self.experts = np.maximum(np.asarray(experts, dtype=np.float64), 1.0)
        self.per_token = np.asarray(experts_per_token, dtype=np.float64)
        self.decode_compute = np.asarray(decode_compute_s, dtype=np.float64)
        self.prefill_token = np.asarray(prefill_token_s, dtype=np.float64)
        self.attention = np.asarray(attention_s, dtype=np.float64)
        self.context = self.s + self.o / 2
        self.kv_token = np.asarray(kv_token_s, dtype=np.float64)
        self.kv_per_sequence = self.kv_token * self.context + state_s
        self.overhead = np.asarray(overhead_s, dtype=np.float64)
        self.slot = slot_s
        self.schedule = schedule_s
        self.burst = np.float64(0.0696)
        self._alone: Array | None = None
        self.interference = 1.0
        """A prompt stops the decodes of the same process."""

    def queue_unit(self) -> Array:
        """Seconds of waiting where prompts take half of the time: `queued` is this x rho / (1 - rho)."""
        result: Array = self.alone() / 2
        return result

    def alone(self) -> Array:
        """One prompt alone, computed once."""
        if self._alone is None:
            self._alone = np.asarray(self.prefill())
        return self._alone

    def stream(self, sequences: Any) -> Array:
        """Weight reads of one step."""
        result: Array = (
            self.weights + self.routed * distinct_experts(self.experts, self.per_token, sequences) / self.experts
        )
        return result

    def step(self, sequences: Any) -> Array:
        """One decode step of `sequences` running sequences."""
        n = np.asarray(sequences, dtype=np.float64)
        result: Array = (
            np.maximum(self.stream(n), n * self.decode_compute)
            + n * self.kv_per_sequence
            + self.overhead
            + self.slot * np.maximum(n - 1, 0)
        )
        return result

    def prefill(self, prompts: Any = 1.0) -> Array:
        """`prompts` prompts one after the other; attention grows with the context behind the fresh tokens."""
        reach = 2 * self.s - self.fresh
        result: Array = prompts * (self.fresh * (self.prefill_token + self.attention * reach) + self.overhead)
        return result

    def marginal_prefill(self, sequences: Any) -> Array:
        """What one prompt adds to running decodes: all of it."""
        result: Array = self.prefill() + 0.0 * np.asarray(sequences, dtype=np.float64)
        return result

    def interference_time(self, sequences: Any, prompts: Any = None) -> Array:
        """What the prompts of the other streams add to one output token: they run apart and stop it.

        Args:
            sequences: running; prompts: arriving a step, None = those of a closed loop, (n - 1)/o.
        """
        n = np.asarray(sequences, dtype=np.float64)
        arriving = np.maximum(n - 1, 0) / self.o if prompts is None else np.asarray(prompts, dtype=np.float64)
        result: Array = self.interference * self.prefill() * arriving
        return result

    def tpot(self, sequences: Any) -> Array:
        """Mean time between output tokens with `sequences` streams, prompts of the others included."""
        result: Array = self.step(sequences) + self.interference_time(sequences)
        return result

    def ttft_closed(self, sequences: Any) -> Array:
        """Closed loop of `sequences` clients, start burst included."""
        n = np.asarray(sequences, dtype=np.float64)
        result: Array = self.schedule + self.prefill() * (1 + self.burst * np.maximum(n - 1, 0)) + self.step(n)
        return result

    def ttft_steady(self, sequences: Any, prefill_load: Any = 0.0) -> Array:
        """Without a start burst: waiting behind other prompts (M/D/1 at `prefill_load`), then one step."""
        rho = np.clip(prefill_load, 0.0, 0.98)
        result: Array = self.schedule + self.prefill() * (1 + rho / (2 * (1 - rho))) + self.step(sequences)
        return result

    def steady(self, sequences: Any) -> tuple[Array, Array, Array]:
        """(TPOT, TTFT without a queue, time one prompt takes of the process) at `sequences` running; no start burst."""
        n = np.asarray(sequences, dtype=np.float64)
        step, prompt = self.step(n), self.alone()
        others = self.interference * prompt * np.maximum(n - 1, 0) / self.o
        return step + others, self.schedule + prompt + step, prompt + 0.0 * n

    def queued(self, prefill_load: Any) -> Array:
        """Waiting behind other prompts that take `prefill_load` (0..1) of the time (M/D/1)."""
        rho = np.clip(prefill_load, 0.0, 0.98)
        result: Array = self.alone() * (rho / (2 * (1 - rho)))
        return result
