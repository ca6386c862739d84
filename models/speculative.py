"""Speculative decoding and multi-token prediction: how much faster a token comes, by acceptance, draft and batch.

A step drafts k tokens a sequence, checks k + 1 positions at once and keeps the accepted prefix: on average
(1 - a^(k+1)) / (1 - a) tokens, if each draft is accepted with probability a. Checking reads the weights once, as a plain step does,
and multiplies k + 1 times as much: free where reading is the limit, paid in full where arithmetic is. That is why the gain falls with
the batch, and can fall below 1. Not fitted: few figures are public, and the band is wide.

What was measured: heads for several tokens in llama.cpp, one stream, median 1.79x over 32 pairs; three drafted tokens on MI355X 2.7x at
4 streams falling to 1.5x at 128; EAGLE 1.3 to 1.66x (published benchmarks, collected 2026-11).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from models.gpu_speed import GpuSpeed

if TYPE_CHECKING:
    from models.streaming import StreamSpeed

Array = NDArray[np.float64]

ACCEPTANCE = {"mtp": 0.8, "eagle": 0.6, "draft": 0.65, "ngram": 0.3}
"""Probability that one drafted token is kept, where the workload's own is not known: what the gains above mean with the costs below.
`draft` and `ngram` are assumed, they depend on the text most of all."""
DRAFT_COST = {"mtp": 0.04, "eagle": 0.1, "draft": 0.1, "ngram": 0.0}
"""Time of one drafted token as a share of a plain step at one stream: a head is one layer of some tens, a draft model a tenth."""
BAND = (0.6, 1.35)
"""Measured over estimated gain: from acceptances of 0.5 to 0.9 in the same place. Not fitted."""
BASIS = "extrapolated"


@dataclass(slots=True)
class Gain:
    """Plain over speculative time per output token, and its band."""

    factor: Array
    low: Array
    high: Array
    tokens: Array
    """Tokens a step keeps on average."""


def expected_tokens(acceptance: Any, drafted: Any) -> Array:
    """Tokens a step keeps with `drafted` guesses that are each accepted with probability `acceptance` (0..1): the prefix and one more."""
    a = np.clip(np.asarray(acceptance, dtype=np.float64), 0.0, 1.0)
    k = np.asarray(drafted, dtype=np.float64)
    rest = np.where(a < 1, 1 - a, 1.0)
    result: Array = np.where(a < 1, (1 - a ** (k + 1)) / rest, k + 1)
    return result


def gain(plain_s: Any, check_s: Any, acceptance: Any, drafted: Any, draft_cost: Any = 0.0) -> Gain:
    """How many times faster a token comes.

    Args:
        plain_s: seconds of a plain step; check_s: of one that checks all drafted tokens (at least as long).
        acceptance: of one drafted token, 0..1; drafted: tokens a step guesses, 0 = none.
        draft_cost: of guessing one token, as a share of a plain step.
    """
    plain = np.asarray(plain_s, dtype=np.float64)
    tokens = expected_tokens(acceptance, drafted)
    spent = np.maximum(np.asarray(check_s, dtype=np.float64), plain) + np.asarray(drafted) * draft_cost * plain
    factor: Array = tokens * plain / spent
    return Gain(factor, factor * BAND[0], np.minimum(factor * BAND[1], np.asarray(drafted) + 1.0), tokens)


def check_step(speed: GpuSpeed | StreamSpeed, sequences: Any, drafted: Any) -> Array:
    """Seconds of a step that checks `drafted` + 1 positions of each sequence: arithmetic of all, cache of the sequences once.

    On serving engines the neighbours of a token pick the experts that it picks: with experts picked at random a few streams would gain
    nothing, where 2.7x was measured. What the engine spends on a sequence it spends on a position: each is sampled. llama.cpp's positions
    share a slot.
    """
    n = np.asarray(sequences, dtype=np.float64)
    positions = n * (np.asarray(drafted, dtype=np.float64) + 1)
    spent = speed.step(positions) - (positions - n) * speed.kv_per_sequence
    if not isinstance(speed, GpuSpeed):
        spent = spent - (positions - n) * speed.slot
    else:
        arithmetic = speed.expert_compute * positions
        own = speed.active_experts(n) * speed.expert_weights
        every = speed.active_experts(positions) * speed.expert_weights
        spent = spent - (np.hypot(every, arithmetic) - np.hypot(own, arithmetic))
    result: Array = np.maximum(spent, speed.step(n))
    return result


def gain_of(
    speed: GpuSpeed | StreamSpeed, sequences: Any, method: str, drafted: Any, acceptance: Any | None = None
) -> Gain:
    """The gain of a method (a key of ACCEPTANCE) on hardware with `sequences` running; its usual acceptance if none is given."""
    rate = ACCEPTANCE[method] if acceptance is None else acceptance
    n = np.asarray(sequences, dtype=np.float64)
    return gain(speed.step(n), check_step(speed, n, drafted), rate, drafted, DRAFT_COST[method])
