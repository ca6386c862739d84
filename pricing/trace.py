"""A file of requests as public traces have it: when each came, how long its prompt and its answer were."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from models.demand import TraceFacts, facts_of
from models.errors import InputError, WorkloadError, brief
from pricing import trace_csv, trace_file
from pricing.trace_csv import key
from pricing.trace_file import UNREADABLE, line_of, opened
from pricing.trace_times import BadTime, seconds_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    Array = np.ndarray[Any, Any]

MOST_TOKENS = 1e7
"""No model reads more in one request: the longest context that is advertised is ten million tokens (Llama 4 Scout, April 2025)."""
NAMES = {
    "when": (
        "timestamp", "time", "ts", "arrival_time", "arrived_at", "arrival", "start_time",
        "timestamp_ms", "time_ms", "arrival_time_ms",
    ),
    "input": ("contexttokens", "input_tokens", "request tokens", "prompt_tokens", "input_length", "num_prefill_tokens", "prompt tokens"),
    "output": (
        "generatedtokens", "output_tokens", "response tokens", "completion_tokens", "output_length", "num_decode_tokens",
        "generated tokens",
    ),
}  # fmt: skip
"""Column names of public traces (Azure 2023 and 2024, BurstGPT, Mooncake, Vidur), in small letters."""
KNOWN = frozenset(name for names in NAMES.values() for name in names)
MOONCAKE = "hash_ids"
"""A column that only traces in Mooncake's format have: their `timestamp` is milliseconds from the start (its README, June 2024)."""
_SHOWN = {
    "when": "a time (timestamp)",
    "input": "prompt tokens (input_tokens)",
    "output": "answer tokens (output_tokens)",
}


def read_trace(path: str, *, peak: str = "minute") -> TraceFacts:
    """Rates and lengths of a trace in CSV or JSON lines, either also packed by gzip. Raises InputError naming file and line."""
    place = Path(path)
    separator: str | None = None
    try:
        trace_file.check_file(place)
        if trace_file.is_json_lines(place):
            with opened(place) as file:
                found, frame = _json_lines(file, path)
        else:
            found, separator = trace_csv.header(place, KNOWN)
            with opened(place) as file:
                frame = trace_csv.table(file, place, found, KNOWN, separator)
    except UnicodeDecodeError:
        raise InputError(f"{path} is not a text file in UTF-8.", hint="Save it as CSV in UTF-8.") from None
    except UNREADABLE as error:
        raise trace_file.unreadable(path, error) from None
    names = _columns(found, path) if found or separator else {}
    if not len(frame):
        raise InputError(f"{path} has no requests.")
    if len(frame) > trace_file.MOST_ROWS:
        raise InputError(
            f"{path} has more than {trace_file.MOST_ROWS:,} requests.", hint="Give a part of it: a week is enough."
        )
    frame.columns = frame.columns.map(key)
    when = names["when"]
    times = seconds_of(
        frame[key(when)], relative_ms=key(when).endswith("_ms") or any(key(name) == MOONCAKE for name in found)
    )
    if isinstance(times, BadTime):
        raise _at(place, line_of(place, times.row, separator), when, times.reason)
    inputs, outputs = (_tokens(frame[key(names[one])], names[one], place, separator) for one in ("input", "output"))
    try:
        facts = facts_of(times.seconds, inputs, outputs, peak=peak)
    except WorkloadError as error:
        raise InputError(f"{path}: {error.message}", hint=error.hint) from error
    told = [f"times read as {times.unit}", *_empty(inputs, "prompts"), *_empty(outputs, "answers")]
    demand = replace(facts.demand, note="; ".join([facts.demand.note, *told]))
    return replace(facts, times_read_as=times.unit, demand=demand)


def _at(path: Path, line: int, name: str, reason: str, hint: str = "") -> InputError:
    """What is wrong with an entry, by its line; without a reason it is missing."""
    if not reason:
        return InputError(f"{path}, line {line:,} has no {name}.", hint=hint)
    return InputError(f"{path}, line {line:,}: {reason}", hint=hint)


def _empty(tokens: Array, what: str) -> list[str]:
    """A remark where a column says nothing."""
    return [] if tokens.any() else [f"all {what} have 0 tokens, taken as 1"]


def _json_lines(file: BinaryIO, path: str) -> tuple[list[str], pd.DataFrame]:
    """Names of the first object, and the columns that count of all; other keys are left out."""
    import pandas as pd

    when: list[Any] = []
    inputs: list[Any] = []
    outputs: list[Any] = []
    found: list[str] = []
    names: tuple[str, ...] = ()
    # json.loads guesses the encoding of bytes first, which takes as long as reading them.
    decode = json.JSONDecoder().decode
    for number, line in enumerate(file, 1):
        if line.isspace():
            continue
        text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        try:
            entry = decode(text)
        except (ValueError, RecursionError):
            if not names and text.lstrip().startswith("["):
                raise _array(path) from None
            raise InputError(f"{path}, line {number:,} is not JSON.") from None
        if not isinstance(entry, dict):
            if not names and isinstance(entry, list):
                raise _array(path)
            raise InputError(f"{path}, line {number:,} is not an object with a request.")
        if not names:
            found = [name for name, _ in json.JSONDecoder(object_pairs_hook=list).decode(text)]
            names = tuple(_columns(found, path).values())
        when.append(entry.get(names[0]))
        inputs.append(entry.get(names[1]))
        outputs.append(entry.get(names[2]))
        if len(when) > trace_file.MOST_ROWS:
            break
    return found, pd.DataFrame(dict(zip(names, (when, inputs, outputs), strict=False)))


def _array(path: str) -> InputError:
    return InputError(
        f"{path} holds a JSON list; a trace has one object a line.", hint="`jq -c .[]` makes one of the other."
    )


# columns


def _columns(found: Sequence[str], path: str) -> dict[str, str]:
    """Which of the columns are time, prompt and answer."""
    twice = next((name for name, count in Counter(map(key, found)).items() if count > 1 and name in KNOWN), None)
    if twice is not None:
        raise InputError(f"{path} has two columns named {twice}.", hint="Leave out or rename one of them.")
    by_name = {key(name): name for name in found}
    names = {which: next((by_name[name] for name in known if name in by_name), None) for which, known in NAMES.items()}
    missing = [_SHOWN[which] for which, name in names.items() if name is None]
    if missing:
        raise InputError(
            f"{path} has no column for {' and '.join(missing)}.",
            hint="A trace is CSV with the columns timestamp, input_tokens, output_tokens; names of public traces are known too.",
        )
    return {which: str(name).strip() for which, name in names.items()}


def _tokens(column: pd.Series[Any], name: str, path: Path, separator: str | None) -> Array:
    import pandas as pd

    if pd.api.types.is_bool_dtype(column):  # a column of yes and no would count as 1 and 0
        column = column.astype(str)
    if (
        column.dtype == object and (truths := column.map(lambda one: isinstance(one, bool))).any()
    ):  # and so would one of them in JSON
        column = column.mask(truths, column.astype(str))
    try:
        values = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64)
    except (TypeError, ValueError, OverflowError):  # lists and objects of JSON
        values = pd.to_numeric(column.astype(str), errors="coerce").to_numpy(dtype=np.float64)
    bad = ~(np.isfinite(values) & (values >= 0) & (values <= MOST_TOKENS))
    if bad.any():
        at = int(np.flatnonzero(bad)[0])
        value = column.iloc[at]
        nothing = pd.api.types.is_scalar(value) and pd.isna(value)
        raise _at(
            path,
            line_of(path, at, separator),
            name,
            "" if nothing else f"{name} cannot be {brief(str(value), 30)}.",
            f"It is a number of tokens, 0 to {MOST_TOKENS:,.0f}.",
        )
    return values
