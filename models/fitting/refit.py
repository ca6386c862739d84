"""All constants fitted anew, beside those in force: what moved, how firmly it is known, and what the errors become."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from models.constants import constants
from models.fitting import families
from models.fitting.bands import fitted_bands, text
from models.fitting.least_squares import median_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from models.fitting.families import Part
    from models.fitting.least_squares import Array, Fit


@dataclass(frozen=True, slots=True)
class Refit:
    """One family's new constants."""

    part: Part
    fit: Fit
    both: Fit
    """With the second stage, where the family has one."""
    before: Array
    """ln(predicted/measured) with the constants in force, one a row."""

    def errors(self, among: NDArray[np.bool_] | None = None) -> tuple[float, float]:
        """Median error in percent before and after, weighted as in the fit; among these entries only. NaN without any."""
        weight = self.fit.problem.weight
        chosen = (weight > 0) if among is None else (weight > 0) & among
        return (
            100 * median_error(self.before[chosen], weight[chosen]),
            100 * median_error(self.both.residual[chosen], weight[chosen]),
        )

    def among(self, places: range) -> NDArray[np.bool_]:
        """Which entries are of the rows at these places, and count in the fit."""
        row = self.part.row
        return (row >= places.start) & (row < places.stop) & (self.fit.problem.weight > 0)


def refit(rows: Sequence[Mapping[str, str]], *, tell: Callable[[str], None]) -> list[Refit]:
    """Fit every family to its rows; the same rows give the same constants.

    Args:
        rows: of measurements files; tell: gets a line before each family, for a person who waits.

    Raises:
        InputError: a row's repeats are no number.
    """
    found = []
    for part in families.parts_of(rows):
        tell(f"Fitting {part.family.what}: {len(part.problem.constants)} constants to {len(part.row):,} rows.")
        problem = part.problem
        starts = {constant.name: constant.prior for constant in problem.constants}
        predicted = problem.predict({**starts, **part.family.current()})
        before = np.log(np.maximum(predicted, 1e-12) / problem.measured)
        found.append(Refit(part, *families.solve_part(part), before))
    return found


def table(refits: Sequence[Refit]) -> list[dict[str, object]]:
    """One dict a constant: file, constant, old (None where new), new, change_pct, relative_sd, rows."""
    lines: list[dict[str, object]] = []
    for each in refits:
        lines.extend(_lines(each, each.fit))
        if each.both is not each.fit:
            lines.extend(_lines(each, each.both))
    return lines


def _lines(refit: Refit, fit: Fit) -> Iterator[dict[str, object]]:
    """The constants of one stage."""
    old, new = refit.part.family.current(), fit.values
    spread, counts = fit.relative_sd, fit.rows_that_feel()
    for constant in fit.problem.constants:
        name = constant.name
        was = old.get(name)
        if was is None and not counts[name]:
            continue  # no row can tell: the estimate knows no such constant either
        yield {
            "file": refit.part.family.name,
            "constant": name,
            "old": was,
            "new": float(f"{new[name]:.4g}"),
            "change_pct": round(100 * (new[name] / was - 1), 1) + 0.0 if was else None,
            "relative_sd": round(spread[name], 3),
            "rows": counts[name],
        }


def files(refits: Sequence[Refit], rows: Sequence[Mapping[str, str]], date: str) -> dict[str, str]:
    """Texts of the constants files by name, for a folder that `models.constants.use` reads.

    Args:
        refits: of `refit(rows)`; rows: the same; date: of the files.

    Bands come from every row predicted without its source; classes with few rows keep theirs.
    """
    result = {f"{each.part.family.name}.toml": each.part.family.text(each.fit, date) for each in refits}
    named = [{**row, "id": str(i)} for i, row in enumerate(rows)]
    bands = fitted_bands(named, [(each.both, families.without(each.fit, each.both, "source")) for each in refits])
    chips = set(constants().measured_chips)
    for each in refits:
        if each.part.family.name != "cpu":
            chips |= set(each.fit.problem.labels["gpu"].tolist())
    return result | {"bands.toml": text(bands, constants().band, chips, date)}
