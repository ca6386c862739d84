"""Speeds with speculative decoding: the same formulas whose decode steps check guessed tokens."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from models import catalog
from models.derived import derived
from models.speculative import ACCEPTANCE, gain_of

if TYPE_CHECKING:
    from models.engine_choice import Choice
    from models.gpu_speed import GpuSpeed
    from models.layout import Layouts
    from models.llm import LLM
    from models.speculation import Speculation
    from models.streaming import StreamSpeed

Array = NDArray[np.float64]

DRAFT_SHARE = 0.1
"""Weights of a draft model over the model's own: what its time of a tenth of a step means (assumed)."""

CANNOT = {
    "vllm-cpu": "vLLM's CPU backend refuses to start with speculative decoding; llama.cpp does it",
    "ollama": "Ollama has no setting for speculative decoding; llama.cpp has",
}
"""Engines that do not do it, by catalog key or class of constants (github.com: vllm-project/vllm issue 28384 of 2025-11-10, ollama/ollama
issue 5800, open; read 2026-12). vLLM, SGLang, TensorRT-LLM and llama.cpp document heads, draft models and n-grams; nothing is known of the
others, and they are let through."""


class _Guessed:
    """A speed whose decode steps check guessed tokens; only accepted tokens count."""

    guess: Speculation

    def steady(self, sequences: Any) -> tuple[Array, Array, Array]:
        """See the formulas; prompts of others interrupt as before, so only the step's own share of TPOT becomes shorter."""
        tpot, ttft, prompt = super().steady(sequences)  # type: ignore[misc]
        share = np.clip(self.step(sequences) / np.maximum(self.tpot(sequences), 1e-12), 0.0, 1.0)  # type: ignore[attr-defined]
        return tpot * (1 - share + share / self.gained(sequences)), ttft, prompt

    def gained(self, sequences: Any) -> Array:
        """Plain over speculative time of a decode step with so many sequences."""
        some = gain_of(self, sequences, self.guess.method, self.guess.drafted, self.guess.acceptance)  # type: ignore[arg-type]
        return some.factor


def guessed(speed: GpuSpeed | StreamSpeed, guess: Speculation) -> GpuSpeed | StreamSpeed:
    """The same speed with speculative decoding."""
    found: GpuSpeed | StreamSpeed = derived(speed, _Guessed, guess=guess)
    return found


def able(chosen: Choice, asked: str) -> Choice:
    """The same choice of engine, or the reason why that engine (or the one `asked` for) cannot guess."""
    key = "auto" if asked == "auto" else catalog.engine(asked).key
    reason = CANNOT.get(chosen.engine) or CANNOT.get(key, "")
    return replace(chosen, quant=None, reason=reason) if reason and chosen.quant is not None else chosen


def extra_share(llm: LLM, guess: Speculation) -> float:
    """Weights that guessing adds, over the model's own: a layer for a head, a tenth for a draft model, none for n-grams."""
    if guess.method == "ngram":
        return 0.0
    return DRAFT_SHARE if guess.method == "draft" else 1.0 / max(llm.layers, 1)


def guess_layouts(layouts: Layouts, llm: LLM, guess: Speculation) -> None:
    """Put speculative decoding into candidate layouts: shorter steps, and the memory of what guesses."""
    layouts.speed = guessed(layouts.speed, guess)
    take_memory(layouts, layouts.weights_each * extra_share(llm, guess))


def take_memory(layouts: Layouts, gib: Array | float) -> None:
    """GiB of each device that are not the model's any more; what no longer holds a request does not fit."""
    layouts.pool = layouts.pool - gib
    layouts.fits = layouts.fits & (layouts.pool > 0) & (layouts.pool >= layouts.each)


def words(llm: LLM, guess: Speculation, factor: float) -> str:
    """What guessing does at a server's load, in a sentence or two."""
    kept = guess.acceptance if guess.acceptance is not None else ACCEPTANCE[guess.method]
    assumed = "" if guess.acceptance is not None else " assumed"
    what = f"Speculative decoding ({guess.method}, {guess.drafted} a step, {kept * 100:.0f} % kept{assumed})"
    # The catalog counts the heads of some releases only, so none counted is no proof that there are none.
    doubt = (
        f" The catalog knows of no such heads in {llm.name}." if guess.method == "mtp" and not llm.params_mtp else ""
    )
    if factor < 1:
        return f"{what} decodes {1 / factor:.2f}x slower at this load: checking costs more than it saves.{doubt}"
    return f"{what} decodes {factor:.2f}x faster at this load; the gain falls with the number of users.{doubt}"
