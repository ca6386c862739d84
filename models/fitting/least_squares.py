"""Robust least squares in the logarithm of the constants, with priors, and leave-one-group-out by the same solver.

A `Problem` predicts every measured row from named constants; nothing here knows what a constant means.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from models.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Array = NDArray[np.float64]

_OWN_ROUNDS = 2
SCALE = 0.15
"""Residuals (in ln) beyond this count linearly, not squared: the goal is a median, and rows of a bad set-up must not pull."""


@dataclass(slots=True)
class Constant:
    """One number to fit: where it starts, what was believed before, and how firmly (sd of ln)."""

    name: str
    start: float
    prior: float
    sigma: float


@dataclass(slots=True)
class Problem:
    """Measured rows and how to predict them; arrays are one entry a row."""

    constants: Sequence[Constant]
    predict: Callable[[Mapping[str, float]], Array]
    """Constants by name (fitted and fixed) to predicted values, in the unit of `measured`."""
    measured: Array
    weight: Array
    labels: dict[str, NDArray[np.object_]] = field(default_factory=dict)
    """Label of every row by kind of group: gpu, model, source, metric, engine, ..."""
    fixed: Mapping[str, float] = field(default_factory=dict)

    def values(self, theta: Array) -> dict[str, float]:
        """Constants by name from the logarithms."""
        found = {c.name: float(v) for c, v in zip(self.constants, np.exp(theta), strict=True)}
        return {**self.fixed, **found}


@dataclass(slots=True)
class Fit:
    """A solution: constants, their relative sd, the jacobian of ln(prediction) at it."""

    problem: Problem
    theta: Array
    jacobian: Array
    residual: Array
    """ln(predicted/measured), one a row."""

    @property
    def values(self) -> dict[str, float]:
        """Constants by name, fixed ones included."""
        return self.problem.values(self.theta)

    @property
    def relative_sd(self) -> dict[str, float]:
        """Standard deviation of ln of every fitted constant, priors included, in units of the rows' own spread."""
        p = self.problem
        weight = p.weight * _soft(self.residual)
        precision = (self.jacobian * (weight / SCALE**2)[:, None]).T @ self.jacobian
        precision += np.diag([1 / c.sigma**2 for c in p.constants])
        spread = np.sqrt(np.diag(np.linalg.inv(precision)))
        return {c.name: float(s) for c, s in zip(p.constants, spread, strict=True)}

    def rows_that_feel(self, share: float = 0.02) -> dict[str, int]:
        """How many rows move by at least `share` of a relative change of each constant."""
        counts = (np.abs(self.jacobian) > share).sum(axis=0)
        return {c.name: int(n) for c, n in zip(self.problem.constants, counts, strict=True)}


def _soft(residual: Array) -> Array:
    """Weight of a residual under the pseudo-Huber loss."""
    weight: Array = 1 / np.sqrt(1 + (residual / SCALE) ** 2)
    return weight


def _log_predict(problem: Problem, theta: Array) -> Array:
    result: Array = np.log(np.maximum(problem.predict(problem.values(theta)), 1e-12))
    return result


def jacobian(problem: Problem, theta: Array, base: Array | None = None) -> Array:
    """Change of ln(prediction) for a change of ln(constant), by forward differences."""
    base = _log_predict(problem, theta) if base is None else base
    columns = np.empty((len(base), len(theta)))
    step = 1e-4
    for i in range(len(theta)):
        moved = theta.copy()
        moved[i] += step
        columns[:, i] = (_log_predict(problem, moved) - base) / step
    return columns


def solve(problem: Problem, *, start: Array | None = None, rounds: int = 15, keep: Any = None) -> Fit:
    """Fit the constants to the rows (those of `keep` only): reweighted Gauss-Newton steps, the first ones cut short.

    Raises:
        InputError: no rows.
    """
    if not len(problem.measured):
        raise InputError("There are no measured rows to fit.", hint="Name a measurements file with rows marked fit.")
    theta = np.log([c.start for c in problem.constants]) if start is None else start.copy()
    prior = np.log([c.prior for c in problem.constants])
    sigma = np.array([c.sigma for c in problem.constants])
    used = np.ones(len(problem.measured)) if keep is None else np.asarray(keep, dtype=np.float64)
    target = np.log(problem.measured)

    def cost(residual: Array, at: Array) -> float:
        huber = SCALE**2 * (np.sqrt(1 + (residual / SCALE) ** 2) - 1)
        return float((used * problem.weight * huber).sum() / SCALE**2 + 0.5 * (((at - prior) / sigma) ** 2).sum())

    predicted = _log_predict(problem, theta)
    damping = 1e-3
    slopes = jacobian(problem, theta, predicted)
    for _ in range(rounds):
        residual = predicted - target
        now = cost(residual, theta)
        step = _step(slopes, residual, used * problem.weight, theta, prior, sigma, damping)
        trial = theta + np.clip(step, -0.5, 0.5)
        new = _log_predict(problem, trial)
        after = cost(new - target, trial)
        if after < now:
            theta, predicted, damping = trial, new, damping / 5
            if now - after < 1e-4 * max(now, 1e-9) or np.abs(step).max() < 1e-3:
                break
            slopes = jacobian(problem, theta, predicted)
        else:
            damping *= 10
            if damping > 1e3:
                break
    return Fit(problem, theta, slopes, predicted - target)


def _step(
    slopes: Array, residual: Array, weight: Array, theta: Array, prior: Array, sigma: Array, damping: float
) -> Array:
    weight = weight * _soft(residual) / SCALE**2
    weighted = slopes * weight[:, None]
    hessian: Array = weighted.T @ slopes + np.diag(1 / sigma**2)
    gradient = weighted.T @ residual + (theta - prior) / sigma**2
    hessian = hessian + damping * np.diag(np.diag(hessian))
    result: Array = -np.asarray(np.linalg.solve(hessian, gradient), dtype=np.float64)
    return result


def leave_out(fit: Fit, label: str, *, refit: bool = False) -> Array:
    """ln(predicted/measured) of every row from constants fitted without any row of its group.

    Args:
        fit: the fit to all rows; label: kind of group (a key of `labels`).
        refit: solve again for every group; otherwise one Gauss-Newton step from the full fit, which differs by little
            and takes a thousandth of the time.
    """
    problem = fit.problem
    groups = problem.labels[label]
    prior = np.log([c.prior for c in problem.constants])
    sigma = np.array([c.sigma for c in problem.constants])
    target = np.log(problem.measured)
    result = fit.residual.copy()
    for group in np.unique(groups.astype(str)):
        mine = groups.astype(str) == group
        if refit:
            theta = solve(problem, start=fit.theta, rounds=4, keep=~mine).theta
        else:
            weight = problem.weight * ~mine
            theta = fit.theta + np.clip(
                _step(fit.jacobian, fit.residual, weight, fit.theta, prior, sigma, 0.0), -1.0, 1.0
            )
        result[mine] = _log_predict(problem, theta)[mine] - target[mine]
    return result


def median_error(residual: Array, weight: Array | None = None) -> float:
    """Median of |predicted/measured - 1|, weighted where weights are given."""
    error = np.abs(np.expm1(residual))
    if not len(error):
        return float("nan")
    if weight is None:
        return float(np.median(error))
    order = np.argsort(error)
    total = np.cumsum(weight[order])
    return float(error[order][np.searchsorted(total, total[-1] / 2)])


def leave_out_twice(first: Fit, second: Fit, label: str) -> Array:
    """`leave_out` for a fit in two stages: the second's constants are solved from what the first leaves, both without the group."""
    problem, last = first.problem, second.problem
    groups = problem.labels[label].astype(str)
    prior = np.log([c.prior for c in problem.constants])
    sigma = np.array([c.sigma for c in problem.constants])
    none = np.zeros(len(last.constants))
    spread = np.array([c.sigma for c in last.constants])
    target = np.log(problem.measured)
    result = first.residual.copy()
    for group in np.unique(groups):
        mine = groups == group
        weight = problem.weight * ~mine
        step = _step(first.jacobian, first.residual, weight, first.theta, prior, sigma, 0.0)
        theta = first.theta + np.clip(step, -1.0, 1.0)
        residual = _log_predict(problem, theta) - target
        own = none
        for _ in range(_OWN_ROUNDS):
            at = residual + second.jacobian @ own
            own = own + _step(second.jacobian, at, weight, own, none, spread, 0.0)
        values = problem.values(theta) | {c.name: float(v) for c, v in zip(last.constants, np.exp(own), strict=True)}
        predicted = np.log(np.maximum(problem.predict(values), 1e-12))
        result[mine] = predicted[mine] - target[mine]
    return result
