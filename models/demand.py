"""Traffic over a day: what arrives on average, at the peak, and hour by hour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from models.errors import WorkloadError
from models.lengths import lengths_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from models.lengths import Lengths

    Array = NDArray[np.float64]

HOURS = 24
MINUTE_S, HOUR_S = 60.0, 3600.0
LONGEST_DAYS = 3660.0
"""A longer trace is one whose times are in another unit, or wrong: ten years of a service say nothing about a day."""
PEAKS = ("minute", "p99-minute", "hour")
"""What a trace's peak can mean: its busiest minute, the minute that 99 of 100 stay below, its busiest hour."""


@dataclass(frozen=True, slots=True)
class Demand:
    """Requests/s of each hour of a day, and how far a peak stands above its hour."""

    hourly: tuple[float, ...]
    """24 means, of requests per second."""
    burst: float = 1.0
    """Peak over the busiest hour's mean, 1 or more: servers are counted for every hour's mean times this."""
    note: str = ""
    """Where it comes from."""
    watched: tuple[float, ...] | None = None
    """How long each hour was observed; None = all for as long. A trace's mean is then its requests over its span."""

    def __post_init__(self) -> None:
        if len(self.hourly) != HOURS:
            raise WorkloadError(
                f"A day has {HOURS} hours, not {len(self.hourly)}.", hint="Give 24 numbers, requests/s of each hour."
            )
        if not all(np.isfinite(rate) and 0 <= rate <= 1e7 for rate in self.hourly):
            raise WorkloadError("An hour's requests/s must lie between 0 and 10,000,000.")
        if not max(self.hourly) > 0:
            raise WorkloadError("A day without a request needs no server.")
        if not (np.isfinite(self.burst) and self.burst >= 1):
            raise WorkloadError(
                "The peak is below the mean of its hour.", hint="Give --peak in requests/s, at least the mean."
            )

    @property
    def mean(self) -> float:
        """Requests per second over the day."""
        return float(np.average(self.hourly, weights=self.watched))

    @property
    def peak(self) -> float:
        """Requests per second that servers are counted for in the busiest hour."""
        return max(self.hourly) * self.burst

    def needed(self) -> Array:
        """Requests per second that each hour's servers must carry."""
        found: Array = np.asarray(self.hourly, dtype=np.float64) * self.burst
        return found


def flat(mean: float, peak: float | None = None) -> Demand:
    """The same traffic around the clock, with peaks inside every hour. Raises WorkloadError for a peak below the mean."""
    if peak is not None and peak < mean * (1 - 1e-9):
        raise WorkloadError(f"A peak of {peak:g} requests/s is below the mean of {mean:g}.")
    return Demand((mean,) * HOURS, max((peak or mean) / mean, 1.0), "the same at every hour")


@dataclass(frozen=True, slots=True)
class TraceFacts:
    """What a trace of requests says; lengths in tokens."""

    requests: int
    span_s: float
    input_mean: float
    input_p50: float
    input_p90: float
    input_p99: float
    output_mean: float
    output_p50: float
    output_p90: float
    output_p99: float
    mean: float
    """Requests per second from the first to the last."""
    busiest_minute: float
    p99_minute: float
    busiest_hour: float
    demand: Demand
    lengths: Lengths
    """Of prompts."""
    times_read_as: str = ""
    """Unit of the times in the file, as a sentence names it."""


def facts_of(seconds: Array, inputs: Array, outputs: Array, *, peak: str = "minute") -> TraceFacts:
    """Rates and lengths of a trace.

    Args:
        seconds: arrival of each request, in any order, counted from any midnight; at least two different ones.
        inputs, outputs: tokens of each request.
        peak: one of PEAKS; servers are counted for it.

    Raises WorkloadError where all requests arrive at once, or over more than LONGEST_DAYS.
    """
    order = np.sort(np.asarray(seconds, dtype=np.float64))
    span = float(order[-1] - order[0]) if len(order) else 0.0
    if len(order) < 2 or span <= 0:
        raise WorkloadError("A trace needs requests at two different times at least.")
    if span > LONGEST_DAYS * HOURS * HOUR_S:
        years = span / HOUR_S / HOURS / 365.25
        raise WorkloadError(
            f"The first and the last request of a trace are {f'{years:,.0f}' if years < 10_000 else 'over 10,000'} years apart.",
            hint="Times are dates, seconds, or milliseconds since 1970; in a column timestamp_ms milliseconds from the start.",
        )
    since = order - order[0]
    mean = len(order) / span
    minutes = np.bincount((since // MINUTE_S).astype(np.intp))
    # The last minute may be cut short; a trace of less than a minute is one.
    whole = minutes[: max(int(span // MINUTE_S), 1)] / min(MINUTE_S, span)
    hours = np.bincount((since // HOUR_S).astype(np.intp))
    full = hours[: max(int(span // HOUR_S), 1)] / min(HOUR_S, span)
    peaks = {"minute": float(whole.max()), "p99-minute": float(np.percentile(whole, 99)), "hour": float(full.max())}
    demand = _demand(order, span, mean, max(peaks[peak], mean))
    (in_mean, in_50, in_90, in_99), (out_mean, out_50, out_90, out_99) = _lengths(inputs), _lengths(outputs)
    return TraceFacts(
        len(order), span, in_mean, in_50, in_90, in_99, out_mean, out_50, out_90, out_99,
        mean, peaks["minute"], peaks["p99-minute"], peaks["hour"], demand,
        lengths_of(inputs),
    )  # fmt: skip


def _lengths(values: Array) -> tuple[float, float, float, float]:
    """Mean, median, ninetieth and ninety-ninth percentile."""
    tokens = np.asarray(values, dtype=np.float64)
    half, ninety, most = (float(each) for each in np.percentile(tokens, [50, 90, 99]))
    return float(tokens.mean()), half, ninety, most


def _demand(order: Array, span: float, mean: float, peak: float) -> Demand:
    """Hour by hour where the trace covers a day, else the mean around the clock."""
    day = HOUR_S * HOURS
    if span < day * 0.99:
        return Demand(
            (mean,) * HOURS, max(peak / mean, 1.0), f"a trace of {span / HOUR_S:.3g} h: the same at every hour"
        )
    at = ((order % day) // HOUR_S).astype(np.intp)
    counts = np.bincount(at, minlength=HOURS).astype(np.float64)
    # How long the trace watched each hour of the day: whole days, and what is left of the last one.
    first = order[0] % day
    watched = np.full(HOURS, span // day * HOUR_S)
    rest = span % day
    edges = np.arange(HOURS) * HOUR_S
    for turn in (0.0, day):
        watched += np.clip(
            np.minimum(first + rest, edges + HOUR_S + turn) - np.maximum(first, edges + turn), 0.0, HOUR_S
        )
    hourly = counts / np.maximum(watched, 1.0)
    days = f"{span / day:.3g}"
    return Demand(
        tuple(hourly.tolist()),
        max(peak / float(hourly.max()), 1.0),
        f"a trace of {days} {'day' if days == '1' else 'days'}, hour by hour",
        tuple(watched.tolist()),
    )


def parse_day(numbers: Sequence[float], peak: float | None = None) -> Demand:
    """A day of 24 hourly means; `peak` in requests/s inside the busiest hour. Raises WorkloadError."""
    made = Demand(tuple(float(number) for number in numbers), 1.0, "24 hourly means")
    if peak is None:
        return made
    if peak < max(made.hourly) * (1 - 1e-9):
        raise WorkloadError(f"A peak of {peak:g} requests/s is below the busiest hour's {max(made.hourly):g}.")
    return Demand(made.hourly, max(peak / max(made.hourly), 1.0), made.note)
