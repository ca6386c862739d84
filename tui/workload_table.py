"""A workload as names and numbers, as files keep it, and back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from models import catalog
from models.errors import InputError, RackrateError, brief
from models.quantize import CLASSES
from models.speculation import speculation
from tui.preset import own

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from models.traffic import Workload

NONE = "none"
"""A target that is not set: TOML has no word for nothing."""


def to_table(workload: Workload) -> dict[str, str | int | float]:
    """The workload in the words of the command line's flags; a model from a config.json by its path."""
    table: dict[str, str | int | float] = {
        "model": workload.model.path or workload.model.name,
        "quant": workload.quant,
        "kv_quant": workload.kv_quant,
        "engine": workload.engine,
        "input_tokens": workload.input_tokens,
        "output_tokens": workload.output_tokens,
        "prefix_hit": workload.prefix_hit,
        "ttft_ms": NONE if workload.ttft_ms is None else workload.ttft_ms,
        "tpot_ms": NONE if workload.tpot_ms is None else workload.tpot_ms,
        "utilization": workload.utilization,
    }
    if workload.requests_per_s is not None:
        table["requests_per_s"] = workload.requests_per_s
    else:
        table["concurrency"] = workload.concurrency or 1
    if workload.speculative is not None:
        table["speculative"] = str(workload.speculative)
    if workload.ttft_at != "mean":
        table["ttft_at"] = workload.ttft_at
    if workload.preset is not None:
        table["preset"] = workload.preset
    return table


def from_table(table: Mapping[str, Any], base: Workload) -> tuple[Workload, list[str]]:
    """The workload of a table, and what of it could not be used, as "model 'x': why"; that keeps the base's value."""
    # `to_table` leaves these out where they are the usual ones.
    made = base.changed(preset=None, ttft_at="mean", speculative=None)
    wrong: list[str] = []
    for name, value in table.items():
        read = _READERS.get(name)
        if read is None:
            wrong.append(f"{brief(name)} is no part of a workload")
            continue
        try:
            made = read(made, value)
        except RackrateError as error:
            wrong.append(f"{name}: {error.message.rstrip('.')}")
        except (TypeError, ValueError, OverflowError):
            wrong.append(f"{name} cannot be {brief(value)}")
    return own(made), wrong


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value.strip()


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError
    return float(value)


def _whole(name: str) -> Callable[[Workload, object], Workload]:
    def read(workload: Workload, value: object) -> Workload:
        number = _number(value)
        if number != int(number):
            raise ValueError
        return workload.changed(**{name: int(number)})

    return read


def _real(name: str) -> Callable[[Workload, object], Workload]:
    return lambda workload, value: workload.changed(**{name: _number(value)})


def _target(name: str) -> Callable[[Workload, object], Workload]:
    return lambda workload, value: workload.changed(**{name: None if value == NONE else _number(value)})


def _model(workload: Workload, value: object) -> Workload:
    name = _text(value)
    if name.endswith(".json") and not Path(name).exists():
        raise InputError(f"there is no file {name}")
    return workload.changed(model=catalog.llm(name))


def _quant(workload: Workload, value: object) -> Workload:
    name = _text(value)
    return workload.changed(quant=name if name in CLASSES else catalog.quant(name).key)


def _kv(workload: Workload, value: object) -> Workload:
    catalog.kv_quant(_text(value))
    return workload.changed(kv_quant=_text(value).lower())


def _engine(workload: Workload, value: object) -> Workload:
    name = _text(value)
    return workload.changed(engine=name if name == "auto" else catalog.engine(name).key)


_READERS: dict[str, Callable[[Workload, object], Workload]] = {
    "model": _model,
    "quant": _quant,
    "kv_quant": _kv,
    "engine": _engine,
    "input_tokens": _whole("input_tokens"),
    "output_tokens": _whole("output_tokens"),
    "prefix_hit": _real("prefix_hit"),
    "ttft_ms": _target("ttft_ms"),
    "tpot_ms": _target("tpot_ms"),
    "utilization": _real("utilization"),
    "speculative": lambda workload, value: workload.changed(speculative=speculation(_text(value))),
    "ttft_at": lambda workload, value: workload.changed(ttft_at=_text(value)),
    "requests_per_s": _real("requests_per_s"),
    "concurrency": _whole("concurrency"),
    "preset": lambda workload, value: workload.changed(preset=catalog.preset(_text(value)).name),
}
