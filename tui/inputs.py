"""The workload's inputs: what each is called, and how it is shown, read from what a person types, and stepped."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from models import catalog
from models.errors import InputError, RackrateError, brief
from tui import format as fmt
from tui.input_steps import (
    SHARES,
    TOKENS,
    UTILIZATION,
    next_rung,
    step_any_quant,
    step_engine,
    step_kv,
    step_model,
    step_preset,
    step_traffic,
    step_ttft,
    step_user_speed,
)
from tui.input_text import (
    ECHOED,
    read_engine,
    read_kv,
    read_preset,
    read_quant,
    read_shared,
    read_traffic,
    read_ttft,
    read_user_speed,
    read_utilization,
    show_engine,
    show_traffic,
    show_traffic_narrow,
    show_ttft,
    show_user_speed,
    traffic_hint,
    whole,
)
from tui.preset import own

if TYPE_CHECKING:
    from collections.abc import Callable

    from models.traffic import Workload


@dataclass(frozen=True, slots=True)
class Field:
    """One input of the workload bar; `read` raises a RackrateError whose message is shown under the field."""

    id: str
    label: str
    hint: str
    show: Callable[[Workload], str]
    read: Callable[[Workload, str], Workload]
    step: Callable[[Workload, int], Workload]
    """One step up (1) or down (-1); the same workload at the end of the scale."""
    wide: bool = False
    show_narrow: Callable[[Workload], str] | None = None
    """A shorter form of `show` that means the same."""
    hint_now: Callable[[Workload], str] | None = None
    """A hint that depends on what is set."""

    def hint_for(self, workload: Workload) -> str:
        """What can be typed into the field."""
        return self.hint_now(workload) if self.hint_now is not None else self.hint

    def shown_in(self, workload: Workload, width: int) -> str:
        """The value, in its shorter form where it would not fit."""
        text = self.show(workload)
        return self.show_narrow(workload) if self.show_narrow is not None and len(text) > width else text


FIELDS: tuple[Field, ...] = (
    Field("preset", "Preset", "chat, rag, agent, voice, batch, ...: lengths and targets of a known kind of traffic",
          lambda w: w.preset or "own", read_preset, step_preset),
    Field("model", "Model", "a name, a Hugging Face id, or the path of a config.json",
          lambda w: w.model.name, lambda w, text: w.changed(model=catalog.llm(text.strip())), step_model, wide=True),
    Field("quant", "Quant", "16bit, 8bit, 4bit (each engine's own format), or a format: fp8, awq, nvfp4, q4_k_m, ...",
          lambda w: w.quant, read_quant, step_any_quant),
    Field("kv_quant", "KV", "format of the KV cache: 16bit, fp8, int8, q8_0, q4_0, nvfp4",
          lambda w: w.kv_quant, read_kv, step_kv),
    Field("engine", "Engine", "auto (vLLM on GPUs, llama.cpp on CPUs), or vllm, sglang, ...; behind it speculative decoding: mtp:3",
          show_engine, read_engine, step_engine),
    Field("input_tokens", "Prompt", "tokens of a prompt: 512, 4096, 128k",
          lambda w: f"{w.input_tokens:,}", lambda w, text: own(w.changed(input_tokens=whole(text, "The prompt length"))),
          lambda w, d: own(w.changed(input_tokens=int(next_rung(TOKENS, w.input_tokens, d)))),
          show_narrow=lambda w: str(w.input_tokens)),
    Field("prefix_hit", "Cached", "percent of the prompt that is already in the prefix cache: 0 to 100",
          lambda w: f"{fmt.plain(w.prefix_hit * 100, 3)} %", read_shared,
          lambda w, d: own(w.changed(prefix_hit=next_rung(SHARES, w.prefix_hit * 100, d) / 100))),
    Field("output_tokens", "Output", "tokens of an answer: 256, 1024, 4k",
          lambda w: f"{w.output_tokens:,}", lambda w, text: own(w.changed(output_tokens=whole(text, "The answer length"))),
          lambda w, d: own(w.changed(output_tokens=int(next_rung(TOKENS[:-1], w.output_tokens, d)))),
          show_narrow=lambda w: str(w.output_tokens)),
    Field("traffic", "Traffic", "requests per second, or users at once: 2 req/s, 30 req/min, 32 users",
          show_traffic, read_traffic, step_traffic, show_narrow=show_traffic_narrow, hint_now=traffic_hint),
    Field("ttft_ms", "TTFT ≤", "longest time to the first token, on average or for 95 of 100: 2 s, 450 ms, 2 s p95, none",
          show_ttft, read_ttft, step_ttft),
    Field("tpot_ms", "tok/s ≥", "slowest output for each user, in tokens per second: 20, or ms between tokens: 50 ms, none",
          show_user_speed, read_user_speed, step_user_speed),
    Field("utilization", "Util", "percent of what a server can carry that is planned with: 70 leaves room for peaks, 100 fills it",
          lambda w: f"{fmt.plain(w.utilization * 100, 3)} %", read_utilization,
          lambda w, d: w.changed(utilization=next_rung(UTILIZATION, w.utilization * 100, d) / 100)),
)  # fmt: skip

_FLAGS = {
    "--input-tokens": "The prompt length",
    "--output-tokens": "The answer length",
    "--rps": "The traffic",
    "--concurrency": "The number of users",
    "--ttft-ms": "The TTFT target in ms",
    "--tpot-ms": "The time between tokens in ms",
    "--prefix-hit": "The cached share",
    "--utilization": "The utilization",
}


_EXPONENT = re.compile(r"(?<![\w.'])-?\d+(?:\.\d+)?e[+-]\d+\b|(?<![\w.'/-])\d{5,}(?![\w.'/-])")


def _in_full(text: str) -> str:
    """1e+07 as people write it: 10,000,000."""
    value = float(text)
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e15 else text if abs(value) >= 1 else f"{value:.6f}"


def read(field: Field, workload: Workload, text: str) -> Workload:
    """A typed value put into the workload; raises RackrateError with a sentence in the words of the screen."""
    try:
        return field.read(workload, text)
    except RackrateError as error:
        message = error.message
        for flag, words in _FLAGS.items():
            message = message.replace(flag, words)
        message = _EXPONENT.sub(lambda found: _in_full(found[0]), message)
        hint = (
            error.hint
            if error.hint and "`rackrate" not in error.hint and "--" not in error.hint
            else f"{field.hint_for(workload)}."
        )
        raise InputError(message, hint=hint) from error
    except (OverflowError, ValueError) as error:
        raise InputError(f"{field.label} cannot be {brief(fmt.clean(text.strip()), ECHOED)}.") from error


BY_ID = {field.id: field for field in FIELDS}
