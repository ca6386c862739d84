"""Estimates moved towards the measured rows near them: factors on the formulas' times, bands of what is left.

One factor on the time of an output token and one on the time to the first, from the neighbourhood of a server's load, apply at every
load of that server: its latencies still rise with the load, and the largest load inside the targets belongs to the figures shown.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from models.cpu_speed import CpuSpeed
from models.gguf_speed import GgufSpeed
from models.gpu_speed import GpuSpeed
from models.near_bands import DECODE, PROMPT, near_bands
from models.nearest import CLOSED, OPEN, OTHER_FIGURE, Questions, coordinates, family, points, prepare, pull, questions
from models.table import MEASURED_ENGINE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from models.bands import BandNames
    from models.cases import Sorted
    from models.engine_choice import Choice
    from models.estimates import Estimates
    from models.layout import Layouts
    from models.nearest import Key, Pull
    from models.server import Server
    from models.streaming import StreamSpeed

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Codes = NDArray[np.intp]

_SERVED = 0.99
"""A server that answers this share of what arrives keeps up."""
_ROUNDS = 6
"""Halvings of ln N for the neighbourhood of a server's load: a tenth of the kernel's width is enough."""


class _Pulled:
    """A speed whose latencies are multiplied by what the measured rows near it say."""

    near_decode: Array
    near_prompt: Array

    def steady(self, sequences: Any) -> tuple[Array, Array, Array]:
        """See the formulas; a prompt takes the server for as much longer as it takes itself."""
        tpot, ttft, prompt = super().steady(sequences)  # type: ignore[misc]
        return tpot * self.near_decode, ttft * self.near_prompt, prompt * self.near_prompt

    def queued(self, prefill_load: Any) -> Array:
        """See the formulas."""
        result: Array = super().queued(prefill_load) * self.near_prompt  # type: ignore[misc]
        return result

    def queue_unit(self) -> Array:
        """See the formulas."""
        result: Array = super().queue_unit() * self.near_prompt  # type: ignore[misc]
        return result


_NEAR = ("near_decode", "near_prompt")


def _crowd(base: type[GpuSpeed | GgufSpeed | CpuSpeed]) -> tuple[str, ...]:
    """What `steady` reads, with the factors."""
    return (*base.CROWD, *_NEAR) if base.CROWD else ()


class PulledGpu(_Pulled, GpuSpeed):
    """A serving engine with measured rows near its load."""

    CROWD = _crowd(GpuSpeed)  # type: ignore[assignment]


class PulledGguf(_Pulled, GgufSpeed):
    """llama.cpp on GPUs with measured rows near its load."""

    CROWD = _crowd(GgufSpeed)


class PulledCpu(_Pulled, CpuSpeed):
    """A CPU with measured rows near its load."""

    CROWD = _crowd(CpuSpeed)


_CLASSES: dict[type, type] = {GpuSpeed: PulledGpu, GgufSpeed: PulledGguf, CpuSpeed: PulledCpu}


def pulled_speed(speed: Any, decode: Array, prompt: Array) -> Any:
    """The same formulas with TPOT multiplied by `decode` and TTFT by `prompt` at every load."""
    other = copy.copy(speed)
    other.__class__ = _CLASSES[type(speed)]
    other.near_decode, other.near_prompt = decode, prompt
    return other


def layout_keys(result: Estimates, layouts: Layouts) -> tuple[str, list[Key | None]]:
    """Kind of the formulas and the key of every layout; None where a row can say nothing: shared or unknown CPUs."""
    if isinstance(layouts.speed, CpuSpeed):
        chosen = result.choices[int(layouts.choice[0])]
        cores = result.table.cpu_columns(chosen.engine)["cores"].tolist()
        return "cpu", [_cpu_key(result.table.servers[i], cores[i], chosen) for i in layouts.server.tolist()]
    table = result.table
    known: dict[tuple[int, float], Key | None] = {}
    keys = []
    share = table.gpu_count[layouts.server]
    units = np.where(share < 1, share, layouts.tp)
    for code, count, chip in zip(
        layouts.choice.tolist(), units.tolist(), table.chip_index[layouts.server].tolist(), strict=True
    ):
        if (code, count) not in known:
            choice = result.choices[code]
            known[code, count] = (table.chips[chip].name, count, 1, family(choice.engine), _form(choice))
        keys.append(known[code, count])
    return "gguf" if isinstance(layouts.speed, GgufSpeed) else "serving", keys


def _form(choice: Choice) -> str:
    return choice.quant.bit_class if choice.quant else ""


def _cpu_key(server: Server, cores: float, chosen: Choice) -> Key | None:
    if server.cpu is None or server.shared_cpu:
        return None
    if server.instance and chosen.engine == MEASURED_ENGINE:
        return None  # its rates are measured already
    return server.cpu.name, float(round(cores)), 1, family(chosen.engine), _form(chosen)


def _operating_point(result: Estimates, speed: GpuSpeed | StreamSpeed, limit: Array, replicas: Array) -> Array:
    """About how many sequences a replica runs: what the traffic keeps there, at most what the targets and the memory allow."""
    workload = result.workload
    high = np.log(np.maximum(limit, 1.0))
    if workload.concurrency is not None:
        high = np.minimum(high, np.log(np.maximum(workload.concurrency / replicas, 1.0)))
    low = np.zeros_like(high)
    each = (workload.requests_per_s or 0.0) / replicas
    for _ in range(_ROUNDS):
        middle = (low + high) / 2
        n = np.exp(middle)
        tpot, ttft, _ = speed.steady(n)
        inside = np.ones(len(n), dtype=bool)
        if workload.tpot_ms is not None:
            inside &= tpot * 1e3 <= workload.tpot_ms
        if workload.ttft_ms is not None:
            inside &= ttft * 1e3 <= workload.ttft_ms
        if workload.requests_per_s is not None:
            inside &= n <= each * (ttft + workload.output_tokens * tpot)
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    result_n: Array = np.exp(high)
    return result_n


def pull_layouts(result: Estimates, layouts: Layouts) -> None:
    """Move the speeds and bands of the layouts with measured rows near their load; the rest stays as it is."""
    classes = frozenset(choice.quant.bit_class for choice in result.choices if choice.quant)
    found = points(result.workload.model.name, classes)
    if found is None:
        return
    kind, keys = layout_keys(result, layouts)
    index = np.array([i for i, key in enumerate(keys) if key in found.start], dtype=np.intp)
    if not len(index):
        return
    workload, some = result.workload, layouts.speed.take(index)
    limit = np.minimum(layouts.cap[index], _room(layouts, index))
    n = _operating_point(result, some, limit, layouts.replicas[index])
    test = OPEN if workload.requests_per_s is not None else CLOSED
    asked = Questions(
        [key for key in (keys[i] for i in index) if key is not None],
        coordinates(n, workload.input_tokens, workload.output_tokens),
        np.full(len(index), test, dtype=np.intp),
        OTHER_FIGURE if kind == "serving" else 1.0,
    )
    said: Pull = pull(found, asked)
    within = said.within
    decode, prompt = np.ones(len(keys)), np.ones(len(keys))
    decode[index], prompt[index] = said.factor[:, DECODE], said.factor[:, PROMPT]
    layouts.speed = pulled_speed(layouts.speed, decode, prompt)
    places = index.tolist()
    for place, names in zip(places, _all_bands(kind, [layouts.bands[at] for at in places], within), strict=True):
        layouts.bands[place] = names


def _all_bands(kind: str, names: Sequence[BandNames], within: Flags) -> list[BandNames]:
    """`near_bands` of many figures: thousands share some dozens of bands."""
    made: dict[tuple[str, str, str, int], BandNames] = {}
    result = list(names)
    marks = (within @ np.array([1, 2, 4])).tolist()
    for place, (name, mark) in enumerate(zip(names, marks, strict=True)):
        if mark:
            key = (name.ttft, name.tpot, name.output, mark)
            found = made.get(key)
            if found is None:
                found = made[key] = near_bands(kind, name, [bool(mark & 1), bool(mark & 2), bool(mark & 4)])
            # A band that several streams keep leaves the basis as it was.
            result[place] = found if found.basis == "measured" else name
    return result


def _room(layouts: Layouts, index: Codes) -> Array:
    each = layouts.each[index]
    room = np.where(each > 0, layouts.pool[index] / np.maximum(each, 1e-12), np.inf)
    result: Array = np.floor(np.maximum(np.minimum(room, 1e9), 1.0))
    return result


def pull_rows(
    group: Sorted, figures: Mapping[str, Array], names: Sequence[BandNames]
) -> tuple[dict[str, Array], list[BandNames]]:
    """Figures and bands of cases, moved towards the measured rows near each; see `case_batch.Batch.figures`."""
    asked = questions(group, figures)
    n = len(group.cases)
    factor, within = np.ones((n, 3)), np.zeros((n, 3), dtype=bool)
    models: dict[str, list[int]] = {}
    for place, case in enumerate(group.cases):
        models.setdefault(case.llm.name if case.llm else "", []).append(place)
    prepare(models)
    for model, places in models.items():
        found = points(model)
        if found is not None:
            at = np.array(places, dtype=np.intp)
            some = Questions([asked.keys[i] for i in places], asked.load[at], asked.test[at], asked.cross)
            said = pull(found, some)
            factor[at], within[at] = said.factor, said.within
    decode, prompt, output = factor.T
    # Below its capacity a server answers what arrives.
    idle = group.batch.open & (figures["requests"] >= _SERVED * group.batch.rate * group.batch.replicas)
    rate = np.where(idle, 1.0, 1 / output)
    moved = {
        "ttft": figures["ttft"] * prompt,
        "solo": figures["solo"] * prompt,
        "tpot": figures["tpot"] * decode,
        "prompt": figures["prompt"] / prompt,
        "output": figures["output"] * rate,
        "total": figures["total"] * rate,
        "requests": figures["requests"] * rate,
    }
    return {**figures, **moved}, _all_bands(group.kind, names, within)
