"""Fit of serving engines on GPUs: rows of a measurements file to the constants of `data/constants/serving.toml`."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from models.case_input import Case, number, parse_case
from models.cases import sort_cases
from models.constants import constants
from models.errors import InputError, known
from models.fitting.least_squares import Array, Constant, Fit, Problem, solve
from models.fitting.serving_terms import ABOUT
from models.gpu_speed import own_name
from models.serving import open_loop

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from models.cases import Sorted

FILE = Path(__file__).parent.parent / "data" / "constants" / "serving.toml"
METRICS = {
    "tpot_ms": "tpot",
    "tokens_per_s_per_user": "tpot",
    "ttft_ms": "ttft",
    "ttft_ms_p50": "ttft",
    "output_tokens_per_s": "throughput",
    "total_tokens_per_s": "throughput",
    "requests_per_s": "throughput",
    "prompt_tokens_per_s": "prefill",
}
_SERIES_POWER = 0.3
"""Rows of one source, chip, model, engine and metric move together: n of them weigh n^0.7."""
_TTFT_WEIGHT = 0.1
"""Times to first token hold the benchmark's arrival and the scheduler's policy: they must not bend the physics of a step."""
_OWN_SIGMA = 0.08
"""How far a model in an engine is believed to be from the form: what gave the least error on chips left out."""
_MEAN_WEIGHT = 0.25
"""Rows of a benchmark are no independent observations: together they count as this share of their number."""


def model_kind(case: Case) -> str:
    """Dense, moe, mla or hybrid: what the model's layers are."""
    llm = known(case.llm)
    return "mla" if llm.mla else "moe" if llm.moe else "hybrid" if llm.linear else "dense"


def cases_of(rows: Iterable[Mapping[str, str]]) -> Sorted | None:
    """The rows that a serving engine on GPUs answers and that have a metric and a value above zero."""
    cases = []
    for row in rows:
        if row.get("metric") not in METRICS:
            continue
        case = parse_case(row)
        if not case.error and (number(row, "value") or 0) > 0:
            cases.append(case)
    groups = [group for group in sort_cases(cases) if group.kind == "serving"]
    return groups[0] if groups else None


class _Rows:
    """Rows as one batch; `scored` tells those whose figure is a property of the server, not of the length of the test."""

    def __init__(self, group: Sorted, start: Mapping[str, float]) -> None:
        self.batch = batch = group.batch
        self.metric = np.array([case.raw["metric"] for case in group.cases], dtype=object)
        self.measured = np.array([float(case.raw["value"]) for case in group.cases])
        kind = np.array([METRICS[str(metric)] for metric in self.metric], dtype=object)
        saturated = np.zeros(len(self.metric), dtype=bool)
        index = np.flatnonzero(batch.open)
        if len(index):
            speed = batch.speed(replace(constants(), gpu=dict(start))).take(index)
            saturated[index] = open_loop(speed, batch.rate[index], batch.limit[index]).saturated
        waits_for_slot = batch.asked > batch.limit
        below = batch.open & ~saturated
        self.kind = kind
        self.scored = (
            np.array([not room.too_small for room in group.rooms])
            & ~((kind == "ttft") & (waits_for_slot | saturated))
            # Below capacity the throughput is the rate times the output: nothing is learnt.
            & ~((kind == "throughput") & below)
        )

    def predict(self, values: Mapping[str, float]) -> Array:
        """The measured figure of every row, from these constants."""
        batch = self.batch
        figures = batch.figures(batch.speed(replace(constants(), gpu=dict(values))))
        prompts = np.where(batch.bench, figures["prompt"], figures["requests"] * figures["input"])
        by_metric = {
            "tpot_ms": figures["tpot"] * 1e3,
            "tokens_per_s_per_user": 1 / figures["tpot"],
            "ttft_ms": figures["ttft"] * 1e3,
            "ttft_ms_p50": figures["ttft"] * 1e3,
            "output_tokens_per_s": figures["output"],
            "total_tokens_per_s": figures["total"],
            "requests_per_s": figures["requests"],
            "prompt_tokens_per_s": prompts,
        }
        result = np.empty(len(self.metric))
        for name, column in by_metric.items():
            mine = self.metric == name
            result[mine] = column[mine]
        return result


def _weights(cases: Sequence[Case], labels: Mapping[str, Sequence[str]], rows: _Rows) -> Array:
    series = list(
        zip(labels["source"], labels["gpu"], labels["model"], labels["engine"], labels["metric"], strict=True)
    )
    counts = Counter(series)
    repeats = np.array([number(case.raw, "repeats") or 1.0 for case in cases])
    weight = np.array([counts[each] for each in series], dtype=np.float64) ** -_SERIES_POWER / repeats
    weight = weight * np.where(rows.kind == "ttft", _TTFT_WEIGHT, 1.0)
    result: Array = weight / weight.mean() * _MEAN_WEIGHT * rows.scored
    return result


def problem(rows: Iterable[Mapping[str, str]]) -> Problem:
    """The fit of these rows; labels: metric, gpu, model, source, engine, kind, bits, scenario, id.

    Raises:
        InputError: none of the rows is of a serving engine on GPUs.
    """
    group = cases_of(rows)
    if group is None:
        raise InputError(
            "No row is of a serving engine on a GPU.", hint="Rows need model, hardware, engine, metric and value."
        )
    fitted = [Constant(name, prior, prior, sigma) for name, (prior, sigma, _, _) in ABOUT.items()]
    arrays = _Rows(group, {constant.name: constant.start for constant in fitted})
    cases = group.cases
    labels = {
        "metric": list(arrays.kind),
        "gpu": [known(case.chip).name for case in cases],
        "model": [known(case.llm).name for case in cases],
        "source": [case.raw.get("source_group", "") for case in cases],
        "engine": [case.engine for case in cases],
        "kind": [model_kind(case) for case in cases],
        "bits": [known(case.quant).bit_class for case in cases],
        "scenario": [case.scenario for case in cases],
        "id": [case.raw.get("case_id", "") for case in cases],
    }
    return Problem(
        constants=fitted,
        predict=arrays.predict,
        measured=arrays.measured,
        weight=_weights(cases, labels, arrays),
        labels={name: np.array(values, dtype=object) for name, values in labels.items()},
    )


def second(fit: Fit) -> Problem:
    """What is left of a fit as a factor on the step of each model in each engine and number of bits, shrunk towards one.

    An engine's kernels serve some models better than the form says, whatever the chip: a chip the fit never saw profits from
    what others showed. The constants of the first fit stay fixed.
    """
    problem = fit.problem
    names = zip(problem.labels["engine"], problem.labels["model"], problem.labels["bits"], strict=True)
    own = sorted({own_name(*each) for each in names})
    return replace(problem, constants=[Constant(name, 1.0, 1.0, _OWN_SIGMA) for name in own], fixed=fit.values)


def text(fit: Fit, date: str) -> str:
    """The constants file of a fit, the second stage included."""
    own = solve(second(fit), rounds=4)
    lines = [
        "# What serving engines on GPUs were fitted with: value, unit, meaning; rows, chips and models that feel it (a change of",
        "# 1 % moves their figure by at least 0.02 %); prior, and the standard deviation of the logarithm after the fit.",
        f'source = "fit on published benchmark rows, collected {date}"',
        f'source_date = "{date}"',
        *_entries(fit, ABOUT),
        "",
        "# Second stage: a model in an engine, all chips together.",
        *_entries(own, None),
    ]
    return "\n".join(lines) + "\n"


def _entries(fit: Fit, about: Mapping[str, tuple[float, float, str, str]] | None) -> list[str]:
    counts, spread, values = fit.rows_that_feel(), fit.relative_sd, fit.values
    labels, scored = fit.problem.labels, fit.problem.weight > 0
    lines = []
    for i, constant in enumerate(fit.problem.constants):
        name = constant.name
        felt = (np.abs(fit.jacobian[:, i]) > 0.02) & scored
        if about is None and not felt.any():
            continue
        unit, meaning = about[name][2:] if about else ("factor", "step of this model in this engine, over the form's")
        entry: dict[str, Any] = {
            "value": f"{values[name]:.5g}",
            "unit": f'"{unit}"',
            "meaning": f'"{meaning}"',
            "rows": counts[name],
            "hardware": len(set(labels["gpu"][felt])),
            "models": len(set(labels["model"][felt])),
            "prior": f"{constant.prior:g}",
            "relative_sd": f"{spread[name]:.3f}",
        }
        key = name if about else f'"{name}"'
        lines += ["", f"[gpu.{key}]", *(f"{key} = {value}" for key, value in entry.items())]
    return lines


def write(fit: Fit, date: str, path: Path = FILE) -> None:
    """Write the constants file."""
    path.write_text(text(fit, date), encoding="utf-8")
