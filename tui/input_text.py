"""The workload's values as text: how each is shown, and how what a person types is read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from models import catalog
from models.errors import InputError, UnknownNameError, brief
from models.quantize import CLASSES
from models.speculation import METHODS, speculation
from models.traffic import TTFT_AT
from tui import format as fmt
from tui.preset import apply_preset, own

if TYPE_CHECKING:
    from models.traffic import Workload

NONE_WORDS = frozenset({"", "none", "no", "off", "any", "-", fmt.MISSING})
ECHOED = 40
"""Characters of a typed value that a message under the field repeats."""
_BARE_MS = 60
"""A TTFT typed without a unit is in seconds below this and in milliseconds from it on."""
_NUMBER = re.compile(r"([+-]?(?:[0-9][0-9_,\u202f\u00a0 ]*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*(.*)")


def _split(text: str, what: str) -> tuple[float, str]:
    found = _NUMBER.fullmatch(text.strip())
    if not found:
        raise InputError(f"{what} is a number, not {brief(text.strip(), ECHOED)}.")
    return float(re.sub(r"[_,\s\u202f\u00a0]", "", found[1])), found[2].strip().lower()


def whole(text: str, what: str) -> int:
    """A typed number of tokens: "512", "4 096", "128k"."""
    value, unit = _split(text, what)
    if unit in {"", "tok", "tokens"} and not value.is_integer():
        raise InputError(
            f"{what} is a whole number of tokens, not {brief(text.strip(), ECHOED)}.", hint="512, 4096, 1.5k."
        )
    scale = {"": 1, "k": 1000, "m": 1_000_000, "tok": 1, "tokens": 1}.get(unit)
    if scale is None:
        raise InputError(f"{what} is a number of tokens: 512, 4096 or 128k.")
    return round(value * scale)


# preset and formats


def read_preset(workload: Workload, text: str) -> Workload:
    """A preset by its name; "own" is what a workload without one shows, and changes nothing."""
    return workload if text.strip() == "own" else apply_preset(workload, catalog.preset(text.strip()))


def read_quant(workload: Workload, text: str) -> Workload:
    """A class or a number format; an unknown one is answered with its neighbours."""
    name = text.strip().lower().replace("-bit", "bit").replace(" bit", "bit")
    if name in CLASSES:
        return workload.changed(quant=name)
    try:
        return workload.changed(quant=catalog.quant(text.strip()).key)
    except UnknownNameError as error:
        hint = f"{', '.join(CLASSES)}, or a format such as {', '.join(error.nearest or ('fp8', 'awq', 'q4_k_m'))}."
        raise InputError(f"Unknown quantization {brief(text.strip(), ECHOED)}.", hint=hint) from error


def read_kv(workload: Workload, text: str) -> Workload:
    """A format of the KV cache."""
    catalog.kv_quant(text.strip())
    return workload.changed(kv_quant=text.strip().lower())


def show_engine(workload: Workload) -> str:
    """The engine, and how tokens are guessed where they are."""
    return workload.engine if workload.speculative is None else f"{workload.engine} {workload.speculative}"


def read_engine(workload: Workload, text: str) -> Workload:
    """An engine, with a method of speculative decoding behind it if one is wished: "vllm mtp:3"."""
    engine: list[str] = []
    guess = None
    for word in text.split():
        if re.split(r"[:@]", word.lower())[0] in METHODS:
            guess = speculation(word)
        else:
            engine.append(word)
    named = _engine(workload, " ".join(engine)) if engine or guess is None else workload
    return named.changed(speculative=guess)


def _engine(workload: Workload, text: str) -> Workload:
    """An engine by one of its names, or "auto"."""
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


def read_shared(workload: Workload, text: str) -> Workload:
    """The share of the prompt that is cached, in percent."""
    return own(workload.changed(prefix_hit=_percent(text, "The cached share", 0)))


def read_utilization(workload: Workload, text: str) -> Workload:
    """The share of a server's capacity that is planned with, in percent."""
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
    return f"{bare}; 5/s, 30/min, or 5 users (users at once, each asks again as soon as it is answered)"


def read_traffic(workload: Workload, text: str) -> Workload:
    """Requests in a time, or users at once; a bare number is in the unit that is shown."""
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


def show_ttft(workload: Workload) -> str:
    """The TTFT target with its unit, or "none"."""
    if workload.ttft_ms is None:
        return "none"
    tail = "" if workload.ttft_at == "mean" else f" {workload.ttft_at}"
    time = f"{fmt.plain(workload.ttft_ms)} ms" if workload.ttft_ms < 1000 else f"{fmt.plain(workload.ttft_ms / 1000)} s"
    return time + tail


def read_ttft(workload: Workload, text: str) -> Workload:
    """The TTFT target: a time, "mean" or "p95" with it, or a word for none."""
    if text.strip().lower() in NONE_WORDS:
        return own(workload.changed(ttft_ms=None))
    words = text.lower().split()
    at = next((word for word in TTFT_AT if word in words), workload.ttft_at)
    text = " ".join(word for word in words if word not in TTFT_AT)
    if not text and workload.ttft_ms is not None:
        return own(workload.changed(ttft_at=at))
    value, unit = _split(text, "The TTFT target")
    if unit not in {"", "s", "ms"}:
        raise InputError("The TTFT target is a time: 2 s, 450 ms, 2 s p95, or none.")
    in_ms = unit == "ms" or (not unit and value >= _BARE_MS)
    return own(workload.changed(ttft_ms=value if in_ms else value * 1000, ttft_at=at))


def show_user_speed(workload: Workload) -> str:
    """The TPOT target as tokens per second that each user sees, or "none"."""
    return "none" if workload.tpot_ms is None else fmt.plain(1000 / workload.tpot_ms, 3)


def read_user_speed(workload: Workload, text: str) -> Workload:
    """The speed target: tokens a second for each user, ms between tokens, or a word for none."""
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
