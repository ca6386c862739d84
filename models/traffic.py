"""What the user serves: model, lengths, traffic, latency targets."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from models.errors import RangeError, WorkloadError, brief, known

if TYPE_CHECKING:
    from models.beside import Companion
    from models.lengths import Lengths
    from models.llm import LLM
    from models.speculation import Speculation


FULL = 1024
"""Users that ask a server for all it has: more than any replica runs."""
TTFT_AT = ("mean", "p95")


@dataclass(frozen=True, slots=True)
class Preset:
    """A named traffic profile with its latency targets and where they come from."""

    name: str
    title: str
    input_tokens: int
    output_tokens: int
    ttft_ms: float | None
    tpot_ms: float | None
    prefix_hit: float
    requests_per_s: float
    assumed: tuple[str, ...]
    """Fields without a public source."""
    source: str
    source_date: str
    ttft_at: str = "mean"
    """What the TTFT target is for: the mean, or p95 where the use breaks on the tail (speech)."""


LEAST_RPS, MOST_RPS, MOST_USERS = 1e-6, 1e7, 10_000_000
"""Traffic that a workload may have."""


@dataclass(frozen=True, slots=True)
class Workload:
    """One question to the estimator; exactly one of `requests_per_s` (open loop) and `concurrency` (closed loop) is set."""

    model: LLM
    quant: str = "8bit"
    """A format (fp8, q4_k_m) or a class (4bit, 8bit, 16bit)."""
    kv_quant: str = "16bit"
    engine: str = "auto"
    input_tokens: int = 1155
    output_tokens: int = 211
    requests_per_s: float | None = 1.0
    concurrency: int | None = None
    ttft_ms: float | None = 2000.0
    tpot_ms: float | None = 200.0
    prefix_hit: float = 0.0
    """Share of the prompt already in the prefix cache."""
    utilization: float = 1.0
    """Planned share of goodput, 0 to 1."""
    preset: str | None = "chat"
    ttft_at: str = "mean"
    """Which TTFT the target is compared with: the mean, or p95 (95 of 100 requests stay below)."""
    speculative: Speculation | None = None
    """Guessing tokens ahead; None = not."""
    beside: tuple[Companion, ...] = ()
    """Embedding and reranking models that every request passes first, on the same server."""
    lengths: Lengths | None = None
    """How prompts differ in length, around `input_tokens`; None = all are as long."""

    def __post_init__(self) -> None:
        if (self.requests_per_s is None) == (self.concurrency is None):
            raise WorkloadError(
                "A workload has either requests per second or a number of concurrent users.",
                hint="Give --rps or --concurrency, not both.",
            )
        if self.ttft_at not in TTFT_AT:
            raise WorkloadError(
                f"The TTFT target is compared with the mean or with p95, not with {brief(self.ttft_at)}."
            )
        rules: tuple[tuple[str, float | None, float, float], ...] = (
            ("--input-tokens", self.input_tokens, 1, 10_000_000),
            ("--output-tokens", self.output_tokens, 1, 1_000_000),
            ("--rps", self.requests_per_s, LEAST_RPS, MOST_RPS),
            ("--concurrency", self.concurrency, 1, MOST_USERS),
            ("--ttft-ms", self.ttft_ms, 0.001, 1e9),
            ("--tpot-ms", self.tpot_ms, 0.001, 1e9),
            ("--prefix-hit", self.prefix_hit, 0, 1),
            ("--utilization", self.utilization, 0.01, 1),
        )
        for flag, value, low, high in rules:
            if value is not None and not (math.isfinite(value) and low <= value <= high):
                raise RangeError(flag, value, low, high)

    @property
    def has_targets(self) -> bool:
        """Whether a latency is asked for; without one the question is what a single server does."""
        return self.ttft_ms is not None or self.tpot_ms is not None

    @property
    def full(self) -> bool:
        """Whether it asks a server for all it has: no targets, and more users than any replica runs."""
        return self.concurrency == FULL and not self.has_targets

    @property
    def ttft_column(self) -> str:
        """The figure that the TTFT target is compared with."""
        return "ttft_ms" if self.ttft_at == "mean" else "ttft_p95_ms"

    @property
    def ttft_name(self) -> str:
        """What that figure is called."""
        return "TTFT" if self.ttft_at == "mean" else "TTFT p95"

    def scaled(self, times: float) -> Workload:
        """The same workload with `times` the traffic, whole users, as far as traffic goes."""
        if self.requests_per_s is not None:
            return self.changed(requests_per_s=min(max(self.requests_per_s * times, LEAST_RPS), MOST_RPS))
        return self.changed(concurrency=min(math.ceil(known(self.concurrency) * times - 1e-9), MOST_USERS))

    def at_full_speed(self) -> Workload:
        """The same requests as a job: as many at once as a server takes, no targets."""
        return self.changed(concurrency=FULL, ttft_ms=None, tpot_ms=None, preset=None)

    def changed(self, **changes: Any) -> Workload:
        """The same workload with some fields replaced; setting one kind of traffic clears the other, one length the spread of lengths."""
        if "input_tokens" in changes:
            changes.setdefault("lengths", None)
        if changes.get("requests_per_s") is not None:
            changes.setdefault("concurrency", None)
        if changes.get("concurrency") is not None:
            changes.setdefault("requests_per_s", None)
        return replace(self, **changes)
