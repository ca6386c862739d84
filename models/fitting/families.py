"""The fits by family (serving engines on GPUs, llama.cpp on GPUs, CPUs) as one: rows in, figures joined back to the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from models.case_input import number
from models.constants import constants
from models.errors import InputError
from models.fitting import cpu, gguf, serving
from models.fitting.cpu_instances import instance_rows
from models.fitting.least_squares import leave_out, leave_out_twice, solve

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from models.fitting.least_squares import Array, Fit, Problem

    Row = Mapping[str, str]

LABELS = ("gpu", "model", "source")
"""Kinds of groups that every family can leave out; `gpu` is the chip or CPU."""
ROUNDS = 40
"""Steps of a fit at most; it ends by itself after fewer."""


def _nothing(_: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True)
class Family:
    """One set of formulas with its constants."""

    name: str
    """Of its constants file."""
    group: str
    """Of its constants in `models.constants.Constants`, and the table's name in the file."""
    what: str
    problem: Callable[[Sequence[Row]], Problem]
    text: Callable[[Fit, str], str]
    further: Callable[[], Sequence[Row]] = tuple
    """Shipped rows in a table of their own."""
    second: Callable[[Fit], Problem] | None = None
    """What is fitted to the residuals of the first fit."""

    def current(self) -> Mapping[str, float]:
        """The constants in force."""
        values: Mapping[str, float] = getattr(constants(), self.group)
        return values


FAMILIES = (
    Family("serving", "gpu", "serving engines on GPUs", serving.problem, serving.text, second=serving.second),
    Family("gguf", "gguf", "llama.cpp on GPUs", gguf.problem, gguf.text),
    Family("cpu", "cpu", "CPUs", cpu.problem, cpu.text, lambda: instance_rows()),  # noqa: PLW0108 - looked up when called
)


@dataclass(frozen=True, slots=True)
class Part:
    """What one family makes of some rows."""

    family: Family
    problem: Problem
    row: Array
    """Place of every entry among the rows; -1 for those of the family's own table."""


def fitted_rows(rows: Sequence[Row]) -> list[int]:
    """Places of the rows that a fit may see: marked fit or not at all, with a value above zero."""
    return [i for i, row in enumerate(rows) if (row.get("use") or "fit") == "fit" and _value(row) > 0]


def _value(row: Row) -> float:
    try:
        return number(row, "value") or 0.0
    except InputError:  # scoring counts such a row as one without an answer
        return 0.0


def parts_of(rows: Sequence[Row]) -> list[Part]:
    """The rows by family, in the order of FAMILIES; a family without any is left out.

    Raises:
        InputError: a row's repeats or weight is no number.
    """
    # The id of an entry is the place of its row: the families keep ids, and know nothing of places.
    mine: list[Row] = [_named(rows[i], str(i)) for i in fitted_rows(rows)]
    for row in mine:
        for name in ("repeats", "weight"):
            number(row, name)
    found = []
    for family in FAMILIES:
        try:
            problem = family.problem([*mine, *(_named(row, "-1") for row in family.further())])
        except InputError:  # the family says that none of the rows is its own
            continue
        if len(problem.measured):
            found.append(Part(family, problem, problem.labels["id"].astype(np.int64)))
    return found


def _named(row: Row, place: str) -> dict[str, str]:
    named = {key: value for key, value in row.items() if key not in {"id", "case_id"}}
    return {**named, "id": place, "metric": row.get("metric") or ""}


def solve_part(part: Part) -> tuple[Fit, Fit]:
    """The fit of a family and, where it has a second stage, the fit with both (the same one elsewhere)."""
    first = solve(part.problem, rounds=ROUNDS)
    if part.family.second is None:
        return first, first
    return first, solve(part.family.second(first), rounds=ROUNDS)


def without(first: Fit, both: Fit, label: str) -> Array:
    """ln(predicted/measured) of every row of a family from constants fitted without its group, both stages."""
    return leave_out(first, label) if both is first else leave_out_twice(first, both, label)


def left_out(rows: Sequence[Row], label: str, *, tell: Callable[[str], None] = _nothing) -> list[float | None]:
    """Predicted over measured of every row, from constants fitted without the rows of its group.

    Args:
        rows: of a measurements file; label: one of LABELS; tell: gets a line before each family.

    Returns:
        one ratio a row; None for rows that no fit is about. A fit without a group is one Newton step from the fit to all,
        which differs by little from solving again.
    """
    result: list[float | None] = [None] * len(rows)
    for part in parts_of(rows):
        groups = len(set(part.problem.labels[label]))
        tell(f"Fitting {part.family.what}: {len(part.row):,} rows, then without each {label} of {groups:,}.")
        ratios = np.exp(without(*solve_part(part), label))
        for place, ratio in zip(part.row.tolist(), ratios.tolist(), strict=True):
            if place >= 0:
                result[place] = ratio
    return result
