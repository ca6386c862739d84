"""TPOT and TTFT of a serving engine on GPUs as terms, read off the formulas that gave them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from models.constants import constants
from models.gpu_speed import CHIPS, COMPUTE, ENGINES, LINKS, MEMORIES, PREFILL_CHUNK, either
from models.terms import Factor, Term, counted, named, one, quotient

if TYPE_CHECKING:
    from models.gpu_speed import GpuCase, GpuSpeed

_READS = ("em_f8", "em_f4", "em_f8", "em_w4")
"""Shares of the weight reads by compute class from the second on."""
_RATES = ("mfu_bf", "mfu_f8", "mfu_f4", "mfu_w4", "mfu_w4")

LINK_TERMS = ("between GPUs", "all-reduce starts")
"""What the link between the GPUs of a replica takes of a time."""


class GpuTerms:
    """The terms of case `i`; times of one replica, bytes and FLOP of one of its GPUs."""

    def __init__(self, speed: GpuSpeed, case: GpuCase, i: int, layout: int) -> None:
        """`i` is the place in the speed, `layout` the one in the case."""
        self.speed = speed.take(np.array([i]))
        self.k = constants().gpu
        self.case, self.at = case, layout
        self.gpus = self._of("gpus")
        self.compute = COMPUTE[int(self._of("compute"))]
        self.engine = ENGINES[int(self._of("engine"))]
        self.amd = int(self._of("chip")) == CHIPS.index("amd")
        self.bandwidth = Factor(self._of("bandwidth"), "bytes/s")
        self.peak = Factor(self._of("peak_compute"), "flop/s")

    def _of(self, name: str) -> float:
        return one(getattr(self.case, name), self.at)

    def _now(self, name: str) -> float:
        return one(getattr(self.speed, name), 0)

    def tpot(self, n: float) -> tuple[Term, ...]:
        """Parts of an output token with `n` sequences running, before measured rows move it."""
        speed = self.speed
        head = max(self._now("head_weights"), n * self._now("head_compute"))
        cache = self._of("kv") * self._of("kv_bytes") / max(min(self.gpus, self._of("kv_heads") or 1), 1)
        context = self._now("context")
        reads = Factor(n * cache * context, "bytes")
        plain = not (self._of("mla_layers") or self._of("kv_window") or self._of("state") or self._of("sparse_layers"))
        read_share = named(self.k, "ekv", "amd" if self.amd else "")
        terms = [
            *self._matrices(n, 1.0),
            self._head(head, n),
            quotient("KV cache", n * self._now("kv_per_sequence"), (reads,), self.bandwidth, (read_share,))
            if plain
            else counted("KV cache", n * self._now("kv_per_sequence"), n, "sequences"),
            *self._between(n, self._now("all_reduce_latency"), 1.0),
            *self._launches(1.0),
        ]
        device = sum(term.value for term in terms)
        terms.append(Term("the host is slower", max(self._now("host") - device, 0.0)))
        terms.append(counted("host work", n * self._now("per_sequence"), n, "sequences"))
        step = sum(term.value for term in terms)
        terms.append(Term("this model's kernels", (self._now("own") - 1) * step, note=f"factor {self._now('own'):.3g}"))
        others = one(speed.interference_time(np.array([n])), 0)
        arriving = max(n - 1, 0) / self._now("o")
        terms.append(counted("prompts of other requests", others, arriving, "prompts a token"))
        return tuple(term for term in terms if term.value)

    def ttft(self, n: float) -> tuple[Term, ...]:
        """Parts of the time to the first token, before measured rows move it and without the queue."""
        speed, fresh = self.speed, self._now("fresh")
        steps = float(np.ceil(fresh / PREFILL_CHUNK))
        wait = self._now("wait") * min(max(n - 1, 0.0), 1.0)
        prompt = self._of("input_tokens")
        token = one(speed.steady(np.array([n]))[0], 0) / one(getattr(speed, "near_decode", 1.0), 0)
        terms = [
            Term("scheduling", self._now("schedule")),
            counted("reading the prompt", self._now("tokenise") * prompt, prompt, "tokens"),
            *self._matrices(fresh / steps, steps),
            self._head(self._now("head_weights"), 0.0),
            self._attention(fresh, prompt),
            *self._between(fresh, steps * self._now("all_reduce_latency"), steps),
            *self._launches(steps),
            counted("steps it waits for", wait * token, wait, "steps"),
        ]
        return tuple(term for term in terms if term.value)

    def _matrices(self, tokens: float, steps: float) -> list[Term]:
        """Weight reads and arithmetic of `steps` steps of so many tokens, dense and expert parts apart."""
        case, k, g = self._of, self.k, self.gpus
        split, copied, dense = case("attention") / g, case("attention_replicated"), case("dense") / g
        held = (split + copied) * case("attention_bytes") + dense * case("weight_bytes")
        terms = [self._both(
            "weights", (self._now("weights"), held), (self._now("dense_compute") * tokens, 2 * (split + copied + dense) * tokens),
            (self._read_share(), self._rate_share()), steps,
        )]  # fmt: skip
        if case("experts"):
            active = one(self.speed.active_experts(np.array([tokens])), 0)
            each = case("moe_layers") * case("expert") / g
            four = COMPUTE.index(self.compute) >= COMPUTE.index("f4")
            wide = COMPUTE.index(self.compute) >= COMPUTE.index("w8")
            shares = (
                (*self._read_share(), named(k, "em_moe_4bit" if four else "em_moe")),
                (*self._rate_share(), named(k, "moe_cf_w4" if wide else "moe_cf")),
            )
            terms.append(self._both(
                f"experts ({active:.3g} of {case('experts'):.0f} read)",
                (active * self._now("expert_weights"), active * each * case("weight_bytes")),
                (self._now("expert_compute") * tokens, 2 * each * case("experts_per_token") * tokens), shares, steps,
            ))  # fmt: skip
        return terms

    def _both(
        self,
        name: str,
        read: tuple[float, float],
        work: tuple[float, float],
        shares: tuple[tuple[tuple[str, float], ...], tuple[tuple[str, float], ...]],
        steps: float,
    ) -> Term:
        """A kernel that reads and computes at once: (seconds, bytes) and (seconds, FLOP) of one step."""
        times = (Factor(steps, "count", "steps"),) if steps > 1 else ()
        parts = (
            quotient("reads", read[0] * steps, (*times, Factor(read[1], "bytes")), self.bandwidth, shares[0]),
            quotient("arithmetic", work[0] * steps, (*times, Factor(work[1], "flop")), self.peak, shares[1]),
        )
        return Term(name, steps * float(either(np.array(read[0]), np.array(work[0]))), parts=parts, joined="squares")

    def _read_share(self) -> tuple[tuple[str, float], ...]:
        k = self.k
        own = named(k, "em_amd", self.engine) if self.amd else named(k, "em", MEMORIES[int(self._of("memory_class"))])
        place = COMPUTE.index(self.compute)
        more = (named(k, _READS[place - 1]),) if place else ()
        blackwell = int(self._of("chip")) == CHIPS.index("nvidia_hbm_blackwell")
        return (own, *more, *((named(k, "em_f8_blackwell"),) if blackwell and self.compute == "f8" else ()))

    def _rate_share(self) -> tuple[tuple[str, float], ...]:
        k, chip = self.k, CHIPS[int(self._of("chip"))]
        factor = named(k, "cf_amd", self.engine) if self.amd else named(k, "cf", chip)
        room = self._of("power_room")
        power = (("power limit", room ** k["power"]),) if room < 1 else ()
        return (named(k, _RATES[COMPUTE.index(self.compute)]), *((factor,) if factor[1] != 1 else ()), *power)

    def _head(self, seconds: float, n: float) -> Term:
        """The output head in 16 bits: its read, or its arithmetic where that takes longer."""
        weights = self._of("head") / self.gpus
        if seconds > self._now("head_weights"):
            peak = Factor(self._of("peak_16bit"), "flop/s")
            return quotient("output head", seconds, (Factor(2 * weights * n, "flop"),), peak, (self._rate_share()[0],))
        return quotient("output head", seconds, (Factor(2 * weights, "bytes"),), self.bandwidth, self._read_share()[:1])

    def _attention(self, fresh: float, prompt: float) -> Term:
        """The prompt's tokens over all before them."""
        width = self._of("query") * (prompt - fresh / 2)
        if self._of("sparse_layers") or self._of("query_window"):
            return Term("attention", self._now("attention"))
        rate = Factor(self.gpus * self._of("peak_16bit"), "flop/s")
        work = (Factor(4 * fresh * width, "flop"),)
        return quotient("attention", self._now("attention"), work, rate, note="from mfu_att, att_half")

    def _between(self, tokens: float, latency: float, steps: float) -> list[Term]:
        """All-reduces between the GPUs of a replica."""
        if self.gpus <= 1:
            return []
        moved = self._now("all_reduce_per_token") * tokens
        amount = 4 * self._of("layers") * (self.gpus - 1) / self.gpus * self._of("hidden") * 2 * tokens
        kind = LINKS[int(self._of("link_class"))]
        share = [named(self.k, "lb", kind)]
        if kind == "pcie_host":
            share.append(("shared paths", (2 / max(self.gpus, 2)) ** self.k["host_link_exp"]))
        link = Factor(self._of("link"), "bytes/s")
        rounds = 2 * self._of("layers") * steps
        return [
            quotient(LINK_TERMS[0], moved, (Factor(amount, "bytes"),), link, tuple(share)),
            counted(LINK_TERMS[1], latency, rounds, "all-reduces"),
        ]

    def _launches(self, steps: float) -> list[Term]:
        """Kernel launches, layer by layer."""
        layers = self._of("layers") * steps
        return [
            counted("launches", self._now("layer_overhead") * steps, layers, "layers"),
            Term("launches of experts, MLA", self._now("kernel_overhead") * steps),
        ]
