"""A comparison that was written as CSV: its rows, and what it was asked."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from models.errors import InputError, brief
from pricing.asked import COLUMNS as ASKED
from pricing.asked import differing
from pricing.offer_csv import clean_text

if TYPE_CHECKING:
    from collections.abc import Mapping

PRICES = ("price_per_hour", "price_per_month", "setup_fee")
COSTS = ("monthly_cost", "cost_per_m_output_tokens")
COMPARED = (*PRICES, *COSTS, "servers_needed", "ttft_ms", "tpot_ms", "max_concurrency", "requests_per_s_at_target")
"""Figures of an offer that are held against each other."""
NEEDED = ("offer_id", "provider", "server", "monthly_cost", "meets_targets", "cost_currency")
_ANSWERS = ("true", "false")
FIGURES = (
    ("models whose KV caches take so many bytes a token", ("kv_bytes_per_token",), lambda kv: kv),
    ("tokens per output token", ("total_tokens_per_s", "output_tokens_per_s"), lambda total, output: total / output),
    ("requests/s", ("utilization", "servers_needed", "requests_per_s_at_target"), lambda used, count, each: used * count * each),
)  # fmt: skip
"""What tells the workload of a file that does not say it, from its rows: model and KV format, prompt and answer, traffic.

Each is the same for all servers that carry the workload, whatever they cost; a concurrency is not told by its rows.
"""
AGREED = 0.9
"""A figure of the workload is believed where this share of the rows has it (our rule)."""
SAME = 1e-6
"""Files hold ten digits."""
LARGEST_BYTES = 1_000_000_000
MOVES = frozenset({"since"})
"""What may differ between two answers to one question: a day that moves on with the calendar."""


@dataclass(frozen=True, slots=True)
class Written:
    """Rows by offer and the texts of `pricing.asked`, None where the file does not say: it is older, or has no rows."""

    path: str
    rows: Mapping[str, Mapping[str, str]]
    workload: str | None
    selection: str | None

    @property
    def currencies(self) -> set[str]:
        """What its costs are in."""
        return {row["cost_currency"] for row in self.rows.values() if row["cost_currency"]}


def check_same_question(old: Written, new: Written) -> tuple[str, str]:
    """(which files do not say their question, what has moved on in it); empty = nothing. Raises InputError for two questions."""
    currencies = old.currencies | new.currencies
    if len(currencies) > 1:
        raise InputError(
            f"{old.path} and {new.path} count in different currencies ({', '.join(sorted(currencies))}).",
            hint="Write both with the same --currency.",
        )
    found = [
        one
        for then, now in ((old.workload, new.workload), (old.selection, new.selection))
        if then is not None and now is not None
        for one in differing(then, now)
    ]
    if apart := [one for one in found if one[0] not in MOVES]:
        raise InputError(
            f"{old.path} and {new.path} answer different questions: {'; '.join(map(_words, apart))}.",
            hint="Write both with the same flags.",
        )
    _check_columns(old, new)
    if old.workload is None or new.workload is None:
        _check_figures(old, new)
    moved = f"The files were asked for other days: {'; '.join(map(_words, found))}." if found else ""
    return _unsaid(old, new), moved


def _check_columns(old: Written, new: Written) -> None:
    """Raise InputError for a figure that only one of the files has: a change of it would not be seen."""
    columns = [set(next(iter(one.rows.values()), ())) for one in (old, new)]
    if not all(columns):  # a file without offers: all of the other's are new or gone
        return
    for one, has, other in ((old, columns[0], columns[1]), (new, columns[1], columns[0])):
        if lacking := next((name for name in COMPARED if name in other and name not in has), None):
            raise InputError(
                f"{one.path} has no column {lacking}, which the other file has.",
                hint="Write both with `rackrate compare`.",
            )


def _words(one: tuple[str, str, str]) -> str:
    name, then, now = one
    return f"{name} {then} and {now}"


def _unsaid(old: Written, new: Written) -> str:
    silent = [one.path for one in (old, new) if one.workload is None or one.selection is None]
    if not silent:
        return ""
    verb = "does" if len(silent) == 1 else "do"
    return (
        f"{' and '.join(silent)} {verb} not say what was asked: whether both answer the same question cannot be told."
    )


def _check_figures(old: Written, new: Written) -> None:
    for (name, *_), then, now in zip(FIGURES, _figures(old.rows), _figures(new.rows), strict=True):
        if then is not None and now is not None and not math.isclose(then, now, rel_tol=SAME):
            raise InputError(
                f"{old.path} and {new.path} answer different workloads: {name} {then:.6g} and {now:.6g}.",
                hint="Write both with the same model, formats, tokens and traffic.",
            )


def _figures(rows: Mapping[str, Mapping[str, str]]) -> tuple[float | None, ...]:
    """The values of FIGURES; None where the rows do not agree."""
    found: list[float | None] = []
    for _, columns, figure in FIGURES:
        numbers = ([number(row.get(name)) for name in columns] for row in rows.values())
        values = sorted(figure(*row) for row in numbers if all(row))
        middle = values[len(values) // 2] if values else math.nan
        agreed = sum(math.isclose(value, middle, rel_tol=SAME) for value in values)
        found.append(middle if values and agreed >= AGREED * len(values) else None)
    return tuple(found)


def read(path: str) -> Written:
    """A file that `rackrate compare` or an export wrote. Raises InputError naming the line for any other."""
    rows: dict[str, dict[str, str]] = {}
    try:
        if Path(path).is_file() and Path(path).stat().st_size > LARGEST_BYTES:
            raise InputError(f"{path} is larger than {LARGEST_BYTES // 10**9} GB.")
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            missing = [name for name in NEEDED if name not in (reader.fieldnames or ())]
            if missing:
                raise InputError(
                    f"{path} is no comparison: it has no column {missing[0]}.",
                    hint="`rackrate compare --csv FILE` writes one.",
                )
            for row in reader:
                if None in row or None in row.values():
                    raise InputError(
                        f"{path}, line {reader.line_num}: the row has not as many values as the header has columns."
                    )
                if not row["offer_id"]:
                    raise InputError(f"{path}, line {reader.line_num}: there is no offer_id.")
                if row["offer_id"] in rows:
                    raise InputError(f"{path}, line {reader.line_num}: {brief(row['offer_id'])} is listed twice.")
                _check_cells(row, f"{path}, line {reader.line_num}")
                row["provider"], row["server"] = clean_text(row["provider"]), clean_text(row["server"])
                rows[row["offer_id"]] = row
    except FileNotFoundError:
        raise InputError(f"{path} does not exist.") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not a text file in UTF-8.") from None
    except csv.Error as error:
        raise InputError(f"{path} is not a CSV file: {error}.") from None
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror or error}.") from None
    return Written(path, rows, *(_said(path, rows, name) for name in ASKED))


def _check_cells(row: Mapping[str, str], where: str) -> None:
    """A figure that cannot be read is no figure that is missing: it would look like a change."""
    for name in COMPARED:
        text = row.get(name)
        if text and ((value := number(text)) is None or value < 0):
            raise InputError(
                f"{where}: {name} cannot be {brief(text, 30)}.", hint="It is a number from 0 up, or empty."
            )
    if row["meets_targets"] not in _ANSWERS:
        raise InputError(f"{where}: meets_targets is {brief(row['meets_targets'], 30)}, not {' or '.join(_ANSWERS)}.")


def _said(path: str, rows: Mapping[str, Mapping[str, str]], column: str) -> str | None:
    """The one text that all rows hold in a column of what was asked; None where there is none."""
    texts = {clean_text(row.get(column) or "") for row in rows.values()}
    if len(texts) > 1:
        raise InputError(f"{path} holds more than one comparison: its {column} is not the same in all rows.")
    return next(iter(texts), "") or None


def number(text: str | None) -> float | None:
    """A cell's number, None where it holds none."""
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) else None
