"""Offers as CSV: one reader for the bundled prices, the price folder and the user's own files.

Columns are converted whole, each distinct spelling once: 5,000 rows of 38 columns read in some 50 ms.
"""

from __future__ import annotations

import csv
import difflib
import io
import math
import re
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pricing import offer as schema
from pricing.errors import OffersError
from pricing.offer import OFFER_COLUMNS, Offer
from pricing.regions import region_group

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    Columns = dict[str, list[Any]]

REQUIRED = ("provider", "server", "kind", "currency")
MAX_BYTES = 256 * 1024 * 1024

_BLANK = frozenset({"", "-", "n/a", "na", "none", "null", "unknown", "?"})
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_TRUE = frozenset({"true", "1", "yes"})
_FALSE = frozenset({"false", "0", "no"})

# Upper limits that no honest price or machine reaches: beyond them a unit was mixed up.
LIMITS: dict[str, float] = {
    "price_per_hour": 50_000,
    "price_per_month": 20_000_000,
    "setup_fee": 10_000_000,
    "ram_gib": 200_000,
    "cores": 20_000,
    "vcpus": 20_000,
    "sockets": 64,
    "memory_channels": 512,
    "memory_mts": 50_000,
    "gpu_count": 1024,
    "vram_gib_per_gpu": 4096,
    "gpu_memory_bandwidth_gb_s": 200_000,
    "memory_read_gb_s_measured": 50_000,
    "pcie_gb_s_measured": 1000,
    "numa_nodes": 64,
    "commitment_months": 120,
    "upfront_share": 1,
}
# Here 0 is a statement (no fee, nothing upfront); everywhere else it is a placeholder.
_ZERO_COUNTS = frozenset({"setup_fee", "upfront_share"})
_WHOLE = frozenset({"sockets", "commitment_months", "numa_nodes"})
BOOLEAN = frozenset({"shared_cpu", "vat_included"})
CHOICES: dict[str, tuple[str, ...]] = {
    "kind": schema.KINDS,
    "term": schema.TERMS,
    "region_group": schema.REGION_GROUPS,
    "price_basis": schema.PRICE_BASES,
}


def impossible(values: Mapping[str, Any]) -> str | None:
    """The first column whose number no server has, beyond what a price file may hold; None if all can be."""
    for column, value in values.items():
        limit = LIMITS.get(column)
        if limit is not None and value is not None and not (0 <= value <= limit):
            return column
    return None


def read_offers(path: Path, *, fetched_at: str | None = None, latest: str | None = None) -> tuple[Offer, ...]:
    """Offers of a user's CSV file in the schema's columns (others are ignored). Raises OffersError with line and column.

    Rows without a date were seen when the file was last changed; `latest` (ISO) is the last day a price can be of.
    """
    try:
        changed = datetime.fromtimestamp(path.stat().st_mtime, UTC).date().isoformat()
        if path.stat().st_size > MAX_BYTES:
            raise OffersError(f"{path} is larger than {MAX_BYTES >> 20} MiB.", hint="Is it the right file?")
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise OffersError(f"{path} is not UTF-8 text (byte {error.start}).") from error
    except OSError as error:
        raise OffersError(f"Cannot read {path}: {error.strerror or error}.") from error
    found = parse_offers(text, str(path), fetched_at=fetched_at, seen_on=min(changed, latest or changed), latest=latest)
    if not found:
        raise OffersError(f"{path} has a header but no offers.", hint="Add a line for each offer.")
    return found


def parse_offers(
    text: str, name: str, *, fetched_at: str | None = None, seen_on: str | None = None, latest: str | None = None
) -> tuple[Offer, ...]:
    """Offers of a CSV text; `seen_on` dates the rows without a date. Raises OffersError naming line and column."""
    header, rows, lines = _rows(text, name)
    table = _convert(header, rows, lines, name)
    _defaults(table, lines, name, one_gpu=seen_on is not None)
    _check_dates(table["source_date"], latest, lines, name)
    table["source_date"] = [day or seen_on for day in table["source_date"]]
    if fetched_at is not None:
        table["fetched_at"] = [value or fetched_at for value in table["fetched_at"]]
    table["offer_id"] = schema.unique_ids(
        map(
            schema.offer_id,
            table["provider"],
            table["server"],
            table["region"],
            table["term"],
            table["commitment_months"],
            table["tier"],
            table["currency"],
        )
    )
    return schema.from_columns(table)


def format_offers(offers: Iterable[Offer]) -> str:
    """The CSV text of offers; reading it back gives the same offers."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(OFFER_COLUMNS)
    for entry in offers:
        writer.writerow([_cell(getattr(entry, column)) for column in OFFER_COLUMNS])
    return out.getvalue()


def _cell(value: object) -> object:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else value


def _rows(text: str, name: str) -> tuple[list[str], list[list[str]], list[int]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[list[str]] = []
    lines: list[int] = []
    try:
        header = next(reader, None)
        if not header:
            raise OffersError(f"{name} is empty.", hint="The first line names the columns.")
        for row in reader:
            if row:
                rows.append(row)
                lines.append(reader.line_num)
    except csv.Error as error:
        raise OffersError(f"{name}, line {reader.line_num}: {error}.") from error
    header = [column.strip() for column in header]
    _check_header(header, name)
    width = len(header)
    for row, line in zip(rows, lines, strict=True):
        if len(row) != width:
            raise OffersError(f"{name}, line {line}: {len(row)} fields, but the header has {width}.")
    return header, rows, lines


def _check_header(header: list[str], name: str) -> None:
    repeated = {column for column in header if column and header.count(column) > 1}
    if repeated:
        raise OffersError(f"{name}, line 1: column {min(repeated)!r} appears twice.")
    for column in header:
        if column not in OFFER_COLUMNS:
            near = difflib.get_close_matches(column, OFFER_COLUMNS, n=1, cutoff=0.8)
            if near and near[0] not in header:
                raise OffersError(f"{name}, line 1: unknown column {column!r}.", hint=f"Did you mean {near[0]}?")
    missing = [column for column in REQUIRED if column not in header]
    if missing:
        raise OffersError(
            f"{name}, line 1: column {missing[0]!r} is missing.",
            hint=f"Needed are {', '.join(REQUIRED)} and price_per_hour or price_per_month.",
        )
    if "price_per_hour" not in header and "price_per_month" not in header:
        raise OffersError(f"{name}, line 1: there is no price.", hint="Add price_per_hour or price_per_month.")


def _convert(header: list[str], rows: list[list[str]], lines: Sequence[int], name: str) -> Columns:
    raw = dict(zip(header, zip(*rows, strict=True), strict=True)) if rows else {}
    table: Columns = {}
    for column in OFFER_COLUMNS:
        cells = raw.get(column)
        if cells is None:
            table[column] = [None] * len(rows)
            continue
        convert = _converter(column)
        known: dict[str, Any] = {}
        try:
            for cell in dict.fromkeys(cells):
                known[cell] = convert(cell)
        except ValueError as error:
            line = lines[cells.index(cell)]
            raise OffersError(f"{name}, line {line}, column {column}: {cell[:60]!r} {error}.") from None
        table[column] = [known[cell] for cell in cells]
    return table


def _defaults(table: Columns, lines: Sequence[int], name: str, *, one_gpu: bool) -> None:
    """Fill what follows from other columns; refuse rows without a name or a price.

    `one_gpu`: a person who names no count means one GPU; a feed that names none leaves it open.
    """
    for column in REQUIRED:
        if None in table[column]:
            line = lines[table[column].index(None)]
            raise OffersError(f"{name}, line {line}, column {column}: it must not be empty.")
    for at, (hourly, monthly) in enumerate(zip(table["price_per_hour"], table["price_per_month"], strict=True)):
        if hourly is None and monthly is None:
            raise OffersError(
                f"{name}, line {lines[at]}: there is neither price_per_hour nor price_per_month.",
                hint="0 is not a price; leave out servers whose price is unknown.",
            )
    table["term"] = [
        term or ("on_demand" if hourly is not None else "monthly")
        for term, hourly in zip(table["term"], table["price_per_hour"], strict=True)
    ]
    table["price_basis"] = [basis or "listed" for basis in table["price_basis"]]
    table["region_group"] = [
        group or region_group(region) for group, region in zip(table["region_group"], table["region"], strict=True)
    ]
    for at, (kind, model) in enumerate(zip(table["kind"], table["gpu_model"], strict=True)):
        if kind == "gpu" and model is None:
            raise OffersError(f"{name}, line {lines[at]}, column gpu_model: a GPU server must name its GPU.")
    table["gpu_count"] = [
        count if count is not None or kind == "cpu" or not one_gpu else 1.0
        for count, kind in zip(table["gpu_count"], table["kind"], strict=True)
    ]


def _check_dates(days: Sequence[str | None], latest: str | None, lines: Sequence[int], name: str) -> None:
    if latest is None:
        return
    for day, line in zip(days, lines, strict=True):
        if day and day > latest:
            raise OffersError(f"{name}, line {line}, column source_date: {day} lies in the future.")


def _converter(column: str) -> Callable[[str], Any]:
    if column in LIMITS:
        return _number(LIMITS[column], zero=column in _ZERO_COUNTS, whole=column in _WHOLE)
    if column in BOOLEAN:
        return _boolean
    if column in CHOICES:
        return _choice(CHOICES[column])
    return {"currency": _currency, "source_date": _date, "provider": _provider}.get(column, _text)


def _number(limit: float, *, zero: bool, whole: bool) -> Callable[[str], float | int | None]:
    def read(cell: str) -> float | int | None:
        cell = cell.strip()
        try:
            value = float(cell)
        except ValueError:
            if cell.lower() in _BLANK:
                return None
            raise ValueError("is not a number") from None
        if "_" in cell or not math.isfinite(value):
            raise ValueError("is not a finite number")
        if value < 0:
            raise ValueError("is negative")
        if value > limit:
            raise ValueError(f"is more than {limit:g}, check its unit")
        if value == 0 and not zero:
            return None
        if whole:
            if value != int(value):
                raise ValueError("is not a whole number")
            return int(value)
        return value

    return read


def _boolean(cell: str) -> bool | None:
    word = cell.strip().lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    if word in _BLANK:
        return None
    raise ValueError("is neither true nor false")


def _choice(allowed: tuple[str, ...]) -> Callable[[str], str | None]:
    def read(cell: str) -> str | None:
        word = cell.strip().lower()
        if not word:
            return None
        if word not in allowed:
            raise ValueError(f"is not one of {', '.join(allowed)}")
        return word

    return read


@lru_cache(maxsize=65536)
def clean_text(cell: str) -> str:
    """The text without control and direction characters: it is shown in a terminal, never obeyed by one."""
    return _CONTROL.sub("", cell.replace("\t", " ").replace("\n", " ")).strip()


def is_clean(text: str) -> bool:
    """Whether `clean_text` would leave all of a text but its ends as it is."""
    return _CONTROL.search(text) is None and "\t" not in text and "\n" not in text


def _text(cell: str) -> str | None:
    return clean_text(cell) or None


def _provider(cell: str) -> str | None:
    return clean_text(cell).lower() or None


def _currency(cell: str) -> str | None:
    word = cell.strip().upper()
    if not word:
        return None
    if len(word) != 3 or not (word.isascii() and word.isalpha()):
        raise ValueError("is not a three-letter currency")
    return word


def _date(cell: str) -> str | None:
    word = cell.strip()
    if not word:
        return None
    try:
        return date.fromisoformat(word[:10]).isoformat()
    except ValueError:
        raise ValueError("is not a date such as 2026-10-02") from None
