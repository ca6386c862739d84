"""The measured rows nearest to a question, and how far they say that the formulas are off there.

A row answers for the same model, hardware, GPUs (or cores) of a replica, family of engine and class of format, whatever its load.
Its distance is that of its load: the logarithms of sequences at once, prompt and answer as coordinates, one more for another kind of
test. What it says is the ratio of its value to the formulas' own estimate for its conditions, so a row at another load still helps
where the formulas get the slope right. The pull on an estimate is exp(b sum w r / (sum w + SHRINK)) over the rows of its key, with
w = exp(-d^2 / 2 WIDTH^2) and b the largest w: one row at the very load moves the estimate by two thirds of its deviation, several by
nearly all of it, and many far away by no more than the nearest of them can.

WIDTH and SHRINK were chosen by leaving out one configuration and one source at a time (`models.fitting.nearest`, 2026-11).
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from models import catalog
from models.case_input import parse_case
from models.constants import constants
from models.errors import known
from models.measured_rows import rows_of
from models.near_bands import DECODE, OUTPUT, PROMPT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from models.cases import Sorted

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
Key = tuple[str, float, int, str, str]
"""Hardware, GPUs of a replica (or cores of a socket), pipeline stages (or sockets), family of engine, class of format."""

WIDTH = 0.7
SHRINK = 0.5
LENGTHS = 0.6
"""On the logarithms of lengths: what the formulas are off by changes less with them than with the sequences at once."""
SOFT_TOKENS = 256.0
"""Added to lengths before the logarithm: below it a prompt's length hardly changes what limits a step."""
OTHER_TEST = 1.0
"""Squared distance between kinds of test: a closed loop, a request rate, prompt and answer apart, all at once. What one kind shows
hardly helps with another (rows of the other kinds alone: TPOT 17.6 to 17.0 %, TTFT no better)."""
OTHER_FIGURE = 0.3
"""Weight of a serving engine's throughput for the time of a token and the other way round: waiting and prompts are in one of them only."""
REACH = 0.3
"""Sum of the weights from which a figure counts as measured: one row a factor of three away, or some farther."""
FARTHEST = 3 * WIDTH
MOST_PULL = 3.0
"""No row moves an estimate by more than this factor: beyond it the row is of something else."""

FIGURES = {
    "tpot_ms": (DECODE, 1),
    "tokens_per_s_per_user": (DECODE, -1),
    "ttft_ms": (PROMPT, 1),
    "ttft_ms_p50": (PROMPT, 1),
    "prompt_tokens_per_s": (PROMPT, -1),
    "output_tokens_per_s": (OUTPUT, -1),
    "total_tokens_per_s": (OUTPUT, -1),
    "requests_per_s": (OUTPUT, -1),
}
"""Measured metric -> factor it speaks for, and whether it is a time (1) or a rate (-1)."""
CLOSED, OPEN, APART, AT_ONCE = 0, 1, 2, 3
_PAIRS = 2_000_000
"""Pairs of a question and a row looked at in one go: some arrays of 16 MB."""


@dataclass(slots=True)
class Points:
    """The measured rows of one model, those of a key beside each other."""

    start: dict[Key, int]
    count: dict[Key, int]
    load: Array
    """(rows, 3): see `coordinates`."""
    test: Codes
    figure: Codes
    log_ratio: Array
    """ln of measured over estimated time."""
    weight: Array
    kind: NDArray[np.str_]
    """serving, gguf or cpu: the formulas that answer a row."""
    rows: list[dict[str, str]]


@dataclass(slots=True)
class Questions:
    """Loads to be answered, one entry each."""

    keys: list[Key]
    load: Array
    test: Codes
    cross: float = OTHER_FIGURE
    """Weight of a throughput for the time of a token and the other way round: 1 where one process streams and both are one figure."""


@dataclass(slots=True)
class Pull:
    """What the measured rows say on each question: (questions, 3) arrays, see DECODE, PROMPT, OUTPUT."""

    factor: Array
    """On times; 1 where no row is near."""
    weight: Array
    """Sum of the rows' weights: from REACH on the figure counts as measured."""

    @property
    def within(self) -> NDArray[np.bool_]:
        """Which figures are within reach of a measurement."""
        found: NDArray[np.bool_] = self.weight >= REACH
        return found


@dataclass(frozen=True, slots=True)
class Nearest:
    """One measured row near a question."""

    row: Mapping[str, str]
    distance: float
    """In natural logarithms: 0.7 is a factor of two in one coordinate."""

    def run(self) -> str:
        """Engine, load, source and date: what rows of one run share."""
        row = self.row
        load = f"{row['request_rate_rps']} req/s" if row["request_rate_rps"] else f"{row['concurrency'] or '1'} at once"
        tokens = f"{row['input_tokens'] or '0'} in, {row['output_tokens'] or '0'} out"
        engine = f"{row['engine']} {row['engine_version']}".strip()
        form = f", {row['quant']}" if row["quant"] else ""
        licence = ", CC BY-SA 4.0" if row["source"].startswith(_SHARE_ALIKE) else ""
        return f"{engine}{form}, {tokens}, {load}; {row['source']}{licence}, {row['source_date'] or 'undated'}"

    def figure(self) -> str:
        """The measured value as people say it."""
        return _SAID[self.row["metric"]].format(self.row["value"])


_SHARE_ALIKE = "SpareCores/"
"""Rows whose licence wants the name and the licence shown with the figure (README beside the data)."""
_SAID = {
    "tpot_ms": "TPOT {} ms",
    "tokens_per_s_per_user": "{} tok/s a user",
    "ttft_ms": "TTFT {} ms",
    "ttft_ms_p50": "median TTFT {} ms",
    "prompt_tokens_per_s": "prompts {} tok/s",
    "output_tokens_per_s": "{} tok/s",
    "total_tokens_per_s": "{} tok/s in and out",
    "requests_per_s": "{} req/s",
}


def coordinates(sequences: Any, input_tokens: Any, output_tokens: Any) -> Array:
    """Loads as points: (n, 3), ln sequences and LENGTHS x ln (tokens + SOFT_TOKENS) of prompt and answer."""
    n, s, o = np.broadcast_arrays(
        np.asarray(sequences, dtype=np.float64), np.asarray(input_tokens), np.asarray(output_tokens)
    )
    result: Array = np.stack(
        [np.log(np.maximum(n, 1.0)), LENGTHS * np.log(s + SOFT_TOKENS), LENGTHS * np.log(o + SOFT_TOKENS)], axis=-1
    ).reshape(-1, 3)
    return result


@cache
def family(engine: str) -> str:
    """An engine without its generation: vllm_2026 is vllm."""
    if engine.startswith("llama.cpp"):
        return "llama.cpp"
    return engine.split("_", maxsplit=1)[0] if engine != "ik_llama.cpp" else engine


def questions(group: Sorted, figures: Mapping[str, Array]) -> Questions:
    """The loads of a group of cases; `figures` are the formulas' answers (they say how many requests a rate keeps there)."""
    batch, keys = group.batch, []
    for place, case in enumerate(group.cases):
        if group.kind == "cpu":
            where, units, second = known(case.cpu).name, float(round(group.rates[place].cores)), case.sockets
        else:
            where, second = known(case.chip).name, case.pp
            units = case.count if case.count < 1 or group.kind == "gguf" else float(case.tp)
        keys.append((where, units, second, family(case.engine), known(case.quant).bit_class))
    inputs = np.array([case.input_tokens for case in group.cases])
    outputs = np.array([case.output_tokens for case in group.cases])
    held = figures["requests"] / batch.replicas * (figures["ttft"] + outputs * figures["tpot"])
    sequences = np.where(batch.open, held, batch.asked)
    test = np.where(batch.open, OPEN, np.where(batch.bench, APART, CLOSED))
    test = np.where(batch.scenario == "offline", AT_ONCE, test)
    cross = OTHER_FIGURE if group.kind == "serving" else 1.0
    return Questions(keys, coordinates(sequences, inputs, outputs), test.astype(np.intp), cross)


_KNOWN: dict[tuple[str, frozenset[str] | None], Points | None] = {}
"""Points of the models (and classes of formats, None = all) asked for so far."""


def points(model: str, classes: frozenset[str] | None = None) -> Points | None:
    """The measured rows of a model of the catalog; None where there is none. Works the formulas' own estimates out once.

    Args:
        model: name; classes: of formats that will be asked about, None = any. A start waits for no others.
    """
    if (model, classes) not in _KNOWN:
        prepare([model], classes)
    return _KNOWN[model, classes]


def prepare(models: Iterable[str], classes: frozenset[str] | None = None) -> None:
    """Work out the points of several models together: one pass over the formulas instead of one a model."""
    new = [model for model in dict.fromkeys(models) if (model, classes) not in _KNOWN]
    rows, owner = [], []
    for model in new:
        mine = rows_of(model, lambda row: _speaks(row) and _asked(row, classes), _TELLING)
        rows.extend(mine)
        owner.extend([model] * len(mine))
    found = _found(rows)
    by_model: dict[str, list[_Found]] = defaultdict(list)
    for one in found:
        by_model[owner[one.place]].append(one)
    for model in new:
        _KNOWN[model, classes] = _points(by_model[model], rows)


_TELLING = ("use", "metric", "scenario", "quant")
"""Columns that tell whether a row is asked for."""


def _asked(row: Mapping[str, str], classes: frozenset[str] | None) -> bool:
    """Whether a row may be of one of the classes; one that states no format may be of any."""
    return classes is None or not row["quant"] or _class(row["quant"]) in classes


@cache
def _class(quant: str) -> str:
    return catalog.quant(quant).bit_class


def _speaks(row: Mapping[str, str]) -> bool:
    return row["use"] == "fit" and row["metric"] in FIGURES and row["scenario"] != "startup"


_NOT_LOAD = {"case_id", "metric", "value", "repeats", "source_group"}


class _Found(NamedTuple):
    """A measured row that the formulas answer: its place among the rows, where it stands, and ln(measured/estimated) of a time."""

    place: int
    key: Key
    load: Array
    test: int
    figure: int
    ratio: float
    kind: str


def points_of(rows: Sequence[dict[str, str]]) -> Points | None:
    """Measured rows of one model as points; those that the formulas cannot answer are left out."""
    return _points(_found(rows), rows)


def _found(rows: Sequence[dict[str, str]]) -> list[_Found]:
    from models.cases import sort_cases

    if not rows:
        return []
    loads = itemgetter(*(name for name in rows[0] if name not in _NOT_LOAD))
    runs: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        runs[loads(row)].append(place)
    members = list(runs.values())
    cases = [parse_case(rows[places[0]]) for places in members]
    result = []
    for group in sort_cases(cases):
        figures = group.batch.figures(group.batch.speed(constants()))
        asked = questions(group, figures)
        test = asked.test.tolist()
        values = {name: column.tolist() for name, column in _estimates(figures).items()}
        for at, index in enumerate(group.index):
            for place in members[index]:
                row = rows[place]
                which, sign = FIGURES[row["metric"]]
                estimated, measured = values[row["metric"]][at], float(row["value"])
                # At a request rate the throughput is the rate: it says nothing.
                idle = which == OUTPUT and test[at] == OPEN
                if idle or not (math.isfinite(estimated) and estimated > 0 and measured > 0):
                    continue
                ratio = sign * math.log(measured / estimated)
                result.append(_Found(place, asked.keys[at], asked.load[at], test[at], which, ratio, group.kind))
    return result


def _points(found: list[_Found], rows: Sequence[dict[str, str]]) -> Points | None:
    """The points of one model, those of one key together."""
    if not found:
        return None
    ordered = sorted(found, key=lambda one: (one.key, one.place))
    start: dict[Key, int] = {}
    count: dict[Key, int] = defaultdict(int)
    for new, one in enumerate(ordered):
        start.setdefault(one.key, new)
        count[one.key] += 1
    most = math.log(MOST_PULL)
    return Points(
        start,
        dict(count),
        np.array([one.load for one in ordered]),
        np.array([one.test for one in ordered], dtype=np.intp),
        np.array([one.figure for one in ordered], dtype=np.intp),
        np.clip(np.array([one.ratio for one in ordered]), -most, most),
        np.array([1 / max(float(rows[one.place]["repeats"] or 1), 1.0) for one in ordered]),
        np.array([one.kind for one in ordered]),
        [rows[one.place] for one in ordered],
    )


def _estimates(figures: Mapping[str, Array]) -> dict[str, Array]:
    """The formulas' figures under the measured metrics' names."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ttft, tpot = figures["ttft"] * 1e3, figures["tpot"] * 1e3
        prompts = np.where(figures["bench"] > 0, figures["prompt"], figures["requests"] * figures["input"])
        return {
            "tpot_ms": tpot,
            "tokens_per_s_per_user": 1e3 / tpot,
            "ttft_ms": ttft,
            "ttft_ms_p50": ttft,
            "prompt_tokens_per_s": prompts,
            "output_tokens_per_s": figures["output"],
            "total_tokens_per_s": figures["total"],
            "requests_per_s": figures["requests"],
        }


def _pairs(found: Points, asked: Questions, which: Codes) -> tuple[Codes, Codes]:
    """(question, row) of every pair with the same key."""
    start = np.array([found.start[asked.keys[i]] for i in which], dtype=np.intp)
    count = np.array([found.count[asked.keys[i]] for i in which], dtype=np.intp)
    question = np.repeat(which, count)
    row = np.arange(len(question)) + np.repeat(start - np.cumsum(count) + count, count)
    return question, row


def squared_distance(load: Array, test: Codes, other_load: Array, other_test: Codes) -> Array:
    """Of pairs of loads, in squared natural logarithms."""
    apart = load - other_load
    apart *= apart
    result: Array = apart @ np.ones(3) + OTHER_TEST * (test != other_test)
    return result


def pull(found: Points | None, asked: Questions) -> Pull:
    """What the measured rows of one model say on each question."""
    n = len(asked.keys)
    top, weight, best = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3))
    if found is not None:
        near = np.array([i for i, key in enumerate(asked.keys) if key in found.start], dtype=np.intp)
        if len(near):
            sizes = np.cumsum([found.count[asked.keys[i]] for i in near])
            for part in np.split(near, np.flatnonzero(np.diff(sizes // _PAIRS)) + 1):
                _add(found, asked, part, top, weight, best)
    # Many rows far away say no more than the nearest of them can.
    return Pull(np.exp(np.minimum(best, 1.0) * top / (weight + SHRINK)), weight)


def _add(found: Points, asked: Questions, which: Codes, top: Array, weight: Array, best: Array) -> None:
    """Sums of the kernel over the pairs of some questions, written into `top` and `weight`."""
    question, row = _pairs(found, asked, which)
    # Most rows of a key differ in the sequences at once: one subtraction leaves them out.
    beside = np.abs(asked.load[:, 0][question] - found.load[:, 0][row]) <= FARTHEST
    question, row = question[beside], row[beside]
    squared = squared_distance(asked.load[question], asked.test[question], found.load[row], found.test[row])
    close = squared <= FARTHEST * FARTHEST
    question, row, squared = question[close], row[close], squared[close]
    near = np.exp(squared / (-2 * WIDTH * WIDTH))
    kernel = near * found.weight[row]
    place, size = 3 * question + found.figure[row], 3 * len(asked.keys)
    own = np.bincount(place, kernel, size).astype(np.float64).reshape(-1, 3)
    said = np.bincount(place, kernel * found.log_ratio[row], size).astype(np.float64).reshape(-1, 3)
    nearest_of = np.zeros(size)
    np.maximum.at(nearest_of, place, near)
    here = nearest_of.reshape(-1, 3)
    both = here.copy()
    both[:, DECODE] = np.maximum(here[:, DECODE], here[:, OUTPUT])
    both[:, OUTPUT] = both[:, DECODE]
    np.maximum(best, both if asked.cross else here, out=best)
    weight += _crossed(own, asked.cross)
    top += _crossed(said, asked.cross)


def _crossed(sums: Array, cross: float) -> Array:
    """Sums by figure with what a throughput says of the time of a token, and the other way round."""
    other = np.zeros_like(sums)
    other[:, DECODE], other[:, OUTPUT] = sums[:, OUTPUT], sums[:, DECODE]
    result: Array = sums + cross * other
    return result


def nearest(model: str, key: Key, load: Array, test: int, most: int) -> list[Nearest]:
    """The nearest measured rows of a question, within the farthest distance; one line a run and figure."""
    found = points(model)
    if found is None or key not in found.start:
        return []
    rows = np.arange(found.start[key], found.start[key] + found.count[key])
    tests = np.full(len(rows), test, dtype=np.intp)
    squared = squared_distance(np.broadcast_to(load, (len(rows), 3)), tests, found.load[rows], found.test[rows])
    order = np.argsort(squared, kind="stable")
    picked = [i for i in order.tolist() if squared[i] <= FARTHEST * FARTHEST][:most]
    return [Nearest(found.rows[int(rows[i])], float(np.sqrt(squared[i]))) for i in picked]
