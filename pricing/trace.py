"""A file of requests as public traces have it: when each came, how long its prompt and its answer were."""

from __future__ import annotations

import csv
import gzip
import io
import json
import stat
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import numpy as np

from models.demand import TraceFacts, facts_of
from models.errors import InputError, WorkloadError, brief
from pricing.trace_times import seconds_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    Array = np.ndarray[Any, Any]

LARGEST_BYTES = 2_000_000_000
"""A larger file is refused, unpacked: a week of a busy service has some ten million rows in a few hundred MB."""
MOST_ROWS = 20_000_000
"""More requests are refused: they take more memory than a laptop has, and say no more about a day."""
MOST_TOKENS = 1e7
"""No model reads more in one request: the longest context that is advertised is ten million tokens (Llama 4 Scout, April 2025)."""
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


def read_trace(path: str, *, peak: str = "minute") -> TraceFacts:
    """Rates and lengths of a trace in CSV or JSON lines, either also as .gz. Raises InputError naming file and line."""
    place = Path(path)
    json_lines = _is_json_lines(place)
    try:
        _check_file(place)
        with _opened(place) as file:
            frame = _json_lines(file, path) if json_lines else _csv(file, place)
    except FileNotFoundError:
        raise InputError(f"{path} does not exist.") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not a text file in UTF-8.") from None
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"Cannot read {path}: {getattr(error, 'strerror', None) or error}.") from None
    names = _columns(list(frame.columns), path) if len(frame.columns) or not json_lines else {}
    if not len(frame):
        raise InputError(f"{path} has no requests.")
    if len(frame) > MOST_ROWS:
        raise InputError(f"{path} has more than {MOST_ROWS:,} requests.", hint="Give a part of it: a week is enough.")
    seconds, bad = seconds_of(frame[names["when"]], relative_ms=json_lines)
    if bad is not None:
        raise InputError(f"{path}, line {_line(place, bad.row):,}: {bad.reason}")
    inputs, outputs = (_tokens(frame[names[which]], names[which], place) for which in ("input", "output"))
    try:
        return facts_of(seconds, inputs, outputs, peak=peak)
    except WorkloadError as error:
        raise InputError(f"{path}: {error.message}", hint=error.hint) from error


# files


class _Counted(io.RawIOBase):
    """A stream that ends in an error once it has given more than a trace may have: a packed file does not say how long it is."""

    def __init__(self, source: BinaryIO, name: str) -> None:
        self._source, self._left, self._name = source, LARGEST_BYTES, name

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """The next bytes. Raises InputError beyond LARGEST_BYTES."""
        data = self._source.read(len(buffer))
        self._left -= len(data)
        if self._left < 0:
            raise _too_large(self._name)
        buffer[: len(data)] = data
        return len(data)


def _too_large(name: object) -> InputError:
    return InputError(f"{name} is larger than {LARGEST_BYTES / 1e9:g} GB.", hint="Give a part of it: a week is enough.")


def _check_file(path: Path) -> None:
    facts = path.stat()
    if stat.S_ISDIR(facts.st_mode):
        raise InputError(f"{path} is a folder, not a trace.")
    if not stat.S_ISREG(facts.st_mode):  # a device never ends, and a pipe cannot be read twice
        raise InputError(f"{path} is not a regular file.", hint="Save the trace first.")
    if facts.st_size > LARGEST_BYTES:
        raise _too_large(path)


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """The unpacked bytes of a file."""
    with cast("BinaryIO", gzip.open(path) if path.suffix == ".gz" else path.open("rb")) as source:
        yield cast("BinaryIO", io.BufferedReader(_Counted(source, str(path)), 1 << 18))


def _is_json_lines(path: Path) -> bool:
    return (path.with_suffix("") if path.suffix == ".gz" else path).suffix in {".jsonl", ".ndjson"}


def _csv(file: BinaryIO, path: Path) -> pd.DataFrame:
    """The columns that count, as texts and numbers."""
    import pandas as pd  # a million rows: csv of the standard library takes several times as long

    wanted = {name for names in NAMES.values() for name in names}
    try:
        frame: pd.DataFrame = pd.read_csv(
            file,
            usecols=lambda name: str(name).strip().lower() in wanted,
            skipinitialspace=True,
            index_col=False,
            nrows=MOST_ROWS + 1,
        )
    except UnicodeDecodeError:
        raise
    except pd.errors.EmptyDataError:
        raise InputError(f"{path} is empty.") from None
    except (ValueError, pd.errors.ParserError) as error:
        raise InputError(f"{path} cannot be read as a trace: {_first_line(error)}.") from None
    if len(frame):
        head, first = _first_rows(path)
        if (more := len(first) - len(head)) > 0:  # pandas drops them, or takes them for an index
            raise InputError(f"{path}, line {_line(path, 0):,}: {more} more values than the header has columns.")
    return frame


def _json_lines(file: BinaryIO, path: str) -> pd.DataFrame:
    """The same of one JSON object a line; other keys are left out."""
    import pandas as pd

    when: list[Any] = []
    inputs: list[Any] = []
    outputs: list[Any] = []
    names: tuple[str, ...] = ()
    # json.loads guesses the encoding of bytes first, which takes as long as reading them.
    decode = json.JSONDecoder().decode
    for number, line in enumerate(file, 1):
        if line.isspace():
            continue
        text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        try:
            found = decode(text)
        except (ValueError, RecursionError):
            raise InputError(f"{path}, line {number:,} is not JSON.") from None
        if not isinstance(found, dict):
            raise InputError(f"{path}, line {number:,} is not an object with a request.")
        names = names or tuple(_columns(list(found), path).values())
        when.append(found.get(names[0]))
        inputs.append(found.get(names[1]))
        outputs.append(found.get(names[2]))
        if len(when) > MOST_ROWS:
            break
    return pd.DataFrame(dict(zip(names, (when, inputs, outputs), strict=False)))


def _first_rows(path: Path) -> tuple[list[str], list[str]]:
    """Header and first row as a reader of the standard library sees them."""
    with _opened(path) as file:
        found = [row for row, _ in zip(_rows(file), range(2), strict=False)]
    return (found[0][1], found[1][1]) if len(found) == 2 else ([], [])


def _rows(file: BinaryIO) -> Iterator[tuple[int, list[str]]]:
    """(line, fields) of each row that is not blank; pandas skips the others as well."""
    reader = csv.reader(io.TextIOWrapper(file, "utf-8-sig", errors="replace", newline=""), skipinitialspace=True)
    before = 0
    for fields in reader:
        if len(fields) > 1 or (fields and fields[0].strip()):
            yield before + 1, fields
        before = reader.line_num


def _line(path: Path, row: int) -> int:
    """The line in the file of a row of the table; found by reading once more, since it is needed for an error only."""
    wanted = row if _is_json_lines(path) else row + 1
    with _opened(path) as file:
        if _is_json_lines(path):
            lines = (number for number, line in enumerate(file, 1) if not line.isspace())
        else:
            lines = (number for number, _ in _rows(file))
        try:
            return next(number for place, number in enumerate(lines) if place == wanted)
        except (StopIteration, csv.Error):
            return wanted + 1


def _first_line(error: Exception) -> str:
    return brief(str(error).strip().split("\n")[0].rstrip("."), 100)[1:-1]


# columns


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


def _tokens(column: pd.Series[Any], name: str, path: Path) -> Array:
    import pandas as pd

    if pd.api.types.is_bool_dtype(column):  # a column of yes and no would count as 1 and 0
        column = column.astype(str)
    try:
        values = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64)
    except (TypeError, ValueError, OverflowError):  # lists and objects of JSON
        values = pd.to_numeric(column.astype(str), errors="coerce").to_numpy(dtype=np.float64)
    bad = ~(np.isfinite(values) & (values >= 0) & (values <= MOST_TOKENS))
    if bad.any():
        at = int(np.flatnonzero(bad)[0])
        raise InputError(f"{path}, line {_line(path, at):,}: {name} cannot be {brief(str(column.iloc[at]), 30)}.")
    return values
