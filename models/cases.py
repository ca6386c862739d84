"""Estimates for rows of a cases file: any hardware, any engine, no prices; thousands of rows in a few array operations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from models.bands import band_names, factors
from models.bound import bound_words
from models.bound_case import bound_columns, bound_rooms
from models.case_batch import Batch
from models.case_input import INPUT_COLUMNS, Case, parse_case
from models.case_room import CaseRoom
from models.constants import constants
from models.cpu_rates import CpuRates, cpu_engine, cpu_rates, socket_cores
from models.devices import Device, device_of
from models.errors import known
from models.result_columns import RESULT_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Array = NDArray[np.float64]

OUTPUT_COLUMNS = INPUT_COLUMNS + RESULT_COLUMNS
KINDS = ("serving", "gguf", "cpu")
UNMEASURED = "no measured engine on this chip"
OVERLOADED = "more requests than it answers"
"""What limits a case at a request rate above its capacity: TTFT then has no upper end."""
_UNSTATED_CORES = 32
"""Cores of a socket where neither row nor catalog has any: the median of the server CPUs in the catalog; bandwidth is reached before."""


@dataclass(slots=True)
class Sorted:
    """Cases of one kind: where they stand in the file, and what answers them."""

    kind: str
    index: list[int]
    cases: list[Case]
    rooms: list[CaseRoom]
    rates: list[CpuRates]
    batch: Batch
    devices: list[Device]
    """One a case of the kinds serving and gguf."""


def sort_cases(cases: Sequence[Case]) -> list[Sorted]:
    """Cases by the formulas that answer them; one that cannot be answered gets its `error` and is left out."""
    index: dict[str, list[int]] = {kind: [] for kind in KINDS}
    devices: dict[int, Device] = {}
    rates: dict[int, CpuRates] = {}
    for i, case in enumerate(cases):
        if case.error:
            continue
        if case.cpu is not None:
            rate = _rate(case)
            if rate is not None:
                rates[i] = rate
                index["cpu"].append(i)
            continue
        device = device_of(known(case.chip))
        if device is None or not device.measured_vendor:
            case.error = UNMEASURED
        else:
            devices[i] = device
            index["gguf" if case.gguf else "serving"].append(i)
    result = []
    for kind, places in index.items():
        if places:
            picked = [cases[i] for i in places]
            rooms = CaseRoom.of(picked, [devices.get(i) for i in places])
            mine = [devices[i] for i in places if i in devices]
            found = [rates[i] for i in places if i in rates]
            result.append(Sorted(kind, places, picked, rooms, found, Batch(kind, picked, rooms, mine, found), mine))
    return result


def _rate(case: Case) -> CpuRates | None:
    """How fast the case's CPU streams and computes."""
    cpu = known(case.cpu)
    cores, sockets = socket_cores(cpu, case.cores, case.sockets, case.raw.get("hardware", ""))
    cores = cores or float(_UNSTATED_CORES)
    engine = cpu_engine(case.engine, case.raw.get("engine", ""))
    rate = cpu_rates(
        cpu, cores=cores, engine=engine, bandwidth_gb_s=case.bandwidth_gb_s, sockets=sockets, packed=case.packed
    )
    # A CPU without a known platform or bandwidth is answered by its class.
    arch = "arm" if cpu.isa_class in {"neon", "sve"} else "x86"
    return rate or cpu_rates(None, arch=arch, cores=cores, engine=engine, sockets=sockets)


def estimate_rows(rows: Iterable[Mapping[str, str]], *, pull: bool = True) -> list[dict[str, object]]:
    """Answer every row; a row that cannot be answered has its reason in `error` and stops nothing.

    Args:
        rows: mappings with INPUT_COLUMNS (all optional but model and hardware; `id` and `kv_dtype` are read as case_id and kv_quant).
        pull: move the figures towards measured rows near a case (`models.nearest`); without it the formulas alone answer, as a
            comparison with those very rows must have it.

    Returns:
        one dict a row in order: the given columns, then RESULT_COLUMNS; None where there is no figure.
    """
    cases = [parse_case(row) for row in rows]
    columns = answer_columns(cases, pull=pull)
    names = tuple(columns)
    found = zip(*columns.values(), strict=True)
    return [case.raw | dict(zip(names, each, strict=True)) for case, each in zip(cases, found, strict=True)]


def answer_columns(cases: Sequence[Case], *, pull: bool = True) -> dict[str, list[Any]]:
    """The results of `estimate_rows` as columns, one entry a case, for those who write a whole file."""
    groups = sort_cases(cases)
    columns: dict[str, list[Any]] = {name: [None] * len(cases) for name in RESULT_COLUMNS}
    columns["error"] = [case.error for case in cases]
    bound = [i for i, case in enumerate(cases) if case.error == UNMEASURED]
    for i, room in zip(bound, bound_rooms([cases[i] for i in bound]), strict=True):
        _put(columns, i, bound_columns(cases[i], room))
    for group in groups:
        for name, values in _answer(group, pull=pull).items():
            column = columns[name]
            for i, value in zip(group.index, values, strict=True):
                column[i] = value
        if not all(known(case.llm).kv_cache for case in group.cases):
            _answer_encoders(group, columns)
    return columns


def _put(columns: Mapping[str, list[Any]], place: int, values: Mapping[str, object]) -> None:
    for name, value in values.items():
        columns[name][place] = value


def _answer_encoders(group: Sorted, columns: Mapping[str, list[Any]]) -> None:
    """Figures of embedding and reranking models in the place of those of text."""
    from models.encoders import encoder_columns

    hide = [case.scenario == "startup" or room.too_small for case, room in zip(group.cases, group.rooms, strict=True)]
    for place, values in encoder_columns(group, hide).items():
        _put(columns, group.index[place], values)


def _numbers(values: Any, hide: NDArray[np.bool_] | None = None) -> list[float | None]:
    """A column of figures; None where there is none."""
    array = np.asarray(values, dtype=np.float64)
    bad = ~np.isfinite(array) if hide is None else ~np.isfinite(array) | hide
    column: list[float | None] = array.tolist()
    for i in np.flatnonzero(bad).tolist():
        column[i] = None
    return column


def _answer(group: Sorted, *, pull: bool) -> dict[str, list[Any]]:
    """Columns of results for the cases of one kind."""
    cases, rooms, batch = group.cases, group.rooms, group.batch
    speed = batch.speed(constants())
    figures = batch.figures(speed)
    names = band_names(group.kind, cases, group.rates)
    if pull:
        from models.pulled import pull_rows

        figures, names = pull_rows(group, figures, names)
    ttft_low, ttft_high, tpot_low, tpot_high, rate_low, rate_high = factors(names, constants().band)
    words = bound_words(speed, np.minimum(batch.asked, batch.limit))
    words = [OVERLOADED if late else word for late, word in zip(batch.saturated.tolist(), words, strict=True)]
    encoder = np.array([not known(case.llm).kv_cache for case in cases])
    startup = batch.scenario == "startup"
    # Where the card is smaller than the weights there is no speed; a benchmark that ran did fit, whatever the planner thinks.
    hide = startup | encoder | np.array([room.too_small for room in rooms])
    llama_bench = batch.scenario == "bench"
    ttft, tpot, output = figures["ttft"] * 1e3, figures["tpot"] * 1e3, figures["output"]
    prompts = np.where(batch.bench, figures["prompt"], figures["requests"] * figures["input"])

    def speeds(values: Array) -> list[float | None]:
        return _numbers(values, hide)

    return {
        "fits": [bool(room.fits) for room in rooms],
        "fit_reason": [room.reason for room in rooms],
        "weights_gib_per_device": [room.weights for room in rooms],
        "kv_bytes_per_token": [room.kv_per_token for room in rooms],
        "kv_pool_gib_per_device": _numbers([room.pool for room in rooms]),
        "kv_pool_tokens": _numbers([room.tokens for room in rooms]),
        "max_context": _numbers([room.context for room in rooms]),
        "max_sequences": _numbers([room.sequences for room in rooms]),
        "ttft_ms": speeds(ttft),
        "ttft_ms_low": speeds(ttft * ttft_low),
        "ttft_ms_high": _numbers(ttft * ttft_high, hide | batch.saturated),
        "ttft_solo_ms": speeds(figures["solo"] * 1e3),
        "ttft_p95_ms": speeds(ttft * batch.tail),
        "tpot_ms": speeds(tpot),
        "tpot_ms_low": speeds(tpot * tpot_low),
        "tpot_ms_high": speeds(tpot * tpot_high),
        "tokens_per_s_user": speeds(1e3 / tpot),
        "output_tokens_per_s": speeds(output),
        "output_tokens_per_s_low": speeds(output * rate_low),
        "output_tokens_per_s_high": speeds(output * rate_high),
        "total_tokens_per_s": _numbers(figures["total"], hide | llama_bench),
        "prompt_tokens_per_s": speeds(prompts),
        "requests_per_s": speeds(figures["requests"]),
        "max_concurrency": speeds(figures["limit"]),
        "engine_used": [case.engine for case in cases],
        "tp_used": [case.tp for case in cases],
        "replicas": [case.replicas for case in cases],
        "bound_by": [None if start else word for start, word in zip(startup | encoder, words, strict=True)],
        "basis": [name.basis for name in names],
        "error": [""] * len(cases),
    }
