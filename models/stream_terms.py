"""TPOT and TTFT of llama.cpp and its relatives, on GPUs and CPUs, as terms read off the formulas that gave them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from models.constants import constants
from models.gguf_speed import NORM, UBATCH, GgufCase, GgufSpeed
from models.terms import Factor, Term, counted, one, quotient

if TYPE_CHECKING:
    from models.cpu_speed import CpuCase, CpuSpeed

_GPU_READ, _GPU_WORK = "g_em, g_unpack", "g_mma, g_lanes, g_mfu"
_CPU_READ, _CPU_WORK = "what its cores and its socket stream (fitted)", "what its cores multiply (fitted)"
"""Constants behind a rate, where it is no plain product of them."""


class StreamTerms:
    """The terms of case `i`; bytes and FLOP of all cards of a replica together, which work one after the other."""

    def __init__(self, speed: GgufSpeed | CpuSpeed, case: GgufCase | CpuCase, i: int, layout: int) -> None:
        """`i` is the place in the speed, `layout` the one in the case."""
        self.speed = speed.take(np.array([i]))
        self.case, self.at = case, layout
        cpu = not isinstance(case, GgufCase)
        self.cpu = cpu
        self.read_note = f"from {_CPU_READ if cpu else _GPU_READ}"
        self.work_note = f"from {_CPU_WORK if cpu else _GPU_WORK}"
        self.bandwidth = Factor(self._of("rate" if cpu else "bandwidth"), "bytes/s")
        self.decode = Factor(self._of("decode_rate" if cpu else "peak"), "flop/s")
        self.prompts = Factor(self._of("prefill_rate" if cpu else "peak"), "flop/s")

    def _of(self, name: str) -> float:
        return one(getattr(self.case, name), self.at)

    def _now(self, name: str) -> float:
        return one(getattr(self.speed, name), 0)

    def _bytes(self, tokens: float) -> float:
        """Bytes of weights that a step of so many tokens reads: in proportion to its time."""
        routed = one(self.speed.stream(np.array([tokens])), 0) - self._now("weights")
        whole = self._now("routed")
        return self._of("stream_dense") + (self._of("stream_routed") * routed / whole if whole else 0.0)

    def tpot(self, n: float) -> tuple[Term, ...]:
        """Parts of an output token with `n` streams, before measured rows move it."""
        speed, many = self.speed, np.array([n])
        read = one(speed.stream(many), 0)
        work = n * self._now("decode_compute")
        cache = n * self._now("kv_per_sequence")
        slots = one(speed.slot, 0) * max(n - 1, 0)
        joined = one(speed.step(many), 0) - cache - self._now("overhead") - slots
        parts = (
            quotient("reads", read, (Factor(self._bytes(n), "bytes"),), self.bandwidth, note=self.read_note),
            quotient(
                "arithmetic", work, (Factor(2 * self._of("active") * n, "flop"),), self.decode, note=self.work_note
            ),
        )
        how, power = ("powers", one(getattr(speed, "overlap", 1.0), 0)) if self.cpu else ("larger", 1.0)
        kept = self._of("kv_bytes_per_token") * self._now("context") + 2 * self._of("state_bytes")
        arriving = max(n - 1, 0) / self._now("o")
        terms = (
            Term("weights", joined, parts=parts, joined=how, power=power),
            quotient(
                "KV cache", cache, (Factor(n * kept, "bytes"),), self.bandwidth, (("g_kv", constants().gguf["g_kv"]),)
            ),
            self._overhead(),
            counted("further streams", slots, max(n - 1, 0), "streams"),
            counted("prompts of other requests", one(speed.interference_time(many), 0), arriving, "prompts a token"),
        )
        return tuple(term for term in terms if term.value)

    def _overhead(self) -> Term:
        words = "waiting threads" if self.cpu else "launches"
        return counted(words, self._now("overhead"), self._of("layers"), "layers")

    def ttft(self, n: float) -> tuple[Term, ...]:
        """Parts of the time to the first token, before measured rows move it and without the queue."""
        speed, fresh = self.speed, self._now("fresh")
        flop = Factor(2 * self._of("active_layers") * fresh, "flop")
        found = [one(part, 0) for part in speed.prefill_parts()]
        work, read, both = found[:3]
        passes = max(fresh / UBATCH, 1.0) if self.cpu else float(np.ceil(fresh / UBATCH))
        tokens = min(fresh, float(UBATCH))
        parts = (
            quotient("arithmetic", work, (flop,), self.prompts, note=self.work_note),
            quotient(
                "reads",
                read,
                (Factor(passes, "count", "passes"), Factor(self._bytes(tokens), "bytes")),
                self.bandwidth,
                note=self.read_note,
            ),
        )
        power = one(getattr(speed, "overlap", NORM), 0)
        first = Term(
            "first step", one(speed.step(np.array([n])), 0), note="as an output token's, without other prompts"
        )
        terms = [
            Term("scheduling", float(speed.schedule)),
            Term("prompt", both, parts=parts, joined="powers", power=power),
        ]
        if isinstance(speed, GgufSpeed):
            terms += [Term("attention", found[3]), counted("passes", found[4], passes, "passes"), self._overhead()]
            alone = sum(term.value for term in terms[1:])
            together = one(speed.pipeline, 0)
            terms.append(Term("cards at work together", alone / together - alone, note=f"prompt / {together:.3g}"))
        else:
            terms.append(self._overhead())
        terms.append(first)
        return tuple(term for term in terms if term.value)
