"""What the user has chosen: the workload with its history, the filters and the order."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tui.columns import BY_ID
from tui.rows import DEFAULT_SORT, usual_sort

if TYPE_CHECKING:
    from models.traffic import Workload

FITS = ("all", "fits", "targets")
KINDS = ("any", "gpu", "cpu")
TERMS = ("standard", "all", "everything")
"""Standard: on-demand and monthly, dated, at most 24 months old; all: spot and reserved too; everything: undated and old ones too."""

PLOTS = ("pareto", "crossover", "memory", "latency", "providers")

MOST_WHERES = 50
"""Filters used before that are remembered and kept."""

FIT_WORDS = {"all": "all", "fits": "holds the model", "targets": "meets the targets"}
KIND_WORDS = {"any": "any", "gpu": "GPU", "cpu": "CPU"}
TERM_WORDS = {"standard": "on-demand, monthly", "all": "all", "everything": "all, undated and old too"}


@dataclass(frozen=True, slots=True)
class ViewState:
    """Filters and order of the table."""

    kind: str = "any"
    fit: str = "all"
    terms: str = "standard"
    where: str = ""
    """The filter as typed; the last one that could be read."""
    sort: str = DEFAULT_SORT
    descending: bool = False
    columns: tuple[str, ...] = ()
    """Ids of the columns to show, in order; empty = all of them, dropped by priority."""
    widths: tuple[tuple[str, int], ...] = ()
    """Columns whose width the user has set, in cells."""
    unit: str = "per_million"
    """The cost column that stays longest: per_million, month or hour."""
    plot: str = "pareto"
    """The plot shown last, one of PLOTS."""

    def changed(self, **changes: Any) -> ViewState:
        """The same view with some choices replaced."""
        return replace(self, **changes)

    def following(self, before: Workload, now: Workload) -> ViewState:
        """The view for another workload: the usual order, and the usual unit, stay the usual ones."""
        old, new = usual_sort(before), usual_sort(now)
        if old == new or self.sort != old or self.descending:
            return self
        return replace(self, sort=new, unit=new if self.unit == old else self.unit)

    def sorted_by(self, column: str) -> ViewState:
        """Sort by a column; the active column again reverses."""
        if column == self.sort:
            return replace(self, descending=not self.descending)
        return replace(self, sort=column, descending=BY_ID[column].largest_first)

    @property
    def filtered(self) -> bool:
        """True where a filter that the user set hides offers."""
        return self.kind != "any" or self.fit != "all" or bool(self.where)


def following(choices: tuple[str, ...], current: str) -> str:
    """The next of a few choices, round and round."""
    return choices[(choices.index(current) + 1) % len(choices)] if current in choices else choices[0]


@dataclass(slots=True)
class History:
    """The workload now, those before and those undone."""

    current: Workload
    past: list[Workload] = field(default_factory=list)
    future: list[Workload] = field(default_factory=list)
    _step: str = ""

    LIMIT = 200

    def set(self, workload: Workload, *, step: str = "") -> bool:
        """Make a workload current; False where nothing changed. Changes that name the same step are undone together."""
        if workload == self.current:
            return False
        if not (step and step == self._step and self.past):
            self.past.append(self.current)
            del self.past[: -self.LIMIT]
        self._step = step
        self.future.clear()
        self.current = workload
        return True

    def end_step(self) -> None:
        """The next change is undone by itself."""
        self._step = ""

    def cancel_step(self, step: str) -> bool:
        """Take back the open step of this name, as if it had never been; False where it changed nothing."""
        if not step or step != self._step or not self.past:
            return False
        self._step = ""
        self.current = self.past.pop()
        return True

    def undo(self) -> bool:
        """Back to the workload before; False at the beginning."""
        return self._move(self.past, self.future)

    def redo(self) -> bool:
        """Forward again; False where nothing was undone."""
        return self._move(self.future, self.past)

    def _move(self, source: list[Workload], target: list[Workload]) -> bool:
        self._step = ""
        if not source:
            return False
        target.append(self.current)
        self.current = source.pop()
        return True
