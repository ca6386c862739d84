"""A file of requests as public traces have it: when each came, how long its prompt and its answer were."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from models.demand import TraceFacts, facts_of
from models.errors import InputError, WorkloadError, brief

if TYPE_CHECKING:
    import pandas as pd

LARGEST_BYTES = 2_000_000_000
"""A larger file is refused: a week of a busy service has some ten million rows in a few hundred MB."""
MOST_TOKENS = 1e9
NAMES = {
    "when": ("timestamp", "time", "ts", "arrival_time", "arrived_at", "arrival", "start_time"),
    "input": ("contexttokens", "input_tokens", "request tokens", "prompt_tokens", "input_length", "num_prefill_tokens", "prompt tokens"),
    "output": (
        "generatedtokens", "output_tokens", "response tokens", "completion_tokens", "output_length", "num_decode_tokens",
        "generated tokens",
    ),
}  # fmt: skip
"""Column names of public traces (Azure 2023 and 2024, BurstGPT, Mooncake, Vidur), in small letters."""
_SHOWN = {
    "when": "a time (timestamp)",
    "input": "prompt tokens (input_tokens)",
    "output": "answer tokens (output_tokens)",
}
_EPOCH_MS = 1e11
"""Numbers from here on are milliseconds since 1970: as seconds they would be the year 5138."""


def read_trace(path: str, *, peak: str = "minute") -> TraceFacts:
    """Rates and lengths of a trace in CSV (also .gz) or JSON lines. Raises InputError naming file and line."""
    frame = _frame(Path(path))
    names = _columns(list(frame.columns), path)
    seconds, clock = _seconds(frame[names["when"]], path)
    inputs, outputs = (_tokens(frame[names[which]], names[which], path) for which in ("input", "output"))
    try:
        return facts_of(seconds, inputs, outputs, peak=peak, clock_s=clock)
    except WorkloadError as error:
        raise InputError(f"{path}: {error.message}", hint=error.hint) from error


def _frame(path: Path) -> pd.DataFrame:
    """The columns that count, as texts and numbers."""
    import pandas as pd  # a million rows: csv of the standard library takes several times as long

    wanted = {name for names in NAMES.values() for name in names}
    try:
        if path.is_dir():
            raise InputError(f"{path} is a folder, not a trace.")
        if path.stat().st_size > LARGEST_BYTES:
            raise InputError(
                f"{path} is larger than {LARGEST_BYTES // 10**9} GB.", hint="Give a part of it: a week is enough."
            )
        if path.suffix in {".jsonl", ".ndjson"}:
            return pd.read_json(path, lines=True)
        frame: pd.DataFrame = pd.read_csv(
            path, usecols=lambda name: str(name).strip().lower() in wanted, skipinitialspace=True, index_col=False
        )
        if len(frame) and (more := _fields(path, 1) - _fields(path, 0)) > 0:
            raise InputError(f"{path}, line 2: {more} more values than the header has columns.")
    except FileNotFoundError:
        raise InputError(f"{path} does not exist.") from None
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror or error}.") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not a text file in UTF-8.") from None
    except (ValueError, pd.errors.ParserError, EOFError) as error:
        raise InputError(f"{path} cannot be read as a trace: {_first_line(error)}.") from None
    return frame


def _fields(path: Path, line: int) -> int:
    """Fields of one line: pandas would take those beyond the header's for an index, or drop them."""
    import pandas as pd

    return pd.read_csv(path, header=None, skiprows=line, nrows=1, dtype=str).shape[1]


def _first_line(error: Exception) -> str:
    return brief(str(error).strip().split("\n")[0].rstrip("."), 100)[1:-1]


def _columns(found: list[Any], path: str) -> dict[str, str]:
    """Which of the columns are time, prompt and answer."""
    by_name = {str(name).strip().lower(): name for name in found}
    names = {which: next((by_name[name] for name in known if name in by_name), None) for which, known in NAMES.items()}
    missing = [_SHOWN[which] for which, name in names.items() if name is None]
    if missing:
        raise InputError(
            f"{path} has no column for {' and '.join(missing)}.",
            hint="A trace is CSV with the columns timestamp, input_tokens, output_tokens; names of public traces are known too.",
        )
    return {which: str(name) for which, name in names.items()}


def _line(bad: Any) -> int:
    """The line of the first bad row of a file with one header line."""
    return int(np.flatnonzero(bad)[0]) + 2


def _tokens(column: pd.Series[Any], name: str, path: str) -> np.ndarray[Any, Any]:
    import pandas as pd

    values = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64)
    bad = ~(np.isfinite(values) & (values >= 0) & (values <= MOST_TOKENS))
    if len(values) == 0:
        raise InputError(f"{path} has no requests.")
    if bad.any():
        at = _line(bad)
        raise InputError(f"{path}, line {at:,}: {name} cannot be {brief(str(column.iloc[at - 2]), 30)}.")
    return values


def _seconds(column: pd.Series[Any], path: str) -> tuple[np.ndarray[Any, Any], float]:
    """(seconds of each request, second of the day of second 0)."""
    import pandas as pd

    if len(column) == 0:
        raise InputError(f"{path} has no requests.")
    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
        values = column.to_numpy(dtype=np.float64)
        bad = ~np.isfinite(values)
        if not bad.any():
            scale = 1000.0 if np.abs(values).max() >= _EPOCH_MS or path.endswith(("jsonl", "ndjson")) else 1.0
            return values / scale, 0.0
    else:
        times = pd.to_datetime(column.astype(str), format="ISO8601", errors="coerce", utc=True)
        bad = times.isna().to_numpy()
        if not bad.any():
            values = times.dt.tz_localize(None).to_numpy().astype("datetime64[us]").astype(np.int64) / 1e6
            return values, 0.0
    at = _line(bad)
    raise InputError(
        f"{path}, line {at:,}: {brief(str(column.iloc[at - 2]), 40)} is not a time like 2026-11-30T12:00:00 or a number of seconds."
    )
