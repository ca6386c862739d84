"""What traffic a fleet is asked for: from flags or a trace into a day's demand, and the same in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from models.demand import flat, parse_day
from models.errors import InputError
from tui import format as fmt

if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping

    from models.demand import Demand, TraceFacts
    from models.traffic import Workload
    from pricing.terms import CompareOptions

SPREAD = (
    "95 of 100: the time of each prompt by its length in the trace, plus a wait for those before it (P(wait > t) = rho exp(-t / "
    "(mean wait + u)), u = E[S^2] / 2 E[S] of the prompts' times S). Lengths and arrivals are taken as independent: where long prompts "
    "come together, or at loads near 1, the tail is longer."
)
"""How a trace's lengths are in the tail (`models.spread`)."""
PEAK_WORDS = {
    "minute": "its busiest minute",
    "p99-minute": "the minute that 99 of 100 stay below",
    "hour": "its busiest hour",
}


def prepare(
    workload: Workload, said: MutableMapping[str, Any], options: CompareOptions, given: frozenset[str]
) -> Workload:
    """The workload at the demand's mean, with a trace's lengths. Raises InputError where flags contradict each other."""
    del options
    ways = [name for name in ("day", "trace") if name in said]
    if len(ways) > 1:
        raise InputError("--day and --trace exclude each other.", hint="A trace brings its own hours.")
    if ways and given & {"rps", "concurrency"}:
        raise InputError(f"--{ways[0]} and --rps or --concurrency exclude each other.", hint="Give one of them.")
    if "trace" not in said:
        for name in ("size_by", "peak_of"):
            if name in said:
                raise InputError(f"--{name.replace('_', '-')} says how a trace is read; there is no --trace.")
    else:
        if "peak" in said:
            raise InputError(
                "--peak and --trace exclude each other: a trace has a peak of its own.", hint="--peak-of chooses which."
            )
        if given & {"input_tokens", "output_tokens"}:
            raise InputError("--trace brings its own lengths; --input-tokens and --output-tokens contradict it.")
        return _traced(workload, said)
    if workload.requests_per_s is None:
        raise InputError(
            "A fleet is counted for requests per second, not for users.", hint="Give --rps, --day or --trace."
        )
    demand = (
        parse_day(said["day"], said.get("peak")) if "day" in said else flat(workload.requests_per_s, said.get("peak"))
    )
    said["demand"] = demand
    return workload.changed(requests_per_s=demand.mean)


def _traced(workload: Workload, said: MutableMapping[str, Any]) -> Workload:
    from pricing.trace import read_trace

    facts = read_trace(said["trace"], peak=said.get("peak_of", "minute"))
    said["facts"], said["demand"] = facts, facts.demand
    said["spread"] = workload.model.kv_cache  # an encoder's batches are of one length
    ninety = said.get("size_by") == "p90"
    lengths = (facts.input_p90, facts.output_p90) if ninety else (facts.input_mean, facts.output_mean)
    tokens_in, tokens_out = (max(round(length), 1) for length in lengths)
    return workload.changed(
        requests_per_s=facts.demand.mean,
        concurrency=None,
        input_tokens=tokens_in,
        output_tokens=tokens_out,
        # Sized for longer prompts than the mean, no shorter one counts as less.
        lengths=None if not said["spread"] else facts.lengths.at_least(tokens_in) if ninety else facts.lengths,
        preset=None,
    )


def notes_on(demand: Demand, said: Mapping[str, Any]) -> tuple[str, ...]:
    """Where the demand comes from, and what a trace says."""
    facts: TraceFacts | None = said.get("facts")
    notes = [f"Demand: {demand.note or 'as said'}; servers are counted for every hour's mean x {demand.burst:.3g}."]
    if facts is not None:
        rates = (
            ("mean", facts.mean),
            ("busiest minute", facts.busiest_minute),
            ("99th percentile of minutes", facts.p99_minute),
            ("busiest hour", facts.busiest_hour),
        )
        notes.append(
            f"Trace: {facts.requests:,} requests in {fmt.duration(facts.span_s * 1e3)}; requests/s: "
            f"{', '.join(f'{name} {fmt.number(rate)}' for name, rate in rates)}."
        )
        ninety = "90th percentile of" if said.get("size_by") == "p90" else "mean"
        notes.append(
            f"Sized for {PEAK_WORDS[said.get('peak_of', 'minute')]} (--peak-of) and the {ninety} lengths (--size-by)."
        )
        for what, lengths in (
            ("prompt", (facts.input_mean, facts.input_p50, facts.input_p90, facts.input_p99)),
            ("answer", (facts.output_mean, facts.output_p50, facts.output_p90, facts.output_p99)),
        ):
            told = ", ".join(f"{name} {n:,.0f}" for name, n in zip(("mean", "p50", "p90", "p99"), lengths, strict=True))
            notes.append(f"Tokens of {what}s: {told}.")
        if said.get("spread"):
            notes.append(SPREAD)
    return tuple(notes)


def facts_data(facts: TraceFacts | None) -> dict[str, Any] | None:
    """A trace's facts for JSON."""
    if facts is None:
        return None
    return {name: getattr(facts, name) for name in facts.__slots__ if name not in {"demand", "lengths"}}
