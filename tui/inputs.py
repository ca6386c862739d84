"""The workload's inputs: how each is shown, read from what a person types, and stepped."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from models import catalog
from models.errors import InputError, RackrateError, UnknownNameError, brief
from models.quantize import CLASSES, is_gguf
from tui import format as fmt

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from models.traffic import Preset, Workload

NONE_WORDS = frozenset({"", "none", "no", "off", "any", "-", fmt.MISSING})
_TOKENS = (16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576)
_RATES = tuple(base * 10**power for power in range(-3, 5) for base in (1, 2, 5))
_USERS = tuple(2**power for power in range(20))
_TTFT_S = (0.1, 0.15, 0.2, 0.3, 0.45, 0.6, 1, 1.5, 2, 3, 4.5, 6, 10, 15, 30, 60)
_USER_SPEED = (1, 2, 3, 5, 7.5, 10, 12.5, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200)
_SHARES = tuple(range(0, 100, 10))
_UTILIZATION = tuple(range(10, 101, 10))
_ECHOED = 40
"""Characters of a typed value that a message under the field repeats."""
_BARE_MS = 60
"""A TTFT typed without a unit is in seconds below this and in milliseconds from it on."""


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


# reading numbers

_NUMBER = re.compile(r"([+-]?(?:[0-9][0-9_,\u202f\u00a0 ]*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*(.*)")


def _split(text: str, what: str) -> tuple[float, str]:
    found = _NUMBER.fullmatch(text.strip())
    if not found:
        raise InputError(f"{what} is a number, not {brief(text.strip(), _ECHOED)}.")
    return float(re.sub(r"[_,\s\u202f\u00a0]", "", found[1])), found[2].strip().lower()


def _whole(text: str, what: str) -> int:
    value, unit = _split(text, what)
    scale = {"": 1, "k": 1000, "m": 1_000_000, "tok": 1, "tokens": 1}.get(unit)
    if scale is None:
        raise InputError(f"{what} is a number of tokens: 512, 4096 or 128k.")
    return round(value * scale)


def _next(ladder: Sequence[float], value: float, direction: int) -> float:
    """The next rung above or below a value; the value itself at the ends."""
    if direction > 0:
        return next((rung for rung in ladder if rung > value * 1.0001), value)
    return next((rung for rung in reversed(ladder) if rung < value * 0.9999), value)


def _around(choices: Sequence[str], current: str, direction: int) -> str:
    """The next of some names, ending at the ends; an unknown one starts at the first."""
    if current not in choices:
        return choices[0]
    return choices[max(0, min(len(choices) - 1, choices.index(current) - direction))]


# preset


def apply_preset(workload: Workload, preset: Preset) -> Workload:
    """A preset's lengths, targets and cached share; the traffic too where it is still a preset's own."""
    changes = {
        "input_tokens": preset.input_tokens,
        "output_tokens": preset.output_tokens,
        "ttft_ms": preset.ttft_ms,
        "tpot_ms": preset.tpot_ms,
        "prefix_hit": preset.prefix_hit,
        "preset": preset.name,
    }
    before = next((one for one in catalog.presets() if one.name == workload.preset), None)
    if before is not None and workload.requests_per_s == before.requests_per_s:
        changes["requests_per_s"] = preset.requests_per_s
    return workload.changed(**changes)


def _read_preset(workload: Workload, text: str) -> Workload:
    return workload if text.strip() == "own" else apply_preset(workload, catalog.preset(text.strip()))


def _step_preset(workload: Workload, direction: int) -> Workload:
    names = [one.name for one in catalog.presets()]
    return apply_preset(workload, catalog.preset(_around(names, workload.preset or "", direction)))


def own(workload: Workload) -> Workload:
    """The workload under its preset's name only while it is what the preset says."""
    known = next((one for one in catalog.presets() if one.name == workload.preset), None)
    same = known is not None and (
        workload.input_tokens,
        workload.output_tokens,
        workload.ttft_ms,
        workload.tpot_ms,
        workload.prefix_hit,
    ) == (known.input_tokens, known.output_tokens, known.ttft_ms, known.tpot_ms, known.prefix_hit)
    return workload if same or workload.preset is None else workload.changed(preset=None)


# model and formats


def _step_model(workload: Workload, direction: int) -> Workload:
    models = sorted(catalog.llms(), key=lambda model: (model.params_total, model.name))
    place = next((i for i, model in enumerate(models) if model.name == workload.model.name), None)
    if place is None:
        return workload
    return workload.changed(model=models[max(0, min(len(models) - 1, place + direction))])


GPU_STEPS = ("bf16", "fp8", "awq", "nvfp4", "mxfp4")
GGUF_STEPS = ("f16", "q8_0", "q6_k", "q5_k_m", "q4_k_m", "q3_k_m", "q2_k")
"""The formats that the stepping keys stop at, from many bits to few; any other can be typed."""


def _read_quant(workload: Workload, text: str) -> Workload:
    name = text.strip().lower().replace("-bit", "bit").replace(" bit", "bit")
    if name in CLASSES:
        return workload.changed(quant=name)
    try:
        return workload.changed(quant=catalog.quant(text.strip()).key)
    except UnknownNameError as error:
        hint = f"{', '.join(CLASSES)}, or a format such as {', '.join(error.nearest or ('fp8', 'awq', 'q4_k_m'))}."
        raise InputError(f"Unknown quantization {brief(text.strip(), _ECHOED)}.", hint=hint) from error


def step_quant(workload: Workload, direction: int) -> Workload:
    """More bits (1) or fewer (-1): along the classes, or along the common formats of the same kind."""
    if workload.quant in CLASSES:
        return workload.changed(quant=_around(CLASSES, workload.quant, direction))
    now = catalog.quant(workload.quant)
    steps = GGUF_STEPS if is_gguf(now) else GPU_STEPS
    # To another size, not to another name of the same size.
    sizes = {key: (catalog.quant(key).bytes_per_weight or 0) - (now.bytes_per_weight or 0) for key in steps}
    if direction > 0:
        return workload.changed(quant=next((key for key in reversed(steps) if sizes[key] > 0.06), workload.quant))
    return workload.changed(quant=next((key for key in steps if sizes[key] < -0.05), workload.quant))


def _step_any_quant(workload: Workload, direction: int) -> Workload:
    return workload.changed(quant=_around([*CLASSES, *GPU_STEPS, *GGUF_STEPS], workload.quant, direction))


KV_NAMES = ("16bit", "fp8", "int8", "q8_0", "q4_0", "nvfp4")


def _read_kv(workload: Workload, text: str) -> Workload:
    catalog.kv_quant(text.strip())
    return workload.changed(kv_quant=text.strip().lower())


def _engine_names() -> list[str]:
    return ["auto", *(engine.key for engine in catalog.engines())]


def _read_engine(workload: Workload, text: str) -> Workload:
    name = text.strip()
    return workload.changed(engine="auto" if name.lower() == "auto" else catalog.engine(name).key)


# lengths, traffic, targets


def _percent(text: str, what: str, low: float) -> float:
    value, unit = _split(text, what)
    if not unit and 0 < value < 1:  # the command line takes a share: 0.5 there is 50 % here
        raise InputError(
            f"{what} is in percent:", hint=f"write {fmt.plain(value * 100)} for {fmt.plain(value * 100)} %."
        )
    if unit not in {"", "%"} or not low <= value <= 100:
        raise InputError(f"{what} is {low:g} to 100 %.")
    return value / 100


def _read_shared(workload: Workload, text: str) -> Workload:
    return own(workload.changed(prefix_hit=_percent(text, "The cached share", 0)))


def _read_utilization(workload: Workload, text: str) -> Workload:
    return workload.changed(utilization=_percent(text, "The utilization", 1))


def _amount(value: float) -> str:
    """Traffic in few characters: 0.8333, 12.5, 839, 1,500, 100k, 1M."""
    if value < 999.5:
        return fmt.plain(value, 4 if value < 100 else 3)
    return fmt.tokens(round(value))


def show_traffic(workload: Workload) -> str:
    """The traffic with its unit: "2 req/s", "32 users", "100k users"."""
    if workload.requests_per_s is not None:
        return f"{_amount(workload.requests_per_s)} req/s"
    users = workload.concurrency or 1
    return f"{fmt.tokens(users)} user{'' if users == 1 else 's'}"


def show_traffic_narrow(workload: Workload) -> str:
    """The traffic with a short unit that can be typed as well: "0.8333/s", "100k u"."""
    return show_traffic(workload).replace(" req/s", "/s").replace(" users", " u").replace(" user", " u")


def traffic_hint(workload: Workload) -> str:
    """What a bare number means now, and the units."""
    bare = "5 = 5 users" if workload.requests_per_s is None else "5 = 5 req/s"
    return f"requests, or users at once: {bare}; 5/s, 30/min, 5 users"


def _read_traffic(workload: Workload, text: str) -> Workload:
    value, unit = _split(text, "The traffic")
    for letter, scale in (("k", 1000), ("m", 1_000_000)):
        if unit == letter or unit.startswith((f"{letter} ", f"{letter}/s")):
            value, unit = value * scale, unit[1:].strip()
    open_loop = workload.requests_per_s is not None
    if unit in {"u", "user", "users", "concurrent"} or (not unit and not open_loop):
        if value != round(value):
            raise InputError("Users are a whole number.")
        return workload.changed(concurrency=round(value))
    per = {
        "": 1,
        "rps": 1,
        "r": 1,
        "req/s": 1,
        "/s": 1,
        "qps": 1,
        "req/min": 60,
        "rpm": 60,
        "/min": 60,
        "req/h": 3600,
        "/h": 3600,
    }.get(unit)
    if per is None:
        raise InputError("Traffic is requests or users: 2 req/s, 30 req/min, 32 users.")
    return workload.changed(requests_per_s=value / per)


def step_traffic(workload: Workload, direction: int) -> Workload:
    """The next rung of traffic above or below: a fixed ladder, so that up and down come back."""
    if workload.requests_per_s is not None:
        return workload.changed(requests_per_s=_next(_RATES, workload.requests_per_s, direction))
    return workload.changed(concurrency=int(_next(_USERS, workload.concurrency or 1, direction)))


def scale_prompt(workload: Workload, factor: float) -> Workload:
    """The same prompt a factor longer or shorter."""
    length = min(max(round(workload.input_tokens * factor), 1), 4_000_000)
    return own(workload.changed(input_tokens=length))


def show_ttft(workload: Workload) -> str:
    """The TTFT target with its unit, or "none"."""
    if workload.ttft_ms is None:
        return "none"
    return f"{fmt.plain(workload.ttft_ms)} ms" if workload.ttft_ms < 1000 else f"{fmt.plain(workload.ttft_ms / 1000)} s"


def _read_ttft(workload: Workload, text: str) -> Workload:
    if text.strip().lower() in NONE_WORDS:
        return own(workload.changed(ttft_ms=None))
    value, unit = _split(text, "The TTFT target")
    if unit not in {"", "s", "ms"}:
        raise InputError("The TTFT target is a time: 2 s, 450 ms, or none.")
    in_ms = unit == "ms" or (not unit and value >= _BARE_MS)
    return own(workload.changed(ttft_ms=value if in_ms else value * 1000))


def _step_ttft(workload: Workload, direction: int) -> Workload:
    if workload.ttft_ms is None:
        return workload if direction > 0 else own(workload.changed(ttft_ms=_TTFT_S[-1] * 1000))
    step = _next(_TTFT_S, workload.ttft_ms / 1000, direction) * 1000
    if direction > 0 and step <= workload.ttft_ms:
        return own(workload.changed(ttft_ms=None))
    return own(workload.changed(ttft_ms=step))


def show_user_speed(workload: Workload) -> str:
    """The TPOT target as tokens per second that each user sees, or "none"."""
    return "none" if workload.tpot_ms is None else fmt.plain(1000 / workload.tpot_ms, 3)


def _read_user_speed(workload: Workload, text: str) -> Workload:
    if text.strip().lower() in NONE_WORDS:
        return own(workload.changed(tpot_ms=None))
    value, unit = _split(text, "The speed target")
    if value == 0:
        return own(workload.changed(tpot_ms=None))
    if value < 0:
        raise InputError("The speed target is more than 0 tokens per second, or none.")
    if unit == "ms":
        return own(workload.changed(tpot_ms=value))
    if unit not in {"", "tok/s", "t/s", "tps"}:
        raise InputError("The speed target is tokens per second for each user, or ms between tokens: 20, 50 ms, none.")
    return own(workload.changed(tpot_ms=float(f"{1000 / value:.8g}")))


def _step_user_speed(workload: Workload, direction: int) -> Workload:
    if workload.tpot_ms is None:
        return own(workload.changed(tpot_ms=1000 / _USER_SPEED[0])) if direction > 0 else workload
    speed = 1000 / workload.tpot_ms
    step = _next(_USER_SPEED, speed, direction)
    if direction < 0 and step >= speed:
        return own(workload.changed(tpot_ms=None))
    return own(workload.changed(tpot_ms=1000 / step))


FIELDS: tuple[Field, ...] = (
    Field("preset", "Preset", "chat, rag, agent, voice, batch, ...: lengths and targets of a known kind of traffic",
          lambda w: w.preset or "own", _read_preset, _step_preset),
    Field("model", "Model", "a name, a Hugging Face id, or the path of a config.json",
          lambda w: w.model.name, lambda w, text: w.changed(model=catalog.llm(text.strip())), _step_model, wide=True),
    Field("quant", "Quant", "16bit, 8bit, 4bit (each engine's own format), or a format: fp8, awq, nvfp4, q4_k_m, ...",
          lambda w: w.quant, _read_quant, _step_any_quant),
    Field("kv_quant", "KV", "format of the KV cache: 16bit, fp8, int8, q8_0, q4_0, nvfp4",
          lambda w: w.kv_quant, _read_kv, lambda w, d: w.changed(kv_quant=_around(KV_NAMES, w.kv_quant, d))),
    Field("engine", "Engine", "auto (vLLM on GPUs, llama.cpp on CPUs), or vllm, sglang, trt-llm, llama.cpp, ...",
          lambda w: w.engine, _read_engine, lambda w, d: w.changed(engine=_around(_engine_names(), w.engine, d))),
    Field("input_tokens", "Prompt", "tokens of a prompt: 512, 4096, 128k",
          lambda w: f"{w.input_tokens:,}", lambda w, text: own(w.changed(input_tokens=_whole(text, "The prompt length"))),
          lambda w, d: own(w.changed(input_tokens=int(_next(_TOKENS, w.input_tokens, d)))),
          show_narrow=lambda w: str(w.input_tokens)),
    Field("prefix_hit", "Cached", "percent of the prompt that is already in the prefix cache: 0 to 100",
          lambda w: f"{fmt.plain(w.prefix_hit * 100, 3)} %", _read_shared,
          lambda w, d: own(w.changed(prefix_hit=_next(_SHARES, w.prefix_hit * 100, d) / 100))),
    Field("output_tokens", "Output", "tokens of an answer: 256, 1024, 4k",
          lambda w: f"{w.output_tokens:,}", lambda w, text: own(w.changed(output_tokens=_whole(text, "The answer length"))),
          lambda w, d: own(w.changed(output_tokens=int(_next(_TOKENS[:-1], w.output_tokens, d)))),
          show_narrow=lambda w: str(w.output_tokens)),
    Field("traffic", "Traffic", "requests per second, or users at once: 2 req/s, 30 req/min, 32 users",
          show_traffic, _read_traffic, step_traffic, show_narrow=show_traffic_narrow, hint_now=traffic_hint),
    Field("ttft_ms", "TTFT ≤", "longest mean time to the first token: 2 s, 450 ms, none",
          show_ttft, _read_ttft, _step_ttft),
    Field("tpot_ms", "tok/s ≥", "slowest output for each user, in tokens per second: 20, or ms between tokens: 50 ms, none",
          show_user_speed, _read_user_speed, _step_user_speed),
    Field("utilization", "Util", "percent of what a server can carry that is planned with: 70 leaves room for peaks, 100 fills it",
          lambda w: f"{fmt.plain(w.utilization * 100, 3)} %", _read_utilization,
          lambda w, d: w.changed(utilization=_next(_UTILIZATION, w.utilization * 100, d) / 100)),
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
        raise InputError(f"{field.label} cannot be {brief(fmt.clean(text.strip()), _ECHOED)}.") from error


BY_ID = {field.id: field for field in FIELDS}
