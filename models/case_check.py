"""What a question to `rackrate estimate` may hold: ranges of its numbers, and cells that contradict each other."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from models.errors import InputError, brief, known

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from models.case_input import Case

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
WHOLE: Final = {
    "concurrency": (1, 10_000_000),
    "max_model_len": (1, 10_000_000),
    "sockets": (1, 16),
    "tp": (1, 1024),
    "pp": (1, 1024),
    "ep": (1, 1024),
    "dp_attention": (0, 1024),
}
"""Whole numbers: tokens and users as the flags have them; of GPUs in a group and of sockets more than any server has (our bounds)."""
RANGES: Final = {
    "input_tokens": (0.0, 1e7),
    "output_tokens": (0.0, 1e6),
    "request_rate_rps": (1e-6, 1e7),
    "cores_used": (0.1, 4096.0),
    "memory_channels": (1.0, 64.0),
    "memory_mts": (100.0, 50_000.0),
    "usable_vram_gib": (0.1, 4096.0),
}
CPU_ONLY: Final = ("sockets", "cores_used", "memory_channels", "memory_mts")
_OVER: Final = 1.1
"""Usable memory above the card's by this much is another card: names round 93.1 GiB to 94 or 96 GB."""
_WITHOUT_DECODE: Final = frozenset({"bench", "startup"})


def check_text(raw: Mapping[str, str], names: Iterable[str]) -> None:
    """Raise InputError for a cell with control characters: spellings ignore them, terminals do not."""
    for name in names:
        text = raw.get(name)
        if text and not text.isprintable() and _CONTROL.search(text):
            raise InputError(f"{name} holds control characters.")


def check_question(case: Case, raw: Mapping[str, str]) -> None:
    """Raise InputError for what contradicts itself, or what no machine and no traffic has; the case is read already."""
    stated = {name for name in (*WHOLE, *RANGES) if raw.get(name, "").strip()}
    if case.chip is not None and (only := next((name for name in CPU_ONLY if name in stated), None)):
        raise InputError(f"{only} is for CPUs, and {case.chip.name} is none; leave the cell empty.")
    for name, (low, high) in WHOLE.items():
        if name in stated:
            _check(raw, name, low, high, whole=True)
    for name, (least, most) in RANGES.items():
        if name in stated:
            _check(raw, name, least, most)
    if {"concurrency", "request_rate_rps"} <= stated:
        raise InputError("concurrency and request_rate_rps are both given; leave one of them empty.")
    if case.scenario not in _WITHOUT_DECODE and known(case.llm).kv_cache:
        for name in ("input_tokens", "output_tokens"):
            if name in stated and not _number(raw, name):
                raise InputError(
                    f"{name} is 0, and scenario {case.scenario} has some; leave the cell empty for the usual."
                )
    if "ep" in stated and (experts := _number(raw, "ep")) > max(case.count, 1):
        raise InputError(f"ep {experts:g} is more than the {case.count:g} GPU of the case.")
    _check_memory(case, stated)


def _check(raw: Mapping[str, str], name: str, low: float, high: float, *, whole: bool = False) -> None:
    value = _number(raw, name)
    if not low <= value <= high or (whole and value != int(value)):
        kind = "a whole number" if whole else "a number"
        raise InputError(f"{name} is {value:g}; it must be {kind} from {low:,g} to {high:,.10g}.")


def _number(raw: Mapping[str, str], name: str) -> float:
    """The number of a cell that is not empty; not every one was read before."""
    try:
        return float(raw[name])
    except ValueError:
        raise InputError(f"{name} is {brief(raw[name].strip(), 40)}, not a number.") from None


def _check_memory(case: Case, stated: set[str]) -> None:
    """Memory of the card, and the context that must hold prompt and answer."""
    if "usable_vram_gib" in stated and case.chip is not None and case.chip.memory_gib and not case.apple:
        has, most = case.chip.memory_gib, case.usable_gib or 0.0
        if most > has * _OVER:
            raise InputError(f"usable_vram_gib is {most:g}, and {case.chip.name} has {has:g} GiB.")
    if case.max_model_len and {"input_tokens", "output_tokens"} <= stated:
        needed = case.input_tokens + case.output_tokens
        if needed > case.max_model_len:
            raise InputError(
                f"max_model_len {case.max_model_len:g} is less than prompt and answer together, {needed:g} tokens."
            )
